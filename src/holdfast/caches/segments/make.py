"""Make a segment from its documents. Pure: the same documents and link texts give the same bytes on every machine."""

from __future__ import annotations

from array import array
from collections import Counter

from holdfast.caches.origin_metadata import origin_digest
from holdfast.caches.segments.postings import DOCUMENT, SECTION, encode_term, encode_word, inline_value
from holdfast.caches.segments.segment_file import hash_of
from holdfast.caches.segments.segment_table import (
    SEEDS,
    HashCollision,
    SegmentTable,
    encode_document_record,
    encode_segment,
)
from holdfast.caches.segments.term_lists import BODY, NUMBER, PATH, TITLE, Impacts, looked_up
from holdfast.caches.segments.token_counts import DocumentCounts
from holdfast.core.errors import BuildFailed
from holdfast.core.record import NamedTuple
from holdfast.core.tokens import tokens_of_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from holdfast.caches.cache_format import Document, Entry
    from holdfast.caches.search.link_texts import PageLinks
    from holdfast.caches.segments.postings import TermLists
    from holdfast.caches.segments.token_counts import CountedText, DocumentSections

_NO_ORIGIN = origin_digest(None)
# What one document holds once in one of these has no list.
_ALONE = frozenset((BODY, PATH, TITLE))


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


def word_counts(text: CountedText) -> Iterator[tuple[str, Sequence[int], Sequence[int]]]:
    """Each word, the places of the documents that hold it, ascending, and how often each does."""
    positions = text.positions
    for word, packed in text.words.items():
        numbers = array("i", packed)
        if len(numbers) == 1 and numbers[0] >= 0:  # most words
            yield word, (positions[numbers[0]],), (1,)
            continue
        places: Sequence[int]
        if numbers[0] >= 0:
            places = looked_up(positions, numbers)
        else:
            places = [positions[number] if number >= 0 else -1 - number for number in numbers]
        counts = Counter(places)
        ordered = sorted(counts) if numbers[0] < 0 else list(counts)
        yield word, ordered, list(map(counts.__getitem__, ordered))


def term_values(text: CountedText) -> Iterator[tuple[str, dict[int, bytes]]]:
    """Each term, with its packed numbers in each field."""
    bodies = text.fields.get(BODY, {})
    others: dict[str, dict[int, bytes]] = {}
    for field, terms in text.fields.items():
        if field != BODY:
            for term, packed in terms.items():
                if term in others:
                    others[term][field] = packed
                else:
                    others[term] = {field: packed}
    for term, packed in bodies.items():
        if term not in others:
            yield term, {BODY: packed}
    for term, values in others.items():
        if term in bodies:
            values[BODY] = bodies[term]
        yield term, values


def term_lists(text: CountedText) -> Iterator[tuple[str, TermLists]]:
    """Each term and its lists."""
    impacts = Impacts(text.lengths)
    for term, values in term_values(text):
        yield term, impacts.lists(values)


def make_segment(
    documents: Iterable[SegmentDocument],
    tokenizer: str,
    recorded: Callable[[DocumentSections], DocumentSections] = lambda made: made,
) -> bytes:
    """The bytes of the segment of documents in id order; the rest is as `count_segment` takes it."""
    table, text = count_segment(documents, tokenizer, recorded)
    for seed in range(SEEDS):
        try:
            return encode_segment(table, _postings(text, seed), seed)
        except HashCollision:
            continue  # about once in a thousand million segments, unless someone looks for such words
    raise BuildFailed("two words of the documents have one hash by every seed")


def _postings(text: CountedText, seed: int) -> dict[int, int | bytes]:
    """What the dictionary has for each hash, or the record that it is to lead to."""
    found: dict[int, int | bytes] = {}
    keys = 0
    documents, firsts = len(text.lengths.titles), text.lengths.firsts
    for word, places, counts in word_counts(text):
        found[hash_of(word, seed, word=True)] = encode_word(places, counts, documents)
        keys += 1
    impacts = Impacts(text.lengths)
    for term, values in term_values(text):
        found[hash_of(term, seed, word=False)] = _encoded_term(values, impacts, firsts)
        keys += 1
    if len(found) < keys:
        raise HashCollision
    return found


def _encoded_term(values: dict[int, bytes], impacts: Impacts, firsts: Sequence[int]) -> int | bytes:
    if len(values) == 1:
        ((field, packed),) = values.items()
        if len(packed) == NUMBER and field in _ALONE:  # most terms
            number = int.from_bytes(packed, "little")
            if field == BODY:
                value = inline_value(SECTION, number, impacts.alone(number))
            else:
                value = inline_value(DOCUMENT, number, impacts.named_alone(field, number))
            if value is not None:
                return value
    return encode_term(impacts.lists(values), firsts)
