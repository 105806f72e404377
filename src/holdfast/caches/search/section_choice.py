"""Which of the sections that match are given within a budget, and which are named after them. Pure.

The ranking is walked once, down to a share of the best score. A section that does not fit is passed over, never cut: a
later, smaller one may still fit. Equal texts are given once; what the caller has already is named and not given;
neighbours in one document become one entry. What was not given is named in the order of the ranking.
"""

from __future__ import annotations

from holdfast.caches.search.answer_entry import TEXT
from holdfast.caches.search.asked_caches import prefix_of
from holdfast.caches.search.section_ranking import RankedSection
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holdfast.caches.search.answer_cost import AnswerCost
    from holdfast.caches.search.known_citations import KnownCitations
    from holdfast.caches.search.proven_page import CitedText, ProvenPage
    from holdfast.caches.search.search_request import SearchRequest
    from holdfast.caches.search.search_source import SearchSource
    from holdfast.caches.search.section import Section

# Sections in a row that do not fit and so end the walk: the rest of the budget is too small.
MISSES = 10
# No line that names a section has fewer tokens.
_LEAST_LABEL = 8
# Equal texts named beside the given one; known citations named.
MOST_NAMED, MOST_KNOWN = 3, 8
# A place in an answer that has as many digits as any.
_ANY_PLACE = 99
# Where an answer lists, the sections that are given with their text, and the tokens of one that is.
MOST_BODIES, MOST_BODY = 2, 400
# What was counted of a section: the lines that name it.
_LABEL = "label"

# What became of a section that was looked at.
GIVEN, EQUAL, KNOWN, TOO_LONG, NAMED = "given equal known long named".split(" ")


class ChosenSection(NamedTuple):
    """A section that is given, its place and its cost; `also` are citations of equal texts."""

    ranked: RankedSection
    place: int
    cited: CitedText
    cost: int
    also: list[str]


