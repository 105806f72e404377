"""What a machine remembers of a cache: stamps and hashes of its sources and of its own files, and what became of each.

Losing it costs time only: everything in it can be found again. `machine_state` keeps it.
"""

from __future__ import annotations

import os
from array import array
from hashlib import sha256
from itertools import repeat
from stat import S_ISREG
from time import time_ns

from holdfast.core.canonical_json import decode
from holdfast.core.file_identity import identity, is_settled, is_written_before
from holdfast.core.record import NamedTuple, TypeVar
from holdfast.core.regular_files import read_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from holdfast.core.file_identity import Identity

Anything = TypeVar("Anything")

_STATE_VERSION = 5
# Stand between texts that are kept as one: no path and no source holds the first, no hash and no reader the other.
_BETWEEN, _BETWEEN_PLAIN = "\0", " "
# How the numbers of an `Identity` are packed.
_STAMPS = "qQQqQ"
# Stamps that are no file's, as no device has such a number: of one that nobody saw, and of one not to be remembered.
_UNSEEN, _FORGOTTEN = (0, 0, 0, 0, (1 << 64) - 1), (0, 0, 0, 0, (1 << 64) - 2)
# The stamps that a link elsewhere leaves as they are: all but ctime.
_OF_CONTENT = (0, 1, 2, 4)
_NO_DIGEST = "-"
# Stamps compared as one.
_AT_ONCE = 256
_MAX_SOURCE_BYTES = 256 << 20


class KnownFiles(NamedTuple):
    """Paths, what each file was, and its hash: in columns, which are compared as a whole and rarely taken apart."""

    paths: str
    stamps: tuple[bytes, ...]
    digests: str

    def rows(self) -> list[tuple[str, str]]:
        """Each path and its hash."""
        return list(zip(_split(self.paths), _split(self.digests, _BETWEEN_PLAIN), strict=True))


NO_FILES = KnownFiles("", (b"",) * len(_STAMPS), "")


class KnownSources(NamedTuple):
    """Sources with their hashes and readers, in columns too, and `listed`, the digest of all of it.

    `more` has of some sources the files they include, with their hashes, and why they were skipped. `strangers` are
    files that are not of the kind that their names say, and no sources: each with its hash.
    """

    sources: str
    digests: str
    readers: str
    more: dict[str, tuple[dict[str, str], str]]
    strangers: dict[str, str]
    listed: str

    @classmethod
    def of(
        cls,
        columns: tuple[Sequence[str], Sequence[str], Sequence[str]],
        more: dict[str, tuple[dict[str, str], str]],
        strangers: dict[str, str],
        listed: str,
    ) -> KnownSources:
        """Remember sources, their hashes and their readers."""
        sources, digests, readers = columns
        return cls(_BETWEEN.join(sources), _joined(digests), _joined(readers), more, strangers, listed)

    def table(self) -> dict[str, tuple[str, str]]:
        """By source its hash and its reader."""
        return dict(zip(_split(self.sources), self._records(), strict=True))

    def _records(self) -> Iterable[tuple[str, str]]:
        return zip(_split(self.digests, _BETWEEN_PLAIN), _split(self.readers, _BETWEEN_PLAIN), strict=True)

    def records_of(self, sources: Sequence[str]) -> tuple[int, Sequence[tuple[str, str] | None]]:
        """How many sources there were, and of each of these its hash and its reader; None where it was not there."""
        if _BETWEEN.join(sources) == self.sources:
            return len(sources), list(self._records())
        table = self.table()
        return len(table), list(map(table.get, sources))

    def are(self, sources: Sequence[str], digests: Sequence[str], readers: Sequence[str]) -> bool:
        """Whether these are the sources, in this order, and none changed."""
        columns = _BETWEEN.join(sources), _joined(digests), _joined(readers)
        return columns == (self.sources, self.digests, self.readers)

    def readers_of_read(self) -> list[str]:
        """The readers of those sources that were not skipped."""
        readers = _split(self.readers, _BETWEEN_PLAIN)
        skipped = {source for source, (_, reason) in self.more.items() if reason}
        if not skipped:
            return readers
        return [reader for source, reader in zip(_split(self.sources), readers, strict=True) if source not in skipped]


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
        return cls("", "", NO_FILES, KnownSources.of(([], [], []), {}, {}, ""), NO_FILES)


