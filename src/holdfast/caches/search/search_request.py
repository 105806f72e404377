"""What is asked of a search: every argument that changes its answer. Pure."""

from __future__ import annotations

from holdfast.caches.search.asked_caches import AskedCache
from holdfast.caches.search.section_ranking import SHARE
from holdfast.core.record import NamedTuple


class LeftOut(NamedTuple):
    """One of several caches that could not be asked: `damaged`, `unreadable`, `gone` or `not built`."""

    name: str
    why: str


# Tokens: what bounds an answer whose caller names no budget, and of its text all whole sections together.
USUAL_BUDGET, USUAL_TEXT = 2000, 900
# Hundredths of the best score below which no section is given where no budget is named.
USUAL_SHARE = 75
# Tokens of a named budget that are kept for pointers: a number, or a part of the budget where that is less.
_POINTERS, _PART = 250, 4


class SearchRequest(NamedTuple):
    """A query and what bounds the answer.

    `budget` is None where the caller names none: the answer then stops where relevance falls off. `under` keeps to a
    folder or a glob pattern; `known` are citations of what the caller has already; with `outline` sections are listed
    without their contents; with `explain` each says why it was chosen. `cache` is what the answer calls the cache: it
    is in the text that the budget bounds. Where several are asked as one, they are `caches`, in order, and `cache` is
    empty; `left_out` are those that could not be asked.
    """

    query: str
    budget: int | None = None
    limit: int | None = None
    under: str | None = None
    known: tuple[str, ...] = ()
    outline: bool = False
    explain: bool = False
    cache: str = ""
    caches: tuple[AskedCache, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def bound(self) -> int:
        """The most tokens of the whole text."""
        return USUAL_BUDGET if self.budget is None else self.budget

    @property
    def text_bound(self) -> int:
        """The most tokens of the text before the pointers; an outline has none."""
        if self.outline:
            return self.bound
        if self.budget is None:
            return USUAL_TEXT
        return self.budget - min(_POINTERS, self.budget // _PART)

    @property
    def stops(self) -> bool:
        """Whether the answer stops where relevance falls off: a named budget is filled, and an outline lists."""
        return self.budget is None and not self.outline

    @property
    def share(self) -> int:
        """Hundredths of the best score below which no section is given."""
        return USUAL_SHARE if self.stops else 10 * SHARE
