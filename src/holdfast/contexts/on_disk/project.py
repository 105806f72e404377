"""A project: its root and settings, how a scope leads to a directory, and the directories that count."""

from __future__ import annotations

import os

from holdfast.contexts.ignore import CONTEXTIGNORE, GITIGNORE, Rules
from holdfast.contexts.on_disk.directory import DirectoryView, look
from holdfast.contexts.settings import FILE_NAME as SETTINGS_FILE
from holdfast.contexts.settings import Settings, settings_of
from holdfast.core.confined_paths import lies_inside, printable
from holdfast.core.record import NamedTuple
from holdfast.core.regular_files import read_regular
from holdfast.core.tokens import tokens_of_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.core.file_contents import FileContents

ROOT = "."


class ScopeOutside(Exception):
    """The scope leads out of the project."""


class Found(NamedTuple):
    """A directory that counts: its path from the root, its view (None if it cannot be read), and whether it is kept."""

    place: str
    view: DirectoryView | None
    kept: bool

    @property
    def scope(self) -> str:
        """The scope as answers spell it."""
        return printable(self.place) or ROOT


class Project:
    """A project's root, as one operation sees it."""

    def __init__(self, contents: FileContents, root: str, shown: str | None = None) -> None:
        self.contents = contents
        self.root = os.path.abspath(root)
        self.shown = printable(self.root if shown is None else os.path.abspath(shown))  # what answers call it
        self.settings = self._read_settings()
        self._base, self._outer = self._outer_rules()

    def _read_settings(self) -> Settings:
        from holdfast.contexts.yaml_text import MAX_BYTES, YamlError, parse

        try:
            return settings_of(parse(read_regular(os.path.join(self.root, SETTINGS_FILE), limit=MAX_BYTES)))
        except (OSError, YamlError):
            return Settings()  # `context doctor` says what is wrong with it

    def _outer_rules(self) -> tuple[str, Rules]:
        """The path from the repository's top to the root, and the ignore files on the way; nothing without git."""
        top = self.root
        while not os.path.lexists(os.path.join(top, ".git")):
            parent = os.path.dirname(top)
            if parent == top:
                return "", Rules()
            top = parent
        rules = Rules().within("", self._patterns(os.path.join(top, ".git", "info", "exclude")), None)
        base = os.path.relpath(self.root, top)
        if base == ".":
            return "", rules
        place = ""
        for name in base.split("/"):
            directory = os.path.join(top, place)
            rules = rules.within(
                place,
                self._patterns(os.path.join(directory, GITIGNORE)),
                self._patterns(os.path.join(directory, CONTEXTIGNORE)),
            )
            place = f"{place}/{name}" if place else name
        return base, rules

    def _patterns(self, path: str) -> bytes | None:
        return self.contents.read(path, namespace="context")

    def path(self, place: str) -> str:
        """The absolute path of a place."""
        return os.path.join(self.root, place) if place else self.root

    def _look(self, place: str, outer: Rules) -> DirectoryView:
        from_top = "/".join([part for part in (self._base, place) if part])
        patterns = () if place else self.settings.ignore
        return look(self.contents, self.path(place), from_top, outer, patterns)

    def place_of(self, scope: str) -> str:
        """Where a scope leads, as a path from the root, empty for the root; ScopeOutside when it leaves the root."""
        if "\0" in scope:
            raise ScopeOutside
        root = os.path.realpath(self.root)
        target = os.path.realpath(os.path.join(root, scope.replace("\\", "/")))
        if not lies_inside(target, root):
            raise ScopeOutside
        return target[len(root) :].lstrip("/") if target != root else ""

    def view(self, place: str) -> DirectoryView:
        """One directory, with the rules of every directory above it. Raises OSError."""
        view = self._look("", self._outer)
        at = ""
        for name in place.split("/") if place else ():
            at = f"{at}/{name}" if at else name
            view = self._look(at, view.rules)
        return view

    def directories(self) -> list[Found]:
        """Every directory that counts, parents before children. Raises OSError when the root cannot be read."""
        seen: list[tuple[str, DirectoryView | None, int]] = [("", self._look("", self._outer), -1)]
        depth = {0: 0}
        at = 0
        while at < len(seen):
            place, view, _ = seen[at]
            if view is not None and depth[at] < self.settings.max_depth:
                for name in view.folders:
                    below = f"{place}/{name}" if place else name
                    try:
                        child: DirectoryView | None = self._look(below, view.rules)
                    except OSError:
                        child = None  # vanished or closed to us: listed as missing
                    depth[len(seen)] = depth[at] + 1
                    seen.append((below, child, at))
            at += 1
        return self._counted(seen)

    def _counted(self, seen: list[tuple[str, DirectoryView | None, int]]) -> list[Found]:
        counted = [False] * len(seen)
        kept = [False] * len(seen)
        for at in range(len(seen) - 1, -1, -1):
            _, view, parent = seen[at]
            if view is None:
                counted[at] = kept[at] = True
            else:
                counted[at] = counted[at] or at == 0 or view.counts
                kept[at] = (
                    kept[at]
                    or at == 0
                    or (counted[at] and tokens_of_bytes(view.source_bytes) >= self.settings.min_tokens)
                )
            if parent >= 0:
                counted[parent] = counted[parent] or counted[at]
                kept[parent] = kept[parent] or kept[at]
        return [Found(seen[at][0], seen[at][1], kept[at]) for at in range(len(seen)) if counted[at]]
