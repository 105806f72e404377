"""One directory as a single look found it: its files, what is left out, its context and its fingerprint."""

from __future__ import annotations

import os
from errno import ENOENT, ENOTDIR
from hashlib import blake2b
from marshal import dumps
from time import time_ns
from typing import TYPE_CHECKING, Any, NamedTuple

from holdfast.contexts import schema
from holdfast.contexts.claims import PREFIX, claims_of, recorded_claims
from holdfast.contexts.conflict_markers import has_markers
from holdfast.contexts.context_text import machine_fields, without_long_lists
from holdfast.contexts.fingerprint import ContentEntry, StatEntry, content_fingerprint, stat_fingerprint
from holdfast.contexts.freshness import MISSING, Freshness, freshness
from holdfast.contexts.git_attributes import GITATTRIBUTES
from holdfast.contexts.on_disk.directory_scan import Seen, SourceFile, scan_directory
from holdfast.contexts.on_disk.disk_failure import check_disk
from holdfast.contexts.on_disk.tracking import digest_file
from holdfast.contexts.source_kinds import is_source
from holdfast.core import posix_calls
from holdfast.core.confined_paths import open_again, open_beneath
from holdfast.core.errors import ContextCorrupt, ContextMissing, UnsupportedVersion
from holdfast.core.file_identity import are_settled, directory_identity
from holdfast.core.globs import as_bytes
from holdfast.core.ignore_rules import CONTEXTIGNORE, GITIGNORE, Rules
from holdfast.core.regular_files import close_quietly, read_regular

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.contexts.claims import Claim, Recorded
    from holdfast.contexts.on_disk.claim_subjects import Judgement
    from holdfast.contexts.on_disk.tracking import Tracking
    from holdfast.core.file_contents import FileContents
    from holdfast.core.file_identity import Identity

    Context = dict[str, Any]

CONTEXT_FILE = schema.FILE_NAME
_PLAIN = 2  # the form of `marshal` in which equal values are equal bytes
_MAX_IGNORE_BYTES = 1 << 20


class Written(NamedTuple):
    """What people wrote into a context, and the subjects that the file records of it; None where it records nothing."""

    claims: list[Claim]
    recorded: Recorded | None


class Headline(NamedTuple):
    """What a listing tells of a context, and what it claims where its fingerprint covers that."""

    fingerprint: str
    last_updated: str
    summary: str
    scope: str = ""
    written: Written | None = None


class Surroundings(NamedTuple):
    """What is in force around a directory: the ignore files, and in a git repository what it tracks."""

    rules: Rules
    tracking: Tracking | None = None


