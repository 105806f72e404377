"""Write the index files of a cache from sorted runs: `words.idx` for resolve, `sections.idx` for search.

Each process compiles a range of the keys into a part of both indexes; all parts make the whole.
"""

from __future__ import annotations

import os
import sys
from array import array
from binascii import crc32
from contextlib import ExitStack
from hashlib import sha256
from itertools import accumulate

from holdfast.caches.build.array_support import is_worth_arrays
from holdfast.caches.index_format import (
    FIRST_BYTES,
    INLINE,
    SUMMARY,
    WORD_RULES,
    Header,
    Section,
    dictionary_pages,
    encode_header,
    encode_summary,
    header_length,
    manifest_digest,
)
from holdfast.caches.on_disk import index_reader, section_index_reader
from holdfast.caches.on_disk.cache_directory import COMPILED, SECTIONS_FILE
from holdfast.caches.on_disk.index_reader import DICTIONARY, OFFSETS, POSTINGS, RECORDS
from holdfast.caches.origin_metadata import origin_digest
from holdfast.caches.section_index import section_compiler
from holdfast.caches.section_index.section_compiler import DocumentSource, compile_lists, encode_sources, seal_section
from holdfast.caches.section_index.section_records import SectionColumns
from holdfast.caches.section_index.term_lists import FieldLengths, Weights
from holdfast.caches.sorted_runs import NUMBER, Run, merged, packed, read_run, shares
from holdfast.caches.word_index import word_compiler
from holdfast.caches.word_index.word_compiler import DocumentNumbers, compile_terms
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, BinaryIO, Literal

    from holdfast.caches.build.document_files import WrittenDocuments
    from holdfast.caches.build.token_counts import Runs
    from holdfast.caches.cache_format import Entry
    from holdfast.caches.index_format import Summary
    from holdfast.caches.search.link_texts import PageLinks
    from holdfast.caches.section_index.section_compiler import DocumentSections
    from holdfast.caches.sorted_runs import Block
    from holdfast.caches.word_index.word_records import Columns

    KeyRange = tuple[bytes, bytes | None]  # from, and to below
    Terms = Iterable[tuple[bytes, list[tuple[int, Any]]]]
    Compile = Callable[[Terms, Callable[[bytes, int], None]], Iterable[bytes]]

_BUFFER = 1 << 18
# So many blocks are read before it is told again how many were.
_TELLING = 16
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


