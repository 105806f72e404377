"""Documents cut into sections: where headings are, and nowhere that tears something apart."""

from __future__ import annotations

import pytest

from holdfast.caches.search.section import LONG
from holdfast.caches.search.sections import outline
from holdfast.caches.search.source_lines import split_lines


def shape(text: str) -> list[tuple[tuple[str, ...], int, int]]:
    return [(section.heading, section.first, section.last) for section in outline(text).sections]


def contents(text: str, *, long: int = LONG) -> list[str]:
    return [text[section.start : section.end] for section in outline(text, long=long).sections]


def test_a_section_is_a_heading_with_the_text_below_it() -> None:
    text = "# Guide\n\nWelcome.\n\n## Install\n\nRun it.\n\n### Options\n\nMany.\n\n## Use\n\nSo.\n"
    assert shape(text) == [
        (("Guide",), 1, 3),
        (("Guide", "Install"), 5, 7),
        (("Guide", "Install", "Options"), 9, 11),
        (("Guide", "Use"), 13, 15),
    ]
    assert contents(text)[1] == "## Install\n\nRun it."


def test_a_heading_without_text_leads_into_the_next_that_has_some() -> None:
    assert shape("# Guide\n\n## Install\n\nRun it.\n") == [(("Guide", "Install"), 1, 5)]


def test_headings_without_any_text_are_one_section() -> None:
    assert shape("# A\n## B\n# C\n") == [(("C",), 1, 3)]


def test_text_before_the_first_heading_has_no_heading() -> None:
    assert shape("Hello.\n\n# A\n\nText.") == [((), 1, 1), (("A",), 3, 5)]


@pytest.mark.parametrize("text", ["", "\n", " \n\t\n", "\r\n\r\n"])
def test_a_text_of_nothing_has_no_sections(text: str) -> None:
    assert shape(text) == []


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("# A", "A"),
        ("   ###### A", "A"),
        ("## A ##", "A"),
        ("## A#", "A#"),
        ("##\tA", "A"),
        ("# useRef {/*useref*/}", "useRef"),
        ("# Async { #async }", "Async"),
        ("# Braces {like} these", "Braces {like} these"),
        ("# {}", "{}"),
    ],
)
def test_an_atx_heading_is_read_as_commonmark_has_it(line: str, heading: str) -> None:
    assert shape(f"{line}\n\ntext") == [((heading,), 1, 3)]


@pytest.mark.parametrize("line", ["#A", "####### A", "    # A", "> # A", "- # A", "\\# A"])
def test_what_only_looks_like_a_heading_is_text(line: str) -> None:
    assert shape(f"before\n\n{line}\n\ntext") == [((), 1, 5)]


def test_underlined_titles_are_headings() -> None:
    assert shape("Guide\n=====\n\nHello.\n\nInstall it\nnow\n---\n\nRun.\n") == [
        (("Guide",), 1, 4),
        (("Guide", "Install it now"), 6, 10),
    ]


@pytest.mark.parametrize("text", ["a\n\n---\n\nb", "- item\n---\n\nb", "a | b\n--- | ---\n1 | 2", "> quote\n---\nb"])
def test_a_rule_or_a_table_is_no_underline(text: str) -> None:
    assert [heading for heading, _, _ in shape(text)] == [()]


@pytest.mark.parametrize("fence", ["```", "~~~", "````", "  ```"])
def test_headings_inside_a_fence_are_code(fence: str) -> None:
    text = f"# A\n\n{fence}python\n# not a heading\n\nAlso\n----\n{fence}\n\n# B\n\nend"
    assert shape(text) == [(("A",), 1, 8), (("B",), 10, 12)]


def test_a_fence_ends_only_at_its_own_mark() -> None:
    assert shape("````\n```\n# code\n~~~~\n````\n# A\ntext") == [((), 1, 5), (("A",), 6, 7)]


def test_an_unclosed_fence_holds_the_rest() -> None:
    assert shape("# A\n\n```\n# code\n\n## more code\n") == [(("A",), 1, 6)]


def test_a_backtick_fence_has_no_backtick_behind_it() -> None:
    assert shape("``` `x` ```\n\n# A\n\nb") == [((), 1, 1), (("A",), 3, 5)]


@pytest.mark.parametrize(
    "block",
    [
        "<!--\n# hidden\n\n# hidden\n-->",
        "<pre>\n# code\n\n# code\n</pre>",
        "<script>\n\n# x\n</script>",
        "<div>\n# html\n</div>",
        "<Intro>\n# html",
    ],
)
def test_headings_inside_html_blocks_are_not_headings(block: str) -> None:
    text = f"{block}\n\n# A\n\nb"
    assert [heading for heading, _, _ in shape(text)] == [(), ("A",)]


