"""`context serve --otlp`: what was typed becomes traces that are sent to a collector."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holdfast.core.errors import UsageError
from holdfast.core.standard_streams import write_error
from holdfast.telemetry.collector_address import collector_port, collector_url, looked_up

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.telemetry.metrics import CallMetrics
    from holdfast.telemetry.traces import CallTraces


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
    import socket

    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError as error:
        raise UsageError(f"the collector '{host}' cannot be looked up: {error.strerror}") from None
    return str(found[0][4][0])
