"""Which phase a spec is in, and what to do next in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import gmtime
from typing import NamedTuple

from holdfast.specs.approvals import Standing
from holdfast.specs.layouts import NUMBERED, PHASES
from holdfast.specs.shapes import DocumentPhase, ListedSpec, StatusData, TaskProgress
from holdfast.specs.task_order import TaskSummary
from holdfast.specs.tasks import Progress

# The calendar repeats after these seconds: a time beyond the system's range is looked up in the first period.
_SECONDS_IN_400_YEARS = 146_097 * 86_400


def iso_milliseconds(nanoseconds: int) -> str:
    """Nanoseconds since 1970 as text, half a millisecond rounded up."""
    seconds, milliseconds = divmod((nanoseconds + 500_000) // 1_000_000, 1000)
    turns, seconds = divmod(seconds, _SECONDS_IN_400_YEARS)
    year, month, day, hour, minute, second, *_ = gmtime(seconds)
    return f"{year + 400 * turns:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milliseconds:03}Z"


_LONGEST_NEXT = 120
_TITLES = {"requirements": "Requirements", "design": "Design", "tasks": "Tasks"}


class Spec(NamedTuple):
    """What is on disk of one spec; times in nanoseconds since 1970, None for a phase without its document."""

    name: str
    modified: int  # of the folder
    requirements: int | None
    design: int | None
    tasks: int | None
    progress: Progress | None
    summary: TaskSummary | None = None
    documents: tuple[str, ...] = ("requirements.md", "design.md", "tasks.md")  # what the files are called
    optional: tuple[str, ...] = ()  # the phases that may be skipped
    approvals: Mapping[str, Standing] | None = None  # by phase, where there are some or they are asked for
    approvals_required: bool = False
    task_form: str = NUMBERED.example  # how a task is written

    @property
    def times(self) -> tuple[int | None, ...]:
        """When each document was changed, in the order of the phases."""
        return self.requirements, self.design, self.tasks

    def name_of(self, phase: str) -> str:
        """What the document of a phase is called."""
        return self.documents[PHASES.index(phase)]


def is_finished(spec: Spec) -> bool:
    """Whether all tasks are done, whatever document is missing."""
    return spec.progress is not None and 0 < spec.progress.total == spec.progress.completed


class State(NamedTuple):
    """The phase of a spec, its status and what to do next."""

    phase: str
    status: str
    next_steps: tuple[str, ...]


_COMPLETED = State("completed", "completed", ("All tasks are done: run the whole test suite once more",))
# The steps name documents by their phase.
_RULES: tuple[tuple[Callable[[Spec], bool], State], ...] = (
    (
        lambda spec: spec.requirements is None,
        State("requirements", "requirements-needed", ("Write {requirements}", "Then have a person approve it")),
    ),
    (
        lambda spec: spec.design is None and "design" not in spec.optional,
        State("design", "design-needed", ("Write {design} from the approved requirements", "Then have it approved")),
    ),
    (
        lambda spec: spec.tasks is None,
        State("tasks", "tasks-needed", ("Break the design into numbered checkbox items in {tasks}",)),
    ),
    (
        lambda spec: spec.progress is not None and spec.progress.pending > 0,
        State(
            "implementation",
            "implementing",
            (
                "Take the first open task and mark it [-]",
                "Call get-implementer-guide",
                "Mark it [x] once it is verified",
            ),
        ),
    ),
    (is_finished, _COMPLETED),
)
_OTHERWISE = State(
    "implementation", "ready-for-implementation", ("No task is pending: finish those in progress, or add tasks",)
)
_NO_PROGRESS: TaskProgress = {"total": 0, "completed": 0, "pending": 0}


def state_of(spec: Spec) -> State:
    """The first rule that applies, and what else there is to say of the tasks and of approvals."""
    state = next((state for applies, state in _RULES if applies(spec)), _OTHERWISE)
    waiting = first_unapproved(spec) if spec.approvals_required else None
    if waiting is not None and (state.phase not in PHASES or PHASES.index(waiting) < PHASES.index(state.phase)):
        step = f"Have a person approve it: `context spec approve {spec.name} {waiting} --by WHO`"
        return State(waiting, "approval-needed", (*_unapproved(spec), step))
    names = dict(zip(PHASES, spec.documents, strict=True))
    is_done = is_finished(spec)
    steps = [step.format_map(names) for step in (_COMPLETED if is_done else state).next_steps]
    if is_done and state.phase in PHASES:
        steps.append(f"{names[state.phase]} was never written")
    following = spec.summary.next if spec.summary is not None else None
    if state.status == "implementing" and following is not None and following.status == "in-progress":
        steps[0] = f"Finish task {following.id} first: it was begun"
    return state._replace(next_steps=(*_uncounted(spec), *steps, *_optional(spec), *_unapproved(spec)))


def first_unapproved(spec: Spec) -> str | None:
    """The first phase whose document is there and not approved as it is."""
    return next((phase for phase, standing in (spec.approvals or {}).items() if not standing.holds), None)


def why_not_begun(spec: Spec) -> str:
    """Why no task may be begun yet, where approvals are asked for; empty when one may."""
    waiting = first_unapproved(spec) if spec.approvals_required else None
    return "" if waiting is None or spec.approvals is None else spec.approvals[waiting].why_not


def _unapproved(spec: Spec) -> list[str]:
    """What is not approved any more, or, where approvals are asked for, not yet."""
    lacking = [each for each in (spec.approvals or {}).values() if not each.holds]
    counting = [each for each in lacking if each.by or spec.approvals_required]
    broken = [each for each in lacking if "cannot be used" in each.why_not]
    return list(dict.fromkeys([each.why_not for each in (*counting, *broken)]))


def _uncounted(spec: Spec) -> list[str]:
    """What a reader of the counts has to know about the checkbox lines that are in none of them."""
    summary = spec.summary
    if summary is None or summary.first_left_out is None:
        return []
    lines = f"{summary.left_out} checkbox line{'s' if summary.left_out > 1 else ''} of {spec.name_of('tasks')}"
    still_open = f", {summary.left_out_open} of them open" if summary.left_out_open else ""
    first = summary.first_left_out
    why = "has no number" if first.reason == "unnumbered" else "does not read as a task"
    return [f"{lines} not counted{still_open}: line {first.line + 1} {why} (a task is `{spec.task_form}`)"]


def _optional(spec: Spec) -> list[str]:
    count = 0 if spec.summary is None else spec.summary.optional_open
    return [f"{count} optional task{'s are' if count > 1 else ' is'} open"] if count else []


def status_data(spec: Spec, state: State) -> StatusData:
    """The `data` of a spec's status."""
    progress = None if spec.progress is None else spec.progress.as_json()
    started = spec.progress is not None and spec.progress.completed > 0
    times = [spec.modified, *(time for time in spec.times if time is not None)]
    return {
        "name": spec.name,
        "description": None,
        "currentPhase": state.phase,
        "overallStatus": state.status,
        # Not every system tells when a folder was made; nothing in a spec is older than its oldest known change.
        "createdAt": iso_milliseconds(min(times)),
        "lastModified": iso_milliseconds(spec.modified),
        "phases": [
            *[_phase(spec, phase, time) for phase, time in zip(PHASES, spec.times, strict=True)],
            {"name": "Implementation", "status": "in-progress" if started else "not-started", "progress": progress},
        ],
        "taskProgress": progress or _NO_PROGRESS,
    }


