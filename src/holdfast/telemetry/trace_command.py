"""`context serve --otlp`: the collector of a server's traces, as typed or as OpenTelemetry's variables say."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from holdfast.core.errors import UsageError
from holdfast.core.http_address import PORTS, parse_url
from holdfast.core.standard_streams import write_error

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.telemetry.metrics import CallMetrics
    from holdfast.telemetry.traces import CallTraces

FROM_ENVIRONMENT = "env"
PATH = "/v1/traces"
_USUAL = "http://localhost:4318"
_OF_TRACES, _OF_ALL = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"


class Tracing(NamedTuple):
    """Where the traces of a server go, and what they contain."""

    url: str
    with_arguments: bool

    @property
    def port(self) -> int:
        """The one port that a confined process must still reach."""
        return collector_port(self.url)

    def begin(self, metrics: CallMetrics) -> CallTraces:
        """Traces of this process, from now on."""
        from holdfast.telemetry.traces import CallTraces

        return CallTraces(self.url, metrics, write_error, with_arguments=self.with_arguments)


def asked_tracing(
    arguments: Mapping[str, object], environment: Mapping[str, str], *, is_confined: bool
) -> Tracing | None:
    """The traces that were asked for, if any; UsageError where there can be none.

    Everything that sends them is loaded now: a confined process could not any more.
    """
    if "otlp" not in arguments:
        if "otlp_arguments" in arguments:
            raise UsageError("--otlp-arguments goes with --otlp")
        return None
    url = collector_url(str(arguments["otlp"]), environment)
    try:
        from holdfast.telemetry.traces import check_settings
    except ImportError:
        raise UsageError("--otlp needs the extra 'telemetry': pip install 'holdfast-context[telemetry]'") from None
    check_settings(url)
    if is_confined:
        url = looked_up(url, _address_of)
    return Tracing(url, bool(arguments.get("otlp_arguments")))


def _address_of(host: str) -> str:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError as error:
        raise UsageError(f"the collector '{host}' cannot be looked up: {error.strerror}") from None
    return str(found[0][4][0])


def collector_url(given: str, environment: Mapping[str, str]) -> str:
    """The address that spans are sent to; UsageError for anything that is none."""
    if given != FROM_ENVIRONMENT:
        return parse_url("--otlp", given, PATH, has_user=True)
    if of_traces := environment.get(_OF_TRACES, ""):
        return parse_url(_OF_TRACES, of_traces, has_user=True)  # used as it is: only the general one is a base
    return parse_url(_OF_ALL, environment.get(_OF_ALL, "") or _USUAL, PATH, has_user=True)


def collector_port(url: str) -> int:
    """The port of a collector."""
    parts = urlsplit(url)
    return parts.port or PORTS[parts.scheme]


def looked_up(url: str, address_of: Callable[[str], str]) -> str:
    """The same collector by its address instead of its name, for a process that can look up no names any more.

    A certificate is for a name, so with https a name cannot be replaced: UsageError.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    address = address_of(host)
    if address == host:
        return url
    if parts.scheme == "https":
        raise UsageError("with --confine no name can be looked up: give --otlp an address of http, or an IP address")
    literal = f"[{address}]" if ":" in address else address
    user = "".join(parts.netloc.rpartition("@")[:2])
    return parts._replace(netloc=f"{user}{literal}:{collector_port(url)}").geturl()


def shown(url: str) -> str:
    """A collector's address for a message: without the name and password that it may have."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}:{collector_port(url)}"
