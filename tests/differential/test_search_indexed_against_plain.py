"""The section index against the documents: whatever they hold, the query, the budget and the limit, the same answer."""

from __future__ import annotations

import os
import shutil
from itertools import accumulate, pairwise
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from holdfast import Cache, SearchResult, build_cache, open_cache
from holdfast.caches.cache_format import make_document
from holdfast.caches.search.candidates import find_candidates
from holdfast.caches.search.document_search import DocumentSource
from holdfast.caches.search.impacts import LINKED
from holdfast.caches.search.question import Question, ask_source
from holdfast.caches.search.search_request import SearchRequest
from holdfast.caches.search.search_source import SearchSource
from holdfast.caches.segments.make import Impacts
from holdfast.caches.segments.postings import TermLists, decode_term, encode_term
from holdfast.caches.segments.section_scores import Scores, WeighedTerm
from holdfast.caches.segments.step_lists import SegmentedTerms, TermImpacts, joined_steps, strongest
from holdfast.caches.segments.token_counts import BODY, LINKS, PATH, TITLE, WEAK, FieldLengths
from holdfast.caches.shapes import ConsideredSection
from holdfast.core.errors import BudgetTooSmall
from holdfast.core.token_estimate import estimate_tokens
from support.examples import examples
from support.segments import segments_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.caches.cache_format import Document

WORDS = st.sampled_from(
    [
        *("alpha", "beta", "useEffect", "os.path", "the", "gammas", "Σας", "日本語", "x" * 70, "é", "alpha-beta"),
        *("alphaBeta", "C++", "--reload", "beta_alpha", "[alpha beta](b.md)", "[useEffect](beta/useEffect.md)"),
        *("[os.path][]", "alpha alpha alpha", "ภาษาไทย"),
    ]
)
LINES = st.one_of(
    st.lists(WORDS, max_size=8).map(" ".join),
    st.lists(WORDS, min_size=1, max_size=3).map(lambda found: "# " + " ".join(found)),
    st.sampled_from(
        [
            *(
                "",
                "",
                "```",
                "## beta",
                "alpha\n---",
                "- alpha",
                "---",
                "<!--",
                "-->",
                "alpha\x1cbeta",
                "a/alpha(beta)",
            ),
            *("#", "[os.path]: /alpha.md", "alpha beta. " * 210, "| alpha " * 320),
            "| alpha | beta |\n|---|---|\n" + "| useEffect | gammas |\n" * 112,
        ]
    ),
    st.text(max_size=8),
)
TEXTS = st.lists(LINES, max_size=14).map("\n".join)
PATHS = st.sampled_from(["alpha", "Beta/useEffect", "beta/the", "deep/er/alpha", "os.path", "日本語", "b", "c"])
CORPORA = st.dictionaries(PATHS, TEXTS, max_size=6)
QUERIES = st.one_of(st.lists(WORDS, max_size=4).map(" ".join), st.text(max_size=6))


def indexed(query: str, documents: Sequence[Document], documents_a_segment: int) -> Scores:
    """What the index gives: documents made to the bytes of segments, the bytes looked up."""
    segments = segments_of(documents, documents_a_segment)
    terms = SegmentedTerms(segments)
    firsts = [0]
    for segment in segments:
        firsts += [firsts[-1] + first for first in segment.numbers.firsts[1:]]
    held: dict[str, TermImpacts] = {}

    def holding(term: str) -> int:
        found = terms.look_up(term)
        if found is None:
            return 0
        held[term] = found
        return found.holding

    asked = SimpleNamespace(section_count=firsts[-1], holding=holding, may_hold=terms.may_hold)
    question = ask_source(query, asked)
    holding(LINKED)
    weighed = [WeighedTerm(term, weight, held[term]) for term, weight in question.terms.items() if term in held]
    return Scores(question, weighed, firsts)


def scanned(documents: Sequence[Document]) -> DocumentSource:
    """What the documents alone give."""
    return DocumentSource(documents, "", "estimate-1")


