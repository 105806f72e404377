"""A program that is killed at the n-th call of the system functions it is made of: a moment that can be chosen exactly.

The number is its first argument; what it does comes after `DYING`, which needs the names of the functions.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

from holdfast import verify_cache

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DYING = """
import os, sys
countdown = int(sys.argv[1])
def dying(function):
    def call(*arguments, **options):
        global countdown
        countdown -= 1
        if countdown == 0:
            os.kill(os.getpid(), 9)
        return function(*arguments, **options)
    return call
"""

_DYING_SYNC = (
    DYING
    + """
from holdfast import cli
for name in ("mkdir", "write", "fsync", "rename", "replace", "unlink", "link", "rmdir"):
    setattr(os, name, dying(getattr(os, name)))
sys.exit(cli.main(["sync", "--quiet"], dict(os.environ)))
"""
)


def kill_syncs(project: Path, cache: Path, edit: Callable[[int], None], stride: int) -> None:
    """Kill a sync after an edit at every so many steps until one ends by itself: cache and lock hold each time."""
    step, deaths = 1, 0
    while True:
        edit(step)
        done = subprocess.run([sys.executable, "-c", _DYING_SYNC, str(step)], cwd=project, capture_output=True)
        assert verify_cache(cache).problems == [], f"step {step}"
        json.loads((project / "context.lock").read_bytes())
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
        deaths += 1
        step += stride
    assert deaths > 3
