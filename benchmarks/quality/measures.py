"""How good one answer is: the order of its pages, what is in it, what it names, and what the gold costs. Pure.

nDCG@5 is over pages in the order of the ranking, with gain 2^grade - 1. The gold of a question is any line of its
judged groups where lines are judged, else any line of its judged pages.
"""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.quality.judged_sets import Lines, Question

DEPTH = 5
BUDGET = 4000
# Tokens of one `context.read`, and of asking again in other words, as an agent pays for them.
READ, ASK_AGAIN = 180, 2060

NDCG = f"nDCG@{DEPTH}"
PAGE_RECALL = f"page recall in {BUDGET:,} tokens"
SECTION_RECALL = f"section recall in {BUDGET:,} tokens"
IN_TEXT, NAMED, COST, TOKENS = "gold in the text", "gold in the text or named", "cost to the gold", "tokens"
# For one own question, the share of foreign ones that are weaker; its mean is the area under the curve.
AUC = "strength of own above foreign questions (AUC)"
MEASURES = (NDCG, PAGE_RECALL, SECTION_RECALL, IN_TEXT, NAMED, COST, TOKENS, AUC)
# Counted in tokens: less is better.
IN_TOKENS = frozenset({COST, TOKENS})


class Answer(NamedTuple):
    """The lines that an answer gives, best first; those of sections that it only names; the tokens of its text."""

    given: list[Lines]
    named: list[Lines]
    tokens: int


def measure(pages: Sequence[str], usual: Answer, large: Answer, question: Question) -> dict[str, float]:
    """The figures of one question: of the pages in their order, of the answer at no named budget, and of the one
    within `BUDGET`; section recall only where lines are judged."""
    in_text = has_gold(usual.given, question)
    named = in_text or has_gold(usual.named, question)
    figures = {
        NDCG: ndcg(pages, question.grades),
        PAGE_RECALL: page_recall(large.given, question.grades),
        IN_TEXT: float(in_text),
        NAMED: float(named),
        COST: usual.tokens + (0 if in_text else READ if named else ASK_AGAIN),
        TOKENS: usual.tokens,
    }
    if question.groups:
        figures[SECTION_RECALL] = section_recall(large.given, question.groups)
    return figures


def above(own: int, foreign: Sequence[int]) -> float:
    """The share of foreign strengths below one's own, equal ones counted half."""
    return sum([(own > other) + (own >= other) for other in foreign]) / (2 * len(foreign))


def has_gold(lines: Sequence[Lines], question: Question) -> bool:
    """Whether any of the lines is judged to answer the question."""
    if question.groups:
        return section_recall(lines, question.groups) > 0
    return page_recall(lines, question.grades) > 0


def ndcg(pages: Sequence[str], grades: Mapping[str, int], depth: int = DEPTH) -> float:
    """Discounted gain of the first pages, as a share of the best there could be."""
    best = sorted(grades.values(), reverse=True)
    return _gain([grades.get(page, 0) for page in pages[:depth]]) / _gain(best[:depth])


def _gain(grades: Sequence[int]) -> float:
    return sum([((1 << grade) - 1) / log2(place + 2) for place, grade in enumerate(grades)])


def page_recall(answer: Sequence[Lines], grades: Mapping[str, int]) -> float:
    """The share of judged pages of which anything is given."""
    return len(grades.keys() & {lines.page for lines in answer}) / len(grades)


def section_recall(answer: Sequence[Lines], groups: Sequence[Sequence[Lines]]) -> float:
    """The share of groups that are met: a line of any of their ranges is given."""
    met = [any(_overlap(wanted, given) for wanted in group for given in answer) for group in groups]
    return sum(met) / len(groups)


def _overlap(one: Lines, other: Lines) -> bool:
    return one.page == other.page and one.first <= other.last and other.first <= one.last
