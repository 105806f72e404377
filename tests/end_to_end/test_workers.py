"""The processes that share work, when their parent is gone, and when they go wrong."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.caches.build.document_files import DocumentsJob
from holdfast.core import worker_pool
from holdfast.core.errors import BuildFailed, InternalError, IoError
from holdfast.core.worker_pool import WorkerPool
from support.worker_job import count

pytestmark = pytest.mark.rough

WORKER = [sys.executable, "-c", "from holdfast.core.worker_pool import work; work()"]


def assignments(folder: Path, staged: str | None = "staged") -> bytes:
    """Two jobs of 300 documents each, as a worker is given them."""
    (folder / "sources").mkdir()
    (folder / "staged" / "documents").mkdir(parents=True)
    names = [f"{number}.md" for number in range(600)]
    for name in names:
        (folder / "sources" / name).write_text(name, encoding="utf-8")
    below = str(folder / staged) if staged else 7
    parts = []
    for some in (names[:300], names[300:]):
        job = DocumentsJob(str(folder / "sources"), below, some)  # type: ignore[arg-type]  # a bug that one test wants
        parts.append(pickle.dumps(("holdfast.caches.build.document_files", "write_batch", job)))
    return b"".join([len(data).to_bytes(8, "little") + data for data in parts])


@pytest.mark.parametrize("given", [0, 4, 20], ids=["nothing", "half a length", "half an assignment"])
def test_a_worker_whose_build_ended_before_it_was_told_what_to_do_ends_quietly(given: int, tmp_path: Path) -> None:
    done = subprocess.run(WORKER, input=assignments(tmp_path)[:given], capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_worker_whose_build_is_gone_stops_at_its_next_answer_and_says_nothing(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(WORKER, input=assignments(tmp_path), stdout=writing, stderr=subprocess.PIPE, timeout=60)
    os.close(writing)
    written = len(os.listdir(tmp_path / "staged" / "documents"))
    assert (done.returncode, done.stderr, written) == (0, b"", 300)


def test_a_worker_that_meets_a_bug_says_so_and_shows_no_traceback(tmp_path: Path) -> None:
    done = subprocess.run(WORKER, input=assignments(tmp_path, staged=None), capture_output=True, timeout=60)
    message = pickle.loads(done.stdout[8:])
    assert (done.returncode, type(message.error), done.stderr) == (0, InternalError, b"")
    assert message.error.reason.startswith("TypeError:")


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_every_result_comes_with_the_number_of_its_job_and_in_the_order_of_the_job(workers: int) -> None:
    jobs = [("a", 3), ("b", 0), ("c", 2), ("d", 1), ("e", 400)]
    with WorkerPool() as pool:
        pool.grow(workers)
        for _ in range(2):
            found: list[list[str]] = [[] for _ in jobs]
            for number, result in pool.run(count, jobs):
                found[number].append(result)
            assert found == [[f"{kind} {position}" for position in range(number)] for kind, number in jobs]


@pytest.mark.parametrize(
    ("jobs", "error", "said"),
    [
        ([("a", 5), ("bad source", 3), ("full disk", 0)], BuildFailed, "the reason 3"),
        ([("a", 5), ("full disk", 300), ("bad source", 0)], OSError, "No space left on device"),
        ([("bug", 1), ("a", 5)], InternalError, "LookupError: the key"),
        ([("a", 1), ("crash", 2)], IoError, "a worker process ended before its work was done"),
        ([("bad source", 9), ("forever", 0)], BuildFailed, "the reason 9"),
    ],
)
def test_the_failure_of_the_earliest_job_is_the_one_raised_and_no_worker_is_left(
    jobs: list[tuple[str, int]], error: type[Exception], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[bytes]] = []
    start = worker_pool._start

    def start_and_note() -> subprocess.Popen[bytes]:
        started.append(start())
        return started[-1]

    monkeypatch.setattr(worker_pool, "_start", start_and_note)
    with WorkerPool() as pool:
        pool.grow(3)
        with pytest.raises(error, match=said):
            list(pool.run(count, jobs))
    assert [process.returncode is None for process in started] == [False] * 3
