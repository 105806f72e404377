"""`under`: which documents a folder, a document or a pattern brings, and how few ids are looked at."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.caches.search.under import parse_under

IDS = sorted(
    [
        *("api/[slug].md", "api/index.md", "blog/2019/old.md", "blog/2024/new.md", "guide", "guide-2/a.md"),
        *("guides/api/b.md", "guides/intro.md", "guides/intro/deep.md", "readme.md", "ünïcode/ß.md"),
    ]
)


def under(text: str) -> list[str]:
    return [name for name in IDS if parse_under(text).holds(name)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("guides", ["guides/api/b.md", "guides/intro.md", "guides/intro/deep.md"]),
        ("guides/", ["guides/api/b.md", "guides/intro.md", "guides/intro/deep.md"]),
        ("./Guides", ["guides/api/b.md", "guides/intro.md", "guides/intro/deep.md"]),
        ("/guides//", ["guides/api/b.md", "guides/intro.md", "guides/intro/deep.md"]),
        ("Guides\\API", ["guides/api/b.md"]),
        ("guides/api", ["guides/api/b.md"]),
        ("guide", ["guide"]),
        ("gui", []),
        ("api", ["api/[slug].md", "api/index.md"]),
        ("README.md", ["readme.md"]),
        ("ÜNÏCODE", ["ünïcode/ß.md"]),
        ("blog/20*", ["blog/2019/old.md", "blog/2024/new.md"]),
        ("blog/20?9/*", ["blog/2019/old.md"]),
        ("2024*", ["blog/2024/new.md"]),
        ("/api*", ["api/[slug].md", "api/index.md"]),
        ("ap[i]", ["api/[slug].md", "api/index.md", "guides/api/b.md"]),
        ("**/api/*.md", ["api/[slug].md", "api/index.md", "guides/api/b.md"]),
        ("guides/**", ["guides/api/b.md", "guides/intro.md", "guides/intro/deep.md"]),
        ("intro*/", ["guides/intro/deep.md"]),
        ("api/[slug].md", ["api/[slug].md"]),
        ("!blog*", []),
        ("#*", []),
        ("[", []),
        ("../guides", []),
        *((everything, IDS) for everything in ("", ".", "./", "/", "*", "./*")),
    ],
)
def test_a_folder_a_document_or_a_pattern_brings_what_is_below_it(text: str, expected: list[str]) -> None:
    assert under(text) == expected


@given(
    st.lists(st.text("ab/[]*é", min_size=1, max_size=6), max_size=12, unique=True),
    st.text("abA/[]*?.\\!#é ", max_size=6),
)
def test_places_are_those_whose_ids_are_under_it(ids: list[str], text: str) -> None:
    ids = sorted(name for name in ids if not any(other.startswith(name + "/") for other in ids))
    part = parse_under(text)
    expected = [at for at, name in enumerate(ids) if part.holds(name)]
    is_within = part.within(len(ids), ids.__getitem__)

    assert [at for at in range(len(ids)) if is_within(at)] == expected
    assert set(expected) <= set(part.places(len(ids), ids.__getitem__))


@pytest.mark.parametrize(("text", "count"), [("d0500", 10), ("d0500/p3.md", 1), ("d05??/p3*", 1000), ("missing", 0)])
def test_a_folder_costs_a_binary_search(text: str, count: int) -> None:
    ids = [f"d{folder:04}/p{page}.md" for folder in range(5000) for page in range(10)]
    seen = set()

    def id_of(place: int) -> str:
        seen.add(place)
        return ids[place]

    assert len(parse_under(text).places(len(ids), id_of)) == count
    assert len(seen) < 80
