"""Citations name lines of the source, whatever lines of it a reader says that those of a document stand for."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.caches.cache_format import Document, Origin, make_document
from holdfast.caches.line_map import make_line_map, source_line
from holdfast.caches.search.candidates import find_candidates
from holdfast.caches.search.citations import cite_section, judge, parse_citation
from holdfast.caches.search.document_search import DocumentSource
from holdfast.caches.search.passage import Count, FromCache, Place, read_passage
from holdfast.caches.search.search_request import SearchRequest
from holdfast.caches.search.search_result import make_result
from holdfast.caches.search.sections import document_outline
from holdfast.caches.search.source_lines import split_lines
from holdfast.core.errors import BudgetTooSmall
from support.examples import examples

if TYPE_CHECKING:
    from holdfast.caches.search.citations import Citation

CACHE = FromCache("docs", "sha256:" + "0" * 64)
LINES = st.sampled_from(
    [
        *("# Deploy", "## Roll back", "deploy the cache", "deploy the cache", "- cache item", "| a | cache |", "", "x"),
        *("", "roll back a deploy. " * 60, "cache" * 300, "| a | cache |\n|---|---|\n" + "| deploy | x |\n" * 90),
    ]
)
# The source lines of lines one after another: taken as they are, skipped, repeated (an include), or gone back.
STEPS = st.lists(st.sampled_from([1, 1, 1, 0, 0, 3, 12, -4]), min_size=1, max_size=60)


@st.composite
def documents(draw: st.DrawFn, *, ahead: bool = False) -> Document:
    """A document whose lines stand for any lines of a source; never going back, if it is to be read ahead."""
    text = "\n".join(draw(st.lists(LINES, min_size=1, max_size=30)))
    steps = draw(STEPS)
    cited, at = [], draw(st.integers(1, 9))
    for number in range(len(split_lines(text)[0])):
        cited.append(at)
        step = steps[number % len(steps)]
        at = max(at + (max(step, 0) if ahead else step), 1)
    title = draw(st.sampled_from(["", "The guide"]))
    return make_document("Guide.rst", text.encode(), Origin("rst-1", title, make_line_map(cited)))


def parsed(citation: str) -> Citation:
    found = parse_citation(citation)
    assert found is not None
    return found


def read(document: Document, place: Place, budget: int = 1_000_000) -> Any:
    return cast("Any", read_passage(document, place, Count(budget, "estimate-1", ()), CACHE))


def is_read_back(document: Document, citation: str, content: str) -> bool:
    """Whether a citation is judged to hold and read as exactly that text, cited the same."""
    cited = parsed(citation)
    answer = read(document, Place(cited.id, cited))
    return judge([cited], lambda _: document)[0].state == "holds" and answer["content"] == content


@settings(max_examples=examples(80), deadline=None)
@given(
    corpus=st.lists(documents(), min_size=1, max_size=3),
    query=st.sampled_from(["deploy", "roll back", "cache"]),
    budget=st.integers(60, 2000),
    outline=st.booleans(),
)
def test_every_citation_of_an_answer_holds_and_is_read_back(
    corpus: list[Document], query: str, budget: int, outline: bool
) -> None:
    named = [document._replace(id=f"{at}.rst", source=f"{at}.rst") for at, document in enumerate(corpus)]
    source = DocumentSource(named, CACHE.cache_version, "estimate-1")
    request = SearchRequest(query, budget, outline=outline, cache="docs")
    try:
        result = make_result(source, request)
    except BudgetTooSmall:
        return
    by_id = {document.id: document for document in named}
    for hit in result.sections:
        document = by_id[hit.id]
        if hit.content is not None:
            assert is_read_back(document, hit.citation, hit.content)
        assert (parsed(hit.citation).first, parsed(hit.citation).last) == (hit.first, hit.last)
        assert hit.title == ((document.origin and document.origin.title) or document_outline(document).title)
        for citation in hit.also:
            cited = parsed(citation)
            assert judge([cited], lambda name: by_id[name])[0].state == "holds"
    again = make_result(source, request._replace(known=tuple([hit.citation for hit in result.sections])))
    assert not {hit.citation for hit in again.sections} & {hit.citation for hit in result.sections}
    for each in find_candidates(source, request, 1000):
        lines = [section.cited_lines for section in document_outline(by_id[each["id"]]).sections]
        assert each["lines"] in lines


@settings(max_examples=examples(80), deadline=None)
@given(document=documents(), budget=st.one_of(st.integers(40, 300), st.just(2000)))
def test_pages_give_every_line_once_and_each_is_cited(document: Document, budget: int) -> None:
    place = Place("guide.rst", fill=True)
    texts = []
    while True:
        try:
            answer = read(document, place, budget)
        except BudgetTooSmall:
            assert budget < 200
            return
        texts.append(answer["content"])
        assert is_read_back(document, answer["citation"], answer["content"])
        assert answer["lines"] == (parsed(answer["citation"]).first, parsed(answer["citation"]).last)
        following = answer["next"]
        if following is None:
            break
        cited = parsed(following) if isinstance(following, str) else None
        place = Place("guide.rst", cited) if cited else Place("guide.rst", line=following, fill=True)
        assert len(texts) < 500
    assert "".join("".join(texts).split()) == "".join(document.content.split())


@settings(max_examples=examples(80), deadline=None)
@given(document=documents(ahead=True), data=st.data())
def test_reading_begins_at_the_first_line_that_stands_for_the_one_asked_for_or_for_one_after_it(
    document: Document, data: st.DataObject
) -> None:
    assert document.origin is not None
    lines = split_lines(document.content)[0]
    cited = [source_line(document.origin.lines, number) for number in range(1, len(lines) + 1)]
    line = data.draw(st.integers(1, cited[-1] + 2))
    answer = read(document, Place("guide.rst", line=line, fill=True))
    if line > cited[-1]:
        assert answer["state"] == "no such lines"
        return
    first = next(number for number, source in enumerate(cited) if source >= line)
    text = "\n".join(lines[first:])
    assert text.startswith(answer["content"])
    assert text[len(answer["content"]) :].strip() == ""
    assert answer["lines"][0] == cited[first]
    assert answer["line_count"] == cited[-1]


@settings(max_examples=examples(80), deadline=None)
@given(document=documents(), around=st.tuples(st.integers(0, 4), st.integers(0, 4)), data=st.data())
def test_sections_around_a_citation_are_cited_too(
    document: Document, around: tuple[int, int], data: st.DataObject
) -> None:
    sections = document_outline(document).sections
    if not sections:
        return
    section = data.draw(st.sampled_from(sections))
    content = document.content[section.start : section.end]
    cited = parsed(cite_section("Guide.rst", section, sha256(content.encode()).hexdigest()))
    answer = read(document, Place("Guide.rst", cited, before=around[0], after=around[1]), 800)
    if "content" in answer and "error" not in answer:
        assert is_read_back(document, answer["citation"], answer["content"])


@settings(max_examples=examples(100), deadline=None)
@given(document=documents(), first=st.integers(0, 70), last=st.integers(0, 70))
def test_a_forged_hash_never_holds(document: Document, first: int, last: int) -> None:
    cited = parsed(f"guide.rst#L{first}-L{last}@000000000000")
    verdict = judge([cited], lambda _: document)[0].state
    answer = read(document, Place("guide.rst", cited))
    assert verdict in ("changed", "no such lines")
    assert answer["state"] == verdict
