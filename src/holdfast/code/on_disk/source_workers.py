"""Work on source files in processes of its own: what a grammar does to one of them costs that file and no more."""

from __future__ import annotations

from _thread import allocate_lock
from collections.abc import Callable, Iterator
from signal import alarm
from typing import TypeVar

from holdfast.code.languages import language_of
from holdfast.core.worker_pool import WorkerPool, core_count

Item = TypeVar("Item", bound=tuple[object, ...])
Made = TypeVar("Made")

# Seconds. A file is at most MAX_ANALYSED long, and no grammar takes a tenth of this for one that a person wrote.
PATIENCE = 20
_MOST_LOST = 5  # files of a language; beyond, most have to be read, or no more of them are tried
_WORTH_TWO = 256 << 10  # less source than this is analysed before a second process has started
_in_process = allocate_lock()  # a parser serves one thread at a time


def worked(
    items: list[Item],
    job: Callable[[list[Item]], Iterator[Made]],
    in_process: Callable[[list[Item]], Iterator[Made]],
    size: int,
) -> Iterator[tuple[int, Made | None]]:
    """What a job makes of each file with its number, None for one that was lost; language by language.

    An item's third part is the file's name; `size` is about how many bytes there are, and `in_process` is the job
    where no process can be started.

    A grammar that is lost with file after file is not tried for ever: the rest of its files are lost as well.
    """
    languages: dict[str, list[int]] = {}
    for number, item in enumerate(items):
        languages.setdefault(language_of(str(item[2])), []).append(number)
    count = core_count() if size >= _WORTH_TWO else 1
    pool = WorkerPool()
    try:
        for numbers in languages.values():
            left = dict.fromkeys(numbers)
            lost = 0
            try:
                given = [items[number] for number in numbers]
                for at, one in pool.run_items(job, given, count=count, patience=PATIENCE):
                    del left[numbers[at]]
                    yield numbers[at], one
                    lost += one is None
                    if lost > _MOST_LOST and 2 * lost > len(numbers) - len(left):
                        pool.__exit__()  # what its workers have begun is of no use
                        break
                yield from [(number, None) for number in left]
            except OSError:  # no process can be started here, as when this one gave up that right
                with _in_process:
                    yield from zip(left, in_process([items[number] for number in left]), strict=True)
    finally:
        pool.__exit__()


def patient(found: Iterator[Made]) -> Iterator[Made]:
    """Results in a process of its own, which ends itself should one never come and nobody be left to end it."""
    while True:
        alarm(PATIENCE + 10)
        one = next(found, None)
        alarm(0)
        if one is None:
            return
        yield one
