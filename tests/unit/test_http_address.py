"""What a server is called, and what it may not be."""

from __future__ import annotations

import pytest

from holdfast.core.errors import UsageError
from holdfast.core.http_address import Address, parse_url

OWN = ["10.0.0.5:8321", "localhost:8321", "127.0.0.1:8321", "[::1]:8321"]


@pytest.mark.parametrize(
    ("url", "names"),
    [
        ("https://docs.example/mcp", ["docs.example", "docs.example:443"]),
        ("https://Docs.Example:443/mcp", ["docs.example", "docs.example:443"]),
        ("HTTP://docs.example/mcp", ["docs.example", "docs.example:80"]),
        ("https://docs.example:8443/mcp", ["docs.example:8443"]),
        ("https://[2001:DB8::1]/mcp", ["[2001:db8::1]", "[2001:db8::1]:443"]),
    ],
)
def test_clients_may_write_the_public_name_as_they_do(url: str, names: list[str]) -> None:
    address = Address("10.0.0.5", 8321, url)
    assert address.hosts == [*OWN, *names]
    scheme = url.partition(":")[0].lower()
    assert address.origins == [*[f"http://{name}" for name in OWN], *[f"{scheme}://{name}" for name in names]]


@pytest.mark.parametrize(
    "text",
    [
        "docs.example",
        "ftp://docs.example",
        "https://",
        "https://a:99999",
        "https://a:0",
        "https://a:x",
        "https://[a",
        "https://a?b",
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--public-url is an address such as"):
        parse_url("--public-url", text, "/mcp")


def test_no_password_is_told_to_everybody() -> None:
    with pytest.raises(UsageError, match="leave out the name and the password") as refused:
        parse_url("--issuer", "https://me:secret@login.example")
    assert "secret" not in refused.value.reason
    assert parse_url("--otlp", "https://me:secret@c", has_user=True) == "https://me:secret@c"
