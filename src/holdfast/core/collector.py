"""The cyclic garbage collector, at rest while much is made that holds no cycles.

Whoever makes some hundred thousand records pays for it several times over: each time there are a quarter more, it looks
at all of them again. What is no longer needed is freed by its references all the same.
"""

from __future__ import annotations

import gc

TYPE_CHECKING = False
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
