"""The soak campaign: one server, mixed calls in both eras, and files that change all the while.

Promised: every answer is true of some moment; time a call and memory stay flat; no descriptor or thread leaks; the
counts add up; the process ends with 0. What breaks a promise is a finding: what was asked last is saved and the exit
code is 1.

    soak 1800              half an hour, the nightly run
    soak 60 --seed 7       a minute, other calls
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, NamedTuple

from playground import serve_options
from server_process import HOLDFAST, ServerProcess
from soak_world import World, comparable
from wire_client import Finding
from wire_traffic import INITIALIZE, META

IN_FLIGHT = 24
WINDOWS = 24
GROWTH = 4  # MiB, from the second quarter to the last
SLOWER = 1.3  # processor time a call may take in the last quarter, against the second
JUDGED_FROM = 30  # seconds; a shorter run says nothing about speed
DESCRIPTORS = 48  # a dozen of the server's own, and four for each of the eight caches it keeps open
THREADS = 20  # sixteen for calls, and those that read, write and wait for signals
PAUSE = 0.02  # seconds between two changes


class Window(NamedTuple):
    """What the system says at the end of a stretch of time, when nothing is in flight."""

    calls: int
    seconds: float
    processor_seconds: float
    memory: float
    descriptors: int
    threads: int


class Changes:
    """A thread that flips parts of the world, again and again."""

    def __init__(self, world: World, seed: int) -> None:
        self.count = 0
        self.error = ""
        self._world, self._random = world, Random(seed)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            while not self._stop.wait(PAUSE):
                self._world.put(self._random.randrange(self._world.parts), self._random.randrange(2))
                self.count += 1
        except Exception as error:
            self.error = f"a change failed: {error!r}"

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()


class Talk:
    """The client's side: asks in batches, checks each answer."""

    def __init__(self, server: ServerProcess, world: World, seed: int) -> None:
        self.asked: Counter[str] = Counter()
        self.batch: list[bytes] = []
        self._server = server
        self._lines = os.fdopen(os.dup(server.stdout), "rb")
        self._world, self._truths = world, world.truths()
        self._random = Random(seed)
        self._next = 0
        self.result(INITIALIZE)

    def close(self) -> None:
        self._lines.close()

    def result(self, message: dict[str, Any]) -> Any:
        """The result of one request, while nothing else is in flight."""
        self._next += 1
        self._server.send(json.dumps({"jsonrpc": "2.0", "id": self._next, **message}).encode() + b"\n")
        return json.loads(self._lines.readline())["result"]

    def telemetry(self) -> Any:
        read = {"method": "resources/read", "params": {"uri": "context://telemetry"}}
        return json.loads(self.result(read)["contents"][0]["text"])

    def ask_batch(self) -> int:
        """Ask some at once and check all the answers; how many."""
        asked: dict[int, int] = {}
        self.batch = []
        for _ in range(IN_FLIGHT):
            self._next += 1
            which = asked[self._next] = self._random.randrange(len(self._world.calls))
            tool, arguments = self._world.calls[which]
            self.asked[tool] += 1
            params: dict[str, Any] = {"name": tool, "arguments": arguments}
            if self._random.random() < 0.5:
                params["_meta"] = META
            message = {"jsonrpc": "2.0", "id": self._next, "method": "tools/call", "params": params}
            self.batch.append(json.dumps(message).encode() + b"\n")
        self._server.send(b"".join(self.batch))
        for _ in range(IN_FLIGHT):
            line = self._lines.readline()
            try:
                message = json.loads(line)
                which, text = asked.pop(message["id"]), message["result"]["content"][0]["text"]
            except (ValueError, KeyError):
                raise Finding(f"not an answer to what was asked: {line[:500]!r}") from None
            if comparable(text) not in self._truths[which]:
                raise Finding(f"{self._world.calls[which]} was never answered {text}")
        return IN_FLIGHT


def soak(folder: Path, seconds: float, seed: int, program: list[str]) -> dict[str, Any]:
    """Run the campaign; its figures. A broken promise raises Finding."""
    world = World(folder)
    server = ServerProcess([*program, *serve_options(world.project, world.caches)], world.project)
    talk = Talk(server, world, seed)
    changes = Changes(world, seed)
    try:
        started = time.monotonic()
        ends = [started + seconds * (number + 1) / WINDOWS for number in range(WINDOWS)]
        windows = [_window(server, talk, until=end) for end in ends]
        changes.stop()
        if changes.error:
            raise Finding(changes.error)
        counts = _settled_counts(talk)
        server.close_input()
        code = server.wait()
        if code != 0:
            raise Finding(f"the server ended with {code}: {server.stderr[-2000:]}")
        try:
            counted = json.loads(server.stderr)["calls"]
        except (ValueError, KeyError):
            raise Finding("stderr is not the counts:") from None
        if counted != dict(talk.asked):
            raise Finding(f"{dict(talk.asked)} were asked, {counted} counted")
    except (Finding, BrokenPipeError) as finding:
        raise Finding(f"{finding} {server.stderr[-2000:]}", talk.batch) from None
    finally:
        changes.stop()
        talk.close()
        server.end()
    figures = _judge(windows, seconds)
    return {"calls": sum(talk.asked.values()), "changes": changes.count, **figures, "file contents": counts}


