"""What a person at a terminal sees instead of JSON: views and progress. Loaded only on a terminal."""

from __future__ import annotations

import sys
from time import monotonic

from holdfast.operation import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.operation import Operation, Reply

# Work shorter than this needs no progress line.
_PATIENCE = 1.0
_EVERY = 0.1


def show(operation: Operation, reply: Reply, *, seconds: float) -> None:
    """Print the readable view of a reply."""
    from rich.console import Console
    from rich.text import Text

    shown = load(operation.view)(reply.value, seconds)
    # A single line stays one however narrow the terminal, so that a hash can be copied whole.
    Console(highlight=False).print(shown, soft_wrap=isinstance(shown, Text))


class Progress:
    """A line on stderr that counts up, once the work takes longer than a second; it erases itself at the end."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._started = clock()
        self._shown = 0.0

    def __call__(self, done: int, total: int) -> None:
        now = self._clock()
        if now - self._started < _PATIENCE:
            return
        if done >= total:
            sys.stderr.write("\r\x1b[K")
        elif now - self._shown >= _EVERY:
            self._shown = now
            sys.stderr.write(f"\r\x1b[K{done:,} of {total:,} ({100 * done // max(total, 1)} %)")
        sys.stderr.flush()
