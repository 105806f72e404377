"""The processes that share a build, when the build is gone."""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
from pathlib import Path

import pytest

WORKER = [sys.executable, "-c", "from holdfast.caches.on_disk.sharing import work; work()"]


def assignment(folder: Path, limit: int | None = 1 << 20) -> bytes:
    (folder / "sources").mkdir()
    (folder / "staged" / "documents").mkdir(parents=True)
    names = [f"{number}.md" for number in range(600)]
    for name in names:
        (folder / "sources" / name).write_text(name, encoding="utf-8")
    data = marshal.dumps(
        ("documents", str(folder / "sources"), str(folder / "staged"), ("bytes/4", True), "run", limit, 0, names)
    )
    return len(data).to_bytes(8, "little") + data


@pytest.mark.parametrize("given", [0, 4, 20], ids=["nothing", "half a length", "half an assignment"])
def test_a_worker_whose_build_ended_before_it_was_told_what_to_do_ends_quietly(given: int, tmp_path: Path) -> None:
    done = subprocess.run(WORKER, input=assignment(tmp_path)[:given], capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_worker_whose_build_is_gone_stops_at_its_next_answer_and_says_nothing(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(WORKER, input=assignment(tmp_path), stdout=writing, stderr=subprocess.PIPE, timeout=60)
    os.close(writing)
    written = len(os.listdir(tmp_path / "staged" / "documents"))
    assert (done.returncode, done.stderr, written) == (0, b"", 256)


def test_a_worker_that_meets_a_bug_says_so_and_shows_no_traceback(tmp_path: Path) -> None:
    done = subprocess.run(WORKER, input=assignment(tmp_path, limit=None), capture_output=True, timeout=60)
    kind, reason = marshal.loads(done.stdout[8:])
    assert (done.returncode, kind, reason.partition(":")[0], done.stderr) == (0, "InternalError", "TypeError", b"")
