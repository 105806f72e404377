"""One directory as a single look found it: its files, what is left out, its context and its fingerprint."""

from __future__ import annotations

import os
from errno import ENOENT, ENOTDIR
from stat import S_ISREG
from time import time_ns

from holdfast.contexts import schema
from holdfast.contexts.fingerprint import ContentEntry, StatEntry, content_fingerprint, stat_fingerprint
from holdfast.contexts.freshness import MISSING, Freshness, freshness
from holdfast.contexts.ignore import CONTEXTIGNORE, GITIGNORE, Rules
from holdfast.contexts.source_kinds import is_source
from holdfast.core.confined_paths import open_again, open_beneath, open_directory
from holdfast.core.errors import ContextCorrupt, ContextMissing, UnsupportedVersion
from holdfast.core.file_identity import are_settled, directory_identity, identity
from holdfast.core.globs import as_bytes
from holdfast.core.record import NamedTuple
from holdfast.core.regular_files import close_quietly, read_regular
from holdfast.core.staging import is_staging_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from holdfast.core.file_contents import FileContents
    from holdfast.core.file_identity import Identity

    Context = dict[str, Any]

CONTEXT_FILE = schema.FILE_NAME
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_CHUNK = 1 << 20
_MAX_IGNORE_BYTES = 1 << 20
_NO_FILE = (0, -1, 0, 0, 0)  # the identity of what is no regular file


class Headline(NamedTuple):
    """What a listing tells of a context."""

    fingerprint: str
    last_updated: str
    summary: str


class SourceFile(NamedTuple):
    """A file that counts for the fingerprint."""

    name: str
    size: int


class DirectoryView:
    """A directory at one moment. What costs a read is read when first asked for, and then kept.

    It is read from the directory that was looked at, or not at all: `identity` says which that was.
    """

    __slots__ = (
        *("_all_files", "_content", "_headline", "_verdict", "counts", "files"),
        *("folders", "has_context", "identity", "path", "rules", "source_bytes"),
    )

    def __init__(
        self,
        path: str,
        identity: Identity,
        rules: Rules,
        folders: list[str],
        files: list[SourceFile],
        all_files: list[tuple[str, int, int]],
        *,
        has_context: bool,
    ) -> None:
        self.path = path
        self.identity = identity
        self.rules = rules
        self.folders = folders
        self.files = files
        self.has_context = has_context
        sizes = [file.size for file in files if is_source(file.name)]
        self.counts = bool(sizes)  # at least one source file
        self.source_bytes = sum(sizes)
        self._all_files = all_files
        self._content = ""
        self._headline: Headline | Exception | None = None
        self._verdict: Freshness | None = None

    @property
    def sources(self) -> list[str]:
        """The names of the source files, sorted."""
        return sorted(file.name for file in self.files if is_source(file.name))

    def headline(self) -> Headline:
        """The headline of its context; ContextMissing, ContextCorrupt or UnsupportedVersion when it has none."""
        found = self._headline
        if found is None:
            try:
                directory = open_again(self.path, self.identity)
            except OSError:
                raise ContextMissing from None  # gone since, and perhaps back in a moment: nothing to keep
            try:
                found = self._headline = _read_headline(directory)
            finally:
                close_quietly(directory)
        if isinstance(found, Exception):
            raise _copied(found)
        return found

    def fingerprint(self) -> str:
        """The content form."""
        if not self._content:
            try:
                directory = open_again(self.path, self.identity)
            except OSError:
                return content_fingerprint([_unread(file) for file in self.files])  # gone since: nothing to keep
            try:
                self._content = content_fingerprint([_content_entry(directory, file) for file in self.files])
            finally:
                close_quietly(directory)
        return self._content

    @property
    def is_judged(self) -> bool:
        """Whether the verdict is known and costs nothing."""
        return self._verdict is not None

    def freshness(self) -> Freshness:
        """Whether its context still holds; a context that cannot be used counts as missing."""
        if self._verdict is not None:
            return self._verdict
        try:
            stored = self.headline().fingerprint
            found = freshness(stored, self.fingerprint(), self.stat_fingerprint)
        except (ContextMissing, ContextCorrupt, UnsupportedVersion):
            found = Freshness(MISSING, "")
        if self._content or isinstance(self._headline, Exception):
            self._verdict = found
        return found

    def stat_fingerprint(self) -> str:
        """The stat form, of all regular files, ignored ones too."""
        return stat_fingerprint([StatEntry(os.fsencode(name), mtime, size) for name, mtime, size in self._all_files])


def _copied(error: Exception) -> Exception:
    """A new error that says the same. One that is raised again and again would keep every frame it ever passed."""
    copy = type(error).__new__(type(error), *error.args)
    copy.__dict__.update(error.__dict__)
    return copy


def _read_headline(directory: int) -> Headline | Exception:
    try:
        context = parse_context(_read_context_file(CONTEXT_FILE, directory))
    except (ContextMissing, ContextCorrupt, UnsupportedVersion) as error:
        return _copied(error)
    return Headline(context["fingerprint"], context["last_updated"], context["summary"])


def _content_entry(directory: int, file: SourceFile) -> ContentEntry:
    name = os.fsencode(file.name)
    try:
        digest, size = digest_file(name, file.size, dir_fd=directory)
    except OSError:
        return _unread(file)
    return ContentEntry(name, size, digest)


