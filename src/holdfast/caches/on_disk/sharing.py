"""Share the work of a build among processes; few documents stay in this one.

Each worker gets a stretch of the documents in id order, about as many bytes as the others, and answers batch by batch.
The first error in id order is the one reported, whoever met it. Then each compiles a range of what all have counted.
"""

from __future__ import annotations

import os
import sys
from bisect import bisect_left
from itertools import accumulate, pairwise

from holdfast.caches.index_format.packed_numbers import packed
from holdfast.caches.index_format.runs import Run, shares
from holdfast.caches.on_disk.batches import Written, settle_names, source_path, write_batches
from holdfast.caches.on_disk.counting import Counting, Runs
from holdfast.caches.on_disk.directory import DOCUMENTS
from holdfast.caches.on_disk.parts import Part, packed_weights, sections_part, words_part
from holdfast.caches.on_disk.workers import answer, receive, send
from holdfast.caches.section_index.section_compiler import BODY, HEADINGS
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
# What a document costs to write beside its bytes, as if it had so many more.
_DOCUMENT_BYTES = 1000
# So many documents say how heavy all are.
_LOOKED_AT = 2000


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
        if progress is not None:
            progress(0, len(names))
        for batch in write_batches(sources, names, target, 0, counting):
            written += batch
            if progress is not None:
                progress(len(written), len(names))
        runs = counting.finish()
    return Shared(settle_names(target, written), runs)


def _share(
    sources: str, staged: str, names: Sequence[str], counted: Counted, workers: Workers, progress: Progress | None
) -> tuple[list[Written], Runs]:
    count = len(workers.processes)
    limit = _SPILL_BYTES // count
    stretches = _stretches(sources, names, count)
    workers.assign(
        [
            ("documents", sources, staged, counted, f"run-{number}", limit, start, names[start:end])
            for number, (start, end) in enumerate(stretches)
        ]
    )
    written: list[list[Written]] = [[] for _ in range(count)]
    failures: list[Exception] = []
    working = list(range(count))
    while working:
        for number in list(working):
            if len(written[number]) == stretches[number][1] - stretches[number][0]:
                working.remove(number)
                continue
            if progress is not None:
                progress(sum(map(len, written)), len(names))
            try:
                written[number] += [Written(*members) for members in answer(workers.processes[number])]
            except (errors.ContextError, OSError) as error:
                failures.append(error)
                working = working[: working.index(number)]  # what others met further on comes after this
                break
    if failures:
        raise failures[-1]
    return [item for each in written for item in each], _together([_runs(*members) for members in workers.answers()])


def _stretches(sources: str, names: Sequence[str], count: int) -> list[tuple[int, int]]:
    """From and to below which document each of so many workers writes, all about as heavy."""
    looked_at = names[:: len(names) // _LOOKED_AT + 1]
    weights = [_DOCUMENT_BYTES + _size(source_path(sources, name)) for name in looked_at]
    reached = list(accumulate(weights, initial=0))
    cuts = [bisect_left(reached, reached[-1] * number // count) for number in range(count)]
    return list(pairwise([*[cut * len(names) // max(len(weights), 1) for cut in cuts], len(names)]))


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0  # whoever reads it says what is wrong with it


def _runs(words: Sequence[Any], fields: Sequence[tuple[int, Any]], *sections: list[int]) -> Runs:
    """Runs as another process gave them."""
    return Runs([Run(*run) for run in words], [(field, Run(*run)) for field, run in fields], *sections)


def _together(runs: Sequence[Runs]) -> Runs:
    """The runs of all workers, in the order of their documents."""
    together = Runs([], [], [], [])
    for each in runs:
        base = len(together.places)
        together.words.extend([run._replace(base=base + run.base) for run in each.words])
        for field, run in each.fields:
            together.fields.append((field, run._replace(base=base + run.base) if field in (BODY, HEADINGS) else run))
        together.body_lengths.extend(each.body_lengths)
        together.places.extend(each.places)
    return together


def compiled_parts(
    staged: str, runs: Runs, numbers: Sequence[int], weights: Weighed | None, workers: Workers
) -> Iterator[list[Part]]:
    """All words compiled in parts, then, where there are `weights`, all terms of sections; workers begin at once."""
    count = max(len(workers.processes), 1)
    words = [tuple(run) for run in runs.words]
    fields = [(field, tuple(run)) for field, run in runs.fields]
    ranges = zip(shares(runs.words, count), shares([run for _, run in runs.fields], count), strict=True)
    given = packed(numbers), packed(runs.places)
    weighed = packed_weights(weights) if weights else None
    assignments = [
        ("index", os.path.join(staged, f"part-{number}"), words, of_words, *given, fields, of_terms, weighed)
        for number, (of_words, of_terms) in enumerate(ranges)
    ]
    if not workers.processes:
        return ([part] for part in _parts(*assignments[0][1:]))
    workers.assign(assignments)
    return ([Part(*members) for members in workers.answers()] for _ in range(2 if weights else 1))


def _parts(
    file: str,
    words: Sequence[Any],
    of_words: Range,
    numbers: bytes,
    places: bytes,
    fields: Sequence[tuple[int, Any]],
    of_terms: Range,
    weighed: tuple[Sequence[bytes], bytes] | None,
) -> Iterator[Part]:
    yield words_part(f"{file}-words", [Run(*run) for run in words], of_words, numbers, places)
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
    except Exception as error:  # a bug, or no memory: the build tells of it as of its own
        send(sending, ("InternalError", f"{type(error).__name__}: {error}"))


def _written(
    sources: str, staged: str, counted: Counted, name: str, limit: int, first: int, names: Sequence[str]
) -> Iterator[Sequence[Any]]:
    target = os.path.join(staged, DOCUMENTS)
    counting = Counting(staged, name, limit, *counted)
    for batch in write_batches(sources, names, target, first, counting):
        yield [tuple(written) for written in batch]
    words, fields, *sections = counting.finish()
    yield [tuple(run) for run in words], [(field, tuple(run)) for field, run in fields], *sections
