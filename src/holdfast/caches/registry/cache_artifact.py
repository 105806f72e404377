"""A cache as an OCI artifact: its manifest, whose layers are sets of the cache's files. Pure.

docs/formats/registry.md has the format. Layers are plain tar, not compressed: the same files give the same bytes, and
so the same digests, on every machine, and what did not change is neither sent nor fetched again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from holdfast.caches.oci_reference import is_digest
from holdfast.core.canonical_json import JsonError, decode, encode
from holdfast.core.errors import RegistryFailed

if TYPE_CHECKING:
    from holdfast.core.canonical_json import Json

ARTIFACT = "application/vnd.holdfast.cache.v1"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
FILES = "application/vnd.holdfast.cache.files.v1.tar"
SIGNATURE = "application/vnd.holdfast.cache.signature.v1"
_EMPTY_TYPE = "application/vnd.oci.empty.v1+json"
EMPTY = b"{}"
# Registries take manifests of at least this size.
MAX_MANIFEST = 4 << 20
MAX_SIGNATURE = 8 << 10
_MOST_BYTES = (1 << 53) - 1  # that a number of JSON says exactly
# The listing, the sets of documents, the signature, and a layer for each segment of the largest cache.
_MOST_LAYERS = 1 << 13

# What the manifest says of the cache, by the names of its annotations.
VERSION = "dev.holdfast.cache.version"
DOCUMENTS = "dev.holdfast.cache.documents"
SOURCES = "dev.holdfast.cache.sources"
FORMATS = "dev.holdfast.cache.formats"
RANKING = "dev.holdfast.cache.ranking"
TOKENIZER = "dev.holdfast.cache.tokenizer"
_TITLE = "org.opencontainers.image.title"

# More documents than these are spread over 16 and over 256 sets by their names, so that an edit sends two sets again.
_FEW_DOCUMENTS, _MANY_DOCUMENTS = 256, 4096


class Blob(NamedTuple):
    """Some bytes in a registry."""

    digest: str
    size: int


class Layer(NamedTuple):
    """A set of files, or the signature, as a blob."""

    media_type: str
    blob: Blob
    title: str


class Artifact(NamedTuple):
    """What the manifest of a cache says."""

    layers: tuple[Layer, ...]
    annotations: Mapping[str, str]

    @property
    def file_sets(self) -> list[Layer]:
        """The layers that hold files."""
        return [layer for layer in self.layers if layer.media_type == FILES]

    @property
    def size(self) -> int:
        """Bytes of all layers."""
        return sum([layer.blob.size for layer in self.layers])

    @property
    def signature(self) -> Layer | None:
        """The layer that holds the signature."""
        return next((layer for layer in self.layers if layer.media_type == SIGNATURE), None)


def digest_of(data: bytes) -> str:
    """A digest as registries write it."""
    return "sha256:" + sha256(data).hexdigest()


def blob_of(data: bytes) -> Blob:
    """Bytes as a blob."""
    return Blob(digest_of(data), len(data))


def file_sets(files: Sequence[str]) -> dict[str, list[str]]:
    """The files of a cache by the set they belong to, sets and files by name; `files` are paths inside the cache.

    Each segment of the index is a set of its own: those that stay are not sent again.
    """
    documents = [file for file in files if file.startswith("documents/")]
    digits = (len(documents) > _FEW_DOCUMENTS) + (len(documents) > _MANY_DOCUMENTS)
    sets: dict[str, list[str]] = {}
    for file in sorted(files):
        folder, _, name = file.partition("/")
        if folder == "documents":
            name = f"documents-{sha256(file.encode()).hexdigest()[:digits]}" if digits else "documents"
        elif folder == "index":
            name = f"index-{name.removesuffix('.seg')}" if name.endswith(".seg") else "index"
        else:
            name = "listing"
        sets.setdefault(name, []).append(file)
    return dict(sorted(sets.items()))


def encode_artifact(artifact: Artifact) -> bytes:
    """The bytes of a manifest."""
    value: dict[str, object] = {
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "artifactType": ARTIFACT,
        "config": {"mediaType": _EMPTY_TYPE, "digest": digest_of(EMPTY), "size": len(EMPTY)},
        "layers": [
            {
                "mediaType": layer.media_type,
                "digest": layer.blob.digest,
                "size": layer.blob.size,
                "annotations": {_TITLE: layer.title},
            }
            for layer in artifact.layers
        ],
        "annotations": dict(sorted(artifact.annotations.items())),
    }
    return encode(value).encode()


def parse_artifact(data: bytes) -> Artifact:
    """The cache that a manifest describes; RegistryFailed where it describes none."""
    try:
        value = decode(data)
    except JsonError:
        raise _no_cache("its manifest is not JSON") from None
    if not isinstance(value, dict) or value.get("artifactType") != ARTIFACT:
        raise _no_cache("it is another kind of artifact, or made by a newer release")
    layers, annotations = value.get("layers"), value.get("annotations")
    if not isinstance(layers, list) or not 1 <= len(layers) <= _MOST_LAYERS or not isinstance(annotations, dict):
        raise _no_cache("its manifest names no layers")
    texts = {name: text for name, text in annotations.items() if isinstance(text, str)}
    artifact = Artifact(tuple([_layer(layer) for layer in layers]), texts)
    if VERSION not in texts or len({layer.title for layer in artifact.layers}) != len(layers):
        raise _no_cache("its manifest names no version, or a layer twice")
    return artifact


def _layer(value: Json) -> Layer:
    fields = value if isinstance(value, dict) else {}
    kind, digest, size, notes = [fields.get(name) for name in ("mediaType", "digest", "size", "annotations")]
    title = notes.get(_TITLE) if isinstance(notes, dict) else None
    if kind not in (FILES, SIGNATURE) or not isinstance(title, str):
        raise _no_cache("a layer of it is of no kind that a cache has")
    if not isinstance(digest, str) or not is_digest(digest) or type(size) is not int:
        raise _no_cache("a layer of it is of no kind that a cache has")
    if not 0 <= size <= (MAX_SIGNATURE if kind == SIGNATURE else _MOST_BYTES):
        raise _no_cache("a layer of it has a size that none has")
    return Layer(str(kind), Blob(digest, size), title)


def _no_cache(why: str) -> RegistryFailed:
    return RegistryFailed(f"what lies there is no cache: {why}")