class DirectoryView:
    """A directory at one moment. What costs a read is read when first asked for, and then kept.

    It is read from the directory that was looked at, or not at all: `identity` says which that was. A project has tens
    of thousands of them, so names are held in one text and sizes in one tuple.
    """

    __slots__ = (
        *("_content", "_headline", "_names", "_place", "_sizes", "_verdict", "around", "counts"),
        *("folders", "has_context", "has_git", "identity", "judgement", "path", "source_bytes"),
    )

    def __init__(
        self,
        path: str,
        identity: Identity,
        around: Surroundings,
        place: str,
        folders: Sequence[str],
        files: Sequence[SourceFile],
        *,
        has_context: bool,
        has_git: bool = False,
    ) -> None:
        self.path = path
        self.identity = identity
        self.around = around  # what is in force around the folders in it
        self.folders = tuple(folders)
        self.has_context = has_context
        self.has_git = has_git
        sizes = [file.size for file in files if is_source(file.name)]
        self.counts = bool(sizes)  # at least one source file
        self.source_bytes = sum(sizes)
        self._place = place
        self._names = "/".join([file.name for file in files])
        self._sizes = tuple([file.size for file in files])
        self._content = ""
        self._headline: Headline | Exception | None = None
        self._verdict: Freshness | None = None
        self.judgement: Judgement | None = None  # of its claims, where these are about itself alone

    @property
    def walked_weight(self) -> int:
        """About the bytes that it takes, its headline included (see `FileContents.memo`)."""
        return 1200 + 2 * len(self.path) + len(self._names) + 16 * len(self._sizes)

    @property
    def files(self) -> list[SourceFile]:
        """The files that count for the fingerprint."""
        if not self._sizes:
            return []
        return [SourceFile(name, size) for name, size in zip(self._names.split("/"), self._sizes, strict=True)]

    @property
    def has_files(self) -> bool:
        """Whether any file counts for the fingerprint."""
        return bool(self._sizes)

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
            except OSError as error:
                check_disk(error, self.path)
                return content_fingerprint([_unread(file) for file in self.files])  # gone since: nothing to keep
            try:
                self._content = content_fingerprint(self._entries(directory))
            finally:
                close_quietly(directory)
        return self._content

    def _entries(self, directory: int) -> list[ContentEntry]:
        tracking = self.around.tracking
        if tracking is None:
            return [_content_entry(directory, file, self.path) for file in self.files]
        return [
            ContentEntry(os.fsencode(name), size, digest)
            for name, size, digest in tracking.digests(directory, self._place, self.files, self.path)
        ]

    @property
    def has_claims(self) -> bool:
        """Whether the fingerprint of its context covers claims."""
        try:
            return self.has_context and self.headline().written is not None
        except (ContextMissing, ContextCorrupt, UnsupportedVersion):
            return False

    @property
    def is_judged(self) -> bool:
        """Whether the verdict is known and costs nothing."""
        return self._verdict is not None

    def freshness(self) -> Freshness:
        """Whether its context still holds by the files; a context that cannot be used counts as missing.

        One whose fingerprint covers claims is judged by `claim_subjects`, which looks at the project for that.
        """
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
        try:
            directory = open_again(self.path, self.identity)
        except OSError:
            return ""
        try:
            files = scan_directory(directory).files
        except OSError:
            return ""
        finally:
            close_quietly(directory)
        return stat_fingerprint(
            [StatEntry(os.fsencode(name), seen[0], seen[1]) for name, seen in files if name != CONTEXT_FILE]
        )


def _copied(error: Exception) -> Exception:
    """A new error that says the same. One that is raised again and again would keep every frame it ever passed."""
    copy = type(error).__new__(type(error), *error.args)
    copy.__dict__.update(error.__dict__)
    return copy


def _read_headline(directory: int) -> Headline | Exception:
    try:
        data = _read_context_file(CONTEXT_FILE, directory)
        short = without_long_lists(data)
        context = parse_context(short)
        has_claims = context["fingerprint"].startswith(PREFIX)
        if has_claims and short is not data:  # what it claims depends on whether someone edited these lists
            context = parse_context(data)
    except (ContextMissing, ContextCorrupt, UnsupportedVersion) as error:
        return _copied(error)
    written = None
    if has_claims:
        text = data.decode("utf-8", "replace")
        written = Written(claims_of(context, machine_fields(context, text)), recorded_claims(text))
    return Headline(context["fingerprint"], context["last_updated"], context["summary"], context["scope"], written)


def _content_entry(directory: int, file: SourceFile, path: str) -> ContentEntry:
    name = os.fsencode(file.name)
    try:
        digest, size = digest_file(name, file.size, dir_fd=directory)
    except OSError as error:
        check_disk(error, f"{path}/{file.name}")
        return _unread(file)
    return ContentEntry(name, size, digest)


def _unread(file: SourceFile) -> ContentEntry:
    """The entry of a file that exists and cannot be read."""
    return ContentEntry(os.fsencode(file.name), file.size, "")


def read_context_beneath(root: str, place: str) -> Context:
    """The valid context of a directory at a path from a root.

    Raises ContextMissing, ContextCorrupt or UnsupportedVersion; OSError when a link is on the way, or no directory.
    """
    directory = open_beneath(root, place)
    try:
        return parse_context(_read_context_file(CONTEXT_FILE, directory))
    finally:
        close_quietly(directory)


def read_context_bytes(directory: str) -> bytes:
    """The bytes of its `.context.yaml`, whatever they are; ContextMissing, or ContextCorrupt when it has none."""
    return _read_context_file(f"{directory}/{CONTEXT_FILE}", None)


