"""The spare of a project's cache: kept by `context sync` alone, listed by nothing, and no harm whenever a sync ends."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from holdfast import build_cache, verify_cache
from holdfast.caches.build import spare_documents
from holdfast.caches.build.project_directory import Project
from holdfast.caches.build.sync import sync_cache
from holdfast.caches.project.project_file import DeclaredCache
from support.doors import run_context

pytestmark = pytest.mark.rough

NOW = "2026-01-02T03:04:05Z"
SPARE = ".guides.holdfast-spare"
WITH_SPARE = [".gitignore", SPARE, "guides"]
# One process that has loaded everything. Each faulty sync is a fork of it, in which a chosen call is the last, fails as
# on a full disk, or is interrupted; after it a sync without fault must leave nothing but what belongs there.
FAULTY = """
import errno, json, os, signal, sys
from pathlib import Path
from holdfast import cli, verify_cache
from holdfast.caches.build import spare_documents
from holdfast.core import atomic_write
kind, stride = sys.argv[1], int(sys.argv[2])
spare_documents.FEWEST = 0
os.fsync = lambda _descriptor: None
CALLS = ("mkdir", "write", "fsync", "rename", "replace", "unlink", "link", "rmdir", "scandir", "open")
OVER, EDITS = 77, 0
root = Path(".context/caches")
def faulty(function):
    def call(*arguments, **options):
        global countdown
        countdown -= 1
        if countdown == 0:
            if kind == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            raise KeyboardInterrupt if kind == "interrupt" else OSError(errno.ENOSPC, "No space left on device")
        return function(*arguments, **options)
    return call
def edit():
    global EDITS
    EDITS += 1
    Path("docs/deploy.html").write_text(f"<h1>deploy</h1><p>Words of edit {EDITS}.</p>", encoding="utf-8")
def sync():
    edit()
    assert cli.main(["sync", "--quiet"], dict(os.environ)) == 0
