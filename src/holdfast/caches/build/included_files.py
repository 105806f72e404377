"""What a text may include: files of its own sources and, climbing, of the checkout or project that holds them."""

from __future__ import annotations

import os
from hashlib import sha256

from holdfast.caches.build.guarded_files import Guard, IgnoredFiles, Outside, Refused
from holdfast.caches.build.source_item import FOUND, PACKAGED, SourceItem
from holdfast.caches.readers.source_reader import Site

# A longer file is no example in a text.
MAX_INCLUDED_BYTES = 1 << 20
# The digest listed for a file that is not available.
ABSENT = ""
# Begins what a text needs and cannot be found, where files that it asked for are listed.
MISSING = "?"


class IncludedFiles:
    """The files below `root`, and above it as far as `top`; `asked` tells which were wanted, and what each held.

    What a guard refuses cannot be had: files outside, secrets, and of a project what its ignore files leave out. Both
    paths are real.
    """

    def __init__(self, root: str, top: str, origin: str = FOUND, site: Site | None = None) -> None:
        self.site = site or Site()
        ignored = None if origin == PACKAGED else IgnoredFiles(top, root[len(top) :].strip("/"))
        self._root, self._guard = root, Guard(top, ignored=ignored)
        self._folders: dict[str, bool] = {}  # whether a folder is there
        self.asked: dict[str, str] = {}  # path as asked -> sha256 of the file in hex, ABSENT where there is none

    @classmethod
    def of(cls, item: SourceItem) -> IncludedFiles:
        """What the text of an item may include."""
        return cls(item.root, item.top, item.origin, Site(item.reader, item.site))

    def text(self, path: str) -> str | None:
        """The text of a file by its path from `root`, which may climb; None where there is none, or none of ours."""
        data = self._bytes(path)
        self.asked[path] = _digest(data)
        try:
            return None if data is None else data.decode()
        except UnicodeDecodeError:
            return None

    def missing(self, what: str) -> None:
        """Note what cannot be found, beside the files that were asked for."""
        self.asked[MISSING + what] = ABSENT

    def look(self, path: str) -> tuple[str, str]:
        """The sha256 of a file in hex, ABSENT where it cannot be had; and why one that is there may not be included,
        in words that follow its path."""
        try:
            return _digest(self._read(path)), ""
        except Refused as error:
            reason = "leads outside what it may include" if isinstance(error, Outside) else str(error.strerror)
            return ABSENT, reason
        except OSError:
            return ABSENT, ""

    def _bytes(self, path: str) -> bytes | None:
        try:
            return self._read(path)
        except OSError:
            return None

    def _read(self, path: str) -> bytes:
        try:
            place = os.path.normpath(os.path.join(self._root, path))
            # Most paths that are tried lead to nothing, which costs less to see than to resolve.
            if (folder := os.path.dirname(place)) not in self._folders:
                self._folders[folder] = os.path.isdir(folder)
            if not path or path.startswith("/") or not self._folders[folder] or not os.path.exists(place):
                raise FileNotFoundError(path)
            return self._guard.read(place, MAX_INCLUDED_BYTES)
        except ValueError:  # a NUL or a lone surrogate
            raise FileNotFoundError(path) from None


def _digest(data: bytes | None) -> str:
    return ABSENT if data is None else sha256(data).hexdigest()
