"""One cache directory, held by a descriptor; its manifest, read and held against its listing."""

from __future__ import annotations

import os
import stat
from errno import ELOOP, ENAMETOOLONG, ENOENT, ENOTDIR

from holdfast.caches.cache_format import (
    MAX_DOCUMENT_BYTES,
    MAX_MANIFEST_BYTES,
    check_index,
    check_manifest,
    parse_document,
    parse_manifest,
    prove_document,
)
from holdfast.core import posix_calls
from holdfast.core.confined_paths import PathBeneath, open_below, open_directory, printable
from holdfast.core.errors import CacheInvalid, CacheMissing, IoError
from holdfast.core.file_identity import identity
from holdfast.core.regular_files import NotRegular, TooLarge, close_quietly, open_regular, read_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import TypeVar

    from holdfast.caches.cache_format import Document, Entry, Manifest
    from holdfast.core.file_identity import Identity

    Found = TypeVar("Found")

MANIFEST, INDEX, DOCUMENTS, COMPILED = "manifest.json", "index.json", "documents", "index"
# The list of an index's segments, and what the index calls itself.
LIST_FILE, INDEX_KIND = f"{COMPILED}/segments.idx", "segments-2"
# What earlier releases wrote: an index in two files, and a list in place of the manifest where a cache was in parts.
OLD_INDEX_FILES, SHARDS = (f"{COMPILED}/words.idx", f"{COMPILED}/sections.idx"), "shards.json"
# A directory with any other name in it is not (only) a cache.
CACHE_NAMES = frozenset({MANIFEST, INDEX, DOCUMENTS, COMPILED})
# What a project keeps of its own, the default cache root among it.
OWN_FOLDER = ".context"

# What the system says when nothing of that name can be there; by everything else it refuses: permissions, a failing
# disk, too many open files.
_ABSENCES = frozenset({ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG})


def is_refusal(error: OSError) -> bool:
    """Whether the system would not say, rather than that there is nothing."""
    return error.errno not in _ABSENCES


def _nearest_cache(path: str) -> str:
    """The name, beside a path where nothing is, of the cache that was probably meant; empty where none is near."""
    from holdfast.caches.on_disk.cache_listing import list_caches
    from holdfast.core.close_match import close_match
    from holdfast.core.errors import ContextError
    from holdfast.core.unicode_text import is_unicode, lower_case

    if isinstance(path, PathBeneath):
        root, name = path.root, path.place
    else:
        root, name = os.path.split(path.rstrip("/"))
    try:
        names = [listed.path for listed in list_caches(root or ".") if listed.has_manifest]
    except ContextError:
        return ""
    known = {lower_case(name): name for name in reversed(names) if is_unicode(name)}
    found = close_match(lower_case(name), known) if is_unicode(name) else ""
    return known.get(found, "")


