"""The answer of `context.search`: what was chosen, what it costs, and a receipt to prove it by. Pure.

The budget bounds the whole text of an answer (`search_text`), final newline included.
"""

from __future__ import annotations

from itertools import islice

from holdfast.caches.search.answer_cost import AnswerCost
from holdfast.caches.search.answer_entry import AnswerEntry
from holdfast.caches.search.impacts import RANKING
from holdfast.caches.search.known_citations import KnownCitations
from holdfast.caches.search.pointers import POINTERS, make_pointers, pointer_lines, pointer_places
from holdfast.caches.search.question import WEAK, ask_source
from holdfast.caches.search.receipts import ReceiptSection, make_record, receipt_and_file
from holdfast.caches.search.search_request import USUAL_BUDGET, USUAL_SHARE, USUAL_TEXT
from holdfast.caches.search.search_text import claim_line, header_lines
from holdfast.caches.search.section_choice import SectionChoice
from holdfast.caches.search.section_label import ToldPages
from holdfast.caches.search.section_ranking import LISTED_SHARE, SHARE, ranking
from holdfast.core.errors import BudgetTooSmall
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from holdfast.caches.cache_format import Document
    from holdfast.caches.search.absent_words import NotHere
    from holdfast.caches.search.proven_page import ProvenPage
    from holdfast.caches.search.question import Question
    from holdfast.caches.search.search_request import SearchRequest
    from holdfast.caches.search.search_source import Matches, SearchSource
    from holdfast.caches.search.section import Section
    from holdfast.caches.search.section_choice import ChosenSection
    from holdfast.caches.search.section_ranking import RankedSection
    from holdfast.caches.search.section_reasons import TermReason
    from holdfast.caches.shapes import FoundSection, NamedSection, Record, SearchAnswer, SectionSelection, SeveralCaches

# Where source is listed and a budget is named, which is filled: the most sections that have a line of their own, and
# the most that are named after them.
MOST_LINES, MOST_LISTED = 8, 120
# Tokens of the lines of source after documentation where no budget is named.
USUAL_CODE = 400
# What the contexts of directories say takes at most one token of so many of the budget.
CLAIMS_PART = 10
# Where no section fits with all its reasons, it is tried with this many of the heaviest.
_FEWER_REASONS = (8, 4, 2, 1, 0)


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
    declares: str | None = None
    test: str = ""
    claim: str = ""


class SearchResult(NamedTuple):
    """The answer to one search: the entries, in order, the sections named after them, and what was considered.

    `strength` is the best score relative to what the question's words could contribute, in hundredths; `not_here` has
    words that no section contains; `known` are citations that were not sent again. `text` is the answer as a model
    reads it.
    """

    sections: list[SectionHit]
    more: list[NamedSection]
    request: SearchRequest
    cache_version: str
    tokens_used: int
    strength: int
    sections_considered: int
    sections_excluded_by_budget: int
    not_here: list[NotHere]
    known: list[str]
    known_more: int
    tokenizer: str
    receipt: str
    text: str

    @property
    def weak(self) -> bool:
        """Whether nothing here answers well: only the best section is given, unless the caller names a budget."""
        return self.strength < WEAK

    @property
    def record(self) -> Record:
        """The record that the receipt is the hash of."""
        sections = [ReceiptSection(hit.citation, "sha256:" + hit.digest, hit.score, hit.claim) for hit in self.sections]
        return make_record(self.cache_version, self.tokenizer, self.request, sections, pointer_places(self.more))


def make_result(source: SearchSource, request: SearchRequest) -> SearchResult:
    """The answer that a cache gives; each document that a section is of is read and proven once.

    BudgetTooSmall where not even one of the sections that match fits.
    """
    return Search(source, request).result()


class _Draft(NamedTuple):
    """An answer whose sections may still change: its entries, what is named, and what its text costs."""

    entries: list[AnswerEntry]
    more: list[NamedSection]
    used: int
    receipt: str
    excluded: int  # sections that did not fit


