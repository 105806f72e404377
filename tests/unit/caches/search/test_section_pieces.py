"""Blocks that are far too long are cut at lines, where it hurts least."""

from __future__ import annotations

import pytest

from holdfast.caches.search.sections import outline


def contents(text: str, *, long: int) -> list[str]:
    return [text[section.start : section.end] for section in outline(text, long=long).sections]


def test_a_long_table_is_cut_between_rows() -> None:
    rows = [f"| name {number:2} | value |" for number in range(40)]
    pieces = contents("| a | b |\n|---|---|\n" + "\n".join(rows), long=100)
    assert [len(piece) <= 100 for piece in pieces[:-1]] == [True] * (len(pieces) - 1)
    assert "\n".join(pieces) == "| a | b |\n|---|---|\n" + "\n".join(rows)
    assert all(piece.startswith("| ") for piece in pieces)


def test_a_long_fence_is_cut_after_blank_lines_before_it_is_cut_anywhere_else() -> None:
    functions = [f"def f{number}():\n    first = 1\n    return first" for number in range(12)]
    pieces = contents("```\n" + "\n\n".join(functions) + "\n```", long=120)
    assert len(pieces) > 3
    assert all(piece.startswith("def ") for piece in pieces[1:])


def test_a_long_list_inside_an_item_is_cut_where_it_is_indented_least() -> None:
    items = [f"  - item {number:2}\n    - below it\n      - and below that" for number in range(20)]
    pieces = contents("- all\n" + "\n".join(items), long=150)
    assert len(pieces) > 3
    assert all(piece.startswith("  - item") for piece in pieces[1:])


def test_a_long_paragraph_of_many_lines_is_cut_between_lines() -> None:
    lines = [f"Line {number:3} of a paragraph that goes on and on." for number in range(100)]
    pieces = contents("\n".join(lines), long=1000)
    assert "\n".join(pieces) == "\n".join(lines)
    assert max(map(len, pieces)) <= 2500
    assert max(map(len, pieces[:-1])) <= 1000


def test_a_heading_is_not_cut_off_from_the_block_that_is_cut() -> None:
    rows = [f"| name {number:2} | value |" for number in range(40)]
    text = "# A\n\n## B\n\n(label)=\n\n" + "\n".join(rows)
    assert [section.first for section in outline(text, long=100).sections][:2] == [1, 10]


@pytest.mark.parametrize("size", [2_500, 2_501])
def test_a_block_is_cut_above_two_and_a_half_times_the_length(size: int) -> None:
    line = "x" * 49 + "\n"
    text = (line * 51)[: size - 1] + "y"
    assert len(text) == size
    assert (len(outline(text).sections) == 1) is (size == 2_500)
