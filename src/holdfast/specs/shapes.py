"""What the spec operations give, as types that only checkers load. docs/formats/specs.md describes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic, Literal, NotRequired, TypedDict, TypeVar

Discipline = Literal["full", "standard", "minimal"]
Role = Literal["implementer", "reviewer"]
Status = Literal["pending", "in-progress", "completed"]
WhyNoTask = Literal["unnumbered", "malformed"]
ChangeKind = Literal["RENAMED", "REMOVED", "MODIFIED", "ADDED"]
ConflictCode = Literal[
    "title_missing",
    "title_exists",
    "title_twice",
    "title_case",
    "block_twice",
    "base_missing",
    "base_changed",
    "scenario_lost",
    "delta_misplaced",
    "not_utf8",
]
DocumentState = Literal["missing", "created", "changed", "approved"]
Level = Literal["error", "warning"]

Data = TypeVar("Data")


class Success(TypedDict, Generic[Data]):
    success: Literal[True]
    message: str
    data: Data
    nextSteps: Sequence[str]


class Verdict(TypedDict, Generic[Data]):
    success: bool
    message: str
    data: Data
    nextSteps: Sequence[str]


class Failure(TypedDict):
    success: Literal[False]
    message: str
    nextSteps: Sequence[str]


class TaskProgress(TypedDict):
    total: int
    completed: int
    pending: int


class DocumentPhase(TypedDict):
    name: str
    status: Literal["created", "missing", "approved"]
    lastModified: str | None


class ImplementationPhase(TypedDict):
    name: str
    status: Literal["in-progress", "not-started"]
    progress: TaskProgress | None


class StatusData(TypedDict):
    name: str
    description: None
    currentPhase: str
    overallStatus: str
    createdAt: str
    lastModified: str
    phases: Sequence[DocumentPhase | ImplementationPhase]
    taskProgress: TaskProgress


class ProjectContext(TypedDict):
    projectPath: str
    workflowRoot: str
    currentPhase: str


class StatusAnswer(Success[StatusData]):
    projectContext: ProjectContext


class ListedSpec(TypedDict):
    name: str
    currentPhase: str
    overallStatus: str
    lastModified: str
    taskProgress: TaskProgress
    next: str | None


class ListingData(TypedDict):
    layout: str
    folder: str
    documents: Sequence[str]
    specs: Sequence[ListedSpec]
    finished: Sequence[str]
    leftOut: int


class PromptSection(TypedDict):
    key: str
    value: str


class TaskData(TypedDict):
    id: str
    description: str
    status: Status
    lineNumber: int
    indentLevel: float
    isHeader: bool
    completed: bool
    inProgress: bool
    requirements: NotRequired[Sequence[str]]
    leverage: NotRequired[str]
    files: NotRequired[Sequence[str]]
    purposes: NotRequired[Sequence[str]]
    implementationDetails: NotRequired[Sequence[str]]
    prompt: NotRequired[str]
    optional: NotRequired[Literal[True]]
    promptStructured: NotRequired[Sequence[PromptSection]]


class NextTaskData(TypedDict):
    name: str
    task: TaskData | None
    taskProgress: TaskProgress | None


class WrittenData(TypedDict):
    folder: str
    created: Sequence[str]
    kept: Sequence[str]


class WorkflowData(TypedDict):
    guide: str
    steering: Mapping[str, str] | None
    templates: Mapping[str, str]
    disciplineMode: Discipline


class GuideData(TypedDict):
    guide: str
    steering: NotRequired[Mapping[str, str]]
    disciplineMode: Discipline
    guideMode: Literal["full", "compact"]
    guideCacheKey: str | None
    searchGuidance: str


class FindingData(TypedDict):
    file: str
    line: int
    rule: str
    level: Level
    text: str
    count: int
    fix: str


class CoverageData(TypedDict):
    name: str
    criteria: int
    named: int
    unnamed: Sequence[str]
    unknown: Sequence[str]


class CheckData(TypedDict):
    findings: Sequence[FindingData]
    coverage: Sequence[CoverageData]


CheckAnswer = Verdict[CheckData]


SarifLog = Mapping[str, object]


class PlaceData(TypedDict):
    file: str
    line: int


class TracedCriterion(TypedDict):
    id: str
    file: str
    line: int
    tasks: Sequence[str]
    places: Sequence[PlaceData]


class TraceData(TypedDict):
    name: str
    criteria: Sequence[TracedCriterion]
    unknown: Sequence[PlaceData]


class ApprovalData(TypedDict):
    name: str
    phase: str
    document: str
    sha256: str | None
    by: str
    at: str
    file: str


class DocumentApproval(TypedDict):
    name: str
    phase: str
    approved: bool
    by: str
    why: str | None


class GateData(TypedDict):
    documents: Sequence[DocumentApproval]
    removed: Sequence[str]


GateAnswer = Verdict[GateData]


class DeltaData(TypedDict):
    name: str
    capability: str
    title: str
    file: str
    kind: str
    base: NotRequired[str]


class MergedFile(TypedDict):
    file: str
    delta: str
    added: int
    modified: int
    removed: int
    renamed: int


class ConflictData(TypedDict):
    code: ConflictCode
    message: str
    delta: PlaceData
    living: PlaceData | None


class MergeData(TypedDict):
    name: str
    changes: int
    files: Sequence[MergedFile]
    conflicts: Sequence[ConflictData]
    diff: str | None
    archived: str | None


MergeAnswer = Verdict[MergeData]


class BoardSpec(TypedDict):
    name: str
    currentPhase: str
    overallStatus: str
    taskProgress: TaskProgress
    documents: Mapping[str, DocumentState]
    findings: Mapping[str, int]
    next: str | None


class BoardData(TypedDict):
    layout: str
    folder: str
    specs: Sequence[BoardSpec]
