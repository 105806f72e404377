"""The largest number that fits, found without trying much larger ones; answers that say what they cost. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from holdfast.core.errors import BudgetTooSmall
from holdfast.core.token_estimate import estimate_tokens

Answer = TypeVar("Answer", bound=Any)


def largest_fit(limit: int, fits: Callable[[int], bool]) -> int:
    """The most up to `limit` that fit, 0 where not even one does; nothing much larger than that is tried.

    What fits is taken to fit in smaller numbers too; where it does not, the result still fits.
    """
    taken, step = 0, 1
    while taken + step <= limit and fits(taken + step):
        taken += step
        step *= 2
    too_many = min(taken + step, limit + 1)
    while too_many - taken > 1:
        middle = (taken + too_many) // 2
        if fits(middle):
            taken = middle
        else:
            too_many = middle
    return taken


def counted(answer: Answer, as_text: Callable[[Answer], str]) -> Answer:
    """An answer with the tokens of its text as `tokens_used`, that number included."""
    while (tokens := estimate_tokens(as_text(answer) + "\n")) > answer["tokens_used"]:
        answer["tokens_used"] = tokens
    return answer


def fitted(limit: int, answer: Callable[[int], Answer], budget: int, what: str = "answer") -> Answer:
    """The `counted` answer with the most items, up to `limit`, that fits; BudgetTooSmall where not even none do."""
    value = answer(largest_fit(limit, lambda count: answer(count)["tokens_used"] <= budget))
    if value["tokens_used"] > budget:
        raise BudgetTooSmall(value["tokens_used"], f"the shortest {what} does not fit")
    return value
