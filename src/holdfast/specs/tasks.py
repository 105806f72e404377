"""The tasks of a `tasks.md`: which lines are tasks, what belongs to each, and how far the work is.

docs/formats/specs.md describes the format. Every step takes time in proportion to the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from holdfast.specs.checkbox_lines import STATUS, after_checkbox, is_ticked, looks_like_a_box, number_end, why_no_task
from holdfast.specs.layouts import NUMBERED, TaskForm
from holdfast.specs.shapes import Status, TaskData, TaskProgress, WhyNoTask
from holdfast.specs.task_prompt import MARK, is_bullet, sections, take_prompt
from holdfast.specs.visible_lines import visible_lines
from holdfast.specs.white_space import WHITE_SPACE, after_white_space, comma_separated, trimmed, up_to_line_end

_BOLD = "**"
_OPTIONAL = ("*", "\\*")  # after a box; formatters write the second
# `T003`, `12a`, `T019A`, `3.6a`, `T055-MIN`
_CODE = re.compile(rf"(T?[0-9]++(?:\.[0-9]++)*+[A-Za-z]?+(?:-[A-Z0-9]++)?+)(?=[.:)*{WHITE_SPACE}])").match
ANY_NUMBER = re.compile(r"[0-9]++(?:\.[0-9]++)*+").findall
_FLAG = re.compile(rf"\[([^\]]{{0,10}}+)\][{WHITE_SPACE}]*+").match
_BETWEEN_WORDS = re.compile("[ \uff08\uff09\u3001\uff0c\uff1b\uff1a\u300c\u300d\u3002]").split
_NUMBERED = re.compile(rf"[{WHITE_SPACE}]*\\?\.?[{WHITE_SPACE}]+(.+)", re.DOTALL).match


def without_flags(text: str) -> tuple[str, list[str]]:
    """What follows a code without the flags in brackets before it, and the flags."""
    flags = []
    start = after_white_space(text, 0)
    while flag := _FLAG(text, start):
        flags.append(trimmed(flag[1]))
        start = flag.end()
    return text[start:], flags


def paths_in(text: str) -> list[str]:
    """The paths a description names: between backticks, or words with a slash and an ending."""
    found = []
    for place, part in enumerate(text.split("`")):
        if place % 2:
            found += [part] if ("/" in part or "." in part) and not any(mark in part for mark in " {}<>$;=\"'") else []
        else:
            words = [word.strip(",;:").rstrip(".") for word in _BETWEEN_WORDS(part)]
            words = [word[1:-1] if word[:1] == "(" and word[-1:] == ")" else word for word in words]
            words = [word if "(" in word else word.rstrip(")") for word in words]  # `(see a/b.py)`
            found += [word for word in words if "/" in word and "." in word.rpartition("/")[2] and "://" not in word]
    return list(dict.fromkeys([path for path in map(without_lines, found) if path]))


def without_lines(path: str) -> str:
    """A path without the line numbers after it: `a.py:12` and `a.py:12-20` are `a.py`."""
    name, _, lines = path.rpartition(":")
    return name if name and lines and all(character in "0123456789-,L" for character in lines) else path


# What a task takes of memory before any text, and each text beside its characters.
_WEIGHT = 350
_TEXT_WEIGHT = 60


class Details(NamedTuple):
    """The lines below a task, by kind."""

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
    optional: bool = False  # the work is complete without it

    @property
    def is_header(self) -> bool:
        """Whether it has no details: a heading for the tasks that follow, or a task of one line."""
        return not any(self.details)

    @property
    def weight(self) -> int:
        """About how many bytes of memory it takes."""
        *lists, prompt = self.details
        texts = [self.id, self.description, prompt, *[text for each in lists for text in each]]
        return _WEIGHT + sum([_TEXT_WEIGHT + len(text) for text in texts if text])


class LeftOut(NamedTuple):
    """A checkbox line that is no task."""

    line: int  # from 0
    text: str
    reason: WhyNoTask
    is_open: bool


class Progress(NamedTuple):
    """How far the work is; a task in progress is in `total` only, and an optional one counts once it is done."""

    total: int
    completed: int
    pending: int

    def as_json(self) -> TaskProgress:
        """The counts as an answer shows them."""
        return {"total": self.total, "completed": self.completed, "pending": self.pending}


class TaskList(NamedTuple):
    """All tasks of a text, in order, and the checkbox lines that are none."""

    tasks: tuple[Task, ...]
    progress: Progress
    left_out: tuple[LeftOut, ...] = ()
    headings: frozenset[str] = frozenset()  # the numbers of headings, such as `## 2. Work` and `## Phase 2`

    @property
    def held_weight(self) -> int:
        """About how many bytes of memory it takes: far more than its text."""
        left_out = [_WEIGHT + len(each.text) for each in self.left_out]
        return sum([task.weight for task in self.tasks]) + sum(left_out)


def parse(text: str, form: TaskForm = NUMBERED) -> TaskList:
    """The tasks of a Markdown text."""
    found: list[tuple[Task, list[str]]] = []
    left_out: list[LeftOut] = []
    lines: list[str] = []
    headings: set[str] = set()
    for number, line in visible_lines(text.split("\n")):
        after_box = after_checkbox(line, form)
        if after_box:
            lines = []  # any checkbox line ends the block before it, task or not
            if task := _task(line, after_box, number, form):
                found.append((task, lines))
            elif line[after_box : after_box + 1] not in ("(", "["):  # the text of a link
                left_out.append(_left_out(line, number))
            continue
        if line.startswith("#"):
            headings.update(ANY_NUMBER(line)[:1])
        if "[" in line and looks_like_a_box(line):
            left_out.append(_left_out(line, number))
        if found:
            lines.append(trimmed(line))
    tasks = tuple([task._replace(details=_details(below, task.details)) if below else task for task, below in found])
    counted = [task for task in tasks if not task.optional or task.status == "completed"]
    completed = sum([task.status == "completed" for task in counted])
    pending = sum([task.status == "pending" for task in counted])
    return TaskList(tasks, Progress(len(counted), completed, pending), tuple(left_out), frozenset(headings))


def in_progress(tasks: Sequence[Task]) -> Task | None:
    """The first task in progress."""
    return next((task for task in tasks if task.status == "in-progress"), None)


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
    more = {
        "requirements": details.requirements,
        "leverage": ", ".join(details.leverage),
        "files": details.files,
        "purposes": details.purposes,
        "implementationDetails": details.implementation,
        "prompt": details.prompt,
        "optional": task.optional,
        "promptStructured": [{"key": key, "value": value} for key, value in sections(details.prompt)],
    }
    found.update({key: value for key, value in more.items() if value})  # type: ignore[typeddict-item]  # as declared
    return found


def _task(line: str, after_box: int, number: int, form: TaskForm) -> Task | None:
    status = STATUS[line[after_box - 2]]
    mark = next((mark for mark in _OPTIONAL if form.optional and line.startswith(mark, after_box)), "")
    optional = bool(mark)
    after_box += len(mark)
    start = after_white_space(line, after_box)
    if start == after_box and not form.any_box:
        return None
    indent, text = after_white_space(line, 0), up_to_line_end(line[start:])
    if form.codes and (coded := _coded(text)):
        return Task(coded[0], coded[1], status, number, indent, coded[2])
    digits = number_end(text)
    if form.optional and digits and text[digits : digits + 1] == "*":
        optional, text = True, text[:digits] + text[digits + 1 :]
    if digits and (numbered := _NUMBERED(text, digits)):
        return Task(text[:digits], numbered[1], status, number, indent, Details(), optional)
    return Task(f"L{number + 1}", text, status, number, indent, Details()) if form.any_box and trimmed(text) else None


def _coded(text: str) -> tuple[str, str, Details] | None:
    """The id that a text begins with, perhaps in bold, what follows it without flags, and what flags and paths say."""
    is_bold = text.startswith(_BOLD)
    text = text.removeprefix(_BOLD)
    code = _CODE(text)
    if code is None:
        return None
    rest = text[code.end() :].lstrip(".:)")
    description, flags = without_flags(rest.replace(_BOLD, "", 1).lstrip(".:") if is_bold else rest)
    if not trimmed(description):
        return None
    stories = tuple([flag for flag in flags if flag.startswith("US")])
    return code[1], description, Details(stories, files=tuple(paths_in(description)))


def _left_out(line: str, number: int) -> LeftOut:
    text = trimmed(line)
    return LeftOut(number, text, why_no_task(text), not is_ticked(text))


def _details(lines: Sequence[str], said: Details) -> Details:
    """What a task's line and the trimmed lines below it say; the first rule that applies to a line is the one."""
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
        (*said.requirements, *found["requirements"]),
        tuple(found["leverage"]),
        tuple(found["files"]) or said.files,
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
