"""What a person at a terminal sees instead of JSON: the views of the families. Loaded only on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from time import monotonic

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from holdfast.core.display_text import display_text
from holdfast.operation import Operation, Reply, load


def show(operation: Operation, reply: Reply, *, seconds: float) -> None:
    """Print the readable view of a reply. Whatever a view holds, it steers no terminal and is no markup."""
    shown = load(operation.view)(reply.value, seconds)
    # A single line stays one however narrow the terminal, so that a hash can be copied whole.
    console = Console(highlight=False, markup=False, emoji=False)
    console.print(_Harmless(shown), soft_wrap=isinstance(shown, Text))


class _Harmless:
    """A view as it was laid out, its text cleaned and its links dropped: no view can forget to."""

    def __init__(self, view: RenderableType) -> None:
        self._view = view

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for text, style, control in console.render(self._view, options):
            if not control:
                yield Segment(display_text(text), style.update_link(None) if style and style.link else style)


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
