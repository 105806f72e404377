"""The bodies of the spec operations: what each finds, and what it tells the caller to do next.

A call that cannot be answered raises SpecFailure; `failure_of` gives it the shape of an answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.core.confined_paths import printable
from holdfast.core.errors import ContextError, SpecFailure
from holdfast.operation import Outcome
from holdfast.specs import guides, phases
from holdfast.specs.arguments import (
    GuideArguments,
    InitArguments,
    ListArguments,
    NoArguments,
    StatusArguments,
)
from holdfast.specs.discipline import approvals_needed, approvers
from holdfast.specs.layouts import PHASES
from holdfast.specs.names import is_new_spec_name, names_like
from holdfast.specs.on_disk import remembered_guides, spec_files, workflow_folder
from holdfast.specs.on_disk.source_places import read_facts
from holdfast.specs.on_disk.workflow_folder import Project
from holdfast.specs.project_facts import drafts
from holdfast.specs.shapes import (
    Data,
    Failure,
    GuideData,
    ListingData,
    NextTaskData,
    Role,
    StatusAnswer,
    Success,
    WorkflowData,
    WrittenData,
)
from holdfast.specs.tasks import as_json
from holdfast.workspace import Workspace

MOST_LISTED = 20  # in full
MOST_READ = 100
_MOST_NAMED = 10
_FIRST_STEP: dict[Role, str] = {
    "implementer": "Read the task and the requirements it names, then follow the guide",
    "reviewer": "Read the task and the requirements it names, then the whole diff",
}


def spec_status(workspace: Workspace, arguments: StatusArguments) -> Outcome[StatusAnswer]:
    project = project_of(workspace, arguments.get("projectPath", ""), arguments.get("layout", ""))
    spec = found_spec(project, arguments["specName"], for_tool=True)
    state = phases.state_of(spec)
    value: StatusAnswer = {
        "success": True,
        "message": f"Specification '{spec.name}' status: {state.status}",
        "data": phases.status_data(spec, state),
        "nextSteps": _steps(project, state.next_steps),
        "projectContext": {
            "projectPath": printable(project.path),
            "workflowRoot": printable(project.root),
            "currentPhase": state.phase,
        },
    }
    return Outcome(value, note=project.note)


def spec_list(workspace: Workspace, arguments: ListArguments) -> Outcome[Success[ListingData]]:
    project = project_of(workspace, arguments.get("projectPath", ""), arguments.get("layout", ""))
    limit, about = arguments.get("limit", MOST_LISTED), arguments.get("about", "")
    names, count = spec_files.latest_names(project, max(limit, MOST_READ))
    alike = names_like(spec_files.spec_names(project), about) if about else []
    every = spec_files.list_specs(project, alike or names)
    finished = [] if alike else [spec for spec in every if phases.is_finished(spec) and not phases.why_not_begun(spec)]
    latest = sorted([spec for spec in every if spec not in finished], key=lambda spec: (-spec.modified, spec.name))
    shown = sorted(latest[:limit], key=lambda spec: spec.name)
    left_out = count - len(names) + len(every) - len(shown) - len(finished)
    data: ListingData = {
        "layout": project.layout.name,
        "folder": project.layout.specs,
        "documents": [project.layout.document(phase) for phase in PHASES],
        "specs": [phases.listed(spec) for spec in shown],
        "finished": [spec.name for spec in finished],
        "leftOut": 0 if alike else left_out,
    }
    steps = ["Call spec-status with one of these names"] if every else _specs_below(project)
    if alike:
        return done(project, f"{len(shown)} of {counted(count, 'specification')}", data, steps)
    steps += [f"No name of a spec shares a word with '{printable(about)}': these are the latest"] if about else []
    steps += (
        [f"{left_out} more are not listed, those changed longest ago: spec-status knows them too"] if left_out else []
    )
    total = count - len(names) + len(every)
    return done(project, counted(total, "specification"), data, [*steps, _how_to_start(project)])


def spec_next(workspace: Workspace, arguments: StatusArguments) -> Outcome[Success[NextTaskData]]:
    project = project_of(workspace, arguments.get("projectPath", ""), arguments.get("layout", ""))
    check_settings(project)
    spec = found_spec(project, arguments["specName"])
    if reason := phases.why_not_begun(spec):
        raise SpecFailure(reason, phases.state_of(spec).next_steps, note=project.note)
    name = spec.name
    task = None if spec.summary is None else spec.summary.next
    message = f"Specification '{name}' has no open task" if task is None else f"Next task of '{name}': {task.id}"
    data: NextTaskData = {
        "name": name,
        "task": None if task is None else as_json(task),
        "taskProgress": None if spec.progress is None else spec.progress.as_json(),
    }
    return done(project, message, data, phases.state_of(spec).next_steps)


def spec_init(workspace: Workspace, arguments: InitArguments) -> Outcome[Success[WrittenData]]:
    project = project_of(workspace, arguments.get("projectPath", ""))
    name = arguments["specName"]
    check_writable(project)
    if not is_new_spec_name(name):
        raise SpecFailure(f"'{name}' is no name for a spec", ["Use one folder name, such as password-reset"])
    if spec_files.is_taken(project, name):
        reason = f"specs/{name} cannot be made: something else is in the way"
        raise SpecFailure(reason, ["Move it away"], note=project.note)
    texts = {
        f"{phase}.md": guides.filled(workflow_folder.template(project, f"spec-{phase}"), {"name": name})
        for phase in PHASES
    }
    return written(project, f"specs/{name}", texts, "Fill in requirements.md first, and have it approved")


def steering_init(workspace: Workspace, arguments: InitArguments) -> Outcome[Success[WrittenData]]:
    project = project_of(workspace, arguments.get("projectPath", ""))
    check_writable(project, project.layout.own_steering)
    templates = {doc: workflow_folder.template(project, f"steering-{doc}") for doc in project.layout.written}
    texts = drafts(read_facts(project.path), templates)
    files = {f"{doc}.md": text if text == templates[doc] else spec_files.marked(text) for doc, text in texts.items()}
    return written(project, "steering", files, "Fill in the drafts: the guides quote them word for word")


def workflow_guide(workspace: Workspace, _arguments: NoArguments) -> Outcome[Success[WorkflowData]]:
    project = workflow_folder.with_steering(project_of(workspace))
    discipline = remembered_guides.discipline(project)
    documents = spec_files.get_steering_docs(project, project.layout.steering)
    missing = [doc for doc in project.layout.steering if doc not in documents]
    workflow = remembered_guides.workflow_guide(project, missing, discipline=discipline)
    data: WorkflowData = {
        "guide": workflow.guide,
        "steering": documents or None,
        "templates": workflow.templates,
        "disciplineMode": discipline,
    }
    steps = ("Call spec-status for the spec at hand", "Write only the document its phase asks for")
    return done(project, "The spec workflow, its templates and this project's steering documents", data, steps)


def implementer_guide(workspace: Workspace, arguments: GuideArguments) -> Outcome[Success[GuideData]]:
    return _role_guide(workspace, arguments, "implementer")


def reviewer_guide(workspace: Workspace, arguments: GuideArguments) -> Outcome[Success[GuideData]]:
    return _role_guide(workspace, arguments, "reviewer")


def _role_guide(workspace: Workspace, arguments: GuideArguments, role: Role) -> Outcome[Success[GuideData]]:
    wants_compact, run = arguments.get("mode") == "compact", arguments.get("runId", "")
    if wants_compact and not run:
        raise SpecFailure("compact mode requires runId", ["Pass the runId of the full call, or ask for mode full"])
    project = workflow_folder.with_steering(project_of(workspace))
    discipline = remembered_guides.discipline(project)
    if role == "reviewer" and discipline == "minimal":
        steps = ["Verify the change yourself", "Or set discipline to standard or full in settings.json"]
        raise SpecFailure("Reviews are not part of minimal discipline", steps, note=project.note)
    run, digest = remembered_guides.parsed_key(role, run)
    given = remembered_guides.guide_of_run(project, role, run) if wants_compact and not digest else None
    if wants_compact and given is None and not digest:
        steps = ["Call with mode full first", "Its guideCacheKey as runId needs no earlier call in this process"]
        raise SpecFailure(f"no full guide was given yet for runId '{run}'", steps, note=project.note)
    guide = remembered_guides.role_guide(project, role, run, discipline=discipline)
    # Where something changed since the full call, the short form will not do.
    is_full = not wants_compact or (guide.digest != digest if digest else guide != given)
    data: GuideData = {
        "guide": guide.full if is_full else guide.compact,
        "steering": guide.steering,
        "disciplineMode": discipline,
        "guideMode": "full" if is_full else "compact",
        "guideCacheKey": remembered_guides.cache_key(role, run, guide) if run else None,
        "searchGuidance": guide.search,
    }
    if role == "reviewer" or not is_full:  # whose guide quotes the documents, or names them with their digests
        del data["steering"]
    later = ["Later calls with this runId, or with guideCacheKey as runId, may ask for mode compact"]
    steps = [_FIRST_STEP[role], *(later if is_full and run else [])]
    return done(project, f"The {role}'s guide, {data['guideMode']}", data, steps)


def failure_of(error: ContextError) -> Failure:
    """An error as an answer."""
    if isinstance(error, SpecFailure):
        steps = list(error.next_steps)
    elif error.headline.endswith(" is missing"):  # of a command
        steps = ["`context spec list` names the specs", "`context help spec` lists what can be done with one"]
    else:
        steps = ["Correct the arguments and call again"]
    steps += [f"Note: {error.note}"] if error.note else []
    return {"success": False, "message": error.reason or error.message, "nextSteps": steps}


def done(project: Project, message: str, data: Data, next_steps: Sequence[str]) -> Outcome[Success[Data]]:
    """An answer that succeeded."""
    steps = _steps(project, next_steps)
    return Outcome({"success": True, "message": message, "data": data, "nextSteps": steps}, note=project.note)


def counted(count: int, noun: str) -> str:
    """`3 findings`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _steps(project: Project, steps: Sequence[str]) -> Sequence[str]:
    """What to do next, with the project's note on its folders, if it has one, as the last step."""
    return [*steps, f"Note: {project.note}"] if project.note else steps


