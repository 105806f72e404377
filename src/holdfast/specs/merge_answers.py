"""The bodies of `spec delta` and `spec merge`: how the requirements that hold now are changed."""

from __future__ import annotations

from difflib import unified_diff
from typing import cast

from holdfast.core.errors import Differs, OutOfDate, SpecFailure
from holdfast.operation import Outcome
from holdfast.specs import phases
from holdfast.specs.answers import check_settings, counted, done, found_spec, project_of
from holdfast.specs.arguments import DeltaArguments, MergeArguments
from holdfast.specs.delta_checks import DeltaFile
from holdfast.specs.living_merge import Conflict, Merged, merge
from holdfast.specs.names import is_new_spec_name
from holdfast.specs.on_disk import living_files
from holdfast.specs.on_disk.workflow_folder import Project
from holdfast.specs.phases import Spec
from holdfast.specs.requirement_blocks import (
    HEADING,
    bare_lines,
    base_line,
    blocks,
    delta_of,
    same,
    same_but_for_case,
    section_end,
    section_text,
)
from holdfast.specs.requirement_references import lowered
from holdfast.specs.shapes import ConflictData, DeltaData, MergeAnswer, MergedFile, Success
from holdfast.workspace import Workspace

_MOST_TITLES = 20


def spec_delta(workspace: Workspace, arguments: DeltaArguments) -> Outcome[Success[DeltaData]]:
    project = _with_living(workspace, arguments.get("projectPath", ""))
    spec, capability, title = found_spec(project, arguments["specName"]), arguments["capability"], arguments["title"]
    parts = capability.split("/")
    if not all(map(is_new_spec_name, parts[: 1 + project.layout.capability.count("/") * 2])):
        raise SpecFailure(f"'{capability}' is no name for a capability", ["Use one file name, such as login"])
    living_file = living_files.living_path(project, capability)
    file = living_files.delta_path(project, spec, capability)
    living, delta = _utf8(project, living_file), _utf8(project, file) or ""
    found = blocks(bare_lines(living or ""))
    block = next((each for each in found if same(each.title) == same(title)), None)
    if block is None:
        titles = ", ".join([f"'{each.title}'" for each in found[:_MOST_TITLES]]) or "none"
        raise SpecFailure(
            f"{living_file} has no requirement '{title}'",
            [f"Requirements there: {titles}", f"A new one goes under `## ADDED Requirements` in {file}"],
            note=project.note,
        )
    if any(same_but_for_case(change.title) == same_but_for_case(title) for change in delta_of(delta).changes):
        raise SpecFailure(f"{file} changes '{title}' already", [f"Edit it there: {file}"], note=project.note)
    kind = "REMOVED" if arguments.get("remove") else "MODIFIED"
    lines = [f"{HEADING} {block.title}", base_line(block.digest), *(() if kind == "REMOVED" else block.lines[1:])]
    living_files.write_delta(project, file, _with_block(delta, capability, f"{kind} Requirements", lines))
    data: DeltaData = {"name": spec.name, "capability": capability, "title": block.title, "file": file, "kind": kind}
    data["base"] = block.digest
    steps = [f"Edit it in {file}", f"`context spec merge {spec.name} --check` shows what it would change"]
    return done(project, f"{file} changes '{block.title}'", data, steps)


def spec_merge(workspace: Workspace, arguments: MergeArguments) -> Outcome[MergeAnswer]:
    project = _with_living(workspace, arguments.get("projectPath", ""))
    spec = found_spec(project, arguments["specName"])
    if arguments.get("check"):
        return _answer(project, spec, *_plan(project, spec), check=True)
    with living_files.only_writer(project):
        plan, conflicts = _plan(project, spec)
        if not conflicts:
            _write(project, plan)
    return _answer(project, spec, plan, conflicts, check=False)


def spec_archive(workspace: Workspace, arguments: MergeArguments) -> Outcome[MergeAnswer]:
    project = _with_living(workspace, arguments.get("projectPath", ""))
    check_settings(project)
    spec = found_spec(project, arguments["specName"])
    with living_files.only_writer(project):
        spec = found_spec(project, spec.name)
        if reason := _why_not_finished(spec):
            raise SpecFailure(f"'{spec.name}' is not finished: {reason}", phases.state_of(spec).next_steps)
        plan, conflicts = _plan(project, spec)
        if conflicts:
            return _answer(project, spec, plan, conflicts, check=False)
        _write(project, plan)
        name = project.layout.archived_as.format(name=spec.name, date=workspace.timestamp().partition("T")[0])
        folder = living_files.archive_folder(project, spec, name)
    if folder is None:
        reason = f"{project.layout.archive}/{name} is there already: nothing was moved"
        raise SpecFailure(reason, ["Move or rename one of the two"], note=project.note)
    return _answer(project, spec, plan, [], check=False, archived=folder)


def _with_living(workspace: Workspace, path: str) -> Project:
    """The project of a call; SpecFailure where its tool keeps no requirements beyond a spec."""
    project = project_of(workspace, path)
    if not project.layout.living:
        reason = (
            f"{project.layout.name} keeps no requirements beyond a spec, and no archive: there is nothing to merge into"
        )
        steps = [f"A finished spec stays below {project.layout.specs}; a new one says what changes"]
        raise SpecFailure(reason, steps, note=project.note)
    return project


