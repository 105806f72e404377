"""What a real server process writes to the wire, line for line; docs/formats/wire.md in tests."""

from __future__ import annotations

import ctypes
import json
import os
import re
import signal
from typing import TYPE_CHECKING

import pytest

from support.official import check_answers
from support.wire import OPENING, Wire, call, exchange, initialize, modern, notification, request
from support.wire_cases import CASES, NO_CACHES, PING, PONG, STAMP, Case, error, ok, opened, text, told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


def in_any_order(answers: list[dict[str, object]]) -> list[str]:
    return sorted(json.dumps(answer, sort_keys=True) for answer in answers)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_kind_of_line_gets_its_answer_in_the_official_shape_and_nothing_else(tmp_path: Path, case: Case) -> None:
    done = exchange(tmp_path, *case.lines, options=case.options)
    answers = in_any_order([told(answer) for answer in done.answers])
    assert (answers, done.exit_code, done.stderr) == (in_any_order(case.answers), 0, "")
    check_answers(done.answers, case)


def test_the_cases_have_names_of_their_own() -> None:
    assert len({case.name for case in CASES}) == len(CASES)


def test_both_eras_are_spoken_in_one_process_request_by_request(tmp_path: Path) -> None:
    done = exchange(
        tmp_path,
        call("m1", "context.list_caches", {}, era="modern"),
        call("l1", "context.list_caches", {}),
        initialize("open", "2025-06-18"),
        call("l2", "context.list_caches", {}),
        call("m2", "context.list_caches", {}, era="modern"),
        modern("m3", "ping"),
        request("l3", "ping"),
    )
    answers = {identifier: told(answer) for identifier, answer in done.answers_by_id().items()}
    before = answers.pop("l1")
    assert before["error"]["code"] == -32602
    assert answers == {
        "m1": text("m1", NO_CACHES, **STAMP),
        "open": opened("open", "2025-06-18"),
        "l2": text("l2", NO_CACHES),
        "m2": text("m2", NO_CACHES, **STAMP),
        "m3": error(-32601, "Method not found: ping", "m3"),
        "l3": ok("l3"),
    }


def test_a_line_of_twenty_megabytes_is_answered(tmp_path: Path) -> None:
    query = "word " * (20 << 18)
    done = exchange(
        tmp_path,
        *OPENING,
        call(1, "context.resolve", {"cache": "none", "query": query, "budget": 1}),
        request("x" * (20 << 20), "ping"),
        b'"' + b"x" * (20 << 20),
        PING,
    )
    told_of = sorted((str(answer.get("id"))[:8], "error" in answer) for answer in done.answers)
    assert told_of == [("0", False), ("1", False), ("None", True), ("p", False), ("xxxxxxxx", False)]


def test_a_line_beyond_the_limit_is_refused_even_if_its_end_would_close_it(tmp_path: Path) -> None:
    too_long = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"pad":"' + b"x" * (66 << 20) + b'"}}'
    assert exchange(tmp_path, too_long, PING).answers == [error(-32700, "Parse error"), PONG]


@pytest.mark.rough
def test_ten_thousand_requests_sent_before_anything_is_read_are_all_answered(
    tmp_path: Path, make_cache: Callable[..., Path]
) -> None:
    make_cache({"a.md": "alpha"})
    kinds = (
        lambda n: request(n, "ping"),
        lambda n: request(n, "tools/list"),
        lambda n: call(n, "context.inspect_cache", {"cache": "docs"}),
        lambda n: call(n, "context.list_caches", {}, era="modern"),
        lambda n: request(n, "nonsense"),
    )
    asked = [kinds[number % len(kinds)](number) for number in range(1, 10_001)]
    with Wire(tmp_path) as wire:
        wire.send(*OPENING, *asked)
        answers = wire.end().answers_by_id()
    assert sorted(answers) == list(range(10_001))
    assert [number for number in sorted(answers) if "error" in answers[number]] == list(range(4, 10_001, len(kinds)))


def test_the_last_line_is_answered_without_a_newline_after_it(tmp_path: Path) -> None:
    with Wire(tmp_path) as wire:
        done = wire.end(json.dumps(PING).encode())
    assert (done.answers, done.exit_code) == ([PONG], 0)