def check_writable(project: Project, step: str = "") -> None:
    """SpecFailure where another tool keeps its specs; `step` is what to do there instead of starting a spec."""
    layout = project.layout
    if not layout.writable:
        reason = f"{layout.root} belongs to {layout.name}: it is read here, not written"
        step = step or f"Start a spec with {layout.own_command}, or write {layout.files}"
        raise SpecFailure(reason, [step], note=project.note)


def written(project: Project, folder: str, texts: dict[str, str], advice: str) -> Outcome[Success[WrittenData]]:
    """Write what is missing below the workflow folder, and say what was written."""
    try:
        created = spec_files.write_missing(project.written(f"{project.layout.root}/{folder}"), texts)
    except (NotADirectoryError, FileExistsError):
        reason = f"{folder} cannot be made: a file is in the way"
        raise SpecFailure(reason, ["Move it away"], note=project.note) from None
    shown = f"{project.layout.root}/{folder}"
    data: WrittenData = {"folder": shown, "created": created, "kept": [each for each in texts if each not in created]}
    message = f"{len(created)} files written in {shown}" if created else f"{shown} is complete already"
    return done(project, message, data, [advice])


def check_settings(project: Project) -> None:
    """Raise SpecFailure where the settings cannot be followed: a caller that acts on them has to know."""
    remembered_guides.discipline(project)
    settings = project.file_contents.read(project.settings, namespace=remembered_guides.NAMESPACE)
    approvals_needed(settings)
    approvers(settings)


