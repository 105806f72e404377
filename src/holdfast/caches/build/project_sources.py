"""Which files of a project's sources are read: found by ignore rules and patterns, and what was passed over and why."""

from __future__ import annotations

import os
import stat

from holdfast.caches.build.publish import OWN_FOLDER
from holdfast.caches.build.source_item import SourceItem
from holdfast.caches.readers.reader_table import reader_of
from holdfast.core.confined_paths import lies_inside, printable
from holdfast.core.globs import GlobList
from holdfast.core.ignore_rules import BUILD_FOLDERS, CONTEXTIGNORE, GITIGNORE, Rules
from holdfast.core.record import NamedTuple
from holdfast.core.regular_files import read_regular
from holdfast.core.unicode_text import is_unicode, lower_case

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# What makes a folder a virtual environment, and where Sphinx writes.
_ENVIRONMENT = "pyvenv.cfg"
_OUTPUT = "_build"
_MAX_IGNORE_BYTES = 1 << 20
# The longest extension that is told as one.
_MAX_EXTENSION = 12


class PassedOver(NamedTuple):
    """A file that was not read though its name is that of a source, and why, in words that follow the name.

    `is_fault` tells what a person should mend from what is always passed over, such as the lock of an editor.
    """

    source: str
    reason: str
    is_fault: bool = True


class FoundSources(NamedTuple):
    """The files to read, what was passed over, and how many there are of each kind that is not read."""

    items: list[SourceItem]
    passed: list[PassedOver]
    other_kinds: dict[str, int]
    folders: list[str]  # left out as what tools made or fetched

    @classmethod
    def none(cls) -> FoundSources:
        """Nothing yet."""
        return cls([], [], {}, [])


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
    reader = reader_of(name)
    if reader is None:
        found.passed.append(PassedOver(printable(name), "is of a kind that is not read"))
    elif patterns.includes(name) and not patterns.excludes(name, folder=False):
        found.items.append(SourceItem(name, path, reader.name, root, top))


def find_below(
    root: str, top: str, patterns: Patterns, left_out: str, found: FoundSources, tell: Callable[[int], None]
) -> None:
    """Add the files below a folder; both paths are real. `left_out` is a real folder that is no part of the sources."""
    walk = _Walk(root, top, patterns, left_out, found)
    for number, _ in enumerate(walk.directories(), 1):
        if number % 64 == 0:
            tell(len(found.items))


class _Walk:
    """One walk over a folder."""

    def __init__(self, root: str, top: str, patterns: Patterns, left_out: str, found: FoundSources) -> None:
        self._root, self._top, self._left_out = root, top, left_out
        self._patterns, self._found = patterns, found
        # Ignore rules know paths from the top.
        self._above = root[len(top) :].strip("/")

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
            rules = self._with_files(rules, place, os.path.join(self._top, place))
            if rules.ignores(place, name, folder=True):
                return Rules()
            place = f"{place}/{name}" if place else name
        return rules

    def _with_files(self, rules: Rules, place: str, path: str) -> Rules:
        texts = [_ignore_file(os.path.join(path, name)) for name in (GITIGNORE, CONTEXTIGNORE)]
        return rules.within(place, *texts)

    def _look_into(self, place: str, rules: Rules, waiting: list[tuple[str, Rules]]) -> None:
        path = os.path.join(self._root, place) if place else self._root
        try:
            with os.scandir(path) as listed:
                entries = sorted(listed, key=lambda entry: entry.name)
        except OSError as error:
            self._pass_over(place or ".", f"cannot be listed: {error.strerror}")
            return
        names = {entry.name for entry in entries}
        if place and _ENVIRONMENT in names:
            self._found.folders.append(printable(place))
            return
        directory = "/".join([part for part in (self._above, place) if part])
        if GITIGNORE in names or CONTEXTIGNORE in names:
            rules = self._with_files(rules, directory, path)
        for entry in entries:
            source = f"{place}/{entry.name}" if place else entry.name
            try:
                is_folder = entry.is_dir(follow_symlinks=False)
            except OSError:
                is_folder = False
            if is_folder:
                if self._enters(entry, source, directory, rules):
                    waiting.append((source, rules))
            elif not rules.ignores(directory, entry.name, folder=False):
                self._look_at(entry, source)

    def _enters(self, entry: os.DirEntry[str], source: str, directory: str, rules: Rules) -> bool:
        if entry.name in (".git", OWN_FOLDER) or entry.path == self._left_out:
            return False
        if rules.ignores(directory, entry.name, folder=True):
            if entry.name in BUILD_FOLDERS:
                self._found.folders.append(printable(source))
            return False
        if entry.name == _OUTPUT:
            self._found.folders.append(printable(source))
            return False
        return not self._patterns.excludes(source, folder=True)

    def _look_at(self, entry: os.DirEntry[str], source: str) -> None:
        name = entry.name
        if name.startswith((".#", "~$")) or (name.startswith("#") and name.endswith("#")):
            self._pass_over(source, "is the lock of an editor", is_fault=False)
            return
        if name.startswith("."):
            return  # hidden, as for those who list a folder
        if self._patterns.excludes(source, folder=False) or not self._patterns.includes(source):
            return
        reader = reader_of(name)
        if entry.is_symlink():
            path = self._led_to(entry, source, is_source=reader is not None)
        else:
            path = entry.path if reader is None or _is_regular(entry) else ""
            if not path:
                self._pass_over(source, "is not a regular file")
        if not path:
            return
        if not is_unicode(source):
            self._pass_over(source, "has a name that is not UTF-8: rename it")
        elif reader is None:
            kind = _kind(name)
            self._found.other_kinds[kind] = self._found.other_kinds.get(kind, 0) + 1
        else:
            self._found.items.append(SourceItem._make((source, path, reader.name, self._root, self._top)))

    def _led_to(self, entry: os.DirEntry[str], source: str, *, is_source: bool) -> str:
        """The real file that a link leads to; empty where it is none of the sources, which is told where it matters."""
        real = os.path.realpath(entry.path)
        try:
            mode = os.stat(real).st_mode
        except OSError:
            if is_source:
                self._pass_over(source, "is a link that leads to no file")
            return ""
        is_folder = stat.S_ISDIR(mode)
        if not lies_inside(real, self._root):
            if is_source or is_folder:
                self._pass_over(source, "is a link that leads outside the sources")
            return ""
        if is_folder:
            self._pass_over(source, "is a link to a folder, which is read where it stands", is_fault=False)
            return ""
        if not stat.S_ISREG(mode):
            self._pass_over(source, "is not a regular file")
            return ""
        return real

    def _pass_over(self, source: str, reason: str, *, is_fault: bool = True) -> None:
        self._found.passed.append(PassedOver(printable(source), reason, is_fault))


def _is_regular(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file(follow_symlinks=False)
    except OSError:
        return False


def _ignore_file(path: str) -> bytes | None:
    try:
        return read_regular(path, limit=_MAX_IGNORE_BYTES)
    except OSError:
        return None


def _kind(name: str) -> str:
    """What the kind of a file is called where files are counted: its extension, or that it has none."""
    stem, dot, extension = name.rpartition(".")
    if not stem or not dot or not extension.isascii() or len(extension) > _MAX_EXTENSION:
        return "without an extension"
    return f".{lower_case(extension)}"
