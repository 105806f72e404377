"""The answer of `context.search`: what was chosen, what it costs, and a receipt to prove it by. Pure.

The budget bounds the whole text of an answer (`search_text`), final newline included.
"""

from __future__ import annotations

from itertools import islice

from holdfast.caches.search.answer_cost import AnswerCost
from holdfast.caches.search.citations import cite
from holdfast.caches.search.impacts import RANKING
from holdfast.caches.search.known_citations import KnownCitations
from holdfast.caches.search.question import FLOOR, ask_source
from holdfast.caches.search.receipts import ReceiptSection, make_record, receipt_of
from holdfast.caches.search.search_text import as_text, header_lines
from holdfast.caches.search.section_choice import BELOW, SectionChoice
from holdfast.caches.search.section_label import header_line, header_text
from holdfast.caches.search.section_ranking import SHARE, ranking
from holdfast.core.errors import BudgetTooSmall
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.caches.cache_format import Document
    from holdfast.caches.search.search_request import SearchRequest
    from holdfast.caches.search.search_source import Matches, SearchSource
    from holdfast.caches.search.section import Section
    from holdfast.caches.search.section_choice import ChosenSection
    from holdfast.caches.search.section_reasons import TermReason
    from holdfast.caches.shapes import FoundSection, Record, SearchAnswer, SeveralCaches

# Where nothing seems to answer, so many of the nearest are given.
NEAREST = 3


class SectionHit(NamedTuple):
    """One entry of an answer: a section, or neighbours as one, with its citation.

    `cache` is its cache where several were asked, and empty where one was. `content` is None in an outline. `header` is
    the marked line of a table's header, where the entry begins inside the table; `also` are citations of equal texts
    and `also_more` how many more there are. `score` is that of its best section as it was ranked, `why` the reasons of
    that one where they were asked for, and `turn` how many sections of its page rank before it.
    """

    citation: str
    cache: str
    id: str
    version: str
    title: str
    heading: tuple[str, ...]
    first: int
    last: int
    content: str | None
    digest: str
    score: int
    tokens: int
    sections: int
    header: str
    also: list[str]
    also_more: int
    why: list[TermReason] | None
    turn: int


class SearchResult(NamedTuple):
    """The answer to one search: the entries, in order, and what was considered.

    `meets` is the share of the question that the best of them holds, in hundredths; `read_as` has words that no section
    holds and what they were read as; `known` are citations that were not sent again.
    """

    sections: list[SectionHit]
    request: SearchRequest
    cache_version: str
    tokens_used: int
    meets: int
    sections_considered: int
    sections_excluded_by_budget: int
    read_as: list[tuple[str, str]]
    known: list[str]
    known_more: int
    tokenizer: str
    receipt: str

    @property
    def answered(self) -> bool:
        """Whether what is given seems to answer."""
        return self.meets >= FLOOR

    @property
    def record(self) -> Record:
        """The record that the receipt is the hash of."""
        return _record(self.sections, self.request, self.cache_version, self.tokenizer)

    @property
    def text(self) -> str:
        """The answer as a model reads it."""
        return as_text(as_json(self)) + "\n"


class Candidate(NamedTuple):
    """A section that matches, what became of it (`section_choice`) and what it is made of."""

    id: str
    heading: tuple[str, ...]
    first: int
    last: int
    score: int
    tokens: int
    why: list[tuple[str, str, int]]
    verdict: str
    detail: int


def make_result(source: SearchSource, request: SearchRequest) -> SearchResult:
    """The answer that a cache gives; each document that a section is of is read and proven once.

    BudgetTooSmall where not even one of the sections that match fits.
    """
    return _Search(source, request).result()


def find_candidates(source: SearchSource, request: SearchRequest, most: int) -> tuple[list[Candidate], int]:
    """The sections that match, best first, at most so many, with what became of each; and how many there are."""
    return _Search(source, request).candidates(most)


