"""A build is all or nothing: killed at any moment, interrupted, or raced by readers and other builds."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from holdfast import build_cache, resolve, verify_cache
from support.doors import run_context
from support.dying import DYING

pytestmark = pytest.mark.rough

DIES_AT = (
    DYING
    + """
from holdfast.core import atomic_write
for name in ("mkdir", "write", "fsync", "rename", "unlink", "rmdir", "open"):
    setattr(os, name, dying(getattr(os, name)))
atomic_write.special_rename = dying(atomic_write.special_rename)
from holdfast.api import build_cache
build_cache(sys.argv[2], sys.argv[3], force=True)
"""
)


def write_sources(folder: Path, word: str) -> Path:
    folder.mkdir()
    for number in range(5):
        (folder / f"{number}.md").write_text(f"{word} {number}", encoding="utf-8")
    return folder


@pytest.mark.parametrize("old", [False, True], ids=["fresh", "replacing"])
def test_killed_at_any_step_a_build_leaves_the_old_cache_or_the_new_or_none(old: bool, tmp_path: Path) -> None:
    first, second = write_sources(tmp_path / "first", "one"), write_sources(tmp_path / "second", "two")
    home = tmp_path / "home"
    home.mkdir()
    cache = home / "cache"
    seen = set()
    step = random.Random(7).randrange(1, 4)
    while True:
        if old:
            build_cache(first, cache, force=True)
        elif cache.exists():
            break
        done = subprocess.run([sys.executable, "-c", DIES_AT, str(step), str(second), str(cache)], capture_output=True)
        if cache.exists():
            report = verify_cache(cache)
            assert report.problems == [], f"step {step}"
            seen.add(report.cache_version)
        else:
            assert not old, f"step {step} lost the cache"
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL
        step += 3
    assert step > 10
    assert len(seen) == (2 if old else 1)
    build_cache(second, cache, force=True)
    assert os.listdir(home) == ["cache"]


def test_an_interrupted_build_cleans_up_and_exits_130(tmp_path: Path) -> None:
    write_sources(tmp_path / "sources", "one")
    interrupting = (
        "import os, sys\n"
        "from holdfast import cli\n"
        "def interrupted(*_):\n"
        "    raise KeyboardInterrupt\n"
        "os.fsync = interrupted\n"
        "sys.exit(cli.main(['build', '--sources', 'sources', '--cache', 'cache'], {}))\n"
    )
    done = subprocess.run([sys.executable, "-c", interrupting], cwd=tmp_path, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"\ninterrupted\n")
    assert os.listdir(tmp_path) == ["sources"]


def test_a_reader_always_gets_one_complete_cache_while_another_swaps_it(tmp_path: Path) -> None:
    first, second = write_sources(tmp_path / "first", "one"), write_sources(tmp_path / "second", "two")
    cache = tmp_path / "cache"
    build_cache(first, cache)
    expected = set()
    for sources in (first, second):
        build_cache(sources, cache, force=True)
        expected.add(repr(resolve(cache, "one two", 100)))
    finished = threading.Event()
    answers = []

    def read() -> None:
        while not finished.is_set():
            answers.append(repr(resolve(cache, "one two", 100)))

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for turn in range(20):
        build_cache((first, second)[turn % 2], cache, force=True)
    finished.set()
    for reader in readers:
        reader.join()
    assert len(answers) > 20
    assert set(answers) <= expected
    assert sorted(os.listdir(tmp_path)) == ["cache", "first", "second"]


def test_two_builds_of_one_target_at_once_leave_one_complete_cache(tmp_path: Path) -> None:
    write_sources(tmp_path / "sources", "one")
    command = [sys.executable, "-m", "holdfast", "build", "--sources", "sources", "--cache", "cache"]
    builds = [subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)]
    codes = sorted(build.wait(60) for build in builds)
    for build in builds:
        build.communicate()
    assert codes == [0, 6, 6, 6]
    assert verify_cache(tmp_path / "cache").problems == []
    assert sorted(os.listdir(tmp_path)) == ["cache", "sources"]


def test_a_cache_built_by_force_reports_what_it_holds(tmp_path: Path) -> None:
    write_sources(tmp_path / "sources", "one")
    for _ in range(2):
        done = run_context("build", "--sources", "sources", "--cache", "a/b/cache", "--force", cwd=tmp_path)
        report = json.loads(done.stdout)
        assert (done.returncode, report["document_count"], report["total_bytes"]) == (0, 5, 25)
        assert report["cache_version"] == verify_cache(tmp_path / "a" / "b" / "cache").cache_version
