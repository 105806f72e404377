"""How a section is named in an answer."""

from __future__ import annotations

from holdfast.caches.search.section_label import LONGEST_PATH, entry_line, heading_path, section_label


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
    assert section_label("a\nb.md", "x\r\ny", ()) == "[0] a␊b.md#L0-L0@0 · x␍␊y\n"
