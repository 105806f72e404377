"""The processes of an HTTP server: one address, as many processes as wanted, an end that loses no answer."""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Thread
from time import monotonic
from typing import Any, NamedTuple

import uvicorn
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp

from holdfast.core.errors import InternalError, Interrupted, IoError, UsageError
from holdfast.core.standard_streams import write_bug, write_error
from holdfast.http.connections import Limits, limited_connections

ENDINGS = {signal.SIGTERM: 0, signal.SIGINT: Interrupted.exit_code}  # signals, and how a family then exits
MOST_DEATHS = 5  # of each process in ten seconds, before they are given up
LIMITS = Limits()
DRAIN = 30  # seconds that calls under way have after SIGTERM


def listen(host: str, port: int, count: int = 1) -> list[socket.socket]:
    """Listening sockets for `count` processes; IoError when the system refuses.

    Linux balances connections over sockets that share an address, so each process gets its part. Of several processes
    that wait on one socket, the first to wake would take all pending connections.
    """
    if count > 1 and not hasattr(os, "fork"):
        raise UsageError("--workers needs processes that share a socket, which this system does not have: leave it out")
    try:
        family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        if count == 1 or sys.platform != "linux":
            return [_listener(family, place, is_shared=False)]
        with socket.socket(family, socket.SOCK_STREAM) as probe:  # a shared address would be had twice
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(place)
            place = probe.getsockname()
        return [_listener(family, place, is_shared=True) for _ in range(count)]
    except OSError as error:
        raise IoError(f"cannot listen on {host}:{port}: {error.strerror}") from None
    except UnicodeError:
        raise UsageError(f"cannot listen on '{host}': it is no name of a host") from None


def _listener(family: socket.AddressFamily, place: Any, *, is_shared: bool) -> socket.socket:
    # asyncio sets TCP_NODELAY only on sockets made with IPPROTO_TCP.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if is_shared:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    listener.bind(place)
    listener.listen(2048)
    return listener


class Work(NamedTuple):
    """What each process does: make an application, serve it, and at the end do something more.

    The application gets the process's number, from 0; a process that replaces a dead one gets its number.
    """

    application: Callable[[int], ASGIApp]
    at_end: Callable[[], None]


def serve_http(work: Work, listeners: Sequence[Sequence[socket.socket]]) -> int:
    """Serve until SIGTERM, with a process for each of these sets of sockets, then answer what was asked; the exit code.

    A socket may be in several sets.
    """
    return _serve(work, listeners[0], 0) if len(listeners) == 1 else _Family(work, listeners).run()


def configuration(application: ASGIApp, limits: Limits = LIMITS) -> uvicorn.Config:
    """How uvicorn serves an application."""
    return uvicorn.Config(
        application,
        http=limited_connections(limits),
        loop="asyncio",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=limits.idle_seconds,
        timeout_graceful_shutdown=DRAIN,
        ws="none",
    )


def _serve(work: Work, listeners: Sequence[socket.socket], number: int) -> int:
    log_failures_alone()
    config = configuration(work.application(number))
    # What was loaded stays, so a collection need not look at it: each would stop all calls for as long as many take.
    gc.collect()
    gc.freeze()
    # Uvicorn raises the signal that ended it once more, when everything is answered: then it is not to kill.
    signal.signal(signal.SIGTERM, lambda _number, _frame: None)
    try:
        uvicorn.Server(config).run(sockets=list(listeners))
    finally:
        work.at_end()
    return 0


def _end_with(life: int) -> None:
    """Wait for the process that holds the other end to be gone, and answer what was asked, as if it had said so."""
    os.read(life, 1)
    os.kill(os.getpid(), signal.SIGTERM)


class _Family:
    """Processes that share their sockets. One that dies is replaced; a signal that ends this process ends all."""

    def __init__(self, work: Work, listeners: Sequence[Sequence[socket.socket]]) -> None:
        self._work, self._listeners, self._count = work, listeners, len(listeners)
        self._children: dict[int, int] = {}  # the number of each
        self._deaths: list[float] = []
        self._exit_code: int | None = None  # once the end has come
        # Nothing is ever written: end of file tells a reader that this process is gone, even if it was killed.
        self._life = os.pipe()

    def run(self) -> int:
        """Serve until a signal ends it or processes die as fast as they are started; returns the exit code."""
        for ending in ENDINGS:
            signal.signal(ending, lambda ending, _frame: self._end(ENDINGS[signal.Signals(ending)]))
        gc.collect()
        gc.freeze()  # pages that no collection writes to are shared by all
        for number in range(self._count):
            self._start(number)
        while self._children:
            child, status = os.wait()
            number = self._children.pop(child)
            if self._exit_code is None:
                self._replace(number, os.waitstatus_to_exitcode(status))
        return self._exit_code or 0

    def _replace(self, number: int, ended_with: int) -> None:
        now = monotonic()
        self._deaths = [*(death for death in self._deaths if now - death < 10), now]
        if len(self._deaths) > MOST_DEATHS * self._count:
            write_error(f"the processes of the server end at once, the last with {ended_with}: giving up")
            self._end(InternalError.exit_code)
        else:
            write_error(f"a process of the server ended with {ended_with}, another takes its place")
            self._start(number)

    def _start(self, number: int) -> None:
        # No signal comes between a process's birth and its being known here and its having handlers of its own.
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)
        if self._exit_code is not None:  # a signal came in between
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDINGS)
            return
        child = os.fork()
        if child:
            self._children[child] = number
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDINGS)
            return
        code = 1
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal tells all of them; the first one passes it on
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDINGS)
            own = self._listeners[number]
            for listener in {listener for each in self._listeners for listener in each} - set(own):
                listener.close()  # or it would stay open when the process that it belongs to ends
            ours, its = self._life
            os.close(its)
            Thread(target=_end_with, args=(ours,), daemon=True).start()
            code = _serve(self._work, own, number)
        except Exception:
            write_bug()
        finally:
            sys.stderr.flush()
            os._exit(code)

    def _end(self, exit_code: int) -> None:
        self._exit_code = exit_code
        for listener in (listener for each in self._listeners for listener in each):
            listener.close()  # while the others answer what they were asked, nobody else need wait
        for child in self._children:
            with suppress(ProcessLookupError):  # it ended, and was not yet crossed out
                os.kill(child, signal.SIGTERM)


class _Failures(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, ClientDisconnect):
            for line in self.format(record).rstrip("\n").split("\n"):
                write_error(line)


def log_failures_alone() -> None:
    """From now on this process tells what failed, and nothing less."""
    logging.getLogger().handlers = [_Failures(logging.ERROR)]
