"""Pauses the cyclic garbage collector while code creates many objects without cycles.

With a hundred thousand records the collector would scan all of them each time a quarter more are created. Reference
counts still free what is no longer needed.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType


class Collector:
    """Whether the collector runs within a block; it is as it was afterwards."""

    def __init__(self, *, runs: bool) -> None:
        self._runs = runs
        self._ran = True

    def __enter__(self) -> None:
        self._ran = gc.isenabled()
        _set(runs=self._runs)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _set(runs=self._ran)


def _set(*, runs: bool) -> None:
    if runs:
        gc.enable()
    else:
        gc.disable()
