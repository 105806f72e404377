"""The tasks of a `tasks.md`: which lines are tasks, what belongs to each, and how far the work is.

docs/formats/specs.md describes the format. Every step takes time in proportion to the text.
"""

from __future__ import annotations

from holdfast.core.record import NamedTuple
from holdfast.specs.task_prompt import MARK, is_bullet, sections, take_prompt
from holdfast.specs.visible_lines import visible_lines
from holdfast.specs.white_space import (
    after_white_space,
    comma_separated,
    trimmed,
    up_to_line_end,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.specs.shapes import Status, TaskData, TaskProgress

_STATUS: dict[str, Status] = {" ": "pending", "-": "in-progress", "x": "completed", "X": "completed"}
_DIGITS = "0123456789"


class Details(NamedTuple):
    """What stands below a task."""

    requirements: tuple[str, ...] = ()
    leverage: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    purposes: tuple[str, ...] = ()
    implementation: tuple[str, ...] = ()
    prompt: str = ""


class Task(NamedTuple):
    """One numbered checkbox item."""

    id: str
    description: str
    status: Status
    line: int  # from 0
    indent: int  # characters of white space before the item
    details: Details

    @property
    def is_header(self) -> bool:
        """Whether nothing stands below it: a heading for the tasks that follow, or a task of one line."""
        return not any(self.details)


class Progress(NamedTuple):
    """How far the work is; a task in progress is in `total` only."""

    total: int
    completed: int
    pending: int

    def as_json(self) -> TaskProgress:
        """The counts as an answer shows them."""
        return {"total": self.total, "completed": self.completed, "pending": self.pending}


class TaskList(NamedTuple):
    """All tasks of a text, in order."""

    tasks: tuple[Task, ...]
    progress: Progress


def parse(text: str) -> TaskList:
    """The tasks of a Markdown text."""
    found: list[tuple[Task, list[str]]] = []
    lines: list[str] = []
    for number, line in visible_lines(text.split("\n")):
        after_box = _after_checkbox(line)
        if after_box:
            lines = []  # any checkbox line ends the block before it, task or not
            if task := _task(line, after_box, number):
                found.append((task, lines))
        elif found:
            lines.append(trimmed(line))
    tasks = tuple([task._replace(details=_details(below)) if below else task for task, below in found])
    completed = sum([task.status == "completed" for task in tasks])
    pending = sum([task.status == "pending" for task in tasks])
    return TaskList(tasks, Progress(len(tasks), completed, pending))


def in_progress(tasks: Sequence[Task]) -> Task | None:
    """The first task somebody works on."""
    return next((task for task in tasks if task.status == "in-progress"), None)


def next_pending(tasks: Sequence[Task]) -> Task | None:
    """The first pending task that has something below it."""
    return next((task for task in tasks if task.status == "pending" and not task.is_header), None)


def next_task(tasks: Sequence[Task]) -> Task | None:
    """What to do next: a pending task with details, else any pending one, else one that was begun."""
    pending = (task for task in tasks if task.status == "pending")
    return next_pending(tasks) or next(pending, None) or in_progress(tasks)


def as_json(task: Task) -> TaskData:
    """A task with its details, those it lacks left out."""
    found: TaskData = {
        "id": task.id,
        "description": task.description,
        "status": task.status,
        "lineNumber": task.line,
        "indentLevel": task.indent / 2 if task.indent % 2 else task.indent // 2,
        "isHeader": task.is_header,
        "completed": task.status == "completed",
        "inProgress": task.status == "in-progress",
    }
    details = task.details
    if details.requirements:
        found["requirements"] = details.requirements
    if details.leverage:
        found["leverage"] = ", ".join(details.leverage)
    if details.files:
        found["files"] = details.files
    if details.purposes:
        found["purposes"] = details.purposes
    if details.implementation:
        found["implementationDetails"] = details.implementation
    if details.prompt:
        found["prompt"] = details.prompt
    if structured := sections(details.prompt):
        found["promptStructured"] = [{"key": key, "value": value} for key, value in structured]
    return found


def _after_checkbox(line: str) -> int:
    """The position after the box of a checkbox line, or 0."""
    if "[" not in line:
        return 0
    marker = after_white_space(line, 0)
    box = after_white_space(line, marker + 1)
    if box == marker + 1 or line[marker : marker + 1] not in ("-", "*"):
        return 0
    opening, status, closing = line[box : box + 1], line[box + 1 : box + 2], line[box + 2 : box + 3]
    return box + 3 if opening == "[" and status in _STATUS and closing == "]" else 0


def _task(line: str, after_box: int, number: int) -> Task | None:
    start = after_white_space(line, after_box)
    if start == after_box:
        return None
    text = up_to_line_end(line[start:])
    digits = _number_end(text)
    if not digits:
        return None
    description = _description(text, digits)
    if not description:
        return None
    status = _STATUS[line[after_box - 2]]
    return Task(text[:digits], description, status, number, after_white_space(line, 0), Details())


def _number_end(text: str) -> int:
    """The end of the number `d(.d)*` a text starts with."""
    end = _digits_end(text, 0)
    while end and text[end : end + 1] == "." and (more := _digits_end(text, end + 1)) > end + 1:
        end = more
    return end


def _digits_end(text: str, start: int) -> int:
    while start < len(text) and text[start] in _DIGITS:
        start += 1
    return start


def _description(text: str, number_end: int) -> str:
    """What follows the number: white space, `\\`, `.`, white space, then all the rest. Empty when it does not fit."""
    mark = after_white_space(text, number_end)
    end = mark
    for character in "\\.":
        if text[end : end + 1] == character:
            end += 1
    start = after_white_space(text, end)
    if start == end:
        # No white space after the mark: then the mark belongs to the description, if white space stands before it.
        start = mark
        if mark == number_end:
            return ""
        end = number_end
    # Where nothing but white space follows, the last of it is the description.
    return text[start:] or text[max(end + 1, len(text) - 1) :]


def _details(lines: Sequence[str]) -> Details:
    """What the trimmed lines below a task say; the first rule that applies to a line is the one."""
    found: dict[str, list[str]] = {name: [] for name in Details._fields}
    prompt = ""
    at = 0
    while at < len(lines):
        line = lines[at]
        taken = 1
        if MARK in line:
            prompt, taken = take_prompt(lines, at)
        elif "_Requirements:" in line:
            found["requirements"] += [part for part in _italic(line, "_Requirements:") if part != "NFR"]
        elif "_Leverage:" in line:
            found["leverage"] += _italic(line, "_Leverage:")
        elif "File:" in line or "Files:" in line:
            found["files"] += _files(line)
        elif is_bullet(line):
            text = line[after_white_space(line, 1) :]
            if text.startswith("Purpose:"):
                found["purposes"].append(trimmed(text[8:]))
            elif not text.startswith("["):  # a box that is none, such as `[?]`
                found["implementation"].append(text)
        at += taken
    return Details(
        tuple(found["requirements"]),
        tuple(found["leverage"]),
        tuple(found["files"]),
        tuple(found["purposes"]),
        tuple(found["implementation"]),
        prompt,
    )


def _italic(line: str, mark: str) -> list[str]:
    """The parts between a mark and the underscore that closes it; none when nothing closes it."""
    text, closed, _ = line.partition(mark)[2].partition("_")
    return comma_separated(text) if closed else []


def _files(line: str) -> list[str]:
    singular, plural = line.find("File:"), line.find("Files:")
    at_plural = plural >= 0 and (singular < 0 or plural < singular)
    rest = line[plural + 6 :] if at_plural else line[singular + 5 :]
    return [name for name in map(_without_remark, comma_separated(rest)) if name]


def _without_remark(name: str) -> str:
    """A file name without the first parenthesis after it."""
    start = name.find("(")
    end = name.find(")", start) if start >= 0 else -1
    return trimmed(name[:start] + name[end + 1 :]) if end > 0 else name
