"""Which phase a spec is in, and what that means for whoever asks."""

from __future__ import annotations

from holdfast.core.record import NamedTuple
from holdfast.specs.timestamps import iso_milliseconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.specs.shapes import DocumentPhase, ListedSpec, StatusData, TaskProgress
    from holdfast.specs.tasks import Progress

PHASES = ("requirements", "design", "tasks")


class Spec(NamedTuple):
    """What is on disk of one spec; times in nanoseconds since 1970, None for a phase without its file."""

    name: str
    modified: int  # of the folder
    requirements: int | None
    design: int | None
    tasks: int | None
    progress: Progress | None


class State(NamedTuple):
    """Where a spec stands."""

    phase: str
    status: str
    next_steps: tuple[str, ...]


_RULES: tuple[tuple[Callable[[Spec], bool], State], ...] = (
    (
        lambda spec: spec.requirements is None,
        State("requirements", "requirements-needed", ("Write requirements.md", "Then have a person approve it")),
    ),
    (
        lambda spec: spec.design is None,
        State("design", "design-needed", ("Write design.md from the approved requirements", "Then have it approved")),
    ),
    (
        lambda spec: spec.tasks is None,
        State("tasks", "tasks-needed", ("Break the design into numbered checkbox items in tasks.md",)),
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
    (
        lambda spec: spec.progress is not None and 0 < spec.progress.total == spec.progress.completed,
        State("completed", "completed", ("All tasks are done: run the whole test suite once more",)),
    ),
)
_OTHERWISE = State(
    "implementation", "ready-for-implementation", ("No task is pending: finish those in progress, or add tasks",)
)
_NO_PROGRESS: TaskProgress = {"total": 0, "completed": 0, "pending": 0}


def state_of(spec: Spec) -> State:
    """The first rule that applies."""
    return next((state for applies, state in _RULES if applies(spec)), _OTHERWISE)


def status_data(spec: Spec, state: State) -> StatusData:
    """The `data` of a spec's status."""
    progress = None if spec.progress is None else spec.progress.as_json()
    started = spec.progress is not None and spec.progress.completed > 0
    times = [spec.modified, *(time for time in (spec.requirements, spec.design, spec.tasks) if time is not None)]
    return {
        "name": spec.name,
        "description": None,
        "currentPhase": state.phase,
        "overallStatus": state.status,
        # Not every system tells when a folder was made; nothing in a spec is older than its oldest known change.
        "createdAt": iso_milliseconds(min(times)),
        "lastModified": iso_milliseconds(spec.modified),
        "phases": [
            _phase("Requirements", spec.requirements),
            _phase("Design", spec.design),
            _phase("Tasks", spec.tasks),
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
    }


def _phase(name: str, modified: int | None) -> DocumentPhase:
    if modified is None:
        return {"name": name, "status": "missing", "lastModified": None}
    return {"name": name, "status": "created", "lastModified": iso_milliseconds(modified)}
