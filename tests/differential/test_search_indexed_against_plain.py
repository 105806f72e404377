"""The section index against the documents: whatever they hold, the query, the budget and the limit, the same answer."""

from __future__ import annotations

import os
import shutil
from itertools import accumulate
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from holdfast import build_cache, open_cache
from holdfast.caches.build.token_counts import FieldCounts, TextCounts
from holdfast.caches.cache_format import make_document
from holdfast.caches.index_format import PAGE_SIZE, DictionaryPages, key_of, look_up
from holdfast.caches.search.plain import Found, find
from holdfast.caches.search.sections import read_fields
from holdfast.caches.search.terms import query_terms
from holdfast.caches.section_index.section_compiler import (
    BODY,
    HEADINGS,
    PATH,
    TITLE,
    DocumentSections,
    Weights,
    compile_fields,
    encode_field,
    encode_record,
    field_lengths,
)
from holdfast.caches.section_index.section_records import HEAD_SIZE, impacts_length, parse_impacts, parse_inline
from holdfast.caches.section_index.section_scores import Scores
from holdfast.caches.sorted_runs import merged, packed
from support.runs import read_back

WORDS = st.sampled_from(["alpha", "beta", "useEffect", "os.path", "the", "gammas", "Σας", "日本語", "x" * 70, "é"])
LINES = st.one_of(
    st.lists(WORDS, max_size=8).map(" ".join),
    st.lists(WORDS, min_size=1, max_size=3).map(lambda found: "# " + " ".join(found)),
    st.sampled_from(
        ["", "", "```", "## beta", "alpha\n---", "- alpha", "---", "<!--", "-->", "alpha\x1cbeta", "a/alpha(beta)", "#"]
    ),
    st.text(max_size=8),
)
TEXTS = st.lists(LINES, max_size=14).map("\n".join)
PATHS = st.sampled_from(["alpha", "Beta/useEffect", "beta/the", "deep/er/alpha", "os.path", "日本語", "b", "c"])
CORPORA = st.dictionaries(PATHS, TEXTS, max_size=6)
QUERIES = st.one_of(st.lists(WORDS, max_size=4).map(" ".join), st.text(max_size=6))


def indexed(query: str, corpus: dict[str, str], documents_a_run: int) -> dict[int, dict[tuple[str, str], int]]:
    """What the index gives: documents counted so many at a time, compiled to bytes, the bytes looked up."""
    documents = sorted([make_document(f"{path}.md", text.encode()) for path, text in corpus.items()])
    runs = []
    marks: list[tuple[int, int]] = []
    made: list[DocumentSections] = []
    body_lengths: list[int] = []
    for start in range(0, len(documents), documents_a_run):
        text = TextCounts()
        fields = {field: FieldCounts() for field in (TITLE, HEADINGS, PATH)}
        number = 0
        for place, document in enumerate(documents[start : start + documents_a_run], start):
            read = read_fields(document.source, document.content)
            text.add(place, document.content, [document.content[part.start : part.end] for part in read.sections])
            for heading in read.headings:
                fields[HEADINGS].add(number, heading)
                number += 1
            if read.sections:
                fields[TITLE].add(place, read.title)
                fields[PATH].add(place, read.path)
            lengths = [len(words) for words in read.headings]
            made.append(DocumentSections(len(read.title), len(read.path), [0] * len(lengths), lengths, b"", []))
        for field, blocks in ((BODY, text.spill()[1]), *[(field, counts.spill()) for field, counts in fields.items()]):
            runs.append((len(marks), read_back(blocks)))
            marks.append((field, len(body_lengths) if field in (BODY, HEADINGS) else 0))
        body_lengths += text.lengths
    weights = Weights(*field_lengths(made, body_lengths))
    pages = DictionaryPages()
    postings = b"".join(compile_fields(merged(runs), marks, weights, pages.add))
    dictionary = b"".join(pages.finish())
    terms = []
    for term in query_terms(query):
        value = look_up(
            lambda page: dictionary[page * PAGE_SIZE : (page + 1) * PAGE_SIZE],
            len(dictionary) // PAGE_SIZE,
            key_of(term),
        )
        if value is not None:
            held = parse_inline(value, weights.populations)
            if held is None:
                length = impacts_length(postings[value : value + HEAD_SIZE])
                held = parse_impacts(postings[value : value + length], key_of(term), weights.populations)
            terms.append((term, held))
    scores = Scores(terms, weights.firsts)
    impacts = {number: scores.impacts(number) for number in sorted(scores.scores)}
    assert {number: sum(why.values()) for number, why in impacts.items()} == dict(sorted(scores.scores.items()))
    return impacts