def synced():
    sync()
    assert verify_cache(root / "guides").problems == []
    left = {name for name in os.listdir(root) if "holdfast-" in name}
    assert left <= {".guides.holdfast-spare"}, left
    assert not list(root.glob("*.replaced*"))
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
step, hit = 1, 0
while True:
    while not os.path.isdir(root / ".guides.holdfast-spare"):
        synced()
    edit()
    child = os.fork()
    if not child:
        os.dup2(1, 2)
        countdown = step
        for name in CALLS:
            setattr(os, name, faulty(getattr(os, name)))
        atomic_write.special_rename = faulty(atomic_write.special_rename)
        code = cli.main(["sync", "--quiet"], dict(os.environ))
        os._exit(OVER if countdown > 0 else code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert verify_cache(root / "guides").problems == [], f"step {step}: {code}"
    json.loads(Path("context.lock").read_bytes())
    if code == OVER:
        break
    assert code in {"kill": (-signal.SIGKILL,), "interrupt": (130,)}.get(kind, (0, 4, 5, 6)), f"step {step}: {code}"
    hit += 1
    synced()
    step += stride
print(step, hit, file=sys.stderr)
"""

AT_ONCE = """
import os, sys
from pathlib import Path
from holdfast import cli
from holdfast.caches.build import spare_documents
spare_documents.FEWEST = 0
os.fsync = lambda _descriptor: None
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
for turn in range(8):
    Path(f"docs/{sys.argv[1]}.html").write_text(f"<h1>page</h1><p>Turn {turn} of {sys.argv[1]}.</p>", encoding="utf-8")
    assert cli.main(["sync", "--quiet"], dict(os.environ)) == 0
"""


def page(project: Path, name: str, text: str) -> None:
    file = project / "docs" / f"{name}.html"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"<h1>{name}</h1>\n<p>{text}</p>\n", encoding="utf-8")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of three pages, whose cache is built."""
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    for name in ("deploy", "rollback", "guide/secrets"):
        page(project, name, "Some words.")
    (project / "context.toml").write_text('[caches.guides]\nsources = ["docs"]\n', encoding="utf-8")
    assert run_context("sync", cwd=project).returncode == 0
    return project


@pytest.mark.parametrize(("kind", "stride"), [("kill", 2), ("fail", 3), ("interrupt", 4)])
def test_ended_at_any_step_a_sync_leaves_the_old_cache_or_the_new_and_the_next_one_no_debris(
    project: Path, kind: str, stride: int
) -> None:
    done = subprocess.run([sys.executable, "-c", FAULTY, kind, str(stride)], cwd=project, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    steps, hit = map(int, done.stderr.split())
    assert steps > 40
    assert hit >= steps // stride - 1


def test_syncs_of_one_project_at_once_leave_one_whole_cache(project: Path) -> None:
    pages = ("deploy", "rollback", "guide/secrets")
    command = [sys.executable, "-c", AT_ONCE]
    running = [subprocess.Popen([*command, name], cwd=project, stderr=subprocess.PIPE) for name in pages]
    said = [process.communicate(timeout=120)[1] for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], said
    assert run_context("sync", cwd=project).returncode == 0
    root = project / ".context" / "caches"
    assert verify_cache(root / "guides").problems == []
    assert set(os.listdir(root)) <= set(WITH_SPARE)
    assert len(os.listdir(root / "guides" / "documents")) == 3
    assert run_context("sync", "--check", cwd=project).returncode == 0


class Synced:
    """A project whose caches have spares however small they are."""

    def __init__(self, project: Path) -> None:
        self.path, self.root = project, project / ".context" / "caches"
        self.cache, self.spare = self.root / "guides", self.root / SPARE

    def sync(self, text: str, declared: DeclaredCache | None = None) -> None:
        page(self.path, "deploy", text)
        project = Project(str(self.path), str(self.root), os.environ["XDG_CACHE_HOME"])
        known = declared or project.declared().cache("guides")
        assert known is not None
        sync_cache(project, known, "estimate-1", created_at=NOW)
        assert verify_cache(self.cache).problems == []


@pytest.fixture
def synced(project: Path, monkeypatch: pytest.MonkeyPatch) -> Synced:
    monkeypatch.setattr(spare_documents, "FEWEST", 0)
    made = Synced(project)
    assert sorted(os.listdir(made.root)) == [".gitignore", "guides"]
    made.sync("one")
    assert sorted(os.listdir(made.root)) == WITH_SPARE
    return made


def answer(*words: str, cwd: Path) -> Any:
    done = run_context(*words, cwd=cwd)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def test_nothing_lists_a_spare_and_all_but_what_was_edited_is_the_cache_itself(synced: Synced) -> None:
    assert [each["path"] for each in answer("list", cwd=synced.path)["caches"]] == ["guides"]
    assert SPARE not in run_context("doctor", cwd=synced.path).stdout.decode()
    of_cache = {file.stat().st_ino for file in (synced.cache / "documents").iterdir()}
    of_spare = {file.stat().st_ino for file in synced.spare.iterdir()}
    assert (len(of_cache), len(of_spare), len(of_cache & of_spare)) == (3, 3, 2)


def test_an_edit_makes_and_removes_the_names_that_it_changes_and_no_others(
    synced: Synced, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    removed: list[str] = []
    for name, told in (("link", made), ("unlink", removed)):
        real = getattr(os, name)

        def noted(path: Any, *rest: Any, _real: Any = real, _told: list[str] = told, **options: Any) -> None:
            _told.append(os.path.basename(path))
            _real(path, *rest, **options)

        monkeypatch.setattr(os, name, noted)
    for number in range(10):
        page(synced.path, f"more-{number}", f"more {number}")
    synced.sync("two")  # too much changed for a patch
    assert not synced.spare.exists()
    synced.sync("three")
    made.clear()
    removed.clear()
    page(synced.path, "rollback", "edited")
    synced.sync("three")
    assert len(made) == 1, "the page that was edited before"
    documents = [name for name in removed if name.endswith(".json") and len(name) == len("0123456789ab.json")]
    assert len(documents) == 2, "that one and the one edited now, as they were"


def test_a_spare_goes_when_a_plain_build_replaces_its_cache(synced: Synced, tmp_path: Path) -> None:
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "a.md").write_text("words", encoding="utf-8")
    build_cache(tmp_path / "others", synced.cache, force=True)
    assert sorted(os.listdir(synced.root)) == [".gitignore", "guides"]


def test_a_spare_goes_at_the_next_sync_when_its_cache_is_gone(synced: Synced) -> None:
    os.rename(synced.spare, synced.root / ".gone.holdfast-spare")
    (synced.root / "..holdfast-spare").mkdir()
    (synced.root / ".holdfast-spare").mkdir()
    (synced.root / ".gone.holdfast-spares").mkdir()
    assert run_context("sync", cwd=synced.path).returncode == 0
    others = ["..holdfast-spare", ".gitignore", ".gone.holdfast-spares", ".holdfast-spare", "guides"]
    assert sorted(os.listdir(synced.root)) == others


def test_a_spare_goes_when_its_cache_is_built_in_shards_and_by_a_full_build(synced: Synced) -> None:
    (synced.path / "context.toml").write_text('[caches.guides]\nsources = ["docs"]\nshards = 2\n', encoding="utf-8")
    synced.sync("two")
    assert not synced.spare.exists()
    (synced.path / "context.toml").write_text('[caches.guides]\nsources = ["docs"]\n', encoding="utf-8")
    synced.sync("three")
    assert not synced.spare.exists()
    synced.sync("four")
    assert synced.spare.is_dir()


def test_where_files_cannot_be_linked_there_is_no_spare(synced: Synced, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    page(synced.path, "rollback", "edited")
    synced.sync("one")  # the page edited before is to be linked from the cache, and is copied
    assert not synced.spare.exists()
    synced.sync("two")
    assert not synced.spare.exists()
    assert all(file.stat().st_nlink == 1 for file in (synced.cache / "documents").iterdir())
    monkeypatch.undo()
    monkeypatch.setattr(spare_documents, "FEWEST", 0)
    synced.sync("three")
    assert synced.spare.is_dir()


def test_what_was_put_into_the_cache_is_kept_where_people_see_it_and_becomes_no_spare(synced: Synced) -> None:
    spare = synced.spare.stat().st_ino
    told: list[str] = []
    page(synced.path, "deploy", "two")
    project = Project(str(synced.path), str(synced.root), os.environ["XDG_CACHE_HOME"])
    declared = project.declared().cache("guides")
    assert declared is not None

    def put(phase: str, done: int, _total: int) -> None:
        if phase.endswith("writing") and not done:
            (synced.cache / "documents" / "notes.txt").write_bytes(b"notes")

    sync_cache(project, declared, "estimate-1", created_at=NOW, progress=put, tell=told.append)
    assert (synced.root / "guides.replaced" / "documents" / "notes.txt").read_bytes() == b"notes"
    assert told == [
        f"'{synced.cache}' held more than a cache when it was replaced: kept as '{synced.root}/guides.replaced'"
    ]
    assert not synced.spare.exists()
    assert (synced.cache / "documents").stat().st_ino == spare
    assert stat.S_ISDIR(os.lstat(synced.cache).st_mode)
    assert verify_cache(synced.cache).problems == []
