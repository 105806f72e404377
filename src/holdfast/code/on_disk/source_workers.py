"""Work on source files in processes of its own: what a grammar does to one of them costs that file and no more."""

from __future__ import annotations

from _thread import allocate_lock
from collections.abc import Callable, Iterator
from importlib import import_module
from signal import alarm
from typing import Any, TypeVar

from holdfast.code.languages import language_of
from holdfast.core.worker_pool import WorkerPool, core_count

Item = TypeVar("Item", bound=tuple[object, ...])
Made = TypeVar("Made")

# Seconds. A file is at most MAX_ANALYSED long, and no grammar takes a tenth of this for one that a person wrote.
PATIENCE = 20
_MOST_LOST = 5  # files of a language; beyond, most have to be read, or no more of them are tried
_WORTH_TWO = 256 << 10  # less source than this is analysed before a second process has started
_in_process = allocate_lock()  # a parser serves one thread at a time


def worked(items: list[Item], read: Callable[[Item], Made], size: int) -> Iterator[tuple[int, Made | None]]:
    """What is read of each file with its number, None for one that was lost; language by language.

    An item's third part is the file's name; `size` is about how many bytes there are, and `read` is a function that a
    module has under its own name. Where no process can be started it is called here.

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
                jobs = [(read.__module__, read.__name__, items[number]) for number in numbers]
                for at, one in pool.run_items(read_in_worker, jobs, count=count, patience=PATIENCE):
                    del left[numbers[at]]
                    yield numbers[at], one
                    lost += one is None
                    if lost > _MOST_LOST and 2 * lost > len(numbers) - len(left):
                        pool.__exit__()  # what its workers have begun is of no use
                        break
                yield from [(number, None) for number in left]
            except OSError:  # no process can be started here, as when this one gave up that right
                with _in_process:
                    yield from [(number, read(items[number])) for number in left]
    finally:
        pool.__exit__()


def read_in_worker(jobs: list[tuple[str, str, Any]]) -> Iterator[Any]:
    """What functions, named by module and name, make of an item each; the process ends itself should one never end and
    nobody be left to end it."""
    for module, name, item in jobs:
        alarm(PATIENCE + 10)
        made = getattr(import_module(module), name)(item)
        alarm(0)
        yield made
