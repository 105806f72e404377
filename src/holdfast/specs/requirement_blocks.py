"""Requirements as blocks of lines, and deltas, which say how they change: `## ADDED Requirements` and three more.

A block runs from its heading, `### Requirement: TITLE`, to the next heading of that level or above it, blank lines at
its end left out. A line in a fence or a comment is no heading.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import NamedTuple

from holdfast.core.unicode_text import lower_case
from holdfast.specs.shapes import ChangeKind
from holdfast.specs.visible_lines import visible_lines
from holdfast.specs.white_space import trimmed

HEADING = "### Requirement:"
_SCENARIO = "#### Scenario:"
KINDS: tuple[ChangeKind, ...] = ("RENAMED", "REMOVED", "MODIFIED", "ADDED")  # in the order they are applied
_BASE, _BASE_END = "<!-- base sha256:", "-->"
_FROM, _TO = "FROM:", "TO:"


class Block(NamedTuple):
    """One requirement in a text: its lines from `start` up to `end`."""

    title: str
    start: int
    end: int
    lines: tuple[str, ...]  # without line ends

    @property
    def text(self) -> str:
        """Its lines with LF between them."""
        return "\n".join(self.lines)

    @property
    def digest(self) -> str:
        """The digest of its text, the same for all line ends."""
        return sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


class Change(NamedTuple):
    """One change that a delta asks for; of a renamed requirement `block` is empty and `title` is the new title."""

    kind: ChangeKind
    title: str
    line: int  # from 0, in the delta
    block: tuple[str, ...] = ()  # what shall stand there
    base: str = ""  # the digest of what it was made from
    renamed_from: str = ""


class Delta(NamedTuple):
    """What a file asks for, in the order it is written; and the lines of it that ask for nothing that can be done."""

    changes: tuple[Change, ...]
    misplaced: tuple[int, ...]


def same(title: str) -> str:
    """What two spellings of one title have in common: white space is collapsed."""
    return " ".join([part for part in map(trimmed, title.replace("\t", " ").split(" ")) if part])


def same_but_for_case(title: str) -> str:
    """What two spellings that differ in case have in common."""
    return lower_case(same(title))


def bare_lines(text: str) -> list[str]:
    """The lines of a text without their ends."""
    return [line.removesuffix("\r") for line in text.split("\n")]


def level(line: str) -> int:
    """How deep a heading is; 0 for a line that is none."""
    marks = len(line) - len(line.lstrip("#"))
    return marks if 0 < marks <= 6 and line[marks : marks + 1] in ("", " ", "\t") else 0


def blocks(lines: Sequence[str]) -> list[Block]:
    """The requirements of a text, by its lines without line ends."""
    return [
        Block(trimmed(line[len(HEADING) :]), start, end, tuple(lines[start:end]))
        for start, end, line in _parts(lines, 3)
        if line.startswith(HEADING)
    ]


def _parts(lines: Sequence[str], deepest: int) -> Iterator[tuple[int, int, str]]:
    """From where up to where the text of each heading goes, blank lines at its end left out, and the heading."""
    headings = [(number, line) for number, line in visible_lines(lines) if 0 < level(line) <= deepest]
    for (start, line), (end, _) in pairwise([*headings, (len(lines), "")]):
        while not trimmed(lines[end - 1]):
            end -= 1
        yield start, end, line


def scenarios_of(lines: Sequence[str]) -> list[str]:
    """The titles of the scenarios in the lines of a requirement."""
    return [same(line[len(_SCENARIO) :]) for _, line in visible_lines(lines) if line.startswith(_SCENARIO)]


def section_text(text: str, name: str) -> str:
    """What a section `## NAME` says, in one line; empty without such a section."""
    lines = bare_lines(text)
    found = [lines[at + 1 : end] for at, end, line in _parts(lines, 2) if _names(line, name)]
    return same(" ".join(found[0])) if found else ""


def section_end(lines: Sequence[str], name: str) -> int | None:
    """Where the text of a section `## NAME` ends, blank lines left out; None without such a section."""
    return next((end for _, end, line in _parts(lines, 2) if _names(line, name)), None)


def _names(heading: str, section: str) -> bool:
    return level(heading) == 2 and same_but_for_case(heading.lstrip("#")) == lower_case(section)


def kind_of(line: str) -> ChangeKind | None:
    """Which changes a heading begins."""
    return next((kind for kind in KINDS if _names(line, f"{kind} requirements")), None)


def delta_of(text: str) -> Delta:
    """The changes that a text asks for."""
    lines = bare_lines(text)
    sections: list[tuple[int, ChangeKind | None]] = [(-1, None)]
    sections += [(number, kind_of(line)) for number, line in visible_lines(lines) if 0 < level(line) <= 2]
    misplaced: list[int] = []
    changes: list[Change] = []
    for block in blocks(lines):
        kind = next(kind for number, kind in reversed(sections) if number < block.start)
        if kind is None or kind == "RENAMED" or not block.title:
            misplaced.append(block.start)
            continue
        kept, base = _without_base(block.lines)
        changes.append(Change(kind, block.title, block.start, kept, base))
    old: tuple[int, str] | None = None
    for number, line in visible_lines(lines):
        kind = next(kind for start, kind in reversed(sections) if start <= number)
        if kind != "RENAMED":
            continue
        title = _renamed(line, _FROM)
        if title:
            old = (number, title)
        elif new := _renamed(line, _TO):
            if old is None:
                misplaced.append(number)
            else:
                changes.append(Change("RENAMED", new, old[0], renamed_from=old[1]))
            old = None
    misplaced += [old[0]] if old else []
    return Delta(tuple(sorted(changes, key=lambda change: (KINDS.index(change.kind), change.line))), tuple(misplaced))


def base_line(digest: str) -> str:
    """The line that says what a change was made from."""
    return f"{_BASE}{digest} {_BASE_END}"


def _without_base(lines: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    for place, line in enumerate(lines):
        bare = trimmed(line)
        if bare.startswith(_BASE) and bare.endswith(_BASE_END):
            return (*lines[:place], *lines[place + 1 :]), trimmed(bare[len(_BASE) : -len(_BASE_END)])
    return lines, ""


def _renamed(line: str, mark: str) -> str:
    text = trimmed(line).lstrip("-*+ ")
    if not text.startswith(mark):
        return ""
    return trimmed(trimmed(text[len(mark) :]).strip("`").removeprefix(HEADING))
