"""Files made to take for ever: a command ends, and a server answers others meanwhile and ends when told to."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.wire import PATIENCE, Wire, call, initialize, request

PATTERNS = {"letters": "*a" * 12 + "*b", "classes": "*[a]" * 11 + "*[b]"}


def _project(tmp_path: Path, files: dict[str, str]) -> Path:
    root = tmp_path / "project"
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.mark.parametrize("kind", PATTERNS)
@pytest.mark.parametrize("file", [".gitignore", ".contextignore"])
def test_a_pattern_of_many_stars_holds_up_no_other_call_and_no_signal(tmp_path: Path, kind: str, file: str) -> None:
    root = _project(tmp_path, {file: PATTERNS[kind] + "\n", "src/" + "a" * 120 + ".py": "x = 1\n"})
    with Wire(tmp_path, "--path", str(root)) as wire:
        wire.send(initialize(), call(1, "list_contexts", {}), request(2, "ping"))
        answers = {answer["id"]: answer for answer in (wire.read(), wire.read(), wire.read())}
        assert answers[2]["result"] == {}
        assert '"scope":"src"' not in answers[1]["result"]["content"][0]["text"]  # too small, and seen
        assert '"skipped_directories":1' in answers[1]["result"]["content"][0]["text"]
        assert wire.stop(signal.SIGTERM).exit_code == 0


def test_what_an_outer_contextignore_leaves_out_is_never_described(tmp_path: Path) -> None:
    root = _project(
        tmp_path,
        {
            ".contextignore": "secret.py\n",
            ".context.config.yaml": "min_tokens: 0\n",
            "sub/.gitignore": "!secret.py\n",
            "sub/secret.py": "def token(): ...\n",
            "sub/ok.py": "def ok(): ...\n",
        },
    )
    command = [sys.executable, "-m", "holdfast", "init", "--full", "--path", str(root), "--no-agents"]
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
    assert "ok()" in (text := (root / "sub/.context.yaml").read_text())
    assert "token" not in text


def test_files_of_brackets_and_tags_are_described_to_the_end(tmp_path: Path) -> None:
    files = {
        ".context.config.yaml": "min_tokens: 0\n",
        "README.md": "Sells things " + "[" * 900_000 + "\n",
        "code/tags.py": '"""' + "<a" * 200_000 + '"""\n',
    }
    root = _project(tmp_path, files)
    command = [sys.executable, "-m", "holdfast", "init", "--path", str(root), "--full", "--no-agents"]
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
    assert "Sells things [[" in (root / ".context.yaml").read_text()
    assert (root / "code/.context.yaml").exists()