def _unread(file: SourceFile) -> ContentEntry:
    """It is there, and that is all that can be known of it."""
    return ContentEntry(os.fsencode(file.name), file.size, "")


def digest_file(path: bytes | str, expected: int, *, dir_fd: int | None = None) -> tuple[str, int]:
    """The hex sha256 of a file and its size; `expected` is the size it is thought to have. Raises OSError."""
    from hashlib import sha256

    descriptor = os.open(path, _READ, dir_fd=dir_fd)
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
        os.close(descriptor)


def read_context(directory: str) -> Context:
    """The valid context of a directory; ContextMissing, ContextCorrupt or UnsupportedVersion."""
    return parse_context(read_context_bytes(directory))


def read_context_beneath(root: str, place: str) -> Context:
    """The same for a directory at a path from a root; OSError when there is none that is reached without a link."""
    directory = open_beneath(root, place)
    try:
        return parse_context(_read_context_file(CONTEXT_FILE, directory))
    finally:
        close_quietly(directory)


def read_context_bytes(directory: str) -> bytes:
    """The bytes of its `.context.yaml`, whatever they are; ContextMissing, or ContextCorrupt when it has none."""
    return _read_context_file(f"{directory}/{CONTEXT_FILE}", None)


def _read_context_file(path: str, directory: int | None) -> bytes:
    from holdfast.contexts.yaml_text import MAX_BYTES

    try:
        return read_regular(path, dir_fd=directory, limit=MAX_BYTES)
    except (FileNotFoundError, ValueError):
        raise ContextMissing from None
    except OSError as error:
        if error.errno == ENOTDIR:  # the scope is a file, or lies below one
            raise ContextMissing from None
        raise ContextCorrupt(error.strerror or "cannot be read") from None


def parse_context(data: bytes) -> Context:
    """A valid context; ContextCorrupt or UnsupportedVersion."""
    from holdfast.contexts.yaml_text import YamlError, parse

    try:
        value = parse(data)
    except YamlError as error:
        raise ContextCorrupt(error.reason) from None
    problems = schema.check(value)
    if problems:
        raise ContextCorrupt(f"{problems[0].field} {problems[0].problem}".strip())
    context: Context = value
    return context


def look(
    contents: FileContents, path: str, place: str, outer: Rules, extra_patterns: Sequence[str] = ()
) -> DirectoryView:
    """The directory at a path, as `look_into` gives it. Raises OSError."""
    directory = open_directory(path)
    try:
        return look_into(directory, contents, path, place, outer, extra_patterns)
    finally:
        close_quietly(directory)


def look_into(
    directory: int, contents: FileContents, path: str, place: str, outer: Rules, extra_patterns: Sequence[str] = ()
) -> DirectoryView:
    """An open directory now; the view of an earlier look when nothing can have changed since. Raises OSError.

    `path` is what it was opened by; `place` is its path from where the rules start; `outer` are the rules in force
    around it.
    """
    started = time_ns()
    status = os.fstat(directory)
    if not status.st_nlink:
        raise FileNotFoundError(ENOENT, "removed since it was opened", path)
    itself = directory_identity(status)
    folders: list[str] = []
    files: list[tuple[str, Identity]] = []
    with os.scandir(directory) as entries:
        for entry in entries:
            if is_staging_name(entry.name):
                continue  # ours, and gone in a moment
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
            elif entry.is_file(follow_symlinks=False):
                try:
                    found = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                if not S_ISREG(found.st_mode):
                    continue
                files.append((entry.name, identity(found)))
            elif entry.name == CONTEXT_FILE:
                files.append((entry.name, _NO_FILE))  # there, but no file: a context that cannot be used

    def make() -> DirectoryView:
        rules = outer.within(place, *_ignore_files(directory, {name for name, _ in files}, extra_patterns))
        return _view(path, itself, place, rules, folders, files)

    if not are_settled([seen for _, seen in files], started):
        return make()
    return contents.memo(
        ("directory", path), (), make, namespace="context", variant=(outer.key, extra_patterns, folders, files, itself)
    )


def _ignore_files(directory: int, names: set[str], extra: Sequence[str]) -> tuple[bytes | None, bytes | None]:
    """The texts of its two ignore files, where it has them; `extra` patterns are as good as some of the second."""
    git, own = [_ignore_file(directory, name) if name in names else None for name in (GITIGNORE, CONTEXTIGNORE)]
    return git, b"\n".join([own or b"", *map(as_bytes, extra)]) if extra else own


def _view(
    path: str, itself: Identity, place: str, rules: Rules, folders: list[str], files: list[tuple[str, Identity]]
) -> DirectoryView:
    ignores = rules.ignores
    return DirectoryView(
        path,
        itself,
        rules,
        sorted([name for name in folders if not ignores(place, name, folder=True)]),
        [
            SourceFile(name, seen[1])
            for name, seen in files
            if name != CONTEXT_FILE and (rules.is_empty or not ignores(place, name, folder=False))
        ],
        [(name, seen[0], seen[1]) for name, seen in files if name != CONTEXT_FILE],
        has_context=any(name == CONTEXT_FILE for name, _ in files),
    )


def _ignore_file(directory: int, name: str) -> bytes | None:
    try:
        return read_regular(name, dir_fd=directory, limit=_MAX_IGNORE_BYTES)
    except OSError:
        return None
