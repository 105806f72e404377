"""What is remembered of the sources beside a cache: stamps and hashes of files, and what became of each source.

It lies in the cache root as `.NAME.sources`. Losing it costs time only: everything in it can be found again.
"""

from __future__ import annotations

import os
from hashlib import sha256
from itertools import repeat
from json import dumps, loads  # of use on one machine only, so it need not be canonical
from stat import S_ISREG
from time import time_ns

from holdfast.caches.cache_format import MAX_MANIFEST_BYTES
from holdfast.caches.on_disk.cache_directory import MANIFEST, SHARDS
from holdfast.core.atomic_write import write_file
from holdfast.core.file_identity import identity, is_settled
from holdfast.core.record import NamedTuple
from holdfast.core.regular_files import read_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from holdfast.core.canonical_json import Json
    from holdfast.core.file_identity import Identity

_STATE_VERSION = 3
# Stand between texts that are kept as one: no path and no source holds the first, no hash and no reader the other.
_BETWEEN, _BETWEEN_PLAIN = "\0", " "
_STAMPS = ("modified", "size", "inode", "changed", "device")  # as in an `Identity`
_MAX_STATE_BYTES = 512 << 20
_MAX_SOURCE_BYTES = 256 << 20


class SourceOutcome(NamedTuple):
    """What became of a source: its hash, its reader, the files it includes with their hashes; why it was skipped.

    Where `reader` is empty the file is not of the kind that its name says, and no source.
    """

    digest: str
    reader: str
    included: dict[str, str]
    skipped: str = ""


class SourceState(NamedTuple):
    """What is remembered of the cache of one name; `cache_version` is empty where nothing is."""

    cache_version: str
    manifest: str  # the hash of the manifest that names this version
    settings: str
    files: dict[str, tuple[Identity, str]]  # path -> what it was, and its hash
    outcomes: dict[str, SourceOutcome]

    @classmethod
    def none(cls) -> SourceState:
        """Nothing is known."""
        return cls("", "", "", {}, {})


def manifest_digest(cache: str) -> str:
    """The hash of the manifest of the cache at a path, or of the list of its parts; empty where there is neither."""
    for name in (MANIFEST, SHARDS):
        try:
            return sha256(read_regular(os.path.join(cache, name), limit=MAX_MANIFEST_BYTES)).hexdigest()
        except OSError:
            pass
    return ""


def state_path(cache: str) -> str:
    """Where the state of the cache at a path lies."""
    folder, name = os.path.split(cache)
    return os.path.join(folder, f".{name}.sources")


def read_state(cache: str) -> SourceState:
    """What is remembered of a cache; nothing where there is no state, or a damaged one, or one of another release."""
    try:
        fields = loads(read_regular(state_path(cache), limit=_MAX_STATE_BYTES))
        state = _parsed(fields)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return SourceState.none()
    return SourceState.none() if state is None else state


def _parsed(fields: Json) -> SourceState | None:
    if not isinstance(fields, dict) or fields.get("state_version") != _STATE_VERSION:
        return None
    version, manifest, settings = fields["cache_version"], fields["manifest"], fields["settings"]
    if not (isinstance(version, str) and isinstance(manifest, str) and isinstance(settings, str)):
        return None
    stamps = [fields[name] for name in _STAMPS]
    if not all(set(map(type, column)) <= {int} for column in stamps):
        return None
    digests, of_sources, readers = [
        fields[name].split(_BETWEEN_PLAIN) if fields[name] else [] for name in ("digests", "source_digests", "readers")
    ]
    paths, sources = [fields[name].split(_BETWEEN) if fields[name] else [] for name in ("files", "sources")]
    files = dict(zip(paths, zip(zip(*stamps, strict=True), digests, strict=True), strict=True))
    none: dict[str, str] = {}
    plain = zip(of_sources, readers, repeat(none, len(sources)), repeat("", len(sources)), strict=True)
    outcomes = dict(zip(sources, map(SourceOutcome._make, plain), strict=True))
    for source, (included, skipped) in fields["more"].items():
        known = {str(path): str(digest) for path, digest in included.items()}
        outcomes[source] = outcomes[source]._replace(included=known, skipped=str(skipped))
    return SourceState(version, manifest, settings, files, outcomes)


def write_state(cache: str, state: SourceState) -> None:
    """Remember it; what cannot be written is found again next time."""
    files, outcomes = state.files, state.outcomes
    stamps: Iterable[tuple[int, ...]] = zip(*[stamps for stamps, _ in files.values()], strict=True)
    if not files:
        stamps = [()] * len(_STAMPS)
    # In columns, and texts as one: a list for each file takes four times as long.
    fields = {
        "state_version": _STATE_VERSION,
        "cache_version": state.cache_version,
        "manifest": state.manifest,
        "settings": state.settings,
        "files": _BETWEEN.join(files),
        **dict(zip(_STAMPS, stamps, strict=True)),
        "digests": _BETWEEN_PLAIN.join([digest for _, digest in files.values()]),
        "sources": _BETWEEN.join(outcomes),
        "source_digests": _BETWEEN_PLAIN.join([outcome.digest for outcome in outcomes.values()]),
        "readers": _BETWEEN_PLAIN.join([outcome.reader for outcome in outcomes.values()]),
        "more": {
            source: [outcome.included, outcome.skipped]
            for source, outcome in outcomes.items()
            if outcome.included or outcome.skipped
        },
    }
    try:
        write_file(state_path(cache), dumps(fields, separators=(",", ":")).encode())
    except OSError:
        pass  # no promise hangs on it


class FileDigests:
    """Hashes of files, taken again only where a file may have changed; `files` is what to remember of them.

    A file so young that a change could leave its stamps as they are is not remembered, and read again next time.
    """

    def __init__(self, known: Mapping[str, tuple[Identity, str]]) -> None:
        self._known = known
        self.files: dict[str, tuple[Identity, str]] = {}

    def digest(self, path: str) -> str:
        """The sha256 of a regular file, in hex. Raises OSError."""
        known = self._known.get(path)
        if known is not None and known[0] == identity(os.stat(path, follow_symlinks=False)):
            self.files[path] = known
            return known[1]
        started = time_ns()
        now = identity(os.stat(path, follow_symlinks=False))
        data = read_regular(path, limit=_MAX_SOURCE_BYTES)
        status = os.stat(path, follow_symlinks=False)
        found = sha256(data).hexdigest()
        if S_ISREG(status.st_mode) and identity(status) == now and is_settled(now, started):
            self.files[path] = now, found
        return found
