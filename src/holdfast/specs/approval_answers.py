"""The bodies of `spec approve` and `spec revoke`. They are for people: no tool leads here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.core.errors import OutOfDate, SpecFailure
from holdfast.operation import Outcome
from holdfast.specs import approvals
from holdfast.specs.answers import check_settings, check_writable, done, found_spec, project_of
from holdfast.specs.layouts import PHASES
from holdfast.specs.on_disk import spec_files
from holdfast.specs.on_disk.approval_files import add_entry

if TYPE_CHECKING:
    from holdfast.specs.approvals import Approval
    from holdfast.specs.arguments import ApproveArguments, RevokeArguments
    from holdfast.specs.on_disk.workflow_folder import Project
    from holdfast.specs.phases import Spec
    from holdfast.specs.shapes import ApprovalData, DocumentApproval, GateAnswer, Success
    from holdfast.workspace import Workspace

_LONGEST = 200


def spec_approve(workspace: Workspace, arguments: ApproveArguments) -> Outcome[Success[ApprovalData] | GateAnswer]:
    project = project_of(workspace, arguments.get("projectPath", ""))
    check_settings(project)
    if arguments.get("check"):
        return _gate(project, arguments.get("specName"))
    missing = [name for name in ("specName", "phase", "by") if not arguments.get(name)]
    if missing:
        raise SpecFailure(f"{missing[0]} is required", ["`context spec approve NAME PHASE --by WHO`, or --check"])
    check_writable(project)
    spec, phase, by = found_spec(project, arguments["specName"]), arguments["phase"], _line(arguments["by"], "by")
    note = _line(arguments.get("note", ""), "note")
    names = dict(zip(PHASES, spec.documents, strict=True))

    def make(entries: list[Approval], texts: dict[str, str]) -> Approval:
        if phase not in texts:
            reason = f"{names[phase]} of '{spec.name}' is missing or still its template: there is nothing to approve"
            raise SpecFailure(reason, [f"Write {project.layout.specs}/{spec.name}/{names[phase]} first"])
        for above in PHASES[: PHASES.index(phase)]:
            if above not in texts and above not in spec.optional:
                raise SpecFailure(f"{names[above]} is missing, which {names[phase]} follows from", ["Write it first"])
            held = approvals.standing(entries, above, texts, names) if above in texts else None
            if held is not None and not held.holds:
                step = f"`context spec approve {spec.name} {above} --by WHO` comes first"
                raise SpecFailure(f"{names[phase]} follows from {names[above]}, and {held.why_not}", [step])
        held = approvals.standing(entries, phase, texts, names)
        if held.holds:
            raise SpecFailure(f"{names[phase]} of '{spec.name}' is approved already, by {held.by}", ["Nothing to do"])
        return approvals.approve(phase, texts, by, workspace.timestamp(), note)

    entry = add_entry(project, spec, make)
    data = _data(spec, names[phase], entry)
    answer: Success[ApprovalData] | GateAnswer = done(
        project, f"{names[phase]} of '{spec.name}' is approved by {by}", data, _after(spec, phase)
    ).value
    return Outcome(answer, note=project.note)


def spec_revoke(workspace: Workspace, arguments: RevokeArguments) -> Outcome[Success[ApprovalData]]:
    project = project_of(workspace, arguments.get("projectPath", ""))
    check_writable(project)
    spec, phase, by = found_spec(project, arguments["specName"]), arguments["phase"], _line(arguments["by"], "by")
    names = dict(zip(PHASES, spec.documents, strict=True))

    def make(entries: list[Approval], _texts: dict[str, str]) -> Approval:
        last = approvals.latest(entries, phase)
        if last is None or last.is_revoked:
            raise SpecFailure(f"{names[phase]} of '{spec.name}' has no approval to take back", ["Nothing to do"])
        return approvals.Approval(phase, "", {}, by, workspace.timestamp(), _line(arguments.get("note", ""), "note"))

    entry = add_entry(project, spec, make)
    step = f"`context spec approve {spec.name} {phase} --by WHO` approves it again"
    message = f"The approval of {names[phase]} of '{spec.name}' is taken back by {by}"
    return done(project, message, _data(spec, names[phase], entry), [step])


def _gate(project: Project, name: str | None) -> Outcome[Success[ApprovalData] | GateAnswer]:
    """Whether every document there is is approved as it is."""
    specs = [found_spec(project, name)] if name else spec_files.list_specs(project)
    documents: list[DocumentApproval] = []
    for spec in specs:
        standings = spec.approvals or {}
        for phase, document, time in zip(PHASES, spec.documents, spec.times, strict=True):
            held = standings.get(phase) or approvals.Standing(False, why_not=f"{document} is not approved")
            if time is not None:
                why = None if held.holds else held.why_not
                documents.append({"name": spec.name, "phase": phase, "approved": held.holds, "why": why})
    lacking = [each for each in documents if not each["approved"]]
    value: Success[ApprovalData] | GateAnswer = {
        "success": not lacking,
        "message": f"{len(documents) - len(lacking)} of {len(documents)} documents are approved as they are",
        "data": {"documents": documents},
        "nextSteps": [f"`context spec approve {each['name']} {each['phase']} --by WHO`" for each in lacking[:3]],
    }
    return Outcome(value, exit_code=OutOfDate.exit_code if lacking else 0, note=project.note)


def _line(text: str, name: str) -> str:
    """A text that may stand in the file: one line, not too long."""
    if len(text) > _LONGEST or any(character < " " or character == "\x7f" for character in text):
        raise SpecFailure(f"{name} must be one line of at most {_LONGEST} characters", ["Shorten it"])
    return text


def _data(spec: Spec, document: str, entry: Approval | None) -> ApprovalData:
    if entry is None:
        raise SpecFailure(f"nothing was recorded for '{spec.name}'", ["Try again"])
    return {
        "name": spec.name,
        "phase": entry.phase,
        "document": document,
        "sha256": entry.sha256 or None,
        "by": entry.by,
        "at": entry.at,
    }


def _after(spec: Spec, phase: str) -> list[str]:
    following = PHASES[PHASES.index(phase) + 1 :]
    return [f"Write {spec.name_of(following[0])} next"] if following else ["The tasks can be carried out"]
