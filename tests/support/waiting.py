"""Waiting for what another process does, without taking the processor from it."""

from __future__ import annotations

import subprocess


def has_ended(process: subprocess.Popen[bytes], seconds: float = 0.05) -> bool:
    """Whether a process ends within a moment: what it is waited for to do is looked at again after that."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True
