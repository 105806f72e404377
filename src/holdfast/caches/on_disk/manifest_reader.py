"""The manifest of a cache, read and held against its listing."""

from __future__ import annotations

from holdfast.caches.cache_format import MAX_MANIFEST_BYTES, check_index, check_manifest, parse_manifest
from holdfast.caches.on_disk.cache_directory import INDEX, MANIFEST
from holdfast.core.errors import CacheInvalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.caches.cache_format import Manifest
    from holdfast.caches.on_disk.cache_directory import CacheDirectory


def checked_manifest(directory: CacheDirectory) -> Manifest:
    """The manifest, found to hold together and to agree with the index; CacheInvalid otherwise."""
    manifest = read_manifest(directory)
    check_listings(directory, manifest)
    return manifest


def read_manifest(directory: CacheDirectory) -> Manifest:
    """The manifest of a cache, valid or not."""
    return parse_manifest(directory.read(MANIFEST, limit=MAX_MANIFEST_BYTES))


def check_listings(directory: CacheDirectory, manifest: Manifest) -> None:
    """CacheInvalid where a manifest does not hold together, or the listing says otherwise."""
    problems = check_manifest(manifest)
    if not problems:
        problems = check_index(directory.read(INDEX, limit=MAX_MANIFEST_BYTES), manifest)
    if problems:
        raise CacheInvalid(problems[0])
