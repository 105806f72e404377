"""The requirements of a document and their criteria, by number: `### Requirement 2` and its third item is 2.3."""

from __future__ import annotations

from typing import NamedTuple

from holdfast.specs.checkbox_lines import number_end
from holdfast.specs.requirement_references import id_of, lowered
from holdfast.specs.visible_lines import visible_lines
from holdfast.specs.white_space import trimmed

_STORY = "user story"
_DIGITS = "0123456789"
_DEEPEST = 8
_LONGEST = 40  # lines that one criterion is looked at


class Criterion(NamedTuple):
    """One sentence that can be tested."""

    id: str
    line: int  # from 0
    text: str
    requirement: str = ""  # the number of the requirement that it is below


class Requirements(NamedTuple):
    """The numbers of the requirements in a document, and the criteria of each in order."""

    numbers: tuple[str, ...]
    criteria: tuple[Criterion, ...]
    lines: tuple[int, ...] = ()  # where each number is, from 0
    stories: bool = False  # whether they are user stories, which tasks name by `US1`

    def targets(self) -> dict[str, list[str]]:
        """The criteria that each reference is to which leads somewhere: a criterion's own number, or one above it."""
        found: dict[str, list[str]] = {number: [] for number in self.numbers}
        for criterion in self.criteria:
            number = criterion.id
            for _ in range(_DEEPEST):
                found.setdefault(number, []).append(criterion.id)
                number = number.rpartition(".")[0]
                if not number:
                    break
        return found


def requirements_of(text: str) -> Requirements:
    """The requirements that a document numbers."""
    numbers: list[str] = []
    lines: list[int] = []
    criteria: list[Criterion] = []
    stories = False
    current = ""
    for line_number, line in visible_lines(text.split("\n")):
        bare = trimmed(line)
        if bare.startswith("#"):
            number, is_story = _heading_number(trimmed(bare.lstrip("#")))
            stories = stories or is_story
            if is_story:
                # Its scenarios say how it is tried out; tasks name the story.
                current = ""
                numbers.append(f"US{number}")
                lines.append(line_number)
                criteria.append(Criterion(f"US{number}", line_number, ""))
            elif number and "." in number:
                criteria.append(Criterion(number, line_number, bare))
            elif number:
                current = number
                numbers.append(current)
                lines.append(line_number)
            elif bare.startswith(("# ", "## ")):
                current = ""
            continue
        found = _item(bare, current)
        if found:
            criteria.append(Criterion(found, line_number, bare, current))
        elif bare and line[:1] in (" ", "\t") and criteria:
            # The rest of an item, on lines of its own.
            last = criteria[-1]
            rows = last.text.count("\n")
            if line_number - last.line <= 1 + rows < _LONGEST:
                criteria[-1] = last._replace(text=f"{last.text}\n{bare}")
    return Requirements(tuple(numbers), tuple(criteria), tuple(lines), stories)


def _heading_number(heading: str) -> tuple[str, bool]:
    """The id in a heading that is a requirement's, and whether it is that of a user story."""
    end = number_end(heading)
    if end:
        return (heading[:end], False) if heading[end : end + 1] in ("", ".", ":", " ", ")", "\uff1a") else ("", False)
    found = id_of(heading)
    if found.startswith("US"):
        return found[2:], lowered(heading).startswith(_STORY)
    return found, False


def _item(line: str, requirement: str) -> str:
    """The number that an item of a list has as a criterion; empty for what is none."""
    text = line
    bullet = text[:2] in ("- ", "* ", "+ ")
    if bullet:
        text = trimmed(text[2:])
    bold = text.startswith("**")
    text = text.lstrip("*")
    if bold and text[:1] not in _DIGITS:
        return id_of(text.partition("*")[0].partition(":")[0])
    end = number_end(text)
    if not end or text[end : end + 1] not in (".", ")", " ", ":", "*"):
        return ""
    if "." in text[:end]:
        return text[:end]
    return f"{requirement}.{text[:end]}" if requirement and not bullet and text[end] in ".)" else ""