def _joined(texts: Iterable[str]) -> str:
    return _BETWEEN_PLAIN.join(texts)


def _split(text: str, between: str = _BETWEEN) -> list[str]:
    return text.split(between) if text else []


def parse_state(data: bytes) -> SourceState:
    """What was remembered; nothing where it is damaged or of another release."""
    try:
        state = _parsed(data)
    except (ValueError, TypeError, KeyError, AttributeError):
        return SourceState.none()
    return SourceState.none() if state is None else state


def _parsed(data: bytes) -> SourceState | None:
    first, _, rest = data.partition(b"\n")
    fields: Any = decode(first)  # whatever is not as expected is damage
    if not isinstance(fields, dict) or fields.get("state_version") != _STATE_VERSION:
        return None
    texts = [fields[name] for name in ("cache_version", "settings", "listed")]
    strangers, lengths = fields["strangers"], fields["columns"]
    if not all(isinstance(text, str) for text in [*texts, *strangers.values()]) or sum(lengths) != len(rest):
        return None
    columns, at = [], 0
    for length in lengths:
        columns.append(rest[at : at + length])
        at += length
    of_files, of_made = columns[: len(_STAMPS)], columns[len(_STAMPS) : 2 * len(_STAMPS)]
    paths, digests, made, of_paths, sources, of_sources, readers = map(_text, columns[2 * len(_STAMPS) :])
    version, settings, listed = texts
    more = {
        source: ({str(path): str(digest) for path, digest in included.items()}, str(skipped))
        for source, (included, skipped) in fields["more"].items()
    }
    files, built = KnownFiles(paths, tuple(of_files), digests), KnownFiles(made, tuple(of_made), of_paths)
    known = KnownSources(sources, of_sources, readers, more, strangers, listed)
    if not _holds(files) or not _holds(built):
        return None
    if {_count(known.digests, _BETWEEN_PLAIN), _count(known.readers, _BETWEEN_PLAIN)} != {_count(known.sources)}:
        return None
    return SourceState(version, settings, files, known, built, fields.get("flushed") is True)


def _holds(files: KnownFiles) -> bool:
    """Whether all columns are equally long."""
    counts = {
        _count(files.digests, _BETWEEN_PLAIN),
        *[len(stamps) / array(kind).itemsize for kind, stamps in zip(_STAMPS, files.stamps, strict=True)],
    }
    return counts == {_count(files.paths)}


def _count(text: str, between: str = _BETWEEN) -> int:
    return text.count(between) + 1 if text else 0


def _text(column: bytes) -> str:
    return column.decode("utf-8", "surrogatepass")