class CacheDirectory:
    """The directory a path led to when it was opened.

    Whatever happens to the path afterwards, all reads go to that directory; links inside it are not followed.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._subdirectories: dict[str, int] = {}
        self._descriptor = -1
        try:
            self._descriptor = open_directory(path)
        except OSError as error:
            if is_refusal(error):
                raise IoError(f"'{printable(path)}' cannot be read: {error.strerror}") from None
            missing = f"there is no directory '{printable(path)}'"
            raise CacheMissing(missing, nearest=_nearest_cache(path)) from None
        except ValueError:
            raise CacheMissing("a path cannot hold a NUL character") from None

    def __enter__(self) -> CacheDirectory:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the directory; reading afterwards is an error."""
        # Forgotten before they are closed: whatever close says, the numbers may be other files' from then on.
        held, self._descriptor, self._subdirectories = [self._descriptor, *self._subdirectories.values()], -1, {}
        for descriptor in held:
            if descriptor >= 0:
                close_quietly(descriptor)

    def is_current(self) -> bool:
        """Whether the path still leads to this directory."""
        held = posix_calls.fstat(self._descriptor)
        try:
            now = posix_calls.stat(self.path)
        except OSError:
            return False
        return (held.st_dev, held.st_ino) == (now.st_dev, now.st_ino)

    def identity(self, files: tuple[str, ...]) -> tuple[Identity, ...] | None:
        """The identity of each of these files now; None when any is missing."""
        try:
            return tuple(
                [identity(posix_calls.stat(file, dir_fd=self._descriptor, follow_symlinks=False)) for file in files]
            )
        except OSError:
            return None

    def is_unchanged(self, files: tuple[str, ...], seen: tuple[Identity, ...]) -> bool:
        """Whether the path still leads here, and these names to what was seen."""
        return self.is_current() and self.identity(files) == seen

    def read(self, file: str, *, limit: int | None = None) -> bytes:
        """The bytes of a file of the cache; CacheInvalid when it is missing or not a regular file."""
        parent, _, name = file.rpartition("/")
        try:
            return read_regular(name, dir_fd=self._subdirectory(parent), limit=limit)
        except FileNotFoundError:
            raise CacheInvalid(f"'{file}' is missing") from None
        except NotRegular:
            raise CacheInvalid(f"'{file}' is not a regular file") from None
        except TooLarge as error:
            raise CacheInvalid(f"'{file}' is {error.strerror}") from None
        except OSError as error:
            if is_refusal(error):
                raise IoError(f"'{file}' cannot be read: {error.strerror}") from None
            raise CacheInvalid(f"'{file}' cannot be read: {error.strerror}") from None

    def content(self, entry: Entry) -> tuple[str, int]:
        """The content of a listed document and its size in UTF-8, proven as `document` proves it."""
        data = self.read(entry.file, limit=MAX_DOCUMENT_BYTES)
        content, _, size = prove_document(data, entry.id, entry.version)
        return content, size

    def document(self, entry: Entry) -> Document:
        """The document a manifest lists, proven by its hash; CacheInvalid when it is missing, altered or too large."""
        data = self.read(entry.file, limit=MAX_DOCUMENT_BYTES)
        return parse_document(data, expected_id=entry.id, expected_version=entry.version)

    def open(self, file: str) -> int:
        """A descriptor of a regular file of the cache; OSError when there is none."""
        parent, _, name = file.rpartition("/")
        return open_regular(name, dir_fd=self._subdirectory(parent))

    def _subdirectory(self, name: str) -> int:
        """A descriptor of a directory inside the cache, reached without following a link."""
        if not name:
            return self._descriptor
        if name not in self._subdirectories:
            above, _, last = name.rpartition("/")
            try:
                self._subdirectories[name] = open_below(self._subdirectory(above), last)
            except OSError as error:
                if is_refusal(error):
                    raise
                raise FileNotFoundError from None  # absent, a link or a file: nothing of the cache is there
        return self._subdirectories[name]

    def has(self, name: str) -> bool:
        """Whether the directory has anything of that name; IoError when the system would not say."""
        try:
            posix_calls.stat(name, dir_fd=self._descriptor, follow_symlinks=False)
        except OSError as error:
            if is_refusal(error):
                raise IoError(f"'{name}' cannot be looked at: {error.strerror}") from None
            return False
        return True

    def names(self, subdirectory: str = "") -> list[str]:
        """The names in the directory, or in one inside it, sorted; none where there is no such directory."""
        try:
            return sorted(posix_calls.listdir(self._subdirectory(subdirectory)))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise IoError(f"'{subdirectory or self.path}' cannot be listed: {error.strerror}") from None

    def bytes_directly_inside(self) -> int:
        """The sizes of the regular files in the directory, not of those below it, links left out."""
        total = 0
        for name in self.names():
            try:
                status = posix_calls.stat(name, dir_fd=self._descriptor, follow_symlinks=False)
            except FileNotFoundError:
                continue  # gone since it was listed
            if stat.S_ISREG(status.st_mode):
                total += status.st_size
        return total


def look_into(path: str, look: Callable[[CacheDirectory], Found], holds: Callable[[Found], bool]) -> Found:
    """What `look` finds in the directory at a path. Nothing is called wrong with a cache that was replaced meanwhile.

    A rebuild swaps the directory and then removes the old one, so a reader of the old may find files gone: whatever
    does not hold, or fails, is looked at again where the path now leads.
    """
    while True:
        with CacheDirectory(path) as directory:
            try:
                found = look(directory)
            except (CacheInvalid, IoError, OSError):
                if directory.is_current():
                    raise
            else:
                if holds(found) or directory.is_current():
                    return found


def checked_manifest(directory: CacheDirectory) -> Manifest:
    """The manifest, found to hold together and to agree with the index; CacheInvalid otherwise."""
    manifest = read_manifest(directory)
    check_listings(directory, manifest)
    return manifest


def read_manifest(directory: CacheDirectory) -> Manifest:
    """The manifest of a cache, valid or not."""
    return parse_manifest(directory.read(MANIFEST, limit=MAX_MANIFEST_BYTES))


def check_listings(directory: CacheDirectory, manifest: Manifest) -> None:
    """CacheInvalid where a manifest does not hold together, or the listing says otherwise."""
    problems = check_manifest(manifest)
    if not problems:
        problems = check_index(directory.read(INDEX, limit=MAX_MANIFEST_BYTES), manifest)
    if problems:
        raise CacheInvalid(problems[0])
