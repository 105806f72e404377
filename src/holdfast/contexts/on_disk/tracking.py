"""What git tracks, as one look at a directory needs it: which files count there, and what is checked in of each."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from holdfast.code.git_index import IndexUnreadable, TrackedFiles
from holdfast.code.on_disk.repository import Repository, converts_line_ends, tracked_files
from holdfast.contexts import settings
from holdfast.contexts.checked_in import checked_in, is_lfs, is_pointer, pointer
from holdfast.contexts.git_attributes import GITATTRIBUTES, Attributes, attribute_path
from holdfast.contexts.on_disk.directory_scan import SourceFile
from holdfast.contexts.on_disk.disk_failure import check_disk
from holdfast.core import posix_calls
from holdfast.core.file_contents import FileContents
from holdfast.core.globs import GlobList, as_bytes
from holdfast.core.ignore_rules import CONTEXTIGNORE, GITIGNORE
from holdfast.core.regular_files import TooLarge, read_regular

# Larger files count as they lie there: nobody writes text of that length.
_MAX_TEXT = 32 << 20
# Files that commands of ours write into a project's root count from then on: they belong to the next commit. Each
# is recognised by the text beside it.
_OWN = {
    "AGENTS.md": b"<!-- contexts: start -->",
    GITATTRIBUTES: b"merge=holdfast",
    CONTEXTIGNORE: b"",
    settings.FILE_NAME: b"",
}
_READ = os.O_RDONLY | posix_calls.UNFOLLOWED
_CHUNK = 1 << 20


class Tracking:
    """What is tracked, and the attributes in force in one directory; immutable. Places are paths from the top."""

    __slots__ = ("_attributes", "_base", "_configuration", "_converts", "files")

    def __init__(
        self,
        files: TrackedFiles,
        base: str,
        attributes: Attributes,
        converts: Callable[[], bool],
        configuration: str,
    ) -> None:
        self.files = files
        self._base = base  # the project's root
        self._attributes = attributes
        self._converts = converts
        self._configuration = configuration  # what git's settings hash to

    def within(self, place: str, attributes: bytes | None) -> Tracking:
        """The same for a directory's folders, with its own attributes."""
        inner = self._attributes.within(as_bytes(place), attributes)
        if inner is self._attributes:
            return self
        return Tracking(self.files, self._base, inner, self._converts, self._configuration)

    def key(self, place: str) -> tuple[bytes, str, str]:
        """A key that changes whenever git's view of the directory does."""
        return self.files.packed(as_bytes(place)), self._attributes.key, self._configuration

    def holds(self, place: str, folder: str) -> bool:
        """Whether any file at or below a folder is tracked."""
        return self.files.holds(as_bytes(f"{place}/{folder}" if place else folder))

    def counted(self, place: str, names: Sequence[str], read: Callable[[str], bytes | None]) -> set[str]:
        """Which of the names in a directory count; `read` gives the content of a file there."""
        counted = {os.fsdecode(file.name) for file in self.files.files(as_bytes(place))}
        if place == self._base:
            for name, mark in _OWN.items():
                if name in names and name not in counted and mark in (read(name) or b"") and self._may_add(name, read):
                    counted.add(name)
        return counted

    @staticmethod
    def _may_add(name: str, read: Callable[[str], bytes | None]) -> bool:
        return not GlobList.parse(read(GITIGNORE) or b"").decide(name, folder=False)

    def digests(self, directory: int, place: str, files: Sequence[SourceFile], path: str) -> list[tuple[str, int, str]]:
        """Name, size and SHA-256 of files as git would check them in; no hash for one that cannot be read."""
        known: dict[bytes, bytes] = {}
        found = []
        for name, size in files:
            try:
                found.append((name, *self._digest(directory, place, name, size, known)))
            except OSError as error:
                check_disk(error, f"{path}/{name}")
                found.append((name, size, ""))
        return found

    def _digest(self, directory: int, place: str, name: str, size: int, known: dict[bytes, bytes]) -> tuple[int, str]:
        from hashlib import sha256

        path = attribute_path(place, name)
        attributes = self._attributes.of(path) if self._attributes.rewrites else None
        try:
            data = read_regular(name, dir_fd=directory, limit=_MAX_TEXT)
        except TooLarge:
            digest, size = digest_file(name, size, dir_fd=directory)
            if attributes is None or not is_lfs(attributes):
                return size, digest
            data = pointer(digest, size)
        if attributes is not None and is_lfs(attributes):
            if not is_pointer(data):
                data = pointer(sha256(data).hexdigest(), len(data))
        elif attributes or b"\r\n" in data:
            if not known:
                known.update({file.name: file.object_id for file in self.files.files(as_bytes(place))})
            checked = known.get(as_bytes(name), bytes(self.files.id_bytes))
            data = checked_in(data, attributes or self._attributes.of(path), checked, self._converts)
        return len(data), sha256(data).hexdigest()


def open_tracking(
    contents: FileContents, repository: Repository, base: str, index: str = ""
) -> Tracking | IndexUnreadable | None:
    """The tracking of a project at `base`, a path from the top; None where git tracks nothing of it yet."""
    files = tracked_files(contents, repository, index)
    if isinstance(files, IndexUnreadable):
        return files
    if not files.holds(as_bytes(base)):
        return None
    attributes = Attributes().overridden(contents.read(repository.shared("info/attributes"), namespace="context"))
    above = ""
    for name in base.split("/") if base else ():  # a file of the project's root is read when it is looked at
        text = contents.read(os.path.join(repository.top, above, GITATTRIBUTES), namespace="context")
        attributes = attributes.within(as_bytes(above), text)
        above = f"{above}/{name}" if above else name
    settings_of_git = contents.digest(repository.shared("config"), namespace="context")
    known: list[bool] = []

    def converts() -> bool:
        if not known:
            known.append(converts_line_ends(contents, repository))
        return known[0]

    return Tracking(files, base, attributes, converts, settings_of_git.sha256 if settings_of_git else "")


def digest_file(path: bytes | str, expected: int, *, dir_fd: int | None = None) -> tuple[str, int]:
    """The hex sha256 of a file and its size; `expected` is the size it is thought to have. Raises OSError."""
    from hashlib import sha256

    descriptor = posix_calls.open(path, _READ, dir_fd=dir_fd)
    try:
        data = os.read(descriptor, min(expected + 1, _CHUNK))
        digest = sha256(data)
        size = len(data)
        if size != expected:
            while data := os.read(descriptor, _CHUNK):
                digest.update(data)
                size += len(data)
        return digest.hexdigest(), size
    finally:
        posix_calls.close(descriptor)
