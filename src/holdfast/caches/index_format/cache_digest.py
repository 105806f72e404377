"""What an index belongs to: digests of the two files that say what is in the cache. Pure.

The time of the build is left out of the manifest's digest, so that building the same sources twice writes the same
index.
"""

from __future__ import annotations

from hashlib import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# The time stands among the first members, far before this.
FIRST_BYTES = 4096
_BEFORE = b'"created_at": "'
_IN_A_TIME = b"0123456789-+:.TZ"


def is_time(value: bytes) -> bool:
    """Whether a value has the looks of an RFC 3339 time."""
    return 20 <= len(value) <= 35 and not value.strip(_IN_A_TIME)


def without_time(start: bytes) -> bytes | None:
    """The beginning of a manifest with the value of `created_at` cut out; None when there is no time to cut."""
    before, found, after = start.partition(_BEFORE)
    value, closed, rest = after.partition(b'"')
    if not found or not closed or not is_time(value):
        return None
    return before + found + closed + rest


def manifest_digest(chunks: Iterable[bytes]) -> bytes | None:
    """sha256 of a manifest without its time, the first chunk at least FIRST_BYTES long or all there is."""
    digest = None
    for chunk in chunks:
        if digest is None:
            first = without_time(chunk[:FIRST_BYTES])
            if first is None:
                return None
            digest = sha256(first)
            chunk = chunk[FIRST_BYTES:]
        digest.update(chunk)
    return digest.digest() if digest is not None else None
