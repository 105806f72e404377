"""How good one answer is: nDCG of its pages, and which judged pages and lines are within a budget. Pure.

An answer is a list of lines given, best first. nDCG@5 is over pages in the order they first appear, with gain
2^grade - 1. Page recall is the share of a question's judged pages of which anything is given; section recall the share
of its groups of which a line is given.
"""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.quality.judged_sets import Lines, Question

DEPTH = 5
BUDGETS = (1000, 2000, 4000)
# Room for far more than so many pages, for their order.
ROOMY = 32_000

NDCG = f"nDCG@{DEPTH}"
PAGE_RECALL = {budget: f"page recall in {budget:,} tokens" for budget in BUDGETS}
SECTION_RECALL = {budget: f"section recall in {budget:,} tokens" for budget in BUDGETS}
MEASURES = (NDCG, *PAGE_RECALL.values(), *SECTION_RECALL.values())


def measure(answers: Mapping[int, Sequence[Lines]], question: Question) -> dict[str, float]:
    """The figures of one question from its answer within each budget; section recall only where lines are judged."""
    figures = {NDCG: ndcg(pages_of(answers[ROOMY]), question.grades)}
    for budget in BUDGETS:
        figures[PAGE_RECALL[budget]] = page_recall(answers[budget], question.grades)
        if question.groups:
            figures[SECTION_RECALL[budget]] = section_recall(answers[budget], question.groups)
    return figures


def pages_of(answer: Sequence[Lines]) -> list[str]:
    """The pages of an answer in the order they first appear."""
    return list(dict.fromkeys([lines.page for lines in answer]))


def ndcg(pages: Sequence[str], grades: Mapping[str, int], depth: int = DEPTH) -> float:
    """Discounted gain of the first pages, as a share of the best there could be."""
    best = sorted(grades.values(), reverse=True)
    return _gain([grades.get(page, 0) for page in pages[:depth]]) / _gain(best[:depth])


def _gain(grades: Sequence[int]) -> float:
    return sum([((1 << grade) - 1) / log2(place + 2) for place, grade in enumerate(grades)])


def page_recall(answer: Sequence[Lines], grades: Mapping[str, int]) -> float:
    """The share of judged pages of which anything is given."""
    return len(grades.keys() & set(pages_of(answer))) / len(grades)


def section_recall(answer: Sequence[Lines], groups: Sequence[Sequence[Lines]]) -> float:
    """The share of groups that are met: a line of any of their ranges is given."""
    met = [any(_overlap(wanted, given) for wanted in group for given in answer) for group in groups]
    return sum(met) / len(groups)


def _overlap(one: Lines, other: Lines) -> bool:
    return one.page == other.page and one.first <= other.last and other.first <= one.last
