"""The section index against the documents: whatever they hold, the query, the budget and the limit, the same answer."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from holdfast import build_cache, open_cache
from holdfast.caches.document import make_document
from holdfast.caches.index.dictionary import PAGE_SIZE, DictionaryPages, key_of, look_up
from holdfast.caches.index.runs import merged
from holdfast.caches.search.compiling import (
    BODY,
    HEADINGS,
    PATH,
    TITLE,
    DocumentSections,
    Weights,
    compile_fields,
    weigh,
)
from holdfast.caches.search.counting import FieldCounts, TextCounts
from holdfast.caches.search.fields import read_fields
from holdfast.caches.search.plain import Found, find
from holdfast.caches.search.postings import HEAD_SIZE, parse_alone, parse_record, record_length
from holdfast.caches.search.scores import Scores
from holdfast.caches.search.terms import query_terms
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


def indexed(
    query: str, corpus: dict[str, str], workers: int, documents_a_run: int
) -> dict[int, dict[tuple[str, str], int]]:
    """What the index gives: documents counted by so many processes, compiled to bytes, the bytes looked up."""
    documents = sorted([make_document(f"{path}.md", text.encode()) for path, text in corpus.items()])
    texts = [TextCounts() for _ in range(workers)]
    fields = [{field: FieldCounts() for field in (TITLE, HEADINGS, PATH)} for _ in range(workers)]
    next_number = list(range(workers))
    runs = []
    made = []

    def spill() -> None:
        for worker in range(workers):
            runs.append((BODY, read_back(texts[worker].spill()[1])))
            runs.extend([(field, read_back(counts.spill())) for field, counts in fields[worker].items()])

    for place, document in enumerate(documents):
        worker = place % workers
        read = read_fields(document.source, document.content)
        provisional = next_number[worker]
        bodies = [document.content[section.start : section.end] for section in read.sections]
        texts[worker].add(place, provisional, workers, document.content, bodies)
        for heading in read.headings:
            fields[worker][HEADINGS].add(next_number[worker], heading)
            next_number[worker] += workers
        if read.sections:
            fields[worker][TITLE].add(place, read.title)
            fields[worker][PATH].add(place, read.path)
        lengths = [len(words) for words in read.headings]
        made.append(
            DocumentSections(
                *(provisional, workers, len(read.title), len(read.path)), [0] * len(read.sections), lengths, b"", []
            )
        )
        if place % documents_a_run == 0:
            spill()
    spill()
    body_lengths = [0] * max(next_number)
    for worker, counts in enumerate(texts):
        body_lengths[worker : worker + workers * len(counts.lengths) : workers] = counts.lengths
    weights = Weights(*weigh(made, body_lengths))
    pages = DictionaryPages()
    postings = b"".join(compile_fields(merged(runs), weights, pages.add))
    dictionary = b"".join(pages.finish())
    terms = []
    for term in query_terms(query):
        value = look_up(
            lambda page: dictionary[page * PAGE_SIZE : (page + 1) * PAGE_SIZE],
            len(dictionary) // PAGE_SIZE,
            key_of(term),
        )
        if value is not None:
            held = parse_alone(value, weights.populations)
            if held is None:
                length = record_length(postings[value : value + HEAD_SIZE])
                held = parse_record(postings[value : value + length], key_of(term), weights.populations)
            terms.append((term, held))
    scores = Scores(terms, weights.firsts)
    impacts = {number: scores.impacts(number) for number in sorted(scores.scores)}
    assert {number: sum(why.values()) for number, why in impacts.items()} == dict(sorted(scores.scores.items()))
    return impacts


@settings(max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(corpus=CORPORA, query=QUERIES, workers=st.integers(1, 3), documents_a_run=st.integers(1, 4))
@example(corpus={}, query="alpha", workers=1, documents_a_run=1)
@example(corpus={"alpha": ""}, query="alpha", workers=1, documents_a_run=1)
@example(corpus={"a": "x", "alpha": "y\n\n# z\n\nz"}, query="alpha", workers=2, documents_a_run=1)
@example(
    corpus={"a": "\n\n".join(f"# h{n}\n\nt" for n in range(600)) + " alpha"},
    query="alpha t",
    workers=1,
    documents_a_run=1,
)
def test_the_index_and_the_documents_give_the_same_impacts(
    corpus: dict[str, str], query: str, workers: int, documents_a_run: int
) -> None:
    documents = sorted([make_document(f"{path}.md", text.encode()) for path, text in corpus.items()])
    expected: Found = find(query, documents)
    actual = indexed(query, corpus, workers, documents_a_run)
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
    build_cache(home / "sources", home / "cache", tokenizer="bytes/4")
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
