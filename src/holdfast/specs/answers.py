"""The answers of the spec commands: what each finds, and what it tells the caller to do next."""

from __future__ import annotations

from holdfast.core.confined_paths import printable
from holdfast.operation import Outcome
from holdfast.specs import compiled, guides, on_disk, phases
from holdfast.specs.compiled import Problem
from holdfast.specs.names import is_new_spec_name
from holdfast.specs.tasks import as_json, next_task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.core.canonical_json import Json
    from holdfast.core.errors import ContextError
    from holdfast.operation import Arguments
    from holdfast.specs.on_disk import Project
    from holdfast.workspace import Workspace


def spec_status(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    project = _project(workspace, arguments)
    name = arguments["specName"]
    spec = on_disk.find_spec(project, name)
    if spec is None:
        return _not_found(project, name)
    state = phases.state_of(spec)
    value = {
        "success": True,
        "message": f"Specification '{name}' status: {state.status}",
        "data": phases.status_data(spec, state),
        "nextSteps": state.next_steps,
        "projectContext": _context(project, state.phase),
    }
    return Outcome(value, note=project.note)


def spec_list(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    project = _project(workspace, arguments)
    specs = [phases.listed(spec) for spec in on_disk.list_specs(project)]
    steps = ("`context spec next NAME` shows what to do",) if specs else ("`context spec init NAME` starts one",)
    return _done(project, f"{len(specs)} specification{'' if len(specs) == 1 else 's'}", {"specs": specs}, steps)


def spec_next(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    project = _project(workspace, arguments)
    name = arguments["specName"]
    spec = on_disk.find_spec(project, name)
    if spec is None:
        return _not_found(project, name)
    tasks = on_disk.task_list(project, name)
    task = None if tasks is None else next_task(tasks.tasks)
    progress = None if tasks is None else tasks.progress._asdict()
    message = f"Specification '{name}' has no open task" if task is None else f"Next task of '{name}': {task.id}"
    data = {"name": name, "task": None if task is None else as_json(task), "taskProgress": progress}
    return _done(project, message, data, phases.state_of(spec).next_steps)


def spec_init(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    project = _project(workspace, arguments)
    name = arguments["specName"]
    if not is_new_spec_name(name):
        return failed(f"'{name}' is no name for a spec", ["Use one folder name, such as password-reset"])
    if on_disk.is_taken(project, name):
        return failed(f"specs/{name} cannot be made: something else is in the way", ["Move it away"], project.note)
    texts = {
        f"{phase}.md": guides.filled(on_disk.template(project, f"spec-{phase}"), {"name": name})
        for phase in phases.PHASES
    }
    return _written(project, f"specs/{name}", texts, "Fill in requirements.md first, and have it approved")


def steering(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    project = _project(workspace, arguments)
    missing = on_disk.get_missing_steering_docs(project, guides.STEERING)
    documents = [{"name": f"{doc}.md", "exists": doc not in missing} for doc in guides.STEERING]
    steps = ("`context steering init` writes drafts of the missing ones",) if missing else ()
    message = f"{len(guides.STEERING) - len(missing)} of {len(guides.STEERING)} steering documents exist"
    return _done(project, message, {"documents": documents}, steps)


def steering_init(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    project = _project(workspace, arguments)
    texts = {f"{doc}.md": on_disk.template(project, f"steering-{doc}") for doc in guides.STEERING}
    return _written(project, "steering", texts, "Fill in the drafts: the guides quote them word for word")


def workflow_guide(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    project = _project(workspace, arguments)
    discipline = compiled.discipline(project)
    if isinstance(discipline, Problem):
        return failed(*discipline, note=project.note)
    workflow = compiled.workflow_guide(project, discipline=discipline)
    data = {
        "guide": workflow.guide,
        "steering": on_disk.get_steering_docs(project, guides.STEERING) or None,
        "templates": workflow.templates,
        "disciplineMode": discipline,
    }
    steps = ("Call spec-status for the spec at hand", "Write only the document its phase asks for")
    return _done(project, "The spec workflow, its templates and this project's steering documents", data, steps)


def implementer_guide(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    return _role_guide(workspace, arguments, "implementer")


def reviewer_guide(workspace: Workspace, arguments: Arguments) -> Outcome[Json]:
    return _role_guide(workspace, arguments, "reviewer")


def _role_guide(workspace: Workspace, arguments: Arguments, role: str) -> Outcome[Json]:
    compact, run = arguments.get("mode") == "compact", arguments.get("runId", "")
    if compact and not run:
        return failed("compact mode requires runId", ["Pass the runId of the full call, or ask for mode full"])
    project = _project(workspace, arguments)
    discipline = compiled.discipline(project)
    if isinstance(discipline, Problem):
        return failed(*discipline, note=project.note)
    if role == "reviewer" and discipline == "minimal":
        return failed(*compiled.NO_REVIEWS, note=project.note)
    given = compiled.guide_of_run(project, role, run) if compact else None
    if compact and given is None:
        return failed(f"no full guide was given yet for runId '{run}'", ["Call with mode full first"], project.note)
    guide = compiled.role_guide(project, role, run, discipline=discipline)
    if isinstance(guide, Problem):
        return failed(*guide, note=project.note)
    full = guide is not given  # something it was made of changed since the full call: the short form will not do
    data: dict[str, Json] = {"guide": guide.full if full else guide.compact}
    if full and role == "implementer":
        data["steering"] = guide.steering
    data["disciplineMode"] = discipline
    data["guideMode"] = "full" if full else "compact"
    data["guideCacheKey"] = f"{role}:{run}" if run else None
    data["searchGuidance"] = guide.search
    steps = [compiled.FIRST_STEP[role]]
    if full and run:
        steps.append("Later calls with this runId may ask for mode compact")
    return _done(project, f"The {role}'s guide, {data['guideMode']}", data, steps)


def failed(message: str, next_steps: Sequence[str], note: str = "") -> Outcome[Json]:
    """An answer that says why there is none."""
    return Outcome(_failure(message, next_steps), exit_code=1, is_error=True, note=note)


def failure_of(error: ContextError) -> Json:
    """An error as an answer."""
    return _failure(error.reason or error.message, ["Correct the arguments and call again"])


def _failure(message: str, next_steps: Sequence[str]) -> Json:
    return {"success": False, "message": message, "nextSteps": next_steps}


def _done(project: Project, message: str, data: Json, next_steps: Sequence[str]) -> Outcome[Json]:
    return Outcome({"success": True, "message": message, "data": data, "nextSteps": next_steps}, note=project.note)


def _not_found(project: Project, name: str) -> Outcome[Json]:
    steps = ["`context spec list` shows the specs there are", "`context spec init NAME` starts one"]
    return failed(f"Specification '{name}' not found", steps, project.note)


def _written(project: Project, folder: str, texts: dict[str, str], advice: str) -> Outcome[Json]:
    """Write what is missing below the workflow folder, and say what was written."""
    try:
        created = on_disk.write_missing(f"{project.root}/{folder}", texts)
    except (NotADirectoryError, FileExistsError):
        return failed(f"{folder} cannot be made: a file is in the way", ["Move it away"], project.note)
    data = {
        "folder": f"{_folder_name(project)}/{folder}",
        "created": created,
        "kept": [n for n in texts if n not in created],
    }
    message = (
        f"{len(created)} files written in {data['folder']}" if created else f"{data['folder']} is complete already"
    )
    return _done(project, message, data, [advice])


def _project(workspace: Workspace, arguments: Arguments) -> Project:
    path = workspace.directory(arguments.get("projectPath", ""))
    return on_disk.open_project(path, workspace.file_contents, workspace.status)


def _folder_name(project: Project) -> str:
    return project.root.rpartition("/")[2]


def _context(project: Project, phase: str) -> Json:
    return {
        "projectPath": printable(project.path),
        "workflowRoot": printable(project.root),
        "currentPhase": phase,
    }
