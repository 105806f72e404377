"""File contents, remembered and never stale: what every family reads its files through.

Three questions can be asked of `FileContents`: what a file holds (`read`), what it hashes to (`digest`), and what was
made of some files, as long as they hash to the same (`memo`). A repeated answer costs one `stat` a file and no read.

An entry is served only while the file's identity is what it was, and only if the file had been at rest when it was
read: a change within the same tick of the clock that stamps files leaves no trace in a `stat`, so an entry younger than
that is read again. docs/decisions/0010-file-contents.md has the reasoning and its limits.
"""

from __future__ import annotations

import os
from _thread import allocate_lock
from errno import ENOENT
from stat import S_ISREG
from time import time_ns
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from holdfast.core import posix_calls
from holdfast.core.bounded_store import BoundedStore
from holdfast.core.confined_paths import is_inside, status_inside
from holdfast.core.file_identity import identity, is_settled

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from holdfast.core.file_identity import Identity

    Value = TypeVar("Value")
else:
    Protocol = object  # `typing` would cost a cold command several milliseconds

MAX_ENTRIES = 4096
MAX_BYTES = 64 << 20
# What is walked through in order, the directories of projects: kept apart, so that it pushes nothing else out.
MAX_WALKED_BYTES = 48 << 20
# Files above this are read, hashed and handed out, but not kept: one of them must not push out everything else.
MAX_KEPT = 16 << 20
# Files above this are hashed but never read into memory.
MAX_READ = 256 << 20

_FLAGS = os.O_RDONLY | posix_calls.O_CLOEXEC | posix_calls.O_NONBLOCK
_CHUNK = 1 << 20
_ATTEMPTS = 3
_OVERHEAD = 512


class FileDigest(NamedTuple):
    """The digest and the size of a file's content."""

    sha256: str  # 64 hex digits
    size: int


class FileContents(Protocol):
    """Remembered reads. Every consumer takes this, so a test can hand in another.

    `namespace` says for whom: `steering`, `spec-status`, `guide`, `context`. It sorts the counts and nothing else;
    namespaces share what is remembered of a file. Paths are used as given: pass absolute ones if the working directory
    may change. `parent` is a descriptor of the directory the file is in, for a path that may lead elsewhere by now: the
    file is then looked for there, and the path says only its name and what it is remembered by. No method raises
    because of what the file system says or does. All are safe under threads.
    """

    def read(self, path: str, *, namespace: str, parent: int | None = None) -> bytes | None:
        """The content of a regular file, links followed; None when there is none that can be read."""

    def text(self, path: str, *, namespace: str, parent: int | None = None) -> str | None:
        """The same as text; bytes that are not UTF-8 become U+FFFD."""

    def digest(self, path: str, *, namespace: str) -> FileDigest | None:
        """The hash and size of a regular file, without keeping its content; None as for `read`."""

    def dated(
        self,
        key: Hashable,
        path: str,
        make: Callable[[bytes | None], Value],
        *,
        namespace: str,
        variant: object = None,
        parent: int | None = None,
    ) -> tuple[int, Value] | None:
        """`memo` of one file, and when the very file it was made of was last changed, in ns; None as for `read`."""

    def memo(
        self,
        key: Hashable,
        paths: Sequence[str],
        make: Callable[..., Value],
        *,
        namespace: str,
        variant: object = None,
        parent: int | None = None,
    ) -> Value:
        """What `make` gives for the contents of the files, one argument each (None for a file that cannot be read).

        The value is made again only when a hash or the `variant` differs from last time. It is shared between callers,
        so it must not be changed. One with a `held_weight` says itself about how many bytes it takes; any other counts
        as its files do. One with a `walked_weight` is one of many that are walked through in order: these have a bound
        of their own and push nothing else out. `make` gets the very bytes that were hashed and should look at nothing
        else. One value is remembered for each namespace and key.
        """

    def recall(self, key: Hashable, *, namespace: str) -> object | None:
        """The value last made under a key, whether or not its files are still the same; None when there is none."""

    def telemetry(self) -> dict[str, dict[str, int]]:
        """For each namespace asked for so far, by name: `hits`, `misses`, `uncached` reads and `rereads`.

        A reread found the remembered content in a file: values made from it are used again.
        """


class SystemFiles:
    """The system calls that `RememberedFiles` makes; `now` is the clock that stamps files, in ns."""

    stat = staticmethod(posix_calls.stat)
    fstat = staticmethod(posix_calls.fstat)
    read = staticmethod(os.read)
    close = staticmethod(posix_calls.close)
    now = staticmethod(time_ns)

    @staticmethod
    def open(path: str, *, dir_fd: int | None = None) -> int:
        # Should a FIFO take the file's place at the last moment, O_NONBLOCK keeps this from waiting for its writer.
        return posix_calls.open(path, _FLAGS, dir_fd=dir_fd)


