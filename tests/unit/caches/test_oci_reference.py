"""References to what lies in a registry."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.caches.oci_reference import OciReference, parse_reference
from holdfast.core.errors import UsageError

DIGEST = "sha256:" + "0a" * 32


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("oci://registry.example/team/docs:1.4", OciReference("registry.example", "team/docs", "1.4")),
        ("registry.example:5000/docs:v1", OciReference("registry.example:5000", "docs", "v1")),
        (f"127.0.0.1:5000/docs@{DIGEST}", OciReference("127.0.0.1:5000", "docs", "", DIGEST)),
        (f"oci://[::1]:5000/a-b/c__d:x@{DIGEST}", OciReference("[::1]:5000", "a-b/c__d", "x", DIGEST)),
    ],
)
def test_a_reference_is_read_and_written_back(text: str, expected: OciReference) -> None:
    found = parse_reference(text)
    assert (found, found.name) == (expected, text.removeprefix("oci://"))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no registry"),
        ("docs:1", "no registry"),
        ("https://registry.example/docs:1", "scheme"),
        ("registry.example/Docs:1", "no repository"),
        ("registry.example/docs/../x:1", "no repository"),
        ("registry.example//docs:1", "no repository"),
        ("registry.example/docs:", "no tag"),
        ("registry.example/docs:a b", "no tag"),
        ("registry.example/docs", "neither a tag nor a digest"),
        ("registry.example/docs@sha256:12", "no sha256 digest"),
        ("user@registry.example/docs:1", "no registry"),
        ("registry.example\\x/docs:1", "no registry"),
        ("registry.example/docs:1" + "x" * 2000, "too long"),
    ],
)
def test_what_is_none_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        parse_reference(text)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost", True),
        ("localhost:5000", True),
        ("127.0.0.1:1", True),
        ("[::1]:5000", True),
        ("[::1]", True),
        ("registry.example", False),
        ("127.0.0.1.example:1", False),
        ("localhost.example", False),
    ],
)
def test_only_this_machine_may_do_without_tls(host: str, expected: bool) -> None:
    assert OciReference(host, "docs", "1").is_loopback == expected


@given(st.text(max_size=40))
def test_anything_is_read_or_refused(text: str) -> None:
    try:
        found = parse_reference(text)
    except UsageError:
        return
    assert parse_reference(str(found)) == found
