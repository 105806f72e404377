"""Writers and readers of one context at the same time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from holdfast.contexts.on_disk.directory_view import parse_context, read_context_bytes
from holdfast.contexts.on_disk.watcher import watch_project
from holdfast.core.file_contents import RememberedFiles
from support.doors import run_context

pytestmark = pytest.mark.rough

READS = 10_000
WRITER = """
import sys
from holdfast.contexts.context_text import edited
from holdfast.contexts.on_disk.directory_view import CONTEXT_FILE, read_context_bytes
from holdfast.core.atomic_write import write_file
directory = sys.argv[1]
print("ready", flush=True)
at = 0
while True:
    at += 1
    text = edited(read_context_bytes(directory).decode(), {"summary": f"{at} " + "x" * (at * 37 % 5000)})
    write_file(f"{directory}/{CONTEXT_FILE}", text.encode())
"""


def test_ten_thousand_reads_beside_a_writer_find_no_half(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def go(): ...\n")
    assert run_context("init", "--full", "--path", str(tmp_path)).returncode == 0
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE)
    try:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
        seen = {parse_context(read_context_bytes(str(tmp_path)))["summary"] for _ in range(READS)}
        assert writer.poll() is None
    finally:
        writer.kill()
        writer.wait()
        if writer.stdout is not None:
            writer.stdout.close()
    assert len(seen) > 1, "the writer never came to write"


def test_a_watch_tells_each_change_of_state_once_new_folders_included(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    run_context("init", "--full", "--no-agents", "--path", str(tmp_path))
    told: list[Any] = []

    def edit() -> None:
        (tmp_path / "a.py").write_text("x = 2\n")

    def add_folder() -> None:
        (tmp_path / "new" / "inner").mkdir(parents=True)
        (tmp_path / "new" / "inner" / "b.py").write_text("y = 1\n" * 4000)

    def undo() -> None:
        (tmp_path / "a.py").write_text("x = 1\n")

    def nothing() -> None: ...

    def remove_folder() -> None:
        (tmp_path / "new" / "inner" / "b.py").unlink()

    steps = iter([nothing, edit, nothing, add_folder, undo, remove_folder])

    def wait(_seconds: float) -> bool:
        step = next(steps, None)
        if step is not None:
            step()
        return step is not None

    events = watch_project(RememberedFiles(), str(tmp_path), tell=told.append, wait=wait)
    assert (told, events) == (
        [
            {"scope": ".", "state": "stale"},
            {"scope": "new/inner", "state": "missing"},
            {"scope": ".", "state": "fresh"},
            {"scope": "new/inner", "state": "gone"},
        ],
        4,
    )
