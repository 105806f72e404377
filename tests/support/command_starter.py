"""Commands by a fork of a process that has loaded the product and done nothing else, instead of by an interpreter each.

Nine tenths of what a short command takes is the start of Python and the loading of modules, and few tests are about
that. An interpreter of its own has what is not the same by a fork (`at_the_start`), and every command where
HOLDFAST_TEST_COMMANDS=own is set.

    python command_starter.py DESCRIPTOR     a socket on which requests come; it ends when that is closed
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from selectors import EVENT_READ, DefaultSelector
from typing import Any

PATIENCE = 120  # seconds that a command may take
_LENGTH = 8
# What an interpreter looks at once, when it starts.
_AT_THE_START = ("PYTHON", "LC_", "LANG", "TZ", "LD_")
# These load what has threads, or what takes long and few commands need.
_NOT_LOADED = ("holdfast.__main__", "holdfast.telemetry.traces", "holdfast.http_", "holdfast.caches.build.token_arrays")


def at_the_start(environment: Mapping[str, str]) -> dict[str, str]:
    """The part of an environment that only an interpreter of its own would see."""
    return {name: value for name, value in environment.items() if name.startswith(_AT_THE_START)}


class Started:
    """A command that was started."""

    def __init__(self, told: socket.socket) -> None:
        self._told = told
        self.pid = int.from_bytes(_received(told, _LENGTH), "little")

    def wait(self, seconds: float) -> int:
        """The exit code of the command, which is ended if it takes longer; a signal's number is below zero."""
        self._told.settimeout(seconds)
        with self._told:
            try:
                status = _received(self._told, _LENGTH)
            except TimeoutError:
                os.kill(self.pid, signal.SIGKILL)
                raise
        return os.waitstatus_to_exitcode(int.from_bytes(status, "little"))


class CommandStarter:
    """The process that commands are forked from, and the way to ask it."""

    def __init__(self) -> None:
        self._requests, theirs = socket.socketpair()
        self._turn = threading.Lock()
        self.at_the_start = at_the_start(os.environ)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())], pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL
            )
        atexit.register(self._end)

    def _end(self) -> None:
        with suppress(OSError):  # it has ended by itself
            self._requests.shutdown(socket.SHUT_RDWR)  # whoever else holds it, having been forked from here
        self._requests.close()
        self._process.wait()

    def start(
        self,
        words: Sequence[str],
        streams: Sequence[int],
        cwd: Path | None,
        environment: Mapping[str, str],
        *,
        shows_progress: bool = True,
    ) -> Started:
        """A command with these descriptors as its standard streams."""
        place = str(cwd or os.getcwd())
        asked = {"words": words, "cwd": place, "env": dict(environment), "shows_progress": shows_progress}
        data = json.dumps(asked).encode()
        ours, theirs = socket.socketpair()
        with theirs, self._turn:
            head = len(data).to_bytes(_LENGTH, "little")
            socket.send_fds(self._requests, [head], [*streams, theirs.fileno()])
            self._requests.sendall(data)
        return Started(ours)


@cache
def command_starter() -> CommandStarter:
    """That of this process, started when it is first asked for."""
    return CommandStarter()


def can_be_forked(environment: Mapping[str, str]) -> bool:
    """Whether a fork is as good as an interpreter of its own with this environment."""
    if os.environ.get("HOLDFAST_TEST_COMMANDS") == "own":
        return False
    return at_the_start(environment) == command_starter().at_the_start


def run_forked(
    words: Sequence[str], stdin: bytes, cwd: Path | None, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[bytes]:
    """Run a command to its end, with pipes as its streams."""
    (reads, ours), (stdout, writes), (stderr, warns) = os.pipe(), os.pipe(), os.pipe()
    started = command_starter().start(words, (reads, writes, warns), cwd, environment)
    for descriptor in (reads, writes, warns):
        os.close(descriptor)
    with ThreadPoolExecutor(2) as pool:
        printed, warned = pool.submit(_all_of, stdout), pool.submit(_all_of, stderr)
        with suppress(BrokenPipeError), open(ours, "wb") as pipe:
            pipe.write(stdin)
        code = started.wait(PATIENCE)
        return subprocess.CompletedProcess(words, code, printed.result(), warned.result())


def _all_of(descriptor: int) -> bytes:
    with open(descriptor, "rb") as pipe:
        return pipe.read()


def _received(source: socket.socket, length: int) -> bytes:
    data = b""
    while len(data) < length:
        more = source.recv(length - len(data))
        if not more:
            raise EOFError("the other side has ended")
        data += more
    return data


def _load() -> None:
    import holdfast

    for module in walk_packages(holdfast.__path__, "holdfast."):
        if not module.name.startswith(_NOT_LOADED):
            import_module(module.name)
    gc.collect()
    gc.freeze()


def _serve(requests: socket.socket) -> dict[str, Any] | None:
    """Fork for every request, and tell how each command ended; in a fork what is to be done, at the end nothing."""
    running: dict[int, socket.socket] = {}
    ended, waking = os.pipe()
    for end in (ended, waking):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(waking)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    selector = DefaultSelector()
    selector.register(requests, EVENT_READ)
    selector.register(ended, EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.fd == ended:
                os.read(ended, 4096)
                _tell_ends(running)
                continue
            head, descriptors, _, _ = socket.recv_fds(requests, _LENGTH, 4)
            if not head:
                return None
            asked: dict[str, Any] = json.loads(_received(requests, int.from_bytes(head, "little")))
            process = os.fork()
            if not process:
                for held in (requests, *running.values()):
                    held.detach()
                selector.close()
                _become(asked, descriptors[:3])
                return asked
            for descriptor in descriptors[:3]:
                os.close(descriptor)
            running[process] = socket.socket(fileno=descriptors[3])
            running[process].sendall(process.to_bytes(_LENGTH, "little"))


def _tell_ends(running: dict[int, socket.socket]) -> None:
    while running:
        process, status = os.waitpid(-1, os.WNOHANG)
        if not process:
            return
        with running.pop(process) as told:
            try:
                told.sendall(status.to_bytes(_LENGTH, "little"))
            except OSError:
                continue  # nobody wants to know any more


def _become(asked: Mapping[str, Any], streams: Sequence[int]) -> None:
    """As a process of its own would be: its streams and no other descriptor, its place, its environment."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
    os.closerange(3, 1 << 16)
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    sys.path.insert(0, asked["cwd"])  # as `python -m` has it
    sys.argv[1:] = asked["words"]
    sys.stdout.reconfigure(line_buffering=os.isatty(1))  # type: ignore[union-attr]  # it is the text file that the interpreter opened


def main() -> None:
    if sys.path[0] == os.path.dirname(__file__):
        del sys.path[0]
    _load()
    asked = _serve(socket.socket(fileno=int(sys.argv[1])))
    if asked is None:
        return
    from holdfast import cli

    try:
        if asked["shows_progress"]:
            cli.run()
        sys.exit(cli.main(sys.argv[1:], os.environ, progress=False))
    except SystemExit as ended:
        code = ended.code
    # As at the end of an interpreter, but for the taking apart of everything that is loaded, which takes the longest.
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    main()
