"""A document's `metadata`: the reader that made its content, its title, and its map to the source's lines. Pure.

A cache that `context build` wrote has none of it, and neither has one that others built, whatever their metadata says.
docs/formats/cache.md has the rules in full.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from holdfast.caches.cache_format import PREFIX, Origin
from holdfast.caches.line_map import LineRun
from holdfast.core.batches import batches
from holdfast.core.canonical_json import encode
from holdfast.core.errors import CacheInvalid
from holdfast.core.unicode_text import is_unicode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.caches.line_map import LineMap
    from holdfast.core.canonical_json import Json

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
# A line beyond it is none: an index has four bytes for one.
_MOST_LINES = 1 << 31


def metadata_of(origin: Origin | None) -> dict[str, Json]:
    """The metadata for an origin; empty for none."""
    if origin is None:
        return {}
    metadata: dict[str, Json] = {"format": origin.format}
    if origin.title:
        metadata["title"] = origin.title
    if origin.lines:
        metadata["lines"] = [list(run) for run in origin.lines]
    return metadata


def parse_origin(metadata: Json, name: str) -> Origin | None:
    """The origin that a document's metadata tell, None where they are not of our making; `name` is the document's id.

    CacheInvalid when they name a reader and hold a title or a map that none is.
    """
    reader = metadata.get("format") if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict) or not isinstance(reader, str) or not is_reader_name(reader):
        return None
    title = metadata.get("title", "")
    if not isinstance(title, str) or not is_unicode(title):
        raise CacheInvalid(f"document '{name}' has a title that is no text")
    lines = _line_map(metadata.get("lines", []))
    if lines is None:
        raise CacheInvalid(f"document '{name}' has a map of lines that is none")
    return Origin(reader, title, lines)


def is_reader_name(text: str) -> bool:
    """Whether a text can name a reader: lower-case letters and digits, a hyphen, a number."""
    name, _, number = text.partition("-")
    return bool(name) and _LETTERS.issuperset(name) and number.isascii() and number.isdigit()


def _line_map(value: Json) -> LineMap | None:
    """The runs that a value lists; None when anything about them is off."""
    if not isinstance(value, list):
        return None
    runs = []
    before = 0
    for item in value:
        if not isinstance(item, list) or len(item) != 3:
            return None
        first, source, step = item
        if type(first) is not int or type(source) is not int or type(step) is not int:
            return None
        if not before < first < _MOST_LINES or not 1 <= source < _MOST_LINES or step not in (0, 1):
            return None
        runs.append(LineRun(first, source, step))
        before = first
    return None if runs and runs[0].first != 1 else tuple(runs)


def origin_digest(origin: Origin | None) -> str:
    """The hash of a document's metadata, in hex digits."""
    return _NO_ORIGIN if origin is None else _digest(origin)


def _digest(origin: Origin | None) -> str:
    return sha256(encode(metadata_of(origin)).encode()).hexdigest()


# One text for all documents that have none.
_NO_ORIGIN = _digest(None)


def origins_digest(documents: Iterable[tuple[str, str]]) -> str:
    """What `build_config` says of the origins of all documents: given each id and `origin_digest`, in id order.

    Empty where no document has an origin, which distinguishes a cache of `context build` from others.
    """
    origins = OriginsDigest()
    for some in batches(documents):
        origins.add_all(some)
    return origins.finish()


class OriginsDigest:
    """The same for documents added in parts; `count` is how many were."""

    def __init__(self) -> None:
        self.count = 0
        self._nothing, self._has_one, self._digest = origin_digest(None), False, sha256()

    def add(self, name: str, digest: str) -> None:
        """The next document in id order."""
        self.add_all([(name, digest)])

    def add_all(self, documents: Sequence[tuple[str, str]]) -> None:
        """The next documents in id order."""
        self.count += len(documents)
        self._has_one = self._has_one or any(digest != self._nothing for _, digest in documents)
        self._digest.update("".join([f"{name}:{digest}" for name, digest in documents]).encode())

    def finish(self) -> str:
        """The digest over all documents added so far."""
        return f"{PREFIX}{self._digest.hexdigest()}" if self._has_one else ""
