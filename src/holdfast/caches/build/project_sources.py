"""Which files of a project's sources are read: found by ignore rules and patterns, and what was passed over and why."""

from __future__ import annotations

import os
from _operator import attrgetter  # `operator` itself is slower to load
from collections.abc import Callable, Iterator, Sequence

from holdfast.caches.build.found_site import NO_SITE, FoundSite, site_in
from holdfast.caches.build.guarded_files import (
    FILE,
    FOLDER,
    NOTHING,
    OUTSIDE,
    IgnoredFiles,
    ignore_files,
    ignore_texts,
    led_to,
)
from holdfast.caches.build.source_item import FOUND, NAMED, SourceItem
from holdfast.caches.on_disk.cache_directory import OWN_FOLDER
from holdfast.caches.readers.generators import GENERATORS, MARKS
from holdfast.caches.readers.reader_table import reader_of
from holdfast.core import posix_calls
from holdfast.core.confined_paths import lies_inside, printable
from holdfast.core.file_identity import Identity, identity
from holdfast.core.globs import GlobList
from holdfast.core.ignore_rules import BUILD_FOLDERS, CONTEXTIGNORE, GITIGNORE, Rules
from holdfast.core.record import NamedTuple
from holdfast.core.regular_files import close_quietly
from holdfast.core.unicode_text import is_unicode, lower_case

# Why a folder is left out.
MADE = "made or fetched by a tool"
# What makes a folder a virtual environment, and where Sphinx writes.
_ENVIRONMENT = "pyvenv.cfg"
_OUTPUT = "_build"
# The longest extension that is reported as one.
_MAX_EXTENSION = 12
_FOLDER = posix_calls.DIRECTORY | posix_calls.O_NONBLOCK
# Files, by their paths from a folder, whose contents say what of the folder is read.
_MARKS_OF_SITES = (GITIGNORE, CONTEXTIGNORE, *[mark for generator in GENERATORS for mark in generator.marks])
_DECIDING = MARKS | {GITIGNORE, CONTEXTIGNORE}
_name_of: Callable[[os.DirEntry[str]], str] = attrgetter("name")


class PassedOver(NamedTuple):
    """A file that was not read though its name is that of a source, and why, in words that follow the name.

    `is_fault` tells what a person should mend from what is always passed over, such as the lock of an editor.
    """

    source: str
    reason: str
    is_fault: bool = True


class FoundSources(NamedTuple):
    """The files to read, what was passed over, and how many there are of each kind that is not read.

    `stamps` has for each item what its file was when it was found, None where nobody looked.
    """

    items: list[SourceItem]
    stamps: list[Identity | None]
    passed: list[PassedOver]
    other_kinds: dict[str, int]
    folders: list[PassedOver]  # left out: what tools made or fetched; versions, translations and blogs of a site
    watched: list[str]  # paths beside the items that decided what was found: a change of one may change it

    @classmethod
    def none(cls) -> FoundSources:
        """Nothing yet."""
        return cls([], [], [], {}, [], [])

    def add(self, item: SourceItem, stamp: Identity | None = None) -> None:
        """One more file to read."""
        self.items.append(item)
        self.stamps.append(stamp)


class Patterns(NamedTuple):
    """What a cache includes and excludes of its sources; None where everything is."""

    include: GlobList | None
    exclude: GlobList | None

    @classmethod
    def of(cls, include: Sequence[str], exclude: Sequence[str]) -> Patterns:
        """The patterns, in the words of an ignore file."""
        return cls(*[GlobList.parse("\n".join(given)) if given else None for given in (include, exclude)])

    def excludes(self, path: str, *, folder: bool) -> bool:
        """Whether a path below the sources is left out, with everything below it."""
        return self.exclude is not None and self.exclude.decide(path, folder=folder) is True

    def includes(self, path: str) -> bool:
        """Whether a file is taken, by its own name or that of a folder it is in."""
        if self.include is None:
            return True
        if (decided := self.include.decide(path, folder=False)) is not None:
            return decided
        while (path := path.rpartition("/")[0]) != "":
            if (decided := self.include.decide(path, folder=True)) is not None:
                return decided
        return False

    def take(self, path: str) -> bool:
        """Whether a file is read."""
        return not self.excludes(path, folder=False) and self.includes(path)


