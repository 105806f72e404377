"""How `tasks.md` is read, rule by rule."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from holdfast.core.canonical_json import encode
from holdfast.specs.tasks import TaskList, as_json, in_progress, next_pending, parse

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "specs" / "tasks.json").read_bytes())["cases"]


def result(found: TaskList) -> dict[str, Any]:
    """A task list in the form the vectors have."""
    tasks = found.tasks
    current = in_progress(tasks)
    return {
        "tasks": [as_json(task) for task in tasks],
        "inProgressTask": None if current is None else current.id,
        "summary": {
            "total": len(tasks),
            "completed": sum(task.status == "completed" for task in tasks),
            "inProgress": sum(task.status == "in-progress" for task in tasks),
            "pending": sum(task.status == "pending" for task in tasks),
            "headers": sum(task.is_header for task in tasks),
        },
    }


@pytest.mark.parametrize("case", VECTORS, ids=lambda case: case["name"])
def test_a_vector_is_read_as_recorded(case: dict[str, Any]) -> None:
    found = parse(case["markdown"])
    pending = next_pending(found.tasks)
    assert (
        encode(result(found)),
        found.progress._asdict(),
        None if pending is None else pending.id,
    ) == (encode(case["result"]), case["progress"], case["next_pending"])


def ids(markdown: str) -> list[str]:
    return [task.id for task in parse(markdown).tasks]
