"""Approving as a person does it, and what the tools then say."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.catalog import tools
from holdfast.core.minisign import encode_secret_key, new_secret_key
from support.doors import Library, run_context
from support.specs import SpecProject

if TYPE_CHECKING:
    from pathlib import Path

    from support.doors import Door


@pytest.fixture
def project(tmp_path: Path) -> SpecProject:
    project = SpecProject(tmp_path)
    project.spec("demo")
    return project


def run(project: SpecProject, *words: str) -> tuple[Any, int]:
    done = run_context("spec", *words, cwd=project.root, env={"SOURCE_DATE_EPOCH": "1700000000"})
    assert done.stderr == b""
    return json.loads(done.stdout), done.returncode


def approve(project: SpecProject, *phases: str) -> None:
    for phase in phases:
        answer, code = run(project, "approve", "demo", phase, "--by", "ann")
        assert (code, answer["data"]["at"]) == (0, "2023-11-14T22:13:20Z"), answer


def status(door: Door) -> Any:
    return json.loads(door.call("spec-status", {"specName": "demo"}).text)


def test_an_approved_document_is_approved_until_its_bytes_change(project: SpecProject, door: Door) -> None:
    before = status(door)
    approve(project, "requirements", "design", "tasks")
    approved = status(door)
    project.write("specs/demo/tasks.md", "- [x] 1. a\n- [x] 2. b\n")
    progress = status(door)
    project.write("specs/demo/requirements.md", "# Requirements\r\n")
    line_ends = status(door)
    project.write("specs/demo/requirements.md", "# Requirements\nmore\n")
    changed = status(door)
    seen = [
        [phase["status"] for phase in each["data"]["phases"][:3]] for each in (before, approved, progress, line_ends)
    ]
    assert seen == [["created"] * 3, *[["approved"] * 3] * 3]
    assert [phase["status"] for phase in changed["data"]["phases"][:3]] == ["created"] * 3
    assert changed["nextSteps"][-3:] == [
        "requirements.md changed since ann approved it (L2)",
        "requirements.md changed since ann approved design.md",
        "requirements.md changed since ann approved tasks.md",
    ]


def test_what_cannot_be_approved_is_refused_with_the_reason(project: SpecProject) -> None:
    assert run_context("spec", "init", "new", cwd=project.root).returncode == 0
    refused = [
        run(project, "approve", "demo", "design", "--by", "ann"),
        run(project, "approve", "new", "requirements", "--by", "ann"),
        run(project, "approve", "demo", "requirements"),
        run(project, "approve", "demo", "later", "--by", "ann"),
        run(project, "approve", "nope", "tasks", "--by", "ann"),
        run(project, "approve", "demo", "requirements", "--by", "a\nb"),
        run(project, "approve", "--revoke", "demo", "requirements", "--by", "ann"),
    ]
    (project.folder / "specs" / "demo" / "design.md").unlink()
    approve(project, "requirements")
    refused += [
        run(project, "approve", "demo", "requirements", "--by", "ann"),
        run(project, "approve", "demo", "design", "--by", "bob"),
        run(project, "approve", "demo", "tasks", "--by", "bob"),
    ]
    assert {code for _, code in refused} == {1}
    assert [answer["message"] for answer, _ in refused] == [
        "design.md follows from requirements.md, and requirements.md is not approved",
        "requirements.md of 'new' is missing or still its template: there is nothing to approve",
        "by is required",
        "phase must be one of: requirements, design, tasks",
        "Specification 'nope' not found",
        "by must be one line of at most 200 characters",
        "requirements.md of 'demo' has no approval to take back",
        "requirements.md of 'demo' is approved already, by ann",
        "design.md of 'demo' is missing or still its template: there is nothing to approve",
        "design.md is missing, which tasks.md follows from",
    ]


def test_an_approval_can_be_taken_back_and_given_again(project: SpecProject) -> None:
    approve(project, "requirements")
    revoked, code = run(
        project, "approve", "--revoke", "demo", "requirements", "--by", "bob", "--note", "second thoughts"
    )
    gate, gate_code = run(project, "approve", "--check")
    approve(project, "requirements")
    names = [path.name.split("-")[::2] for path in sorted((project.folder / "specs/demo/approvals").iterdir())]
    assert (code, revoked["data"]["sha256"], gate_code) == (0, None, 8)
    assert gate["data"]["documents"][0]["why"] == "bob took the approval of requirements.md back"
    assert names == [["requirements", "ann.json"], ["requirements", "bob.revoked.json"]]
    assert run(project, "approve", "--check")[0]["data"]["documents"][0]["approved"] is True


def git(project: SpecProject, *words: str) -> None:
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@a", *words], cwd=project.root, check=True,
                   capture_output=True, timeout=60)  # fmt: skip


def test_two_branches_merge_two_approvers_count_and_git_shows_a_removal(project: SpecProject) -> None:
    project.write("settings.json", '{"approvals": 2}')
    for begin in ("init -qb main", "add -A", "commit -qm a", "checkout -qb other"):
        git(project, *begin.split())
    run(project, "approve", "demo", "requirements", "--by", "Ann Lee")
    for then in ("add -A", "commit -qm b", "checkout -q main"):
        git(project, *then.split())
    run(project, "approve", "demo", "requirements", "--by", "bob")
    alone = run(project, "approve", "--check")[0]["data"]["documents"][0]
    for last in ("add -A", "commit -qm c", "merge -q other -m d"):
        git(project, *last.split())
    both = run(project, "approve", "--check")[0]["data"]
    (file,) = (project.folder / "specs/demo/approvals").glob("*bob.json")
    file.unlink()
    uncommitted = run(project, "approve", "--check")[0]["data"]["removed"]
    git(project, "commit", "-qam", "e")
    committed, code = run(project, "approve", "--check")
    assert (alone["approved"], alone["why"]) == (False, "requirements.md is approved by bob, and 2 people have to")
    assert (both["documents"][0]["approved"], both["documents"][0]["by"], both["removed"]) == (True, "Ann Lee, bob", [])
    assert uncommitted == committed["data"]["removed"] == [file.relative_to(project.root).as_posix()]
    assert (code, "was removed: restore it from git" in committed["nextSteps"][0]) == (8, True)


def test_only_what_a_known_person_signed_counts_where_the_settings_name_keys(project: SpecProject) -> None:
    pytest.importorskip("cryptography", reason="the extra registry is not installed")
    keys = [new_secret_key(), new_secret_key()]
    for name, key in zip(("ann", "eve"), keys, strict=True):
        (project.root / f"{name}.key").write_bytes(encode_secret_key(key))
    project.write("settings.json", json.dumps({"approvers": {"ann": keys[0].public.text}}))

    def why(*words: str) -> str | None:
        run(project, "approve", "demo", "requirements", *words)
        why: str | None = run(project, "approve", "--check")[0]["data"]["documents"][0]["why"]
        return why

    seen = [why("--by", "ann"), why("--by", "ann", "--sign", "eve.key"), why("--by", "bob"),
            why("--by", "ann", "--sign", "ann.key")]  # fmt: skip
    assert seen[0] == "the approval by ann is not signed"
    assert str(seen[1]).startswith("the signature of the approval by ann does not hold: ")
    assert seen[2] == "bob is not among the approvers in settings.json"
    assert seen[3] is None


@pytest.mark.parametrize(
    ("folder", "document"),
    [
        ("specs/001-reset", "spec.md"),
        ("openspec/changes/reset", "proposal.md"),
        (".kiro/specs/reset", "requirements.md"),
    ],
)
def test_an_approval_lies_beside_the_documents_of_any_layout(tmp_path: Path, folder: str, document: str) -> None:
    place = tmp_path / folder
    place.mkdir(parents=True)
    (place / document).write_text("# Reset\n\nText.\n")
    words = ("spec", "approve", place.name, "requirements", "--by", "ann")
    answer = json.loads(run_context(*words, cwd=tmp_path).stdout)
    data = json.loads(Library(tmp_path).call("spec-status", {"specName": place.name}).text)["data"]
    assert (answer["data"]["document"], answer["data"]["file"].rpartition("/")[0]) == (document, f"{folder}/approvals")
    assert data["phases"][0]["status"] == "approved"


def test_the_gate_passes_only_when_every_document_is_approved_as_it_is(project: SpecProject) -> None:
    codes = [run(project, "approve", "--check")[1]]
    for phase in ("requirements", "design", "tasks"):
        approve(project, phase)
        codes.append(run(project, "approve", "--check", "demo")[1])
    project.write("specs/demo/design.md", "# Other\n")
    codes.append(run(project, "approve", "--check")[1])
    assert codes == [8, 8, 8, 0, 8]


def test_required_approvals_keep_the_phase_and_refuse_the_next_task(project: SpecProject, door: Door) -> None:
    project.write("settings.json", '{"approvals":"required"}')
    seen = []
    for phase in ("requirements", "design", "tasks", ""):
        data = status(door)["data"]
        answer, code = run(project, "next", "demo")
        seen.append((data["currentPhase"], data["overallStatus"], code, answer["message"]))
        if phase:
            approve(project, phase)
    assert seen == [
        ("requirements", "approval-needed", 1, "requirements.md is not approved"),
        ("design", "approval-needed", 1, "design.md is not approved"),
        ("tasks", "approval-needed", 1, "tasks.md is not approved"),
        ("implementation", "implementing", 0, "Next task of 'demo': 1"),
    ]
    assert status(door)["nextSteps"][0] == "Take the first open task and mark it [-]"


def test_settings_that_cannot_be_followed_are_refused_before_anything_is_begun_or_approved(
    project: SpecProject,
) -> None:
    for settings in ('{"approvals":"yes"}', "{"):
        project.write("settings.json", settings)
        for words in (("next", "demo"), ("approve", "demo", "requirements", "--by", "ann"), ("approve", "--check")):
            answer, code = run(project, *words)
            assert (code, "settings.json" in answer["message"]) == (1, True)


@pytest.mark.parametrize("name", ["approvals.json", "approvals/requirements-0.json"])
@pytest.mark.parametrize("data", [b"{", b"[1]", b"\xff\xfe", b'[{"phase":"requirements"}]'])
def test_a_broken_file_approves_nothing_and_is_left_as_it_is(
    project: SpecProject, door: Door, data: bytes, name: str
) -> None:
    file = project.write(f"specs/demo/{name}", data)
    found = status(door)
    refused, code = run(project, "approve", "demo", "requirements", "--by", "ann")
    assert (code, f"Approvals of 'demo': {name} cannot be used" in refused["message"]) == (1, True)
    assert (file.read_bytes(), "Restore it from version control" in refused["nextSteps"][0]) == (data, True)
    assert (found["success"], found["nextSteps"][-1].startswith(f"{name} cannot be used: ")) == (True, True)


@pytest.mark.rough
def test_many_people_may_approve_at_once_and_no_approval_is_lost(project: SpecProject) -> None:
    for number in range(4):
        project.spec(f"s{number}")
    approve(project, "requirements", "design")
    command = [sys.executable, "-m", "holdfast", "spec", "approve", "demo", "tasks", "--by"]
    running = [subprocess.Popen([*command, str(n)], cwd=project.root, stdout=subprocess.PIPE) for n in range(4)]
    codes = sorted((process.communicate(timeout=60), process.returncode)[1] for process in running)
    files = list((project.folder / "specs/demo/approvals").iterdir())
    answer, _ = run(project, "approve", "--check", "demo")
    people = sorted(answer["data"]["documents"][2]["by"].split(", "))
    assert (codes, len(files), people) == ([0, 0, 0, 0], 6, ["0", "1", "2", "3"])


def test_no_tool_approves(project: SpecProject) -> None:
    assert [tool.tool for tool in tools() if "approv" in tool.tool + tool.description + " ".join(tool.command)] == []
    assert Library(project.root).call("spec-status", {"specName": "demo"}).is_error is False
