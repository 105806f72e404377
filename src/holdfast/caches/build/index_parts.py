"""Compile sorted runs into parts of both indexes: a process has a range of the keys, all parts make the whole."""

from __future__ import annotations

import os
import sys
from array import array
from contextlib import ExitStack

from holdfast.caches.build.run_files import BUFFER
from holdfast.caches.index_format import INLINE, DictionaryPages
from holdfast.caches.section_index.section_compiler import Weights, compile_fields
from holdfast.caches.sorted_runs import merged, packed, read_run, shares
from holdfast.caches.word_index.word_compiler import DocumentNumbers, compile_terms
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, Literal

    from holdfast.caches.build.run_files import Runs
    from holdfast.caches.section_index.section_compiler import FieldLengths
    from holdfast.caches.sorted_runs import Run

    KeyRange = tuple[bytes, bytes | None]  # from, and to below
    Terms = Iterable[tuple[bytes, list[tuple[int, Any]]]]
    Compile = Callable[[Terms, Callable[[bytes, int], None]], Iterable[bytes]]

ALL_KEYS: KeyRange = (b"", None)


class IndexPart(NamedTuple):
    """The records of a range of keys of one index, in a file of so many bytes, and the dictionary's keys and values."""

    kind: Literal["words", "sections"]
    file: str
    size: int
    keys: list[bytes]
    values: list[int]


class IndexJob(NamedTuple):
    """A range of the keys of each index, and what all of them are compiled from: runs, and numbers packed.

    `numbers` has the number of each document, `positions` the position of each section's document. Without
    `field_lengths` only words are compiled.
    """

    prefix: str
    word_runs: Sequence[Run]
    word_keys: KeyRange
    numbers: bytes
    positions: bytes
    field_runs: Sequence[tuple[int, Run]]
    term_keys: KeyRange
    field_lengths: Sequence[bytes] | None
    firsts: bytes


def index_jobs(
    staged: str, runs: Runs, numbers: Sequence[int], lengths: FieldLengths | None, count: int
) -> list[IndexJob]:
    """One job for each of so many processes, all about as much work; none where the system has no index.

    `numbers` are those of the documents by position, `lengths` what the section index weighs terms by.
    """
    if sys.byteorder != "little":  # the index is optional, and its numbers are read in place
        return []
    word_keys = shares(runs.words, count)
    term_keys = shares([run for _, run in runs.fields], count)
    shared = packed(numbers), packed(runs.positions)
    field_lengths = None if lengths is None else [packed(each) for each in lengths.by_field]
    firsts = b"" if lengths is None else packed(lengths.firsts)
    return [
        IndexJob(
            *(os.path.join(staged, f"part-{number}"), runs.words, word_keys[number], *shared),
            *(runs.fields, term_keys[number], field_lengths, firsts),
        )
        for number in range(count)
    ]


def compile_parts(job: IndexJob) -> Iterator[IndexPart]:
    """The part of the index of words, then, if there is to be one, that of the index of sections."""
    yield words_part(f"{job.prefix}-words", job.word_runs, job.word_keys, job.numbers, job.positions)
    if job.field_lengths is not None:
        yield sections_part(f"{job.prefix}-terms", job.field_runs, job.term_keys, job.field_lengths, job.firsts)


def words_part(file: str, runs: Sequence[Run], keys: KeyRange, numbers: bytes, positions: bytes) -> IndexPart:
    """Compile a range of the words."""
    documents = DocumentNumbers(_unpacked(numbers), _unpacked(positions), [run.base for run in runs])
    part = IndexPart("words", file, 0, [], [])
    return _compiled(part, runs, keys, lambda terms, add: compile_terms(terms, documents, add))


def sections_part(
    file: str, runs: Sequence[tuple[int, Run]], keys: KeyRange, lengths: Sequence[bytes], firsts: bytes
) -> IndexPart:
    """Compile a range of the terms of sections."""
    weights = Weights([_unpacked(each) for each in lengths], _unpacked(firsts))
    marks = [(field, run.base) for field, run in runs]
    part = IndexPart("sections", file, 0, [], [])
    return _compiled(
        part, [run for _, run in runs], keys, lambda terms, add: compile_fields(terms, marks, weights, add)
    )


def _compiled(part: IndexPart, runs: Sequence[Run], keys: KeyRange, compile_: Compile) -> IndexPart:
    def add(key: bytes, value: int) -> None:
        part.keys.append(key)
        part.values.append(value)

    size = 0
    with ExitStack() as stack:
        opened = [(run, stack.enter_context(open(run.file, "rb", buffering=BUFFER))) for run in runs]
        target = stack.enter_context(open(part.file, "xb", buffering=BUFFER))
        terms = merged([(mark, read_run(source, run, *keys)) for mark, (run, source) in enumerate(opened)])
        for record in compile_(terms, add):
            size += target.write(record)
    return part._replace(size=size)


def postings_of(parts: Sequence[IndexPart]) -> Iterator[bytes]:
    """The records of all parts, one after another, whose files are gone then."""
    for part in parts:
        with open(part.file, "rb", buffering=BUFFER) as file:
            while data := file.read(BUFFER):
                yield data
        os.unlink(part.file)


def dictionary_of(parts: Sequence[IndexPart]) -> list[bytes]:
    """The pages of the dictionary of all parts."""
    pages = DictionaryPages()
    offset = 0
    for part in parts:
        for key, value in zip(part.keys, part.values, strict=True):
            pages.add(key, value if value >= INLINE else offset + value)
        offset += part.size
    return pages.finish()


def _unpacked(numbers: bytes) -> list[int]:
    return array("i", numbers).tolist()
