"""Where a server is reached over HTTP: what it listens on, and what people call it."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlsplit

from holdfast.core.errors import UsageError

PATH = "/mcp"
LOOPBACK = ("127.0.0.1", "::1", "localhost")
PORTS = {"http": 80, "https": 443}


class Address(NamedTuple):
    """What a server listens on, the address that clients use where that is another, and who gives out tokens."""

    host: str
    port: int
    public_url: str | None = None
    issuer: str | None = None

    @property
    def resource(self) -> str:
        """The address of the protocol's endpoint, as a client knows it."""
        return self.public_url or f"http://{self.authority}{PATH}"

    @property
    def hosts(self) -> list[str]:
        """By what names the server may be called: its own alone, so that no name can be rebound to it."""
        return [*self._own_names, *self._public_names]

    @property
    def origins(self) -> list[str]:
        """Whose pages may have a browser ask: its own."""
        own = [f"http://{name}" for name in self._own_names]
        scheme = urlsplit(self.public_url or "").scheme
        return [*own, *[f"{scheme}://{name}" for name in self._public_names]]

    @property
    def _own_names(self) -> list[str]:
        return [self.authority, *[f"{name}:{self.port}" for name in ("localhost", "127.0.0.1", "[::1]")]]

    @property
    def _public_names(self) -> list[str]:
        """What clients may write for the public address: small letters, and a port that is the usual one or not."""
        if not self.public_url:
            return []
        parts = urlsplit(self.public_url)
        name, usual = parts.hostname or "", PORTS[parts.scheme]
        name = f"[{name}]" if ":" in name else name
        return [name, f"{name}:{usual}"] if parts.port in (None, usual) else [f"{name}:{parts.port}"]

    @property
    def authority(self) -> str:
        """Host and port as an address has them."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_address(text: str, flag: str = "--http") -> tuple[str, int]:
    """HOST:PORT, [HOST]:PORT or PORT; UsageError for anything else."""
    host, _, port = text.rpartition(":")
    host = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if not (port.isascii() and port.isdigit() and int(port) < 65536) or (":" in host and not text.startswith("[")):
        raise UsageError(f"{flag} is HOST:PORT, such as 127.0.0.1:8321, not '{text}'")
    return host or "127.0.0.1", int(port)


def parse_url(flag: str, text: str, ending: str = "", *, has_user: bool = False) -> str:
    """An address of http or https, with this ending; UsageError for anything else, and for one with a user's name and
    password unless those are accepted: an address that clients are shown must not contain them."""
    try:
        parts = urlsplit(text)
        is_url = parts.scheme in PORTS and bool(parts.hostname) and not parts.query and not parts.fragment
        is_url = is_url and parts.port != 0  # what is no port raises
    except ValueError:
        is_url = False
    if is_url and "@" in parts.netloc and not has_user:
        raise UsageError(f"{flag} is shown to clients: leave out the name and the password before the '@'")
    if not is_url or not all("!" <= character <= "~" for character in text):
        raise UsageError(f"{flag} is an address such as https://docs.example{ending}, not '{text}'")
    return text if text.endswith(ending) else text.rstrip("/") + ending
