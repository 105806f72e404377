"""The headings of Markdown against markdown-it, which reads CommonMark in full and comes with rich.

Blocks are generated and stand apart by blank lines, as people write them. What is left out of the comparison is what
our reader does otherwise on purpose or simplifies: tables (CommonMark has none), lists, tabs as indentation, and blocks
that run into each other without a blank line.
"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from holdfast.caches.source_formats import read_markdown
from support.examples import examples

MARKDOWN = MarkdownIt("commonmark")

TEXT = st.sampled_from(
    ["plain", "two words", "a #b", "*it* is", "`code`", "x <b>y</b>", "&amp;", "end \\", "10 no", "=a"]
)
HEADING_TEXT = st.sampled_from(["Title", "Two words", "With `code`", "Closed ##", "Not closed#", "", "# #", "Ends \\#"])


@st.composite
def blocks(draw: st.DrawFn) -> str:
    """One block of any kind, without a blank line in it but for fences and HTML that may hold one."""
    kind = draw(st.sampled_from(["atx", "setext", "paragraph", "fence", "html", "comment", "quote", "code", "rule"]))
    indent = " " * draw(st.integers(0, 3))
    lines = draw(st.lists(TEXT, min_size=1, max_size=3))
    if kind == "atx":
        return f"{indent}{'#' * draw(st.integers(1, 7))} {draw(HEADING_TEXT)}"
    if kind == "setext":
        return "\n".join([*lines, indent + draw(st.sampled_from("=-")) * draw(st.integers(1, 5))])
    if kind == "fence":
        mark = draw(st.sampled_from(["```", "~~~", "````"]))
        return "\n".join(
            [indent + mark + draw(st.sampled_from(["", "py", " a b"])), "# inside", *lines, "", "---", mark]
        )
    if kind == "html":
        name = draw(st.sampled_from(["div", "x-y", "p", "section", "table", "Custom"]))
        return "\n".join([f"<{name}>", "# inside", *lines, f"</{name}>"])
    if kind == "comment":
        opening, closing = draw(
            st.sampled_from([("<!--", "-->"), ("<?", "?>"), ("<pre>", "</pre>"), ("<style>", "</style>")])
        )
        return f"{opening}\n# inside\n\n===\n{closing}"
    if kind == "quote":
        return "\n".join([f"> {line}" for line in lines])
    if kind == "code":
        return "\n".join([f"    {line}" for line in ["# inside", *lines]])
    if kind == "rule":
        return indent + draw(st.sampled_from(["***", "* * *", "___", "-----"]))
    return "\n".join(lines)


def by_markdown_it(text: str) -> list[tuple[int, int]]:
    """(line, level) of every heading that stands in no list and no quote."""
    return [
        (token.map[0], int(token.tag[1]))
        for token in MARKDOWN.parse(text)
        if token.type == "heading_open" and token.level == 0 and token.map is not None
    ]


@settings(max_examples=examples(500))
@given(st.lists(blocks(), max_size=8))
def test_headings_are_where_markdown_it_finds_them(parts: list[str]) -> None:
    text = "\n\n".join(parts) + "\n"
    headings, _ = read_markdown(text.split("\n"), 0)
    assert [(heading.first, heading.level) for heading in headings] == by_markdown_it(text)
