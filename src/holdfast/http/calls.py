"""Where a call over HTTP runs: inline, or in a thread.

A call of a (tool, cache) runs in a thread until one took under 5 ms; later ones run inline until one takes over 20 ms,
after which the next 100 are handed to threads (docs/decisions/0034-http.md has the figures).
"""

from __future__ import annotations

from _thread import get_ident
from collections.abc import Callable, Mapping
from time import perf_counter, thread_time

import anyio
import anyio.to_thread

from holdfast.caches.build.refresh import HASTY, RefreshDue
from holdfast.operation import Reply

TOOLS = frozenset(["context.search", "context.resolve", "context.read"])  # they read an index, and walk no folders
QUICK = 0.005  # seconds of work
LONG = 0.02  # seconds of work that others waited for
LONG_WAIT = 0.5  # seconds that others waited, be it for a disk; on a busy machine also for other programs
REST = 100  # calls that are handed over after one that took long
MOST_KEYS = 256
LARGEST_ARGUMENTS = 1000  # characters; a long question is no quick one
THREADS = 16  # as many slow calls as over stdio hold up no other


def call_key(tool: str, arguments: Mapping[str, object]) -> str | None:
    """The key under which durations are kept; None for a call that never runs inline."""
    cache = arguments.get("cache", "")
    texts = [text for value in arguments.values() for text in (value if isinstance(value, list) else [value])]
    size = sum(len(text) for text in texts if isinstance(text, str))
    if tool not in TOOLS or not isinstance(cache, str) or size > LARGEST_ARGUMENTS:
        return None
    return f"{tool} {cache}"


class CallTurns:
    """The calls of one process."""

    def __init__(self) -> None:
        self._left: dict[str, int] = {}  # per key, how many more calls run in a thread
        self._threads = anyio.CapacityLimiter(THREADS)

    def is_quick(self, key: str | None) -> bool:
        """Whether a call may run inline."""
        return key is not None and self._left.get(key, 1) == 0

    def ran_inline(self, key: str | None, seconds: float, waited: float) -> None:
        """Record that an inline call took `seconds` of work and others `waited` for it."""
        if key is not None and (seconds > LONG or waited > LONG_WAIT):
            self._left[key] = REST

    def ran_in_a_thread(self, key: str | None, seconds: float) -> None:
        """Record that a thread worked `seconds` on a call."""
        if key is None:
            return
        if key not in self._left and len(self._left) >= MOST_KEYS:
            self._left.clear()
        left = self._left.get(key, 1)
        self._left[key] = max(left - 1, 0) if seconds <= QUICK else max(left, 1)

    async def run(self, tool: str, arguments: Mapping[str, object], work: Callable[[], Reply]) -> Reply:
        """Run a call and return its reply."""
        key = call_key(tool, arguments)
        if self.is_quick(key) and (quick := self._inline(key, work)) is not None:
            return quick

        def timed() -> tuple[Reply, float]:
            began = thread_time()
            return work(), thread_time() - began

        reply, seconds = await anyio.to_thread.run_sync(timed, limiter=self._threads)
        if not reply.is_error:
            self.ran_in_a_thread(key, seconds)
        return reply

    def _inline(self, key: str | None, work: Callable[[], Reply]) -> Reply | None:
        """The reply of an inline call; None where a cache has to be refreshed first, for which others need not wait."""
        began, began_work = perf_counter(), thread_time()
        HASTY.add(get_ident())
        try:
            reply = work()
        except RefreshDue:
            return None
        finally:
            HASTY.discard(get_ident())
        self.ran_inline(key, thread_time() - began_work, perf_counter() - began)
        return reply

    async def in_a_thread(self, work: Callable[[], dict[str, object]]) -> dict[str, object]:
        """Run work that is no tool call in a thread and return its result."""
        return await anyio.to_thread.run_sync(work, limiter=self._threads)