class Search:
    """One search of one cache."""

    def __init__(self, source: SearchSource, request: SearchRequest, *, exact: bool = False) -> None:
        self._known = KnownCitations(request.known)
        self._source, self._request, self._exact = source, request, exact
        self._own: Question | None = None  # what documentation is asked beside source code: the same as alone
        if 0 < len(source.lists) < source.section_count and not request.outline:
            from holdfast.caches.search.joined_search import JoinedSource

            if isinstance(source, JoinedSource):
                self._own = ask_source(request.query, source.documents())
                self._matches: Matches = source.matches(ask_source(request.query, source), self._own)
        if self._own is None:
            self._matches = source.matches(ask_source(request.query, source))
        self._scores, self._matching = _within(request, self._matches, source)
        self._share = LISTED_SHARE if source.lists else SHARE
        self._best = max(self._scores.values(), default=0)
        self._strength = self._matches.question.strength(self._best)
        self._best_document = self._best
        if self._own is not None:
            self._best_document = next((each.score for each in self._of_documents()), 0)
            best_code = next((each.score for each in self._order() if each.number in source.lists), 0)
            self._strength = max(self._matches.question.strength(best_code), self._own.strength(self._best_document))
        self._cost = AnswerCost(source.tokenizer)
        self._claims: dict[int, str] = {}  # by the number of the section that begins the entry
        self._most_reasons: int | None = None  # for each section; all unless there is no room
        self._choice = self._new_choice()
        self._not_here = self._absent_words()

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
        choice, request, place_of = self._choice, self._request, self._matches.document_of
        header, bound = self._header_cost(request.bound), request.bound
        share = request.share if request.stops else 10 * self._share
        if header > bound:
            raise BudgetTooSmall(header, "what is above the sections does not fit")
        rooms, least = (bound - header, request.text_bound - header), -(-share * self._best // 100)
        most = request.limit
        if self.weak and request.stops:
            most = 1 if most is None else min(most, 1)
        if self._own is not None:
            choice.walk(self._of_documents(), place_of, *self._rooms_of_documents(header, most))
            spent = sum([chosen.cost for chosen in choice.taken.values()])
            lists, beyond = self._source.lists, USUAL_CODE if request.stops else 0
            rooms = bound - header - spent, min(max(rooms[1] - spent, beyond), bound - header - spent)
            least = -(-10 * self._share * self._best // 100)
            most = self._most_lines(most)
            choice.walk((each for each in self._order() if each.number in lists), place_of, rooms, least, most)
        else:
            most = self._most_lines(most) if self._source.lists else most
            choice.walk(self._order(), place_of, rooms, least, most)
        draft = self._drafted([])
        while draft.used > bound and choice.taken:
            choice.drop_last(draft.used - bound)
            draft = self._drafted([])
        if self._source.lists and not request.outline:
            self._claims = self._claims_of(draft.entries, min(bound // CLAIMS_PART, bound - draft.used))
            draft = self._drafted([])
            while draft.used > bound and self._claims:
                self._claims.popitem()
                draft = self._drafted([])
        most_named = MOST_LISTED if self._source.lists and not request.stops else POINTERS["sections"]
        named = [] if request.outline else choice.named(self._order(), place_of, most_named)
        fitting, most_named = 0, len(named)
        count = most_named  # as a rule all of them fit; else half of what is left to try
        while fitting < most_named:
            longer = self._drafted(make_pointers(named[:count], self._matches.question.weights))
            if longer.used <= bound:
                draft, fitting = longer, count
            else:
                most_named = count - 1
            count = (fitting + most_named + 1) // 2
        shorter = request.explain and self._most_reasons != 0  # with fewer reasons a section may fit
        if not choice.taken and (shorter or not draft.more) and choice.excluded_by_budget and not choice.known:
            cheapest = choice.least_price(place_of)
            needed = cheapest + self._header_cost(cheapest + header)
            raise BudgetTooSmall(needed, "none of the sections that match best fits")
        if draft.used > bound:
            raise BudgetTooSmall(draft.used, "the shortest answer here does not fit")
        return self._finished(draft)

    def _of_documents(self) -> Iterator[RankedSection]:
        lists = self._source.lists
        return (each for each in self._order() if each.number not in lists)

    def _rooms_of_documents(self, header: int, most: int | None) -> tuple[tuple[int, int], int, int | None]:
        """What documentation has beside source code: as much as alone, of a named budget its part."""
        bound = self._request.bound * USUAL_TEXT // USUAL_BUDGET - header
        first = self._request.bound - header if self._request.stops else bound
        least = -(-USUAL_SHARE * self._best_document // 100)
        if most is not None and most > 1:
            most -= most // 2
        if self._request.stops and self._own is not None and self._own.strength(self._best_document) < WEAK:
            most = 1
        return (first, bound), least, most

    def _most_lines(self, most: int | None) -> int | None:
        """How many sections have lines of their own once those of source are among them."""
        lines = None if self._request.stops or self._request.outline else len(self._choice.taken) + MOST_LINES
        return min([each for each in (most, lines) if each is not None], default=None)

    def _claims_of(self, entries: list[AnswerEntry], room: int) -> dict[int, str]:
        """What the contexts of the directories say to the question, each once, while there is room."""
        found: dict[int, str] = {}
        for entry in entries:
            claim = self._choice.page(entry.group[0].place).claim(self._matches.question)
            price = self._cost.line(claim_line(claim))
            if claim and claim not in found.values() and price <= room:
                found[entry.group[0].ranked.number] = claim
                room -= price
        return found

    def _order(self) -> Iterator[RankedSection]:
        return ranking(self._scores, self._matches.document_of, self._share)

    @property
    def weak(self) -> bool:
        """Whether nothing here answers well."""
        return self._strength < WEAK

    def walked(self) -> tuple[Matches, Mapping[int, int], SectionChoice]:
        """What matches, the scores of what can be given, and what became of them."""
        return self._matches, self._scores, self._choice

    def _header_cost(self, budget: int) -> int:
        """What the lines above the sections cost at most where the budget is that."""
        selection = selection_json(self._result(([], []), budget, "", 0), self._matching)
        selection["budget"], selection["sections_named"] = budget, POINTERS["sections"]
        lines = header_lines(selection, "sha256:" + "0" * 64, is_outline=False)
        # The blank line, and the word that says that an outline lists.
        return sum([self._cost.line(line) for line in lines]) + 2

    def _drafted(self, more: list[NamedSection]) -> _Draft:
        """The answer as it would be now, with the tokens of its text, that number included."""
        choice, cost, outline = self._choice, self._cost, self._request.outline
        entries = [self._entry(group) for group in choice.groups()]
        used = self._header_cost(self._request.bound) + sum([chosen.cost for chosen in choice.taken.values()])
        recorded, source, excluded = [entry.recorded for entry in entries], self._source, choice.excluded_by_budget
        record = make_record(source.cache_version, source.tokenizer, self._request, recorded, pointer_places(more))
        receipt = receipt_and_file(record)[0]
        named = pointer_lines(more)
        if cost.count is None:
            bounds = [f"(also: {', '.join(entry.also)} and 9,999 more)" for entry in entries if entry.also]
            used += sum([cost.line(bound) for bound in (*bounds, *named)])
            return _Draft(entries, more, used, receipt, excluded)
        weigh = cost.weigh
        weight = (weigh("") if entries else 0) + sum(map(weigh, named))
        weight += sum([entry.weight(at, weigh, new, outline=outline) for entry, at, new in _placed(entries)])
        while True:
            digits = len(str(used))
            header = self._header(self._result(([], more), used, receipt, excluded), entries)
            used = cost.whole(weight + sum(map(weigh, header)))
            # A number of as many digits counts the same, whichever they are.
            if len(str(used)) == digits:
                return _Draft(entries, more, used, receipt, excluded)

    def _entry(self, group: list[ChosenSection]) -> AnswerEntry:
        """The entry of sections that follow each other."""
        choice, tokens = self._choice, self._source.tokens
        numbers = [chosen.ranked.number for chosen in group]
        entry = AnswerEntry(
            *(group, choice.joined(group), sum([tokens[number] for number in numbers])),
            *(sum([choice.equal_to(number) for number in numbers]), self._claims.get(numbers[0], "")),
        )
        if self._request.explain:
            page = choice.page(group[0].place)
            from holdfast.caches.search.section_reasons import heaviest  # few ask for reasons

            reasons = self._reasons(entry.best.ranked.number, page.document, entry.best.cited.section)
            entry.why, entry.why_more = heaviest(reasons, self._most_reasons)
        return entry

    def _header(self, result: SearchResult, entries: list[AnswerEntry]) -> list[str]:
        selection = selection_json(result, sum([entry.sections for entry in entries]))
        return header_lines(selection, result.receipt, is_outline=bool(entries) and self._is_outline(entries))

    def _is_outline(self, entries: list[AnswerEntry]) -> bool:
        return self._request.outline or all(entry.cited.is_named for entry in entries)

    def _finished(self, draft: _Draft) -> SearchResult:
        entries, outline = draft.entries, self._request.outline
        hits = [self._hit(entry) for entry in entries]
        result = self._result((hits, draft.more), draft.used, draft.receipt, draft.excluded)
        lines = self._header(result, entries)
        if entries:
            lines.append("")
        for entry, place, is_new in _placed(entries):
            lines += entry.lines(place, is_new, outline=outline)
        lines += [*pointer_lines(draft.more), ""]
        return result._replace(text="\n".join(lines))

    def _result(
        self, given: tuple[list[SectionHit], list[NamedSection]], used: int, receipt: str, excluded: int
    ) -> SearchResult:
        choice, source = self._choice, self._source
        return SearchResult(
            *(*given, self._request, source.cache_version, used, self._strength, self._matching, excluded),
            *(self._not_here, choice.known_named, choice.known_more, source.tokenizer, receipt, ""),
        )

    def _absent_words(self) -> list[NotHere]:
        """The words that no section contains, with the nearest that one of the best sections does."""
        question = self._matches.question
        if not question.read_as and not question.absent:
            return []
        from holdfast.caches.search.absent_words import not_here  # most words are known

        place_of = self._matches.document_of
        best = [each.number for each in islice(self._order(), POINTERS["sections"])]
        texts = [self._choice.text(number, place_of(number)) for number in best]
        return not_here(question, texts, weak=self.weak)

    def _hit(self, entry: AnswerEntry) -> SectionHit:
        cited, page, outline = entry.cited, self._choice.page(entry.group[0].place), self._request.outline
        section, ranked, document = cited.section, entry.best.ranked, page.document
        return SectionHit(
            *(cited.citation, page.prefix[:-1], page.prefix + document.id, document.version, page.title),
            *(
                section.heading,
                *section.cited_lines,
                None if outline or cited.is_named else cited.content,
                cited.digest,
            ),
            *(ranked.score, entry.tokens, entry.sections, "" if outline or cited.is_named else cited.header),
            *(list(entry.also), entry.also_more),
            why=entry.why,
            why_more=entry.why_more,
            turn=ranked.turn,
            declares=cited.declares,
            test=cited.test,
            claim=entry.claim,
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


def _placed(entries: list[AnswerEntry]) -> Iterator[tuple[AnswerEntry, int, tuple[bool, bool]]]:
    """The entries with their places in the answer, and whether their titles and headings are shown there first."""
    shown = ToldPages()
    for place, entry in enumerate(entries, 1):
        yield entry, place, shown.is_new(entry.group[0].place, entry.cited.untold.inner)


def _within(request: SearchRequest, matches: Matches, source: SearchSource) -> tuple[Mapping[int, int], int]:
    """The scores of the sections that can be given, under what the search keeps to; and how many match there."""
    if request.under is None:
        return matches.leading(LISTED_SHARE if source.lists else SHARE)
    is_within = source.within(request.under, request.cache)
    found = {number: score for number, score in matches.scores.items() if is_within(matches.document_of(number))}
    return found, len(found)


def as_json(result: SearchResult) -> SearchAnswer:
    """The answer as `context.search` gives it in JSON, keys in the order of its format."""
    return {
        "sections": [_section_json(hit) for hit in result.sections],
        "more": result.more,
        "selection": selection_json(result, sum([hit.sections for hit in result.sections])),
        "receipt": result.receipt,
    }


def selection_json(result: SearchResult, selected: int) -> SectionSelection:
    """What was considered for an answer that gives `selected` sections."""
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
        "budget": request.bound,
        "tokens_used": result.tokens_used,
        "strength": result.strength,
        "weak": result.weak,
        "sections_considered": result.sections_considered,
        "sections_selected": selected,
        "sections_named": len(result.more),
        "sections_excluded_by_budget": result.sections_excluded_by_budget,
        "not_here": [{"word": word, "nearest": nearest, "read": read} for word, nearest, read in result.not_here],
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
    if hit.declares is not None:
        value["declares"] = hit.declares
    if hit.test:
        value["test"] = hit.test
    if hit.claim:
        value["claim"] = hit.claim
    if hit.content is not None:
        value["content"] = hit.content
    if hit.why is not None:
        value["why"] = {
            "terms": [{"term": term, "fields": fields, "impact": impact} for term, fields, impact in hit.why],
            "terms_more": hit.why_more,
            "turn": hit.turn,
        }
    return value