@settings(max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(corpus=CORPORA, query=QUERIES, documents_a_run=st.integers(1, 4))
@example(corpus={}, query="alpha", documents_a_run=1)
@example(corpus={"alpha": ""}, query="alpha", documents_a_run=1)
@example(corpus={"a": "x", "alpha": "y\n\n# z\n\nz"}, query="alpha", documents_a_run=1)
@example(
    corpus={"a": "\n\n".join(f"# h{n}\n\nt" for n in range(600)) + " alpha"},
    query="alpha t",
    documents_a_run=1,
)
def test_the_index_and_the_documents_give_the_same_impacts(
    corpus: dict[str, str], query: str, documents_a_run: int
) -> None:
    documents = sorted([make_document(f"{path}.md", text.encode()) for path, text in corpus.items()])
    expected: Found = find(query, documents, "estimate-1")
    actual = indexed(query, corpus, documents_a_run)
    assert actual == expected.impacts
    assert [list(why) for why in actual.values()] == [list(why) for why in expected.impacts.values()]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(
    corpus=CORPORA,
    query=QUERIES,
    budget=st.one_of(st.integers(0, 60), st.sampled_from([4000, 2**53 - 1])),
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
    with open_cache(home / "cache") as cache:
        with_index, candidates = cache.search(query, budget, limit), cache.candidates(query)
        assert cache._sections is not None
    shutil.rmtree(home / "cache" / "index")
    with open_cache(home / "cache") as cache:
        assert cache.search(query, budget, limit) == with_index
        assert cache.candidates(query) == candidates
    shutil.rmtree(home)
    assert with_index.tokens_used <= budget
    assert all(sum(impact for _, _, impact in hit.why) == hit.score for hit in with_index.sections)


class MadeSteps(dict[Any, Any]):
    """how often -> number -> a step that tells both."""

    def __init__(self, often: int = 0) -> None:
        super().__init__()
        self._often = often

    def __missing__(self, key: int) -> Any:
        return (7 * key + self._often) % 219 + 1 if self._often else MadeSteps(key)


@settings(max_examples=500, deadline=None)
@given(
    st.sampled_from([0, 1, 254, 255, 256, 66_000, 2**30]),
    st.lists(
        st.tuples(
            st.sampled_from([1, 1, 1, 2, 7, 200, 254, 255, 256, 509, 510, 511, 3000, 70_000]),
            st.sampled_from([1, 1, 1, 2, 3, 20, 300]),
        ),
        max_size=100,
    ),
)
def test_what_occurs_at_numbers_is_read_back_as_each_number_once_and_its_impact(
    first: int, more: list[tuple[int, int]]
) -> None:
    numbers = list(accumulate([gap for gap, _ in more], initial=first))
    times = [1, *[often for _, often in more]]
    occurrences = [number for number, often in zip(numbers, times, strict=True) for _ in range(often)]
    population = numbers[-1] + 1
    field = encode_field(packed(occurrences), MadeSteps(), population)
    steps = [MadeSteps(often)[number] for number, often in zip(numbers, times, strict=True)]
    assert field[0] == bytes(steps)
    parsed = parse_impacts(encode_record(b"key", 3, [(BODY, field)]), b"key", [0, 0, 0, population])
    assert [list(map(list, each)) for each in parsed] == [*[[[], []]] * 3, [numbers, [3 * step for step in steps]]]


def test_a_word_that_is_repeated_thousands_of_times_takes_the_steps_of_that_and_of_no_other_number_of_times() -> None:
    steps = {1: bytes([1, 2, 3]), 7000: bytes([4, 5, 6])}
    told, *_ = encode_field(packed([0, *[1] * 7000, 2]), steps, 3)
    assert told == bytes([1, 5, 3])


@given(st.sets(st.integers(0, 9)), st.sets(st.integers(0, 9)), st.sets(st.integers(0, 4)), st.sets(st.integers(0, 4)))
def test_a_section_holds_a_term_once_in_however_many_fields(
    bodies: set[int], headings: set[int], titles: set[int], paths: set[int]
) -> None:
    weights = Weights([[1] * 5, [1] * 10, [1] * 5, [1] * 10], [0, 2, 4, 6, 8, 10])
    given_ = {BODY: bodies, HEADINGS: headings, TITLE: titles, PATH: paths}
    below = {number for place in titles | paths for number in (2 * place, 2 * place + 1)}
    values = {field: packed(sorted(numbers)) for field, numbers in given_.items() if numbers}
    assert weights.holding(values, len(bodies)) == len(bodies | headings | below)
