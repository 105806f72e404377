"""The board of a page: every spec with phase, progress, approvals and findings."""

from __future__ import annotations

from holdfast.operation import Outcome
from holdfast.specs import phases
from holdfast.specs.answers import counted, done, project_of
from holdfast.specs.arguments import ListArguments
from holdfast.specs.check_answers import findings_of
from holdfast.specs.layouts import PHASES
from holdfast.specs.on_disk import spec_files
from holdfast.specs.on_disk.workflow_folder import Project
from holdfast.specs.phases import Spec
from holdfast.specs.shapes import BoardData, BoardSpec, DocumentState, Success
from holdfast.workspace import Workspace


def spec_board(workspace: Workspace, arguments: ListArguments) -> Outcome[Success[BoardData]]:
    project = project_of(workspace, arguments.get("projectPath", ""))
    specs = [_spec(project, spec) for spec in spec_files.list_specs(project)]
    data: BoardData = {"layout": project.layout.name, "folder": project.layout.specs, "specs": specs}
    return done(project, counted(len(specs), "specification"), data, [])


def _spec(project: Project, spec: Spec) -> BoardSpec:
    state = phases.state_of(spec)
    findings, _ = findings_of(project, spec)
    errors = sum([finding.level == "error" for finding in findings])
    return {
        "name": spec.name,
        "currentPhase": state.phase,
        "overallStatus": state.status,
        "taskProgress": phases.listed(spec)["taskProgress"],
        "documents": {phase: _state(spec, phase) for phase in PHASES},
        "findings": {"errors": errors, "warnings": len(findings) - errors},
        "next": phases.what_is_next(spec, state),
    }


def _state(spec: Spec, phase: str) -> DocumentState:
    """The state of a document: `changed` is one whose approved text was another."""
    if spec.times[PHASES.index(phase)] is None:
        return "missing"
    standing = (spec.approvals or {}).get(phase)
    if standing is None or not (standing.holds or standing.by):
        return "created"
    return "approved" if standing.holds else "changed"
