"""A few documents, counted as a cache of their own: what they give to the index of one that holds more."""

from __future__ import annotations

import os
from contextlib import ExitStack

from holdfast.caches.build.index_ranges import write_run
from holdfast.caches.build.link_counts import count_texts
from holdfast.caches.build.token_counts import SPILL_BYTES, DocumentCounts, RunSettings
from holdfast.caches.section_index.section_compiler import field_lengths
from holdfast.caches.section_index.term_lists import Weights
from holdfast.caches.sorted_runs import merged, read_run, shifted
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.caches.cache_format import Document
    from holdfast.caches.section_index.section_compiler import DocumentSections
    from holdfast.caches.section_index.term_lists import TermLists
    from holdfast.caches.sorted_runs import Run


class CountedDocuments(NamedTuple):
    """The words of each document, what the index needs to know of it, and by key the lists of all terms.

    Sections and documents are numbered among these alone.
    """

    words: list[int]
    made: list[DocumentSections]
    lists: dict[bytes, TermLists]


def count_alone(
    documents: Sequence[Document], texts: Sequence[Sequence[str]], tokenizer: str, folder: str
) -> CountedDocuments:
    """Count documents, given in id order with the texts of links to each; nothing stays in the folder."""
    prefix = os.path.join(folder, "alone")
    counts = DocumentCounts(prefix, RunSettings(tokenizer, SPILL_BYTES), write_run)
    counted = counts.add(0, documents) if documents else []
    runs = counts.finish()
    links = count_texts(texts, prefix, SPILL_BYTES, write_run)
    made = [sections for _, sections in counted]
    fields = [*runs.fields, *links.fields]
    lists: dict[bytes, TermLists] = {}
    if made:
        weights = Weights(field_lengths(made, links.lengths, runs.body_lengths))
        lists = {key: weights.lists(values) for key, values in _by_field(fields)}
    for run in (*runs.words, *[run for _, run in fields]):
        os.unlink(run.file)
    return CountedDocuments([total for total, _ in counted], made, lists)


def _by_field(fields: Sequence[tuple[int, Run]]) -> Iterator[tuple[bytes, dict[int, bytes]]]:
    """Each term, with its packed numbers in each field of the runs."""
    with ExitStack() as stack:
        opened = [(run, stack.enter_context(open(run.file, "rb"))) for _, run in fields]
        for key, said in merged([read_run(file, run) for run, file in opened]):
            values: dict[int, bytes] = {}
            for mark, numbers in said:
                field, run = fields[mark]
                values[field] = values.get(field, b"") + (shifted(numbers, run.base) if run.base else numbers)
            yield key, values
