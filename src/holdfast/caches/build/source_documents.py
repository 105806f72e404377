"""The document of one source: a Markdown file as it stands, what a reader makes of a listed one, or one of a cache."""

from __future__ import annotations

import os

from holdfast.caches.build.guarded_files import Guard, Outside, read_item
from holdfast.caches.build.included_files import IncludedFiles
from holdfast.caches.build.source_item import KeptItem, SourceItem
from holdfast.caches.cache_format import (
    MAX_DOCUMENT_BYTES,
    Document,
    Entry,
    Origin,
    encode_document,
    make_document,
    parse_document,
)
from holdfast.caches.readers.source_reader import Unreadable
from holdfast.core.errors import BuildFailed, CacheInvalid, IoError
from holdfast.core.record import NamedTuple
from holdfast.core.regular_files import NotRegular, TooLarge
from holdfast.core.unicode_text import is_unicode

# A path below the sources, of a Markdown file that is taken as it stands; a source that a reader reads, or of which
# the document is there already; a document of a cache.
Source = str | SourceItem | KeptItem | Entry


class ReadSource(NamedTuple):
    """A document, the bytes of its file, how many bytes its content has, and what it includes.

    `included` has the path and the sha256 of each file that was asked for, empty where there is none. `file` is where
    the document stands already, if it does.
    """

    document: Document
    data: bytes
    size: int
    included: dict[str, str]
    file: str = ""


def read_document(sources: str, source: Source) -> ReadSource:
    """What a source becomes.

    BuildFailed, IoError or CacheInvalid where that ends the build; Unreadable where a listed source is passed over.
    """
    if isinstance(source, str):
        return _taken_as_it_stands(sources, source)
    if isinstance(source, SourceItem):
        return _read_by_its_reader(source)
    if isinstance(source, KeptItem):
        return _kept(source)
    return _of_a_cache(sources, source)


def source_path(sources: str, source: Source) -> str:
    """Where a source lies."""
    if isinstance(source, KeptItem):
        sources, source = source.cache, source.entry
    if isinstance(source, SourceItem):
        return source.path
    name = source if isinstance(source, str) else source.file
    return os.fsdecode(os.path.join(os.fsencode(sources), name.encode()))


def _taken_as_it_stands(sources: str, source: str) -> ReadSource:
    content = _read_source(sources, source)
    try:
        document = make_document(source, content)
    except UnicodeDecodeError as error:
        raise BuildFailed(f"'{source}' is not UTF-8 (byte {error.start}): convert it") from None
    data = encode_document(document)
    if len(data) > MAX_DOCUMENT_BYTES:
        raise BuildFailed(f"'{source}' makes a document larger than {MAX_DOCUMENT_BYTES} bytes: split it")
    return ReadSource(document, data, len(content), {})


def _read_source(sources: str, source: str) -> bytes:
    try:
        # Which files are documents is part of the format: none is withheld.
        return Guard(sources, withholds=False).read(source_path(sources, source), MAX_DOCUMENT_BYTES)
    except Outside as error:
        raise BuildFailed(f"'{source}' {error.strerror}") from None
    except TooLarge as error:
        raise BuildFailed(f"'{source}' is {error.strerror}: split it") from None
    except NotRegular:
        raise BuildFailed(f"'{source}' is not a regular file") from None
    except OSError as error:
        raise IoError(f"'{source}' cannot be read: {error.strerror}") from None


def _read_by_its_reader(item: SourceItem) -> ReadSource:
    from holdfast.caches.readers.reader_table import read_source, reader_named

    reader = reader_named(item.reader)
    if reader is None:
        raise Unreadable(f"is to be read as '{item.reader}', which this release does not know")
    if not is_unicode(item.source):
        raise Unreadable("has a name that is not UTF-8")
    files = IncludedFiles.of(item)
    page = read_source(reader, read_item(item), item.source, files)
    try:
        content = page.text.encode()
    except UnicodeEncodeError:
        raise Unreadable("holds what is no Unicode text") from None
    document = make_document(item.source, content, Origin(reader.name, page.title, page.lines))
    encoded = encode_document(document)
    if len(encoded) > MAX_DOCUMENT_BYTES:
        raise Unreadable(f"makes a document larger than {MAX_DOCUMENT_BYTES} bytes")
    return ReadSource(document, encoded, len(content), files.asked)


def _kept(kept: KeptItem) -> ReadSource:
    """The document that is there, unless anything is odd about it: then the source is read."""
    try:
        read = _of_a_cache(kept.cache, kept.entry)
    except (IoError, CacheInvalid):
        return _read_by_its_reader(kept.item)
    document, origin = read.document, read.document.origin
    is_of_item = document.source == kept.item.source and origin is not None and origin.format == kept.item.reader
    return read if is_of_item and encode_document(document) == read.data else _read_by_its_reader(kept.item)


def _of_a_cache(cache: str, entry: Entry) -> ReadSource:
    path = source_path(cache, entry)
    try:
        data = Guard(cache, withholds=False, follows=False).read(path, MAX_DOCUMENT_BYTES)
    except OSError as error:
        raise IoError(f"document '{entry.id}' cannot be read: {error.strerror}") from None
    document = parse_document(data, expected_id=entry.id, expected_version=entry.version)
    return ReadSource(document, data, len(document.content.encode()), {}, path)
