"""Documents that readers made: with the index and without it the same answers, which hold; an index that verifies."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast import SearchResult, open_cache, verify_cache
from holdfast.caches.cache_format import Origin
from holdfast.caches.line_map import make_line_map
from holdfast.caches.search.candidates import find_candidates
from holdfast.caches.search.citations import judge, parse_citation
from holdfast.caches.search.search_request import SearchRequest
from holdfast.caches.search.search_source import SearchSource
from holdfast.caches.shapes import ConsideredSection
from holdfast.core.errors import BudgetTooSmall
from support.examples import examples
from support.origins import build_with_origins

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast import Cache

LINES = st.sampled_from(
    [
        *("# alpha", "## beta", "alpha beta", "beta. " * 300, "", "", ".. note:: alpha", "---", "alpha\n-----"),
        "| alpha | beta |\n|---|---|\n" + "| beta | gammas |\n" * 112,
    ]
)
TEXTS = st.lists(LINES, min_size=1, max_size=14).map("\n".join)
ORIGINS = st.builds(
    lambda title, steps, count: Origin(
        "rst-1", title, make_line_map([4 + steps[at % len(steps)] + at // 2 for at in range(count)])
    ),
    st.sampled_from(["", "Gammas of alpha"]),
    st.lists(st.integers(0, 5), min_size=1, max_size=9),
    st.integers(0, 40),
)


@settings(
    max_examples=examples(25),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    corpus=st.dictionaries(st.sampled_from(["a.md", "Beta/b.md", "c.md"]), st.tuples(TEXTS, ORIGINS), min_size=1),
    query=st.sampled_from(["alpha", "beta gammas", "note"]),
    budget=st.integers(60, 3000),
)
def test_a_cache_with_origins_answers_the_same_with_and_without_its_index(
    tmp_path: Path, corpus: dict[str, tuple[str, Origin]], query: str, budget: int
) -> None:
    home = tmp_path / os.urandom(8).hex()
    texts = {name: text for name, (text, _) in corpus.items()}
    built = build_with_origins(home, texts, {name: origin for name, (_, origin) in corpus.items()})
    assert verify_cache(built).problems == []
    requests = [SearchRequest(query, budget, None, None, (), outline, False, "cache") for outline in (False, True)]
    with open_cache(built) as cache:
        with_index = [(answered(cache, request), cache.ask(candidates, request)) for request in requests]
        assert cache._sections is not None
    shutil.rmtree(built / "index")
    with open_cache(built) as cache:
        assert [(answered(cache, request), cache.ask(candidates, request)) for request in requests] == with_index
        for result, _ in with_index:
            cited = (
                [parse_citation(hit.citation) for hit in result.sections] if isinstance(result, SearchResult) else []
            )
            verdicts = judge([each for each in cited if each is not None], cache.document)
            assert [verdict.state for verdict in verdicts] == ["holds"] * len(cited)
    shutil.rmtree(home)


def candidates(source: SearchSource, request: SearchRequest) -> list[ConsideredSection]:
    return find_candidates(source, request, 100)


def answered(cache: Cache, request: SearchRequest) -> SearchResult | str:
    try:
        return cache.find(request)
    except BudgetTooSmall as error:
        return error.reason
