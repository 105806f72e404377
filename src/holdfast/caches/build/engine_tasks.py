"""What the workers of a cluster do: values in, values out, without a file; nothing of an engine is known here.

Documents come as they were read; what was counted goes back cut by ranges of keys, so that who compiles a range is sent
that range of every stretch and nothing else.
"""

from __future__ import annotations

from io import BytesIO

from holdfast.caches.build.document_files import count_documents, counting
from holdfast.caches.build.index_ranges import compiled, sections_range, whole_part, words_range
from holdfast.caches.build.token_counts import Runs
from holdfast.caches.sorted_runs import Run, cut_run, decoded
from holdfast.core.collector import Collector
from holdfast.core.errors import EngineFailed
from holdfast.core.record import NamedTuple
from holdfast.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.caches.build.document_files import CountedDocuments, UncountedDocument
    from holdfast.caches.build.index_ranges import IndexPart, KeyRange, RangeToCompile
    from holdfast.caches.build.token_counts import RunSettings

    # The first key and the bytes of each block.
    Blocks = list[tuple[bytes, bytes]]


class KeyRanges(NamedTuple):
    """From and to below which key each range goes, of words and of terms of sections; there are as many of both."""

    words: Sequence[KeyRange]
    terms: Sequence[KeyRange]


class StretchPiece(NamedTuple):
    """What of one range of keys was counted in a stretch: the blocks of each run, in the order of the runs."""

    words: list[Blocks]
    terms: list[Blocks]


class CountedStretch(NamedTuple):
    """What was counted in a stretch but for the runs' blocks: `runs` has no files. `peak` is the memory that the worker
    ever held, in KiB."""

    documents: CountedDocuments
    runs: Runs
    peak: int


class CompiledRange(NamedTuple):
    """A range of keys of one index or both: each part, with its files' bytes; how many blocks were read."""

    parts: list[tuple[IndexPart, list[bytes]]]
    blocks: int
    peak: int


class SharedNumbers(NamedTuple):
    """What every range is compiled with, packed, as an `IndexJob` has it, and the runs without their blocks."""

    word_runs: Sequence[Run]
    numbers: bytes
    positions: bytes
    field_runs: Sequence[tuple[int, Run]]
    field_lengths: Sequence[bytes] | None


def count_stretch(
    release: str, documents: Sequence[UncountedDocument], settings: RunSettings, ranges: KeyRanges
) -> tuple[CountedStretch | StretchPiece, ...]:
    """Count the documents of a stretch: what is known of them, then a piece for each range."""
    _check_release(release)
    kept: dict[str, Blocks] = {}

    def keep(path: str, blocks: Iterable[tuple[bytes, bytes]], base: int) -> Run:
        kept[path] = list(blocks)
        return Run(path, [first for first, _ in kept[path]], [0], base)

    with Collector(runs=False):
        counts = counting("", settings, keep, len(documents))
        counted = count_documents(documents, counts)
        runs = counts.finish()
        words = [cut_run(kept.pop(run.file), ranges.words) for run in runs.words]
        terms = [cut_run(kept.pop(run.file), ranges.terms) for _, run in runs.fields]
    pieces = [
        StretchPiece([blocks[number] for blocks in words], [blocks[number] for blocks in terms])
        for number in range(len(ranges.words))
    ]
    without_files = runs.packed()._replace(
        words=[run._replace(file="") for run in runs.words],
        fields=[(field, run._replace(file="")) for field, run in runs.fields],
    )
    return CountedStretch(counted, without_files, _peak()), *pieces


def compile_range(release: str, shared: SharedNumbers, *pieces: StretchPiece) -> CompiledRange:
    """Compile one range of keys, given the pieces of all stretches in the order of their documents."""
    _check_release(release)
    words = [blocks for piece in pieces for blocks in piece.words]
    terms = [blocks for piece in pieces for blocks in piece.terms]
    with Collector(runs=False):
        parts = [_compiled(words_range("", shared.word_runs, shared.numbers, shared.positions), words)]
        if shared.field_lengths is not None:
            parts.append(_compiled(sections_range("", shared.field_runs, shared.field_lengths), terms))
    return CompiledRange(parts, sum(map(len, words)) + sum(map(len, terms)), _peak())


def _compiled(range_: RangeToCompile, blocks: Sequence[Blocks]) -> tuple[IndexPart, list[bytes]]:
    files = [BytesIO() for _ in range_.part.files]
    sources = [decoded(data for _, data in held) for held in blocks]
    part = whole_part(compiled(range_, sources, *files))
    return part, [file.getvalue() for file in files]


def _check_release(release: str) -> None:
    if release != __version__:
        raise EngineFailed(
            f"a worker of the cluster has Holdfast {__version__}, and this is {release}: install the same release there"
        )


def _peak() -> int:
    """The memory of its own that this process ever held, in KiB: what it reads in the object store is not."""
    from resource import RUSAGE_SELF, getrusage

    shared = 0
    try:
        with open("/proc/self/status", "rb") as status:
            shared = sum([int(line.split()[1]) for line in status if line.startswith((b"RssShmem:", b"RssFile:"))])
    except OSError:
        pass  # not on Linux: a little too much is told
    return getrusage(RUSAGE_SELF).ru_maxrss - shared
