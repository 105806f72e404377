"""Check a cache to the last byte and name everything that is wrong."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from holdfast.caches.cache_format import (
    MAX_DOCUMENT_BYTES,
    MAX_MANIFEST_BYTES,
    Manifest,
    check_index,
    check_manifest,
    document_id,
    encode_document,
    parse_document,
    parse_manifest,
    stays_inside,
)
from holdfast.caches.index_format import manifest_digest
from holdfast.caches.listing_text import encode_index, encode_manifest
from holdfast.caches.on_disk.cache_directory import (
    CACHE_NAMES,
    COMPILED,
    DOCUMENTS,
    INDEX,
    MANIFEST,
    CacheDirectory,
    look_into,
)
from holdfast.caches.on_disk.index_verification import IndexVerification
from holdfast.caches.origin_metadata import OriginsDigest, origin_digest
from holdfast.core.confined_paths import printable
from holdfast.core.errors import CacheInvalid


class Problem(NamedTuple):
    """One thing that is wrong with a cache, and the file it is wrong with."""

    file: str
    problem: str


class CacheReport(NamedTuple):
    """The outcome of checking every byte of a cache."""

    cache_version: str
    document_count: int
    problems: list[Problem]

    @property
    def valid(self) -> bool:
        """Whether nothing at all was found wrong."""
        return not self.problems


def verify_cache(path: str | os.PathLike[str]) -> CacheReport:
    """Every check of the format, every byte read, every problem named; a file that is not listed is one too."""
    return look_into(os.fspath(path), _verify, lambda report: report.valid)


def _verify(directory: CacheDirectory) -> CacheReport:
    try:
        data = directory.read(MANIFEST, limit=MAX_MANIFEST_BYTES)
        manifest = parse_manifest(data)
    except CacheInvalid as error:
        return CacheReport("", 0, [Problem(MANIFEST, error.reason)])
    problems = [Problem(MANIFEST, text) for text in check_manifest(manifest)]
    if not problems and data != encode_manifest(manifest):
        problems.append(Problem(MANIFEST, "is not in canonical form"))
    if not _is_moment(manifest.created_at):
        problems.append(Problem(MANIFEST, f"created_at '{manifest.created_at}' is no time"))
    of_manifest = manifest_digest([data])
    del data  # as long as all that is known of the documents
    of_index = _index_digest(directory, manifest, problems)
    if directory.has(COMPILED) and of_index is not None and not problems:
        index = IndexVerification()
        problems.extend(_document_problems(directory, manifest, index))
        found = index.problems(directory, manifest, (of_manifest, of_index))
        problems.extend([Problem(file, text) for file, text in found])
    else:
        problems.extend(_document_problems(directory, manifest, None))
    problems.extend(_orphans(directory, manifest))
    return CacheReport(manifest.cache_version, manifest.document_count, problems)


def _is_moment(text: str) -> bool:
    """Whether a text is an RFC 3339 time."""
    try:
        return text[10:11] == "T" and datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def _index_digest(directory: CacheDirectory, manifest: Manifest, problems: list[Problem]) -> bytes | None:
    """The sha256 of the index file, its problems added to those given; None when there is none to read."""
    try:
        data = directory.read(INDEX, limit=MAX_MANIFEST_BYTES)
    except CacheInvalid as error:
        problems.append(Problem(INDEX, error.reason))
        return None
    found = check_index(data, manifest)
    if not found and data != encode_index({entry.id: entry for entry in manifest.entries}.values()):
        found = ["is not in canonical form"]
    problems.extend([Problem(INDEX, text) for text in found])
    return sha256(data).digest()


def _document_problems(
    directory: CacheDirectory, manifest: Manifest, index: IndexVerification | None
) -> Iterator[Problem]:
    origins = OriginsDigest()
    for entry in manifest.entries:
        if not stays_inside(entry.file):
            continue  # named among the manifest's problems, and never opened
        try:
            data = directory.read(entry.file, limit=MAX_DOCUMENT_BYTES)
            document = parse_document(data, expected_id=entry.id, expected_version=entry.version)
        except CacheInvalid as error:
            yield Problem(entry.file, error.reason)
            continue
        if document_id(document.source) != document.id:
            yield Problem(entry.file, f"source '{document.source}' does not give the id '{document.id}'")
        elif data != encode_document(document):
            yield Problem(entry.file, "is not in canonical form")
        origins.add(document.id, origin_digest(document.origin))
        if index is not None:
            index.add(document, data)
    if origins.count == len(manifest.entries) and origins.finish() != manifest.origins:
        yield Problem(MANIFEST, "build_config.origins does not match the metadata of the documents")


def _orphans(directory: CacheDirectory, manifest: Manifest) -> Iterator[Problem]:
    for name in directory.names():
        if name not in CACHE_NAMES:
            yield Problem(printable(name), "does not belong to the cache")
    listed = {entry.file for entry in manifest.entries}
    for name in directory.names(DOCUMENTS):
        if f"{DOCUMENTS}/{name}" not in listed:
            yield Problem(printable(f"{DOCUMENTS}/{name}"), "is not listed in the manifest")
