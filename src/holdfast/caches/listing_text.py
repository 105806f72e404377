"""The text of `manifest.json` and `index.json`. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from holdfast.caches.cache_format import Entry, Manifest, build_config
from holdfast.core.batches import batches
from holdfast.core.canonical_json import all_quoted, are_plain, encode_pretty


def encode_manifest(manifest: Manifest) -> bytes:
    """The bytes of `manifest.json`."""
    return "".join(manifest_text(manifest, manifest.entries)).encode()


def manifest_text(manifest: Manifest, entries: Iterable[Entry]) -> Iterator[str]:
    """The text of `manifest.json`, some entries at a time, of a manifest that has these entries, whatever it holds."""
    fields = {
        "cache_version": manifest.cache_version,
        "build_config": build_config(manifest.format_version, manifest.hash_algorithm, manifest.origins),
        "created_at": manifest.created_at,
        "document_count": manifest.document_count,
    }
    # The list is written here: it is nearly all there is, and thousands of objects for it take ten times as long.
    yield encode_pretty(fields)[: -len("\n}")] + ',\n  "documents": ['
    before = ""
    for some in batches(entries):
        if are_plain(chain.from_iterable(some)):  # nearly always
            listed = [
                f'\n    {{\n      "id": "{name}",\n      "version": "{version}",\n      "file": "{file}"\n    }}'
                for name, version, file in some
            ]
        else:
            listed = [
                f'\n    {{\n      "id": {name},\n      "version": {version},\n      "file": {file}\n    }}'
                for name, version, file in zip(*map(all_quoted, zip(*some, strict=True)), strict=True)
            ]
        yield before + ",".join(listed)
        before = ","
    yield ("\n  ]" if before else "]") + "\n}"


def encode_index(entries: list[Entry]) -> bytes:
    """The bytes of `index.json`: every id and its file, sorted."""
    files = {entry.id: entry.file for entry in sorted(entries)}
    return "".join(index_text(files.items())).encode()


def index_text(files: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The text of `index.json`, some ids and their files at a time."""
    before = "{"
    for some in batches(files):
        if are_plain(chain.from_iterable(some)):
            listed = [f'\n  "{name}": "{file}"' for name, file in some]
        else:
            names, found = map(all_quoted, zip(*some, strict=True))
            listed = [f"\n  {name}: {file}" for name, file in zip(names, found, strict=True)]
        yield before + ",".join(listed)
        before = ","
    yield "\n}" if before == "," else "{}"


def pieces(text: Iterable[str], least: int) -> Iterator[bytes]:
    """The bytes of a text that comes in parts, in pieces of at least `least` bytes; the last may be shorter."""
    data = b""
    for part in text:
        data += part.encode()
        if len(data) >= least:
            yield data
            data = b""
    if data:
        yield data
