"""Blocks that are far too long are cut at lines, where it hurts least."""

from __future__ import annotations

import pytest

from holdfast.caches.search.long_lines import is_heavy, parts
from holdfast.caches.search.sections import outline
from holdfast.caches.tokenizers import O200K, counter


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


def test_a_paragraph_without_line_breaks_is_cut_where_sentences_end() -> None:
    text = (
        "# A\n\n" + " ".join(f"This is the sentence number {number} of one long line." for number in range(100)) + "\n"
    )
    sections = outline(text).sections
    cut = [text[section.start : section.end] for section in sections]
    assert len(cut) > 3
    assert all(piece.endswith(" of one long line.") for piece in cut)
    assert all(piece.startswith(("# A\n\nThis is", "This is")) for piece in cut)
    assert max(map(len, cut)) <= 1000
    assert (sections[0].first, sections[0].last, sections[0].from_column) == (1, 3, 0)
    line = text.split("\n")[2]
    for section, piece in zip(sections[1:], cut[1:], strict=True):
        assert (section.first, section.last) == (3, 3)
        assert line[section.from_column - 1 : section.to_column or len(line)] == piece


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One is here. Two is there! And three? Four", ["One is here.", "Two is there!", "And three? Four"]),
        ("\u4f60\u597d\u4e16\u754c\u3002" * 8, ["\u4f60\u597d\u4e16\u754c\u3002" * 4] * 2),
        ("| aaaa bbbb | cccc dddd | eeee ffff |", ["| aaaa bbbb", "| cccc dddd", "| eeee ffff |"]),
        ("words without any stop at all here", ["words without any", "stop at all here"]),
        ("(He said 'so.') And then went on to", ["(He said 'so.')", "And then went on to"]),
        ("x" * 50, ["x" * 20, "x" * 15, "x" * 15]),
        ("e\u0301" * 15, ["e\u0301" * 7, "e\u0301" * 8]),
        ("a" + " " * 60 + "b", ["a", "b"]),
    ],
)
def test_a_line_is_cut_at_sentences_cells_blanks_or_anywhere(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in parts(text, 0, len(text), 20)] == expected


HEAVY = {
    "digits": "\n".join(["0 1 " * 20] * 200),
    "rows": "| a | b |\n|---|---|\n" + "| 0.1 | x7f3a9 |\n" * 200,
    "one row": "| " + " | ".join(f"value{number}" for number in range(900)) + " |",
    "minified": "function(a,b){return a?b:{c:1,d:[2,3]}};" * 300,
    "base64": "q83nJX9dPm0ZkTfWb5Ls" * 500,
    "Chinese": "\u8fd9\u662f\u4e00\u4e2a\u5f88\u957f\u7684\u53e5\u5b50\u3002" * 600,
    "Thai": "\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22" * 900,
    "faces": "\U0001f600\U0001f468\u200d\U0001f469" * 900,
    "Thaana": "\u0780\u07a6\u0781\u07aa" * 900,
    "words": "word " * 4000,
}


@pytest.mark.parametrize("name", HEAVY)
def test_no_section_has_more_than_a_thousand_tokens_by_any_counter(name: str) -> None:
    exact = counter(O200K)
    cut = contents("# A\n\n" + HEAVY[name], long=1000)
    assert "".join("".join(cut).split()) == "".join(("# A" + HEAVY[name]).split())
    assert max(map(exact, cut)) <= 1000
    assert not any(map(is_heavy, cut))
    assert max(map(counter("estimate-1"), cut)) <= 1000


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_part_of_a_table_knows_its_header_row(end: str) -> None:
    rows = [f"| name {number:2} | value |" for number in range(40)]
    text = end.join(["# A", "", "Before:", "", "| a | b |", "|---|:-:|", *rows, "", "after"])
    sections = outline(text, long=100).sections
    within = [section for section in sections if 6 < section.first < 46]
    assert len(within) > 5
    assert {section.header for section in within} == {5}
    assert {section.header for section in sections if section not in within} == {0}


def test_the_parts_of_a_row_know_the_header_and_those_of_the_header_do_not() -> None:
    text = "| " + "head " * 100 + "|\n|---|\n| " + "cell " * 100 + "|\n"
    sections = outline(text, long=100).sections
    assert {section.header for section in sections if section.first == 1} == {0}
    assert {section.header for section in sections if section.first == 3} == {1}


def test_rows_without_a_header_have_none() -> None:
    assert {section.header for section in outline("| a | b |\n" * 60, long=100).sections} == {0}
    assert {section.header for section in outline("a | b\n\n" + "c | d\n" * 60, long=100).sections} == {0}
