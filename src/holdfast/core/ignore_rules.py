"""Which names a project leaves out: by `.gitignore` at every level, `.contextignore`, and the usual build folders."""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple

from holdfast.core.globs import GlobList, as_bytes

GITIGNORE, CONTEXTIGNORE = ".gitignore", ".contextignore"

# Folders that hold what tools made or fetched. A negated pattern in `.contextignore` brings one back.
_FETCHED = "node_modules bower_components vendor Pods venv site-packages __pypackages__"
_MADE = "dist build target out obj coverage htmlcov DerivedData __pycache__"
BUILD_FOLDERS = frozenset(f"{_FETCHED} {_MADE}".split())


class _Level(NamedTuple):
    """One ignore file: its directory, with a slash unless it is the top, and its patterns."""

    base: bytes
    patterns: GlobList


class Rules:
    """The ignore files in force in one directory, from the outermost in; immutable. Equal keys decide equally."""

    def __init__(
        self, gitignores: tuple[_Level, ...] = (), contextignores: tuple[_Level, ...] = (), key: str = ""
    ) -> None:
        self._contextignores, self._gitignores = contextignores, gitignores  # each with the innermost first
        self.key = key

    @property
    def is_empty(self) -> bool:
        """Whether only the usual folders are left out."""
        return not self._gitignores and not self._contextignores

    def within(self, directory: str, gitignore: bytes | str | None, contextignore: bytes | str | None) -> Rules:
        """The rules below `directory`, a path from the top without a slash at the end, `` for the top itself."""
        if gitignore is None and contextignore is None:
            return self
        place = as_bytes(directory)
        texts = [None if text is None else as_bytes(text) for text in (gitignore, contextignore)]
        key = sha256(b"\0".join([self.key.encode(), place, *[repr(text).encode() for text in texts]])).hexdigest()
        base = place + b"/" if place else b""
        levels = [() if text is None else (_Level(base, GlobList.parse(text)),) for text in texts]
        return Rules(levels[0] + self._gitignores, levels[1] + self._contextignores, key)

    def ignores(self, directory: str, name: str, *, folder: bool, usual: bool = True) -> bool:
        """Whether `name` in `directory` (a path from the top) is left out.

        What a person wrote into any `.contextignore` decides before every `.gitignore`, and an inner file before an
        outer one of its kind. Without `usual` the files alone decide: hidden and build folders are left out only by
        them.
        """
        path = as_bytes(f"{directory}/{name}" if directory else name)
        for base, patterns in self._contextignores:
            decided = patterns.decide(path[len(base) :], folder=folder)
            if decided is not None:
                return decided
        if folder and usual and (name in BUILD_FOLDERS or name.startswith(".")):
            return True
        for base, patterns in self._gitignores:
            decided = patterns.decide(path[len(base) :], folder=folder)
            if decided is not None:
                return decided
        return False