def checkout_top(path: str, project: str) -> str:
    """The top of the checkout that a real path is in, or of the project where there is none on the way up to it."""
    place = path
    while lies_inside(place, project):
        if os.path.lexists(os.path.join(place, ".git")):
            return place
        if place == project:
            break
        place = os.path.dirname(place)
    return project


def find_file(path: str, top: str, patterns: Patterns, found: FoundSources) -> None:
    """Add one file that was named itself."""
    root, name = os.path.split(path)
    site = _site_above(root, top, found, within=True)
    reader = reader_of(name, site.generator)
    if reader is None:
        found.passed.append(PassedOver(printable(name), "is of a kind that is not read"))
    elif patterns.take(name):
        found.add(SourceItem(name, path, reader.name, root, top, NAMED, site.folder if site.reads(reader.name) else ""))


def find_below(
    root: str, top: str, patterns: Patterns, left_out: str, found: FoundSources, tell: Callable[[int], None]
) -> None:
    """Add the files below a folder; both paths are real. `left_out` is a real folder that is no part of the sources."""
    walk = _Walk(root, top, patterns, left_out, found)
    for number, _ in enumerate(walk.directories(), 1):
        if number % 64 == 0:
            tell(len(found.items))


def _site_above(root: str, top: str, found: FoundSources, *, within: bool) -> FoundSite:
    """The site that a folder is in by what is above it, and `within` it: the nearest one. Paths are real."""
    site = NO_SITE
    names = root[len(top) :].strip("/").split("/") if root != top else []
    for depth in range(len(names) + within):
        folder = os.path.join(top, *names[:depth])
        try:
            held = os.listdir(folder)
        except OSError:
            continue
        _watch(folder, held, found)
        site = site_in(held, folder, "/".join([".."] * (len(names) - depth)), top, site)
    return site


def _watch(folder: str, names: Sequence[str], found: FoundSources) -> None:
    """Note a folder that was listed, and the files in it that say what is read: ignore files, and those of sites."""
    found.watched.append(folder)
    if not _DECIDING.isdisjoint(names):
        held = frozenset(names)
        found.watched.extend([os.path.join(folder, mark) for mark in _MARKS_OF_SITES if mark.partition("/")[0] in held])


