"""Write documents: the part of a build that is the same for each of them and can be shared among processes."""

from __future__ import annotations

import os
from hashlib import sha256

from holdfast.caches.document import MAX_DOCUMENT_BYTES, Document, encode_document, file_name, file_names, make_document
from holdfast.core.atomic_write import write_new
from holdfast.core.confined_paths import lies_inside
from holdfast.core.errors import BuildFailed, IoError
from holdfast.core.record import NamedTuple
from holdfast.core.regular_files import NotRegular, TooLarge, read_regular
from holdfast.core.tokens import tokens_of_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from holdfast.caches.on_disk.counting import Counting


# So many documents, or so many bytes of them, are written before they are counted together: whoever does one thing for
# a while keeps what that needs in the processor's cache, which saves a fifth of the time.
_TOGETHER, _TOGETHER_BYTES = 256, 4 << 20


class Written(NamedTuple):
    """One document file as it was written, and what the index needs to know of it."""

    id: str
    version: str
    name: str
    size: int
    words: int
    tokens: int
    digest: bytes
    sections: tuple[Any, ...] = ()  # the members of DocumentSections


class _Written(NamedTuple):
    """A document that is written and not yet counted."""

    document: Document
    name: str
    size: int
    digest: bytes


def write_batches(
    sources: str, names: Iterable[str], target: str, first: int, counting: Counting
) -> Iterator[list[Written]]:
    """Read sources, write their documents into the directory `target`, count their words and their sections' terms.

    `first` is the place of the first of them. Of several equal contents the first written gets the short name;
    `settle_names` puts that right.
    """
    batch: list[_Written] = []
    size = 0
    for source in names:
        written = _write_document(sources, source, target)
        batch.append(written)
        size += written.size
        if len(batch) >= _TOGETHER or size >= _TOGETHER_BYTES:
            yield _counted(batch, first, counting)
            first += len(batch)
            batch, size = [], 0
    if batch:
        yield _counted(batch, first, counting)


def _write_document(sources: str, source: str, target: str) -> _Written:
    content = _read_source(sources, source)
    try:
        document = make_document(source, content)
    except UnicodeDecodeError as error:
        raise BuildFailed(f"'{source}' is not UTF-8 (byte {error.start}): convert it") from None
    data = encode_document(document)
    if len(data) > MAX_DOCUMENT_BYTES:
        raise BuildFailed(f"'{source}' makes a document larger than {MAX_DOCUMENT_BYTES} bytes: split it")
    name, distinct = file_names(document)
    try:
        write_new(os.path.join(target, name), data)
    except FileExistsError:
        name = distinct
        write_new(os.path.join(target, name), data)
    return _Written(document, name, len(content), sha256(data).digest())


def _counted(batch: Sequence[_Written], first: int, counting: Counting) -> list[Written]:
    counts = counting.add(first, [written.document for written in batch])
    return [
        Written(document.id, document.version, name, size, total, tokens_of_bytes(size), digest, tuple(sections))
        for (document, name, size, digest), (total, sections) in zip(batch, counts, strict=True)
    ]


def settle_names(target: str, documents: Sequence[Written]) -> list[Written]:
    """Rename what was written, given in id order, to the names the order asks for; what it is called now."""
    taken: set[str] = set()
    settled = []
    moved = []
    for item in documents:
        name = file_name(Document(item.id, item.version, "", ""), taken)
        if name != item.name:
            moved.append(name)
            os.rename(os.path.join(target, item.name), os.path.join(target, name + ".moved"))
            item = item._replace(name=name)
        settled.append(item)
    for name in moved:
        os.rename(os.path.join(target, name + ".moved"), os.path.join(target, name))
    return settled


def source_path(sources: str, source: str) -> str:
    """Where a source is, by its path below the sources."""
    return os.fsdecode(os.path.join(os.fsencode(sources), source.encode()))


def _read_source(sources: str, source: str) -> bytes:
    path = source_path(sources, source)
    try:
        try:
            return read_regular(path, limit=MAX_DOCUMENT_BYTES)
        except NotRegular:  # a link, as far as _is_document saw: what it leads to now is checked once more
            path = os.path.realpath(path)
            if not lies_inside(path, sources):
                raise BuildFailed(f"'{source}' is a link that leads outside the sources") from None
            return read_regular(path, limit=MAX_DOCUMENT_BYTES)
    except TooLarge as error:
        raise BuildFailed(f"'{source}' is {error.strerror}: split it") from None
    except NotRegular:
        raise BuildFailed(f"'{source}' is not a regular file") from None
    except OSError as error:
        raise IoError(f"'{source}' cannot be read: {error.strerror}") from None
