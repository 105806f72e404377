"""Who gets in: the token, the host, the origin, and nothing but reading."""

from __future__ import annotations

import pytest

from holdfast.explore.loopback import Admitted, Refusal, admit

HOST = {"host": "127.0.0.1:80"}


def asked(target: str, method: str = "GET", **headers: str) -> Admitted | Refusal:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return admit(method, target, {**HOST, **named}, "secret", 80)


def test_the_token_leads_to_pages() -> None:
    assert asked("/secret/") == Admitted("", "")
    assert asked("/secret/search?q=a%20b", host="localhost:80") == Admitted("search", "q=a%20b")
    assert asked("/secret/tree", origin="http://127.0.0.1:80", sec_fetch_site="same-origin") == Admitted("tree", "")


@pytest.mark.parametrize(
    "target", ["/", "", "/secret", "/secreT/", "/secre/", "/secret2/", "//secret/", "/x/secret/", "/é/"]
)
def test_without_the_whole_token_nobody_learns_anything(target: str) -> None:
    refused = asked(target)
    assert isinstance(refused, Refusal)
    assert (refused.status, "secret" in refused.reason) == (403, False)


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example:80"},
        {"host": "127.0.0.1:81"},
        {"host": "127.0.0.1"},
        {"host": ""},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:81"},
        {"sec_fetch_site": "cross-site", "sec_fetch_mode": "no-cors"},
    ],
)
def test_another_host_or_origin_is_refused_even_with_the_token(headers: dict[str, str]) -> None:
    refused = asked("/secret/", **headers)
    assert isinstance(refused, Refusal)
    assert refused.status == 403


def test_a_link_from_elsewhere_may_be_followed() -> None:
    assert asked("/secret/", sec_fetch_site="cross-site", sec_fetch_mode="navigate") == Admitted("", "")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_what_would_write_is_refused(method: str) -> None:
    refused = asked("/secret/", method)
    assert isinstance(refused, Refusal)
    assert refused.status == 405