def _why_not_finished(spec: Spec) -> str:
    progress, summary = spec.progress, spec.summary
    if progress is None or summary is None or progress.total == 0:
        return "it has no tasks"
    if progress.completed < progress.total:
        return f"{progress.total - progress.completed} of {progress.total} tasks are open"
    if summary.left_out_open:
        return f"{summary.left_out_open} checkbox lines are open and not counted"
    return phases.why_not_begun(spec)


Plan = list[tuple[DeltaFile, Merged]]


def _plan(project: Project, spec: Spec) -> tuple[Plan, list[tuple[str, str, Conflict]]]:
    """What each delta makes of what it changes; and every conflict with the file of the delta and the living one."""
    deltas = living_files.find_deltas(project, spec)
    conflicts = [
        (file, "", Conflict("delta_misplaced", f"{file} is no delta of a capability where it is", 1))
        for file in deltas.misplaced
    ]
    plan: Plan = []
    for delta in deltas.files:
        unreadable = delta.file if delta.text is None else delta.living_file
        if delta.text is None or (delta.living_is_there and delta.living is None):
            words = f"{unreadable} cannot be read as UTF-8"
            conflicts.append((delta.file, delta.living_file, Conflict("not_utf8", words, 1)))
            continue
        layout = project.layout
        purpose = (
            section_text(delta.text, "Purpose")
            or f"What this covers is still to be written here; the change {spec.name} began it."
        )
        start = layout.living_start.format(capability=delta.capability, purpose=purpose)
        merged = merge(delta.living, delta.text, start, needs_base=not layout.delta_is_required)
        conflicts += [(delta.file, delta.living_file, conflict) for conflict in merged.conflicts]
        plan.append((delta, merged))
    return plan, conflicts


def _write(project: Project, plan: Plan) -> None:
    texts = {delta.living_file: merged.text for delta, merged in plan if merged.changes}
    if texts:
        living_files.write_living(project, texts)


def _answer(
    project: Project,
    spec: Spec,
    plan: Plan,
    conflicts: list[tuple[str, str, Conflict]],
    *,
    check: bool,
    archived: str | None = None,
) -> Outcome[MergeAnswer]:
    changes = sum([merged.changes for _, merged in plan])
    files: list[MergedFile] = []
    for delta, merged in plan:
        counts = {lowered(kind): count for kind, count in merged.counts.items()}
        files.append(cast("MergedFile", {"file": delta.living_file, "delta": delta.file, **counts}))
    listed: list[ConflictData] = [
        {
            "code": conflict.code,
            "message": conflict.message,
            "delta": {"file": file, "line": conflict.line},
            "living": None if conflict.living_line is None else {"file": living, "line": conflict.living_line},
        }
        for file, living, conflict in conflicts
    ]
    many = counted(changes, "change")
    if conflicts:
        message = f"'{spec.name}' cannot be merged: {counted(len(conflicts), 'conflict')}"
        steps = ["Nothing was written", *[_place(each) for each in listed[:3]]]
    elif archived is not None:
        message, steps = f"'{spec.name}' is finished: {many} merged, its folder is {archived}", []
    elif check:
        message = f"Merging '{spec.name}' makes {many}"
        steps = [f"`context spec merge {spec.name}` makes them"] if changes else []
    else:
        message = f"'{spec.name}' is merged: {many}"
        steps = [f"`context spec merge --archive {spec.name}` moves it away once its tasks are done"]
    value: MergeAnswer = {
        "success": not conflicts,
        "message": message,
        "data": {
            "name": spec.name,
            "changes": 0 if conflicts else changes,
            "files": files,
            "conflicts": listed,
            "diff": _diff(plan) if check and not conflicts else None,
            "archived": archived,
        },
        "nextSteps": steps,
    }
    code = Differs.exit_code if conflicts else OutOfDate.exit_code if check and changes else 0
    return Outcome(value, exit_code=code, note=project.note)


def _place(conflict: ConflictData) -> str:
    places = [conflict["delta"], *([conflict["living"]] if conflict["living"] else [])]
    return " and ".join([f"{place['file']}:{place['line']}" for place in places]) + f": {conflict['message']}"


def _diff(plan: Plan) -> str:
    lines: list[str] = []
    for delta, merged in plan:
        if merged.changes:
            before, after = bare_lines(delta.living or ""), bare_lines(merged.text)
            lines += unified_diff(before, after, f"a/{delta.living_file}", f"b/{delta.living_file}", lineterm="")
    return "".join([f"{line}\n" for line in lines])


def _utf8(project: Project, file: str) -> str | None:
    try:
        return living_files.read_text(project, file)
    except UnicodeDecodeError:
        raise SpecFailure(f"{file} is not UTF-8", ["Save it as UTF-8"], note=project.note) from None


def _with_block(delta: str, capability: str, section: str, lines: list[str]) -> str:
    """A delta with one more block, at the end of its section."""
    have = bare_lines(delta or f"# Changes of {capability}\n")
    at = section_end(have, section)
    if at is None:
        at = len(have) - (have[-1] == "")
        lines = ["", f"## {section}", "", *lines]
    else:
        lines = ["", *lines]
    have[at:at] = lines
    text = "\n".join(have if have[-1] == "" else [*have, ""])
    return text.replace("\n", "\r\n") if delta.count("\r\n") * 2 > delta.count("\n") else text
