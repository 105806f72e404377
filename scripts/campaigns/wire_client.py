"""The client of the wire campaign: it keeps account of what the server owes and checks every line it writes."""

from __future__ import annotations

import json
import os
import threading
import time
from typing import TYPE_CHECKING, Any

from server_process import ServerProcess
from wire_model import ANY, RESULT, Model, key_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from wire_model import Key
    from wire_traffic import Sent, Template


class Finding(Exception):
    """The server broke a promise."""


class Client:
    """One server and the account of what it owes: answers by id, and how many errors without one, by code."""

    def __init__(self, command: Sequence[str], folder: Path, answers: Sequence[bytes], *, patience: float) -> None:
        self.server = ServerProcess(command, folder)
        self.model = Model()
        self.answered = self.unanswered = 0
        self.finding = ""
        self._patience = patience
        self._answers = answers  # by template, what follows the id
        self._owed: dict[Key, list[str | int]] = {}
        self._nameless: dict[str | int, int] = {}
        self._cancelled: set[Key] = set()
        self._must = 0  # answers that have to come
        self._account = threading.Condition()
        self._reads = threading.Event()
        self._reads.set()
        self._aside: threading.Thread | None = None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def expect(self, sent: Iterable[Sent]) -> None:
        """Enter lines into the account; before they are sent."""
        with self._account:
            for _, owed, cancels in sent:
                if owed is not None:
                    key, what = owed
                    if key is None:
                        self._nameless[what] = self._nameless.get(what, 0) + 1
                    else:
                        self._owed.setdefault(key, []).append(what)
                    if key not in self._cancelled:
                        self._must += 1
                if cancels is not None and cancels in self._owed and cancels not in self._cancelled:
                    # Cancelled in flight or too late: from here on it may be answered or not.
                    self._cancelled.add(cancels)
                    self._must -= len(self._owed[cancels])

    def pause(self) -> None:
        """Read no more."""
        self._reads.clear()

    def resume(self) -> None:
        self._reads.set()

    def aside(self, data: bytes) -> None:
        """Send bytes without waiting for the server to take them."""
        self._aside = threading.Thread(target=self.server.send, args=(data,), daemon=True)
        self._aside.start()

    def settle(self) -> None:
        """Wait until everything that must be answered is."""
        with self._account:
            answered, since = self.answered, time.monotonic()
            while self._must > 0 and not self.finding and self._reader.is_alive():
                self._account.wait(0.5)
                if self.answered > answered:
                    answered, since = self.answered, time.monotonic()
                elif time.monotonic() - since > self._patience:
                    break
        self.check()

    def finish(self) -> None:
        """End the input; the server must answer what is left, say what it counted, and end with 0."""
        if self._aside:
            self._aside.join(self._patience)
        self.server.close_input()
        self._reader.join(self._patience)
        code = self.server.wait(self._patience)
        self.check()
        if code != 0:
            raise Finding(f"the server ended with {code}: {self.server.stderr[-2000:]}")
        told = self.server.stderr.splitlines()
        try:
            calls = json.loads(told[0])["calls"]
        except (ValueError, KeyError, IndexError):
            calls = None
        if len(told) != 1 or calls != {tool: count for tool, count in self.model.calls.items() if count}:
            raise Finding(f"stderr is not the counts {dict(self.model.calls)}: {self.server.stderr[-2000:]}")
        self.unanswered = sum(map(len, self._owed.values()))

    def check(self) -> None:
        """Raise what was found so far; what is still owed once the server has ended, or after long patience."""
        if self.finding:
            raise Finding(self.finding)
        if self._must > 0:
            owed = [(key, what) for key, what in self._owed.items() if key not in self._cancelled and what]
            nameless = {what: count for what, count in self._nameless.items() if count}
            code = self.server.process.poll()
            gone = "" if code is None else f" and the server ended with {code}"
            raise Finding(
                f"{self._must} answers are missing{gone}: {owed[:5]!r} {nameless!r} {self.server.stderr[-2000:]}"
            )

    def end(self) -> None:
        self.resume()
        self.server.end()

    def _read(self) -> None:
        parts: list[bytes] = []
        while self._reads.wait() and (chunk := os.read(self.server.stdout, 1 << 18)):
            *lines, rest = chunk.split(b"\n")
            if lines:
                lines[0] = b"".join(parts) + lines[0]
                parts = []
                try:
                    with self._account:
                        for line in lines:
                            self._take(line)
                        self._account.notify()
                except Finding as finding:
                    self.finding = str(finding)
                    return
            if rest:
                parts.append(rest)
        if parts:
            self.finding = f"the output ends within a line: {b''.join(parts)[:300]!r}"

    def _take(self, line: bytes) -> None:
        """Check one line the server wrote, and strike it from the account."""
        try:
            answer = json.loads(line)
            assert type(answer) is dict
            assert answer.pop("jsonrpc") == "2.0"
            if "error" in answer:
                error = answer.pop("error")
                assert {"code", "message"} <= error.keys() <= {"code", "message", "data"}
                assert type(error["code"]) is int
                assert type(error["message"]) is str
                kind: str | int = error["code"]
            else:
                assert type(answer.pop("result")) is dict
                kind = RESULT
                assert "id" in answer
            nameless = "id" not in answer
            identifier: Any = answer.pop("id", None)
            assert nameless or type(identifier) in (int, str)
            assert not answer
        except (ValueError, AssertionError, KeyError, AttributeError):
            raise Finding(f"not a line of the protocol: {line[:300]!r}") from None
        if kind == -32603:
            raise Finding(f"a bug: {line[:300]!r} {self.server.stderr[-4000:]}")
        self.answered += 1
        if nameless:
            if not self._nameless.get(kind):
                raise Finding(f"nobody is owed {line[:300]!r}")
            self._nameless[kind] -= 1
            self._must -= 1
            return
        self._strike(key_of(identifier), kind, line)

    def _strike(self, key: Key, kind: str | int, line: bytes) -> None:
        owed = self._owed.get(key, [])
        # A number from 0 on is a template's, and one below is an error's code. The most exact match is struck.
        answer = after_id(line)
        fitting: list[str | int] = [
            what for what in owed if type(what) is int and what >= 0 and self._answers[what] == answer
        ]
        fitting += [what for what in (kind, ANY) if what in owed]
        if not fitting:
            raise Finding(f"nobody is owed {line[:500]!r}: {key!r:.80} is owed {owed!r}")
        owed.remove(fitting[0])
        if key not in self._cancelled:
            self._must -= 1
            if not owed:
                del self._owed[key]


def after_id(line: bytes) -> bytes:
    """An answer from its result on; the id stands before it."""
    return line[line.find(b',"result":') :]


def learn(command: Sequence[str], folder: Path, known: Sequence[Template], truth: Sequence[str]) -> list[bytes]:
    """What each valid request is answered with, asked one at a time; a call must get the true answer."""
    server = ServerProcess(command, folder)
    answers = []
    try:
        with open(os.dup(server.stdout), "rb") as lines:
            for template in known:
                server.send(template.before_id + b"1" + template.after_id + b"\n")
                answers.append(after_id(lines.readline().rstrip(b"\n")))
                if not answers[-1].startswith(b',"result":'):
                    raise Finding(f"{template.message} is valid and not answered with a result: {answers[-1][:500]!r}")
                if template.call >= 0:
                    content = json.loads(b"{" + answers[-1][1:])["result"]["content"]
                    if content != [{"type": "text", "text": truth[template.call]}]:
                        raise Finding(f"{template.message} is answered {answers[-1][:500]!r}")
    finally:
        server.end()
    return answers