class _Walk:
    """One walk over a folder."""

    def __init__(self, root: str, top: str, patterns: Patterns, left_out: str, found: FoundSources) -> None:
        self._root, self._top, self._left_out = root, top, left_out
        self._patterns, self._found = patterns, found
        self._sites = {
            "": _site_above(root, top, found, within=False)
        }  # by folder, those that differ from the one above
        # Ignore rules know paths from the top.
        self._above = root[len(top) :].strip("/")
        self._ignored = IgnoredFiles(top, self._above)

    def directories(self) -> Iterator[str]:
        """Look into one directory after another; each as it is done."""
        waiting = [("", self._rules_above())]
        while waiting:
            place, rules = waiting.pop()
            self._look_into(place, rules, waiting)
            yield place

    def _rules_above(self) -> Rules:
        """The rules of the directories above the folder; none where they leave out the folder, which was named."""
        rules = Rules()
        place = ""
        for name in self._above.split("/") if self._above else ():
            rules = rules.within(place, *ignore_texts(self._top, place))
            if rules.ignores(place, name, folder=True):
                return Rules()
            place = f"{place}/{name}" if place else name
        return rules

    def _look_into(self, place: str, rules: Rules, waiting: list[tuple[str, Rules]]) -> None:
        path = os.path.join(self._root, place) if place else self._root
        folder = -1
        try:
            try:
                folder = posix_calls.open(path, _FOLDER)
                with posix_calls.scandir(folder) as listed:
                    entries = sorted(listed, key=_name_of)
            except OSError as error:
                self._pass_over(place or ".", f"cannot be listed: {error.strerror}")
                return
            self._look_through(entries, path, place, rules, waiting)
        finally:
            close_quietly(folder)

    def _look_through(
        self, entries: Sequence[os.DirEntry[str]], path: str, place: str, rules: Rules, waiting: list[tuple[str, Rules]]
    ) -> None:
        """Look at what a directory holds, by name."""
        names = list(map(_name_of, entries))
        _watch(path, names, self._found)
        if place and _ENVIRONMENT in names:
            self._leave_out(place, MADE)
            return
        directory = "/".join([part for part in (self._above, place) if part])
        if GITIGNORE in names or CONTEXTIGNORE in names:
            rules = rules.within(directory, *ignore_texts(self._top, directory))
        below, above = f"{place}/" if place else "", os.path.join(path, "")
        site = self._site(place, names, path)
        left = {} if self._patterns.include is not None else site.left_out(place, names)
        for entry in entries:
            source, where = below + entry.name, above + entry.name
            try:
                is_folder = entry.is_dir(follow_symlinks=False)
            except OSError:
                is_folder = False
            if not is_folder and rules.ignores(directory, entry.name, folder=False):
                continue
            if entry.name in left:
                self._leave_out(source, left[entry.name])
            elif not is_folder:
                self._look_at(entry, where, source, site)
            elif self._enters(entry.name, where, source, directory, rules):
                waiting.append((source, rules))

    def _site(self, place: str, names: Sequence[str], path: str) -> FoundSite:
        """The site of a folder: its own, or that of the nearest folder above it that has one."""
        above = place
        while above not in self._sites:
            above = above.rpartition("/")[0]
        site = site_in(names, path, place, self._top, self._sites[above])
        if site is not self._sites[above]:
            self._sites[place] = site
        return site

    def _enters(self, name: str, path: str, source: str, directory: str, rules: Rules) -> bool:
        if name in (".git", OWN_FOLDER) or path == self._left_out:
            return False
        if rules.ignores(directory, name, folder=True):
            if name in BUILD_FOLDERS:
                self._leave_out(source, MADE)
            return False
        if name == _OUTPUT:
            self._leave_out(source, MADE)
            return False
        return not self._patterns.excludes(source, folder=True)

    def _look_at(self, entry: os.DirEntry[str], path: str, source: str, site: FoundSite) -> None:
        name = entry.name
        if name.startswith((".#", "~$")) or (name.startswith("#") and name.endswith("#")):
            self._pass_over(source, "is the lock of an editor", is_fault=False)
            return
        if name.startswith("."):
            return  # hidden, as for those who list a folder
        if not self._patterns.take(source):
            return
        reader, stamp = reader_of(name, site.generator), None
        try:
            if entry.is_symlink():
                self._found.watched.append(path)
                path = self._led_to(path, source, is_source=reader is not None)
                if not path:
                    return
            elif reader is not None:
                if not entry.is_file(follow_symlinks=False):
                    self._pass_over(source, "is not a regular file")
                    return
                stamp = identity(entry.stat(follow_symlinks=False))
        except OSError:
            pass  # it is gone by now: reading it reports that
        if not is_unicode(source):
            self._pass_over(source, "has a name that is not UTF-8: rename it")
        elif reader is None:
            kind = _kind(name)
            self._found.other_kinds[kind] = self._found.other_kinds.get(kind, 0) + 1
        else:
            folder = site.folder if site.reads(reader.name) else ""
            self._found.add(SourceItem(source, path, reader.name, self._root, self._top, FOUND, folder), stamp)

    def _led_to(self, path: str, source: str, *, is_source: bool) -> str:
        """The real file that a link leads to; empty where it is none of the sources, which is reported where it
        matters."""
        kind, real = led_to(path, self._root)
        if kind == FILE:
            self._found.watched.extend(ignore_files(real, self._top, set()))
        if kind == OUTSIDE:
            if is_source or os.path.isdir(real):
                self._pass_over(source, "is a link that leads outside the sources")
        elif kind == NOTHING:
            if is_source:
                self._pass_over(source, "is a link that leads to no file")
        elif kind == FOLDER:
            self._pass_over(source, "is a link to a folder, which is read where it stands", is_fault=False)
        elif kind != FILE:
            self._pass_over(source, "is not a regular file")
        elif self._ignored.leave_out(real[len(self._top) :].strip("/")):
            if is_source:
                self._pass_over(source, "is a link to a file that an ignore file leaves out")
        else:
            return real
        return ""

    def _leave_out(self, folder: str, reason: str) -> None:
        self._found.folders.append(PassedOver(printable(folder), reason, is_fault=False))

    def _pass_over(self, source: str, reason: str, *, is_fault: bool = True) -> None:
        self._found.passed.append(PassedOver(printable(source), reason, is_fault))


def _kind(name: str) -> str:
    """What the kind of a file is called where files are counted: its extension, or that it has none."""
    stem, dot, extension = name.rpartition(".")
    if not stem or not dot or not extension.isascii() or len(extension) > _MAX_EXTENSION:
        return "without an extension"
    return f".{lower_case(extension)}"
