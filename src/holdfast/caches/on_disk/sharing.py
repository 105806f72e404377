"""Share the work of a build among processes; few documents stay in this one.

Each worker gets every so many-th batch of documents, all of its batches at once, and answers batch by batch. Answers
are taken in the order of the batches, so the first error in id order is the one reported, whoever met it. Then each
compiles a range of what all have counted.
"""

from __future__ import annotations

import os
import sys

from holdfast.caches.index.runs import Run, shares
from holdfast.caches.on_disk.batches import Written, settle_names, write_document
from holdfast.caches.on_disk.counting import Counting, Runs
from holdfast.caches.on_disk.directory import DOCUMENTS
from holdfast.caches.on_disk.parts import Part, packed, packed_weights, sections_part, words_part
from holdfast.caches.on_disk.workers import answer, receive, send
from holdfast.core import errors
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from holdfast.caches.on_disk.parts import Range, Weighed
    from holdfast.caches.on_disk.workers import Workers

    Progress = Callable[[int, int], None]
    Counted = tuple[str, bool]  # the tokenizer, and whether sections are counted

# What all processes together may hold of counted words before they spill them.
_SPILL_BYTES = 256 << 20
_BATCH = 32


class Shared(NamedTuple):
    """All documents as they were written, in id order, and the files that hold their counted words."""

    documents: list[Written]
    runs: Runs


def write_documents(
    sources: str, staged: str, names: Sequence[str], counted: Counted, workers: Workers, progress: Progress | None
) -> Shared:
    """Write every source, given in id order, into a directory in the making."""
    target = os.path.join(staged, DOCUMENTS)
    os.mkdir(target)
    if workers.processes:
        written, runs = _share(sources, staged, names, counted, workers, progress)
    else:
        counting = Counting(staged, "run-0", _SPILL_BYTES, *counted)
        written = []
        for place, source in enumerate(names):
            if progress is not None:
                progress(place, len(names))
            written.append(write_document(sources, source, target, place, counting))
        runs = counting.finish()
    return Shared(settle_names(target, written), runs)


def _share(
    sources: str, staged: str, names: Sequence[str], counted: Counted, workers: Workers, progress: Progress | None
) -> tuple[list[Written], Runs]:
    batches = [(start, names[start : start + _BATCH]) for start in range(0, len(names), _BATCH)]
    count = len(workers.processes)
    workers.assign(
        [("documents", sources, staged, counted, number, count, batches[number::count]) for number in range(count)]
    )
    written: list[Written] = []
    for number in range(len(batches)):
        if progress is not None:
            progress(len(written), len(names))
        written += [Written(*members) for members in answer(workers.processes[number % count])]
    return written, _together([_runs(*members) for members in workers.answers()])


def _runs(words: Sequence[Any], fields: Sequence[tuple[int, Any]], body_lengths: list[int]) -> Runs:
    """Runs as another process gave them."""
    return Runs([Run(*run) for run in words], [(field, Run(*run)) for field, run in fields], body_lengths)


def _together(runs: Sequence[Runs]) -> Runs:
    """The runs of all workers; a worker numbers its sections from its own number on, every so many-th."""
    lengths = [0] * (len(runs) * max([len(each.body_lengths) for each in runs]))
    for number, each in enumerate(runs):
        lengths[number : number + len(runs) * len(each.body_lengths) : len(runs)] = each.body_lengths
    return Runs([run for each in runs for run in each.words], [run for each in runs for run in each.fields], lengths)


def compiled_parts(
    staged: str, runs: Runs, numbers: Sequence[int], weights: Weighed | None, workers: Workers
) -> Iterator[list[Part]]:
    """All words compiled in parts, then, where there are `weights`, all terms of sections."""
    count = max(len(workers.processes), 1)
    words = [tuple(run) for run in runs.words]
    fields = [(field, tuple(run)) for field, run in runs.fields]
    ranges = zip(shares(runs.words, count), shares([run for _, run in runs.fields], count), strict=True)
    given = packed(numbers)
    weighed = packed_weights(weights) if weights else None
    assignments = [
        ("index", os.path.join(staged, f"part-{number}"), words, of_words, given, fields, of_terms, weighed)
        for number, (of_words, of_terms) in enumerate(ranges)
    ]
    if workers.processes:
        workers.assign(assignments)
        for _ in range(2 if weights else 1):
            yield [Part(*members) for members in workers.answers()]
    else:
        for part in _parts(*assignments[0][1:]):
            yield [part]


def _parts(
    file: str,
    words: Sequence[Any],
    of_words: Range,
    numbers: bytes,
    fields: Sequence[tuple[int, Any]],
    of_terms: Range,
    weighed: tuple[bytes, Sequence[bytes], bytes] | None,
) -> Iterator[Part]:
    yield words_part(f"{file}-words", [Run(*run) for run in words], of_words, numbers)
    if weighed is not None:
        yield sections_part(f"{file}-terms", [(field, Run(*run)) for field, run in fields], of_terms, *weighed)


def work() -> None:
    """The life of a worker: do what is assigned, and say what came of it, until there is nothing more."""
    import gc

    gc.disable()  # lists of millions of numbers hold no cycles, and looking for some takes a tenth of the time
    try:
        while assignment := receive(sys.stdin.buffer):
            _work(sys.stdout.buffer, *assignment)
    except (BrokenPipeError, EOFError):
        pass
    os._exit(0)  # the build has all it asked for, or is gone: then nobody is left to work for, or to tell


def _work(sending: Any, kind: str, *assignment: Any) -> None:
    made = _written if kind == "documents" else _parts
    try:
        for outcome in made(*assignment):
            send(sending, ("done", tuple(outcome)))
    except errors.ContextError as error:
        send(sending, (type(error).__name__, error.reason))
    except BrokenPipeError:
        raise
    except OSError as error:
        send(sending, ("os", (error.errno, error.strerror)))


def _written(
    sources: str, staged: str, counted: Counted, number: int, workers: int, batches: list[tuple[int, list[str]]]
) -> Iterator[Sequence[Any]]:
    target = os.path.join(staged, DOCUMENTS)
    counting = Counting(staged, f"run-{number}", _SPILL_BYTES // workers, *counted, worker=number, workers=workers)
    for start, names in batches:
        yield [
            tuple(write_document(sources, source, target, start + position, counting))
            for position, source in enumerate(names)
        ]
    words, fields, body_lengths = counting.finish()
    yield [tuple(run) for run in words], [(field, tuple(run)) for field, run in fields], body_lengths
