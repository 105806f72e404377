"""`context spec check` and `context spec check --trace` as they are typed."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from support.doors import run_context
from support.specs import SpecProject

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path) -> SpecProject:
    project = SpecProject(tmp_path)
    project.spec("a b", "- [x] 1. x\n  - File: src/gone.py\n  - _Requirements: 1.1_\n- [ ] Gate\n")
    project.write("specs/a b/requirements.md", "### 1. x\n\n1. It SHALL work.\n2. It SHALL stop.\n")
    project.spec("good", "- [ ] 1. a\n")
    for name in ("a b/design", "good/requirements", "good/design"):
        project.write(f"specs/{name}.md", "# Title\n\nText.\n")
    return project


def run(project: SpecProject, *words: str) -> tuple[Any, int]:
    done = run_context("spec", *words, cwd=project.root)
    assert done.stderr == b""
    return json.loads(done.stdout), done.returncode


def test_findings_have_file_line_rule_and_what_to_do(project: SpecProject) -> None:
    answer, code = run(project, "check")
    assert (code, answer["success"], answer["message"]) == (8, False, "3 findings in 2 specifications")
    assert [(each["file"], each["line"], each["rule"], each["level"]) for each in answer["data"]["findings"]] == [
        (".spec-context/specs/a b/requirements.md", 4, "criterion-unnamed", "warning"),
        (".spec-context/specs/a b/tasks.md", 1, "done-file-missing", "warning"),
        (".spec-context/specs/a b/tasks.md", 4, "task-unnumbered", "error"),
    ]
    assert answer["data"]["findings"][2]["fix"] == "write `- [ ] 1.2 Text`"
    assert answer["data"]["coverage"][0] == {
        "name": "a b",
        "criteria": 2,
        "named": 1,
        "unnamed": ["1.2"],
        "unknown": [],
    }


def test_packages_and_addresses_are_no_files(project: SpecProject) -> None:
    files = "@scope/web3.js, http://127.0.0.1:8899, src/gone.py"
    project.write("specs/a b/tasks.md", f"- [x] 1. x\n  - File: {files}\n  - _Requirements: 1_\n")
    found = run(project, "check", "a b")[0]["data"]["findings"]
    assert [each["text"] for each in found if each["rule"] == "done-file-missing"] == ["src/gone.py"]


def test_a_spec_in_order_a_spec_that_is_not_there_and_only_errors(project: SpecProject) -> None:
    good, other, errors = (
        run(project, "check", "good"),
        run(project, "check", "x"),
        run(project, "check", "--level=error"),
    )
    assert (good[1], good[0]["success"], good[0]["message"]) == (0, True, "no findings in 1 specification")
    assert (other[1], other[0]["message"], other[0]["nextSteps"][0]) == (
        1,
        "Specification 'x' not found",
        "Specs here: a b, good",
    )
    assert (errors[1], [each["rule"] for each in errors[0]["data"]["findings"]]) == (8, ["task-unnumbered"])
    strict, code = run(project, "check", "--strict")
    assert (code, {each["level"] for each in strict["data"]["findings"]}) == (8, {"error"})


def test_sarif_names_files_as_addresses_below_the_project(project: SpecProject) -> None:
    log, code = run(project, "check", "--format", "sarif")
    results = log["runs"][0]["results"]
    uris = {each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for each in results}
    assert (code, log["version"], uris) == (
        8,
        "2.1.0",
        {".spec-context/specs/a%20b/requirements.md", ".spec-context/specs/a%20b/tasks.md"},
    )


def test_settings_change_levels_and_a_baseline_leaves_out_what_is_known(project: SpecProject) -> None:
    project.write("settings.json", '{"checks": {"criterion-unnamed": "off", "done-file-missing": "error"}}')
    answer, _ = run(project, "check")
    assert [(each["rule"], each["level"]) for each in answer["data"]["findings"]] == [
        ("done-file-missing", "error"),
        ("task-unnumbered", "error"),
    ]
    (project.root / "known.json").write_text(json.dumps(answer), encoding="utf-8")
    assert run(project, "check", "--baseline", "known.json")[1] == 0
    tasks = project.root / ".spec-context/specs/a b/tasks.md"
    tasks.write_text("Above.\n" + tasks.read_text(encoding="utf-8") + "- [ ] Second gate\n", encoding="utf-8")
    new, code = run(project, "check", "--baseline", "known.json")
    assert (code, [each["text"] for each in new["data"]["findings"]]) == (8, ["- [ ] Second gate"])
    for name, text in (("none.json", None), ("bad.json", "[]")):
        if text is not None:
            (project.root / name).write_text(text, encoding="utf-8")
        refused, code = run(project, "check", "--baseline", name)
        assert (code, refused["message"]) == (1, f"'{name}' is no answer of `context spec check`")
    project.write("settings.json", '{"checks": {"no-such-rule": "off"}}')
    refused, code = run(project, "check")
    assert (code, refused["message"]) == (
        1,
        'checks in settings.json names no rule of `spec check`: "no-such-rule"',
    )


def test_since_a_commit_only_what_the_change_touched_is_checked(project: SpecProject) -> None:
    def git(*words: str) -> None:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *words]
        subprocess.run(command, cwd=project.root, check=True, capture_output=True)

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "first")
    assert run(project, "check", "--since", "HEAD")[1] == 0
    tasks = project.root / ".spec-context/specs/a b/tasks.md"
    tasks.write_text(tasks.read_text(encoding="utf-8") + "- [ ] Second gate\n", encoding="utf-8")
    project.write("specs/new/tasks.md", "- [ ] Third gate\n")
    answer, code = run(project, "check", "--since", "HEAD")
    texts = [each["text"] for each in answer["data"]["findings"] if each["rule"] == "task-unnumbered"]
    assert (code, texts) == (8, ["- [ ] Second gate", "- [ ] Third gate"])
    refused, code = run(project, "check", "--since", "--output=x")
    assert (code, refused["message"].startswith("What changed since '--output=x' cannot be found")) == (1, True)


def test_an_openspec_change_is_checked_with_its_deltas(tmp_path: Path) -> None:
    for path, text in {
        "openspec/specs/accounts/spec.md": "# accounts\n\n## Requirements\n\n### Requirement: Log in\n\nIt SHALL.\n",
        "openspec/changes/reset/proposal.md": "# Change\n\n## Why\n\nPeople forget.\n",
        "openspec/changes/reset/tasks.md": "- [ ] Do it\n",
        "openspec/changes/reset/specs/accounts/spec.md": "## ADDED Requirements\n\n### Requirement: X\n\nIt sends.\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    answer = json.loads(run_context("spec", "check", cwd=tmp_path).stdout)
    assert [(each["file"], each["rule"]) for each in answer["data"]["findings"]] == [
        ("openspec/changes/reset/specs/accounts/spec.md", "delta-no-scenario"),
        ("openspec/changes/reset/specs/accounts/spec.md", "delta-no-shall"),
    ]


@pytest.mark.parametrize("git", [True, False])
def test_a_criterion_leads_to_tasks_and_to_the_places_that_name_it(project: SpecProject, git: bool) -> None:
    source = project.root / "src"
    source.mkdir()
    (source / "a.py").write_text("# x\n# spec:a b#1.2, and spec:a b#7.7.\n", encoding="utf-8")
    (source / "big.bin").write_bytes(b"\0" * (1 << 21) + b"spec:a b#1.1")
    if git:
        (project.root / ".gitignore").write_text("ignored.py\n", encoding="utf-8")
        (source / "ignored.py").write_text("# spec:a b#1.1\n", encoding="utf-8")
        subprocess.run(["git", "init", "-q"], cwd=project.root, check=True)
    answer, code = run(project, "check", "--trace", "a b")
    data = answer["data"]
    assert (code, [(each["id"], each["tasks"], each["places"]) for each in data["criteria"]], data["unknown"]) == (
        0,
        [("1.1", ["1"], []), ("1.2", [], [{"file": "src/a.py", "line": 2}])],
        [{"file": "src/a.py", "line": 2}],
    )


def test_what_steering_says_is_checked_against_the_project_once(project: SpecProject) -> None:
    project.write("steering/tech.md", "# Tech\n\nUse `src/gone/` and `npm run lint`, React 18, and `dist/`.\n")
    (project.root / "src").mkdir()
    (project.root / "src" / "a.py").write_text("")
    manifest = {"scripts": {"dev": "x"}, "dependencies": {"react": "^19.0.0"}}
    (project.root / "package.json").write_text(json.dumps(manifest), encoding="utf-8")
    answer, code = run(project, "check")
    drift = [each for each in answer["data"]["findings"] if each["rule"].startswith("steering-")]
    assert (code, answer["message"]) == (8, "6 findings in 2 specifications and 1 steering document")
    assert [(each["file"], each["line"], each["level"], each["rule"], each["text"]) for each in drift] == [
        (".spec-context/steering/tech.md", 3, "warning", "steering-command-unknown", "npm run lint"),
        (".spec-context/steering/tech.md", 3, "warning", "steering-path-missing", "src/gone/"),
        (
            ".spec-context/steering/tech.md",
            3,
            "warning",
            "steering-version-differs",
            "react 18, the manifest has ^19.0.0",
        ),
    ]
    # One spec alone, errors alone, and a rule that the settings switch off.
    assert run(project, "check", "good")[1] == 0
    assert {each["level"] for each in run(project, "check", "--level=error")[0]["data"]["findings"]} == {"error"}
    project.write("settings.json", '{"checks": {"steering-path-missing": "off"}}')
    assert run(project, "check")[0]["message"] == "5 findings in 2 specifications and 1 steering document"


def test_what_git_ignores_and_what_is_there_unlisted_is_no_drift(project: SpecProject) -> None:
    project.write("steering/tech.md", "# Tech\n\n- `out/`: the result\n- `kept/`: there and empty\n- `gone/`: gone\n")
    (project.root / ".gitignore").write_text("out/\n")
    (project.root / "kept").mkdir()
    subprocess.run(["git", "init", "-q"], cwd=project.root, check=True)
    drift = [each for each in run(project, "check")[0]["data"]["findings"] if each["rule"].startswith("steering-")]
    assert [(each["line"], each["text"]) for each in drift] == [(5, "gone/")]


def test_a_draft_from_the_project_counts_as_missing_until_it_is_edited(tmp_path: Path) -> None:
    project = SpecProject(tmp_path)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("")
    (tmp_path / "package.json").write_text('{"scripts": {"dev": "x"}}', encoding="utf-8")
    run(project, "init", "--steering")

    def quoted() -> list[str]:
        done = run_context("guide", "workflow", cwd=project.root)
        return [*(json.loads(done.stdout)["data"]["steering"] or {})]

    tech = project.folder / "steering" / "tech.md"
    draft = tech.read_text(encoding="utf-8")
    assert draft.startswith("<!-- Draft from the project's files, sha256:")
    assert ("- Python: 1 file\n" in draft, "`npm run dev`" in draft, quoted()) == (True, True, [])
    tech.write_bytes(draft.replace("\n", "\r\n").encode())  # as git may check it out
    assert quoted() == []
    tech.write_text(draft + "\nOurs.\n", encoding="utf-8")
    assert quoted() == ["tech"]


@pytest.mark.parametrize(
    ("folder", "how"), [(".specify", "/speckit.constitution"), ("openspec/changes", "config.yaml")]
)
def test_steering_of_another_tool_is_not_drafted_and_the_answer_says_where_it_belongs(
    tmp_path: Path, folder: str, how: str
) -> None:
    (tmp_path / folder).mkdir(parents=True)
    answer, code = run(SpecProject(tmp_path), "init", "--steering")
    assert (code, how in answer["nextSteps"][0]) == (1, True)
