"""Links: any text can be read for them, what is handed on keeps its bounds, and a link that is written is found."""

from __future__ import annotations

from posixpath import dirname, relpath

from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.caches.search.link_texts import MOST_CHARACTERS, MOST_FOUND, find_links, incoming
from support.examples import examples

EXAMPLES = settings(max_examples=examples(250), deadline=None)
PIECES = [
    *(
        "[",
        "]",
        "(",
        ")",
        "](",
        "[a](b.md)",
        "[a][b]",
        "[b]: c.md\n",
        "![i](j.md)",
        "<",
        ">",
        "`",
        "_",
        ":ref:`",
        "{doc}`",
    ),
    *(
        "`t <x>`_",
        ".. _l:\n",
        "(l)=\n",
        "\n",
        "\n\n",
        "\r\n",
        " ",
        "\t",
        "#",
        "%41",
        "%0A",
        "%",
        "/",
        "//",
        "..",
        "./",
        "\\",
    ),
    *("http://x/", "a", "Ünï", "\u03a3", "\u2028", "\x1c", "\x00", "b.md", "c"),
]
TEXTS = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
NAMES = st.text("abcx-_", min_size=1, max_size=4).filter(lambda name: name not in ("index", "_index", "readme"))
IDS = st.lists(NAMES, min_size=1, max_size=4).map(lambda parts: "/".join(parts) + ".md")
WORDS = st.lists(st.text("abcdeÜ.`'", min_size=1, max_size=8), min_size=1, max_size=5).map(" ".join)


@EXAMPLES
@given(st.one_of(st.text(), IDS), TEXTS)
def test_what_any_text_hands_on_are_lines_within_bounds(source: str, content: str) -> None:
    found = find_links(source, content)
    assert found == find_links(source, content)
    assert len(found.labels) + len(found.links) <= min(MOST_CHARACTERS, 8 * len(content))
    for line in found.links.split("\n") if found.links else []:
        target, text = line.split("\t")
        assert target
        assert text
        assert text == " ".join(text.split())
    for label in found.labels.split("\n") if found.labels else []:
        assert label
        assert label == " ".join(label.split())
    assert max(found.links.count("\n"), found.labels.count("\n")) < MOST_FOUND


@EXAMPLES
@given(st.dictionaries(IDS, TEXTS, max_size=5))
def test_no_document_is_told_what_it_calls_itself(pages: dict[str, str]) -> None:
    ids = sorted(pages)
    found = [find_links(name, pages[name]) for name in ids]
    told = incoming(ids, found)
    assert len(told) == len(ids)
    for place, name in enumerate(ids):
        alone = incoming([name], [found[place]])
        assert alone == [[]]
        others = {
            line.split("\t")[1]
            for other, page in enumerate(found)
            if other != place
            for line in page.links.split("\n")
            if line
        }
        assert set(told[place]) <= others


@EXAMPLES
@given(st.sets(IDS, min_size=2, max_size=6), WORDS, TEXTS, st.sampled_from(["", ".md", ".html", "#part"]))
def test_a_relative_link_leads_to_the_document_it_is_relative_to(
    names: set[str], text: str, after: str, ending: str
) -> None:
    ids = sorted(names)
    here, there = ids[0], ids[-1]
    target = relpath(there, dirname(here) or ".").removesuffix(".md") + ending
    pages = [find_links(here, f"[{text}]({target}) {after}"), *[find_links(name, "") for name in ids[1:]]]
    assert text in incoming(ids, pages)[-1]
