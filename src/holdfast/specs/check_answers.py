"""What is wrong with specs, where each criterion leads, and both on a board: `spec check`, `--trace` and a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from holdfast.core.errors import OutOfDate, SpecFailure
from holdfast.core.sarif_log import LogResult, LogRule, one_run
from holdfast.operation import Outcome
from holdfast.specs import phases
from holdfast.specs.answers import counted, done, found_spec, project_of
from holdfast.specs.arguments import CheckArguments, ListArguments
from holdfast.specs.check_rules import RULES
from holdfast.specs.checks import Coverage, Documents, Finding, check, grouped, named_files, references, with_levels
from holdfast.specs.delta_checks import Deltas, changed_titles
from holdfast.specs.discipline import check_levels
from holdfast.specs.layouts import PHASES, TaskForm
from holdfast.specs.on_disk import living_files, spec_files, workflow_folder
from holdfast.specs.on_disk.check_scope import changed_lines, without_known
from holdfast.specs.on_disk.source_places import all_places, generated, places_of, read_facts
from holdfast.specs.on_disk.workflow_folder import Project
from holdfast.specs.phases import Spec
from holdfast.specs.requirement_ids import requirements_of
from holdfast.specs.shapes import (
    BoardData,
    BoardSpec,
    CheckAnswer,
    CoverageData,
    DocumentState,
    FindingData,
    PlaceData,
    SarifLog,
    Success,
    TraceData,
    TracedCriterion,
)
from holdfast.specs.steering_claims import drifted
from holdfast.specs.tasks import parse
from holdfast.version import __version__
from holdfast.workspace import Workspace


def sarif_log(findings: Sequence[Finding], form: TaskForm, version: str) -> SarifLog:
    """One run of this tool with its rules, and a result for each finding."""
    rules = [
        LogRule(rule.id, rule.level, rule.meaning, f"To mend it: {_fix(rule.id, form)}.") for rule in RULES.values()
    ]
    results = [
        LogResult(each.rule, each.level, _message(each, form), each.file, each.line)  # as SARIF orders them
        for each in findings
    ]
    return one_run(rules, results, version)


def _message(finding: Finding, form: TaskForm) -> str:
    about = f": {finding.text}" if finding.text else ""
    return f"{RULES[finding.rule].meaning}{about}. To mend it: {_fix(finding.rule, form)}."


def _fix(rule: str, form: TaskForm) -> str:
    """What to do about a finding, in the words of the layout."""
    return RULES[rule].fix.replace("{task}", form.example).replace("{reference}", form.reference)


def spec_check(workspace: Workspace, arguments: CheckArguments) -> Outcome[CheckAnswer | SarifLog]:
    project = project_of(workspace, arguments.get("projectPath", ""), arguments.get("layout", ""))
    names = arguments.get("specNames") or []
    specs = [found_spec(project, name) for name in dict.fromkeys(names)] if names else spec_files.list_specs(project)
    surroundings = _surroundings(project)
    strict = bool(arguments.get("strict"))
    findings, steering = ([], []) if names else _steering_findings(project, strict=strict, levels=surroundings.levels)
    coverage: list[CoverageData] = []
    for spec in specs:
        found, covered = findings_of(project, spec, surroundings, strict=strict)
        findings += found
        coverage.append(_coverage(spec.name, covered))
    if arguments.get("level") == "error":
        findings = [each for each in findings if each.level == "error"]
    if since := arguments.get("since"):
        lines = changed_lines(project, since, steering)
        findings = [each for each in findings if each.file in lines and each.line in (lines[each.file] or (each.line,))]
    if baseline := arguments.get("baseline"):
        findings = without_known(findings, baseline)
    findings.sort()
    code = OutOfDate.exit_code if findings else 0
    if arguments.get("format") == "sarif":
        return Outcome(sarif_log(findings, project.layout.tasks, __version__), exit_code=code, note=project.note)
    where = counted(len(specs), "specification")
    where += f" and {counted(len(steering), 'steering document')}" if steering else ""
    shown = grouped(findings)
    value: CheckAnswer = {
        "success": not findings,
        "message": f"{counted(len(findings), 'finding') if findings else 'no findings'} in {where}",
        "data": {"findings": [_finding(each, project.layout.tasks) for each in shown], "coverage": coverage},
        "nextSteps": _steps(shown, project.layout.tasks),
    }
    return Outcome(value, exit_code=code, note=project.note)


class Surroundings(NamedTuple):
    """What the checks of all specs of a project need to know of the rest of it."""

    levels: Mapping[str, str] = {}
    tested: Mapping[str, frozenset[str]] = {}  # by spec, the criteria that code or tests name
    changes: Mapping[tuple[str, str], tuple[str, ...]] = {}  # by capability and title, the specs that change it


def _surroundings(project: Project) -> Surroundings:
    settings = project.file_contents.read(project.settings, namespace="spec-status")
    places = all_places(project.path, without=project.layout.specs)
    tested = {spec: frozenset([criterion for criterion, _, _ in found]) for spec, found in places.items()}
    changes: dict[tuple[str, str], tuple[str, ...]] = {}
    for spec in spec_files.list_specs(project) if project.layout.delta else ():
        for delta in living_files.find_deltas(project, spec).files:
            for title in changed_titles(delta.text or ""):
                key = delta.capability, title
                changes[key] = (*changes.get(key, ()), spec.name)
    return Surroundings(check_levels(settings, RULES), tested, changes)


def findings_of(
    project: Project, spec: Spec, surroundings: Surroundings | None = None, *, strict: bool = False
) -> tuple[list[Finding], Coverage]:
    """What is wrong with one spec, and how far its tasks cover its requirements."""
    layout = project.layout
    around = surroundings or Surroundings()
    documents = Documents(
        tuple([f"{layout.specs}/{spec.name}/{name}" for name in spec.documents]),
        spec_files.read_documents(project, spec),
        tuple([workflow_folder.template(project, f"spec-{phase}") if layout.writable else "" for phase in PHASES]),
        layout.tasks,
        layout.optional,
        tested=around.tested.get(spec.name, frozenset()),
        stale={at: each.why_not for at, each in (spec.approvals or {}).items() if each.by and not each.holds},
        deltas=_deltas(project, spec, around),
    )
    missing = workflow_folder.missing_files(project, spec.name, named_files(documents))
    return check(documents._replace(missing_files=missing), strict=strict, levels=around.levels)


def _deltas(project: Project, spec: Spec, around: Surroundings) -> Deltas | None:
    if not project.layout.delta_is_required:
        return None
    others = {
        key: tuple([name for name in names if name != spec.name])
        for key, names in around.changes.items()
        if spec.name in names
    }
    return living_files.find_deltas(project, spec)._replace(others=others)


def _steering_findings(project: Project, *, strict: bool, levels: Mapping[str, str]) -> tuple[list[Finding], list[str]]:
    """What steering documents say that no longer holds, and the paths of the documents that were read."""
    layout = workflow_folder.with_steering(project).layout
    documents = spec_files.get_steering_docs(project._replace(layout=layout), layout.steering)
    if not documents:
        return [], []
    facts = read_facts(project.path)
    found = [(layout.steering[doc], *each) for doc, text in documents.items() for each in drifted(text, facts)]
    kept = generated(project.path, [about for _, _, rule, about in found if rule == "steering-path-missing"])
    left = [each for each in found if each[3] not in kept]
    return with_levels(left, "error" if strict else "", levels), [layout.steering[doc] for doc in documents]


def spec_trace(workspace: Workspace, arguments: CheckArguments) -> Outcome[Success[TraceData]]:
    project = project_of(workspace, arguments.get("projectPath", ""))
    names = arguments.get("specNames", [])
    if len(names) != 1:
        raise SpecFailure(
            "--trace is of one spec", [spec_files.names_in_words(project), "`context spec check NAME --trace`"]
        )
    spec = found_spec(project, names[0])
    texts = spec_files.read_documents(project, spec)
    requirements = requirements_of(texts[0] or "")
    tasks = parse(texts[2] or "", project.layout.tasks).tasks
    named: dict[str, list[str]] = {}
    targets = requirements.targets()
    for task, name in references(tasks, requirements):
        for criterion in dict.fromkeys([name, *targets.get(name, ())]):
            named.setdefault(criterion, []).append(task.id)
    ids = {each.id for each in requirements.criteria} | set(requirements.numbers)
    reaching: dict[str, list[PlaceData]] = {}
    unknown: list[PlaceData] = []
    for name, path, line in places_of(project.path, spec.name, without=project.layout.specs):
        (reaching.setdefault(name, []) if name in ids else unknown).append({"file": path, "line": line})
    file = f"{project.layout.specs}/{spec.name}/{spec.documents[0]}"
    criteria: list[TracedCriterion] = [
        {
            "id": each.id,
            "file": file,
            "line": each.line + 1,
            "tasks": named.get(each.id, []),
            "places": reaching.get(each.id, []),
        }
        for each in requirements.criteria
    ]
    data: TraceData = {"name": spec.name, "criteria": criteria, "unknown": unknown}
    reached = sum([bool(each["places"]) for each in criteria])
    message = f"{reached} of {len(criteria)} criteria of '{spec.name}' are named in code or tests"
    steps = [f"Name a criterion in the code or test that meets it: `spec:{spec.name}#1.1`"]
    return done(project, message, data, steps if reached < len(criteria) else [])


def spec_board(workspace: Workspace, arguments: ListArguments) -> Outcome[Success[BoardData]]:
    project = project_of(workspace, arguments.get("projectPath", ""))
    specs = [_on_board(project, spec) for spec in spec_files.list_specs(project)]
    data: BoardData = {"layout": project.layout.name, "folder": project.layout.specs, "specs": specs}
    return done(project, counted(len(specs), "specification"), data, [])


def _on_board(project: Project, spec: Spec) -> BoardSpec:
    state = phases.state_of(spec)
    findings, _ = findings_of(project, spec)
    errors = sum([finding.level == "error" for finding in findings])
    return {
        "name": spec.name,
        "currentPhase": state.phase,
        "overallStatus": state.status,
        "taskProgress": phases.listed(spec)["taskProgress"],
        "documents": {phase: _document_state(spec, phase) for phase in PHASES},
        "findings": {"errors": errors, "warnings": len(findings) - errors},
        "next": phases.what_is_next(spec, state),
    }


def _document_state(spec: Spec, phase: str) -> DocumentState:
    """The state of a document: `changed` is one whose approved text was another."""
    if spec.times[PHASES.index(phase)] is None:
        return "missing"
    standing = (spec.approvals or {}).get(phase)
    if standing is None or not (standing.holds or standing.by):
        return "created"
    return "approved" if standing.holds else "changed"


def _finding(finding: Finding, form: TaskForm) -> FindingData:
    return {
        "file": finding.file,
        "line": finding.line,
        "rule": finding.rule,
        "level": finding.level,
        "text": finding.text,
        "count": finding.times,
        "fix": _fix(finding.rule, form),
    }


def _coverage(name: str, coverage: Coverage) -> CoverageData:
    return {
        "name": name,
        "criteria": coverage.criteria,
        "named": coverage.criteria - len(coverage.unnamed),
        "unnamed": coverage.unnamed,
        "unknown": coverage.unknown,
    }


def _steps(findings: list[Finding], form: TaskForm) -> list[str]:
    if not findings:
        return []
    errors = sum([finding.times for finding in findings if finding.level == "error"])
    first = next(iter([each for each in findings if each.level == "error"] or findings))
    fix = _fix(first.rule, form)
    return [f"{errors} of them are errors; begin with {first.file}:{first.line}, {first.rule}: {fix}"]
