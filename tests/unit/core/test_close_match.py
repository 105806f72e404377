"""What somebody probably meant."""

from __future__ import annotations

import pytest

from holdfast.core.close_match import close_match


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("fastap", ["django", "fastapi"], "fastapi"),
        ("fastapi", [], ""),
        ("x", ["fastapi", "django"], ""),
        ("docs", iter(["docs-old", "doc"]), "doc"),
    ],
)
def test_the_nearest_of_the_known_names_is_meant_or_none(name: str, known: list[str], meant: str) -> None:
    assert close_match(name, known) == meant


def test_how_near_is_near_enough_can_be_told() -> None:
    assert (close_match("sources", ["source_set"], cutoff=0.5), close_match("sources", ["source_set"], cutoff=0.9)) == (
        "source_set",
        "",
    )