@settings(max_examples=examples(1000), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(corpus=CORPORA, query=QUERIES, documents_a_segment=st.integers(1, 4))
@example(corpus={}, query="alpha", documents_a_segment=1)
@example(corpus={"alpha": ""}, query="alpha", documents_a_segment=1)
@example(corpus={"a": "x", "alpha": "y\n\n# z\n\nz"}, query="alpha", documents_a_segment=1)
@example(
    corpus={"b": "# x\n\nx\n\n# y\n\ny", "c": "[alpha beta](b.md) beta"}, query="alpha beta", documents_a_segment=1
)
@example(corpus={"b": "x alphaBeta\n\n# x\n\nalpha alpha alpha"}, query="alpha bata", documents_a_segment=1)
@example(
    corpus={"a": "\n\n".join(f"# h{n}\n\nt" for n in range(600)) + " alpha"},
    query="alpha t",
    documents_a_segment=1,
)
def test_the_index_and_the_documents_give_the_same_impacts(
    corpus: dict[str, str], query: str, documents_a_segment: int
) -> None:
    documents = sorted([make_document(f"{path}.md", text.encode()) for path, text in corpus.items()])
    expected = scanned(documents)
    question = ask_source(query, expected)
    impacts = expected.impacts(question.terms)
    actual = indexed(query, documents, documents_a_segment)
    assert actual.question == question
    assert {number: actual.reasons(number) for number in sorted(actual.scores)} == {
        number: [(*where, impact) for where, impact in why.items()] for number, why in impacts.items()
    }
    assert dict(sorted(actual.scores.items())) == {number: sum(why.values()) for number, why in impacts.items()}
    scores = actual.scores
    for tenths in (1, 4, 8, 10):
        leading, matching = actual.leading(tenths)
        assert matching == len(scores)
        assert leading.items() <= scores.items()
        least = tenths * max(scores.values(), default=0)
        assert {number for number, score in scores.items() if 10 * score >= least} <= leading.keys()
    assert [actual.document_of(number) for number in impacts] == [expected.places[number] for number in impacts]


@settings(
    max_examples=examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    corpus=CORPORA,
    query=QUERIES,
    budget=st.one_of(st.integers(0, 300), st.sampled_from([4000, 2**53 - 1])),
    limit=st.one_of(st.none(), st.integers(0, 3)),
)
def test_a_cache_answers_the_same_with_and_without_its_index(
    tmp_path: Path, corpus: dict[str, str], query: str, budget: int, limit: int | None
) -> None:
    home = tmp_path / os.urandom(8).hex()
    for path, text in corpus.items():
        file = home / "sources" / f"{path}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    (home / "sources").mkdir(parents=True, exist_ok=True)
    build_cache(home / "sources", home / "cache")
    requests = [
        SearchRequest(query, budget, limit, under, (), outline, explain, "cache")
        for under, outline, explain in [(None, False, False), (None, False, True), ("a", True, False)]
    ]
    with open_cache(home / "cache") as cache:
        with_index = [(answered(cache, request), cache.ask(candidates, request)) for request in requests]
        assert cache._sections is not None
    shutil.rmtree(home / "cache" / "index")
    with open_cache(home / "cache") as cache:
        plain = [(answered(cache, request), cache.ask(candidates, request)) for request in requests]
    shutil.rmtree(home)
    assert plain == with_index
    for result, _ in with_index:
        if isinstance(result, SearchResult):
            assert result.tokens_used == estimate_tokens(result.text) <= budget


def candidates(source: SearchSource, request: SearchRequest) -> list[ConsideredSection]:
    return find_candidates(source, request, 100)


def answered(cache: Cache, request: SearchRequest) -> SearchResult | str:
    """The answer, or what is said where the budget is too small for one."""
    try:
        return cache.find(request)
    except BudgetTooSmall as error:
        return error.reason


@settings(max_examples=examples(500), deadline=None)
@given(
    st.sampled_from([0, 1, 254, 255, 256, 66_000, 2**20]),
    st.lists(
        st.tuples(
            st.sampled_from([1, 1, 1, 2, 7, 200, 254, 255, 256, 509, 510, 511, 3000, 70_000]),
            st.integers(1, 255),
        ),
        max_size=100,
    ),
    st.booleans(),
)
def test_lists_of_numbers_and_steps_are_read_back(first: int, more: list[tuple[int, int]], has_documents: bool) -> None:
    numbers = list(accumulate([gap for gap, _ in more], initial=first))
    steps = bytes([1, *[step for _, step in more]])
    firsts = range(numbers[-1] + 2)
    lists = TermLists(numbers, steps, numbers if has_documents else (), steps if has_documents else b"", len(numbers))
    holding, highest, *parsed, _ = read_back(lists, firsts)
    assert (holding, highest) == (len(numbers), max(steps))
    assert [(list(found.numbers), found.steps) for found in parsed] == [
        (numbers, steps),
        (numbers, steps) if has_documents else ([], b""),
    ]
    asked = sorted({0, numbers[-1], *numbers[::3], *[number - 1 for number in numbers if number]})
    expected = dict(zip(numbers, steps, strict=True))
    for found in parsed[: 1 + has_documents]:
        assert found.count == len(numbers)
        assert (
            list(map(found.step, asked)) == [expected.get(number, 0) for number in asked] == list(found.steps_of(asked))
        )


@pytest.mark.parametrize("every", [1, 2, 3, 4, 9, 300, 70_000])
def test_long_lists_are_read_back(every: int) -> None:
    firsts = range(0, 140_002, 2)
    sections, documents = range(0, 140_000, every), range(every % 7, 70_000, every)
    steps = [bytes([number % 255 + 1 for number in numbers]) for numbers in (sections, documents)]
    lists = TermLists(sections, steps[0], documents, steps[1], len(sections))
    _, highest, *parsed, _ = read_back(lists, firsts)
    assert highest == max(steps[0])
    assert [(list(found.numbers), found.steps) for found in parsed] == [
        (list(sections), steps[0]),
        (list(documents), steps[1]),
    ]


IMPACTS = st.dictionaries(st.integers(0, 29), st.integers(1, 255), min_size=1)


@settings(max_examples=examples(500), deadline=None)
@given(st.lists(st.tuples(st.integers(1, 900), IMPACTS, IMPACTS | st.just({})), max_size=5), st.integers(0, 10))
def test_what_leads_is_found_without_all_scores(
    terms: list[tuple[int, dict[int, int], dict[int, int]]], tenths: int
) -> None:
    firsts = [*range(0, 60, 2), 60]
    weighed = []
    for weight, sections, documents in terms:
        lists = TermLists(*columns_of(sections), *columns_of(documents), len(sections))
        weighed.append(WeighedTerm("t", weight, read_back(lists, firsts)))
    found = Scores(Question({}, [], [], []), weighed, firsts)
    expected = {
        number: sum([w * (s.get(number, 0) + d.get(number // 2, 0)) for w, s, d in terms])
        for number in {number for _, sections, _ in terms for number in sections}
    }
    leading, matching = found.leading(tenths)
    assert found.scores == expected
    assert matching == len(expected)
    assert leading.items() <= expected.items()
    least = tenths * max(expected.values(), default=0)
    assert {number for number, score in expected.items() if 10 * score >= least} <= leading.keys()


@pytest.mark.parametrize("seed", range(24))
def test_what_leads_is_found_in_long_lists(seed: int) -> None:
    source = Random(seed)
    sections, documents = 20_000, 5000
    firsts = [0, *sorted(source.sample(range(1, sections), documents - 1)), sections]
    weighed, terms = [], []
    for share in (2000, 300, 30, 10, 4, 2)[source.randrange(3) :][: source.randrange(1, 5)]:
        own, shared = [
            {number: source.randrange(1, source.choice((30, 100, 256))) for number in source.sample(range(most), count)}
            for most, count in ((sections, sections // share), (documents, seed % 2 * documents // (4 * share)))
        ]
        weight = source.randrange(1, 900)
        lists = TermLists(*columns_of(own), *columns_of(shared), len(own))
        impacts = read_back(lists, firsts)
        assert [list(found.numbers) for found in (impacts.sections, impacts.documents)] == [sorted(own), sorted(shared)]
        weighed.append(WeighedTerm("t", weight, impacts))
        terms.append((weight, own, shared))
    places = [place for place, (first, after) in enumerate(pairwise(firsts)) for _ in range(first, after)]
    expected = {
        number: sum([w * (s.get(number, 0) + d.get(places[number], 0)) for w, s, d in terms])
        for number in {number for _, own, _ in terms for number in own}
    }
    found = Scores(Question({}, [], [], []), weighed, firsts)
    assert found.scores == expected
    best = max(expected.values())
    for tenths in (1, 4, 7, 10):
        for floor in (0, 2 * best):
            leading, matching = found.leading(tenths, floor)
            assert matching == len(expected)
            assert leading.items() <= expected.items()
            least = tenths * max(best, floor)
            assert {number for number, score in expected.items() if 10 * score >= least} <= leading.keys()


def read_back(lists: TermLists, firsts: Sequence[int]) -> TermImpacts:
    """The lists of a term of one segment, written and read."""
    own, shared, holding = decode_term(encode_term(lists, firsts), firsts)
    sections, documents = [
        joined_steps([(0, found)], [population], population)
        for found, population in ((own, firsts[-1]), (shared, len(firsts) - 1))
    ]
    return TermImpacts(holding, max(own.values), sections, documents, strongest(documents))


def columns_of(steps: dict[int, int]) -> tuple[list[int], bytes]:
    return sorted(steps), bytes([steps[number] for number in sorted(steps)])


def test_a_word_that_is_repeated_thousands_of_times_takes_the_steps_of_that_and_of_no_other_number_of_times() -> None:
    impacts = Impacts(FieldLengths([0], [0], [0], [0, 0, 0], [1, 7000, 1], [0, 3]))
    lists = impacts.lists({BODY: [0, *[1] * 7000, 2]})
    alone = impacts.lists({BODY: [1] * 7000})
    assert (list(lists.sections), lists.section_steps[1:2]) == ([0, 1, 2], alone.section_steps)


@given(
    *[st.lists(st.integers(0, 9), max_size=12)] * 2,
    *[st.sets(st.integers(0, 4))] * 3,
)
def test_a_section_holds_a_term_once_in_however_many_fields_but_not_by_links(
    bodies: list[int], weak: list[int], titles: set[int], paths: set[int], links: set[int]
) -> None:
    ones = [1] * 10
    impacts = Impacts(FieldLengths(ones[:5], ones[:5], ones[:5], ones, ones, [0, 2, 4, 6, 8, 10]))
    given_ = {BODY: bodies, BODY | WEAK: weak, TITLE: titles, PATH: paths, LINKS: links}
    below = {number for place in titles | paths for number in (2 * place, 2 * place + 1)}
    values = {field: sorted(numbers) for field, numbers in given_.items() if numbers}
    if values:
        assert impacts.lists(values).holding == len({*bodies, *weak, *below})
