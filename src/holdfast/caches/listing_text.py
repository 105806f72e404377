"""The text of `manifest.json` and `index.json`. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.caches.cache_format import Entry, Manifest, build_config
from holdfast.core.canonical_json import encode_pretty


def encode_manifest(manifest: Manifest) -> bytes:
    """The bytes of `manifest.json`, whatever the manifest holds."""
    fields = {
        "cache_version": manifest.cache_version,
        "build_config": build_config(manifest.format_version, manifest.hash_algorithm, manifest.origins),
        "created_at": manifest.created_at,
        "document_count": manifest.document_count,
    }
    # Entry by entry: all at once would take several times as much memory.
    listed = [encode_pretty(entry._asdict(), "\n    ") for entry in manifest.entries]
    documents = "[\n    " + ",\n    ".join(listed) + "\n  ]" if listed else "[]"
    return (encode_pretty(fields).removesuffix("\n}") + f',\n  "documents": {documents}\n}}').encode()


def encode_index(entries: Iterable[Entry]) -> bytes:
    """The bytes of `index.json` of entries in id order: every id and its file."""
    return encode_pretty({entry.id: entry.file for entry in entries}).encode()
