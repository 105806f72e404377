"""Lines that tell nothing lead into what follows."""

from __future__ import annotations

import pytest

from holdfast.caches.search.label_lines import is_label
from holdfast.caches.search.sections import outline

LABELS = [
    *(".. _target:", ".. index:: single: a", ".. currentmodule:: os", ".. toctree::", ".. highlight:: c", ".. note::"),
    *("(target)=", "(a.b-c_d)=", '<a name="x"></a>', '<a id="x">', "<div>", "</div>", "<Intro />", "<!-- note -->"),
    *("::: tip", ":::", ":maxdepth: 2", ":orphan:", "---", "*****", "___"),
]
TEXTS = [
    *(".. a comment", "..", ".. note:: Read this.", ".. _a: https://example.org", "(see below)", "(a b)="),
    *("<b>bold</b>", "<https://example.org>", "<!-- open", "<a>text</a>", "<a", "< >", "<!-->"),
    *(":ref:`guide`", ":param x: the x", "::", ":a", "--", "- a", "**bold**", "* * *", "text", "| a |", "```"),
]


@pytest.mark.parametrize("line", LABELS)
def test_a_line_that_only_names_or_sets_something_is_a_label(line: str) -> None:
    assert is_label(line)


@pytest.mark.parametrize("line", TEXTS)
def test_a_line_that_says_something_is_none(line: str) -> None:
    assert not is_label(line)


@pytest.mark.parametrize("label", LABELS)
def test_a_heading_with_labels_alone_leads_into_what_follows(label: str) -> None:
    text = f"Intro.\n\nPart A\n======\n\n{label}\n\nPart B\n~~~~~~\n\ntext\n\nPart C\n======\n\n{label}\n"
    text = text if label.startswith("..") else text.replace("~", "-")
    sections = [(each.heading, each.first, each.last) for each in outline(text).sections]
    assert sections == [((), 1, 1), (("Part A", "Part B"), 3, 11), (("Part C",), 13, 16)]


def test_labels_above_the_first_heading_lead_into_it() -> None:
    text = '<a name="top"></a>\n\n(top)=\n\n# A\n\ntext\n'
    assert [(each.heading, each.first, each.last) for each in outline(text).sections] == [(("A",), 1, 7)]


def test_a_document_of_labels_alone_is_one_section() -> None:
    assert [(each.first, each.last) for each in outline("(a)=\n\n(b)=\n").sections] == [(1, 3)]


def test_a_piece_of_a_long_section_does_not_end_at_labels() -> None:
    paragraphs = ["a " * 60, "b " * 60]
    text = f"# A\n\n(x)=\n\n{paragraphs[0]}\n\n(y)=\n\n{paragraphs[1]}\n"
    assert [(each.first, each.last) for each in outline(text, long=100).sections] == [(1, 5), (7, 9)]
