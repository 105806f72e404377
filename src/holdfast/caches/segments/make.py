"""Make a segment from its documents. Pure: the same documents and link texts give the same bytes on every machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from holdfast.caches.cache_format import Document, Entry
from holdfast.caches.origin_metadata import origin_digest
from holdfast.caches.search.impacts import LINKED
from holdfast.caches.search.link_texts import PageLinks
from holdfast.caches.segments.postings import encode_term, encode_word
from holdfast.caches.segments.segment_table import (
    KNOWN_HASHES,
    SEEDS,
    HashCollision,
    SegmentTable,
    TermHashes,
    encode_document_record,
    encode_segment,
)
from holdfast.caches.segments.term_lists import Impacts
from holdfast.caches.segments.token_counts import CountedText, DocumentCounts, DocumentSections
from holdfast.core.errors import BuildFailed
from holdfast.core.record import NamedTuple
from holdfast.core.tokens import tokens_of_bytes

_NO_ORIGIN = origin_digest(None)


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
