"""A line on stderr that moves while a person waits: the phase, how much of it is done, and about how long it takes."""

from __future__ import annotations

import sys
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Work shorter than this needs no progress line.
_PATIENCE = 1.0
_EVERY = 0.1
# Of a phase so much has to be done before it says how long the rest takes.
_TELLING = 0.03


class ProgressLine:
    """Shows how much is done, once the work takes longer than a second; the line erases itself at the end."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._started = clock()
        self._shown = 0.0
        self._phase, self._phase_started = "", self._started

    def __call__(self, done: int, total: int) -> None:
        self._show("", done, total)

    def phase(self, phase: str, done: int, total: int) -> None:
        """The same of one phase of several; where `total` is 0 nobody knows how much there is to do."""
        if phase != self._phase:
            self._phase, self._phase_started = phase, self._clock()
        self._show(phase + " ", done, total)

    def _show(self, phase: str, done: int, total: int) -> None:
        now = self._clock()
        if now - self._started < _PATIENCE:
            return
        if total and done >= total:
            sys.stderr.write("\r\x1b[K")
        elif now - self._shown >= _EVERY:
            self._shown = now
            amount = f"{done:,} of {total:,} ({100 * done // total} %)" if total else f"{done:,}"
            sys.stderr.write(f"\r\x1b[K{phase}{amount}{self._left(done, total, now)}")
        sys.stderr.flush()

    def _left(self, done: int, total: int, now: float) -> str:
        if not self._phase or done < total * _TELLING or not done or not total:
            return ""
        left = (now - self._phase_started) * (total - done) / done
        return f", about {left:.0f} s left" if left >= 1 else ""
