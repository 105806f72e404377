"""A name means one thing in the whole tree: whoever knows it opens the right file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

PACKAGE = Path(__file__).parent.parent.parent / "src" / "holdfast"
# The rooms that every family has under the same name.
ROOMS = {"__init__", "answers", "offers", "operations", "shapes", "views"}


def test_no_two_modules_have_one_name_but_the_rooms_of_the_families() -> None:
    names = Counter(path.stem for path in PACKAGE.rglob("*.py"))

    assert {name for name, count in names.items() if count > 1} <= ROOMS


def test_no_module_is_longer_than_four_hundred_lines() -> None:
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in PACKAGE.rglob("*.py")}

    assert {str(path.relative_to(PACKAGE)): count for path, count in lines.items() if count > 400} == {}
