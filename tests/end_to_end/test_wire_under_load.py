"""What the wire campaign found once, each as the shortest case that shows it."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from support.wire import PATIENCE, Wire, as_line, call, exchange, request
from support.wire_cases import PING, PONG, error

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.rough

WHOLE = json.dumps(PING).encode()


@pytest.mark.parametrize("end", [b"", b"rubbish"])
def test_a_line_beyond_the_limit_is_refused_even_if_its_beginning_is_a_whole_message(
    tmp_path: Path, end: bytes
) -> None:
    too_long = WHOLE + b" " * (66 << 20) + end
    assert exchange(tmp_path, too_long, PING).answers == [error(-32700, "Parse error"), PONG]


def test_a_line_of_just_the_limit_is_answered(tmp_path: Path) -> None:
    assert exchange(tmp_path, WHOLE + b" " * ((64 << 20) - len(WHOLE))).answers == [PONG]


def test_the_last_line_may_be_beyond_the_limit_too(tmp_path: Path) -> None:
    with Wire(tmp_path) as wire:
        assert wire.end(WHOLE + b" " * (64 << 20)).answers == [error(-32700, "Parse error")]


def test_descriptors_that_never_block_lose_nothing(tmp_path: Path) -> None:
    """Some clients hand over pipes in that mode; the server may find nothing to read, or no room to write."""
    count = 20_000
    requests, ask = os.pipe()
    answers, answer = os.pipe()
    for descriptor in (requests, answer):
        os.set_blocking(descriptor, False)
    command = [sys.executable, "-m", "holdfast", "serve", "--cache-root", str(tmp_path)]
    process = subprocess.Popen(command, stdin=requests, stdout=answer, stderr=subprocess.PIPE, cwd=tmp_path)
    watchdog = threading.Timer(PATIENCE, process.kill)
    watchdog.start()
    os.close(requests)
    os.close(answer)
    with open(ask, "wb") as pipe, open(answers, "rb") as lines:
        pipe.write(as_line(request(-1, "ping")))
        pipe.flush()
        first = json.loads(lines.readline())
        # More than both pipes hold, and none of it is read before all of it is written.
        pipe.write(b"".join(as_line(request(number, "ping")) for number in range(count)))
        pipe.close()
        rest = [json.loads(line)["id"] for line in lines]
    stderr = process.communicate(timeout=PATIENCE)[1]
    watchdog.cancel()
    assert (first["id"], rest, process.returncode, stderr) == (-1, list(range(count)), 0, b"")


def test_calls_that_wait_are_weighed_by_the_memory_they_take_and_not_by_their_length(tmp_path: Path) -> None:
    """Sixty-four MiB of short calls took five times as much; now reading pauses when the calls themselves do."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with Wire(tmp_path, odd_tools=True) as wire:
        wire.send(*(call(f"slow{number}", "odd.wait", {"pipe": str(pipe)}, era="modern") for number in range(16)))
        assert wire.process.stdin is not None
        stdin = wire.process.stdin.fileno()
        os.set_blocking(stdin, False)
        ready = select.poll()
        ready.register(stdin, select.POLLOUT)
        batch = as_line(call(1, "context.list_caches", {}, era="modern")) * 100
        written, rest = 0, batch
        # Well under the time this takes without a pause; a slow machine may stop it early, never let it pass.
        while ready.poll(1000) and written < len(batch) * 500:
            try:
                count = os.write(stdin, rest)
            except BlockingIOError:
                continue
            written += count
            rest = rest[count:] or batch
        taken = written * 100 // len(batch)
        wire.process.kill()
    assert taken <= (64 << 20) // 1536 + 1000


def resident_mebibytes(wire: Wire) -> float:
    try:
        with open(f"/proc/{wire.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
    except FileNotFoundError:
        pytest.skip("this system does not tell how much memory a process has")


def test_memory_that_long_lines_took_is_given_back(tmp_path: Path) -> None:
    """The C library keeps what was freed, a heap for each thread: 400 MiB after these."""
    with Wire(tmp_path) as wire:
        assert wire.ask(PING) == PONG
        before = resident_mebibytes(wire)
        for size in (1, 2, 4, 8, 16):  # growing, so that each frees more than the library thought worth giving back
            arguments = {"cache": "none", "query": "größe 😀 " * (size << 16), "budget": 1}
            wire.send(*(call(number, "context.resolve", arguments, era="modern") for number in range(4)))
            assert sorted(wire.read()["id"] for _ in range(4)) == [0, 1, 2, 3]
        # Whoever ran the last call may still be putting things away; a few exchanges later that is over.
        for _ in range(1000):
            assert wire.ask(PING) == PONG
            grown = resident_mebibytes(wire) - before
            if grown < 60:
                break
    assert grown < 60


def test_a_long_name_of_a_run_is_not_kept(tmp_path: Path) -> None:
    for name in ("tech", "principles"):
        file = tmp_path / ".spec-context" / "steering" / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# {name}\n")
    with Wire(tmp_path, "--path", str(tmp_path)) as wire:
        grown = []
        for number in range(60):
            arguments = {"runId": "x" * 1_000_000 + str(number)}
            answer = wire.ask(call(number, "get-implementer-guide", arguments, era="modern"))
            assert answer["result"]["isError"] is False
            grown.append(resident_mebibytes(wire))
    assert grown[-1] - grown[9] < 20
