"""Make a segment from its documents. Pure: the same documents and link texts give the same bytes on every machine.

A term has two lists. Occurrences are counted in quarters: a word that is part of an identifier counts one, any other
four. The list of sections has the step of each section that holds the term, the list of documents what all sections of
a document share; impacts.py says how they are made of the fields.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import compress, pairwise
from operator import itemgetter, sub

from holdfast.caches.cache_format import Document, Entry
from holdfast.caches.origin_metadata import origin_digest
from holdfast.caches.search.impacts import (
    LINKED,
    MANY,
    FieldSteps,
    document_step,
    evidence_step,
    linked_step,
    named_step,
    section_step,
)
from holdfast.caches.search.link_texts import PageLinks
from holdfast.caches.search.word_terms import QUARTERS, WEAK_QUARTERS
from holdfast.caches.segments.postings import TermLists, encode_term, encode_word
from holdfast.caches.segments.segment_table import (
    KNOWN_HASHES,
    SEEDS,
    HashCollision,
    SegmentTable,
    TermHashes,
    encode_document_record,
    encode_segment,
)
from holdfast.caches.segments.token_counts import (
    BODY,
    HEADINGS,
    WEAK,
    CountedText,
    DocumentCounts,
    DocumentSections,
    FieldLengths,
)
from holdfast.core.errors import BuildFailed
from holdfast.core.record import NamedTuple
from holdfast.core.tokens import tokens_of_bytes

_NO_ORIGIN = origin_digest(None)
_NO_STEPS = (0, 0, 0)


class SegmentDocument(NamedTuple):
    """A document of a segment: its entry in the manifest, the digest of its file, and the texts of links to it."""

    entry: Entry
    document: Document
    digest: bytes
    texts: Sequence[str]


class CountedSegment(NamedTuple):
    """What documents give to a segment: what it holds of each, and where their words and terms occur."""

    table: SegmentTable
    text: CountedText


def count_segment(
    documents: Iterable[SegmentDocument],
    tokenizer: str,
    recorded: Callable[[DocumentSections], DocumentSections] = lambda made: made,
) -> CountedSegment:
    """Count documents in id order; `recorded` may put other token counts in place of those made."""
    table, counts = SegmentTable(), DocumentCounts(tokenizer)
    for entry, document, digest, texts in documents:
        made = recorded(counts.add(document, texts))
        size = len(document.content.encode())
        table.words.append(made.words)
        table.tokens.append(tokens_of_bytes(size))
        table.sizes.append(size)
        table.section_counts.append(len(made.tokens))
        table.section_tokens.extend(made.tokens)
        table.second_counts.extend(made.second_counts)
        table.section_records.extend(made.records)
        table.records.append(encode_document_record(entry))
        table.digests += digest
        origin = origin_digest(document.origin)
        table.origins += bytes(32) if origin == _NO_ORIGIN else bytes.fromhex(origin)
        put_links(table, texts, made.links)
    return CountedSegment(table, counts.finish())


def put_links(table: SegmentTable, texts: Sequence[str], links: PageLinks) -> None:
    """Take note of the texts of links to the next document, and of its own."""
    table.texts.append("\n".join(texts).encode())
    table.labels.append(links.labels.encode())
    table.links.append(links.links.encode())


def make_segment(
    documents: Iterable[SegmentDocument],
    tokenizer: str,
    recorded: Callable[[DocumentSections], DocumentSections] = lambda made: made,
) -> bytes:
    """The bytes of the segment of documents in id order; the rest is as `count_segment` takes it."""
    table, text = count_segment(documents, tokenizer, recorded)
    for seed in range(SEEDS):
        try:
            return encode_segment(table, postings_of(text, seed), seed)
        except HashCollision:
            continue  # about once in a thousand million segments, unless someone looks for such words
    raise BuildFailed("two words of the documents have one hash by every seed")


def postings_of(text: CountedText, seed: int) -> dict[int, int | bytes]:
    """What the dictionary has for each hash, or the record that it is to lead to."""
    found: dict[int, int | bytes] = {}
    hashes = KNOWN_HASHES if seed == 0 else TermHashes(seed)
    positions, firsts = text.positions, text.lengths.firsts
    for word, numbers in text.words.items():
        counts = Counter(sorted([positions[number] if number >= 0 else -1 - number for number in numbers]))
        found[hashes[word] | 1] = encode_word(list(counts), list(counts.values()), len(firsts) - 1)
    impacts = Impacts(text.lengths)
    terms: dict[str, dict[int, Sequence[int]]] = {}
    for field, occurrences in text.fields.items():
        for term, numbers in occurrences.items():
            terms.setdefault(term, {})[field] = numbers
    for term, values in terms.items():
        found[hashes[term]] = encode_term(impacts.lists(values), firsts)
    if (linked := impacts.linked()).documents:
        found[hashes[LINKED]] = encode_term(linked, firsts)
    if len(found) < len(text.words) + len(terms) + bool(linked.documents):
        raise HashCollision
    return found


class Impacts:
    """Computes the two lists of a term from its occurrences (BM25 steps by field)."""

    def __init__(self, lengths: FieldLengths) -> None:
        self._lengths, self._firsts, bodies = lengths, lengths.firsts, lengths.bodies
        self._section_counts = list(map(sub, self._firsts[1:], self._firsts))
        self._place_of = [place for place, count in enumerate(self._section_counts) for _ in range(count)]
        self._texts = [sum(bodies[first:after]) for first, after in pairwise(self._firsts)]
        self._body, self._headings, self._document = map(FieldSteps, ("body", "headings", "document"))
        self._named = tuple(map(FieldSteps, ("title", "path", "links")))
        # What a section has that holds a term once, where no other section of its document and no other field does.
        once, of_text = self._body[QUARTERS], self._document[QUARTERS]
        texts = map(self._texts.__getitem__, self._place_of)
        self._alone = [once[own] + evidence_step(of_text[text]) for own, text in zip(bodies, texts, strict=True)]

    def lists(self, values: Mapping[int, Sequence[int]]) -> TermLists:
        """The lists of a term, given the numbers of where it occurs in each field."""
        if len(values) == 1 and BODY in values:
            body = values[BODY]
            if len(set(looked_up(self._place_of, body))) == len(body):  # most terms
                return TermLists(body, bytes(looked_up(self._alone, body)), (), b"", len(body))
        bodies, place_of = _quarters(values, BODY), self._place_of
        texts: dict[int, int] = {}
        for number, quarters in bodies.items():
            place = place_of[number]
            texts[place] = texts.get(place, 0) + quarters
        named = self._named_steps(values)
        shared: dict[int, int] = {}  # what documents say by all their bodies for the sections that hold the term
        documents: dict[int, int] = {}
        for place, quarters in texts.items():
            evidence = evidence_step(self._document[quarters][self._texts[place]])
            many = quarters >= MANY and self._section_counts[place] > 1
            shared[place] = 0 if many else evidence
            if many or place in named:
                step = document_step(named_step(*named.get(place, _NO_STEPS)), evidence, many)
                if step:
                    documents[place] = step
        for place in named.keys() - texts.keys():
            documents[place] = named_step(*named[place])
        sections = self._section_steps(bodies, _quarters(values, HEADINGS), named, shared)
        holding = len(sections)
        found: dict[int, int] = {}
        for place, (title, path, _) in named.items():
            if title or path:
                extent = range(self._firsts[place], self._firsts[place + 1])
                holding += sum([number not in sections for number in extent])
                if extent.start not in sections:
                    found[extent.start] = 1  # by its title or path a document matches in its first section, and no more
        return TermLists(*_ordered(sections | found), *_ordered(documents), holding)

    def linked(self) -> TermLists:
        """The lists of `LINKED`, which documents alone have."""
        steps = bytes(map(linked_step, self._lengths.links))
        return TermLists((), b"", list(compress(range(len(steps)), steps)), steps.translate(None, b"\0"), 0)

    def _section_steps(
        self,
        bodies: Mapping[int, int],
        headings: Mapping[int, int],
        named: Mapping[int, tuple[int, int, int]],
        shared: Mapping[int, int],
    ) -> dict[int, int]:
        """number -> step of each section that holds the term in its body or headings."""
        lengths, steps, place_of = self._lengths.bodies, self._body, self._place_of
        found = {
            number: steps[quarters][lengths[number]] + shared[place_of[number]] for number, quarters in bodies.items()
        }
        for place, of_document in named.items():
            for number in range(self._firsts[place], self._firsts[place + 1]):
                if number in bodies:
                    body = steps[bodies[number]][lengths[number]]
                    found[number] = section_step(body, 0, *of_document, shared[place], many=False)
        for number, quarters in headings.items():
            place = place_of[number]
            body = steps[bodies[number]][lengths[number]] if number in bodies else 0
            heading = self._headings[quarters][self._lengths.headings[number]]
            of_document = named.get(place, _NO_STEPS)
            found[number] = section_step(body, heading, *of_document, shared.get(place, 0), many=False)
        return found

    def _named_steps(self, values: Mapping[int, Sequence[int]]) -> dict[int, tuple[int, int, int]]:
        """place of a document -> the steps of its title, path and links, 0 where they do not hold the term."""
        found: dict[int, list[int]] = {}
        for field, steps in enumerate(self._named):
            lengths = self._lengths[field]
            for place, quarters in _quarters(values, field).items():
                found.setdefault(place, [0, 0, 0])[field] = steps[quarters][lengths[place]]
        return {place: (title, path, links) for place, (title, path, links) in found.items()}


def _quarters(values: Mapping[int, Sequence[int]], field: int) -> dict[int, int]:
    """number -> the quarters that a field has there."""
    found = {number: QUARTERS * times for number, times in Counter(values.get(field, ())).items()}
    for number in values.get(field | WEAK, ()):
        found[number] = found.get(number, 0) + WEAK_QUARTERS
    return found


def _ordered(steps: Mapping[int, int]) -> tuple[list[int], bytes]:
    """Ascending numbers, and the step of each."""
    numbers = sorted(steps)
    return numbers, bytes(map(steps.__getitem__, numbers))


def looked_up(table: Sequence[int], places: Sequence[int]) -> tuple[int, ...]:
    """What a table holds at these places, without a step of the interpreter a place."""
    return itemgetter(*places)(table) if len(places) > 1 else (table[places[0]],)
