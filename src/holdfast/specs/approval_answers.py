"""The bodies of `spec approve`. They are for people: no tool leads here."""

from __future__ import annotations

from collections.abc import Callable

from holdfast.core import minisign
from holdfast.core.errors import OutOfDate, SpecFailure
from holdfast.operation import Outcome
from holdfast.specs import approvals
from holdfast.specs.answers import check_settings, done, found_spec, project_of
from holdfast.specs.approvals import Approval
from holdfast.specs.arguments import ApproveArguments
from holdfast.specs.discipline import approvals_needed
from holdfast.specs.layouts import PHASES
from holdfast.specs.on_disk import approval_files, spec_files
from holdfast.specs.on_disk.approval_files import add_approval
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
    spec, phase, by = found_spec(project, arguments["specName"]), arguments["phase"], _line(arguments["by"], "by")
    note = _line(arguments.get("note", ""), "note")
    names = dict(zip(PHASES, spec.documents, strict=True))

    def make(entries: list[Approval], texts: dict[str, str]) -> Approval:
        if phase not in texts:
            reason = f"{names[phase]} of '{spec.name}' is missing or still its template: there is nothing to approve"
            raise SpecFailure(reason, [f"Write {project.layout.specs}/{spec.name}/{names[phase]} first"])
        settings = project.file_contents.read(project.settings, namespace="spec-status")
        needed = approvals_needed(settings)
        for above in PHASES[: PHASES.index(phase)]:
            if above not in texts and above not in spec.optional:
                raise SpecFailure(f"{names[above]} is missing, which {names[phase]} follows from", ["Write it first"])
            held = approvals.standing(entries, above, texts, names, needed) if above in texts else None
            if held is not None and not held.holds:
                step = f"`context spec approve {spec.name} {above} --by WHO` comes first"
                raise SpecFailure(f"{names[phase]} follows from {names[above]}, and {held.why_not}", [step])
        own = [entry for entry in entries if entry.by == by]
        revocations = [entry for entry in entries if entry.is_revoked and entry.phase == phase]
        if approvals.standing([*own, *revocations], phase, texts, names).holds:
            raise SpecFailure(f"{names[phase]} of '{spec.name}' is approved already, by {by}", ["Nothing to do"])
        return approvals.approve(phase, texts, by, workspace.timestamp(), note, entries)

    entry, file = add_approval(project, spec, make, _signer(arguments))
    data = _data(spec, names[phase], entry, file)
    message = f"{names[phase]} of '{spec.name}' is approved by {by}"
    answer: Success[ApprovalData] | GateAnswer = done(project, message, data, _after(spec, phase)).value
    return Outcome(answer, note=project.note)


def spec_revoke(workspace: Workspace, arguments: ApproveArguments) -> Outcome[Success[ApprovalData]]:
    project = project_of(workspace, arguments.get("projectPath", ""))
    spec, phase, by = found_spec(project, arguments["specName"]), arguments["phase"], _line(arguments["by"], "by")
    names = dict(zip(PHASES, spec.documents, strict=True))

    def make(entries: list[Approval], texts: dict[str, str]) -> Approval:
        given = [each for each in entries if each.phase == phase and not each.is_revoked]
        now = approvals.digest(texts[phase]) if phase in texts else ""
        held = [each for each in given if approvals.holds_still(each, entries)]
        last = next((each for each in held if each.sha256 == now), held[-1] if held else None)
        if last is None:
            raise SpecFailure(f"{names[phase]} of '{spec.name}' has no approval to take back", ["Nothing to do"])
        note = _line(arguments.get("note", ""), "note")
        return approvals.Approval(phase, last.sha256, {}, by, workspace.timestamp(), note, is_revoked=True)

    entry, file = add_approval(project, spec, make)
    step = f"`context spec approve {spec.name} {phase} --by WHO` approves it again"
    message = f"The approval of {names[phase]} of '{spec.name}' is taken back by {by}"
    return done(project, message, _data(spec, names[phase], entry, file), [step])


def _signer(arguments: ApproveArguments) -> Callable[[bytes], bytes] | None:
    """What signs an approval with the key that was named."""
    if "sign" not in arguments:
        return None
    password = arguments.get("password_file")
    secret = minisign.read_secret_key(arguments["sign"], password)
    return lambda data: minisign.sign(data, secret, f"holdfast approval by {arguments['by']}")


def _gate(project: Project, name: str | None) -> Outcome[Success[ApprovalData] | GateAnswer]:
    """Whether every document there is is approved as it is."""
    specs = [found_spec(project, name)] if name else spec_files.list_specs(project)
    documents: list[DocumentApproval] = []
    removed: list[str] = []
    for spec in specs:
        removed += approval_files.removed(project, spec)
        standings = spec.approvals or {}
        for phase, document, time in zip(PHASES, spec.documents, spec.times, strict=True):
            held = standings.get(phase) or approvals.Standing(False, why_not=f"{document} is not approved")
            if time is not None:
                why = None if held.holds else held.why_not
                documents.append({"name": spec.name, "phase": phase, "approved": held.holds, "by": held.by, "why": why})
    lacking = [each for each in documents if not each["approved"]]
    value: Success[ApprovalData] | GateAnswer = {
        "success": not lacking and not removed,
        "message": f"{len(documents) - len(lacking)} of {len(documents)} documents are approved as they are",
        "data": {"documents": documents, "removed": removed},
        "nextSteps": [
            *[f"{file} was removed: restore it from git, or have a person approve again" for file in removed[:3]],
            *[f"A person: `context spec approve {each['name']} {each['phase']} --by WHO`" for each in lacking[:3]],
        ],
    }
    return Outcome(value, exit_code=OutOfDate.exit_code if lacking or removed else 0, note=project.note)


def _line(text: str, name: str) -> str:
    """A text that may stand in the file: one line, not too long."""
    if len(text) > _LONGEST or any(character < " " or character == "\x7f" for character in text):
        raise SpecFailure(f"{name} must be one line of at most {_LONGEST} characters", ["Shorten it"])
    return text


def _data(spec: Spec, document: str, entry: Approval, file: str) -> ApprovalData:
    return {
        "name": spec.name,
        "phase": entry.phase,
        "document": document,
        "sha256": None if entry.is_revoked else entry.sha256,
        "by": entry.by,
        "at": entry.at,
        "file": file,
    }


def _after(spec: Spec, phase: str) -> list[str]:
    following = PHASES[PHASES.index(phase) + 1 :]
    return [f"Write {spec.name_of(following[0])} next"] if following else ["The tasks can be carried out"]
