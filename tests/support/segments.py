"""Segments of documents in memory, cut wherever a test likes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.caches.cache_format import Entry
from holdfast.caches.search.link_texts import find_links, incoming
from holdfast.caches.segments.make import SegmentDocument, make_segment
from holdfast.caches.segments.segment_file import Segment, held_in_memory, parse_columns
from holdfast.caches.segments.segment_table import SegmentTable, encode_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.caches.cache_format import Document
    from holdfast.caches.segments.segment_file import Columns


def segments_of(documents: Sequence[Document], length: int, tokenizer: str = "estimate-1") -> list[Segment]:
    """The segments of documents in id order, `length` documents each."""
    pages = [find_links(document.source, document.content) for document in documents]
    texts = incoming([document.id for document in documents], pages)
    held = [
        SegmentDocument(Entry(each.id, each.version, "documents/x.json"), each, bytes(32), leading)
        for each, leading in zip(documents, texts, strict=True)
    ]
    return [
        held_in_memory(make_segment(held[start : start + length], tokenizer)) for start in range(0, len(held), length)
    ]


def columns_of(words: Sequence[int], tokens: Sequence[int]) -> Columns:
    """The columns of documents in id order that have these words and tokens, and no sections."""
    table = SegmentTable()
    table.words.extend(words)
    table.tokens.extend(tokens)
    table.section_counts.extend([0] * len(words))
    return parse_columns(encode_columns(table, 0))
