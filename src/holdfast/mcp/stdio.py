"""Lines in, lines out: the server's threads, queues and descriptors. Knows nothing of what the lines say.

A reader thread takes lines in order, a pool of workers runs calls, a writer thread writes answers, and one more thread
waits for signals. So a slow call holds up no other, and a client that sends everything before it reads anything is
served all the same. Back pressure: while more than 64 MiB of requests and answers are queued, reading pauses.

`_thread`, `_queue` and `_signal` are the C modules under `threading`, `queue` and `signal`: the interpreter has them
built in, and the wrappers would take milliseconds to load (docs/decisions/0006-cold-start.md).
"""

from __future__ import annotations

import os
from _queue import SimpleQueue

# `signal` would load enum.
from _signal import SIGINT, SIGTERM, set_wakeup_fd, signal  # type: ignore[import-not-found]  # has no stub
from _thread import allocate_lock, start_new_thread
from typing import TYPE_CHECKING

from holdfast.core.errors import IoError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from holdfast.mcp.server import Call, Key, Server

WORKERS = 16  # started as they are needed; fifteen slow calls hold up no other
# A request longer than this is refused; queued requests and answers may add up to as much before reading pauses.
MAX_LINE = 64 << 20
TOO_LONG = b"\0"  # replaces a longer line: it is no JSON, whatever the beginning of that line was
MAX_WAITING = 64 << 20
# Estimated memory that a queued call (or line) takes in addition to its bytes. A short call takes ten times its line.
_CALL_COST = 1536
_LINE_COST = 64
_CHUNK = 1 << 18
_LONG = 1 << 19
_M_MMAP_THRESHOLD = -3  # of glibc's malloc.h


def serve(server: Server, at_end: Callable[[], None] = lambda: None) -> int:
    """Answer every line on standard input until it ends, or a signal ends the process; the exit code.

    Takes over descriptors 0 and 1, which must be open. `at_end` runs once, whichever end comes. IoError when answers
    could not be written, unless it was the client that left.
    """
    ended = allocate_lock()

    def end() -> None:
        if ended.acquire(False):
            at_end()

    _stop_on_signals(end)
    lines, output = _take_descriptors()
    connection = _Connection(server, output)
    for line in read_lines(lines):
        size = len(line)
        connection.receive(line)
        del line  # else it would be held until the next one comes
        _let_go(size)
    failure = connection.finish()
    end()
    if failure is not None:
        raise IoError(f"standard output cannot be written: {failure.strerror}", remedy="")
    return 0


def _stop_on_signals(end: Callable[[], None]) -> None:
    """SIGTERM and SIGINT end the process, with 0 and 130, whatever it is doing.

    A thread waits for them at the wakeup descriptor. A handler would run in the main thread only, which may be blocked
    in a read.
    """
    wakeup, wake = os.pipe()
    os.set_blocking(wake, False)
    set_wakeup_fd(wake)

    def stop() -> None:
        number = os.read(wakeup, 1)[0]
        try:
            end()
        finally:
            os._exit(0 if number == SIGTERM else 130)  # calls may still be running, and nobody waits for them any more

    start_new_thread(stop, ())
    for number in (SIGTERM, SIGINT):
        signal(number, _awake)


def _awake(_number: int, _frame: FrameType | None) -> None:
    """Does nothing. Python writes to the wakeup descriptor only for signals that have a handler."""


def _take_descriptors() -> tuple[int, int]:
    """Duplicates of standard input and output for this module alone; whatever else is printed goes to stderr."""
    lines, output = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return lines, output


def read_lines(descriptor: int) -> Iterator[bytes]:
    """Every line, without its end; the last one also when no newline follows. A line beyond MAX_LINE is TOO_LONG."""
    parts: list[bytes] = []
    held = 0
    while chunk := _read(descriptor):
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            parts.append(chunk[start:end])
            held += end - start
            yield _joined(parts, held)
            held = 0
            start = end + 1
        if start < len(chunk):
            held += len(chunk) - start
            if held <= MAX_LINE:
                parts.append(chunk[start:])
            else:
                parts.clear()  # the line is refused, so its bytes need not be kept
    if held:
        yield _joined(parts, held)


def _joined(parts: list[bytes], held: int) -> bytes:
    """A line from its chunks; the list is emptied, so that they are not held twice."""
    line = b"".join(parts) if held <= MAX_LINE else TOO_LONG
    parts.clear()
    return line


def _let_go(size: int) -> None:
    """After a long line, return freed memory to the system.

    The C library keeps a heap for each thread and never shrinks it. From the first long line on, long blocks are
    allocated outside those heaps.
    """
    if size >= _LONG:
        try:
            from ctypes import CDLL

            library = CDLL(None)
            library.mallopt(_M_MMAP_THRESHOLD, _LONG >> 1)  # else the threshold rises to the longest block ever freed
            library.malloc_trim(0)
        except (ImportError, OSError, AttributeError):
            pass  # another C library, with habits of its own


