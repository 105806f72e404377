"""A job for worker processes, which import it by its name: a test module itself cannot be found by them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from holdfast.core.errors import BuildFailed

if TYPE_CHECKING:
    from collections.abc import Iterator


def count(job: tuple[str, int]) -> Iterator[str]:
    """So many results, or something that goes wrong after them."""
    kind, number = job
    yield from (f"{kind} {position}" for position in range(number))
    print("what a job prints is no result")
    if kind == "bad source":
        raise BuildFailed(f"the reason {number}")
    if kind == "full disk":
        raise OSError(28, "No space left on device")
    if kind == "bug":
        raise LookupError("the key")
    if kind == "crash":
        os.kill(os.getpid(), 9)
    if kind == "forever":
        while True:
            pass