class _Search:
    """One search of one cache."""

    def __init__(self, source: SearchSource, request: SearchRequest) -> None:
        known = KnownCitations(request.known)
        self._source, self._request = source, request
        self._matches = source.matches(ask_source(request.query, source))
        self._scores, self._matching = _within(request, self._matches, source)
        self._cost = AnswerCost(source.tokenizer)
        self._header_costs: dict[tuple[int, int, int], int] = {}  # by budget, and known ones named and not
        self._met: dict[int, int] = {}  # number of a section -> how far it meets the question
        self._choice = SectionChoice(source, request, self._cost, known, self._why_line() if request.explain else None)

    def result(self) -> SearchResult:
        """The answer."""
        choice, request = self._choice, self._request
        document_of = self._matches.document_of
        left = request.budget - self._header_cost(request.budget)
        if left < 0:
            raise BudgetTooSmall(request.budget - left, "what stands above the sections does not fit")
        choice.walk(ranking(self._scores, document_of), document_of, left, request.limit)
        if not choice.taken and choice.excluded_by_budget and not choice.known:
            least = choice.least_price(document_of)
            needed = least + self._header_cost(least + self._header_cost(request.budget))
            raise BudgetTooSmall(needed, "none of the sections that match best fits")
        if self._meets() < FLOOR:
            choice.keep(NEAREST)
        result = self._counted()
        # The parts were counted one by one, which is a little more than the whole: that much is left, too.
        if result.answered and choice.fill(document_of, request.budget - result.tokens_used, request.limit):
            result = self._counted()
        while result.tokens_used > request.budget:
            if not choice.taken:
                raise BudgetTooSmall(result.tokens_used, "the shortest answer here does not fit")
            choice.drop_last()
            result = self._counted()
        return result

    def candidates(self, most: int) -> tuple[list[Candidate], int]:
        """What matches, best first; what is below the share of the best after what is not."""
        try:
            self.result()
        except BudgetTooSmall:
            pass  # every candidate then says what it lacks
        found = []
        matches, source, verdicts = self._matches, self._source, self._choice.verdicts
        ranked = [(each.number, each.score) for each in ranking(self._scores, matches.document_of)]
        weighed = {number for number, _ in ranked}
        scores = matches.scores if self._request.under is None else self._scores
        rest = sorted([(-score, number) for number, score in scores.items() if number not in weighed])
        for number, score in [*ranked, *[(number, -score) for score, number in rest]][:most]:
            section = source.section(number)
            verdict, detail = verdicts.get(number, ("", 0) if number in weighed else (BELOW, 0))
            place, lines = matches.document_of(number), section.cited_lines
            name = source.prefix(place) + source.id_of(place)
            tokens, why = source.tokens[number], matches.reasons(number)
            found.append(Candidate(name, section.heading, *lines, score, tokens, why, verdict, detail))
        return found, self._matching

    def _header_cost(self, budget: int) -> int:
        """What the lines above the sections cost at most where the budget is that."""
        key = budget, len(self._choice.known_named), self._choice.known_more
        if key not in self._header_costs:
            self._header_costs[key] = self._worked_out_header_cost(budget)
        return self._header_costs[key]

    def _worked_out_header_cost(self, budget: int) -> int:
        selected = self._matching
        costs = []
        for meets in (100, 0):
            value = as_json(self._result([], budget, meets, "sha256:" + "0" * 64))
            value["selection"]["budget"] = budget
            value["selection"]["sections_selected"] = selected
            costs.append(sum([self._cost.line(line) for line in header_lines(value)]))
        return max(costs) + 2  # the blank line, and the word that says that an outline lists

    def _meets(self) -> int:
        """The share of the question that the best of what is given or known holds, or would at a limit of 0."""
        question, matches, met = self._matches.question, self._matches, self._met
        held = [*self._choice.taken, *self._choice.known]
        if self._request.limit == 0:
            held = [each.number for each in islice(ranking(self._scores, matches.document_of), NEAREST)]
        for number in held:
            if number not in met:
                met[number] = question.meets(matches.holds(number))
        return max([met[number] for number in held], default=0)

    def _counted(self) -> SearchResult:
        """The answer with the tokens of its text, that number included."""
        choice, request, count = self._choice, self._request, self._cost.count
        hits = [self._hit(group) for group in choice.groups()]
        used = self._header_cost(request.budget) + sum([chosen.cost for chosen in choice.taken.values()])
        receipt = receipt_of(_record(hits, request, self._source.cache_version, self._source.tokenizer))
        if count is None:
            used += sum([self._cost.line(f"(also: {', '.join(hit.also)} and 9,999 more)") for hit in hits if hit.also])
            return self._result(hits, used, self._meets(), receipt)
        result = self._result(hits, used, self._meets(), receipt)
        while True:
            used = count(result.text)
            # A number of as many digits counts the same, whichever they are.
            settled = len(f"{used:,}") == len(f"{result.tokens_used:,}")
            result = result._replace(tokens_used=used)
            if settled:
                return result

    def _result(self, hits: list[SectionHit], used: int, meets: int, receipt: str) -> SearchResult:
        choice, source = self._choice, self._source
        return SearchResult(
            *(hits, self._request, source.cache_version, used, meets, self._matching, choice.excluded_by_budget),
            *(self._matches.question.read_as, choice.known_named, choice.known_more, source.tokenizer, receipt),
        )

    def _hit(self, group: list[ChosenSection]) -> SectionHit:
        """The entry of sections that follow each other."""
        choice, request = self._choice, self._request
        first, last = group[0].section, group[-1].section
        best = max(group, key=lambda chosen: (chosen.ranked.score, -chosen.ranked.number))
        document, title = choice.document(first_place := group[0].place), choice.title(first_place)
        prefix, content = self._source.prefix(first_place), document.content[first.start : last.end]
        lines = first.cited_lines[0], last.cited_lines[1]
        header = "" if request.outline else header_text(document.content, first)
        also = [citation for chosen in group for citation in chosen.also]
        equal = sum([choice.equal_to(chosen.ranked.number) for chosen in group])
        return SectionHit(
            citation=cite(prefix + document.name, *lines, content, first.from_column, last.to_column),
            cache=prefix[:-1],
            id=prefix + document.id,
            version=document.version,
            title=title,
            heading=first.heading,
            first=lines[0],
            last=lines[1],
            content=None if request.outline else content,
            digest=group[0].digest if len(group) == 1 else _digest(content),
            score=best.ranked.score,
            tokens=sum([self._source.tokens[chosen.ranked.number] for chosen in group]),
            sections=sum([chosen.ranked.score > 0 for chosen in group]),
            header=header_line(first.cited_header, header) if header else "",
            also=also,
            also_more=equal - len(also),
            why=self._reasons(best.ranked.number, document, best.section) if request.explain else None,
            turn=best.ranked.turn,
        )

    def _reasons(self, number: int, document: Document, section: Section) -> list[TermReason]:
        from holdfast.caches.search.section_reasons import reasons_of

        place = self._matches.document_of(number)
        return reasons_of(self._matches.reasons(number), document, self._choice.title(place), section)

    def _why_line(self) -> Callable[[int, Document, Section], str]:
        from holdfast.caches.search.section_reasons import why_line

        return lambda number, document, section: why_line(self._reasons(number, document, section), 999)


