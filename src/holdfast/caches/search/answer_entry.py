"""One entry of an answer while its sections are still being chosen: its lines, and what they weigh. Pure."""

from __future__ import annotations

from holdfast.caches.cache_format import PREFIX
from holdfast.caches.search.receipts import ReceiptSection
from holdfast.caches.search.search_text import also_line, claim_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.caches.search.proven_page import CitedText
    from holdfast.caches.search.section_choice import ChosenSection
    from holdfast.caches.search.section_reasons import TermReason

# What was counted of a cited text: the text itself.
TEXT = "text"


class AnswerEntry:
    """Sections that are given as one; `tokens` are those of their contents.

    `also` are citations of equal texts, `also_more` how many more there are, `why` the reasons of the best of the
    sections where they were asked for and `why_more` how many of them were left out. `claim` is what the context of its
    directory says to the question.
    """

    __slots__ = ("also", "also_more", "best", "cited", "claim", "group", "tokens", "why", "why_more")

    def __init__(self, group: list[ChosenSection], cited: CitedText, tokens: int, equal: int, claim: str = "") -> None:
        self.group, self.cited, self.tokens, self.claim = group, cited, tokens, claim
        self.best = group[0]
        self.also: Sequence[str] = tuple(group[0].also)  # more may be found before the answer is made
        if len(group) > 1:
            self.best = max(group, key=lambda chosen: (chosen.ranked.score, -chosen.ranked.number))
            self.also = [citation for chosen in group for citation in chosen.also]
        self.also_more = equal - len(self.also)
        self.why: list[TermReason] | None = None
        self.why_more = 0

    @property
    def sections(self) -> int:
        """How many of the sections match; the others are neighbours."""
        return sum([chosen.ranked.score > 0 for chosen in self.group])

    @property
    def recorded(self) -> ReceiptSection:
        """What a receipt remembers of it."""
        return ReceiptSection(self.cited.citation, PREFIX + self.cited.digest, self.best.ranked.score, self.claim)

    def label(self, place: int, is_new: tuple[bool, bool], *, outline: bool) -> str:
        """The line that names it; `is_new` says whether its title and heading are shown for the first time."""
        if outline or self.cited.is_named:
            return self.cited.outline_label(place, self.tokens, with_title=is_new[0])
        return self.cited.label(place, is_new)

    def between(self, *, outline: bool) -> list[str]:
        """The lines between that one and the text."""
        lines = [claim_line(self.claim)] if self.claim else []
        if self.also:
            lines.append(also_line(self.also, self.also_more))
        if self.why:
            from holdfast.caches.search.section_reasons import why_line  # few ask for reasons

            lines.append(why_line(self.why, self.why_more, self.best.ranked.turn))
        if self.cited.header and not outline and not self.cited.is_named:
            lines.append(self.cited.header)
        return lines

    def weight(self, place: int, weigh: Callable[[str], int], is_new: tuple[bool, bool], *, outline: bool) -> int:
        """What its lines weigh together."""
        costs = self.cited.costs
        # A place of as many digits counts the same, whichever they are.
        key = len(str(place)), is_new, outline
        weight = costs.get(key)
        if weight is None:
            weight = costs[key] = weigh(self.label(place, is_new, outline=outline))
        if between := self.between(outline=outline):
            weight += sum(map(weigh, between))
        if outline or self.cited.is_named:
            return weight
        text = costs.get(TEXT)
        if text is None:
            text = costs[TEXT] = weigh(self.cited.content)
        return weight + text

    def lines(self, place: int, is_new: tuple[bool, bool], *, outline: bool) -> list[str]:
        """Its lines, the text as one of them."""
        lines = [self.label(place, is_new, outline=outline), *self.between(outline=outline)]
        if not outline and not self.cited.is_named:
            lines.append(self.cited.content)
        return lines
