"""Which collector takes the traces of a server: what `--otlp` says, or the variables that OpenTelemetry has for it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from holdfast.core.errors import UsageError
from holdfast.core.http_address import PORTS, parse_url

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FROM_ENVIRONMENT = "env"
PATH = "/v1/traces"
_USUAL = "http://localhost:4318"
_OF_TRACES, _OF_ALL = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"


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
