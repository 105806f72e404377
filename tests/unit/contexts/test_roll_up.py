"""A listing within a budget: whole levels, what is left out counted where it hangs, and nothing lost in the counts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from holdfast.contexts.roll_up import BUDGET, RollUp, within_budget
from holdfast.core.canonical_json import encode
from holdfast.core.token_estimate import estimate_tokens

if TYPE_CHECKING:
    from holdfast.contexts.shapes import ListAnswer, ListedContext, State

STATES: tuple[State, ...] = ("fresh", "stale", "missing")


def listed(scope: str, state: State = "fresh") -> ListedContext:
    return {"scope": scope, "state": state, "has_context": state != "missing"}


def answer(entries: list[ListedContext]) -> ListAnswer:
    return {
        "root": "/p",
        "total_directories": len(entries),
        "skipped_directories": 0,
        "tracked": len(entries),
        "entries": entries,
    }


def rolled(
    entries: list[ListedContext],
    *,
    depth: int | None = None,
    budget: int = BUDGET,
    top: str = ".",
    known: list[ListedContext] | None = None,
) -> ListAnswer | None:
    roll_up = RollUp(entries, {entry["scope"]: entry for entry in known or entries}, top)
    return within_budget(answer(entries), roll_up, depth=depth, budget=budget)


def test_what_fits_is_given_whole_and_says_nothing_more() -> None:
    entries = [listed("."), listed("a"), listed("a/b", "stale")]

    assert rolled(entries) == answer(entries)


def test_a_depth_counts_what_is_below_where_it_hangs_also_where_no_context_is_needed() -> None:
    entries = [listed("."), listed("a"), listed("a/b", "stale"), listed("a/b/c"), listed("d/e", "missing")]
    found = rolled(entries, depth=1)

    assert found is not None
    assert found["entries"] == [
        listed("."),
        {**listed("a"), "below": {"fresh": 1, "stale": 1}},
        {**listed("d", "missing"), "below": {"missing": 1}},
    ]
    assert found["more"].startswith("3 directories below depth 1 are counted in `below`, not listed: ")


def test_depth_counts_from_the_scope_that_is_asked_for() -> None:
    entries = [listed("a"), listed("a/b"), listed("a/b/c")]
    found = rolled(entries, depth=1, top="a")

    assert found is not None
    assert found["entries"] == [listed("a"), {**listed("a/b"), "below": {"fresh": 1}}]


def test_a_directory_that_was_not_asked_for_stands_for_those_below_it_with_its_own_state() -> None:
    everything = [listed("."), listed("a"), listed("a/b", "stale")]
    found = rolled([everything[2]], depth=1, known=everything)

    assert found is not None
    assert found["entries"] == [{**listed("a"), "below": {"stale": 1}}]


def test_a_flat_project_lists_as_many_as_fit_and_counts_the_rest() -> None:
    entries = [listed("."), *[listed(f"part{number:05d}") for number in range(5000)]]
    found = rolled(entries, budget=2000)

    assert found is not None
    assert len(found["entries"]) > 20
    assert found["entries"][0]["below"]["fresh"] == 5001 - len(found["entries"])


def test_a_budget_for_no_entry_at_all_gives_nothing() -> None:
    assert rolled([listed("."), listed("a")], budget=10) is None


@st.composite
def trees(draw: st.DrawFn) -> list[ListedContext]:
    scopes = {"."}
    for path in draw(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=5), max_size=30)):
        scopes.add("/".join(path))
    return [listed(scope, draw(st.sampled_from(STATES))) for scope in sorted(scopes)]


@given(trees(), st.integers(0, 6), st.integers(100, 1500))
def test_every_directory_is_listed_or_counted_once_and_the_budget_holds(
    entries: list[ListedContext], depth: int, budget: int
) -> None:
    found = rolled(entries, depth=depth, budget=budget)
    if found is None:
        return
    counted: Counter[str] = Counter()
    asked = {entry["scope"] for entry in entries}
    for entry in found["entries"]:
        if entry["scope"] in asked:
            counted[entry["state"]] += 1
        counted.update(entry.get("below", {}))
    assert +counted == Counter(entry["state"] for entry in entries)
    assert estimate_tokens(encode(found) + "\n") <= budget
