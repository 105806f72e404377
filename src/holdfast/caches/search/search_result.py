"""The answer of `context.search`: what was chosen, what it costs, and a receipt to prove it by. Pure.

The budget bounds the whole text of an answer (`search_text`), final newline included.
"""

from __future__ import annotations

from itertools import islice

from holdfast.caches.search.answer_cost import AnswerCost
from holdfast.caches.search.answer_entry import AnswerEntry
from holdfast.caches.search.impacts import RANKING
from holdfast.caches.search.known_citations import KnownCitations
from holdfast.caches.search.question import FLOOR, ask_source
from holdfast.caches.search.receipts import ReceiptSection, ReceiptWriter, make_record
from holdfast.caches.search.search_text import header_lines
from holdfast.caches.search.section_choice import SectionChoice
from holdfast.caches.search.section_label import ToldPages
from holdfast.caches.search.section_ranking import SHARE, ranking
from holdfast.core.errors import BudgetTooSmall
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from holdfast.caches.cache_format import Document
    from holdfast.caches.search.proven_page import ProvenPage
    from holdfast.caches.search.search_request import SearchRequest
    from holdfast.caches.search.search_source import Matches, SearchSource
    from holdfast.caches.search.section import Section
    from holdfast.caches.search.section_choice import ChosenSection
    from holdfast.caches.search.section_reasons import TermReason
    from holdfast.caches.shapes import FoundSection, Record, SearchAnswer, SectionSelection, SeveralCaches

# Where nothing seems to answer, so many of the nearest are given.
NEAREST = 3
# Where no section fits with all reasons: with so many of the heaviest.
_FEWER_REASONS = (8, 4, 2, 1, 0)
# A question that is met, in hundredths.
_ALL = 100


class SectionHit(NamedTuple):
    """One entry of an answer: a section, or neighbours as one, with its citation.

    `cache` is its cache where several were asked, and empty where one was. `content` is None in an outline. `header` is
    the marked line of a table's header, where the entry begins inside the table; `also` are citations of equal texts
    and `also_more` how many more there are. `score` is that of its best section as it was ranked, `why` the reasons of
    that one where they were asked for, `why_more` how many of them had no room, and `turn` how many sections of its
    page rank before it.
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
    why_more: int
    turn: int


class SearchResult(NamedTuple):
    """The answer to one search: the entries, in order, and what was considered.

    `meets` is the share of the question that the best of them holds, in hundredths; `read_as` has words that no section
    holds and what they were read as; `known` are citations that were not sent again. `text` is the answer as a model
    reads it.
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
    text: str

    @property
    def answered(self) -> bool:
        """Whether what is given seems to answer."""
        return self.meets >= FLOOR

    @property
    def record(self) -> Record:
        """The record that the receipt is the hash of."""
        return _record(self.sections, self.request, self.cache_version, self.tokenizer)


def make_result(source: SearchSource, request: SearchRequest) -> SearchResult:
    """The answer that a cache gives; each document that a section is of is read and proven once.

    BudgetTooSmall where not even one of the sections that match fits.
    """
    return Search(source, request).result()


class _Draft(NamedTuple):
    """An answer whose sections may still change: its entries, what its text costs, how far it meets the question."""

    entries: list[AnswerEntry]
    used: int
    meets: int
    receipt: str
    excluded: int  # sections that did not fit


