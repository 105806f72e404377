"""Facts of files: remembered while a file stays as it is, and never lost with a file that kills its process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from holdfast.code.analysis.facts import NOT_PARSED, TOO_LARGE, UNREADABLE
from holdfast.code.on_disk import source_workers
from holdfast.contexts.claims import claims_fingerprint
from holdfast.contexts.on_disk import source_facts
from holdfast.contexts.on_disk.claim_subjects import judge, look_ahead
from holdfast.contexts.on_disk.project import Project, scan
from holdfast.contexts.on_disk.source_facts import Gathered, gather_facts
from holdfast.core.file_contents import RememberedFiles
from holdfast.core.worker_pool import WorkerPool
from support.deadly_files import analyse_deadly_file


@pytest.fixture
def project(tmp_path: Path) -> Project:
    for name in ("a", "b", "c", "d"):
        path = tmp_path / f"{name}.py"
        path.write_text(f"def {name}(): ...\n")
        os.utime(path, (1_000_000_000, 1_000_000_000))
    return Project(RememberedFiles(), str(tmp_path))


def names(found: Gathered) -> dict[str, list[str]]:
    return {name: [export.name for export in one.facts.exports] for name, one in found.places.get("", {}).items()}


def test_only_what_changed_is_analysed_again(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    analysed = source_workers.worked

    def counted(items: list[tuple[str, str, str]], *job: Any) -> object:
        asked.extend(name for _, _, name in items)
        return analysed(items, *job)

    monkeypatch.setattr(source_facts, "worked", counted)
    first = gather_facts(project, scan(project))
    assert sorted(asked) == ["a.py", "b.py", "c.py", "d.py"]
    asked.clear()
    # What was written a moment ago may change unseen and is analysed again; what is said to be older is remembered.
    monkeypatch.setattr(source_facts, "is_settled", lambda _identity, _started: True)
    assert gather_facts(project, scan(project)) == first
    asked.clear()
    assert gather_facts(project, scan(project)) == first
    assert asked == []
    (Path(project.root) / "b.py").write_text("def bb(): ...\n")
    assert names(gather_facts(project, scan(project)))["b.py"] == ["bb"]
    assert asked == ["b.py"]


def test_files_that_claims_are_about_are_read_at_once_and_not_again_while_they_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "version: 1\nscope: {}\nfingerprint: {}\nlast_updated: '2026-01-01'\nsummary: Rules.\nmaintenance: m\n"
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "m.py").write_text(f"def {name}(): ...\n")
        (tmp_path / name / ".context.yaml").write_text(text.format(name, claims_fingerprint(name, {})))
    asked: list[list[str]] = []
    read = source_workers.worked

    def counted(items: list[tuple[str, str, str]], *job: Any) -> object:
        asked.append(["/".join(item[1:]) for item in items])
        return read(items, *job)

    monkeypatch.setattr(source_facts, "worked", counted)
    monkeypatch.setattr(source_facts, "is_settled", lambda _identity, _started: True)
    project = Project(RememberedFiles(), str(tmp_path))
    found = scan(project)
    look_ahead(project, found)
    assert asked == [["a/m.py", "b/m.py", "c/m.py"]]
    states = [judge(project, item.place, item.view).state for item in found if item.view and item.view.has_context]
    assert states == ["fresh"] * 3
    assert [names for names in asked[1:] if names] == []


def test_another_process_reads_what_was_kept_and_analyses_what_changed(
    project: Project, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    analysed = source_workers.worked

    def counted(items: list[tuple[str, str, str]], *job: Any) -> object:
        asked.extend(name for _, _, name in items)
        return analysed(items, *job)

    def anew() -> Gathered:
        asked.clear()
        again = Project(RememberedFiles(), project.root, user_cache=str(cache))
        return gather_facts(again, scan(again))

    cache = tmp_path_factory.mktemp("cache")
    monkeypatch.setattr(source_facts, "worked", counted)
    (Path(project.root) / os.fsdecode(b"o\xffdd\n.py")).write_text("def odd(): ...\n")
    (Path(project.root) / "e.ts").write_text("export interface Env { dev: boolean; run(): void }\nimport x from 'y'\n")

    first = anew()
    assert sorted(asked) == ["a.py", "b.py", "c.py", "d.py", "e.ts", os.fsdecode(b"o\xffdd\n.py")]
    assert anew() == first == gather_facts(project, scan(project))
    asked.clear()
    (Path(project.root) / "b.py").write_text("def bb(): ...\n")
    assert names(anew())["b.py"] == ["bb"]
    assert asked == ["b.py"]
    kept = next(cache.rglob("*.facts"))
    data = bytearray(kept.read_bytes())
    data[len(data) // 2] ^= 0xFF
    kept.write_bytes(data)
    assert names(anew())["b.py"] == ["bb"]


@pytest.mark.rough
def test_a_file_that_kills_its_process_or_never_ends_is_told_and_the_rest_goes_on(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("crash1", "crash2", "endless"):
        (Path(project.root) / f"{name}.py").write_text("def f(): ...\n")
    monkeypatch.setattr(source_facts, "analyse_file", analyse_deadly_file)
    monkeypatch.setattr(source_workers, "PATIENCE", 3)
    found = gather_facts(project, scan(project)).places[""]
    assert {name: one.facts.unread for name, one in found.items()} == {
        **dict.fromkeys(("a.py", "b.py", "c.py", "d.py"), ""),
        **dict.fromkeys(("crash1.py", "crash2.py", "endless.py"), NOT_PARSED),
    }


def test_where_no_process_can_be_started_the_files_are_analysed_here(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert names(gather_facts(project, scan(project))) == {f"{name}.py": [name] for name in "abcd"}


def test_what_cannot_be_read_says_why(project: Project) -> None:
    root = Path(project.root)
    (root / "huge.py").write_text("x = 1\n" * 200_000)
    (root / "gone.py").write_text("def f(): ...\n")
    found = scan(project)
    (root / "gone.py").unlink()
    reasons = {name: one.facts.unread for name, one in gather_facts(project, found).places[""].items()}
    assert (reasons["huge.py"], reasons["gone.py"]) == (TOO_LARGE, UNREADABLE)


def test_a_directory_that_became_a_link_is_not_followed(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root, outside = Path(project.root), tmp_path_factory.mktemp("outside")
    (root / "sub").mkdir()
    for place in (root / "sub", outside):
        (place / "s.py").write_text(f"def {place.name.strip('0')}(): ...\n")
    found = scan(project)
    (root / "sub" / "s.py").unlink()
    (root / "sub").rmdir()
    (root / "sub").symlink_to(outside)
    assert gather_facts(project, found).places["sub"]["s.py"].facts.unread == UNREADABLE


def test_more_files_than_are_looked_at_are_counted_and_those_asked_for_come_first(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_facts, "MAX_FILES", 2)
    found = gather_facts(project, scan(project), first=lambda _place, name: name == "d.py")
    assert (sorted(found.places[""]), found.left) == (["a.py", "d.py"], 2)


def test_what_is_remembered_is_bounded_and_what_was_there_stays(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_facts, "is_settled", lambda _identity, _started: True)
    monkeypatch.setattr(source_facts, "_weight", lambda _: 10)
    monkeypatch.setattr(source_facts, "_MAX_REMEMBERED", 30)
    for _ in range(2):  # the second time nothing weighs twice
        assert len(gather_facts(project, scan(project)).places[""]) == 4
        recalled: Any = project.contents.recall(("facts 2", project.root), namespace="context")
        assert (recalled[0], list(recalled[1])) == (30, [("", "a.py"), ("", "b.py"), ("", "c.py")])
        (Path(project.root) / "b.py").write_text("def bb(): ...\n")


def test_items_of_a_pool_come_back_once_each_whatever_happens_to_workers(tmp_path: Path) -> None:
    items = [(str(tmp_path), "", f"{'crash' if at % 5 == 0 else 'a'}{at}.py") for at in range(12)]
    for _, _, name in items:
        (tmp_path / name).write_text("x = 1\n")
    with WorkerPool() as pool:
        jobs = [(analyse_deadly_file.__module__, analyse_deadly_file.__name__, item) for item in items]
        results = pool.run_items(source_workers.read_in_worker, jobs, count=2, patience=60.0)
        found = sorted(results, key=lambda one: one[0])
    assert [number for number, _ in found] == list(range(12))
    assert [number for number, one in found if one is None] == [0, 5, 10]


@pytest.mark.rough
def test_a_worker_whose_parent_is_gone_ends_itself_when_a_file_does_not(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    program = (
        "import signal, sys\n"
        "from holdfast.code.on_disk import source_workers\n"
        "from holdfast.contexts.on_disk import source_facts\n"
        "source_workers.PATIENCE = -9\n"  # ten seconds less than one
        "source_facts.analyse_file = lambda file: signal.pause()\n"
        "list(source_workers.read_in_worker([(source_facts.__name__, 'analyse_file', (sys.argv[1], '', 'a.py'))]))\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], timeout=60)
    assert done.returncode == -signal.SIGALRM


def test_a_grammar_that_is_lost_with_every_file_is_given_up_and_other_languages_go_on(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at in range(40):
        (Path(project.root) / f"crash{at}.go").write_text("package a\n")
    tried = Path(project.root) / "tried"
    monkeypatch.setenv("DEADLY_FILES_TRIED", str(tried))
    monkeypatch.setattr(source_facts, "analyse_file", analyse_deadly_file)
    found = gather_facts(project, scan(project)).places[""]
    assert sum(one.facts.unread == NOT_PARSED for one in found.values()) == 40
    assert names(gather_facts(project, scan(project)))["a.py"] == ["a"]
    assert len(tried.read_text()) < 30
