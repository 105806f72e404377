"""Runs kept in memory."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from holdfast.caches.sorted_runs import Run, read_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from holdfast.caches.sorted_runs import Block


def written(blocks: Iterable[tuple[bytes, bytes]]) -> tuple[io.BytesIO, Run]:
    """Encoded blocks as a file, and where in it each one is."""
    file, run = io.BytesIO(), Run("", [], [0])
    for first, data in blocks:
        file.write(data)
        run.firsts.append(first)
        run.offsets.append(file.tell())
    return file, run


def read_back(blocks: Iterable[tuple[bytes, bytes]], low: bytes = b"", high: bytes | None = None) -> Iterator[Block]:
    """What is read of encoded blocks once they were written."""
    return read_run(*written(blocks), low, high)