class Search:
    """One search of one cache."""

    def __init__(self, source: SearchSource, request: SearchRequest, *, exact: bool = False) -> None:
        self._known = KnownCitations(request.known)
        self._source, self._request, self._exact = source, request, exact
        self._matches = source.matches(ask_source(request.query, source))
        self._scores, self._matching = _within(request, self._matches, source)
        self._cost = AnswerCost(source.tokenizer)
        self._header_costs: dict[tuple[int, int, int], int] = {}  # by budget, and known ones named and not
        self._told: list[tuple[str, str]] | None = None if self._matches.question.read_as else []
        self._met: dict[int, int] = {}  # number of a section -> how far it meets the question
        self._most_reasons: int | None = None  # for each section; all unless there is no room
        self._choice = self._new_choice()
        self._receipts = ReceiptWriter(source.cache_version, source.tokenizer, request)

    def result(self) -> SearchResult:
        """The answer; where no section fits with all of its reasons, with the heaviest, or none."""
        for most in _FEWER_REASONS if self._request.explain else ():
            try:
                return self._within_budget()
            except BudgetTooSmall:
                self._most_reasons = most
                self._choice = self._new_choice()
        return self._within_budget()

    def _new_choice(self) -> SectionChoice:
        explains = self._request.explain and self._most_reasons != 0
        why_line = self._why_line(self._most_reasons) if explains else None
        return SectionChoice(self._source, self._request, self._cost, self._known, why_line, exact=self._exact)

    def _within_budget(self) -> SearchResult:
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
        draft = self._drafted()
        # The parts were counted one by one, which is a little more than the whole: that much is left, too.
        if draft.meets >= FLOOR and choice.fill(document_of, request.budget - draft.used, request.limit):
            draft = self._drafted()
        while draft.used > request.budget:
            if not choice.taken:
                raise BudgetTooSmall(draft.used, "the shortest answer here does not fit")
            choice.drop_last(draft.used - request.budget)
            draft = self._drafted()
        return self._finished(draft)

    def walked(self) -> tuple[Matches, Mapping[int, int], int, SectionChoice]:
        """What matches, the scores of what can be given, how many sections match, and what became of them."""
        return self._matches, self._scores, self._matching, self._choice

    def _header_cost(self, budget: int) -> int:
        """What the lines above the sections cost at most where the budget is that."""
        key = budget, len(self._choice.known_named), self._choice.known_more
        if key not in self._header_costs:
            self._header_costs[key] = self._worked_out_header_cost(budget)
        return self._header_costs[key]

    def _worked_out_header_cost(self, budget: int) -> int:
        costs = []
        for meets in (100, 0):
            selection = selection_json(self._result([], budget, meets, "", 0), self._matching)
            selection["budget"] = budget
            lines = header_lines(selection, "sha256:" + "0" * 64, is_outline=False)
            costs.append(sum([self._cost.line(line) for line in lines]))
        return max(costs) + 2  # the blank line, and the word that says that an outline lists

    def _meets(self) -> int:
        """The share of the question that the best of what is given or known holds, or would at a limit of 0."""
        question, matches, met = self._matches.question, self._matches, self._met
        held = [*self._choice.taken, *self._choice.known]
        if self._request.limit == 0:
            held = [each.number for each in islice(ranking(self._scores, matches.document_of), NEAREST)]
        most = 0
        for number in held:
            if number not in met:
                met[number] = question.meets(matches.holds(number))
            most = max(most, met[number])
            if most == _ALL:
                break
        return most

    def _drafted(self) -> _Draft:
        """The answer as it would be now, with the tokens of its text, that number included."""
        choice, cost, outline = self._choice, self._cost, self._request.outline
        entries = [self._entry(group) for group in choice.groups()]
        used = self._header_cost(self._request.budget) + sum([chosen.cost for chosen in choice.taken.values()])
        receipt = self._receipts.receipt([entry.cited.receipt_entry(entry.best.ranked.score) for entry in entries])
        meets, excluded = self._meets(), choice.excluded_by_budget
        if cost.count is None:
            bounds = [f"(also: {', '.join(entry.also)} and 9,999 more)" for entry in entries if entry.also]
            return _Draft(entries, used + sum([cost.line(bound) for bound in bounds]), meets, receipt, excluded)
        weigh = cost.weigh
        weight = weigh("") if entries else 0
        weight += sum([entry.weight(at, weigh, new, outline=outline) for entry, at, new in _placed(entries)])
        while True:
            digits = len(f"{used:,}")
            header = self._header(self._result([], used, meets, receipt, excluded), entries)
            used = cost.whole(weight + sum(map(weigh, header)))
            # A number of as many digits counts the same, whichever they are.
            if len(f"{used:,}") == digits:
                return _Draft(entries, used, meets, receipt, excluded)

    def _entry(self, group: list[ChosenSection]) -> AnswerEntry:
        """The entry of sections that follow each other."""
        choice, tokens = self._choice, self._source.tokens
        numbers = [chosen.ranked.number for chosen in group]
        entry = AnswerEntry(
            *(group, choice.joined(group), sum([tokens[number] for number in numbers])),
            sum([choice.equal_to(number) for number in numbers]),
        )
        if self._request.explain:
            page = choice.page(group[0].place)
            from holdfast.caches.search.section_reasons import heaviest  # few ask for reasons

            reasons = self._reasons(entry.best.ranked.number, page.document, entry.best.cited.section)
            entry.why, entry.why_more = heaviest(reasons, self._most_reasons)
        return entry

    def _header(self, result: SearchResult, entries: list[AnswerEntry]) -> list[str]:
        selection = selection_json(result, sum([entry.sections for entry in entries]))
        return header_lines(selection, result.receipt, is_outline=self._request.outline and bool(entries))

    def _finished(self, draft: _Draft) -> SearchResult:
        entries, outline = draft.entries, self._request.outline
        hits = [self._hit(entry) for entry in entries]
        result = self._result(hits, draft.used, draft.meets, draft.receipt, draft.excluded)
        lines = self._header(result, entries)
        if entries:
            lines.append("")
        for entry, place, is_new in _placed(entries):
            lines += entry.lines(place, is_new, outline=outline)
        lines.append("")
        return result._replace(text="\n".join(lines))

    def _result(self, hits: list[SectionHit], used: int, meets: int, receipt: str, excluded: int) -> SearchResult:
        choice, source = self._choice, self._source
        return SearchResult(
            *(hits, self._request, source.cache_version, used, meets, self._matching, excluded),
            *(self._read_as(), choice.known_named, choice.known_more, source.tokenizer, receipt, ""),
        )

    def _read_as(self) -> list[tuple[str, str]]:
        """The words that no section holds with what they were read as, spelt as the sections that match best do."""
        if self._told is None:
            from holdfast.caches.search.spelling import as_written  # most words are known

            document_of, read_as = self._matches.document_of, self._matches.question.read_as
            best = [each.number for each in islice(ranking(self._scores, document_of), NEAREST)]
            texts = [self._choice.text(number, document_of(number)) for number in best]
            self._told = [(word, as_written(word, read, texts)) for word, read in read_as]
        return self._told

    def _hit(self, entry: AnswerEntry) -> SectionHit:
        cited, page, outline = entry.cited, self._choice.page(entry.group[0].place), self._request.outline
        section, ranked, document = cited.section, entry.best.ranked, page.document
        return SectionHit(
            *(cited.citation, page.prefix[:-1], page.prefix + document.id, document.version, page.title),
            *(section.heading, *section.cited_lines, None if outline else cited.content, cited.digest),
            *(ranked.score, entry.tokens, entry.sections, "" if outline else cited.header),
            *(list(entry.also), entry.also_more),
            why=entry.why,
            why_more=entry.why_more,
            turn=ranked.turn,
        )

    def _reasons(self, number: int, document: Document, section: Section) -> list[TermReason]:
        from holdfast.caches.search.section_reasons import reasons_of

        place = self._matches.document_of(number)
        return reasons_of(self._matches.reasons(number), document, self._choice.page(place).title, section)

    def _why_line(self, most: int | None) -> Callable[[int, ProvenPage, Section], str]:
        from holdfast.caches.search.section_reasons import heaviest, reasons_of, why_line

        matches = self._matches  # and not this search: what holds itself keeps its cache until it is collected

        def line(number: int, page: ProvenPage, section: Section) -> str:
            reasons = reasons_of(matches.reasons(number), page.document, page.title, section)
            return why_line(*heaviest(reasons, most), 999)

        return line


