"""How a section is named in an answer."""

from __future__ import annotations

import pytest

from holdfast.caches.search.section import Section
from holdfast.caches.search.section_label import (
    LONGEST_ABOVE,
    LONGEST_INNER,
    LONGEST_PATH,
    ToldPages,
    cut_at_a_word,
    entry_line,
    header_line,
    header_text,
    heading_path,
    path_of,
    section_label,
    untold_parts,
)


def test_a_section_is_named_by_its_title_and_the_headings_below_it() -> None:
    assert heading_path("Guide", ("Install", "On a server")) == "Guide › Install › On a server"


def test_a_title_that_is_the_first_heading_too_is_told_once() -> None:
    assert heading_path("Guide", ("Guide", "Install")) == "Guide › Install"


def test_what_has_no_name_has_none() -> None:
    assert heading_path("", ()) == ""
    assert entry_line("1", "a.md#L1-L2@0", "") == "[1] a.md#L1-L2@0"


def test_a_long_path_loses_its_middle_first() -> None:
    path = heading_path("The reference", ("A" * 40, "B" * 40, "C" * 40))
    assert path == f"The reference › … › {'C' * 40}"
    assert len(heading_path("T" * 1000, ["H" * 1000] * 9)) <= LONGEST_PATH


def test_a_name_that_could_pass_for_other_lines_is_shown_as_one() -> None:
    assert section_label("a\nb.md", "x\r\ny", Section((), 1, 2, 0, 9), "") == "[0] a␊b.md#L0-L0@0 · x␍␊y\n"


def test_the_header_row_of_a_table_is_repeated_above_a_part_of_it_and_marked() -> None:
    part = Section(("Limits",), 12, 15, 300, 400, header=2)
    assert header_line(2, "  | a | b |  ") == "(header of the table, L2) | a | b |"
    assert (
        section_label("a.md", "", part, "", "| a | b |")
        == "[0] a.md#L0-L0@0 · Limits\n(header of the table, L0) | a | b |\n"
    )
    assert len(header_line(2, "| a" * 1000)) == 200


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_header_row_is_found_in_the_document(end: str) -> None:
    text = end.join(["# A", "", "| a | b |", "|---|---|", "| 1 | 2 |"])
    assert header_text(text, Section((), 5, 5, len(text) - 9, len(text), header=3)) == "| a | b |"
    assert header_text(text, Section((), 5, 5, len(text) - 9, len(text))) == ""


def test_columns_count_in_the_line_that_names_a_part_of_a_line() -> None:
    part = Section((), 3, 3, 10, 20, from_column=5, to_column=14)
    assert section_label("a.md", "", part, "") == "[0] a.md#L0C0-L0C0@0\n"
    assert section_label("a.md", "", part._replace(from_column=0), "") == "[0] a.md#L0-L0C0@0\n"


@pytest.mark.parametrize(
    ("name", "title", "heading", "content", "path"),
    [
        ("guides/x.md", "The tutorial", ("CORS", "Use it"), "plain text", "The tutorial › Use it"),
        ("x.md", "Guide", ("CORS", "Use it"), "## Use it\n\ntext", "Guide › CORS"),
        ("x.md", "Guide", ("Guide", "Use it"), ".. _label:\n\n=====\nGuide\n=====\n\nUse it\n------\n", ""),
        ("build-options.md", "Build Options", ("Build Options",), "text", ""),
        ("guide/useMemo.md", "useMemo", ("Reference",), "text", "Reference"),
        ("dep-pre-bundling.md", "Dependency Pre-Bundling", ("Caching",), "text", "Caching"),
        ("path-params-numeric.md", "Path Parameters and Numeric Validations", ("Recap",), "text", "Recap"),
        ("blog/vite3.md", "Vite is out", ("Vite is out",), "text", "Vite is out"),
        ("body.md", "Body of requests", ("Body",), "text", "Body of requests"),
        ("x.md", "", (), "text", ""),
    ],
)
def test_what_can_be_read_beside_a_path_is_not_told_in_it(
    name: str, title: str, heading: tuple[str, ...], content: str, path: str
) -> None:
    assert path_of(untold_parts(name, title, heading, content)) == path


def test_a_heading_has_the_same_room_with_and_without_a_title() -> None:
    parts = untold_parts("x.md", "A title that goes on and on " * 9, ("A heading that goes on as well " * 9,), "text")
    both, alone = path_of(parts), path_of(parts, (False, True))
    assert both == "A title… › A heading that goes on as well A…"
    assert both.endswith(f" › {alone}")
    assert len(alone) <= LONGEST_INNER
    assert len(both) <= LONGEST_ABOVE


def test_what_an_earlier_entry_of_the_page_told_is_not_told_again() -> None:
    told = ToldPages()
    asked = [("a", "Install"), ("a", "Install"), ("a", "Use"), ("b", "Install"), ("a", "Use")]
    assert [told.is_new(*each) for each in asked] == [
        *((True, True), (False, False), (False, True), (True, True), (False, False)),
    ]


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("short", "short"),
        ("one two three", "one two…"),
        ("one two thr", "one two…"),
        ("abcdefghijkl", "abcdefghi…"),
        ("a bcdefghijkl", "a bcdefgh…"),
    ],
)
def test_a_long_text_is_cut_after_a_word(text: str, cut: str) -> None:
    assert cut_at_a_word(text, 10) == cut