class IndexOwner(NamedTuple):
    """The cache that an index file belongs to: its summary, and the bytes of its `manifest.json` and `index.json`."""

    summary: Summary
    manifest_json: bytes
    index_json: bytes


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
    bases, places = [run.base for run in runs], [run.place for run in runs]
    part = IndexPart("words", file, 0, [], [])
    if is_worth_arrays(len(numbers) // NUMBER):
        from holdfast.caches.word_index import posting_arrays

        arrays = posting_arrays.PostingArrays(numbers, positions, bases, places)
        return _compiled(part, runs, keys, lambda terms, add: posting_arrays.compile_batches(terms, arrays, add))
    documents = DocumentNumbers(_unpacked(numbers), _unpacked(positions), bases, places)
    return _compiled(part, runs, keys, lambda terms, add: compile_terms(terms, documents, add))


def sections_part(
    file: str, runs: Sequence[tuple[int, Run]], keys: KeyRange, lengths: Sequence[bytes]
) -> Iterator[IndexPart | int]:
    """Compile a range of the terms of sections; `lengths` are packed, as a job has them. The part comes last."""
    marks = [(field, run.base) for field, run in runs]
    part = IndexPart("sections", file, 0, [], [])
    own = [run for _, run in runs]
    if is_worth_arrays(len(lengths[0]) // NUMBER):
        from holdfast.caches.section_index.impact_arrays import compile_batches

        return _compiled(part, own, keys, lambda terms, add: compile_batches(terms, marks, lengths, add))
    weights = Weights(FieldLengths(*map(_unpacked, lengths)))
    return _compiled(part, own, keys, lambda terms, add: compile_lists(terms, marks, weights, add))


def whole_part(results: Iterable[IndexPart | int]) -> IndexPart:
    """The part that comes last."""
    return next(result for result in results if isinstance(result, IndexPart))


def block_count(runs: Runs) -> int:
    """How many blocks of runs are read to compile an index, but for those that two processes share."""
    return sum([len(run.firsts) for run in (*runs.words, *[run for _, run in runs.fields])])


def _compiled(part: IndexPart, runs: Sequence[Run], keys: KeyRange, compile_: Compile) -> Iterator[IndexPart | int]:
    def add(key: bytes, value: int) -> None:
        part.keys.append(key)
        part.values.append(value)

    size = told = read = 0

    def counted(blocks: Iterable[Block]) -> Iterator[Block]:
        nonlocal read
        for block in blocks:
            read += 1
            yield block

    with ExitStack() as stack:
        opened = [(run, stack.enter_context(open(run.file, "rb", buffering=_BUFFER))) for run in runs]
        target = stack.enter_context(open(part.file, "xb", buffering=_BUFFER))
        terms = merged([(mark, counted(read_run(source, run, *keys))) for mark, (run, source) in enumerate(opened)])
        for record in compile_(terms, add):
            size += target.write(record)
            if read - told >= _TELLING:
                yield read - told
                told = read
    yield part._replace(size=size)


def postings_of(parts: Sequence[IndexPart]) -> Iterator[bytes]:
    """The records of all parts, one after another, whose files are gone then."""
    for part in parts:
        with open(part.file, "rb", buffering=_BUFFER) as file:
            while data := file.read(_BUFFER):
                yield data
        os.unlink(part.file)


def dictionary_of(parts: Sequence[IndexPart]) -> list[bytes]:
    """The pages of the dictionary of all parts."""
    keys: list[bytes] = []
    values: list[int] = []
    offset = 0
    for part in parts:
        keys += part.keys
        values += [value if value >= INLINE else offset + value for value in part.values]
        offset += part.size
    return dictionary_pages(keys, values)


def _unpacked(numbers: bytes) -> list[int]:
    return array("i", numbers).tolist()


def write_index(
    cache: str,
    owner: IndexOwner,
    entries: Sequence[Entry],
    written: WrittenDocuments,
    columns: Columns,
    parts: Iterable[tuple[int, IndexPart | int]],
    count: int,
    sources: bytes,
    tell: Callable[[int], None],
) -> None:
    """Write each index file as soon as its `count` parts are there, in whatever order they come; remove the runs.

    `tell` is given how many more blocks of the runs were read.
    """
    documents = written.documents
    by_kind: dict[str, dict[int, IndexPart]] = {"words": {}, "sections": {}}
    if count:
        os.mkdir(os.path.join(cache, COMPILED))
    for number, part in parts:
        if isinstance(part, int):
            tell(part)
            continue
        held = by_kind[part.kind]
        held[number] = part
        if len(held) < count:
            continue
        in_order = [held[place] for place in range(count)]
        if part.kind == "words":
            path = os.path.join(cache, index_reader.WORDS_FILE)
            write_words(path, owner, entries, [document.digest for document in documents], columns, in_order)
        else:
            path = os.path.join(cache, SECTIONS_FILE)
            write_sections(path, owner, [document.sections for document in documents], in_order, sources)
    for run in (*written.runs.words, *[run for _, run in written.runs.fields]):
        os.unlink(run.file)


def write_words(
    path: str,
    owner: IndexOwner,
    entries: Sequence[Entry],
    digests: Sequence[bytes],
    columns: Columns,
    parts: Sequence[IndexPart],
) -> None:
    """Write the index that `resolve` uses, of documents in id order and of what their words were compiled to."""
    with open(path, "xb", buffering=_BUFFER) as file:
        target = IndexFile(file, 7)
        target.add(POSTINGS, postings_of(parts))
        target.add(DICTIONARY, dictionary_of(parts))
        target.add(index_reader.COLUMNS, [word_compiler.encode_columns(columns)], checked=True)
        target.add(OFFSETS, [encode_offsets(map(len, _document_records(entries)))])
        target.add(RECORDS, _document_records(entries))
        target.add(index_reader.DIGESTS, digests)
        target.add(SUMMARY, [encode_summary(owner.summary)], checked=True)
        target.seal(index_reader.WORDS, owner)


def encoded_sources(
    origins: Sequence[tuple[str, int]], texts: Sequence[Sequence[str]], pages: Sequence[PageLinks]
) -> bytes:
    """What the index of sections keeps of documents so that it can be patched; nothing where none has an origin.

    Given are the digest of each document's origin, the bytes of its content, the texts of links to it, and its own.
    """
    nothing = origin_digest(None)
    if all(origin == nothing for origin, _ in origins):
        return b""
    return encode_sources(
        DocumentSource(origin, size, leading, page)
        for (origin, size), leading, page in zip(origins, texts, pages, strict=True)
    )


def write_sections(
    path: str,
    owner: IndexOwner,
    documents: Sequence[DocumentSections],
    parts: Sequence[IndexPart],
    sources: bytes,
) -> None:
    """Write the index that `search` uses, of documents in id order and of what their terms were compiled to.

    `sources` is what `encoded_sources` gives of them.
    """
    columns = SectionColumns(
        [size for document in documents for size in document.tokens],
        list(accumulate([len(document.tokens) for document in documents], initial=0)),
        [size for document in documents for size in document.second_counts],
    )
    with open(path, "xb", buffering=_BUFFER) as file:
        target = IndexFile(file, 7 if sources else 6)
        target.add(POSTINGS, postings_of(parts))
        target.add(DICTIONARY, dictionary_of(parts))
        target.add(section_index_reader.COLUMNS, [section_compiler.encode_columns(columns)], checked=True)
        target.add(OFFSETS, [encode_offsets(size + 4 for document in documents for size in document.sizes)])
        target.add(RECORDS, _section_records(documents))
        target.add(SUMMARY, [encode_summary(owner.summary)], checked=True)
        if sources:
            target.add(section_index_reader.SOURCES, [sources], checked=True)
        target.seal(section_index_reader.KIND, owner)


class IndexFile:
    """An index file in the making: sections are appended, then sealed by the header in front of them."""

    def __init__(self, file: BinaryIO, section_count: int) -> None:
        self._file = file
        self._sections: dict[str, Section] = {}
        self._count = section_count
        self._at = header_length(section_count)
        file.write(bytes(self._at))

    def add(self, name: str, parts: Iterable[bytes], *, checked: bool = False) -> None:
        """Append a section; with `checked` the header holds the checksum of all of it."""
        start, crc = self._at, 0
        for part in parts:
            self._file.write(part)
            self._at += len(part)
            if checked:
                crc = crc32(part, crc)
        self._sections[name] = Section(name, start, self._at - start, crc)

    def seal(self, kind: str, owner: IndexOwner) -> None:
        """Write the header: what the file is and which cache it belongs to."""
        if len(self._sections) != self._count:
            raise ValueError("a section is missing")
        manifest = manifest_digest([owner.manifest_json[:FIRST_BYTES], owner.manifest_json[FIRST_BYTES:]])
        if manifest is None:
            raise ValueError("created_at is no time")
        header = Header(kind, WORD_RULES, manifest, sha256(owner.index_json).digest(), self._at, self._sections)
        self._file.seek(0)
        self._file.write(encode_header(header))


def _document_records(entries: Sequence[Entry]) -> Iterator[bytes]:
    return (word_compiler.encode_record(position, entry) for position, entry in enumerate(entries))


def _section_records(documents: Sequence[DocumentSections]) -> Iterator[bytes]:
    number = 0
    for document in documents:
        at = 0
        for size in document.sizes:
            yield seal_section(number, document.records[at : at + size])
            at += size
            number += 1


def encode_offsets(sizes: Iterable[int]) -> bytes:
    """Where each record begins, and the last one ends."""
    return array("Q", accumulate(sizes, initial=0)).tobytes()
