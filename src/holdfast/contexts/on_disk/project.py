"""A project: its root and settings, how a scope leads to a directory, and the directories that count."""

from __future__ import annotations

import os
from collections.abc import Callable
from errno import ENOTSUP
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from holdfast.code.git_index import IndexUnreadable
from holdfast.code.on_disk.repository import find_repository, is_bare
from holdfast.contexts.on_disk.directory_view import DirectoryView, Surroundings, look_into
from holdfast.contexts.on_disk.disk_failure import check_disk
from holdfast.contexts.on_disk.tracking import open_tracking
from holdfast.contexts.settings import FILE_NAME as SETTINGS_FILE
from holdfast.contexts.settings import Settings, settings_of
from holdfast.core.confined_paths import (
    open_again,
    open_below,
    open_directory,
    plain_place,
    printable,
    reach,
    real_place,
)
from holdfast.core.errors import IoError, ScopeOutside, UsageError
from holdfast.core.file_contents import FileContents
from holdfast.core.ignore_rules import CONTEXTIGNORE, GITIGNORE, Rules
from holdfast.core.regular_files import close_quietly, read_regular
from holdfast.core.tokens import tokens_of_bytes

if TYPE_CHECKING:
    from holdfast.code.on_disk.fact_store import FactStore

Result = TypeVar("Result")

ROOT = "."


class Found(NamedTuple):
    """A directory that counts: its path from the root, its view (None if it cannot be read), and whether it is kept."""

    place: str
    view: DirectoryView | None
    kept: bool
    leads: bool = True  # it or one below it is kept

    @property
    def scope(self) -> str:
        """The scope as answers spell it."""
        return printable(self.place) or ROOT


