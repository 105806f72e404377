"""The wire campaign in its short form: it finds nothing, and would if there were something."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.rough

CAMPAIGN = Path(__file__).parents[2] / "scripts" / "campaigns" / "wire.py"
MISBEHAVING = Path(__file__).with_name("misbehaving.py")


def run(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(CAMPAIGN), *words, "--findings", str(folder)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize(("part", "messages"), [("rounds", "6000"), ("flood", "3000"), ("departure", "3000")])
def test_some_thousand_messages_find_nothing(tmp_path: Path, part: str, messages: str) -> None:
    done = run(tmp_path, messages, "--only", part)
    assert (done.returncode, done.stderr, list(tmp_path.iterdir())) == (0, "", []), done.stdout


@pytest.mark.parametrize(
    ("promise", "found"),
    [
        ("drop", "answers are missing"),
        ("twice", "nobody is owed"),
        ("print", "not a line of the protocol: b'Loading...'"),
        ("cut", "not a line of the protocol"),
        ("bug", "stderr is not the counts"),
        ("leave", "the server ended with 3"),
        ("count", "stderr is not the counts"),
        ("leak", "memory grew by"),
    ],
)
def test_a_server_that_breaks_a_promise_is_found_out_and_the_input_kept(
    tmp_path: Path, promise: str, found: str
) -> None:
    server = f"{sys.executable} {MISBEHAVING}"
    # Only what never comes is waited for in vain; a machine under load may be slow with all else.
    words = ("1500", "--only", "rounds", "--patience", "1" if promise == "drop" else "60", "--server", server)
    done = run(tmp_path, *words, BROKEN_PROMISE=promise)
    assert (done.returncode, found in done.stdout, done.stderr) == (1, True, ""), done.stdout
    (kept,) = tmp_path.iterdir()
    assert kept.stat().st_size > 0


def test_an_input_that_was_kept_can_be_sent_again(tmp_path: Path) -> None:
    kept = tmp_path / "kept.lines"
    kept.write_bytes(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\nnonsense\n\n[')
    done = run(tmp_path / "findings", "--replay", str(kept))
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "replay: lines 3; answers 3")
