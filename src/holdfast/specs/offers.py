"""Specs and steering documents as resources, and the prompts that start work on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from holdfast.core.errors import OfferError
from holdfast.offers import Prompt, PromptArgument, Resource, quote
from holdfast.specs.criterion_checks import open_questions
from holdfast.specs.guides import filled
from holdfast.specs.layouts import PHASES
from holdfast.specs.on_disk import living_files, spec_files, workflow_folder
from holdfast.specs.on_disk.workflow_folder import Project
from holdfast.specs.phases import why_not_begun
from holdfast.specs.shapes import Status
from holdfast.specs.tasks import Task
from holdfast.workspace import Workspace

Render = Callable[[Workspace, Mapping[str, str]], str]
_DELTA = "delta"  # all deltas of a spec, as one document
_MOST_QUESTIONS, _LONGEST_QUOTE = 5, 200
_BOXES: dict[Status, str] = {"pending": " ", "in-progress": "-", "completed": "x"}


def _project(workspace: Workspace) -> Project:
    return workflow_folder.open_project(workspace.project, workspace.file_contents, workspace.status)


def _steered(workspace: Workspace) -> Project:
    return workflow_folder.with_steering(_project(workspace))


def read_steering(workspace: Workspace, variables: Mapping[str, str]) -> str | None:
    project, doc = _steered(workspace), variables["doc"]
    return spec_files.get_steering_docs(project, [doc]).get(doc) if doc in project.layout.steering else None


def existing_steering(workspace: Workspace) -> list[dict[str, str]]:
    project = _steered(workspace)
    return [{"doc": doc} for doc in spec_files.get_steering_docs(project, project.layout.steering)]


def complete_steering(workspace: Workspace, _variable: str, _others: Mapping[str, str]) -> Iterable[str]:
    return _steered(workspace).layout.steering


def read_spec(workspace: Workspace, variables: Mapping[str, str]) -> str | None:
    return _text(_project(workspace), variables["name"], variables["phase"])


def _text(project: Project, name: str, phase: str) -> str | None:
    """A document of a spec, or all its deltas; None when there is none."""
    if phase in PHASES:
        return spec_files.read_phase(project, name, phase)
    spec = spec_files.find_spec(project, name) if phase == _DELTA and project.layout.delta else None
    deltas = () if spec is None else living_files.find_deltas(project, spec).files
    return "\n".join([f"<!-- {delta.file} -->\n{delta.text or ''}" for delta in deltas]) or None


def existing_specs(workspace: Workspace) -> list[dict[str, str]]:
    found = []
    project = _project(workspace)
    for spec in spec_files.list_specs(project):
        documents = zip(PHASES, spec.times, strict=True)
        phases = [phase for phase, modified in documents if modified is not None]
        has_deltas = project.layout.delta and living_files.find_deltas(project, spec).files
        found += [{"name": spec.name, "phase": phase} for phase in [*phases, *([_DELTA] if has_deltas else [])]]
    return found


def complete_spec(workspace: Workspace, variable: str, others: Mapping[str, str]) -> Iterable[str]:
    if variable == "phase":
        return (*PHASES, _DELTA) if _project(workspace).layout.delta else PHASES
    project = _project(workspace)
    if variable == "task":
        tasks = spec_files.task_list(project, others.get("spec", ""))
        return () if tasks is None else dict.fromkeys([task.id for task in tasks.tasks])
    return spec_files.spec_names(project) if variable in ("name", "spec") else ()


def create_spec(workspace: Workspace, arguments: Mapping[str, str]) -> str:
    description = arguments.get("description") or "ask, before you write anything"
    project = _project(workspace)
    template = workflow_folder.template(project, "prompt-create-spec")
    name, layout = arguments["name"], project.layout
    start = f" This project's own command for it is `{layout.own_command}`." if layout.own_command else ""
    place = f"NNN-{name} (NNN: the next free number)" if layout.numbered else name
    values = {"name": name, "description": description, "files": layout.files.replace("NAME", place), "start": start}
    return filled(template, {**values, "checks": layout.check.format(name=name)})


def clarify(workspace: Workspace, arguments: Mapping[str, str]) -> str:
    project, name = _project(workspace), arguments["spec"]
    spec = spec_files.find_spec(project, name)
    if spec is None:
        raise OfferError(f"Unknown spec: {name}. {spec_files.names_in_words(project)}")
    phase = _DELTA if project.layout.delta_is_required else PHASES[0]
    document = f"{project.layout.specs}/{name}/{spec.documents[0]}"
    found = list(open_questions(_text(project, name, phase) or ""))
    questions = [
        f"{place}. {question}\n   {line.strip(' ').removeprefix('- ')[:_LONGEST_QUOTE]}"
        for place, (_, line, question) in enumerate(found[:_MOST_QUESTIONS], 1)
    ]
    if not questions:
        raise OfferError(f"No rule finds an open question in {document}")
    values = {"spec": name, "questions": "\n".join(questions), "document": document}
    return filled(workflow_folder.template(project, "prompt-clarify"), values)


def implement_task(workspace: Workspace, arguments: Mapping[str, str]) -> str:
    return _task_prompt(workspace, arguments, "prompt-implement-task")


def review_task(workspace: Workspace, arguments: Mapping[str, str]) -> str:
    return _task_prompt(workspace, arguments, "prompt-review-task")


def _task_prompt(workspace: Workspace, arguments: Mapping[str, str], template: str) -> str:
    project = _project(workspace)
    spec, wanted = arguments["spec"], arguments.get("task")
    task = _task(project, spec, wanted) if wanted else _task_at_hand(project, spec, review="review" in template)
    there = [phase for phase in (PHASES[0], _DELTA, PHASES[1]) if _text(project, spec, phase)]
    read = " and ".join([f"context://spec/{quote(spec)}/{phase}" for phase in there]) or "the task alone"
    values = {
        "spec": spec,
        "read": read,
        "task": task.id,
        "details": _shown(task),
        "tasks": project.layout.document("tasks"),
    }
    return filled(workflow_folder.template(project, template), values)


def _task(project: Project, spec: str, wanted: str) -> Task:
    tasks = spec_files.task_list(project, spec)
    if tasks is None:
        raise _no_tasks(project, spec)
    task = next((task for task in tasks.tasks if task.id == wanted), None)
    if task is None:
        raise OfferError(f"Unknown task: {wanted}")
    return task


def _task_at_hand(project: Project, name: str, *, review: bool) -> Task:
    spec = spec_files.find_spec(project, name)
    if spec is None or spec.summary is None:
        raise _no_tasks(project, name)
    if not review and (reason := why_not_begun(spec)):
        raise OfferError(reason)
    task = spec.summary.review if review else spec.summary.next
    if task is None:
        raise OfferError(f"No task was begun in: {name}" if review else f"No open task in: {name}")
    return task


def _no_tasks(project: Project, name: str) -> OfferError:
    return OfferError(f"Unknown spec, or one without tasks: {name}. {spec_files.names_in_words(project)}")


def _shown(task: Task) -> str:
    """A task as tasks.md has it, in a regular form."""
    details = task.details
    lines = [f"- [{_BOXES[task.status]}] {task.id}. {task.description}"]
    lines += [f"  - {text}" for text in details.implementation]
    lines += [f"  - Purpose: {text}" for text in details.purposes]
    lines += [f"  - Files: {', '.join(details.files)}"] if details.files else []
    lines += [f"  - Requirements: {', '.join(details.requirements)}"] if details.requirements else []
    lines += [f"  - Leverage: {', '.join(details.leverage)}"] if details.leverage else []
    lines += [f"  - Prompt: {details.prompt}"] if details.prompt else []
    return "\n".join(lines)


RESOURCES = (
    Resource(
        family="specs",
        uri="context://steering/{doc}",
        name="steering",
        title="Steering document",
        description="What holds for every change in this project: product, tech, structure or principles.",
        mime_type="text/markdown",
        read=read_steering,
        existing=existing_steering,
        complete=complete_steering,
    ),
    Resource(
        family="specs",
        uri="context://spec/{name}/{phase}",
        name="spec",
        title="Document of a spec",
        description="The requirements, design or tasks of a spec.",
        mime_type="text/markdown",
        read=read_spec,
        existing=existing_specs,
        complete=complete_spec,
    ),
)


def _prompt(name: str, title: str, description: str, render: Render, *arguments: PromptArgument) -> Prompt:
    return Prompt("specs", name, title, description, arguments, render, complete_spec)


_SPEC = PromptArgument("spec", "Name of the spec", required=True)
_TASK = PromptArgument("task", "Number of the task (default: the next open one)")
_REVIEWED = PromptArgument("task", "Number of the task (default: the one that was begun, else the last one done)")
_NAME = PromptArgument("name", "Name of the spec, such as password-reset", required=True)
_ABOUT = PromptArgument("description", "What it is about")
_CREATE = "Start a spec, one approved document at a time."
_CLARIFY = "Ask a person what a spec leaves open, at most five questions, and write the answers back."
_REVIEW = "Review the change made for one task of a spec."
PROMPTS = (
    _prompt("create-spec", "Create a spec", _CREATE, create_spec, _NAME, _ABOUT),
    _prompt("clarify", "Clarify a spec", _CLARIFY, clarify, _SPEC),
    _prompt("implement-task", "Implement a task", "Carry out one task of a spec.", implement_task, _SPEC, _TASK),
    _prompt("review-task", "Review a task", _REVIEW, review_task, _SPEC, _REVIEWED),
)