def _record(hits: list[SectionHit], request: SearchRequest, cache_version: str, tokenizer: str) -> Record:
    sections = [ReceiptSection(hit.citation, "sha256:" + hit.digest, hit.score) for hit in hits]
    return make_record(cache_version, tokenizer, request, sections)


def _placed(entries: list[AnswerEntry]) -> Iterator[tuple[AnswerEntry, int, tuple[bool, bool]]]:
    """The entries with their places in the answer, and whether their titles and headings are told there first."""
    told = ToldPages()
    for place, entry in enumerate(entries, 1):
        yield entry, place, told.is_new(entry.group[0].place, entry.cited.untold.inner)


def _within(request: SearchRequest, matches: Matches, source: SearchSource) -> tuple[Mapping[int, int], int]:
    """The scores of the sections that can be given, under what the search keeps to; and how many match there."""
    if request.under is None:
        return matches.leading(SHARE)
    is_within = source.within(request.under, request.cache)
    found = {number: score for number, score in matches.scores.items() if is_within(matches.document_of(number))}
    return found, len(found)


def as_json(result: SearchResult) -> SearchAnswer:
    """The answer as `context.search` gives it in JSON, keys in the order of its format."""
    return {
        "sections": [_section_json(hit) for hit in result.sections],
        "selection": selection_json(result, sum([hit.sections for hit in result.sections])),
        "receipt": result.receipt,
    }


def selection_json(result: SearchResult, selected: int) -> SectionSelection:
    """What was considered, where so many sections are given."""
    request = result.request
    several: SeveralCaches = {}
    if request.caches:
        several["caches"] = [{"name": each.name, "cache_version": each.cache_version} for each in request.caches]
    if request.left_out:
        several["left_out"] = [{"name": name, "why": why} for name, why in request.left_out]
    return {
        "query": request.query,
        "cache": request.cache,
        "cache_version": result.cache_version,
        "budget": request.budget,
        "tokens_used": result.tokens_used,
        "meets": result.meets / 100,
        "answered": result.answered,
        "sections_considered": result.sections_considered,
        "sections_selected": selected,
        "sections_excluded_by_budget": result.sections_excluded_by_budget,
        "read_as": [{"word": word, "as": read} for word, read in result.read_as],
        "known": result.known,
        "known_more": result.known_more,
        "tokenizer": result.tokenizer,
        "ranking": RANKING,
        **several,
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
            "terms_more": hit.why_more,
            "turn": hit.turn,
        }
    return value
