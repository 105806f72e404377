"""Builds on Ray: the bytes of a local build, whatever becomes of workers; what is not there is said and leaves nothing.

Two tests start a Ray, once each: the first does everything that one Ray can serve.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import pytest

from holdfast import build_cache
from holdfast.caches.build.engines import open_engine
from holdfast.core.errors import ContextError, UnknownName, UsageError
from holdfast.version import __version__
from support.doors import run_context
from support.odd_corpora import write_odd_corpora
from support.waiting import has_ended

pytestmark = pytest.mark.rough

needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="ray, the extra of this engine, is not installed here")
SESSION = Path(__file__).parent.parent / "support" / "ray_session.py"
# KiB that a worker may hold more for a corpus ten times as long: 40,000 were measured, and 140,000 for one counted and
# compiled in one piece.
MOST_GROWTH = 80_000
ENDS = 60  # seconds that a machine under load has for what takes less than one


def write_long(folder: Path, count: int) -> None:
    """About 30 KB a document, with links to others, and few words that many of them have."""
    folder.mkdir()
    for number in range(count):
        parts = []
        for part in range(0, 600, 20):
            lines = [
                f"w{number}x{line} v{number % 7}x{line} [u{number}x{line}](p{(number + line) % count}.md)"
                for line in range(part, part + 20)
            ]
            parts.append(f"## h{number}x{part}\n\n" + "\n".join(lines))
        (folder / f"p{number}.md").write_text(f"# p{number}\n\n" + "\n\n".join(parts) + "\n", encoding="utf-8")


@needs_ray
def test_on_a_ray_the_bytes_are_those_of_a_local_build_whatever_becomes_of_workers(tmp_path: Path) -> None:
    write_odd_corpora(tmp_path / "odd")
    (tmp_path / "corpora").mkdir()
    (tmp_path / "odd" / "all").rename(tmp_path / "corpora" / "all")
    (tmp_path / "odd" / "project" / "docs").rename(tmp_path / "listed")
    (tmp_path / "corpora" / "none").mkdir()
    write_long(tmp_path / "corpora" / "long", 15)
    write_long(tmp_path / "longer", 150)
    done = subprocess.run([sys.executable, SESSION, tmp_path], capture_output=True, timeout=550)
    assert done.returncode == 0, done.stderr  # what Ray itself warns of there is not ours
    told = json.loads(done.stdout)
    if "not started" in told:  # Ray gives its own processes half a minute, and on a machine under load they take longer
        pytest.skip(told["not started"])
    assert told.pop("corpora") == {"all": True, "long": True, "none": True}
    assert told.pop("listed") is True
    assert told.pop("sharded") is True
    assert told.pop("killed_once") == [True, True]
    held, more = told.pop("memory")
    assert held > 0
    assert more < MOST_GROWTH
    exit_code, stderr, is_same = told.pop("by_client")
    if exit_code == 6:  # Ray's server for clients starts a process for each, and waits less long than one may take here
        assert "error: The engine cannot be used\nreason: the Ray cluster at " in stderr
        assert " cannot be joined: " in stderr
    else:
        assert (exit_code, is_same) == (0, True), stderr
    code, exit_code, reason, left = told.pop("killed_always")
    assert (code, exit_code, left) == ("engine_failed", 6, [])
    assert reason.endswith("(a task is begun 4 times at most)")
    for code, exit_code, reason, left in told.pop("other_release"):
        assert (code, exit_code, left) == ("engine_failed", 6, [])
        assert f"Holdfast {__version__}, and this is 9.9.9" in reason
    missing = f"the workers of the cluster have no Holdfast: install holdfast=={__version__} there"
    assert told.pop("no_holdfast") == ["engine_failed", 6, missing, []]
    assert told.pop("bug") == ["internal_error", 7, "LookupError: the key", []]
    assert told == {"still connected": True}  # whoever was connected before a build stays so


@needs_ray
def test_an_interrupt_ends_the_ray_that_was_started_and_leaves_nothing(tmp_path: Path) -> None:
    write_long(tmp_path / "sources", 400)
    (tmp_path / "target").mkdir()
    temporary = Path(mkdtemp(prefix="hf-", dir="/tmp"))  # short: sockets lie below it
    words = ["build", "--sources", str(tmp_path / "sources"), "--cache", str(tmp_path / "target" / "cache")]
    command = subprocess.Popen(
        [sys.executable, "-m", "holdfast", *words, "--engine", "ray"],
        env={**os.environ, "TMPDIR": str(temporary)},
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        until = time.monotonic() + 4 * ENDS
        while not list((tmp_path / "target").glob("*/documents/*")):
            if has_ended(command):
                _, stderr = command.communicate()
                assert b"Ray cannot be started here" in stderr
                pytest.skip(stderr.decode())  # as above
            assert time.monotonic() < until
        os.killpg(command.pid, signal.SIGINT)  # as a terminal does it
        _, stderr = command.communicate(timeout=ENDS)
        assert (command.returncode, stderr.endswith(b"\ninterrupted\n")) == (130, True), stderr
        assert b"Traceback" not in stderr
        assert os.listdir(tmp_path / "target") == []
        assert os.listdir(temporary) == []
        while processes_naming(temporary):
            assert time.monotonic() < until + ENDS
    finally:
        command.kill()
        command.wait()
        rmtree(temporary)


def processes_naming(folder: Path) -> list[bytes]:
    """The command lines of processes that speak of a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes()
        except OSError:
            continue  # gone meanwhile
        if bytes(folder) in words:
            found.append(words)
    return found


