"""Link texts: which links and labels a document has, and which texts lead to each document."""

from __future__ import annotations

import pytest

from holdfast.caches.search.link_texts import (
    LONGEST_TARGET,
    LONGEST_TEXT,
    MOST_CHARACTERS,
    MOST_FOUND,
    MOST_INCOMING,
    NO_LINKS,
    PageLinks,
    find_links,
    incoming,
    link_words,
)

LONG = 1 << 18
# Repeated to that length, after what stands before "|" once; each is mean to some way of looking for links.
HOSTILE = (
    *(
        "[",
        "]",
        "](",
        "[](",
        "[a](",
        "[]](",
        "[[]](",
        "][",
        "[a][",
        "`",
        "<",
        ">`",
        "<`",
        "`<>`",
        "`a <b",
        "`a <b>`",
        ")=",
    ),
    *(
        "(",
        "(a)=",
        "\n(a)=",
        "\n(",
        ".. _",
        "\n.. _",
        "\n.. _a:",
        "\n.. _a:\n",
        "]:",
        "\n[a]: b",
        "\n[a]:",
        "\n[",
        " ",
        "\n",
    ),
    *(
        "a](b)",
        "[a](b)",
        "[a](<b",
        "[a](b(",
        "[a](%41",
        "!",
        "![a](b)",
        "[a]: b\n\n|[",
        "[a]: b\n\n|[a]",
        "[a]: b\n\n|[a][",
    ),
    *(
        "[a]: b\n\n|[a][a]",
        "[a]: b\n\n|]",
        "\u03a3](\u03a3",
        "[\u03a3](\u03a3)",
        "\n.. _\u03a3:",
        "\\[",
        "]]",
        "[x](../",
        "[x](/",
    ),
)


def links(content: str, source: str = "guide/page.md") -> list[tuple[str, str]]:
    found = find_links(source, content).links
    return [(line.split("\t")[0], line.split("\t")[1]) for line in found.split("\n")] if found else []


def labels(content: str) -> list[str]:
    found = find_links("guide/page.md", content).labels
    return found.split("\n") if found else []


def to_each(pages: dict[str, str]) -> dict[str, list[str]]:
    ids = sorted(pages, key=str.lower)
    found = incoming([name.lower() for name in ids], [find_links(name, pages[name]) for name in ids])
    return {name: texts for name, texts in zip(ids, found, strict=True) if texts}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("See [the guide](guide.md).", [("guide", "the guide")]),
        ("[a](b.md) and [c](d.html) and [e](f/)", [("b", "a"), ("d", "c"), ("f", "e")]),
        ('[a](b.md "the title") [c](<d e.md> "title")', [("b", "a"), ("d e", "c")]),
        ("[a](b.md#part) [a](b.md?x=1#other) [c](B.MD)", [("b", "a"), ("b", "c")]),
        ("[wrapped\n  over lines]( b.md )", [("b", "wrapped over lines")]),
        ("[`list[int]`](types.md)", [("types", "`list[int]`")]),
        ("[a](wiki_(b).md)", [("wiki_(b)", "a")]),
        ("[a](my%20page.md)", [("my page", "a")]),
        ("[a](/top/b) [c](../b.rst) [d](.) [e](/)", [("/top/b", "a"), ("../b", "c"), (".", "d"), ("/", "e")]),
        ("[a](#Some-Label)", [("#some-label", "a")]),
        ("[a](ray.train)", [("ray.train", "a")]),
    ],
)
def test_an_inline_link_has_its_text_and_its_target_as_it_is_looked_up(
    content: str, expected: list[tuple[str, str]]
) -> None:
    assert links(content) == expected


@pytest.mark.parametrize(
    "content",
    [
        *(
            "![image](b.md)",
            "[](b.md)",
            "[ ](b.md)",
            "[a]()",
            "[a](<>)",
            "[a](#)",
            "[a](.md)",
            "[a] (b.md)",
            "a](b.md)",
        ),
        *("[a](https://example.org/b)", "[a](mailto:b@example.org)", "[a](//example.org/b)", "[a](ftp://x/b.md)"),
        *("[two\n\nparagraphs](b.md)", "[a](b.md", "[a](<b.md", "[outer [inner](https://x.org/)](b.md)", "plain text"),
        f"[{'a' * (LONGEST_TEXT + 1)}](b.md)",
        f"[a]({'b' * LONGEST_TARGET}.md)",
    ],
)
def test_what_only_looks_like_a_link_is_none(content: str) -> None:
    assert find_links("guide/page.md", content) == NO_LINKS


def test_a_page_of_a_copied_site_links_to_it_by_its_host() -> None:
    content = "[a](https://docs.example.org/3/b.html) [c](//DOCS.example.org/d) [e](https://example.org/f)"
    assert links(content, "docs.example.org/3/page.md") == [
        ("//docs.example.org/3/b", "a"),
        ("//docs.example.org/d", "c"),
    ]


def test_a_reference_link_leads_where_its_name_is_defined() -> None:
    content = (
        "[the text][name], [Name][] and [name], not [other] nor ![name].\n\n"
        "[name]: b.md 'title'\n [x]: <c.md>\n[^1]: d.md"
    )
    assert links(content) == [("b", "the text"), ("b", "Name"), ("b", "name")]
    assert links("[a][x] [a](e.md)\n\n[X]: c.md\n[x]: d.md\n") == [("e", "a"), ("c", "a")]


