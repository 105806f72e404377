"""Compile ranges of the keys of sorted runs, each into a part of an index: words for resolve, terms for search.

Each process compiles a range of both; all parts, in the order of their keys, make the whole (`index_files`).
"""

from __future__ import annotations

import os
import sys
from array import array
from contextlib import ExitStack
from marshal import dumps, loads

from holdfast.caches.build.array_support import is_worth_arrays
from holdfast.caches.section_index.section_compiler import compile_lists
from holdfast.caches.section_index.term_lists import FieldLengths, Weights
from holdfast.caches.sorted_runs import FORMAT, NUMBER, Run, merged, packed, read_run, shares
from holdfast.caches.word_index.word_compiler import DocumentNumbers, compile_terms
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import BinaryIO, Literal

    from holdfast.caches.build.token_counts import Runs
    from holdfast.caches.posting_record import PostingRecord
    from holdfast.caches.sorted_runs import Block

    KeyRange = tuple[bytes, bytes | None]  # from, and to below
    Compile = Callable[[Sequence[Iterator[Block]], "KeysFile"], Iterable[PostingRecord]]

_BUFFER = 1 << 18
# So many keys of a dictionary are written at a time.
_KEYS = 4096
# So many blocks are read before it is told again how many were.
_TELLING = 16
ALL_KEYS: KeyRange = (b"", None)


class IndexPart(NamedTuple):
    """The records of a range of keys of one index, in a file; `size` is the place after the last of them.

    Beside it, in files of their own, stand their numbers, and the keys and values of the dictionary (`KeysFile`): some
    twenty a document.
    """

    kind: Literal["words", "sections"]
    file: str
    size: int

    @property
    def numbers_file(self) -> str:
        return f"{self.file}.numbers"

    @property
    def keys_file(self) -> str:
        return f"{self.file}.keys"

    @property
    def files(self) -> tuple[str, str, str]:
        """All of them."""
        return self.file, self.numbers_file, self.keys_file


