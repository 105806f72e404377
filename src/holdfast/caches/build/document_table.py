"""What is known of documents once they are written: packed where they are counted, gathered in a file without a name.

A cache may have a million of them. The process that gathers holds where each batch stands in the file and nothing else,
and reads of it what a step of the build needs: names, numbers, the records of sections, or links.
"""

from __future__ import annotations

import os
from array import array
from itertools import accumulate
from marshal import dumps, loads

from holdfast.caches.cache_format import file_name_of, short_name
from holdfast.caches.origin_metadata import origin_digest
from holdfast.caches.search.link_texts import NO_LINKS, PageLinks
from holdfast.caches.sorted_runs import FORMAT
from holdfast.core.record import NamedTuple
from holdfast.core.regular_files import close_quietly

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from holdfast.caches.section_index.section_compiler import DocumentSections


class WrittenDocument(NamedTuple):
    """One document file as it was written, and what the indexes need to know of it."""

    id: str
    version: str
    name: str
    size: int
    words: int
    tokens: int
    digest: bytes
    sections: DocumentSections
    origin: str  # the digest of its metadata


class DocumentName(NamedTuple):
    """What the listing of a cache needs to know of a document: `name` is that of its file."""

    id: str
    version: str
    name: str
    origin: str


class DocumentColumns(NamedTuple):
    """Numbers of all documents in id order, and of all their sections; the digests of all files, one after another."""

    sizes: array[int]
    words: array[int]
    tokens: array[int]
    titles: array[int]
    paths: array[int]
    section_counts: array[int]
    section_tokens: array[int]
    second_counts: array[int]
    headings: array[int]
    record_sizes: array[int]
    digests: bytearray

    def firsts(self) -> array[int]:
        """The number of each document's first section and, last, of all."""
        return array("I", accumulate(self.section_counts, initial=0))


class PackedDocuments(NamedTuple):
    """Some documents, in id order: how many, and each part of what is known of them as bytes.

    `links` is empty where none of them links anywhere; `has_origins` says that one of them has an origin.
    """

    documents: int
    has_origins: bool
    names: bytes
    numbers: bytes
    records: bytes
    links: bytes


class _Batch(NamedTuple):
    """Where a batch stands in the file, and how many bytes each of its parts has."""

    documents: int
    offset: int
    sizes: Sequence[int]


_NAMES, _NUMBERS, _RECORDS, _LINKS = range(4)


def pack_documents(documents: Sequence[WrittenDocument]) -> PackedDocuments:
    """Documents as a table takes them."""
    made = [document.sections for document in documents]
    origins = [document.origin for document in documents]
    names = [[document[place] for document in documents] for place in range(3)]
    columns = (
        [document.size for document in documents],
        [document.words for document in documents],
        [document.tokens for document in documents],
        [each.title_length for each in made],
        [each.path_length for each in made],
        [len(each.tokens) for each in made],
        [size for each in made for size in each.tokens],
        [size for each in made for size in each.second_counts],
        [size for each in made for size in each.heading_lengths],
        [size for each in made for size in each.sizes],
    )
    digests = b"".join([document.digest for document in documents])
    links = [tuple(each.links) for each in made]
    nothing, no_links = origin_digest(None), tuple(NO_LINKS)
    return PackedDocuments(
        len(documents),
        any(origin != nothing for origin in origins),
        dumps([*names, origins], FORMAT),
        dumps([*[array("I", column).tobytes() for column in columns], digests], FORMAT),
        b"".join([each.records for each in made]),
        dumps(links, FORMAT) if any(each != no_links for each in links) else b"",
    )


