"""What a person at a terminal sees instead of JSON: the views of the families. Loaded only on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.segment import Segment
from rich.text import Text

from holdfast.core.display_text import display_text
from holdfast.operation import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import ConsoleOptions, RenderableType

    from holdfast.operation import Operation, Reply


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
