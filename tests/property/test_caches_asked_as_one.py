"""Several caches answer as one cache with all their documents, the name of its cache before each of them."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast import build_cache, open_cache
from holdfast.caches.cache_format import Document, make_document
from holdfast.caches.search.candidates import find_candidates
from holdfast.caches.search.document_search import DocumentSource
from holdfast.caches.search.joined_search import JoinedSource
from holdfast.caches.search.link_texts import find_links, incoming, link_words
from holdfast.caches.search.search_request import SearchRequest
from holdfast.caches.search.search_result import SearchResult, as_json, make_result
from holdfast.core.errors import BudgetTooSmall
from support.examples import examples

# Names without a word in them: a name is no part of a document's path, by which it could be found.
NAMES = "!$%&"
LINES = [
    *("# Deploy", "## Roll back", "deploy the cache", "roll back a deploy", "- cache item", "| a | cache |", "", "x"),
    *("see [the deployment](b.md)", "see [caches](docs/c.md)", "zebra crossing"),
]
texts = st.lists(st.sampled_from(LINES), min_size=1, max_size=14).map("\n".join)
folders = st.dictionaries(st.sampled_from(["a.md", "b.md", "docs/c.md", "docs/D.md"]), texts, max_size=4)
corpora = st.lists(folders, min_size=1, max_size=4)
queries = st.sampled_from(["deploy", "roll back", "cache", "deploy cache zebra", "depoly", "caches", "deployment b"])
VERSION = "sha256:" + "0" * 64


class OneCache(DocumentSource):
    """All documents as one cache; a link leads from a document to others of the folder it came from."""

    def __init__(self, corpus: list[dict[str, str]]) -> None:
        documents: list[Document] = []
        links: list[list[str]] = []
        for name, folder in zip(NAMES, corpus, strict=False):
            own = documents_of(folder)
            pages = [find_links(document.source, document.content) for document in own]
            links += [link_words(found) for found in incoming([document.id for document in own], pages)]
            documents += [make_document(f"{name}:{each.source}", each.content.encode()) for each in own]
        super().__init__(documents, VERSION, "bytes/4", links)


def documents_of(folder: dict[str, str]) -> list[Document]:
    made = [make_document(name, text.encode()) for name, text in folder.items()]
    return sorted(made, key=lambda document: document.id.encode())


def joined(corpus: list[dict[str, str]]) -> JoinedSource:
    sources = [DocumentSource(documents_of(folder), VERSION, "bytes/4") for folder in corpus]
    return JoinedSource(dict(zip(NAMES, sources, strict=False)))


def told(result: SearchResult) -> tuple[object, ...]:
    """What an answer says, but for the version and the receipt, and what only one of several caches has."""
    value = as_json(result)
    sections = [{key: item for key, item in section.items() if key != "cache"} for section in value["sections"]]
    own = ("cache", "caches", "cache_version", "receipt")
    selection = {key: item for key, item in value["selection"].items() if key not in own}
    text = result.text.replace(result.cache_version[7:15], "VERSION!").replace(result.receipt[7:15], "RECEIPT!")
    return sections, selection, text


def name_of(corpus: list[dict[str, str]]) -> str:
    """What so many caches are called together."""
    return f"{len(corpus)} cache{'' if len(corpus) == 1 else 's'}"


def check_same(corpus: list[dict[str, str]], one: OneCache, several: JoinedSource, request: SearchRequest) -> None:
    answers: list[object] = []
    for source, asked in (
        (one, request._replace(cache=name_of(corpus))),
        (several, request._replace(caches=several.caches)),
    ):
        try:
            answers.append((told(make_result(source, asked)), find_candidates(source, asked, 50)))
        except BudgetTooSmall as error:
            answers.append(error.reason)
    assert answers[0] == answers[1]


@settings(max_examples=examples(150), deadline=None)
@given(
    corpus=corpora,
    query=queries,
    budget=st.one_of(st.integers(20, 400), st.just(4000)),
    limit=st.one_of(st.none(), st.integers(0, 3)),
    under=st.sampled_from([None, None, "!:docs", "$:docs/*"]),
    outline=st.booleans(),
    explain=st.booleans(),
    held=st.booleans(),
)
def test_the_answer_of_several_caches_is_that_of_one_with_all_documents(
    corpus: list[dict[str, str]],
    query: str,
    budget: int,
    limit: int | None,
    under: str | None,
    outline: bool,
    explain: bool,
    held: bool,
) -> None:
    one = OneCache(corpus)
    request = SearchRequest(query, budget, limit, under, outline=outline, explain=explain)
    if held:
        first = make_result(one, SearchRequest(query, 4000, 1, cache=name_of(corpus)))
        request = request._replace(known=tuple([hit.citation for hit in first.sections]))
    check_same(corpus, one, joined(corpus), request)


@settings(
    max_examples=examples(20),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(corpus=st.lists(folders.filter(bool), min_size=2, max_size=3), query=queries, explain=st.booleans())
def test_so_is_the_answer_of_several_compiled_caches(
    tmp_path: Path, corpus: list[dict[str, str]], query: str, explain: bool
) -> None:
    home = tmp_path / os.urandom(8).hex()
    with ExitStack() as stack:
        sources = {}
        for number, folder in enumerate(corpus):
            for name, text in folder.items():
                (home / f"{number}" / name).parent.mkdir(parents=True, exist_ok=True)
                (home / f"{number}" / name).write_text(text, encoding="utf-8")
            build_cache(home / f"{number}", home / f"cache-{number}", tokenizer="bytes/4")
            cache = stack.enter_context(open_cache(home / f"cache-{number}"))
            sources[NAMES[number]] = cache.search_source(plain=False)
        assert not any(isinstance(source, DocumentSource) for source in sources.values())
        check_same(corpus, OneCache(corpus), JoinedSource(sources), SearchRequest(query, 4000, explain=explain))


@given(corpus=corpora, query=queries)
def test_what_each_cache_is_called_changes_no_score(corpus: list[dict[str, str]], query: str) -> None:
    scores = []
    for names in ("abcd", "dcba"):
        sources = [DocumentSource(documents_of(folder), VERSION, "bytes/4") for folder in corpus]
        source = JoinedSource(dict(zip(names, sources, strict=False)))
        found = find_candidates(source, SearchRequest(query, 4000), 50)
        scores.append(sorted([(each["id"][2:], each["score"], each["lines"]) for each in found]))
    assert scores[0] == scores[1]
