"""The `context` command in a fork of this process: bounded in time and memory, its paths and connections recorded."""

from __future__ import annotations

import ctypes
import os
import resource
import select
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from campaign import CREATED_AT  # noqa: F401  # it makes the product and the tests importable

PATIENCE = 10.0
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_MEMORY, _LARGEST_FILE = 4 << 30, 64 << 20
# Calls that take a path, and a second one where they name two.
_PATH_CALLS = ("open", "stat", "lstat", "mkdir", "unlink", "rmdir", "scandir", "listdir", "readlink", "access", "chmod")
_TWO_PATHS = ("rename", "replace", "link", "symlink")


class Ran(NamedTuple):
    """A command that ended: `code` is None where it took too long and was killed."""

    code: int | None
    output: bytes
    touched: frozenset[str]
    connected: tuple[str, ...]


def run(
    words: Sequence[str],
    cwd: str,
    environment: Mapping[str, str],
    *,
    stdin: bytes = b"",
    traced: bool = False,
    patience: float = PATIENCE,
    before: Callable[[], object] = lambda: None,
) -> Ran:
    """Run a command to its end. `before` is called in the fork, right before the command starts."""
    given, output, recorded = (os.memfd_create(name) for name in ("given", "output", "recorded"))
    try:
        os.write(given, stdin)
        os.lseek(given, 0, os.SEEK_SET)
        process = os.fork()
        if not process:
            _become(words, cwd, environment, (given, output, recorded), before, traced=traced)
        code = _ended(process, patience)
        lines = _all_of(recorded).decode("utf-8", "surrogateescape").split("\0")
        touched = frozenset([line[1:] for line in lines if line.startswith("p")])
        return Ran(code, _all_of(output), touched, tuple([line[1:] for line in lines if line.startswith("n")]))
    finally:
        for descriptor in (given, output, recorded):
            os.close(descriptor)


def _ended(process: int, patience: float) -> int | None:
    """The exit code of a process, below zero for a signal. Whatever it started is killed."""
    watched = os.pidfd_open(process)
    try:
        in_time = bool(select.select([watched], [], [], patience)[0])
    finally:
        os.close(watched)
    with suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)
    _, status = os.waitpid(process, 0)
    return os.waitstatus_to_exitcode(status) if in_time else None


def _all_of(descriptor: int) -> bytes:
    return os.pread(descriptor, os.fstat(descriptor).st_size, 0)


def _become(
    words: Sequence[str],
    cwd: str,
    environment: Mapping[str, str],
    streams: tuple[int, int, int],
    before: Callable[[], object],
    *,
    traced: bool,
) -> None:
    """Be the command; never returns."""
    code = 70
    try:
        os.setsid()
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        given, output, recorded = streams
        for number, descriptor in enumerate((given, output, output)):
            os.dup2(descriptor, number)
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(environment)
        for limit, bound in ((resource.RLIMIT_AS, _MEMORY), (resource.RLIMIT_FSIZE, _LARGEST_FILE)):
            resource.setrlimit(limit, (bound, bound))
        _Recorder(recorded, paths=traced).install()
        before()
        from holdfast import cli

        code = cli.main(list(words), os.environ, progress=False)
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(code)


class _Recorder:
    """Writes down each address that is connected to and, where asked for, each path that is used."""

    def __init__(self, recorded: int, *, paths: bool) -> None:
        self._recorded = recorded
        self._paths = paths
        self._inside = False
        self._write, self._readlink = os.write, os.readlink

    def _tell(self, kind: str, text: str) -> None:
        self._write(self._recorded, f"{kind}{text}\0".encode("utf-8", "surrogateescape"))

    def _touch(self, path: Any, folder: int | None) -> None:
        if isinstance(path, str | bytes | os.PathLike):
            base = self._readlink(f"/proc/self/fd/{folder}") if isinstance(folder, int) else os.getcwd()
            self._tell("p", os.path.normpath(os.path.join(base, os.fsdecode(path))))

    def _hook(self, event: str, given: tuple[Any, ...]) -> None:
        if event == "socket.connect" and isinstance(given[1], tuple):
            self._tell("n", f"{given[1][0]}:{given[1][1]}")
        elif event == "socket.getaddrinfo":
            self._tell("n", f"{given[0]}:{given[1]}")
        elif event == "open" and self._paths and not self._inside:
            self._touch(given[0], None)

    def _wrapped(self, real: Callable[..., Any], count: int) -> Callable[..., Any]:
        def called(*given: Any, **named: Any) -> Any:
            folders = [named.get("dir_fd", named.get("src_dir_fd")), named.get("dst_dir_fd", named.get("dir_fd"))]
            for path, folder in zip(given[:count], folders, strict=False):
                self._touch(path, folder)
            self._inside = True
            try:
                return real(*given, **named)
            finally:
                self._inside = False

        return called

    def install(self) -> None:
        """From now on, in this process."""
        sys.addaudithook(self._hook)
        for name in (*_PATH_CALLS, *_TWO_PATHS) if self._paths else ():
            setattr(os, name, self._wrapped(getattr(os, name), 2 if name in _TWO_PATHS else 1))


@contextmanager
def writing_in_place() -> Iterator[None]:
    """Sabotage: files that are to take another's place are written over it, through a link where there is one."""
    real = os.replace

    def over(source: str, target: str) -> None:
        data = Path(source).read_bytes()
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        for place in range(len(data)):
            os.write(descriptor, data[place : place + 1])
        os.close(descriptor)
        os.unlink(source)

    os.replace = over  # type: ignore[assignment]  # until the block is left
    try:
        yield
    finally:
        os.replace = real


def load() -> None:
    """Load the product once, so that no fork has to."""
    from support.command_starter import _load

    _load()