def project_of(workspace: Workspace, path: str = "", layout: str = "") -> Project:
    """The project that a call is about; SpecFailure when a path was given that leads to no folder."""
    project = workflow_folder.open_project(workspace.directory(path), workspace.file_contents, workspace.status, layout)
    if path and not workflow_folder.is_folder(project.path, workspace.status):
        steps = ["Give a project's root, or leave projectPath out for this one"]
        raise SpecFailure(f"There is no project at '{printable(path)}'", steps)
    return project


def found_spec(project: Project, name: str, *, for_tool: bool = False) -> phases.Spec:
    """A spec by its name; a SpecFailure that leads on when there is none, a person to commands."""
    spec = spec_files.find_spec(project, name)
    if spec is None:
        steps = [spec_files.names_in_words(project), *_specs_below(project), _how_to_start(project)]
        start = project.layout.own_command or "context spec init NAME"
        steps += [] if for_tool else [f"`context spec list` names the specs, `{start}` starts one"]
        raise SpecFailure(f"Specification '{name}' not found", steps, note=project.note)
    return spec


def _specs_below(project: Project) -> list[str]:
    """Where the packages of a monorepo have their specs, if this project has none itself."""
    if spec_files.spec_names(project):
        return []
    found = workflow_folder.projects_below(project.path, project.status)
    more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    names = ", ".join([printable(name) for name in found[:_MOST_NAMED]])
    return [f"Specs are below {names}{more}: pass one of these folders as projectPath"] if found else []


def _how_to_start(project: Project) -> str:
    return f"A new spec is {project.layout.files}; spec-workflow-guide has the templates"
