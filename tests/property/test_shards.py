"""A cache in shards gives, to the byte, what one cache of all documents gives: after every edit, to every question."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from holdfast.caches.build.build import build_documents
from holdfast.caches.build.sharded_build import build_shards
from holdfast.caches.build.source_item import SourceItem
from holdfast.caches.on_disk.cache_listing import inspect_cache
from holdfast.caches.on_disk.open_caches import Cache, open_cache
from holdfast.caches.on_disk.verification import verify_cache
from holdfast.caches.readers import reader_table
from holdfast.caches.search.passage import Place
from holdfast.caches.search.search_request import SearchRequest
from holdfast.caches.search.search_result import as_json
from holdfast.caches.selection import as_json as resolved
from holdfast.caches.shard_list import cuts
from holdfast.core.errors import BudgetTooSmall
from support.examples import examples
from support.plain_reader import READER

NOW = "2026-01-02T03:04:05Z"
LINES = [
    *("# Deploy", "## Roll back", "deploy the cache", "roll back a deploy", "- cache item", "", "x", "(label)="),
    *("see [the deployment](b.plain)", "see [caches](docs/c.plain)", "[zebra](z.plain) crossing", "include part.txt"),
]
texts = st.lists(st.sampled_from(LINES), max_size=10).map("\n".join)
NAMES = ["a", "b", "docs/c", "docs/D", "e", "z"]
corpora = st.dictionaries(st.sampled_from(NAMES), texts, min_size=1, max_size=6)
edits = st.dictionaries(st.sampled_from(NAMES), st.one_of(st.none(), texts), max_size=2)
queries = st.sampled_from(["deploy", "roll back", "cache", "deploy cache zebra", "depoly", "deployment b", "x"])
requests = st.builds(
    SearchRequest,
    queries,
    st.one_of(st.integers(20, 400), st.just(4000)),
    st.one_of(st.none(), st.integers(0, 3)),
    st.sampled_from([None, None, "docs", "docs:docs", "*.plain"]),
    outline=st.booleans(),
    explain=st.booleans(),
    cache=st.just("docs"),
)


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader_table, "READERS", (*reader_table.READERS, READER))


class Project:
    """The same sources, built as one cache and in shards; each build after the first keeps what it can of the last."""

    def __init__(self, home: Path, shards: int) -> None:
        self.home, self.shards = home, shards
        self.one, self.parts = home / "one" / "docs", home / "parts" / "docs"
        self.texts: dict[str, str] = {}

    def build(self, texts: dict[str, str]) -> None:
        root = str(self.home)
        for name in {*self.texts, *texts}:
            path = self.home / f"{name}.plain"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(texts.get(name, ""), encoding="utf-8")
        items = [SourceItem(f"{name}.plain", f"{root}/{name}.plain", READER.name, root, root) for name in texts]
        same = {f"{name}.plain" for name in texts if self.texts.get(name) == texts[name]}
        shutil.rmtree(self.one, ignore_errors=True)
        made = [
            build_documents(items, self.one, created_at=NOW, workers=1),
            build_shards(
                *(items, str(self.parts), self.shards),
                created_at=NOW,
                previous=str(self.parts) if self.texts else None,
                unchanged=same,
            ),
        ]
        assert made[0][:3] == made[1][:3]
        self.texts = texts


def told(cache: Cache, request: SearchRequest) -> tuple[Any, ...]:
    """Everything that is said in answer: text, JSON, record, what became of every candidate; documents; lines."""
    try:
        result = cache.find(request)
    except BudgetTooSmall as error:
        return (error.reason,)
    read = [cache.read(Place(name), 400, "docs") for name in ("docs/d.plain", "docs/D.plain", "docs:b.plain", "nope")]
    found = cache.candidates(request, 50), resolved(cache.resolve(request.query, request.bound))
    return result.text, as_json(result), result.record, found, read


@settings(
    max_examples=examples(25),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    corpus=corpora,
    rounds=st.lists(edits, max_size=2),
    asked=st.lists(requests, min_size=3, max_size=5),
    shards=st.integers(2, 4),
)
@example(
    # A word that only links hold in one part, and a text in another.
    corpus={"docs/D": "", "docs/c": "# Deploy", "a": "see [caches](docs/c.plain)"},
    rounds=[],
    asked=[SearchRequest("deploy cache zebra", 4000, cache="docs")],
    shards=2,
)
def test_answers_of_a_cache_in_shards_are_those_of_one_cache(
    tmp_path: Path, corpus: dict[str, str], rounds: list[dict[str, str | None]], asked: list[SearchRequest], shards: int
) -> None:
    shutil.rmtree(tmp_path)
    tmp_path.mkdir()
    project = Project(tmp_path, shards)
    (tmp_path / "part.txt").write_text("deploy everything\n", encoding="utf-8")
    project.build(corpus)
    for change in [{}, *rounds]:
        now = {name: text for name, text in {**project.texts, **change}.items() if text is not None}
        project.build(now or {"a": "x"})
        with open_cache(project.one) as one, open_cache(project.parts) as parts:
            for request in asked:
                assert told(parts, request) == told(one, request)
            assert sorted(one.ids()) == sorted(parts.ids())
            assert list(one.documents()) == list(parts.documents())
        report = verify_cache(project.parts)
        assert report.problems == []
        found = inspect_cache(project.parts)
        assert (found.valid, report.cache_version) == (True, found.cache_version) == (True, one.manifest.cache_version)


@given(ids=st.sets(st.text("abc/", max_size=6), max_size=60), shards=st.integers(2, 8))
def test_every_document_is_in_one_part_and_an_edit_moves_no_boundary(ids: set[str], shards: int) -> None:
    ordered = sorted(ids)
    parts = cuts(ordered, shards)
    assert [at for start, end in parts for at in range(start, end)] == list(range(len(ordered)))
    assert len(parts) <= shards
    assert all(start < end for start, end in parts)


def test_a_document_more_seldom_moves_a_boundary_and_parts_are_about_as_large() -> None:
    ids = sorted([f"docs/{number}.md" for number in range(4000)])
    firsts = {ids[start] for start, _ in cuts(ids, 8)}
    kept = 0
    for number in range(50):
        more = sorted([*ids, f"docs/{number * 80}-more.md"])
        kept += {more[start] for start, _ in cuts(more, 8)} == firsts
    assert kept > 40
    assert all(250 <= end - start <= 750 for start, end in cuts(ids, 8))