class SectionChoice:
    """A walk down the ranking, within the rest of a budget and a limit of sections.

    `verdicts` has what became of each section that was looked at: a word, and for one that is too long the tokens it
    lacked: a lower bound, or the exact number where it is reported, which costs more. `why_line` gives the line that
    explains a section.
    """

    def __init__(
        self,
        source: SearchSource,
        request: SearchRequest,
        cost: AnswerCost,
        known: KnownCitations,
        why_line: Callable[[int, ProvenPage, Section], str] | None,
        *,
        exact: bool = False,
    ) -> None:
        self._exact = exact
        self._lists = range(0) if request.outline else source.lists
        self._bodies = 0  # sections that are given with their text
        self._source, self._request, self._cost, self._why_line = source, request, cost, why_line
        self._known_citations = known
        self._pages: dict[int, ProvenPage] = {}
        self.taken: dict[int, ChosenSection] = {}
        self.by_digest: dict[str, int] = {}
        self.known: list[int] = []
        self.known_named: list[str] = []
        self.known_more = 0
        self.verdicts: dict[int, tuple[str, int]] = {}
        self._settled: set[int] = set()  # not to be given: others say the same, or the caller has them
        self._equal: dict[int, int] = {}  # number -> how many have the same text

    def walk(
        self,
        ranked: Iterable[RankedSection],
        place_of: Callable[[int], int],
        rooms: tuple[int, int],
        least: int,
        most: int | None,
    ) -> None:
        """Take what fits of these, in their order, down to a least score. `rooms` are the tokens for the first one that
        fits, and for all together."""
        first, left = rooms
        misses = 0
        for each in ranked:
            if each.score < least or len(self.taken) == most:
                break
            room = left if self.taken else first
            missing, after = self._consider(each, place_of(each.number), room)
            left -= room - after
            first -= room - after
            misses = misses + 1 if missing else 0
            if misses == MISSES:
                break

    def named(self, ranked: Iterable[RankedSection], place_of: Callable[[int], int], most: int) -> list[CitedText]:
        """The first of these that are not given, within the limit: equal texts once, none that the caller has."""
        found: dict[str, CitedText] = {}
        for each in ranked:
            number = each.number
            if len(found) == most:
                break
            if number in self.taken or number in self._settled:
                continue
            place = place_of(number)
            cited = self._cited(number, place)
            if cited.digest in found or cited.digest in self.by_digest:
                continue
            if self._known(cited, place) is None:
                cited.part = self._part(number, place)
                found[cited.digest] = cited
                self.verdicts.setdefault(number, (NAMED, 0))
        return list(found.values())

    def _part(self, number: int, place: int) -> int:
        """Which of several sections that begin on one line a section is, from 1; 0 where it is the only one."""
        section, origin = self._source.section(number), self.page(place).document.origin
        if not (section.from_column or section.to_column or (origin is not None and origin.lines)):
            return 0
        line, section_at = section.cited_lines[0], self._source.section
        begun = [each for each in range(*self._source.extent(place)) if section_at(each).cited_lines[0] == line]
        return begun.index(number) + 1 if len(begun) > 1 else 0

    def drop_last(self, missing: int) -> None:
        """Give up what was taken last, since `missing` tokens are missing."""
        number, chosen = self.taken.popitem()
        del self.by_digest[chosen.cited.digest]
        self._bodies -= not chosen.cited.is_named
        self.verdicts[number] = (TOO_LONG, missing)

    @property
    def excluded_by_budget(self) -> int:
        """How many sections were looked at and are too long for what was left."""
        return sum([verdict == TOO_LONG for verdict, _ in self.verdicts.values()])

    def least_price(self, place_of: Callable[[int], int]) -> int:
        """What the cheapest of those costs that were looked at and are too long."""
        prices = []
        for number in [number for number, (verdict, _) in self.verdicts.items() if verdict == TOO_LONG]:
            lines = self._price_of_lines(number, place := place_of(number), self._cited(number, place))
            is_line = self._request.outline or number in self._lists
            prices.append(lines + (0 if is_line else self._cost.content(self._source.tokens[number])))
        return min(prices)

    def equal_to(self, number: int) -> int:
        """How many sections have the same text as one that is given."""
        return self._equal.get(number, 0)

    def page(self, place: int) -> ProvenPage:
        """A document, proven by its hash and asked for once."""
        found = self._pages.get(place)
        if found is None:
            found = self._pages[place] = self._source.page(place)
        return found

    def text(self, number: int, place: int) -> str:
        """The content of a section, whether it is taken or not."""
        section = self._source.section(number)
        return self.page(place).document.content[section.start : section.end]

    def joined(self, group: list[ChosenSection]) -> CitedText:
        """Sections that follow each other as one."""
        if len(group) == 1:
            return group[0].cited
        place = group[0].place
        begin, _ = self._source.extent(place)
        return self.page(place).joined(group[0].ranked.number - begin, group[-1].ranked.number - begin)

    def _cited(self, number: int, place: int) -> CitedText:
        begin, _ = self._source.extent(place)
        return self.page(place).cited(number - begin, lambda _: self._source.section(number))

    def groups(self) -> list[list[ChosenSection]]:
        """What is given, best first: neighbours in one document together, in its order, at the place of their best."""
        joined: list[list[ChosenSection]] = []
        for number in sorted(self.taken):
            chosen = self.taken[number]
            if joined and not self._request.outline and self._follows(joined[-1][-1], chosen):
                joined[-1].append(chosen)
            else:
                joined.append([chosen])
        joined.sort(key=lambda group: (-max([each.ranked.score for each in group]), group[0].ranked.number))
        first: dict[int, int] = {}  # what is of one file comes together, since only its first line has the name
        order = []
        for at, group in enumerate(joined):
            is_listed = group[0].ranked.number in self._lists
            order.append((first.setdefault(group[0].place, at) if is_listed else at, at))
        return [joined[at] for _, at in sorted(order)]

    def _follows(self, one: ChosenSection, other: ChosenSection) -> bool:
        is_next = one.ranked.number + 1 == other.ranked.number and one.place == other.place
        return is_next and one.ranked.number not in self._lists

    def _known(self, cited: CitedText, place: int) -> str | None:
        """The citation by which the caller has a section; None where it is new."""
        if not self._known_citations:
            return None
        page = self._pages[place]
        prefix = page.prefix or (self._request.cache and prefix_of(self._request.cache))
        return self._known_citations.find(page.document, cited.section.start, cited.section.end, cited.digest, prefix)

    def _consider(self, ranked: RankedSection, place: int, left: int) -> tuple[int, int]:
        """Take one section if it fits; the tokens that it lacks (0 where it is done with), and what is left."""
        number, request, cost = ranked.number, self._request, self._cost
        tokens = 0 if request.outline else cost.content(self._source.tokens[number])
        is_named = number in self._lists and (
            self._bodies == MOST_BODIES or tokens > min(MOST_BODY, left) or self._overlaps_given(number, place)
        )
        if is_named:
            tokens = 0
        if tokens + (0 if self._has_neighbour(number, place) else _LEAST_LABEL) > left:
            label = self._price_of_lines(number, place, self._cited(number, place)) if self._exact else _LEAST_LABEL
            return self._too_long(number, tokens + label - left), left
        cited = self._cited(number, place)
        if is_named:
            cited = self.page(place).named(cited)
        if (held := self._known(cited, place)) is not None:
            self.verdicts[number] = (KNOWN, 0)
            self._settled.add(number)
            self.known.append(number)
            return 0, left - self._name_known(held, left)
        if (same := self.by_digest.get(cited.digest)) is not None:
            self.verdicts[number] = (EQUAL, same)
            self._settled.add(number)
            if self.taken[same].cited.citation == cited.citation:
                return 0, left  # another piece of it
            self._equal[same] = self._equal.get(same, 0) + 1
            also, price = self.taken[same].also, cost.line(f"(also: {cited.citation})")
            if len(also) >= MOST_NAMED or price > left:
                return 0, left
            also.append(cited.citation)
            return 0, left - price
        price = tokens + self._price_of_lines(number, place, cited)
        if price > left:
            return self._too_long(number, price - left), left
        if TEXT not in cited.costs and (weight := self._source.text_weight(number)) is not None:
            cited.costs[TEXT] = weight
        self._bodies += not is_named
        self.taken[number] = ChosenSection(ranked, place, cited, price, [])
        self.by_digest[cited.digest] = number
        self.verdicts[number] = (GIVEN, 0)
        return 0, left - price

    def _overlaps_given(self, number: int, place: int) -> bool:
        """Whether a section of source has lines in common with one that is given with its text."""
        given = [each.cited.section for each in self.taken.values() if each.place == place and not each.cited.is_named]
        own = self._source.section(number) if given else None
        return own is not None and any(each.start < own.end and own.start < each.end for each in given)

    def _price_of_lines(self, number: int, place: int, cited: CitedText) -> int:
        """The cost of the lines above a section's text, or of the gap to a neighbour that is given."""
        cost, section = self._cost, cited.section
        price = 0
        if self._why_line is not None:
            price += cost.line(self._why_line(number, self.page(place), section))
        if self._request.outline or cited.is_named:
            return price + self._price_of_outline(number, place, cited)
        content = self.page(place).document.content
        if (above := self._neighbour(number - 1, place)) is not None:
            return price + cost.gap(content[above.end : section.start])
        if (below := self._neighbour(number + 1, place)) is not None:
            return price + cost.gap(content[section.end : below.start])
        known = cited.costs.get(_LABEL)
        if known is None:
            label = cited.label(_ANY_PLACE)
            if cited.header:
                label += "\n" + cited.header
            known = cited.costs[_LABEL] = self._price_of_label(number, place, cited, label)
        return price + known

    def _price_of_outline(self, number: int, place: int, cited: CitedText) -> int:
        label = cited.outline_label(_ANY_PLACE, self._source.tokens[number])
        price = self._price_of_label(number, place, cited, label)
        if self._cost.count is None:  # the path is given in full here, and was counted without what the text says
            price += self._cost.line(f" · {cited.outline_path()} · 9,999 tokens")
        return price

    def _price_of_label(self, number: int, place: int, cited: CitedText, label: str) -> int:
        page, section = self.page(place), cited.section
        price = self._cost.prefix(page.prefix, page.document.name) if page.prefix else 0
        columns = section.from_column, section.to_column
        numbers = (_ANY_PLACE, *section.cited_lines, *columns, section.cited_header)
        return price + self._cost.label(label, self._source.name_tokens(number), numbers, cited.citation[-12:])

    def _neighbour(self, number: int, place: int) -> Section | None:
        chosen = None if number in self._lists else self.taken.get(number)
        return chosen.cited.section if chosen is not None and chosen.place == place else None

    def _has_neighbour(self, number: int, place: int) -> bool:
        if self._request.outline:
            return False
        return any(self._neighbour(each, place) is not None for each in (number - 1, number + 1))

    def _too_long(self, number: int, missing: int) -> int:
        self.verdicts[number] = (TOO_LONG, missing)
        return missing

    def _name_known(self, citation: str, left: int) -> int:
        """Name a citation that is held already, where there is room; what that costs."""
        if citation in self.known_named:
            return 0
        price = self._cost.line(citation + ",")
        if len(self.known_named) == MOST_KNOWN or price > left:
            self.known_more += 1
            return 0
        self.known_named.append(citation)
        return price
