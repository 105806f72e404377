"""Search without an index: every document is read and counted. Slow, and what the index must agree with. Pure."""

from __future__ import annotations

from holdfast.caches.search.impacts import FIELDS, Steps, unit
from holdfast.caches.search.sections import bodies, read_fields
from holdfast.caches.search.terms import query_terms, terms_of
from holdfast.caches.tokenizers import counter
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from holdfast.caches.cache_format import Document
    from holdfast.caches.search.document_search import Impacts
    from holdfast.caches.search.section import Section


class Found(NamedTuple):
    """All sections of a cache, numbered by id and line, and what a query is worth to those that match."""

    sections: list[Section]
    places: list[int]  # of each section's document, in id order
    tokens: list[int]
    impacts: dict[int, Impacts]


class _Field(NamedTuple):
    """One field of one section or document: how many words, and how often each term of the query."""

    length: int
    times: Mapping[str, int]


def find(query: str, documents: Iterable[Document], tokenizer: str) -> Found:
    """Rank every section of the documents, which come in id order.

    A section matches by its body or its headings, the first of a document also by its title or path. What matches
    has the impacts of all four fields.
    """
    terms, count_tokens = query_terms(query), counter(tokenizer)
    found = Found([], [], [], {})
    fields: list[dict[str, _Field]] = []  # of each section
    for place, document in enumerate(documents):
        read = read_fields(document.source, document.content)
        shared = {"title": _count(read.title, terms), "path": _count(read.path, terms)}
        for section, headings, body in zip(
            read.sections, read.headings, bodies(document.content, read.sections), strict=True
        ):
            found.sections.append(section)
            found.places.append(place)
            found.tokens.append(count_tokens(document.content[section.start : section.end]))
            fields.append({**shared, "headings": _count(headings, terms), "body": _count(body, terms)})
    steps = {name: _steps([each[name] for each in fields]) for name in FIELDS}
    units = {term: unit(len(fields), _holding(term, fields)) for term in terms}
    for number, each in enumerate(fields):
        is_first = number == 0 or found.places[number - 1] != found.places[number]
        impacts = {
            (term, name): units[term] * steps[name].of(each[name].times[term])[each[name].length]
            for term in terms
            for name in FIELDS
            if each[name].times[term]
        }
        if impacts and (is_first or any(name in ("headings", "body") for _, name in impacts)):
            found.impacts[number] = impacts
    return found


def _count(words: Sequence[str], terms: Sequence[str]) -> _Field:
    times = dict.fromkeys(terms, 0)
    for word in words:
        for term in terms_of(word):
            if term in times:
                times[term] += 1
    return _Field(len(words), times)


def _steps(fields: Sequence[_Field]) -> Steps:
    return Steps(sum([field.length for field in fields]), len(fields))


def _holding(term: str, fields: Sequence[Mapping[str, _Field]]) -> int:
    return sum([any(each[name].times[term] for name in FIELDS) for each in fields])
