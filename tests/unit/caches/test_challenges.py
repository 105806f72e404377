"""What a server asks for before it lets anybody in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.caches.registry.challenges import Challenge, parse_challenges

BEARER = 'Bearer realm="https://auth.example/token",service="registry.example",scope="repository:docs:pull,push"'


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        (['Basic realm="here"'], [("basic", {"realm": "here"})]),
        (
            [BEARER],
            [
                (
                    "bearer",
                    {
                        "realm": "https://auth.example/token",
                        "service": "registry.example",
                        "scope": "repository:docs:pull,push",
                    },
                )
            ],
        ),
        (['Basic realm="a \\"quoted\\" word"'], [("basic", {"realm": 'a "quoted" word'})]),
        (["Negotiate", "Basic realm=x"], [("negotiate", {}), ("basic", {"realm": "x"})]),
        (
            ["Negotiate, Basic realm=x, charset=UTF-8"],
            [("negotiate", {}), ("basic", {"realm": "x", "charset": "UTF-8"})],
        ),
        (['Bearer realm="first",realm="second"'], [("bearer", {"realm": "first"})]),
        (["", '"'], []),
    ],
)
def test_challenges_are_told_apart(headers: list[str], expected: list[tuple[str, dict[str, str]]]) -> None:
    assert parse_challenges(headers) == [Challenge(scheme, fields) for scheme, fields in expected]


@given(st.lists(st.text(max_size=60), max_size=3))
def test_no_header_is_too_odd(headers: list[str]) -> None:
    assert all(each.scheme == each.scheme.lower() for each in parse_challenges(headers))
