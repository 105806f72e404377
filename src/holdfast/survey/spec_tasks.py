"""The tasks of specs that name files. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from holdfast.contexts.project_map import is_below
from holdfast.contexts.shapes import ConcernedTask
from holdfast.specs.tasks import Task, paths_in, without_lines

_ORDER = ("in-progress", "pending", "completed")


def tasks_naming(specs: Mapping[str, Iterable[Task]], paths: Sequence[str]) -> list[ConcernedTask]:
    """The tasks that name one of some files or a folder above it: those at work first, then by spec and line."""
    found = []
    for name, tasks in specs.items():
        for task in tasks:
            named = {path.strip("`").removeprefix("./").rstrip("/") for path in _named(task)} - {"", "."}
            if files := [path for path in paths if any(is_below(path, one) for one in named)]:
                found.append((_ORDER.index(task.status), name, task, files))
    return [
        {
            "spec": name,
            "id": task.id,
            "status": task.status,
            "description": task.description,
            "files": files,
        }
        for _, name, task, files in sorted(found, key=lambda one: (one[0], one[1], one[2].line))
    ]


def _named(task: Task) -> Iterator[str]:
    for text in (task.description, *task.details.implementation):
        yield from paths_in(text)
    yield from map(without_lines, (*task.details.files, *task.details.leverage))
