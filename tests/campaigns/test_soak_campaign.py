"""The soak campaign in its short form: it finds nothing, and would if there were something."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.rough

CAMPAIGN = Path(__file__).parents[2] / "scripts" / "campaigns" / "soak.py"
MISBEHAVING = Path(__file__).with_name("misbehaving.py")


def run(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(CAMPAIGN), *words, "--findings", str(folder)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
    )


def test_a_few_seconds_find_nothing(tmp_path: Path) -> None:
    done = run(tmp_path, "3")
    assert (done.returncode, done.stderr, list(tmp_path.iterdir())) == (0, "", []), done.stdout


@pytest.mark.parametrize(
    ("promise", "found"),
    [
        ("descriptors", "descriptors leak"),
        ("truth", "was never answered"),
        ("count", "counted"),
        ("leave", "not an answer to what was asked: b''"),
    ],
)
def test_a_server_that_breaks_a_promise_is_found_out(tmp_path: Path, promise: str, found: str) -> None:
    done = run(tmp_path, "1", "--server", f"{sys.executable} {MISBEHAVING}", BROKEN_PROMISE=promise)
    assert (done.returncode, found in done.stdout, done.stderr) == (1, True, ""), done.stdout
