"""Every section that matches a search: what became of it, for what cause, and what its score is made of. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from holdfast.caches.search.search_request import USUAL_SHARE, SearchRequest
from holdfast.caches.search.search_result import Search
from holdfast.caches.search.search_source import SearchSource
from holdfast.caches.search.section_choice import EQUAL, GIVEN, KNOWN, MISSES, NAMED, TOO_LONG
from holdfast.caches.search.section_ranking import FALL, SHARE, ranking
from holdfast.caches.shapes import ConsideredSection
from holdfast.core.errors import BudgetTooSmall

# What is said of sections that were not looked at: why the walk had ended; or they are not in the ranking, by what they
# are worth on their own or by how many of their page come before them.
FARTHER, LIMIT, STOPPED, UNREACHED, BELOW, PAGE = "farther limit stopped unreached below page".split(" ")
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split(" ")
_NUMBERS = "no one two three four five six seven eight nine ten".split(" ")


def find_candidates(source: SearchSource, request: SearchRequest, most: int) -> list[ConsideredSection]:
    """The `most` best sections that match, with what became of each; `turn` is how many of its page rank before it.

    Sections below the share of the best score come last.
    """
    search = Search(source, request, exact=True)
    try:
        search.result()
    except BudgetTooSmall:
        pass  # every candidate then says what it lacks
    matches, scores, choice = search.walked()
    ranked = list(ranking(scores, matches.document_of))
    weighed = {each.number: each.turn for each in ranked}
    every = matches.scores if request.under is None else scores
    least = (SHARE * max(every.values(), default=0) + 9) // 10
    late = _turns(every, least, matches.document_of)
    rest = sorted([(-score, number) for number, score in every.items() if number not in weighed])
    stop = request.share * max(scores.values(), default=0)
    found: list[ConsideredSection] = []
    for number, score in [*[each[:2] for each in ranked], *[(number, -score) for score, number in rest]][:most]:
        section = source.section(number)
        if number in weighed:
            turn = weighed[number]
            ended = _end_of_walk(request, len(choice.taken), weak=search.weak, below=100 * score < stop)
            verdict, detail = choice.verdicts.get(number, (ended, 0))
        else:
            turn, verdict, detail = late.get(number, 0), PAGE if score >= least else BELOW, 0
        place = matches.document_of(number)
        reasons = matches.reasons(number)
        found.append(
            ConsideredSection(
                id=source.prefix(place) + source.id_of(place),
                heading=section.heading,
                lines=section.cited_lines,
                score=score,
                tokens=source.tokens[number],
                turn=turn,
                terms=[{"term": term, "field": field, "impact": impact} for term, field, impact in reasons],
                verdict=verdict,
                cause=cause(verdict, turn, detail),
            )
        )
    return found


def _turns(scores: Mapping[int, int], least: int, page_of: Callable[[int], int]) -> dict[int, int]:
    """Of each section that reaches the share, how many of its page rank before it."""
    before: dict[int, int] = {}
    turns = {}
    for _, number in sorted([(-score, number) for number, score in scores.items() if score >= least]):
        page = page_of(number)
        turns[number] = before.get(page, 0)
        before[page] = turns[number] + 1
    return turns


def _end_of_walk(request: SearchRequest, taken: int, *, weak: bool, below: bool) -> str:
    """Why a section after those that were looked at was not."""
    if request.limit is not None and taken >= request.limit:
        return LIMIT
    return FARTHER if weak and request.stops else STOPPED if below else UNREACHED


def cause(verdict: str, turn: int, lacking: int) -> str:
    """What became of a section, and by how many tokens it missed, as words that follow its name."""
    later = f"the {_ordinal(turn)} section of one page"
    causes = {
        GIVEN: f"given, as {later}" if turn else "given",
        EQUAL: "says the same as one that is given",
        KNOWN: "known to the caller",
        NAMED: "named, not given: context.read gives it by its line",
        TOO_LONG: f"did not fit by {lacking:,} token{'' if lacking == 1 else 's'}",
        LIMIT: "beyond the limit that was asked for",
        FARTHER: "nothing here answers well: the best alone is given",
        STOPPED: f"below {USUAL_SHARE / 100} of the best score, where an answer without a budget stops",
        UNREACHED: f"not looked at: {_NUMBERS[MISSES]} in a row before it did not fit",
        PAGE: f"{later}: it counts {_kept(turn)} of its score, and that is below {SHARE / 10} of the best",
        BELOW: f"below {SHARE / 10} of the best score",
    }
    return causes[verdict]


def _ordinal(turn: int) -> str:
    if turn < len(_ORDINALS):
        return _ORDINALS[turn]
    number = turn + 1
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def _kept(turn: int) -> str:
    return f"{(FALL / 100) ** turn:.2f}"
