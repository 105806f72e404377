"""The text of `manifest.json` and `index.json`. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from holdfast.caches.cache_format import Entry, Manifest, build_config
from holdfast.core.batches import batches
from holdfast.core.canonical_json import all_quoted, are_plain, encode_pretty


def encode_manifest(manifest: Manifest) -> bytes:
    """The bytes of `manifest.json`, whatever the manifest holds."""
    fields = {
        "cache_version": manifest.cache_version,
        "build_config": build_config(manifest.format_version, manifest.hash_algorithm, manifest.origins),
        "created_at": manifest.created_at,
        "document_count": manifest.document_count,
    }
    # The list is written here: it is nearly all there is, and thousands of objects for it take ten times as long.
    parts: list[str] = []
    for some in batches(manifest.entries):
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
        parts.append(",".join(listed))
    before = encode_pretty(fields).removesuffix("\n}") + ',\n  "documents": ['
    return (before + ",".join(parts) + ("\n  ]" if parts else "]") + "\n}").encode()


def encode_index(entries: Iterable[Entry]) -> bytes:
    """The bytes of `index.json` of entries in id order: every id and its file."""
    parts: list[str] = []
    for some in batches([(entry.id, entry.file) for entry in entries]):
        if are_plain(chain.from_iterable(some)):
            listed = [f'\n  "{name}": "{file}"' for name, file in some]
        else:
            names, found = map(all_quoted, zip(*some, strict=True))
            listed = [f"\n  {name}: {file}" for name, file in zip(names, found, strict=True)]
        parts.append(",".join(listed))
    return f"{{{','.join(parts)}\n}}".encode() if parts else b"{}"