def test_no_input_at_all_ends_the_server_in_peace(tmp_path: Path) -> None:
    assert exchange(tmp_path) == ([], 0, "")


@pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_ends_an_idle_server_quietly(tmp_path: Path, number: signal.Signals, exit_code: int) -> None:
    with Wire(tmp_path) as wire:
        assert wire.ask(PING) == PONG
        assert wire.stop(number) == ([], exit_code, "")


@pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_ends_the_server_whichever_thread_it_reaches(
    tmp_path: Path, number: signal.Signals, exit_code: int
) -> None:
    """The main thread may be between two lines, on its way into a read that no signal interrupts any more."""
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "tgkill"):
        pytest.skip("this system's C library cannot send a signal to one thread")
    with Wire(tmp_path) as wire:
        assert wire.ask(PING) == PONG
        process = wire.process.pid
        others = [int(name) for name in os.listdir(f"/proc/{process}/task") if name != str(process)]
        assert libc.tgkill(process, others[0], number) == 0
        assert wire.process.wait(60) == exit_code


def counts_of_listings(count: int) -> str:
    """What is told of so many answers that there is no cache."""
    size = len(json.dumps(NO_CACHES, separators=(",", ":"))) + 1
    answered = f'{{"context.list_caches":{{"given":{count},"failed":0,"bytes":{count * size}}}}}'
    return f'{{"calls":{{"context.list_caches":{count}}},"file_contents":{{}},"answers":{answered}}}\n'


def test_the_counts_are_told_at_the_end_of_input(tmp_path: Path) -> None:
    asked = [call(number, "context.list_caches", {}, era="modern") for number in range(3)]
    assert exchange(tmp_path, *asked, options=("--telemetry",)).stderr == counts_of_listings(3)


@pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_the_counts_are_told_when_a_signal_ends_the_server(
    tmp_path: Path, number: signal.Signals, exit_code: int
) -> None:
    with Wire(tmp_path, "--telemetry") as wire:
        assert wire.ask(call(1, "context.list_caches", {}, era="modern")) == text(1, NO_CACHES, **STAMP)
        assert wire.stop(number) == ([], exit_code, counts_of_listings(1))


def test_an_answer_nobody_reads_does_not_keep_the_server_alive(tmp_path: Path) -> None:
    with Wire(tmp_path) as wire:
        assert wire.ask(PING) == PONG
        assert wire.process.stdout is not None
        wire.process.stdout.close()
        wire.send(PING, PING)
        wire.process.stdout = None
        assert wire.end().exit_code == 0


