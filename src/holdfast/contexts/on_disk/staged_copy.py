"""What git's index holds, laid out as a project of its own: contexts can be judged and renewed for the next commit.

After `git add -p` the index and the working tree differ, and the index is what a commit, a colleague and CI will see.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from shutil import rmtree
from tempfile import mkdtemp

from holdfast.code.git_index import IndexUnreadable, TrackedFiles
from holdfast.code.on_disk.repository import GIT, Repository, tracked_files
from holdfast.contexts.on_disk.git import read_objects
from holdfast.contexts.on_disk.project import Project
from holdfast.contexts.schema import FILE_NAME
from holdfast.core.atomic_write import write_file
from holdfast.core.errors import IoError, UsageError
from holdfast.core.git_command import git
from holdfast.core.regular_files import read_regular

# Files requested from git at once; a repository is not held in memory.
_BATCH = 500
_ODD_NAMES = frozenset({b"", b".", b"..", b".git"})


class StagedCopy:
    """A directory with the files of the index, gone when the block is left.

    with StagedCopy(project, index) as copy:
        ...look at and write into copy.project...
        copy.stage()
    """

    def __init__(self, project: Project, index: str = "") -> None:
        if project.repository is None:
            raise UsageError("there is no git repository here, and --staged needs one")
        self._real = project
        self._repository: Repository = project.repository
        self._index = index or self._repository.index_file
        self._base = os.path.relpath(project.root, self._repository.top)
        self._place = ""
        self._texts: dict[bytes, bytes] = {}  # path from the top -> the context as it is staged
        self.project = project

    def __enter__(self) -> StagedCopy:
        files = tracked_files(self._real.contents, self._repository, self._index)
        if isinstance(files, IndexUnreadable):
            raise IoError(f"git's index cannot be read: {files.reason}")
        if files.unmerged:
            names = ", ".join([path.decode("utf-8", "replace") for path in files.unmerged[:5]])
            raise UsageError(
                f"merge conflict: {len(files.unmerged)} files are not merged ({names}); resolve and add them"
            )
        self._place = os.path.realpath(mkdtemp(prefix="holdfast-staged-"))
        try:
            self._lay_out(files)
        except BaseException:
            rmtree(self._place, ignore_errors=True)
            raise
        root = os.path.normpath(os.path.join(self._place, self._base))
        os.makedirs(root, exist_ok=True)
        self.project = Project(self._real.contents, root, self._real.root)
        return self

    def __exit__(self, *exc: object) -> None:
        rmtree(self._place, ignore_errors=True)

    def _lay_out(self, files: TrackedFiles) -> None:
        own = os.path.join(self._place, GIT)
        os.mkdir(own)
        _write(os.path.join(own, "HEAD"), b"ref: refs/heads/staged\n")
        _write(os.path.join(own, "index"), read_regular(self._index))
        config = self._real.contents.read(self._repository.shared("config"), namespace="context") or b""
        _write(os.path.join(own, "config"), config)
        rows: list[tuple[bytes, bytes]] = []
        for path, object_id in _below(files, os.fsencode("" if self._base == "." else self._base)):
            rows.append((path, object_id))
            if len(rows) == _BATCH:
                self._write_some(rows)
                rows = []
        self._write_some(rows)

    def _write_some(self, rows: list[tuple[bytes, bytes]]) -> None:
        if not rows:
            return
        top = os.fsencode(self._place)
        contents = read_objects(self._repository.top, [object_id.hex() for _, object_id in rows])
        for (path, _), data in zip(rows, contents, strict=True):
            if data is None:
                continue  # not in this clone: the file counts as one that is not there
            target = os.path.join(top, path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            _write(target, data)
            if path.rpartition(b"/")[2] == FILE_NAME.encode():
                self._texts[path] = data

    def stage(self) -> int:
        """Put the contexts that were changed into the index, and into the working tree where nobody is at work on them.

        How many there were. UsageError when the index is locked; nothing is changed then.
        """
        changed = list(self._changed())
        if not changed:
            return 0
        top = self._repository.top
        printed = git(top, "hash-object", "-w", "--no-filters", "--stdin-paths", given=_paths(self._place, changed))
        ids = printed.split(b"\n")
        lines = [b"100644 %b\t%b\0" % (object_id, path) for (path, _), object_id in zip(changed, ids, strict=False)]
        git(top, "update-index", "-z", "--index-info", given=b"".join(lines))
        for path, data in changed:
            self._update_working_tree(path, data)
        return len(changed)

    def _changed(self) -> Iterator[tuple[bytes, bytes]]:
        for directory, folders, names in os.walk(os.fsencode(self._place)):
            folders[:] = [name for name in folders if name != GIT.encode()]
            if FILE_NAME.encode() in names:
                full = os.path.join(directory, FILE_NAME.encode())
                path = os.path.relpath(full, os.fsencode(self._place))
                data = read_regular(os.fsdecode(full))
                if self._texts.get(path) != data:
                    yield path, data

    def _update_working_tree(self, path: bytes, data: bytes) -> None:
        target = os.path.join(self._repository.top, os.fsdecode(path))
        try:
            old = read_regular(target)
        except FileNotFoundError:
            old = None
        except OSError:
            return
        if old == self._texts.get(path) and os.path.isdir(os.path.dirname(target)):
            write_file(target, data)


def _below(files: TrackedFiles, base: bytes) -> Iterator[tuple[bytes, bytes]]:
    for place in sorted(files.places):
        if base and place != base and not place.startswith(base + b"/"):
            continue
        if place and not _ODD_NAMES.isdisjoint(place.split(b"/")):
            continue  # git itself never writes such a path
        for name, object_id in files.files(place):
            if name not in _ODD_NAMES:
                yield (place + b"/" + name if place else name), object_id


def _paths(top: str, changed: list[tuple[bytes, bytes]]) -> bytes:
    return b"".join([_quoted(os.path.join(os.fsencode(top), path)) + b"\n" for path, _ in changed])


def _quoted(path: bytes) -> bytes:
    """A path as git reads one from a line."""
    if b"\n" not in path and not path.startswith(b'"'):
        return path
    return b'"' + path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'


def _write(path: str | bytes, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