def encode_state(state: SourceState) -> bytes:
    """The bytes that `parse_state` reads."""
    from json import dumps  # of use on one machine only, so it need not be canonical

    files, made, known = state.files, state.made, state.known
    texts = files.paths, files.digests, made.paths, made.digests, known.sources, known.digests, known.readers
    columns = [*files.stamps, *made.stamps, *[text.encode("utf-8", "surrogatepass") for text in texts]]
    fields = {
        "state_version": _STATE_VERSION,
        "cache_version": state.cache_version,
        "settings": state.settings,
        "flushed": state.flushed,
        "listed": known.listed,
        "more": known.more,
        "strangers": known.strangers,
        "columns": [len(column) for column in columns],
    }
    return b"".join([dumps(fields, separators=(",", ":")).encode(), b"\n", *columns])


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
    places = [f"{folder}/{path}" for path in paths] if folder else paths
    listed, now = _BETWEEN.join(paths), _columns(list(map(_seen, places, stamps)))
    digests, packed = _split(known.digests, _BETWEEN_PLAIN), _packed(now)
    if (listed, packed) == (known.paths, known.stamps):
        return list(digests), known
    before = list(map(array, _STAMPS, known.stamps))
    if listed != known.paths:
        rows = PathRows(_split(known.paths), paths)
        digests = rows.picked(digests, _NO_DIGEST)
        before = [
            array(kind, rows.picked(was, none)) for kind, was, none in zip(_STAMPS, before, _FORGOTTEN, strict=True)
        ]
    found: list[str | OSError] = list(digests)
    for at in _differing(before, now):
        if (
            linked
            and is_written_before(now[0][at], started)
            and all(before[of][at] == now[of][at] for of in _OF_CONTENT)
        ):
            continue
        settled = None
        try:
            digests[at], settled = _read_digest(places[at], digest)
            found[at] = digests[at]
        except OSError as error:
            found[at] = error
        for column, number in zip(now, settled or _FORGOTTEN, strict=True):
            column[at] = number
    return found, KnownFiles(listed, _packed(now), _joined(digests))


def _seen(path: str, stamp: Identity | None) -> Identity:
    """What a file is; where nobody can tell it is read, and that tells why."""
    try:
        return stamp or identity(os.stat(path, follow_symlinks=False))
    except OSError:
        return _UNSEEN


def _columns(stamps: Sequence[Identity]) -> list[array[int]]:
    """Stamps in columns; such as no file should have are those of one that nobody saw."""
    try:
        columns: Iterable[Sequence[int]] = zip(*stamps, strict=True) if stamps else repeat((), len(_STAMPS))
        return list(map(array, _STAMPS, columns))
    except OverflowError:
        return _columns([stamp if _fits(stamp) else _UNSEEN for stamp in stamps])


def _fits(stamp: Identity) -> bool:
    return all(0 <= number < 1 << 63 for number in stamp)


def _packed(columns: Sequence[array[int]]) -> tuple[bytes, ...]:
    return tuple([column.tobytes() for column in columns])


class PathRows:
    """Where paths stand among others: both begin and end alike, mostly, and only what lies between is looked up."""

    def __init__(self, before: Sequence[str], now: Sequence[str]) -> None:
        most = min(len(before), len(now))
        self._first = _alike(before, now)
        last = min(_alike(before[::-1], now[::-1]), most - self._first)
        self._end = len(before) - last
        places = dict(zip(before[self._first : self._end], range(self._first, self._end), strict=True))
        self._between = [places.get(path) for path in now[self._first : len(now) - last]]

    def picked(self, column: Sequence[Anything], none: Anything) -> list[Anything]:
        """For each path its value in a column of the others; `none` where it is not among them."""
        between = [none if row is None else column[row] for row in self._between]
        return [*column[: self._first], *between, *column[self._end :]]


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many are the same from the start on."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def _differing(one: Sequence[array[int]], other: Sequence[array[int]]) -> list[int]:
    """The places at which columns of the same length differ."""
    found: set[int] = set()
    for was, now in zip(one, other, strict=True):
        for start in range(0, len(was), _AT_ONCE):
            some, others = was[start : start + _AT_ONCE], now[start : start + _AT_ONCE]
            if some.tobytes() != others.tobytes():
                found |= {at for at, pair in enumerate(zip(some, others, strict=True), start) if pair[0] != pair[1]}
    return sorted(found)


def _read_digest(path: str, digest: Callable[[str], str]) -> tuple[str, Identity | None]:
    """The digest of a file, and what the file is, where that fits and every change from now on must show."""
    started = time_ns()
    now = identity(os.stat(path, follow_symlinks=False))
    found = digest(path)
    status = os.stat(path, follow_symlinks=False)
    is_lasting = S_ISREG(status.st_mode) and identity(status) == now and is_settled(now, started) and _fits(now)
    return found, now if is_lasting else None