class KeysFile:
    """Keys and values of a dictionary, some at a time, in a file that is written once and read once."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._start()

    def _start(self) -> None:
        self._keys: list[bytes] = []
        self._values = array("Q")

    def add(self, key: bytes, value: int) -> None:
        """The next key and its value, of 64 bits."""
        self._keys.append(key)
        self._values.append(value)
        if len(self._keys) == _KEYS:
            self.spill()

    def extend(self, keys: Sequence[bytes], values: Sequence[int]) -> None:
        """The next keys and their values."""
        self._keys.extend(keys)
        self._values.extend(values)
        if len(self._keys) >= _KEYS:
            self.spill()

    def spill(self) -> None:
        """Write what was added."""
        data = dumps((self._keys, self._values.tobytes()), FORMAT)
        self._file.write(len(data).to_bytes(4, "little") + data)
        self._start()


def read_keys(file: BinaryIO) -> Iterator[tuple[list[bytes], array[int]]]:
    """What was written into a `KeysFile`."""
    while head := file.read(4):
        keys, values = loads(file.read(int.from_bytes(head, "little")))  # noqa: S302  # a process of this build wrote it, into a directory of its own
        yield keys, array("Q", values)


class RangeToCompile(NamedTuple):
    """A part to be, the runs it is compiled from, and how."""

    part: IndexPart
    runs: Sequence[Run]
    compile: Compile


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


def write_run(path: str, blocks: Iterable[tuple[bytes, bytes]], base: int) -> Run:
    """Write the blocks of a sorted run into a new file."""
    run = Run(path, [], [0], base)
    with open(path, "xb", buffering=_BUFFER) as file:
        for first, data in blocks:
            file.write(data)
            run.firsts.append(first)
            run.offsets.append(run.offsets[-1] + len(data))
    return run


def index_jobs(
    staged: str,
    runs: Runs,
    numbers: Sequence[int],
    lengths: FieldLengths | None,
    count: int,
) -> list[IndexJob]:
    """One job for each of so many processes, all about as much work; none where the system has no index.

    `numbers` are those of the documents by position, `lengths` what the section index weighs terms by.
    """
    if sys.byteorder != "little":  # the index is optional, and its numbers are read in place
        return []
    word_keys = shares(runs.words, count)
    term_keys = shares([run for _, run in runs.fields], count)
    shared = packed(numbers), packed(runs.positions)
    field_lengths = None if lengths is None else list(map(packed, lengths))
    return [
        IndexJob(
            *(os.path.join(staged, f"part-{number}"), runs.words, word_keys[number], *shared),
            *(runs.fields, term_keys[number], field_lengths),
        )
        for number in range(count)
    ]


def compile_parts(job: IndexJob) -> Iterator[IndexPart | int]:
    """The part of the index of words, then, if there is to be one, that of the index of sections.

    Between them come numbers: so many more blocks of the runs were read.
    """
    yield from words_part(f"{job.prefix}-words", job.word_runs, job.word_keys, job.numbers, job.positions)
    if job.field_lengths is not None:
        yield from sections_part(f"{job.prefix}-terms", job.field_runs, job.term_keys, job.field_lengths)


def words_part(
    file: str, runs: Sequence[Run], keys: KeyRange, numbers: bytes, positions: bytes
) -> Iterator[IndexPart | int]:
    """Compile a range of the words; the part comes last."""
    return _compiled_in_files(words_range(file, runs, numbers, positions), keys)


def sections_part(
    file: str, runs: Sequence[tuple[int, Run]], keys: KeyRange, lengths: Sequence[bytes]
) -> Iterator[IndexPart | int]:
    """Compile a range of the terms of sections; `lengths` are packed, as a job has them. The part comes last."""
    return _compiled_in_files(sections_range(file, runs, lengths), keys)


def words_range(file: str, runs: Sequence[Run], numbers: bytes, positions: bytes) -> RangeToCompile:
    """How words become a part of their index."""
    bases, places = [run.base for run in runs], [run.place for run in runs]
    part = IndexPart("words", file, 0)
    if is_worth_arrays(len(numbers) // NUMBER):
        from holdfast.caches.word_index import posting_arrays

        arrays = posting_arrays.PostingArrays(numbers, positions, bases, places)
        return RangeToCompile(part, runs, lambda runs, keys: posting_arrays.compile_batches(runs, arrays, keys.extend))
    documents = DocumentNumbers(_unpacked(numbers), _unpacked(positions), bases, places)
    return RangeToCompile(part, runs, lambda runs, keys: compile_terms(merged(runs), documents, keys.add))


def sections_range(file: str, runs: Sequence[tuple[int, Run]], lengths: Sequence[bytes]) -> RangeToCompile:
    """How terms of sections become a part of their index."""
    marks = [(field, run.base) for field, run in runs]
    part = IndexPart("sections", file, 0)
    own = [run for _, run in runs]
    if is_worth_arrays(len(lengths[0]) // NUMBER):
        from holdfast.caches.section_index.impact_arrays import compile_batches

        return RangeToCompile(part, own, lambda runs, keys: compile_batches(runs, marks, lengths, keys.extend))
    weights = Weights(FieldLengths(*map(_unpacked, lengths)))
    return RangeToCompile(part, own, lambda runs, keys: compile_lists(merged(runs), marks, weights, keys.add))


def whole_part(results: Iterable[IndexPart | int]) -> IndexPart:
    """The part that comes last."""
    return next(result for result in results if isinstance(result, IndexPart))


def block_count(runs: Runs) -> int:
    """How many blocks of runs are read to compile an index, but for those that two processes share."""
    return sum([len(run.firsts) for run in (*runs.words, *[run for _, run in runs.fields])])


def _compiled_in_files(range_: RangeToCompile, keys: KeyRange) -> Iterator[IndexPart | int]:
    """A range of keys, from runs that are files into a part that is one, and whole when it is given."""
    with ExitStack() as stack:
        opened = [(stack.enter_context(open(run.file, "rb", buffering=_BUFFER)), run) for run in range_.runs]
        targets = [stack.enter_context(open(path, "xb", buffering=_BUFFER)) for path in range_.part.files]
        results = compiled(range_, [read_run(file, run, *keys) for file, run in opened], *targets)
        while isinstance(result := next(results), int):
            yield result
    yield result


def compiled(
    range_: RangeToCompile, runs: Sequence[Iterator[Block]], target: BinaryIO, numbers: BinaryIO, dictionary: BinaryIO
) -> Iterator[IndexPart | int]:
    """Compile what the blocks of runs hold into files: records, their numbers, and what the dictionary holds of them.

    The part comes last. Between come numbers: so many more blocks were read.
    """
    keys = KeysFile(dictionary)
    size = told = read = 0

    def counted(blocks: Iterable[Block]) -> Iterator[Block]:
        nonlocal read
        for block in blocks:
            read += 1
            yield block

    for record in range_.compile(list(map(counted, runs)), keys):
        target.write(record.data)
        numbers.write(record.numbers)
        size += record.size
        if read - told >= _TELLING:
            yield read - told
            told = read
    keys.spill()
    yield range_.part._replace(size=size)


def _unpacked(numbers: bytes) -> list[int]:
    return array("i", numbers).tolist()
