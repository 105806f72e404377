"""Admits requests that carry the token, from this machine, from a page of this server. Pure."""

from __future__ import annotations

from hmac import compare_digest
from typing import TYPE_CHECKING, NamedTuple

from holdfast.core.unicode_text import lower_case

if TYPE_CHECKING:
    from collections.abc import Mapping

METHODS = ("GET", "HEAD")
_HOSTS = ("127.0.0.1", "localhost")


class Admitted(NamedTuple):
    """What an admitted request asks for: the name of a page and what was filled in."""

    page: str
    query: str


class Refusal(NamedTuple):
    """Why a request was not admitted. It says nothing of the project."""

    status: int
    reason: str


def admit(method: str, target: str, headers: Mapping[str, str], token: str, port: int) -> Admitted | Refusal:
    """Admit a request or say why not: refuses DNS rebinding (Host) and cross-site requests (Origin, Sec-Fetch-Site)."""
    hosts = [f"{host}:{port}" for host in _HOSTS]
    if lower_case(headers.get("host", "")) not in hosts:
        return Refusal(403, "This server is reached at 127.0.0.1 alone.")
    origin = headers.get("origin")
    if origin is not None and lower_case(origin) not in [f"http://{host}" for host in hosts]:
        return Refusal(403, "Pages of elsewhere may not ask this server.")
    if headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
        return Refusal(403, "Pages of elsewhere may not ask this server.")
    path, _, query = target.partition("?")
    _, _, rest = path.partition("/")
    given, slash, page = rest.partition("/")
    if not compare_digest(given.encode("utf-8", "replace"), token.encode()) or not slash:
        return Refusal(
            403, "Open the address that 'context explore' printed, whole: it has a token that is yours alone."
        )
    if method not in METHODS:
        return Refusal(405, "This server only reads.")
    return Admitted(page, query)