def _record(hits: list[SectionHit], request: SearchRequest, cache_version: str, tokenizer: str) -> Record:
    sections = [ReceiptSection(hit.citation, "sha256:" + hit.digest, hit.score) for hit in hits]
    return make_record(cache_version, tokenizer, request, sections)


def _digest(content: str) -> str:
    from hashlib import sha256

    return sha256(content.encode()).hexdigest()


def _within(request: SearchRequest, matches: Matches, source: SearchSource) -> tuple[Mapping[int, int], int]:
    """The scores of the sections that can be given, under what the search keeps to; and how many match there."""
    if request.under is None:
        return matches.leading(SHARE)
    is_within = source.within(request.under, request.cache)
    found = {number: score for number, score in matches.scores.items() if is_within(matches.document_of(number))}
    return found, len(found)


def as_json(result: SearchResult) -> SearchAnswer:
    """The answer as `context.search` gives it in JSON, keys in the order of its format."""
    request = result.request
    several: SeveralCaches = {}
    if request.caches:
        several["caches"] = [{"name": each.name, "cache_version": each.cache_version} for each in request.caches]
    if request.left_out:
        several["left_out"] = request.left_out
    return {
        "sections": [_section_json(hit) for hit in result.sections],
        "selection": {
            "query": request.query,
            "cache": request.cache,
            "cache_version": result.cache_version,
            "budget": request.budget,
            "tokens_used": result.tokens_used,
            "meets": result.meets / 100,
            "answered": result.answered,
            "sections_considered": result.sections_considered,
            "sections_selected": sum([hit.sections for hit in result.sections]),
            "sections_excluded_by_budget": result.sections_excluded_by_budget,
            "read_as": [{"word": word, "as": read} for word, read in result.read_as],
            "known": result.known,
            "known_more": result.known_more,
            "tokenizer": result.tokenizer,
            "ranking": RANKING,
            **several,
        },
        "receipt": result.receipt,
    }


def _section_json(hit: SectionHit) -> FoundSection:
    value: FoundSection = {
        "citation": hit.citation,
        "id": hit.id,
        "version": hit.version,
        "title": hit.title,
        "heading": hit.heading,
        "lines": (hit.first, hit.last),
        "score": hit.score,
        "tokens": hit.tokens,
        "header": hit.header,
        "also": hit.also,
        "also_more": hit.also_more,
    }
    if hit.cache:
        value["cache"] = hit.cache
    if hit.content is not None:
        value["content"] = hit.content
    if hit.why is not None:
        value["why"] = {
            "terms": [{"term": term, "fields": fields, "impact": impact} for term, fields, impact in hit.why],
            "turn": hit.turn,
        }
    return value
