"""The tasks: a question in two wordings about a repository at one commit, and the lines that answer it.

`tasks/repositories.json` says where a repository comes from and which of its folders have documentation, code and
specs; `tasks/NAME.jsonl` has its tasks, `{id, kind, user, docs, gold}`. `gold` is a list of groups of
`[path, first line, last line]`: a task is done when one member of every group was shown.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import NamedTuple

TASKS = Path(__file__).parent / "tasks"
DOCUMENTATION, CODE, USES, BREAKS, NEXT_TASK = "documentation", "code", "who uses", "what breaks", "next task"
KINDS = (DOCUMENTATION, CODE, USES, BREAKS, NEXT_TASK)
# The words of someone who has not read the documentation, and the documentation's own.
USER, DOCS = "user", "docs"
WORDINGS = (USER, DOCS)
DEVELOPMENT, HELD_OUT = "development", "held-out"


class Place(NamedTuple):
    """Lines of a file, 1-based, both included."""

    path: str
    first: int
    last: int


class Repository(NamedTuple):
    """A public repository at one commit, and the folders and files below which each kind of thing lies."""

    name: str
    source: str
    commit: str
    documentation: list[str]
    code: list[str]
    specs: str


class Task(NamedTuple):
    """One task; `questions` by wording."""

    id: str
    repository: str
    kind: str
    questions: dict[str, str]
    gold: list[list[Place]]

    @property
    def half(self) -> str:
        """Which half a task belongs to: a function of its id alone."""
        return HELD_OUT if hashlib.sha256(self.id.encode()).digest()[0] & 1 else DEVELOPMENT


def read_repositories() -> list[Repository]:
    """All repositories that have tasks."""
    listed = json.loads((TASKS / "repositories.json").read_text(encoding="utf-8"))
    return [Repository(name, **fields) for name, fields in listed.items()]


def read_tasks(repository: str) -> list[Task]:
    """The tasks of one repository, in the order of its file."""
    lines = (TASKS / f"{repository}.jsonl").read_text(encoding="utf-8").splitlines()
    return [
        Task(
            one["id"],
            repository,
            one["kind"],
            {wording: one[wording] for wording in WORDINGS},
            [[Place(*place) for place in group] for group in one["gold"]],
        )
        for one in map(json.loads, lines)
    ]
