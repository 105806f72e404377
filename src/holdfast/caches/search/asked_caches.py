"""Several caches that are asked as one: what they are called together, and in citations. Pure.

A citation of an answer from several caches has the name of its cache and a colon before the document's name:
`fastapi:tutorial/cors.md#L3-L9@…`. Everything that takes citations takes them with and without it.
"""

from __future__ import annotations

from holdfast.caches.cache_format import tagged_digest
from holdfast.core.record import NamedTuple
from holdfast.core.unicode_text import lower_case

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MARK = ":"
# What the source code of a project is called among its caches; no cache has such a name.
WORK_TREE = "work tree"
# Why it is left out where documentation is given alone, since source takes longer to read than a caller waits.
STILL_READ = "still being read"


class AskedCache(NamedTuple):
    """One of several caches that gave an answer together."""

    name: str
    cache_version: str
    tokenizer: str


def combined_version(caches: Iterable[AskedCache]) -> str:
    """The version of several caches as one: the sha256 of a line `name:version` each, in the order of the names."""
    return tagged_digest("".join([f"{name}{MARK}{version}\n" for name, version, _ in sorted(caches)]).encode())


def order_of(name: str) -> tuple[bytes, str]:
    """What caches that are asked as one stand in the order of: as their documents would in one cache, by id."""
    return lower_case(name + MARK).encode(), name


def prefix_of(name: str) -> str:
    """The prefix of the names of a cache's documents where several caches are searched."""
    return name + MARK


def without_prefix(text: str, cache: str) -> str | None:
    """What follows the name of a cache in a text that begins with it, in any case of letters; None in others."""
    if not cache or text[len(cache) : len(cache) + 1] != MARK or lower_case(text[: len(cache)]) != lower_case(cache):
        return None
    return text[len(cache) + 1 :]
