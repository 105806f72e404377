"""The words of headings and titles, as a reader sees them."""

from __future__ import annotations

import pytest

from holdfast.caches.heading_text import LONGEST_TITLE, heading_text, title_text


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ('Quotas<a name="quotas"></a>', "Quotas"),
        ('<a id="x" />Quotas <br/> here', "Quotas here"),
        ("Before <!-- a > b --> after", "Before after"),
        ("Open <!-- never closed", "Open <!-- never closed"),
        ("The <b>bold</b> one", "The bold one"),
        ("See [the guide](../guide.md) now", "See the guide now"),
        ("![logo](logo.png) Name", "logo Name"),
        ("[![badge](b.svg)](https://example.org) Name", "badge Name"),
        ("A [reference][1] stays", "A [reference][1] stays"),
        ("Call f](x) and [a]b](c)", "Call f](x) and [a]b](c)"),
        ("A\\_name \\(and\\) C:\\dir \\\\ end\\", "A_name (and) C:\\dir \\ end\\"),
        ("a \\\\\\_ b", "a \\_ b"),
        ("\\<kept> and \\[kept](x)", "<kept> and [kept](x)"),
        ("a < b > c", "a < b > c"),
        ("<https://example.org> and <me@example.org>", "<https://example.org> and <me@example.org>"),
        ("Using `<Suspense>` and <i>more</i>", "Using `<Suspense>` and more"),
        ("``a <b> ` c`` and <b>d</b>", "``a <b> ` c`` and d"),
        ("A lone ` before <b>d</b>", "A lone ` before d"),
        ("<Suspense>", "<Suspense>"),
        ("two  blanks\tand a tab", "two blanks and a tab"),
        ("", ""),
    ],
)
def test_markup_is_taken_off_the_words(raw: str, words: str) -> None:
    assert (heading_text(raw), title_text(raw)) == (words, words)


def test_closing_marks_and_an_anchor_at_the_end_go_with_the_markup() -> None:
    assert heading_text(' Quotas<a name="q"></a> {#quotas} ') == "Quotas"
    assert heading_text(" [Quotas](q.md) ##", closed=True) == "Quotas"


def test_where_single_backticks_mark_a_role_the_target_in_them_goes() -> None:
    assert heading_text("`the guide <guide>` and ``<b>``", code="``") == "`the guide ` and ``<b>``"


@pytest.mark.parametrize("mark", ["<", "<!--", "[", "](", "\\", "`", "``", "<a", "[](", "\\\\"])
def test_a_heading_of_nothing_but_marks_is_read_in_one_pass_and_cut(mark: str) -> None:
    assert len(heading_text(mark * 1_000_000)) <= LONGEST_TITLE
