"""A listing within a budget of tokens: as many levels as fit, and what is left out counted where it hangs. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holdfast.contexts.freshness import STATES
from holdfast.core.canonical_json import encode
from holdfast.core.largest_fit import largest_fit
from holdfast.core.token_estimate import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.contexts.shapes import ListAnswer, ListedContext

BUDGET = 20_000
_ROOT = "."
# No text is fewer tokens than a twelfth of its bytes but for runs of blanks, which JSON of names has none of.
_MOST_BYTES_A_TOKEN = 12


class _Chosen(NamedTuple):
    """The entries to list, in order of scope, and how many directories each represents besides itself."""

    entries: list[ListedContext]
    hidden: int


def level(scope: str, top: str) -> int:
    """How many folders below `top` a scope lies."""
    if scope == top:
        return 0
    return scope.count("/") + 1 - (0 if top == _ROOT else top.count("/") + 1)


def _parent(scope: str, top: str) -> str:
    return scope.rpartition("/")[0] or top


class RollUp:
    """The entries that were asked for, and which of them are listed at a level."""

    def __init__(self, wanted: Sequence[ListedContext], known: Mapping[str, ListedContext], top: str) -> None:
        self._wanted = wanted
        self._known = known  # every directory of the project, whether it was asked for or not
        self._top = top
        self.deepest = max([level(entry["scope"], top) for entry in wanted], default=0)

    def at(self, depth: int, most: int | None = None) -> _Chosen:
        """All entries down to a depth, at most `most` of the last level; a hidden one is counted at its parent."""
        listed: dict[str, ListedContext] = {}
        hidden: list[ListedContext] = []
        room = len(self._wanted) if most is None else most
        for entry in self._wanted:
            at = level(entry["scope"], self._top)
            if at > depth or (at == depth and at > 0 and room <= 0):
                hidden.append(entry)
                continue
            room -= at == depth
            listed[entry["scope"]] = entry
        below: dict[str, dict[str, int]] = {}
        for entry in hidden:
            scope = entry["scope"]
            while level(scope, self._top) > depth:
                scope = _parent(scope, self._top)
            if most is not None and scope not in listed:
                scope = _parent(scope, self._top)
            if scope not in listed:
                listed[scope] = self._known.get(scope, {"scope": scope, "state": "missing", "has_context": False})
            counts = below.setdefault(scope, dict.fromkeys(STATES, 0))
            counts[entry["state"]] += 1
        entries = [self._with_counts(listed[scope], below.get(scope)) for scope in sorted(listed)]
        return _Chosen(entries, len(hidden))

    @staticmethod
    def _with_counts(entry: ListedContext, counts: Mapping[str, int] | None) -> ListedContext:
        if counts is None:
            return entry
        return {**entry, "below": {state: count for state, count in counts.items() if count}}


def within_budget(answer: ListAnswer, roll_up: RollUp, *, depth: int | None, budget: int) -> ListAnswer | None:
    """The answer with as many levels as fit the budget, none deeper than `depth`; None where not one entry does."""
    wanted = roll_up.deepest if depth is None else min(depth, roll_up.deepest)
    # Mostly all of it fits, and that costs no more than a look at its length.
    if (whole := _fitting(answer, roll_up.at(wanted), wanted, budget)) is not None:
        return whole
    best, reached = None, -1
    for at in range(wanted):
        found = _fitting(answer, roll_up.at(at), at, budget)
        if found is None:
            break
        best, reached = found, at
    if reached == 0:
        return _part_of_a_level(answer, roll_up, budget) or best
    return best


def _part_of_a_level(answer: ListAnswer, roll_up: RollUp, budget: int) -> ListAnswer | None:
    """The answer with as many entries of the first level as fit; None where none does."""
    most = largest_fit(
        len(roll_up.at(1).entries), lambda some: _fitting(answer, roll_up.at(1, some), 1, budget) is not None
    )
    return _fitting(answer, roll_up.at(1, most), 1, budget) if most else None


def _fitting(answer: ListAnswer, chosen: _Chosen, depth: int, budget: int) -> ListAnswer | None:
    listed: ListAnswer = {**answer, "entries": chosen.entries}
    if chosen.hidden:
        listed["more"] = (
            f"{chosen.hidden:,} directories below depth {depth} are counted in `below`, not listed: "
            "give `under` with a scope, or `depth` and `budget`."
        )
    text = encode(listed)
    if text.isascii() and len(text) < budget:
        return listed  # a token is at least a byte
    if len(text) > _MOST_BYTES_A_TOKEN * budget or estimate_tokens(text + "\n") > budget:
        return None
    return listed