def _read_context_file(path: str, directory: int | None) -> bytes:
    from holdfast.core.yaml_text import MAX_BYTES

    try:
        return read_regular(path, dir_fd=directory, limit=MAX_BYTES)
    except (FileNotFoundError, ValueError):
        raise ContextMissing from None
    except OSError as error:
        if error.errno == ENOTDIR:  # the scope is a file, or lies below one
            raise ContextMissing from None
        check_disk(error, path)
        raise ContextCorrupt(error.strerror or "cannot be read") from None


def parse_context(data: bytes) -> Context:
    """A valid context; ContextCorrupt or UnsupportedVersion."""
    from holdfast.core.yaml_text import YamlError, parse

    try:
        value = parse(data)
    except YamlError as error:
        if has_markers(data.decode("utf-8", "replace")):
            raise ContextCorrupt("merge conflict") from None
        raise ContextCorrupt(error.reason) from None
    problems = schema.check(value)
    if problems:
        raise ContextCorrupt(f"{problems[0].field} {problems[0].problem}".strip())
    context: Context = value
    return context


def look_into(
    directory: int,
    contents: FileContents,
    path: str,
    place: str,
    around: Surroundings,
    extra_patterns: Sequence[str] = (),
) -> DirectoryView:
    """An open directory now; the view of an earlier look when nothing can have changed since. Raises OSError.

    `path` is what it was opened by; `place` is its path from where the rules start; `around` is in force around it.
    """
    started = time_ns()
    status = posix_calls.fstat(directory)
    if not status.st_nlink:
        raise FileNotFoundError(ENOENT, "removed since it was opened", path)
    itself = directory_identity(status)
    seen = scan_directory(directory)

    def make() -> DirectoryView:
        return _view(directory, path, itself, place, around, seen, extra_patterns)

    if not are_settled([stamp for _, stamp in seen.files], started):
        return make()
    rules, tracking = around
    known = () if tracking is None else tracking.key(place)
    stamps = dumps((rules.key, known, tuple(extra_patterns), seen.folders, seen.files, itself), _PLAIN)
    now = blake2b(stamps, digest_size=16).digest()
    return contents.memo(("directory", path), (), make, namespace="context", variant=now)


def _view(
    directory: int,
    path: str,
    itself: Identity,
    place: str,
    around: Surroundings,
    seen: Seen,
    extra_patterns: Sequence[str],
) -> DirectoryView:
    names = {name for name, _ in seen.files}
    git, own = [_ignore_file(directory, path, name) if name in names else None for name in (GITIGNORE, CONTEXTIGNORE)]
    if extra_patterns:  # these are as good as some of the second file
        own = b"\n".join([own or b"", *map(as_bytes, extra_patterns)])
    rules, tracking = around
    files = [(name, stamp[1]) for name, stamp in seen.files if name != CONTEXT_FILE]
    folders = seen.folders
    if tracking is None:
        rules = rules.within(place, git, own)
    else:
        # What git tracks is no longer ignored, whatever its ignore files say.
        rules = rules.within(place, None, own)
        attributes = _ignore_file(directory, path, GITATTRIBUTES) if GITATTRIBUTES in names else None
        tracking = tracking.within(place, attributes)
        counted = tracking.counted(place, [name for name, _ in files], lambda name: _ignore_file(directory, path, name))
        files = [(name, size) for name, size in files if name in counted]
        folders = [name for name in folders if tracking.holds(place, name)]
    return DirectoryView(
        path,
        itself,
        Surroundings(rules, tracking),
        place,
        sorted([name for name in folders if not rules.ignores(place, name, folder=True)]),
        [
            SourceFile(name, size)
            for name, size in files
            if rules.is_empty or not rules.ignores(place, name, folder=False)
        ],
        has_context=CONTEXT_FILE in names,
        has_git=seen.has_git,
    )


def _ignore_file(directory: int, path: str, name: str) -> bytes | None:
    try:
        return read_regular(name, dir_fd=directory, limit=_MAX_IGNORE_BYTES)
    except OSError as error:
        check_disk(error, f"{path}/{name}")
        return None
