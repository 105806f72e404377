"""Which task comes next, which one a review is about, and a task list in short."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from holdfast.specs.tasks import LeftOut, Progress, Task, TaskList, in_progress

# A number with more parts than this says nothing of its parent task: the indent alone decides.
_DEEPEST = 8


class TaskSummary(NamedTuple):
    """What there is to say of a task list without going through it again."""

    progress: Progress
    next: Task | None
    review: Task | None  # what a review is about, unless it says so itself
    optional_open: int
    left_out: int
    left_out_open: int
    first_left_out: LeftOut | None

    @property
    def held_weight(self) -> int:
        """About how many bytes of memory it takes: no more than the tasks it names."""
        named = [task.weight for task in (self.next, self.review) if task is not None]
        return sum(named) + (0 if self.first_left_out is None else len(self.first_left_out.text))


def summary(found: TaskList) -> TaskSummary:
    """A task list in short."""
    left_out = found.left_out
    still_open = [each for each in left_out if each.is_open]
    return TaskSummary(
        found.progress,
        next_task(found.tasks),
        task_to_review(found.tasks),
        sum([task.optional and task.status != "completed" for task in found.tasks]),
        len(left_out),
        len(still_open),
        next(iter(still_open or left_out), None),
    )


def next_task(tasks: Sequence[Task]) -> Task | None:
    """What to do next: a task that was begun, else the first open one without sub-tasks; optional ones come last."""
    above = parents(tasks)
    unfinished = [(place in above, task) for place, task in enumerate(tasks) if task.status != "completed"]
    begun = [task for is_parent, task in unfinished if task.status == "in-progress" and not is_parent]
    leaves = [task for is_parent, task in unfinished if not is_parent and not task.optional]
    needed = [task for _, task in unfinished if not task.optional]
    return next(iter(begun or leaves or needed or [task for _, task in unfinished]), None)


def task_to_review(tasks: Sequence[Task]) -> Task | None:
    """What was worked on last: a task that was begun, else the last one completed."""
    above = parents(tasks)
    leaves = [task for place, task in enumerate(tasks) if place not in above]
    begun = in_progress(leaves) or in_progress(tasks)
    return begun or next((task for task in reversed(leaves) if task.status == "completed"), None)


def parents(tasks: Sequence[Task]) -> set[int]:
    """The places of the tasks that have sub-tasks: by their number, or by an indent that the next task goes beyond."""
    above = set()
    for task in tasks:
        number = task.id
        for _ in range(_DEEPEST):
            number = number.rpartition(".")[0]
            if not number:
                break
            above.add(number)
    found = {place for place, task in enumerate(tasks) if task.id in above}
    return found | {place for place in range(len(tasks) - 1) if tasks[place + 1].indent > tasks[place].indent}
