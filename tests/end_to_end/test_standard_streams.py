"""A process may be started with standard input, output or error closed, or with a full disk behind them."""

from __future__ import annotations

import signal
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from holdfast import build_cache

COMMAND = [sys.executable, "-m", "holdfast"]
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
PONG = b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
RESOLVE = ["resolve", "--cache", "docs", "--query", "alpha", "--budget", "10"]
SPELT = {0: "<&-", 1: ">&-", 2: "2>&-"}
COMBINATIONS = [tuple(d for d, closed in enumerate(each) if closed) for each in product((False, True), repeat=3)]


def run_with(redirections: str, *words: str, cwd: Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    script = f'exec "$@" {redirections}'
    return subprocess.run(["sh", "-c", script, "sh", *COMMAND, *words], input=stdin, capture_output=True, cwd=cwd)


def run_closed(closed: tuple[int, ...], *words: str, cwd: Path, stdin: bytes = b"") -> tuple[int, bytes, bool]:
    """The exit code, standard output, and whether stderr says something."""
    done = run_with(" ".join(SPELT[each] for each in closed), *words, cwd=cwd, stdin=stdin)
    assert b"Traceback" not in done.stderr
    return done.returncode, done.stdout, bool(done.stderr)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "a.md").write_text("alpha beta\n", encoding="utf-8")
    build_cache(tmp_path / "sources", tmp_path / "docs")
    return tmp_path


every_combination = pytest.mark.parametrize(
    "closed", COMBINATIONS, ids=lambda closed: " ".join(SPELT[each] for each in closed) or "all open"
)


@every_combination
def test_resolve_answers_unless_standard_output_is_closed(folder: Path, closed: tuple[int, ...]) -> None:
    answer = run_with("", *RESOLVE, cwd=folder).stdout
    expected = (6, b"", 2 not in closed) if 1 in closed else (0, answer, False)
    assert run_closed(closed, *RESOLVE, cwd=folder) == expected


@every_combination
def test_an_error_keeps_its_exit_code(folder: Path, closed: tuple[int, ...]) -> None:
    words = ["inspect", "--cache", "nowhere"]
    assert run_closed(closed, *words, cwd=folder) == (4, b"", 2 not in closed)


@every_combination
def test_call_says_when_its_input_or_output_is_closed(folder: Path, closed: tuple[int, ...]) -> None:
    done = run_closed(closed, "call", "context.list_caches", "-", "--cache-root", ".", cwd=folder, stdin=b"{}")
    refused = 0 in closed or 1 in closed
    listed = b'{"caches":[{"path":"docs","has_manifest":true},{"path":"sources","has_manifest":false}]}\n'
    assert done == ((6, b"", 2 not in closed) if refused else (0, listed, False))


@every_combination
def test_a_build_is_complete_whatever_is_closed(folder: Path, closed: tuple[int, ...]) -> None:
    code, stdout, said = run_closed(closed, "build", "--sources", "sources", "--cache", "new", cwd=folder)
    assert (code, bool(stdout), said) == ((6, False, 2 not in closed) if 1 in closed else (0, True, False))
    assert run_with("", "verify", "--cache", "new", cwd=folder).returncode == 0


@every_combination
def test_a_server_ends_by_itself_whatever_is_closed(folder: Path, closed: tuple[int, ...]) -> None:
    done = run_closed(closed, "serve", cwd=folder, stdin=PING)
    if 0 in closed:
        assert done == (0, b"", False)  # nothing was asked
    else:
        assert done == ((6, b"", 2 not in closed) if 1 in closed else (0, PONG, False))


@pytest.mark.parametrize("redirection", ["", "2>&-"])
def test_a_server_ends_on_sigterm_with_or_without_stderr(folder: Path, redirection: str) -> None:
    process = subprocess.Popen(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", *COMMAND, "serve", "--telemetry"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(PING)
        process.stdin.flush()
        assert process.stdout.readline() == PONG  # signals are waited for by now
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize(
    "words",
    [RESOLVE, ["--help"], ["build", "--sources", "sources", "--cache", "new"], ["completions", "bash"], ["serve"]],
    ids=lambda words: words[0],
)
def test_a_full_standard_output_is_an_io_error(folder: Path, words: list[str]) -> None:
    done = run_with(">/dev/full", *words, cwd=folder, stdin=PING)
    said = b"error: I/O error occurred\nreason: standard output cannot be written: No space left on device\n"
    assert (done.returncode, done.stderr) == (6, said)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_stderr_changes_no_exit_code_and_no_answer(folder: Path) -> None:
    assert run_with("2>/dev/full", "inspect", "--cache", "nowhere", cwd=folder).returncode == 4
    assert run_with("2>/dev/full", "reslove", cwd=folder).returncode == 1
    answered = run_with("2>/dev/full", *RESOLVE, cwd=folder)
    assert (answered.returncode, answered.stdout) == (0, run_with("", *RESOLVE, cwd=folder).stdout)


def test_a_server_whose_client_left_ends_with_nothing_to_report(folder: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.communicate(PING) == (b"", b"")
    assert process.returncode == 0