@pytest.mark.parametrize("line", ["<https://example.org>", "<b>bold</b> text", "a < b"])
def test_inline_html_and_links_do_not_hide_a_heading(line: str) -> None:
    assert [heading for heading, _, _ in shape(f"{line}\n# A\n\nb")] == [(), ("A",)]


@pytest.mark.parametrize("letter", ["é", "\U0002ebf0", "\U0001df25", "\U00016ea0"])
def test_a_tag_begins_with_an_ascii_letter_whatever_letters_the_interpreter_knows(letter: str) -> None:
    assert shape(f"intro\n\n<{letter}>\n# Heading\n\ntext\n") == [((), 1, 3), (("Heading",), 4, 6)]


def test_html_that_is_never_closed_holds_the_rest() -> None:
    assert shape("<!-- open\n# A\n\n# B\n") == [((), 1, 4)]


def test_front_matter_gives_the_title_and_leads_into_the_first_section() -> None:
    read = outline("---\ntitle: 'Use effect'\ntags: [a]\n---\n\n# not: the title\n\ntext\n")
    assert (read.title, [(s.heading, s.first, s.last) for s in read.sections]) == (
        "Use effect",
        [(("not: the title",), 1, 8)],
    )


@pytest.mark.parametrize("text", ["---\na: b\n\n# A\n\ntext", "---\n"])
def test_front_matter_that_is_never_closed_is_text(text: str) -> None:
    assert outline(text).title in ("", "A")
    assert contents(text)


def test_toml_front_matter_is_read_too() -> None:
    assert outline('+++\ntitle = "Zola"\n+++\ntext').title == "Zola"


def test_lines_are_the_same_whatever_ends_them() -> None:
    text = "# A\n\none\ntwo\n\nB\n-\n\nthree"
    expected = [(("A",), 1, 4), (("A", "B"), 6, 9)]
    assert [shape(text), shape(text.replace("\n", "\r\n")), shape(text.replace("\n", "\r"))] == [expected] * 3
    assert contents(text.replace("\n", "\r\n"))[0] == "# A\r\n\r\none\r\ntwo"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\n\n", ["a", ""]),
        ("a\rb\r\nc\n", ["a", "b", "c"]),
        ("a\r", ["a"]),
        ("\r\n\r", ["", ""]),
        ("a\r\r\nb", ["a", "", "b"]),
        ("a\x0bb\u2028c\x85d", ["a\x0bb\u2028c\x85d"]),
    ],
)
def test_a_line_ends_at_lf_crlf_or_cr_and_nowhere_else(text: str, lines: list[str]) -> None:
    found, starts = split_lines(text)
    assert (found, starts[-1]) == (lines, len(text))
    assert [text[start : start + len(line)] for line, start in zip(found, starts, strict=False)] == lines


def test_restructuredtext_titles_are_headings_at_the_levels_of_their_first_use() -> None:
    text = (
        ".. _top:\n\n*****\nGuide\n*****\n\nHello.\n\n:mod:`os` --- system\n====================\n\nOne.\n\n"
        "Deep\n~~~~\n\n   # a comment in code\n\nTwo.\n\nNext\n====\n\nThree.\n"
    )
    assert shape(text) == [
        (("Guide",), 1, 7),
        (("Guide", "`os` --- system"), 9, 12),
        (("Guide", "`os` --- system", "Deep"), 14, 19),
        (("Guide", "Next"), 21, 24),
    ]


@pytest.mark.parametrize("role", ["ref", "py:func", "c-2_x"])
def test_a_role_is_taken_off_a_title(role: str) -> None:
    assert outline(f".. _lab:\n\n:{role}:`Title` x\n==================\n\ntext\n").title[-9:] == "`Title` x"


@pytest.mark.parametrize("letter", ["é", "\U0002ebf0", "\U0001df25", "\U00011f50"])
def test_a_role_is_named_in_ascii_whatever_letters_the_interpreter_knows(letter: str) -> None:
    title = f":{letter}:`Title` x"
    assert outline(f".. _lab:\n\n{title}\n==================\n\ntext\n").title == title


def test_a_long_section_is_cut_before_paragraphs() -> None:
    paragraphs = [f"{letter} " * 20 for letter in "abcdef"]
    text = "# A\n\n" + "\n\n".join(paragraphs)
    pieces = contents(text, long=100)
    assert pieces == [
        "# A\n\n" + "\n\n".join(paragraphs[:2]),
        "\n\n".join(paragraphs[2:4]),
        "\n\n".join(paragraphs[4:]),
    ]


