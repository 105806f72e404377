"""The bodies of `spec check` and `spec trace`: what is wrong with specs, and where each criterion leads."""

from __future__ import annotations

from holdfast.core.errors import OutOfDate
from holdfast.core.sarif_log import LogResult, LogRule, one_run
from holdfast.offers import quote
from holdfast.operation import Outcome
from holdfast.specs.answers import done, found_spec, project_of
from holdfast.specs.checks import RULES, Documents, check, done_files, references
from holdfast.specs.layouts import PHASES
from holdfast.specs.on_disk import spec_files, workflow_folder
from holdfast.specs.requirement_ids import requirements_of
from holdfast.specs.tasks import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.core.canonical_json import JsonValue
    from holdfast.specs.arguments import CheckArguments, SpecArguments
    from holdfast.specs.checks import Coverage, Finding
    from holdfast.specs.on_disk.workflow_folder import Project
    from holdfast.specs.phases import Spec
    from holdfast.specs.shapes import (
        CheckAnswer,
        CoverageData,
        FindingData,
        PlaceData,
        SarifLog,
        Success,
        TraceData,
        TracedCriterion,
    )
    from holdfast.workspace import Workspace


def sarif_log(findings: Sequence[Finding], version: str) -> dict[str, JsonValue]:
    """One run of this tool with its rules, and a result for each finding."""
    rules = [LogRule(rule.id, rule.level, rule.meaning, f"To mend it: {rule.fix}.") for rule in RULES.values()]
    results = [
        LogResult(
            finding.rule, finding.level, _message(finding), "/".join(map(quote, finding.file.split("/"))), finding.line
        )
        for finding in findings
    ]
    return one_run(rules, results, version)


def _message(finding: Finding) -> str:
    rule = RULES[finding.rule]
    about = f": {finding.text}" if finding.text else ""
    return f"{rule.meaning}{about}. To mend it: {rule.fix}."


def spec_check(workspace: Workspace, arguments: CheckArguments) -> Outcome[CheckAnswer | SarifLog]:
    project = project_of(workspace, arguments.get("projectPath", ""))
    names = arguments.get("specNames") or []
    specs = [found_spec(project, name) for name in dict.fromkeys(names)] if names else spec_files.list_specs(project)
    findings: list[Finding] = []
    coverage: list[CoverageData] = []
    for spec in specs:
        found, covered = findings_of(project, spec, strict=bool(arguments.get("strict")))
        findings += [each for each in found if arguments.get("level") != "error" or each.level == "error"]
        coverage.append(_coverage(spec.name, covered))
    findings.sort()
    code = OutOfDate.exit_code if findings else 0
    if arguments.get("format") == "sarif":
        from holdfast.version import __version__

        return Outcome(sarif_log(findings, __version__), exit_code=code, note=project.note)
    where = f"{len(specs)} specification{'' if len(specs) == 1 else 's'}"
    value: CheckAnswer = {
        "success": not findings,
        "message": f"{len(findings) or 'no'} finding{'' if len(findings) == 1 else 's'} in {where}",
        "data": {"findings": [_finding(each) for each in findings], "coverage": coverage},
        "nextSteps": _steps(findings),
    }
    return Outcome(value, exit_code=code, note=project.note)


def findings_of(project: Project, spec: Spec, *, strict: bool = False) -> tuple[list[Finding], Coverage]:
    """What is wrong with one spec, and how far its tasks cover its requirements."""
    layout = project.layout
    texts = spec_files.read_documents(project, spec)
    documents = Documents(
        tuple([f"{layout.specs}/{spec.name}/{name}" for name in spec.documents]),
        texts,
        tuple([workflow_folder.template(project, f"spec-{phase}") for phase in PHASES]),
        layout.tasks,
        workflow_folder.missing_files(project, done_files(texts[2] or "", layout.tasks)),
    )
    return check(documents, strict=strict)


def spec_trace(workspace: Workspace, arguments: SpecArguments) -> Outcome[Success[TraceData]]:
    from holdfast.specs.on_disk.source_places import places_of

    project = project_of(workspace, arguments.get("projectPath", ""))
    spec = found_spec(project, arguments["specName"])
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


def _finding(finding: Finding) -> FindingData:
    return {
        "file": finding.file,
        "line": finding.line,
        "rule": finding.rule,
        "level": finding.level,
        "text": finding.text,
        "fix": RULES[finding.rule].fix,
    }


def _coverage(name: str, coverage: Coverage) -> CoverageData:
    return {
        "name": name,
        "criteria": coverage.criteria,
        "named": coverage.criteria - len(coverage.unnamed),
        "unnamed": coverage.unnamed,
        "unknown": coverage.unknown,
    }


def _steps(findings: list[Finding]) -> list[str]:
    if not findings:
        return []
    errors = sum([finding.level == "error" for finding in findings])
    first = next(iter([each for each in findings if each.level == "error"] or findings))
    return [f"{errors} of them are errors; begin with {first.file}:{first.line}, {first.rule}: {RULES[first.rule].fix}"]