REFUSED = [
    ("ray://", 1, "has no address: write ray alone, or ray://HOST"),
    ("local://here", 1, "has no address: write local alone"),
    ("ray://127.0.0.1:1", 6, "no Ray cluster is at 127.0.0.1:1: Connection refused; start one there"),
    ("ray://one two", 1, "is no address of a Ray cluster: write ray://HOST or ray://HOST:PORT"),
    ("ray://host:port", 1, "is no address of a Ray cluster"),
    ("ray://host:70000", 1, "is no address of a Ray cluster"),
    ("ray://user@host", 1, "is no address of a Ray cluster"),
    ("ray://host/path", 1, "is no address of a Ray cluster"),
    ("ray://[::1", 1, "is no address of a Ray cluster"),
]


@needs_ray
@pytest.mark.parametrize(("engine", "exit_code", "reason"), REFUSED, ids=[engine for engine, *_ in REFUSED])
def test_an_engine_that_is_not_there_is_said_and_nothing_is_written(
    engine: str, exit_code: int, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "sources").mkdir()
    with pytest.raises(ContextError) as raised:
        build_cache(tmp_path / "sources", tmp_path / "cache", engine=engine)
    assert raised.value.exit_code == exit_code
    assert reason in raised.value.reason
    assert os.listdir(tmp_path) == ["sources"]


def test_a_wrong_name_is_answered_with_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    words = ["build", "--sources", "sources", "--cache", "cache", "--engine", "rya://host"]
    done = run_context(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr == b"error: Usage error\nreason: unknown engine 'rya'\nhint: did you mean 'ray'?\n"
    with pytest.raises(UnknownName, match="unknown engine 'dask'"):
        open_engine("dask", None)


def test_without_the_extra_it_says_which(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"not installed: pip install 'holdfast\[ray\]'"):
        build_cache(tmp_path / "sources", tmp_path / "cache", engine="ray")


def test_the_local_engine_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "a.md").write_text("# A\n", encoding="utf-8")
    assert build_cache(tmp_path / "sources", tmp_path / "cache", engine="local").document_count == 1
    assert "ray" not in sys.modules


@needs_ray
def test_a_sync_builds_by_the_engine_that_is_named_and_an_edit_asks_none(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for number in range(20):
        (tmp_path / "docs" / f"p{number}.md").write_text(f"# P{number}\n\nword{number}\n", encoding="utf-8")
    (tmp_path / "context.toml").write_text('[caches.docs]\nsources = ["docs"]\n', encoding="utf-8")
    nowhere = ["sync", "--engine", "ray://127.0.0.1:1"]
    done = run_context(*nowhere, cwd=tmp_path)
    assert (done.returncode, b"no Ray cluster is at 127.0.0.1:1" in done.stderr) == (6, True)
    assert run_context("sync", "--engine", "local", cwd=tmp_path).returncode == 0
    assert run_context("sync", "--engine", "rya", cwd=tmp_path).returncode == 1  # though nothing is to be built
    (tmp_path / "docs" / "p3.md").write_text("# P3\n\nedited\n", encoding="utf-8")
    assert run_context(*nowhere, cwd=tmp_path).returncode == 0  # it was patched