FENCE = "```\n" + "code\n\n" * 30 + "```"
TABLE = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 30
ITEM = "- first\n\n" + "  more of it\n\n" * 30
HTML = "<!--\n" + "hidden\n\n" * 30 + "-->"


@pytest.mark.parametrize("block", [FENCE, TABLE.rstrip(), ITEM.rstrip(), HTML], ids=["fence", "table", "item", "html"])
def test_a_long_section_is_not_cut_inside_a_block_of_up_to_two_and_a_half_times_the_length(block: str) -> None:
    assert 180 < len(block) <= 450
    pieces = contents(f"# A\n\nbefore\n\n{block}\n\nafter\n\nend", long=180)
    assert [block in piece for piece in pieces].count(True) == 1
    assert "".join(pieces).count("\n") <= f"# A\n\nbefore\n\n{block}\n\nafter\n\nend".count("\n")


def test_a_long_list_is_cut_between_items() -> None:
    text = "# A\n\n" + "".join(f"- item {number}\n  goes on\n" for number in range(40))
    pieces = contents(text, long=100)
    assert len(pieces) > 5
    assert all(piece.startswith(("# A", "- item")) for piece in pieces)
    assert all(piece.endswith("goes on") for piece in pieces)


def test_a_heading_is_not_cut_off_from_a_first_paragraph_that_is_too_long() -> None:
    text = "# A\n\n## B\n\n" + "x " * 200 + "\n\nend"
    sections = outline(text, long=100).sections
    assert [section.first for section in sections] == [1, *[5] * (len(sections) - 2), 7]
    assert text[: sections[0].end].startswith("# A\n\n## B\n\nx x x x x x x x")


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("# heading\n" * 10_000, 120),
        ("# h\n\ntext\n" * 10_000, 10_000),
        ("x" * 1_000_000, 1000),
        ("word " * 200_000, 1020),
        ("```\n" + "# x\n" * 50_000, 250),
        ("<!--\n" + "# x\n" * 50_000, 250),
        ("a\n" * 50_000 + "---\n", 125),
        ("| a | b |\n" * 50_000, 750),
        ("```\n" + "\n" * 250_000 + "x\n" * 3_000, 20),
        ("<a>\n\n" * 50_000, 300),
        (":a: b\n\n" * 50_000 + "# A\n\n<b>\n\n" * 2_500, 500),
        ("- a\n" * 50_000, 250),
        (".. a\n" * 25_000, 150),
        (".. a::\n\n" * 25_000, 250),
        ("#" * 250_000, 250),
        ("<" * 250_000, 250),
        ("`" * 250_000, 250),
        ("# " + "{" * 250_000 + "}\n\ntext", 252),
        ("---\n" * 50_000, 250),
        ("\u202eשלום עולם\n\n" * 10_000, 150),
    ],
    ids=lambda value: value[:12] if isinstance(value, str) else str(value),
)
def test_large_and_odd_texts_are_read_in_one_pass(text: str, most: int) -> None:
    sections = outline(text).sections
    assert 1 <= len(sections) <= most


def test_every_line_but_blank_ones_is_in_one_section_and_in_order() -> None:
    text = "intro\n\n# A\n\n## B\n\ntext\n\n- a\n\n  b\n\n```\n# c\n```\n# D\n" * 20
    lines = text.split("\n")
    covered = [line for section in outline(text, long=60).sections for line in range(section.first, section.last + 1)]
    assert covered == sorted(set(covered))
    assert [number for number, line in enumerate(lines, 1) if line.strip() and number not in covered] == []


def test_long_headings_above_many_short_sections_are_repeated_up_to_a_bound() -> None:
    above = "".join(f"{'#' * level} {'over ' * 79}\n" for level in range(1, 6))
    text = above + "###### h\nx\n" * 2000
    sections = outline(text).sections
    paths = [section.heading for section in sections]
    whole = (*["over " * 78 + "over"] * 5, "h")
    full = paths.count(whole)
    assert (len(paths), paths) == (2000, [whole] * full + [("…", "h")] * (2000 - full))
    assert full == (2 * len(text) + (1 << 14)) // sum(len(part) + 2 for part in whole)


def test_headings_of_an_ordinary_length_are_always_repeated() -> None:
    text = "# Release notes of the project\n" + "".join(
        f"## Version 1.{number}.0\n### Fixed\nOne thing and another.\n" for number in range(3000)
    )
    assert {len(section.heading) for section in outline(text).sections} == {3}
