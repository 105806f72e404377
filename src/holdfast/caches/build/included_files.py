"""What a text may include: files of its own sources and, climbing, of the checkout or project that holds them."""

from __future__ import annotations

import os
from hashlib import sha256

from holdfast.core.confined_paths import lies_inside
from holdfast.core.regular_files import read_regular

# A longer file is no example in a text.
MAX_INCLUDED_BYTES = 1 << 20
# What stands for a file that cannot be had, where digests are listed.
ABSENT = ""


class IncludedFiles:
    """The files below `root`, and above it as far as `top`; `asked` tells which were wanted, and what each held.

    Links are resolved before it is decided whether a file lies inside, and what a repository keeps for itself is never
    inside. Both paths are real.
    """

    def __init__(self, root: str, top: str) -> None:
        self._root, self._top = root, top
        self.asked: dict[str, str] = {}  # path as asked -> sha256 of the file in hex, ABSENT where there is none

    def text(self, path: str) -> str | None:
        """The text of a file by its path from `root`, which may climb; None where there is none, or none of ours."""
        data = read_included(self._root, self._top, path)
        self.asked[path] = ABSENT if data is None else sha256(data).hexdigest()
        try:
            return None if data is None else data.decode()
        except UnicodeDecodeError:
            return None


def read_included(root: str, top: str, path: str) -> bytes | None:
    """The bytes of a file that may be included; None where there is none."""
    if not path or "\0" in path or path.startswith("/"):
        return None
    try:
        place = os.path.realpath(os.path.normpath(os.path.join(root, path)))
        if not lies_inside(place, top) or ".git" in place[len(top) :].split("/"):
            return None
        return read_regular(place, limit=MAX_INCLUDED_BYTES)
    except (OSError, UnicodeEncodeError):
        return None
