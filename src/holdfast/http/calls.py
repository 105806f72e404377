"""Where a call over HTTP runs: inline, or in a thread when its turn comes (`QuickCalls` chooses).

The first 3 calls of a (tool, cache) run in a thread; if each took under 5 ms, later ones run inline until one takes
over 20 ms.
"""

from __future__ import annotations

from _thread import get_ident
from time import perf_counter, thread_time
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from holdfast.caches.build.refresh import HASTY, RefreshDue

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.operation import Reply

TOOLS = frozenset(["context.search", "context.resolve", "context.read"])  # they read an index, and walk no folders
QUICK = 0.005  # seconds of work
LONG = 0.02  # seconds of work that others waited for
LONG_WAIT = 0.5  # seconds that others waited, be it for a disk; on a busy machine also for other programs
TRIALS = 3  # calls, one after the other, until what is not quick by then goes without
REST = 100  # calls that are handed over after one that took long
MOST_KEYS = 256
LARGEST_ARGUMENTS = 1000  # characters; a long question is no quick one


class QuickCalls:
    """Decides by earlier durations, per tool and cache, whether a call runs inline."""

    def __init__(self) -> None:
        self._left: dict[str, int] = {}  # per key, how many more calls run in a thread
        self._seen: dict[str, int] = {}

    def key(self, tool: str, arguments: Mapping[str, object]) -> str | None:
        """The key under which durations are kept; None for a call that never runs inline."""
        cache = arguments.get("cache", "")
        if tool not in TOOLS or not isinstance(cache, str) or _size(arguments) > LARGEST_ARGUMENTS:
            return None
        return f"{tool} {cache}"

    def is_quick(self, key: str | None) -> bool:
        """Whether a call may be answered at once."""
        return key is not None and self._left.get(key, 1) == 0

    def is_on_trial(self, key: str) -> bool:
        """Whether it is not known yet what a call takes."""
        return self._seen.get(key, 0) < TRIALS

    def answered_at_once(self, key: str | None, seconds: float, waited: float) -> None:
        """Record that an inline call took `seconds` of work and others `waited` for it."""
        if key is not None and (seconds > LONG or waited > LONG_WAIT):
            self._left[key] = REST

    def handed_over(self, key: str | None, seconds: float) -> None:
        """Record that a thread worked `seconds` on a call."""
        if key is None:
            return
        if key not in self._left and len(self._left) >= MOST_KEYS:
            self._left.clear()
            self._seen.clear()
        self._seen[key] = self._seen.get(key, 0) + 1
        self._left[key] = max(self._left.get(key, 1) - 1, 0) if seconds <= QUICK else max(self._left.get(key, 1), 1)


def _size(arguments: Mapping[str, object]) -> int:
    """The approximate length of the arguments, in characters."""
    texts = [text for value in arguments.values() for text in (value if isinstance(value, list) else [value])]
    return sum(len(text) for text in texts if isinstance(text, str))


THREADS = 16  # as many slow calls as over stdio hold up no other


class CallTurns:
    """The calls of one process."""

    def __init__(self) -> None:
        self._quick = QuickCalls()
        self._turns, self._threads = anyio.CapacityLimiter(THREADS), anyio.CapacityLimiter(THREADS)
        self._trials: dict[str, anyio.Lock] = {}

    async def run(self, tool: str, arguments: Mapping[str, object], work: Callable[[], Reply]) -> Reply:
        """Run a call and return its reply."""
        key = self._quick.key(tool, arguments)
        if self._quick.is_quick(key) and (reply := self._at_once(key, work)) is not None:
            return reply
        if key is None or not self._quick.is_on_trial(key):
            return await self._in_turn(key, work)
        # Many may come before any was seen to be quick: they would hinder each other, and what they want is the same.
        lock = self._trials.setdefault(key, anyio.Lock())
        try:
            async with lock:
                return await self._in_turn(key, work)
        finally:
            if not lock.locked():  # a waiting call holds it by now
                self._trials.pop(key, None)

    def _at_once(self, key: str | None, work: Callable[[], Reply]) -> Reply | None:
        """The reply of an inline call; None where a cache has to be refreshed first, for which others need not wait."""
        began, began_work = perf_counter(), thread_time()
        HASTY.add(get_ident())
        try:
            reply = work()
        except RefreshDue:
            return None
        finally:
            HASTY.discard(get_ident())
        self._quick.answered_at_once(key, thread_time() - began_work, perf_counter() - began)
        return reply

    async def _in_turn(self, key: str | None, work: Callable[[], Reply]) -> Reply:
        def timed() -> tuple[Reply, float]:
            began = thread_time()
            return work(), thread_time() - began

        async with self._turns:
            if self._quick.is_quick(key) and (known := self._at_once(key, work)) is not None:  # by now
                return known
            reply, seconds = await anyio.to_thread.run_sync(timed, limiter=self._threads)
        if not reply.is_error:
            self._quick.handed_over(key, seconds)
        return reply

    async def in_a_thread(self, work: Callable[[], dict[str, object]]) -> dict[str, object]:
        """Run work that is no tool call in a thread and return its result."""
        return await anyio.to_thread.run_sync(work, limiter=self._threads)