class ConfinedFiles(SystemFiles):
    """The real file system, as far as it really lies inside some roots; everything else does not exist."""

    def __init__(self, roots: Sequence[str]) -> None:
        self._roots = roots

    def stat(  # type: ignore[override]  # bound here, a plain function there
        self, path: str, *, dir_fd: int | None = None
    ) -> os.stat_result:
        return status_inside(path, self._roots, dir_fd=dir_fd)

    def open(self, path: str, *, dir_fd: int | None = None) -> int:  # type: ignore[override]  # the same
        descriptor = SystemFiles.open(path, dir_fd=dir_fd)
        if not is_inside(descriptor, self._roots):
            posix_calls.close(descriptor)
            raise FileNotFoundError(ENOENT, "nothing inside the roots", path)
        return descriptor


class _File(NamedTuple):
    """What is remembered of one file; without `data` only its hash is."""

    identity: Identity
    settled: bool  # nothing could have changed unseen since
    digest: FileDigest
    data: bytes | None


class _Value(NamedTuple):
    """A value made from some files."""

    digests: tuple[FileDigest | None, ...]
    variant: object
    value: object


class RememberedFiles:
    """`FileContents` over a file system, bounded by entries and bytes, the least recently used out first."""

    def __init__(
        self,
        files: SystemFiles | None = None,
        *,
        max_entries: int = MAX_ENTRIES,
        max_bytes: int = MAX_BYTES,
        max_walked_bytes: int = MAX_WALKED_BYTES,
    ) -> None:
        self._files = files if files is not None else SystemFiles()
        self._max_kept = min(MAX_KEPT, max_bytes)
        self._lock = allocate_lock()  # held for look-ups only, never while the file system works
        self._entries: BoundedStore[_File | _Value] = BoundedStore(max_entries, max_bytes)
        self._walked: BoundedStore[_Value] = BoundedStore(None, max_walked_bytes, keeps_regulars=True)
        self._counts: dict[str, dict[str, int]] = {}
        self.stale = 0  # remembered files that were found changed or gone

    def read(self, path: str, *, namespace: str, parent: int | None = None) -> bytes | None:
        """The content of a regular file, links followed; None when there is none that can be read."""
        file, outcome = self._content(path, parent)
        self._count(namespace, outcome)
        return None if file is None else file.data

    def text(self, path: str, *, namespace: str, parent: int | None = None) -> str | None:
        """The same as text; bytes that are not UTF-8 become U+FFFD."""
        data = self.read(path, namespace=namespace, parent=parent)
        return None if data is None else data.decode("utf-8", "replace")

    def digest(self, path: str, *, namespace: str) -> FileDigest | None:
        """The hash and size of a regular file, without keeping its content; None as for `read`."""
        file, outcome = self._content(path, None, digest_will_do=True, keep_data=False)
        self._count(namespace, outcome)
        return None if file is None else file.digest

    def memo(
        self,
        key: Hashable,
        paths: Sequence[str],
        make: Callable[..., Value],
        *,
        namespace: str,
        variant: object = None,
        parent: int | None = None,
    ) -> Value:
        """What `make` gives for the contents of the files; made again only when a hash or the variant differs."""
        return self._made(key, paths, make, namespace, variant, parent)[1]

    def dated(
        self,
        key: Hashable,
        path: str,
        make: Callable[[bytes | None], Value],
        *,
        namespace: str,
        variant: object = None,
        parent: int | None = None,
    ) -> tuple[int, Value] | None:
        """`memo` of one file, and when the very file it was made of was last changed, in ns; None as for `read`."""
        (file,), value = self._made(key, (path,), make, namespace, variant, parent)
        return None if file is None else (file.identity[0], value)

    def _made(
        self,
        key: Hashable,
        paths: Sequence[str],
        make: Callable[..., Value],
        namespace: str,
        variant: object,
        parent: int | None,
    ) -> tuple[Sequence[_File | None], Value]:
        """The files as they are now, and what was made of their contents."""
        place = (namespace, key)
        entry = self._entry(place)
        if isinstance(entry, _Value) and entry.variant == variant:
            looks = [self._content(path, parent, digest_will_do=True) for path in paths]
            files = [file for file, _ in looks]
            if _digests(files) == entry.digests:
                read = any(file is not None and outcome != "hits" for file, outcome in looks)
                self._count(namespace, "rereads" if read else "hits")
                return files, entry.value  # type: ignore[return-value]  # a key is used with one kind of value
        else:
            files = [None] * len(paths)
        # A value is filed under the hashes of the very bytes it was made of, so the two are fetched together.
        files = [
            file if file is not None and file.data is not None else self._content(path, parent)[0]
            for path, file in zip(paths, files, strict=True)
        ]
        value = make(*[None if file is None else file.data for file in files])
        made = _Value(_digests(files), variant, value)
        if weight := getattr(value, "walked_weight", 0):
            with self._lock:
                kept = self._walked.put(place, made, weight)
        else:
            held = getattr(value, "held_weight", None)
            if held is None:
                held = sum([0 if file is None else file.digest.size for file in files])
            kept = self._keep(place, made, _OVERHEAD * len(files) + held)
        self._count(namespace, "misses" if kept else "uncached")
        return files, value

    def recall(self, key: Hashable, *, namespace: str) -> object | None:
        """The value last made under a key, whether or not its files are still the same."""
        entry = self._entry((namespace, key))
        return entry.value if isinstance(entry, _Value) else None

    def telemetry(self) -> dict[str, dict[str, int]]:
        """For each namespace asked for so far, by name: `hits`, `misses`, `uncached` reads and `rereads`."""
        with self._lock:
            return {namespace: dict(self._counts[namespace]) for namespace in sorted(self._counts)}

    def _entry(self, place: Hashable) -> _File | _Value | None:
        with self._lock:
            return self._entries.get(place) or self._walked.get(place)

    def _content(
        self, path: str, parent: int | None, *, digest_will_do: bool = False, keep_data: bool = True
    ) -> tuple[_File | None, str]:
        """A file as it is now, and whether it was remembered; where a digest will do, its data may be absent."""
        name = path if parent is None else path[path.rfind("/") + 1 :]
        try:
            status = self._files.stat(name, dir_fd=parent)
        except (OSError, ValueError):  # ValueError: a NUL or a lone surrogate in the path
            self._drop(path)
            return None, "misses"
        entry = self._entry(path)
        if (
            isinstance(entry, _File)
            and entry.settled
            and entry.identity == identity(status)
            and (digest_will_do or entry.data is not None)
        ):
            return entry, "hits"
        if not S_ISREG(status.st_mode):
            self._drop(path)
            return None, "misses"
        return self._load(path, name, parent, keep_data=keep_data)

    def _load(self, path: str, name: str, parent: int | None, *, keep_data: bool) -> tuple[_File | None, str]:
        """Read a file that is not remembered, and remember it if it held still meanwhile."""
        file = None
        for _ in range(_ATTEMPTS):
            try:
                file, steady = self._read_once(name, parent, keep_data=keep_data)
            except (OSError, ValueError):
                file = None
            if file is None:
                self._drop(path)
                return None, "misses"
            if steady:
                kept = file.data is None or len(file.data) <= self._max_kept
                remembered = file if kept else file._replace(data=None)
                weight = _OVERHEAD + len(remembered.data or b"")
                before = self._entry(path)
                kept = self._keep(path, remembered, weight) and kept
                if kept and isinstance(before, _File) and before.digest == file.digest:
                    return file, "rereads"
                if isinstance(before, _File):
                    with self._lock:
                        self.stale += 1
                return file, "misses" if kept else "uncached"
        self._drop(path)
        return file, "uncached"  # it changes faster than it can be read: this is as good as any moment of it

    def _read_once(self, name: str, parent: int | None, *, keep_data: bool) -> tuple[_File | None, bool]:
        from hashlib import sha256

        files = self._files
        started = files.now()
        descriptor = files.open(name, dir_fd=parent)
        try:
            before = files.fstat(descriptor)
            if not S_ISREG(before.st_mode) or (keep_data and before.st_size > MAX_READ):
                return None, False
            digest, size, chunks = sha256(), 0, []
            # One byte more than the size: a file that held still is then read in one call that also sees its end.
            wanted = min(before.st_size + 1, _CHUNK)
            while chunk := files.read(descriptor, wanted):
                digest.update(chunk)
                size += len(chunk)
                if keep_data:
                    chunks.append(chunk)
                if (size == before.st_size and len(chunk) < wanted) or size > before.st_size + _CHUNK:
                    break  # at its end, or growing faster than it is read
                wanted = _CHUNK
            after = files.fstat(descriptor)
        finally:
            files.close(descriptor)
        seen = identity(before)
        data = b"".join(chunks) if keep_data else None
        file = _File(seen, is_settled(seen, started), FileDigest(digest.hexdigest(), size), data)
        return file, seen == identity(after) and size == before.st_size

    def _keep(self, place: Hashable, entry: _File | _Value, weight: int) -> bool:
        """Remember an entry; whether it was kept."""
        with self._lock:
            return self._entries.put(place, entry, weight)

    def _drop(self, place: Hashable) -> None:
        with self._lock:
            self.stale += self._entries.drop(place)

    def _count(self, namespace: str, outcome: str) -> None:
        with self._lock:
            counts = self._counts.get(namespace)
            if counts is None:
                counts = self._counts[namespace] = {"hits": 0, "misses": 0, "uncached": 0, "rereads": 0}
            counts[outcome] += 1


def _digests(files: Sequence[_File | None]) -> tuple[FileDigest | None, ...]:
    return tuple([None if file is None else file.digest for file in files])