def _read(descriptor: int) -> bytes:
    """The next bytes of a descriptor, blocking or not; empty at the end of input."""
    while True:
        try:
            return os.read(descriptor, _CHUNK)
        except BlockingIOError:
            _wait_for(descriptor, for_input=True)


def _write(descriptor: int, data: memoryview) -> int:
    """Write as much as the descriptor takes now, waiting until it takes some; how much that was."""
    while True:
        try:
            return os.write(descriptor, data)
        except BlockingIOError:
            _wait_for(descriptor, for_input=False)


def _wait_for(descriptor: int, *, for_input: bool) -> None:
    """Wait until a non-blocking descriptor can be read or written.

    A client may hand over such descriptors. It may hold the same ones, so they are not made blocking.
    """
    import select

    ready = select.poll()
    ready.register(descriptor, select.POLLIN if for_input else select.POLLOUT)
    ready.poll()


class _Connection:
    """One connection's queues: calls that wait for a worker, calls in flight, and lines to be written."""

    def __init__(self, server: Server, output: int) -> None:
        self._server = server
        self._output = output
        self._lock = allocate_lock()
        self._calls: SimpleQueue[tuple[Call, int] | None] = SimpleQueue()
        self._lines: SimpleQueue[bytes | None] = SimpleQueue()
        self._ended: SimpleQueue[None] = SimpleQueue()
        self._room: SimpleQueue[None] = SimpleQueue()
        self._waiting_bytes = 0
        self._reader_waits = False
        self._workers = 0
        self._unfinished = 0
        self._in_flight: dict[Key, list[Call]] = {}
        self._failure: OSError | None = None  # what ended the writing
        server.send = self._send
        start_new_thread(self._write_lines, ())

    def receive(self, line: bytes) -> None:
        """Take in one line: answer it, or hand it to a worker."""
        if not line.strip():
            return
        reply = self._server.receive(line, self._cancel)
        if reply is None:
            return
        if isinstance(reply, bytes):
            self._send(reply)
        else:
            self._schedule(reply, len(line) + _CALL_COST)
        self._wait_for_room()

    def finish(self) -> OSError | None:
        """Wait until everything that was read is answered; what kept answers from being written, if anything did."""
        for _ in range(self._workers):
            self._calls.put(None)
        for _ in range(self._workers):
            self._ended.get()
        self._lines.put(None)
        self._ended.get()
        return None if isinstance(self._failure, ConnectionError) else self._failure

    def _schedule(self, call: Call, size: int) -> None:
        with self._lock:
            self._in_flight.setdefault(call.key, []).append(call)
            self._waiting_bytes += size
            self._unfinished += 1
            # Unfinished calls are counted instead of idle workers: one about to wake for an earlier call looks idle.
            if self._workers < min(self._unfinished, WORKERS):
                self._workers += 1
                start_new_thread(self._run_calls, ())
        self._calls.put((call, size))

    def _cancel(self, key: Key) -> None:
        with self._lock:
            self._in_flight.pop(key, None)

    def _run_calls(self) -> None:
        while (waiting := self._calls.get()) is not None:
            call, size = waiting
            line = call.run() if self._is_wanted(call) else b""
            if self._is_wanted(call, last=True):
                self._send(line)
                call.afterwards()
            with self._lock:
                self._unfinished -= 1
            self._make_room(size)
            del waiting, call, line  # else they would be held until the next call comes
            _let_go(size)
        self._ended.put(None)

    def _is_wanted(self, call: Call, *, last: bool = False) -> bool:
        """Whether a call was not cancelled; with `last` it also stops being in flight."""
        with self._lock:
            same_id = self._in_flight.get(call.key, [])
            wanted = any(other is call for other in same_id)
            if wanted and last:
                if len(same_id) == 1:
                    del self._in_flight[call.key]
                else:
                    same_id.remove(call)
            return wanted

    def _send(self, line: bytes) -> None:
        with self._lock:
            self._waiting_bytes += len(line) + _LINE_COST
        self._lines.put(line)

    def _write_lines(self) -> None:
        while (line := self._lines.get()) is not None:
            rest = memoryview(line)
            try:
                while rest and self._failure is None:
                    rest = rest[_write(self._output, rest) :]
            except OSError as error:
                # The client reads no more: drain what is left and let the input's end finish it.
                self._failure = error.with_traceback(None)
            size = len(line)
            del line, rest
            self._make_room(size + _LINE_COST)
            _let_go(size)
        self._ended.put(None)

    def _wait_for_room(self) -> None:
        with self._lock:
            self._reader_waits = must_wait = self._waiting_bytes > MAX_WAITING
        if must_wait:
            self._room.get()

    def _make_room(self, size: int) -> None:
        with self._lock:
            self._waiting_bytes -= size
            if self._reader_waits and self._waiting_bytes <= MAX_WAITING:
                self._reader_waits = False
                self._room.put(None)
