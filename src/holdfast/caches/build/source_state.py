"""What a machine remembers of a cache: stamps and hashes of its sources and of its own files, and what became of each.

Losing it costs time only: everything in it can be found again. `machine_state` keeps it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from hashlib import sha256
from stat import S_ISREG
from time import time_ns
from typing import Any

from holdfast.core.canonical_json import decode
from holdfast.core.file_identity import Identity, identity, is_settled, is_written_before
from holdfast.core.record import NamedTuple
from holdfast.core.regular_files import read_regular

_STATE_VERSION = 6
_MAX_SOURCE_BYTES = 256 << 20

# By path: the stamps of a file, empty where a change could leave them as they are, and its hash.
KnownFiles = dict[str, tuple[str, str]]


class KnownSources(NamedTuple):
    """By source its hash and its reader, and `listed`, the digest of all of it.

    `more` has of some sources the files they include, with their hashes, and why they were skipped. `strangers` are
    files that are not of the kind that their names say, and no sources: each with its hash.
    """

    table: dict[str, tuple[str, str]]
    more: dict[str, tuple[dict[str, str], str]]
    strangers: dict[str, str]
    listed: str

    def readers_of_read(self) -> list[str]:
        """The readers of those sources that were not skipped."""
        skipped = {source for source, (_, reason) in self.more.items() if reason}
        return [reader for source, (_, reader) in self.table.items() if source not in skipped]


class SourceState(NamedTuple):
    """What is remembered of the cache of one name; `cache_version` is empty where nothing is.

    `made` are the files of the cache itself, by their paths below it; `flushed` says that these were made durable.
    """

    cache_version: str
    settings: str
    files: KnownFiles
    known: KnownSources
    made: KnownFiles
    flushed: bool = False

    @classmethod
    def none(cls) -> SourceState:
        """Nothing is known."""
        return cls("", "", {}, KnownSources({}, {}, {}, ""), {})


def parse_state(data: bytes) -> SourceState:
    """What was remembered; nothing where it is damaged or of another release."""
    try:
        fields: Any = decode(data)  # whatever is not as expected is damage
        if fields["state_version"] != _STATE_VERSION:
            return SourceState.none()
        table, more = fields["sources"], fields["more"]
        known = KnownSources(
            {source: (digest, reader) for source, (digest, reader) in table.items()},
            {source: (included, skipped) for source, (included, skipped) in more.items()},
            fields["strangers"],
            fields["listed"],
        )
        files, made = [
            {path: (stamps, digest) for path, (stamps, digest) in fields[name].items()} for name in ("files", "made")
        ]
        return SourceState(fields["cache_version"], fields["settings"], files, known, made, fields["flushed"] is True)
    except (ValueError, TypeError, KeyError, AttributeError):
        return SourceState.none()


def encode_state(state: SourceState) -> bytes:
    """The bytes that `parse_state` reads."""
    from json import dumps  # of use on one machine only, so it need not be canonical

    fields = {
        "state_version": _STATE_VERSION,
        "cache_version": state.cache_version,
        "settings": state.settings,
        "flushed": state.flushed,
        "listed": state.known.listed,
        "sources": state.known.table,
        "more": state.known.more,
        "strangers": state.known.strangers,
        "files": state.files,
        "made": state.made,
    }
    return dumps(fields, separators=(",", ":")).encode()


def source_digest(path: str) -> str:
    """The sha256 of a source, in hex."""
    return sha256(read_regular(path, limit=_MAX_SOURCE_BYTES)).hexdigest()


def file_digests(
    known: KnownFiles,
    paths: Sequence[str],
    stamps: Sequence[Identity | None],
    *,
    folder: str = "",
    digest: Callable[[str], str] = source_digest,
    linked: bool = False,
) -> tuple[list[str | OSError], KnownFiles]:
    """The digests of regular files, taken again only where a file may have changed; and what to remember.

    `stamps` is what each was when it was found, None where nobody looked; paths may be relative to `folder`. Of a file
    so young that a change could leave its stamps as they are none are remembered: it is read again next time. Files
    that were `linked` since they were known have another ctime, which alone is no reason to read them.
    """
    started = time_ns()
    found: list[str | OSError] = []
    now: KnownFiles = {}
    for path, stamp in zip(paths, stamps, strict=True):
        place = f"{folder}/{path}" if folder else path
        before, held = known.get(path, ("", ""))
        try:
            seen = stamp or identity(os.stat(place, follow_symlinks=False))
            stamped = _stamped(seen)
            is_same = before == stamped
            if linked and not is_same and is_written_before(seen[0], started):
                is_same = before.rpartition(" ")[0] == stamped.rpartition(" ")[0]
            if not is_same:
                held, stamped = _read_digest(place, digest)
        except OSError as error:
            found.append(error)
            continue
        found.append(held)
        now[path] = stamped, held
    return found, now


def _stamped(file: Identity) -> str:
    """Stamps as they are remembered: the ctime comes last."""
    modified, size, inode, changed, device = file
    return f"{modified} {size} {inode} {device} {changed}"


def _read_digest(path: str, digest: Callable[[str], str]) -> tuple[str, str]:
    """The digest of a file, and its stamps, where these fit and every change from now on must show."""
    started = time_ns()
    now = identity(os.stat(path, follow_symlinks=False))
    found = digest(path)
    status = os.stat(path, follow_symlinks=False)
    is_lasting = S_ISREG(status.st_mode) and identity(status) == now and is_settled(now, started)
    return found, _stamped(now) if is_lasting else ""
