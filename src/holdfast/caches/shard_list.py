"""`shards.json`: a cache in parts, each a cache of its own of a stretch of the documents. Pure.

The parts hold the documents in id order, one after another, so that sections are numbered as in one cache with all of
them. Where one part ends and the next begins depends on the ids alone: an edit stays in its part, and a document that
is added or removed seldom moves a boundary. docs/formats/project.md has the rules in full.
"""

from __future__ import annotations

from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from holdfast.caches.cache_format import is_version
from holdfast.core.canonical_json import JsonError, decode, encode_pretty
from holdfast.core.errors import CacheInvalid
from holdfast.core.unicode_text import is_unicode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.core.canonical_json import Json

LIST_VERSION = "1"
FEWEST_SHARDS, MOST_SHARDS = 2, 64
MAX_LIST_BYTES = 1 << 20
# A boundary lies in the middle half of the way from where it would be by count to its neighbours.
_QUARTERS = 4


class ShardPart(NamedTuple):
    """One part: the folder it stands in, its version, how many documents it has, and the id of the first of them."""

    name: str
    cache_version: str
    document_count: int
    first: str


class ShardList(NamedTuple):
    """All parts in the order of their documents.

    `cache_version` is that of one cache with all documents, `origins` what its manifest would say of their origins.
    """

    cache_version: str
    origins: str
    parts: tuple[ShardPart, ...]

    @property
    def document_count(self) -> int:
        """How many documents all parts have."""
        return sum([part.document_count for part in self.parts])


def part_name(number: int) -> str:
    """The folder of a part."""
    return f"part-{number:02}"


# The folders that parts may stand in.
PART_NAMES = frozenset(map(part_name, range(MOST_SHARDS)))


def cuts(ids: Sequence[str], count: int) -> list[tuple[int, int]]:
    """From and to below which document each of at most so many parts goes, none of them empty; ids are in order.

    Each boundary is, near to where equal parts would have it, at the id whose hash is the least.
    """
    total, bounds = len(ids), {0, len(ids)}
    for number in range(1, count):
        low = (_QUARTERS * number - 1) * total // (_QUARTERS * count)
        high = max((_QUARTERS * number + 1) * total // (_QUARTERS * count), low + 1)
        bounds.add(min(range(low, min(high, total)), key=lambda at: sha256(ids[at].encode()).digest(), default=0))
    ordered = sorted(bounds)
    return list(pairwise(ordered))


def encode_shards(listed: ShardList) -> bytes:
    """The bytes of `shards.json`."""
    fields = {
        "shards_version": LIST_VERSION,
        "cache_version": listed.cache_version,
        "origins": listed.origins,
        "document_count": listed.document_count,
        "parts": [dict(zip(ShardPart._fields, part, strict=True)) for part in listed.parts],
    }
    return encode_pretty(fields).encode()


def parse_shards(data: bytes) -> ShardList:
    """What `shards.json` says; CacheInvalid where it is not what a build writes."""
    try:
        fields = decode(data)
    except JsonError as error:
        raise CacheInvalid(f"shards.json is not JSON: {error}") from None
    if not isinstance(fields, dict):
        raise CacheInvalid("shards.json is not an object")
    version = fields.get("shards_version")
    if isinstance(version, str) and version != LIST_VERSION:
        raise CacheInvalid(f"shards.json is of version '{version[:16]}', this release reads '{LIST_VERSION}'")
    listed = _listed(fields)
    if listed is None or encode_shards(listed) != data:
        raise CacheInvalid("shards.json is not as a build writes it: run 'context sync'")
    return listed


def _listed(fields: dict[str, Json]) -> ShardList | None:
    version, origins, parts = fields.get("cache_version"), fields.get("origins"), fields.get("parts")
    if not isinstance(version, str) or not isinstance(origins, str) or not isinstance(parts, list):
        return None
    if not is_version(version) or (origins and not is_version(origins)) or not 0 < len(parts) <= MOST_SHARDS:
        return None
    found: list[ShardPart] = []
    for number, part in enumerate(parts):
        if not isinstance(part, dict):
            return None
        of_part, count, first = part.get("cache_version"), part.get("document_count"), part.get("first")
        if part.get("name") != part_name(number) or type(count) is not int or count < 1:
            return None
        if not isinstance(of_part, str) or not is_version(of_part) or not isinstance(first, str):
            return None
        if not is_unicode(first) or (found and first <= found[-1].first):
            return None
        found.append(ShardPart(part_name(number), of_part, count, first))
    return ShardList(version, origins, tuple(found))