class TestToolsThatMisbehave:
    """A slow one, a talkative one, one with a bug and one that leaves."""

    @pytest.fixture
    def pipe(self, tmp_path: Path) -> str:
        os.mkfifo(tmp_path / "pipe")
        return str(tmp_path / "pipe")

    @pytest.fixture
    def wire(self, tmp_path: Path) -> Iterator[Wire]:
        with Wire(tmp_path, odd_tools=True) as wire:
            assert told(wire.ask(initialize())) == opened()
            yield wire

    def test_a_slow_call_holds_up_no_other(self, wire: Wire, pipe: str) -> None:
        # One call first, so that a worker waits idle when the slow call and the next arrive in one breath.
        assert wire.ask(call(1, "context.list_caches", {})) == text(1, NO_CACHES)
        wire.send(call("slow", "odd.wait", {"pipe": pipe}), call(2, "context.list_caches", {}))
        assert wire.read() == text(2, NO_CACHES)
        assert wire.ask(PING) == PONG
        with open(pipe, "w") as end:
            end.write("go")
        assert wire.read() == text("slow", {"read": "go"})

    def test_fifteen_slow_calls_hold_up_no_sixteenth(self, wire: Wire, tmp_path: Path) -> None:
        pipes = [str(tmp_path / f"pipe{number}") for number in range(15)]
        for pipe in pipes:
            os.mkfifo(pipe)
        wire.send(*(call(pipe, "odd.wait", {"pipe": pipe}) for pipe in pipes), call(2, "context.list_caches", {}))
        assert wire.read() == text(2, NO_CACHES)
        for pipe in reversed(pipes):
            with open(pipe, "w"):
                pass
            assert wire.read() == text(pipe, {"read": ""})

    def test_a_call_cancelled_in_flight_is_not_answered(self, wire: Wire, pipe: str) -> None:
        wire.send(call("slow", "odd.wait", {"pipe": pipe}))
        with open(pipe, "w"):  # opens once the tool has opened its end: the call is in flight
            wire.send(notification("notifications/cancelled", {"requestId": "slow", "reason": "never mind"}))
            assert wire.ask(PING) == PONG
        assert wire.end() == ([], 0, "")

    def test_a_cancelled_id_can_be_used_again(self, wire: Wire, pipe: str) -> None:
        wire.send(call(7, "odd.wait", {"pipe": pipe}))
        with open(pipe, "w"):
            wire.send(notification("notifications/cancelled", {"requestId": 7}))
            assert wire.ask(call(7, "context.list_caches", {})) == text(7, NO_CACHES)
        assert wire.end() == ([], 0, "")

    def test_a_cancellation_of_one_leaves_the_text_1_alone(self, wire: Wire, pipe: str) -> None:
        wire.send(call("1", "odd.wait", {"pipe": pipe}))
        with open(pipe, "w"):
            wire.send(notification("notifications/cancelled", {"requestId": 1}))
            assert wire.ask(PING) == PONG
        assert wire.read() == text("1", {"read": ""})

    def test_the_end_of_input_waits_for_the_calls_that_were_read(self, wire: Wire, pipe: str) -> None:
        wire.send(call("slow", "odd.wait", {"pipe": pipe}))
        with open(pipe, "w") as end:
            assert wire.process.stdin is not None
            wire.process.stdin.close()
            wire.process.stdin = None
            end.write("late")
        done = wire.end()
        assert (done.answers, done.exit_code) == ([text("slow", {"read": "late"})], 0)

    @pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
    def test_a_signal_does_not_wait_for_a_slow_call(
        self, wire: Wire, pipe: str, number: signal.Signals, exit_code: int
    ) -> None:
        wire.send(call("slow", "odd.wait", {"pipe": pipe}))
        with open(pipe, "w"):
            assert wire.stop(number) == ([], exit_code, "")

    def test_what_a_tool_prints_reaches_stderr_and_its_input_is_empty(self, wire: Wire) -> None:
        wire.send(call(1, "odd.talk", {}), PING)
        done = wire.end()
        assert done.answers_by_id() == {1: text(1, {"stdin": ""}), "p": PONG}
        assert done.stderr.splitlines() == ["printed", "written", "echoed"]

    def test_a_bug_is_told_by_its_code_alone_and_shown_on_stderr(self, wire: Wire) -> None:
        wire.send(call(1, "odd.fail", {}), call(2, "context.list_caches", {}))
        done = wire.end()
        assert done.answers_by_id() == {1: error(-32603, "Internal error", 1), 2: text(2, NO_CACHES)}
        assert done.exit_code == 0
        assert re.match(r"Traceback .*\nZeroDivisionError: a bug at /secret/path\n\Z", done.stderr, re.DOTALL)

    def test_a_tool_that_leaves_does_not_take_the_server_with_it(self, wire: Wire) -> None:
        leaving = [call(number, "odd.leave", {}) for number in range(1, 11)]
        wire.send(*leaving, call(11, "context.list_caches", {}))
        done = wire.end()
        expected = {number: error(-32603, "Internal error", number) for number in range(1, 11)}
        assert (done.answers_by_id(), done.exit_code) == ({**expected, 11: text(11, NO_CACHES)}, 0)

    def test_a_bug_is_answered_even_when_nobody_reads_stderr(self, wire: Wire) -> None:
        assert wire.process.stderr is not None
        wire.process.stderr.close()
        assert wire.ask(call(1, "odd.fail", {})) == error(-32603, "Internal error", 1)
        assert wire.ask(PING) == PONG