def test_a_role_has_its_text_before_the_target() -> None:
    content = (
        ":ref:`Text one <label-one>` {ref}`text two <Label Two>` :doc:`three </guide/x>` {doc}`four <../y.md>`\n"
        "`five <z.rst>`_ `six <z2.html>`__ :py:func:`seven\n <os.path>` `Vec<T>` `a <b>` :ref:`label-only` :doc:`<x>`"
    )
    assert links(content) == [
        *(("#label-one", "Text one"), ("#label two", "text two"), ("/guide/x", "three"), ("../y", "four")),
        *(("z", "five"), ("z2", "six"), ("os.path", "seven")),
    ]


def test_labels_stand_alone_on_their_line() -> None:
    content = (
        ".. _First Label:\n\n.. _`second: label`:\n  .. _third:\n(Fourth.one)=\n  (fifth)=  \r\nx .. _no:\n.. _url: http://x\n"
        "f(x)=\n(no)=1\n(\n.. _:\n()=\n(first label)="
    )
    assert labels(content) == ["first label", "second: label", "third", "fourth.one", "fifth"]


def test_a_target_is_looked_up_beside_the_page_below_it_from_a_root_and_as_a_label() -> None:
    pages = {
        "a/b/page.md": "[beside](other.md) [up](../up.md) [folder](../c/) [below](part) [root](/top.md) "
        "[site](/b/other) [labelled](#mark) "
        "[plain label](mark) {ref}`role <mark>` [far](../../../top) [nowhere](x.md) [self](page.md)",
        "a/b/other.md": "",
        "a/b/page/part.md": "[back](page)  [up one](../other)",
        "a/c/index.md": "",
        "a/up.md": "(mark)=\n# Up\n[own](#mark)",
        "top.md": "",
    }
    assert to_each(pages) == {
        "a/b/page/part.md": ["below"],
        "a/c/index.md": ["folder"],
        "a/up.md": ["up", "labelled", "plain label", "role"],
        "top.md": ["root", "far"],
        "a/b/other.md": ["beside", "site", "up one"],
    }


def test_a_folder_is_shown_by_its_index_or_readme_unless_a_page_has_its_name() -> None:
    pages = {
        "page.md": "[one](one/) [two](two) [three](three) [home](/) [here](./)",
        "one/README.md": "",
        "one/index.md": "",
        "two.md": "",
        "two/index.md": "",
        "three/readme.md": "[up](../)",
        "readme.md": "",
    }
    assert to_each(pages) == {
        "one/index.md": ["one"],
        "two.md": ["two"],
        "three/readme.md": ["three"],
        "readme.md": ["home", "here", "up"],
    }


def test_a_page_counts_once_for_each_text_it_gives_another() -> None:
    pages = {"a.md": "[x](c.md) [x](./c.md) [x](c.md#p) [y](c)", "b.md": "[x](c.md)", "c.md": ""}
    assert to_each(pages) == {"c.md": ["x", "y", "x"]}


def test_of_two_documents_with_one_label_the_first_by_id_has_it() -> None:
    pages = {"a.md": "[x](#here)", "b.md": "(here)=\n", "c.md": ".. _here:\n"}
    assert to_each(pages) == {"b.md": ["x"]}


def test_the_words_of_link_texts_are_those_of_a_field() -> None:
    assert link_words(["How to use the `max_depth` option", "Depth"]) == ["use", "max_depth", "option", "Depth"]


def test_what_a_document_hands_on_is_bounded_in_number_and_in_characters() -> None:
    many = find_links("a.md", "".join([f"[{number}](b{number})" for number in range(MOST_FOUND + 10)]))
    assert many.links.count("\n") == MOST_FOUND - 1
    long = find_links("a.md", "".join([f"[{'t' * 190}](b{number})" for number in range(MOST_FOUND)]))
    assert MOST_CHARACTERS - 400 < len(long.links) < MOST_CHARACTERS
    labelled = find_links("a.md", "".join([f"(l{number})=\n" for number in range(MOST_FOUND + 10)]))
    assert labelled.labels.count("\n") == MOST_FOUND - 1


def test_what_is_kept_of_a_document_that_all_others_link_to_is_bounded() -> None:
    count = MOST_INCOMING + 20
    found = incoming([f"p{number:05}.md" for number in range(count)], [PageLinks("", "p00000\thome")] * count)
    assert found == [["home"] * MOST_INCOMING, *([] for _ in range(count - 1))]


@pytest.mark.parametrize("mean", HOSTILE)
def test_a_long_text_of_anything_is_read_in_time_linear_in_it(mean: str) -> None:
    once, _, repeated = mean.rpartition("|")
    content = once + repeated * (LONG // len(repeated))
    found = find_links("a/page.md", content)
    assert len(found.links) + len(found.labels) <= MOST_CHARACTERS
    assert len(incoming(["a/b.md", "a/page.md"], [NO_LINKS, found])) == 2


def test_links_from_a_very_deep_folder_are_found_in_time_linear_in_their_number() -> None:
    deep = "/".join(["a"] * 2000)
    lines = "\n".join([f"{'../' * 130}/x{number}\ttext\n/y{number}\ttext" for number in range(1000)])
    assert incoming([f"{deep}/page.md"], [PageLinks("", lines)]) == [[]]
