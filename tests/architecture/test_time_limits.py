"""A run of the tests is short and never hangs, also in the background, where SIGINT is ignored."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
READS_FOR_EVER = """
import os

def test_that_reads_for_ever():
    os.read(os.pipe()[0], 1)
"""
WAITS_FOR_EVER = """
import subprocess, sys

def test_that_waits_for_its_child_for_ever():
    with subprocess.Popen([sys.executable, "-c", "import signal; signal.alarm(60); signal.pause()"]) as child:
        child.wait()

def test_after_it():
    pass
"""
IN_THE_BACKGROUND = """
import os, signal, sys
for number in (signal.SIGINT, signal.SIGQUIT):
    signal.signal(number, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])
"""
STATUS = "print(*(line for line in open('/proc/self/status') if line.startswith('SigIgn')))"


def run_pytest(*words: str, cwd: Path, started_by: tuple[str, ...] = ()) -> tuple[int, str]:
    """The exit code and the output of pytest with this repository's settings."""
    settings = ("-q", "-c", str(ROOT / "pyproject.toml"), "-p", "no:cacheprovider", "--rootdir", str(cwd))
    command = [*started_by, sys.executable, "-m", "pytest", *settings, *words]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=100)
    return done.returncode, done.stdout + done.stderr


def test_a_test_that_takes_longer_than_its_limit_fails(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(READS_FOR_EVER)
    code, said = run_pytest("-p", "no:xdist", "-o", "timeout=0.2", "test_it.py", cwd=tmp_path)
    assert (code, "Failed: Timeout (>0.2s) from pytest-timeout" in said) == (1, True), said


def test_a_test_that_goes_on_waiting_after_its_limit_ends_its_worker_and_the_others_run(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(WAITS_FOR_EVER)
    limits = ("-o", "timeout=0.2", "-o", "faulthandler_timeout=2")
    code, said = run_pytest("-n", "1", *limits, "test_it.py", cwd=tmp_path)
    assert (code, "crashed while running" in said, "1 failed, 1 passed" in said) == (1, True, True), said


def test_a_child_process_of_a_test_ignores_neither_interrupt_nor_quit() -> None:
    said = subprocess.run([sys.executable, "-c", STATUS], capture_output=True, text=True, check=True).stdout
    ignored = int(said.split()[1], 16)
    assert [number for number in (signal.SIGINT, signal.SIGQUIT) if ignored >> (number - 1) & 1] == []


def test_neither_does_one_where_the_tests_were_started_in_the_background() -> None:
    named = "test_a_child_process_of_a_test_ignores_neither_interrupt_nor_quit"
    test = f"{os.path.relpath(__file__, ROOT)}::{named}"
    code, said = run_pytest("-p", "no:xdist", test, cwd=ROOT, started_by=(sys.executable, "-c", IN_THE_BACKGROUND))
    assert (code, "1 passed" in said) == (0, True), said


def test_every_number_of_examples_is_cut_in_a_quick_run() -> None:
    named = re.compile(r"max_examples=(?!examples\(|QUICK\b)\S+")
    found = {file.name: named.findall(file.read_text("utf-8")) for file in (ROOT / "tests").rglob("*.py")}
    assert {name: numbers for name, numbers in found.items() if numbers and name != Path(__file__).name} == {}
