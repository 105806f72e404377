"""One policy on one task: calls and tokens until the gold was shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from benchmarks.agents.gold import Gold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from benchmarks.agents.tasks import Repository, Task

GIVE_UP = 12_000


class Call(NamedTuple):
    """What a model sends and what comes back, as text."""

    arguments: str
    answer: str


class Project(NamedTuple):
    """A repository on this machine."""

    repository: Repository
    folder: Path

    def lines(self, path: str) -> list[str]:
        """The lines of one of its files."""
        return (self.folder / path).read_text(encoding="utf-8", errors="replace").split("\n")


class Policy(Protocol):
    """One way to work: a fixed sequence of calls for each task, the same on every run."""

    name: str
    kinds: tuple[str, ...]

    def open(self, project: Project) -> None:
        """Prepare for the tasks of one repository."""

    def tool_list(self) -> str:
        """What a session pays before its first question: tools and instructions; empty for tools that agents have."""

    def calls(self, task: Task, question: str) -> Iterator[Call]:
        """The calls in their order, each made when it is asked for."""

    def close(self) -> None:
        """Let go of what `open` holds."""


class Run(NamedTuple):
    """What one task took. A run that gives up, or has no call left to make, counts `GIVE_UP` tokens."""

    task: Task
    wording: str
    done: bool
    calls: int
    tokens: int


def perform(policy: Policy, project: Project, task: Task, wording: str, count: Callable[[str], int]) -> Run:
    """Work on a task until its gold was shown or `GIVE_UP` tokens are spent."""
    gold = Gold(task, {place.path: project.lines(place.path) for group in task.gold for place in group})
    made = spent = 0
    for call in policy.calls(task, task.questions[wording]):
        made += 1
        spent += count(call.arguments) + count(call.answer)
        if spent > GIVE_UP:
            break
        if gold.see(*call):
            return Run(task, wording, done=True, calls=made, tokens=spent)
    return Run(task, wording, done=False, calls=made, tokens=GIVE_UP)
