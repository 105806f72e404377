"""Which calls are so quick that a server over HTTP answers them at once, in the thread that reads and writes.

Handing a call to a thread costs more than a search of an open cache does: two threads of one process wait for each
other at every step. A call that takes long must be handed over all the same, or everybody waits for it. So the first
calls of a tool on a cache are, and when they were seen to take little, those after them are not, until one takes long.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

TOOLS = frozenset(["context.search", "context.resolve", "context.read"])  # they read an index, and walk no folders
QUICK = 0.005  # seconds of work
LONG = 0.02  # seconds of work that others waited for
LONG_WAIT = 0.5  # seconds that others waited, be it for a disk; on a busy machine also for other programs
TRIALS = 3  # calls, one after the other, until what is not quick by then goes without
REST = 100  # calls that are handed over after one that took long
MOST_KEYS = 256
LARGEST_ARGUMENTS = 1000  # characters; a long question is no quick one


class QuickCalls:
    """What calls took, by tool and cache."""

    def __init__(self) -> None:
        self._left: dict[str, int] = {}  # how many calls are to be handed over yet, for those that were seen
        self._seen: dict[str, int] = {}

    def key(self, tool: str, arguments: Mapping[str, object]) -> str | None:
        """What a call has in common with others that take as long; None where none is known to be quick."""
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
        """A call was so many seconds of work, and others waited so long for it."""
        if key is not None and (seconds > LONG or waited > LONG_WAIT):
            self._left[key] = REST

    def handed_over(self, key: str | None, seconds: float) -> None:
        """So long a thread worked on a call."""
        if key is None:
            return
        if key not in self._left and len(self._left) >= MOST_KEYS:
            self._left.clear()
            self._seen.clear()
        self._seen[key] = self._seen.get(key, 0) + 1
        self._left[key] = max(self._left.get(key, 1) - 1, 0) if seconds <= QUICK else max(self._left.get(key, 1), 1)


def _size(arguments: Mapping[str, object]) -> int:
    """How long arguments are, about, in characters."""
    texts = [text for value in arguments.values() for text in (value if isinstance(value, list) else [value])]
    return sum(len(text) for text in texts if isinstance(text, str))
