"""The runner of CI's stages shows every failure and leaves no process, however it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUN = """
import json, sys
from scripts.stages import run
sys.exit(run(json.loads(sys.argv[1]), float(sys.argv[2]), grace=0.2))
"""
PASSES = ["sh", "-c", "echo what passed says"]
FAILS = ["sh", "-c", "echo what failed says >&2; exit 3"]
# Each starts a process in a session of its own, as servers and workers are, which holds the pipe open.
LEAVES = 'exec 3>"$0"; setsid sleep 1000 & exit 0'
WAITS = 'echo begun; exec 3>"$0"; setsid sleep 1000 & wait'
IGNORES = 'trap "" TERM; echo begun; exec 3>"$0"; setsid sleep 1000 & wait'


def start(stages: list[dict[str, list[str]]], seconds: float = 100) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", RUN, json.dumps(stages), str(seconds)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def run_stages(*stages: dict[str, list[str]]) -> tuple[int, str]:
    process = start([*stages])
    said, _ = process.communicate()
    return process.returncode, said


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


def test_every_part_of_every_stage_is_run_and_shown() -> None:
    code, said = run_stages({"a": PASSES, "b": PASSES}, {"c": PASSES})
    assert (code, said.count("what passed says"), said.splitlines()[-1]) == (0, 3, "== all parts passed")
    assert [name for name in "abc" if f"== {name}: passed after" in said] == ["a", "b", "c"]


def test_a_part_that_fails_is_shown_with_the_others_and_the_next_stage_is_not_begun() -> None:
    code, said = run_stages({"a": FAILS, "b": PASSES}, {"c": PASSES})
    assert (code, said.splitlines()[-1]) == (1, "== failed: a")
    assert ("== a: FAILED with 3" in said, "what failed says" in said, "== b: passed" in said) == (True, True, True)
    assert "== c" not in said


def test_a_process_that_a_part_leaves_is_ended_with_its_stage(pipe: Path) -> None:
    process = start([{"a": ["sh", "-c", LEAVES, str(pipe)]}])
    with pipe.open("rb") as held:
        process.communicate()
        assert (process.returncode, held.read()) == (0, b"")  # else the read would wait for the one that is left


@pytest.mark.parametrize("part", [WAITS, IGNORES], ids=["ends by SIGTERM", "ignores SIGTERM"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_shows_what_its_parts_said_and_leaves_no_process(
    number: signal.Signals, part: str, pipe: Path
) -> None:
    process = start([{"a": ["sh", "-c", part, str(pipe)], "b": PASSES}])
    with pipe.open("rb") as held:
        assert process.stdout is not None
        while "what passed says" not in process.stdout.readline():
            assert process.poll() is None
        process.send_signal(number)
        said, _ = process.communicate()
        assert (process.returncode, held.read()) == (128 + number, b"")
    assert ("== a: ENDED after" in said, "\nbegun\n" in said) == (True, True)


def test_a_stage_that_takes_longer_than_it_may_fails_and_leaves_no_process(pipe: Path) -> None:
    process = start([{"a": ["sh", "-c", WAITS, str(pipe)]}], seconds=2)
    with pipe.open("rb") as held:
        said, _ = process.communicate()
        assert (process.returncode, held.read()) == (1, b"")
    assert ("== a: ENDED after" in said, "\nbegun\n" in said, said.splitlines()[-1]) == (True, True, "== failed: a")