def _window(server: ServerProcess, talk: Talk, until: float) -> Window:
    started, before, calls = time.monotonic(), server.processor_seconds(), 0
    while time.monotonic() < until or not calls:
        calls += talk.ask_batch()
    elapsed, used = time.monotonic() - started, server.processor_seconds() - before
    return Window(calls, elapsed, used, server.memory(), server.descriptors(), server.threads())


def _settled_counts(talk: Talk) -> dict[str, Any]:
    """The counts of remembered files; once nothing changes any more, a repeated call must be nothing but hits."""
    call = {"method": "tools/call", "params": {"name": "spec-status", "arguments": {"specName": "sign-in"}}}
    if "spec-status" not in talk.asked:
        return {}
    deadline = time.monotonic() + 10
    while True:
        before = talk.telemetry()["file_contents"]["spec-status"]
        for _ in range(10):
            talk.result(call)
            talk.asked["spec-status"] += 1
        after = talk.telemetry()["file_contents"]
        grown = {name: after["spec-status"][name] - before[name] for name in before}
        if grown["misses"] == 0 and grown["hits"] > 0 and grown["hits"] % 10 == 0:
            return {name: f"{counts['hits']} hits, {counts['misses']} misses" for name, counts in after.items()}
        # A file changed within the clock's grain is rightly read again for a moment.
        if time.monotonic() > deadline:
            raise Finding(f"ten equal calls on files at rest were counted as {grown}")


def _judge(windows: list[Window], seconds: float) -> dict[str, Any]:
    """The figures, or a Finding when something is not flat."""
    quarter = len(windows) // 4
    early, late = windows[quarter : 2 * quarter], windows[-quarter:]
    grown = median(w.memory for w in late) - median(w.memory for w in early)
    if grown > GROWTH:
        raise Finding(f"memory grew by {grown:.1f} MiB: {[round(w.memory, 1) for w in windows]}")
    for name, most in (("descriptors", DESCRIPTORS), ("threads", THREADS)):
        counts = [getattr(window, name) for window in windows]
        if max(counts) > most:
            raise Finding(f"{name} leak: {counts}")
    costs = [window.processor_seconds / window.calls for window in windows]
    slower = median(costs[-quarter:]) / median(costs[quarter : 2 * quarter]) if all(costs) else 1.0
    if seconds >= JUDGED_FROM and slower > SLOWER:
        raise Finding(f"a call costs {slower:.2f} times as much as it did: {[round(1e6 * cost) for cost in costs]} us")
    rates = [window.calls / window.seconds for window in windows]
    return {
        "calls a second": f"{min(rates):.0f} to {max(rates):.0f}",
        "processor time a call, late to early": round(slower, 2),
        "memory, MiB": f"{min(w.memory for w in windows):.1f} to {max(w.memory for w in windows):.1f}",
        "growth, MiB": round(grown, 1),
        "descriptors": f"{min(w.descriptors for w in windows)} to {max(w.descriptors for w in windows)}",
        "threads": f"{windows[0].threads} to {windows[-1].threads}",
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", nargs="?", type=float, default=1800)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--findings", default="campaign-findings", help="where what was asked last is kept")
    parser.add_argument("--server", help="another program to start instead of the server, with the same arguments")
    options = parser.parse_args()
    program = options.server.split() if options.server else [*HOLDFAST]
    with tempfile.TemporaryDirectory() as folder:
        try:
            figures = soak(Path(folder).resolve(), options.seconds, options.seed, program)
        except Finding as finding:
            findings = Path(options.findings)
            findings.mkdir(parents=True, exist_ok=True)
            file = findings / f"soak-seed-{options.seed}.lines"
            file.write_bytes(b"".join(finding.args[1] if len(finding.args) > 1 else []))
            print(f"FAILED, seed {options.seed}: {finding.args[0]}\nwhat was asked last: {file}")
            return 1
    for name, value in figures.items():
        print(f"{name}: {value}")
    print(f"no findings; seed {options.seed}, {options.seconds:g} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
