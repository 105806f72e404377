"""`context serve --http`: what was typed becomes a server that listens."""

from __future__ import annotations

import os
import platform
from typing import TYPE_CHECKING

from holdfast.core.canonical_json import encode
from holdfast.core.errors import UsageError
from holdfast.core.http_address import LOOPBACK, PATH, Address, parse_address, parse_url
from holdfast.core.standard_streams import write_error
from holdfast.core.token_file import TokenFile
from holdfast.mcp.rights import give_up_rights
from holdfast.telemetry.metrics import ServerFacts
from holdfast.version import __version__
from holdfast.workspace import system_clock

if TYPE_CHECKING:  # what only the extras `http` and `telemetry` install is loaded once they are known to be there
    from collections.abc import Callable, Mapping
    from socket import socket

    from starlette.types import ASGIApp

    from holdfast.mcp.server import Server
    from holdfast.telemetry.metrics import CallMetrics
    from holdfast.telemetry.metrics_page import MetricsPage, SharedCells
    from holdfast.telemetry.trace_command import Tracing
    from holdfast.telemetry.traces import CallTraces
    from holdfast.workspace import Workspace

MOST_PROCESSES = 64


def serve_over_http(
    arguments: Mapping[str, object],
    new_server: Callable[[CallMetrics | None, CallTraces | None], Server],
    confined: Workspace | None,
    tracing: Tracing | None,
) -> int:
    """Listen, give up the rights that a confined workspace does not need, and serve to the end; the exit code."""
    host, port = parse_address(str(arguments["http"]))
    metrics_host, metrics_port = parse_address(str(arguments.get("metrics_address", "0")), "--metrics-address")
    public_url = parse_url("--public-url", str(arguments["public_url"]), PATH) if "public_url" in arguments else None
    issuer = parse_url("--issuer", str(arguments["issuer"])) if "issuer" in arguments else None
    processes = arguments.get("workers", 1)
    if not isinstance(processes, int) or not 1 <= processes <= MOST_PROCESSES:
        raise UsageError(f"--workers is 1 to {MOST_PROCESSES}")
    token_file = os.path.abspath(str(arguments["token_file"])) if "token_file" in arguments else None
    if host not in LOOPBACK and token_file is None:
        raise UsageError(f"'{host}' is reached from other machines: give --token-file too, or listen on 127.0.0.1")
    if host not in LOOPBACK and public_url is None:
        raise UsageError("beyond this machine --public-url is needed, the address that clients know the server by")
    tokens = None if token_file is None else TokenFile(token_file, system_clock, write_error)
    try:
        from holdfast.http.application import http_application
        from holdfast.http.processes import Work, listen, serve_http
    except ImportError:
        raise UsageError("--http needs the extra 'http': pip install 'holdfast-context[http]'") from None

    listeners = listen(host, port, processes)
    address = Address(host, listeners[0].getsockname()[1], public_url, issuer)
    page_address = address if arguments.get("metrics") else None
    shared: list[socket] = []
    if "metrics_address" in arguments:
        shared = listen(metrics_host, metrics_port)
        page_address = Address(metrics_host, shared[0].getsockname()[1])
        if page_address.port == address.port:
            raise UsageError("--metrics-address has the port of --http: give it another one")
    if confined is not None:
        # A token file is replaced by another one, so its folder stays readable.
        readable = [] if token_file is None else [os.path.dirname(token_file)]
        give_up_rights(confined, readable, [] if tracing is None else [tracing.port])
    cells = page = None
    if page_address is not None or tracing is not None:
        cells, page = _counters(processes, address, page_address, tokens)

    served: list[Server] = []
    traced: list[CallTraces] = []

    def application(number: int) -> ASGIApp:
        metrics = None if cells is None else cells.of_process(number)
        if tracing is not None and metrics is not None:
            traced.append(tracing.begin(metrics))
        served.append(new_server(metrics, traced[0] if traced else None))
        plain = http_application(served[0], address, tokens)
        return plain if metrics is None else _watched(plain, metrics, page)

    def end() -> None:
        for traces in traced:
            traces.close()
        if arguments.get("telemetry"):
            write_error(encode(served[0].telemetry()))

    write_error(f"listening on http://{address.authority}{PATH}")
    if page_address is not None:
        write_error(f"metrics at http://{page_address.authority}/metrics")
    sockets = [[listeners[number % len(listeners)], *shared] for number in range(processes)]
    return serve_http(Work(application, end), sockets)


def _counters(
    processes: int, address: Address, page_address: Address | None, tokens: TokenFile | None
) -> tuple[SharedCells, MetricsPage | None]:
    """The counters of all processes, and the page that shows them where it has an address."""
    from holdfast.telemetry.metrics_page import MetricsPage, SharedCells

    cells = SharedCells(processes)
    if page_address is None:
        return cells, None
    own = None if page_address == address else page_address
    facts = ServerFacts(__version__, platform.python_version(), round(system_clock()), processes)
    return cells, MetricsPage(cells, facts, address=address, own_address=own, tokens=tokens)


def _watched(plain: ASGIApp, metrics: CallMetrics, page: MetricsPage | None) -> ASGIApp:
    from holdfast.telemetry.metrics_page import WatchedApplication

    return WatchedApplication(plain, metrics, page)
