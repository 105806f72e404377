"""What is asked of a search: every argument that changes its answer. Pure."""

from __future__ import annotations

from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.caches.search.asked_caches import AskedCache


class LeftOut(NamedTuple):
    """One of several caches that could not be asked: `damaged`, `unreadable`, `gone` or `not built`."""

    name: str
    why: str


class SearchRequest(NamedTuple):
    """A query and what bounds the answer.

    `under` keeps to a folder or a glob pattern; `known` are citations of what the asker holds already; with `outline`
    sections are listed without their contents; with `explain` each says why it was chosen. `cache` is what the answer
    calls the cache: it stands in the text that the budget bounds. Where several are asked as one, they are `caches`, in
    order, and `cache` is empty; `left_out` are those that could not be asked.
    """

    query: str
    budget: int
    limit: int | None = None
    under: str | None = None
    known: tuple[str, ...] = ()
    outline: bool = False
    explain: bool = False
    cache: str = ""
    caches: tuple[AskedCache, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
