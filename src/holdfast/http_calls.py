"""Where a call over HTTP runs: at once, or in a thread when its turn comes (see `quick_calls`)."""

from __future__ import annotations

from time import perf_counter, thread_time
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from holdfast.quick_calls import QuickCalls

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.operation import Reply

THREADS = 16  # as many slow calls as over stdio hold up no other


class CallTurns:
    """The calls of one process."""

    def __init__(self) -> None:
        self._quick = QuickCalls()
        self._turns, self._threads = anyio.CapacityLimiter(THREADS), anyio.CapacityLimiter(THREADS)
        self._trials: dict[str, anyio.Lock] = {}

    async def run(self, tool: str, arguments: Mapping[str, object], work: Callable[[], Reply]) -> Reply:
        """What a call replies."""
        key = self._quick.key(tool, arguments)
        if self._quick.is_quick(key):
            return self._at_once(key, work)
        if key is None or not self._quick.is_on_trial(key):
            return await self._in_turn(key, work)
        # Many may come before any was seen to be quick: they would hinder each other, and what they want is the same.
        lock = self._trials.setdefault(key, anyio.Lock())
        try:
            async with lock:
                return await self._in_turn(key, work)
        finally:
            if not lock.locked():  # where somebody waits, they have it by now
                self._trials.pop(key, None)

    def _at_once(self, key: str | None, work: Callable[[], Reply]) -> Reply:
        began, began_work = perf_counter(), thread_time()
        reply = work()
        self._quick.answered_at_once(key, thread_time() - began_work, perf_counter() - began)
        return reply

    async def _in_turn(self, key: str | None, work: Callable[[], Reply]) -> Reply:
        def timed() -> tuple[Reply, float]:
            began = thread_time()
            return work(), thread_time() - began

        async with self._turns:
            if self._quick.is_quick(key):  # by now
                return self._at_once(key, work)
            reply, seconds = await anyio.to_thread.run_sync(timed, limiter=self._threads)
        if not reply.is_error:
            self._quick.handed_over(key, seconds)
        return reply

    async def in_a_thread(self, work: Callable[[], dict[str, object]]) -> dict[str, object]:
        """What something else than a call gives."""
        return await anyio.to_thread.run_sync(work, limiter=self._threads)