def listed(spec: Spec) -> ListedSpec:
    """A spec in a list of them."""
    state = state_of(spec)
    return {
        "name": spec.name,
        "currentPhase": state.phase,
        "overallStatus": state.status,
        "lastModified": iso_milliseconds(spec.modified),
        "taskProgress": _NO_PROGRESS if spec.progress is None else spec.progress.as_json(),
        "next": what_is_next(spec, state),
    }


def what_is_next(spec: Spec, state: State) -> str | None:
    """The document to write or the task to do, in a line; None when there is nothing left."""
    if state.status == "approval-needed":
        return f"approve {spec.name_of(state.phase)}"
    if state.phase in PHASES and not is_finished(spec):
        return f"write {spec.name_of(state.phase)}"
    task = None if spec.summary is None else spec.summary.next
    if task is None:
        return None
    text = f"task {task.id}: {task.description}"
    return text if len(text) <= _LONGEST_NEXT else text[: _LONGEST_NEXT - 1] + "…"


def _phase(spec: Spec, phase: str, modified: int | None) -> DocumentPhase:
    name = _TITLES[phase]
    if modified is None:
        return {"name": name, "status": "missing", "lastModified": None}
    standing = (spec.approvals or {}).get(phase)
    approved = standing is not None and standing.holds
    return {"name": name, "status": "approved" if approved else "created", "lastModified": iso_milliseconds(modified)}
