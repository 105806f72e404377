"""Ascending numbers below a count, as an index file keeps them. Pure.

Up to 65,536 they are 16 bits wide; above, in chunks of 65,536 with a count each, or 32 bits wide where they are few.
"""

from __future__ import annotations

from holdfast.caches.index_format.container import IndexUnusable

CHUNK = 1 << 16


def chunks(document_count: int) -> int:
    """How many times 65,536 documents there are, begun ones included."""
    return -(-document_count // CHUNK)


def is_wide(count: int, document_count: int) -> bool:
    """Whether a run is short enough that whole numbers take no more room than halves and a count a chunk."""
    parts = chunks(document_count)
    return parts > 1 and count <= 2 * parts


def parse_numbers(view: memoryview, at: int, count: int, document_count: int) -> tuple[list[int], int]:
    """So many numbers below a count, and where what follows them begins."""
    if document_count <= CHUNK:
        return view[at : at + 2 * count].cast("H").tolist(), at + 2 * count
    if is_wide(count, document_count):
        return view[at : at + 4 * count].cast("I").tolist(), at + 4 * count
    parts = chunks(document_count)
    counts = view[at : at + 4 * parts].cast("I").tolist()
    at += 4 * parts
    documents: list[int] = []
    for chunk, held in enumerate(counts):
        halves = view[at : at + 2 * held].cast("H").tolist()
        base = chunk << 16
        documents += [base + half for half in halves] if base else halves
        at += 2 * held
    if len(documents) != count:
        raise IndexUnusable("a run is cut short")
    return documents, at
