"""`under`: the part of the documentation that a search keeps to: a folder, a document or a glob pattern. Pure.

It is compared with ids, spelt as they are: lower case, forward slashes. A pattern means what it means in a gitignore
file: without a slash it is compared with names at any depth, and a folder that matches brings all that is below it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from holdfast.caches.search.asked_caches import without_prefix
from holdfast.core.record import NamedTuple
from holdfast.core.unicode_text import lower_case

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.core.glob_pattern import Glob

_SPECIAL = "*?[\\"


class Under(NamedTuple):
    """A part of the documentation. `plain` is a folder or a document, empty for everything.

    `glob` is what it means besides, where it holds what is special in a pattern: a name may hold brackets as well.
    """

    plain: str
    glob: Glob | None

    def holds(self, name: str) -> bool:
        """Whether the document with an id is under it."""
        plain = self.plain
        if not plain or (name.startswith(plain) and name[len(plain) : len(plain) + 1] in ("", "/")):
            return True
        return self.glob is not None and _brings(self.glob, name.encode())

    def places(self, count: int, id_of: Callable[[int], str]) -> range:
        """The places that can be under it, of documents in id order: a few are looked at, not all.

        Without a pattern all of them are.
        """
        if self.glob is not None:
            prefix = self.glob.literal.decode() if self.glob.anchored else ""
        else:
            prefix = self.plain
            at = bisect_left(range(count), prefix, key=id_of)
            if prefix and at < count and id_of(at) == prefix:
                return range(at, at + 1)  # a document, and so no folder
            prefix += "/" if prefix else ""
        size = len(prefix)
        if not size:
            return range(count)
        first = bisect_left(range(count), prefix, key=id_of)
        return range(first, bisect_right(range(count), prefix, first, key=lambda at: id_of(at)[:size]))

    def within(self, count: int, id_of: Callable[[int], str]) -> Callable[[int], bool]:
        """What tells of a place whether its document is under it."""
        places = self.places(count, id_of)
        if self.glob is None:
            return places.__contains__
        known: dict[int, bool] = {}

        def is_within(place: int) -> bool:
            if place not in places:
                return False
            if place not in known:
                known[place] = self.holds(id_of(place))
            return known[place]

        return is_within


def documents_under(text: str, cache: str, count: int, id_of: Callable[[int], str]) -> Callable[[int], bool]:
    """What tells of a place, of documents in id order, whether its document is under the part that a text names.

    The name of the cache may stand before it, with a colon; a folder may be called so as well.
    """
    plain = parse_under(text).within(count, id_of)
    rest = without_prefix(text, cache)
    if rest is None:
        return plain
    named = parse_under(rest).within(count, id_of)
    return lambda place: named(place) or plain(place)


def parse_under(text: str) -> Under:
    """The part that a text names: every text names one, if only one that nothing is under."""
    folded = lower_case(text)
    while folded.startswith("./"):
        folded = folded[2:]
    if folded.startswith("/"):
        folded = "/" + folded.lstrip("/")
    plain = "" if folded == "." else folded.replace("\\", "/").strip("/")
    if not any(mark in folded for mark in _SPECIAL):
        return Under(plain, None)
    from holdfast.core.glob_pattern import parse_glob

    # At its start a pattern of a gitignore file may be negated, or a comment; here it is neither.
    return Under(plain, parse_glob((("\\" if folded[0] in "!#" else "") + folded).encode()))


def _brings(glob: Glob, path: bytes) -> bool:
    """Whether a pattern matches a path, or a folder that it is in."""
    if glob.matches(path, folder=False):
        return True
    end = path.rfind(b"/")
    while end > 0:
        if glob.matches(path[:end], folder=True):
            return True
        end = path.rfind(b"/", 0, end)
    return False
