"""What tests need that run the real command in a project."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any


def git(root: Path, *words: str) -> str:
    """Run git with an author of its own."""
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *identity, "-C", str(root), *words], capture_output=True, check=True)
    return done.stdout.decode()


def states(listing: Any) -> dict[str, str]:
    """scope -> state."""
    return {entry["scope"]: entry["state"] for entry in listing["entries"]}


def snapshot(root: Path, *, but: str = "") -> dict[str, bytes]:
    """Every file below, `.git` aside, with its bytes; lines that start with `but` left out."""
    return {
        str(path.relative_to(root)): b"\n".join(
            [line for line in path.read_bytes().split(b"\n") if not but or not line.startswith(but.encode())]
        )
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(root).parts
    }