class Project:
    """A project's root, as one operation sees it."""

    def __init__(
        self,
        contents: FileContents,
        root: str,
        shown: str | None = None,
        *,
        untracked: bool = False,
        index: str = "",
        user_cache: str = "",
    ) -> None:
        self.contents = contents
        self.user_cache = user_cache  # where facts of its files are kept; empty: nowhere
        self.root = os.path.abspath(root)
        self.shown = printable(self.root if shown is None else os.path.abspath(shown))  # what answers call it
        self.settings = self._read_settings()
        self.repository = find_repository(contents, self.root)
        self.index_problem = ""  # why git's index cannot be read; then every file counts that is not ignored
        self._base, self._around = self._surroundings(index, untracked=untracked)

    @cached_property
    def kept_facts(self) -> FactStore:
        """What is kept of its files between processes."""
        from holdfast.code.on_disk.fact_store import FactStore

        return FactStore(self.user_cache, self.root, "contexts")

    @property
    def note(self) -> str:
        """What a person should know of how the project was looked at; mostly nothing."""
        if not self.index_problem:
            return ""
        return f"git's index cannot be read ({self.index_problem}): every file counts that is not ignored"

    @property
    def counts_untracked(self) -> bool:
        """Whether files count that git does not track."""
        return self._around.tracking is None

    def _read_settings(self) -> Settings:
        from holdfast.core.yaml_text import MAX_BYTES, YamlError, parse

        path = os.path.join(self.root, SETTINGS_FILE)
        try:
            return settings_of(parse(read_regular(path, limit=MAX_BYTES)))
        except (OSError, YamlError) as error:
            check_disk(error, path)
            return Settings()  # `context doctor` says what is wrong with it

    def _surroundings(self, index: str, *, untracked: bool) -> tuple[str, Surroundings]:
        """The path from the repository's top to the root, and what is in force around it; nothing without git."""
        repository = self.repository
        if repository is None:
            return "", Surroundings(Rules())
        base = os.path.relpath(self.root, repository.top)
        base = "" if base == "." else base
        tracking = None if untracked else open_tracking(self.contents, repository, base, index)
        if isinstance(tracking, IndexUnreadable):
            self.index_problem = tracking.reason
            tracking = None
        rules = Rules()
        if tracking is None:
            rules = rules.within("", self._patterns(repository.shared("info/exclude")), None)
        place = ""
        for name in base.split("/") if base else ():
            directory = os.path.join(repository.top, place)
            rules = rules.within(
                place,
                self._patterns(os.path.join(directory, GITIGNORE)) if tracking is None else None,
                self._patterns(os.path.join(directory, CONTEXTIGNORE)),
            )
            place = f"{place}/{name}" if place else name
        return base, Surroundings(rules, tracking)

    def _patterns(self, path: str) -> bytes | None:
        return self.contents.read(path, namespace="context")

    def path(self, place: str) -> str:
        """The absolute path of a place."""
        return os.path.join(self.root, place) if place else self.root

    def _look(self, directory: int, place: str, around: Surroundings) -> DirectoryView:
        from_top = "/".join([part for part in (self._base, place) if part])
        patterns = () if place else self.settings.ignore
        return look_into(directory, self.contents, self.path(place), from_top, around, patterns)

    def reach(self, scope: str, find: Callable[[str], Result]) -> Result:
        """What `find` gives for the place where a scope leads; ScopeOutside when it leaves the root.

        `find` gets a path from the root and raises OSError when part of it is a link or absent.
        """
        return reach(plain_place(scope.replace("\\", "/")), lambda: self.place_of(scope), find)

    def place_of(self, scope: str) -> str:
        """Where a scope leads, as a path from the root, empty for the root; ScopeOutside when it leaves the root."""
        place = None if "\0" in scope else real_place(self.root, scope.replace("\\", "/"))
        if place is None:
            raise ScopeOutside
        return place

    def view(self, place: str) -> DirectoryView:
        """One directory, with the rules of every directory above it; links are not followed. Raises OSError."""
        if is_bare(self.root):
            raise OSError(ENOTSUP, "it is git's own directory, not a working tree: name a checkout of it")
        directory = open_directory(self.root)
        try:
            view = self._look(directory, "", self._around)
            at = ""
            for name in place.split("/") if place else ():
                above, directory = directory, open_below(directory, name)
                close_quietly(above)
                at = f"{at}/{name}" if at else name
                view = self._look(directory, at, view.around)
                if view.has_git:  # another project: what this one tracks and ignores says nothing about it
                    view = self._look(directory, at, Surroundings(Rules()))
        finally:
            close_quietly(directory)
        return view

    def directories(self, *, deep: bool = False) -> list[Found]:
        """Every directory that counts, parents before children; with `deep` also those below the settings' depth.

        Raises OSError when the root cannot be read.
        """
        seen: list[tuple[str, DirectoryView | None, int]] = [("", self.view(""), -1)]
        depth = {0: 0}
        at = 0
        while at < len(seen):
            place, view, _ = seen[at]
            if view is not None and (deep or depth[at] < self.settings.max_depth):
                for below, child in self._folders(place, view):
                    if child is not None and child.has_git:
                        continue  # another project
                    depth[len(seen)] = depth[at] + 1
                    seen.append((below, child, at))
            at += 1
        return self._counted(seen)

    def _folders(self, place: str, view: DirectoryView) -> list[tuple[str, DirectoryView | None]]:
        """The folders of a directory that was looked at; None for what vanished, is closed to us, or a link by now."""
        if not view.folders:
            return []
        below = [f"{place}/{name}" if place else name for name in view.folders]
        try:
            directory = open_again(view.path, view.identity)
        except OSError as error:
            check_disk(error, view.path)
            return [(folder, None) for folder in below]
        try:
            return [
                (folder, self._look_below(directory, name, folder, view.around))
                for folder, name in zip(below, view.folders, strict=True)
            ]
        finally:
            close_quietly(directory)

    def _look_below(self, above: int, name: str, place: str, around: Surroundings) -> DirectoryView | None:
        try:
            directory = open_below(above, name)
        except OSError as error:
            check_disk(error, self.path(place))
            return None
        try:
            return self._look(directory, place, around)
        except OSError as error:
            check_disk(error, self.path(place))
            return None
        finally:
            close_quietly(directory)

    def _counted(self, seen: list[tuple[str, DirectoryView | None, int]]) -> list[Found]:
        counted = [False] * len(seen)
        large = [False] * len(seen)  # itself, or one below it
        kept = [False] * len(seen)
        for at in range(len(seen) - 1, -1, -1):
            _, view, parent = seen[at]
            if view is None:
                counted[at] = large[at] = kept[at] = True
            else:
                counted[at] = counted[at] or at == 0 or view.counts
                enough = tokens_of_bytes(view.source_bytes) >= self.settings.min_tokens
                large[at] = large[at] or at == 0 or (counted[at] and enough)
                # There is nothing to say of a directory without files; what someone wrote there all the same counts.
                kept[at] = large[at] and (at == 0 or view.has_files or view.has_context)
            if parent >= 0:
                counted[parent] = counted[parent] or counted[at]
                large[parent] = large[parent] or large[at]
        return [Found(seen[at][0], seen[at][1], kept[at], large[at]) for at in range(len(seen)) if counted[at]]


def scan(project: Project, *, deep: bool = False) -> list[Found]:
    """The directories that count; IoError when the root cannot be read. Questions about code look at `deep` ones, too:
    source may lie below every directory that has a context."""
    try:
        return project.directories(deep=deep)
    except OSError as error:
        raise IoError(f"'{printable(project.root)}' cannot be read: {error.strerror}") from None


def check_root(project: Project) -> None:
    """Return where the project's root can be read; IoError otherwise."""
    try:
        project.view("")
    except OSError as error:
        raise IoError(f"'{printable(project.root)}' cannot be read: {error.strerror}") from None


def place_of(project: Project, scope: str) -> str:
    """Where a scope leads; UsageError when it leaves the project."""
    try:
        return project.place_of(scope)
    except ScopeOutside:
        raise UsageError(f"'{scope}' is outside the project: give a path below its root") from None


def with_place(project: Project, found: list[Found], place: str, scope: str) -> list[Found]:
    """The directories, with this one kept: a user who names a directory below the threshold means it."""
    if any(item.place == place and item.kept for item in found):
        return found
    try:
        view = project.view(place)
    except OSError:
        raise UsageError(f"there is no directory '{scope}' that can be read") from None
    return [*[item for item in found if item.place != place], Found(place, view, kept=True)]
