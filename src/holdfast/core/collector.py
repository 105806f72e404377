"""Pauses the cyclic garbage collector while code creates many objects without cycles.

With a hundred thousand records the collector would scan all of them each time a quarter more are created. Reference
counts still free what is no longer needed.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector(*, runs: bool) -> Iterator[None]:
    """Whether the collector runs within a block; it is as it was afterwards."""
    ran = gc.isenabled()
    (gc.enable if runs else gc.disable)()
    try:
        yield
    finally:
        (gc.enable if ran else gc.disable)()
