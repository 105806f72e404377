"""A line on stderr that counts up while a person waits."""

from __future__ import annotations

import sys
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Work shorter than this needs no progress line.
_PATIENCE = 1.0
_EVERY = 0.1


class ProgressLine:
    """Shows how much is done, once the work takes longer than a second; the line erases itself at the end."""

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
