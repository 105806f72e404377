"""The published schemas are what the code says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_the_published_schemas_are_what_the_code_gives() -> None:
    done = subprocess.run([sys.executable, ROOT / "scripts" / "schemas.py", "--check"], capture_output=True)
    assert (done.returncode, done.stdout) == (0, b"")
