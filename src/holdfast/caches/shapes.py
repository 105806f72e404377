"""What the cache operations give, as types that only checkers load. docs/formats/ describes the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NotRequired, TypedDict, final

# The same family's, in files of their own: an operation's shapes are looked for here.
from holdfast.caches.audit_shapes import *  # noqa: F403
from holdfast.caches.project_shapes import *  # noqa: F403
from holdfast.caches.registry_shapes import *  # noqa: F403
from holdfast.core.canonical_json import Float32


class Why(TypedDict):
    query_terms: Sequence[str]
    term_matches: int
    total_words: int


class ResolvedDocument(TypedDict):
    id: str
    version: str
    content: str
    score: Float32
    tokens: int
    why: Why


class DocumentSelection(TypedDict):
    query: str
    budget: int
    tokens_used: int
    documents_considered: int
    documents_selected: int
    documents_excluded_by_budget: int


class ResolveAnswer(TypedDict):
    documents: Sequence[ResolvedDocument]
    selection: DocumentSelection


class ListedCache(TypedDict):
    path: str
    has_manifest: bool


class ListAnswer(TypedDict):
    caches: Sequence[ListedCache]


class InspectAnswer(TypedDict):
    cache_version: str
    document_count: int
    total_bytes: int
    valid: bool


class BuildAnswer(TypedDict):
    cache_version: str
    document_count: int
    total_bytes: int


class CacheProblem(TypedDict):
    file: str
    problem: str


class VerifyAnswer(TypedDict):
    valid: bool
    cache_version: str
    document_count: int
    problems: Sequence[CacheProblem]


class TermImpact(TypedDict):
    term: str
    fields: Sequence[str]
    impact: int


class SectionReasons(TypedDict):
    terms: Sequence[TermImpact]
    terms_more: int
    turn: int


class ConsideredTerm(TypedDict):
    term: str
    field: str
    impact: int


class ConsideredSection(TypedDict):
    """A section that matches, what became of it and for what cause."""

    id: str
    heading: Sequence[str]
    lines: tuple[int, int]
    score: int
    tokens: int
    turn: int
    terms: Sequence[ConsideredTerm]
    verdict: str
    cause: str


class FoundSection(TypedDict):
    """An entry; an outline has no `content`; `why` is there on request, `cache` where several caches are searched.

    Of source code `declares` is what the section declares and its first sentence, `test` the test of its file, `claim`
    the decision or constraint of its directory that the question is about.
    """

    citation: str
    id: str
    version: str
    title: str
    heading: Sequence[str]
    lines: tuple[int, int]
    score: int
    tokens: int
    header: str
    also: Sequence[str]
    also_more: int
    cache: NotRequired[str]
    declares: NotRequired[str]
    test: NotRequired[str]
    claim: NotRequired[str]
    content: NotRequired[str]
    why: NotRequired[SectionReasons]


class WordNotHere(TypedDict):
    """A word that no section contains, and the nearest that one does; `read`: it was ranked as that."""

    word: str
    nearest: str
    read: bool


class NamedSection(TypedDict):
    """A pointer: a section that `context.read` gives by this `id` and `line`.

    `part` says which of several sections that begin on that line it is, from 1.
    """

    id: str
    line: int
    heading: str
    teaser: str
    part: NotRequired[int]


class LeftOutCache(TypedDict):
    name: str
    why: str


class NamedVersion(TypedDict):
    name: str
    cache_version: str


class SeveralCaches(TypedDict):
    """What an answer of several caches says besides."""

    caches: NotRequired[Sequence[NamedVersion]]
    left_out: NotRequired[Sequence[LeftOutCache]]
    files_left_out: NotRequired[Mapping[str, int]]  # source files whose text is not searched, by why


class SectionSelection(SeveralCaches):
    query: str
    cache: str
    cache_version: str
    budget: int
    tokens_used: int
    strength: int
    weak: bool
    sections_considered: int
    sections_selected: int
    sections_named: int
    sections_excluded_by_budget: int
    not_here: Sequence[WordNotHere]
    known: Sequence[str]
    known_more: int
    tokenizer: str
    ranking: str


class CacheToAsk(TypedDict):
    name: str
    documents: int
    about: str


@final
class FolderOfCache(TypedDict):
    """A folder of a cache: how many documents it has, and the first of them."""

    folder: str
    documents: int
    names: Sequence[str]


@final
class CachesAnswer(TypedDict):
    """What a query without words is answered; `folders` are of the only cache there is."""

    caches: Sequence[CacheToAsk]
    caches_more: int
    left_out: Sequence[LeftOutCache]
    folders: Sequence[FolderOfCache]


@final
class SearchAnswer(TypedDict):
    """`considered` is there on request."""

    sections: Sequence[FoundSection]
    more: Sequence[NamedSection]
    selection: SectionSelection
    receipt: str
    considered: NotRequired[Sequence[ConsideredSection]]


class RecordedRanking(TypedDict):
    name: str
    parameters: Mapping[str, object]


class RecordedSection(TypedDict):
    citation: str
    content: str
    score: int
    claim: NotRequired[str]


class RecordedCache(TypedDict):
    name: str
    cache_version: str
    tokenizer: str


class RecordOfSeveral(TypedDict):
    """What the record of an answer of several caches has besides."""

    caches: NotRequired[Sequence[RecordedCache]]
    left_out: NotRequired[Sequence[LeftOutCache]]


class Record(RecordOfSeveral):
    """What a receipt is the hash of; docs/formats/search.md has the order of the members."""

    record_version: str
    cache: str
    cache_version: str
    ranking: RecordedRanking
    tokenizer: RecordedRanking
    query: str
    budget: int | None
    limit: int | None
    under: str | None
    known: Sequence[str]
    outline: bool
    explain: bool
    sections: Sequence[RecordedSection]
    named: Sequence[str]


class JudgedCitation(TypedDict):
    citation: str
    line: int
    state: Literal["holds", "changed", "no such lines", "no such document"]


class CiteAnswer(TypedDict):
    citations: Sequence[JudgedCitation]
    found: int
    failed: int


@final
class ReadAnswer(TypedDict):
    citation: str
    id: str
    source: str
    version: str
    title: str
    heading: Sequence[str]
    lines: tuple[int, int]
    line_count: int
    content: str
    next: int | str | None
    tokens_used: int
    budget: int
    tokenizer: str
    cache: str
    cache_version: str
    known: NotRequired[str]


class CitationError(TypedDict):
    code: str
    message: str


class NearestSection(TypedDict):
    citation: str
    title: str
    heading: Sequence[str]


StaleState = Literal["changed", "no such lines", "no such document"]


@final
class StaleAnswer(TypedDict):
    error: CitationError
    citation: str
    state: StaleState
    nearest: NearestSection | None
    tokenizer: str
    cache: str
    cache_version: str


@final
class PassagesAnswer(TypedDict):
    """What a list of places is answered; `unread` are the places that the budget did not reach, where there are any."""

    passages: Sequence[ReadAnswer | StaleAnswer]
    unread: NotRequired[Sequence[str]]


class DocumentChanges(TypedDict):
    added: Sequence[str]
    removed: Sequence[str]
    changed: Sequence[str]


class ChangedSection(TypedDict):
    source: str
    heading: Sequence[str]
    change: str
    lines: tuple[int, int]


class CitationChanges(TypedDict):
    changed: bool
    added: Sequence[str]
    removed: Sequence[str]


class QueryChanges(CitationChanges):
    query: str
    budget: int


@final
class DiffAnswer(TypedDict):
    before: str
    after: str
    documents: DocumentChanges
    sections: Sequence[ChangedSection]
    queries: Sequence[QueryChanges]


class SinceCache(TypedDict):
    """A cache of the lock of then or of now; `difference` is None where there is none, or `reason` says why."""

    name: str
    state: Literal["same", "changed", "added", "removed"]
    before: str
    after: str
    difference: DiffAnswer | None
    reason: str


@final
class SinceAnswer(TypedDict):
    since: str
    caches: Sequence[SinceCache]
