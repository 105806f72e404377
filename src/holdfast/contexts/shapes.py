"""What the operations on contexts give, as types that only checkers load."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NotRequired, TypedDict, final

from holdfast.operation import Words

State = Literal["fresh", "stale", "missing"]
Action = Literal["written", "renewed", "unchanged", "failed"]

# What YAML can hold. A context's fields are described by holdfast.contexts.schema, and checked against it.
Field = str | int | float | bool | list[object] | dict[str, object] | None
Setting = int | str | list[str] | tuple[str, ...]


class ProjectArguments(TypedDict):
    path: NotRequired[str]


class MergeAnswer(TypedDict):
    path: str
    merged: bool
    conflicts: list[str]


class SetupStep(TypedDict):
    what: str
    action: Literal["written", "renewed", "unchanged", "left alone"]
    detail: NotRequired[str]
    found: NotRequired[str]


class SetupAnswer(TypedDict):
    root: str
    target: Literal["git"]
    dry_run: bool
    steps: list[SetupStep]


class ListedContext(TypedDict):
    scope: str
    state: State
    has_context: bool
    last_updated: NotRequired[str]
    summary: NotRequired[str]
    below: NotRequired[dict[str, int]]


class ListAnswer(TypedDict):
    root: str
    total_directories: int
    skipped_directories: int
    tracked: int
    entries: list[ListedContext]
    more: NotRequired[str]
    error: NotRequired[str]


SarifLog = Mapping[str, object]
StatusAnswer = ListAnswer | SarifLog | Words


class Fingerprints(TypedDict):
    stored: str
    computed: str


@final
class Verdict(TypedDict):
    scope: str
    state: State
    fingerprint: Fingerprints
    last_updated: str


@final
class CheckFailure(TypedDict):
    scope: str
    state: State
    error: str


CheckAnswer = Verdict | CheckFailure


class FoundContext(TypedDict):
    found: Literal[True]
    scope: str
    context: dict[str, Field]


class QueryFailure(TypedDict):
    found: Literal[False]
    scope: str
    error: str


QueryAnswer = FoundContext | QueryFailure


class MadeContext(TypedDict):
    scope: str
    action: Action
    reason: NotRequired[str]


class Counts(TypedDict):
    written: int
    renewed: int
    unchanged: int
    failed: int
    contexts: list[MadeContext]


class RegenAnswer(Counts):
    root: str


class InitAnswer(RegenAnswer):
    dry_run: bool
    agents: str
    skipped_directories: int
    other_agents: NotRequired[dict[str, str]]


RehashAnswer = Counts


class MappedSymbol(TypedDict):
    name: str
    line: int
    members: NotRequired[list[str]]


class MappedFile(TypedDict):
    path: str
    symbols: list[MappedSymbol]


class LeftOut(TypedDict):
    tests: int
    generated: int
    beyond_limit: int


class MapCounts(TypedDict):
    file_count: int
    symbol_count: int
    left_out: LeftOut
    not_read: dict[str, int]


class MapAnswer(MapCounts):
    budget: int
    tokens_used: int
    symbols_shown: int
    files: list[MappedFile]


class FoundDefinition(TypedDict):
    path: str
    line: int
    last: int
    signature: str
    doc: str
    body: NotRequired[str]


class UsingSymbol(TypedDict):
    symbol: str
    lines: list[int]


class UsingFile(TypedDict):
    path: str
    is_test: bool
    imports: list[int]
    within: list[UsingSymbol]


class SymbolAnswer(TypedDict):
    name: str
    budget: int
    tokens_used: int
    definitions: list[FoundDefinition]
    definition_count: int
    uses: list[UsingFile]
    using_file_count: int
    use_count: int
    nearest: list[str]


class TouchedSymbol(TypedDict):
    path: str
    name: str
    line: int
    change: str
    used_in: int


class UserOfSymbols(TypedDict):
    path: str
    lines: list[int]
    symbols: list[str]


class DependentDirectory(TypedDict):
    scope: str
    files: int


class ConcernedClaim(TypedDict):
    scope: str
    field: str
    text: str
    subject: str


class ConcernedTask(TypedDict):
    spec: str
    id: str
    status: str
    description: str
    files: list[str]


class ImpactAnswer(TypedDict):
    since: str
    budget: int
    tokens_used: int
    file_count: int
    symbols: list[TouchedSymbol]
    symbol_count: int
    users: list[UserOfSymbols]
    user_count: int
    directories: list[DependentDirectory]
    directory_count: int
    tests: list[str]
    test_count: int
    claims: list[ConcernedClaim]
    claim_count: int
    tasks: list[ConcernedTask]
    task_count: int
    not_read: list[str]


class ContextProblem(TypedDict):
    scope: str
    line: int
    field: str
    problem: str


class ValidateAnswer(TypedDict):
    root: str
    valid: bool
    checked: int
    problems: list[ContextProblem]


class StateChange(TypedDict):
    scope: str
    state: Literal["fresh", "stale", "missing", "gone"]


class WatchAnswer(TypedDict):
    events: int


@final
class Settings(TypedDict):
    max_depth: int
    min_tokens: int
    ignore: tuple[str, ...]
    mode: str


@final
class OneSetting(TypedDict):
    key: str
    value: Setting


ConfigAnswer = Settings | OneSetting