class DocumentTable:
    """All documents as they were written; in id order once they are settled."""

    _file = -1

    def __init__(self, folder: str) -> None:
        """The file takes room on the disk that a folder is on, and is gone with the table."""
        from tempfile import mkstemp  # for who builds alone

        self._file, path = mkstemp(dir=folder)
        os.unlink(path)
        self._at = 0
        self._stretches: dict[int, list[_Batch]] = {}
        self._moved: dict[int, str] = {}  # position -> the name that a file has in the end
        self.has_origins = self.has_links = False

    def __del__(self) -> None:
        close_quietly(self._file)

    def __len__(self) -> int:
        return sum([batch.documents for batch in self._batches()])

    def add(self, number: int, packed: PackedDocuments) -> None:
        """More documents of the stretch of that number."""
        parts = packed.names, packed.numbers, packed.records, packed.links
        batch = _Batch(packed.documents, self._at, array("Q", map(len, parts)))
        rest = memoryview(b"".join(parts))
        while rest:
            written = os.pwrite(self._file, rest, self._at)
            self._at, rest = self._at + written, rest[written:]
        self._stretches.setdefault(number, []).append(batch)
        self.has_origins |= packed.has_origins
        self.has_links |= bool(packed.links)

    def counts(self, numbers: Iterable[int]) -> list[int]:
        """How many documents each of these stretches has."""
        return [sum([batch.documents for batch in self._stretches.get(number, [])]) for number in numbers]

    def settle(self, folder: str) -> None:
        """Rename the document files below a folder to the names that the order of all documents asks for.

        A file that has its longer name was written while another had the short one: which of those with one short name
        may have it is for the order to say.
        """
        contested = {short_name(each.version) for each in self.names() if each.name != short_name(each.version)}
        if not contested:
            return
        taken: set[str] = set()
        renamed: list[tuple[str, str]] = []
        for position, each in enumerate(self.names()):
            if short_name(each.version) in contested:
                name = file_name_of(each.id, each.version, taken)
                if name != each.name:
                    renamed.append((each.name, name))
                    self._moved[position] = name
        for old, new in renamed:
            os.rename(os.path.join(folder, old), os.path.join(folder, new + ".moved"))
        for _, new in renamed:
            os.rename(os.path.join(folder, new + ".moved"), os.path.join(folder, new))

    def names(self) -> Iterator[DocumentName]:
        """What the listing needs to know of each document."""
        position = 0
        for batch in self._batches():
            for each in zip(*self._part(batch, _NAMES), strict=True):
                found = DocumentName._make(each)
                if position in self._moved:
                    found = found._replace(name=self._moved[position])
                yield found
                position += 1

    def columns(self) -> DocumentColumns:
        """All numbers."""
        columns = [array("I") for _ in range(len(DocumentColumns._fields) - 1)]
        digests = bytearray()
        for batch in self._batches():
            *numbers, more = self._part(batch, _NUMBERS)
            for column, data in zip(columns, numbers, strict=True):
                column.frombytes(data)
            digests += more
        return DocumentColumns._make([*columns, digests])

    def records(self) -> Iterator[bytes]:
        """The records of sections, those of many documents at a time; none is cut."""
        for batch in self._batches():
            yield self._bytes(batch, _RECORDS)

    def links(self) -> Iterator[PageLinks]:
        """What each document says of links."""
        for batch in self._batches():
            if batch.sizes[_LINKS]:
                yield from map(PageLinks._make, self._part(batch, _LINKS))
            else:
                yield from [NO_LINKS] * batch.documents

    def _batches(self) -> Iterator[_Batch]:
        for number in sorted(self._stretches):
            yield from self._stretches[number]

    def _part(self, batch: _Batch, part: int) -> Any:
        return loads(self._bytes(batch, part))  # noqa: S302  # a process of this build wrote it, into a directory of its own

    def _bytes(self, batch: _Batch, part: int) -> bytes:
        offset = batch.offset + sum(batch.sizes[:part])
        pieces = []
        left = batch.sizes[part]
        while left:
            piece = os.pread(self._file, left, offset)
            if not piece:
                raise EOFError("a file of our own is shorter than what was written")
            pieces.append(piece)
            offset, left = offset + len(piece), left - len(piece)
        return b"".join(pieces)


class PageList:
    """The links of all documents of a table, as often as they are asked for."""

    def __init__(self, table: DocumentTable) -> None:
        self._table = table

    def __iter__(self) -> Iterator[PageLinks]:
        return self._table.links()
