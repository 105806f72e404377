"""The names that a file refers to, as small as they can be compared: sorted arrays of hashes.

Comments, strings and keywords are no references. A name behind a joint (`a.b`, `a::b`, `a->b`, `a\\b`) is kept together
with the name before the joint as well: `fmt::print` is a reference to `print` of `fmt`.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from typing import NamedTuple
from zlib import crc32

_SHORTEST, _LONGEST = 2, 64
_WORD = rb"[A-Z_a-z\x80-\xff][\w\x80-\xff]*+"
_WORDS = re.compile(_WORD)
# The name before a joint may be missing, as in `made().run`; the name behind it is the next one's beginning.
_JOINTS = re.compile(rb"(?<![\w\x80-\xff])([\w\x80-\xff]*+) ?+(?:::|->|[?!&]?\.|\\) ?+(?=(" + _WORD + rb"))")
# More different names than this has no file that a person wrote.
_MOST = 20_000


class References(NamedTuple):
    """The hashes of all names in a file, and pairs of hashes (the name before a joint, the name behind it)."""

    names: bytes = b""
    joined: bytes = b""


def word_hash(word: str) -> int:
    """What a name is compared by."""
    return crc32(word.encode("utf-8", "surrogatepass"))


def references(data: bytes, keywords: frozenset[bytes] = frozenset()) -> References:
    """The references of source whose comments and strings are blank; a keyword counts behind a joint only."""
    data = b" ".join(data.split())  # else each blank of a long run is tried as a place before a joint
    words = {word for word in _WORDS.findall(data) if _SHORTEST <= len(word) <= _LONGEST} - keywords
    pairs = {pair for pair in _JOINTS.findall(data) if len(pair[0]) <= _LONGEST and len(pair[1]) <= _LONGEST}
    words.update([name for _, name in pairs if len(name) >= _SHORTEST])
    joined = sorted([(crc32(before), crc32(name)) for before, name in pairs])[:_MOST]
    names = sorted([crc32(word) for word in words])[:_MOST]
    return References(array("I", names).tobytes(), array("I", [part for pair in joined for part in pair]).tobytes())


def hashes_in(names: bytes) -> Iterable[int]:
    """The hashes of `References.names`."""
    return array("I", names)


def pairs_in(joined: bytes) -> Iterable[tuple[int, int]]:
    """The pairs of `References.joined`."""
    parts = array("I", joined)
    return zip(parts[::2], parts[1::2], strict=True)
