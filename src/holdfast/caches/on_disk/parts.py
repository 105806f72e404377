"""Compile a range of the keys of runs; several processes do so side by side, and the parts make the whole."""

from __future__ import annotations

import os
from array import array
from contextlib import ExitStack

from holdfast.caches.index_format.dictionary import ALONE, DictionaryPages
from holdfast.caches.index_format.packed_numbers import packed
from holdfast.caches.index_format.runs import Run, merged, read_run
from holdfast.caches.on_disk.counting import BUFFER
from holdfast.caches.section_index.section_compiler import Weights, compile_fields
from holdfast.caches.word_index.word_compiler import Documents, compile_terms
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    Range = tuple[bytes, bytes | None]
    Terms = Iterable[tuple[bytes, list[tuple[int, Any]]]]
    Compile = Callable[[Terms, Callable[[bytes, int], None]], Iterable[bytes]]
    Weighed = tuple[Sequence[Sequence[int]], Sequence[int]]  # what `Weights` is made of

EVERYTHING: Range = (b"", None)


class Part(NamedTuple):
    """The records of a range of keys, in a file of so many bytes, and the dictionary's keys and values for them."""

    file: str
    size: int
    keys: list[bytes]
    values: list[int]


def words_part(file: str, runs: Sequence[Run], keys: Range, numbers: bytes, places: bytes) -> Part:
    """Compile words; `numbers` are those of documents by place, `places` those of the documents of sections, packed."""
    documents = Documents(_unpacked(numbers), _unpacked(places), [run.base for run in runs])
    return _part(file, runs, keys, lambda terms, add: compile_terms(terms, documents, add))


def sections_part(
    file: str, runs: Sequence[tuple[int, Run]], keys: Range, lengths: Sequence[bytes], firsts: bytes
) -> Part:
    """Compile terms of sections; the rest is what `Weights` is made of, packed."""
    weights = Weights([_unpacked(each) for each in lengths], _unpacked(firsts))
    marks = [(field, run.base) for field, run in runs]
    return _part(file, [run for _, run in runs], keys, lambda terms, add: compile_fields(terms, marks, weights, add))


def _part(file: str, runs: Sequence[Run], keys: Range, compile_: Compile) -> Part:
    part = Part(file, 0, [], [])

    def add(key: bytes, value: int) -> None:
        part.keys.append(key)
        part.values.append(value)

    size = 0
    with ExitStack() as stack:
        opened = [(run, stack.enter_context(open(run.file, "rb", buffering=BUFFER))) for run in runs]
        target = stack.enter_context(open(file, "xb", buffering=BUFFER))
        terms = merged([(mark, read_run(source, run, *keys)) for mark, (run, source) in enumerate(opened)])
        for record in compile_(terms, add):
            size += target.write(record)
    return part._replace(size=size)


def postings_of(parts: Sequence[Part]) -> Iterator[bytes]:
    """The records of all parts, one after another, whose files are gone then."""
    for part in parts:
        with open(part.file, "rb", buffering=BUFFER) as file:
            while data := file.read(BUFFER):
                yield data
        os.unlink(part.file)


def pages_of(parts: Sequence[Part]) -> list[bytes]:
    """The dictionary of all parts."""
    pages = DictionaryPages()
    offset = 0
    for part in parts:
        for key, value in zip(part.keys, part.values, strict=True):
            pages.add(key, value if value >= ALONE else offset + value)
        offset += part.size
    return pages.finish()


def _unpacked(numbers: bytes) -> list[int]:
    return array("i", numbers).tolist()


def packed_weights(weighed: Weighed) -> tuple[list[bytes], bytes]:
    """What `Weights` is made of, as it is handed to another process."""
    lengths, firsts = weighed
    return [packed(each) for each in lengths], packed(firsts)
