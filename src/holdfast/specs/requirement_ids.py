"""The requirements of a document and their criteria, by number: `### Requirement 2` and its third item is 2.3."""

from __future__ import annotations

from typing import NamedTuple

from holdfast.specs.checkbox_lines import number_end
from holdfast.specs.requirement_references import MUSTS, id_of, lowered
from holdfast.specs.visible_lines import visible_lines
from holdfast.specs.white_space import after_white_space, trimmed

_DIGITS = "0123456789"
_DEEPEST = 8
_LONGEST_ID = 12
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
    filled: frozenset[str] = frozenset()  # the numbers of those that say something in a list, or with SHALL or MUST

    @property
    def stories(self) -> bool:
        """Whether they are user stories alone, which tasks name by `US1`."""
        return bool(self.numbers) and all(number.startswith("US") for number in self.numbers)

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
        # In `AC-1.1, 1.2` the second is a code as well.
        for name, criteria in list(found.items()):
            found.setdefault(name.rpartition("-")[2], criteria)
        return found


def requirements_of(text: str) -> Requirements:
    """The requirements that a document numbers.

    Where headings have words or codes before the number, or an outline such as `2` and `2.1`, a heading with a number
    alone is a section. Where a document says which lists are acceptance criteria, other numbered lists are none.
    """
    lines = list(visible_lines(text.split("\n")))
    headings = [trimmed(line.lstrip("# ")) for _, line in lines if line.startswith("##")]
    plain = [heading[: number_end(heading)] for heading in headings]
    has_sections = any("." in number for number in plain) or any(
        id_of(heading) for heading, number in zip(headings, plain, strict=True) if not number
    )
    is_marked = any(_begins_criteria(line) for _, line in lines)
    numbers: list[str] = []
    at: list[int] = []
    criteria: list[Criterion] = []
    filled: set[str] = set()
    current, in_criteria = "", False
    codes: set[str] = set()  # a plan that names one again does not define it again
    bullet = _LONGEST  # the indent of the bullet that an item may be below
    for line_number, line in lines:
        bare = trimmed(line)
        if _begins_criteria(bare):
            in_criteria = True
            continue
        if bare.startswith("#"):
            in_criteria = False
            heading = trimmed(bare.lstrip("#"))
            number = _heading_number(heading) if bare.startswith("##") else ""
            if number.startswith("US"):
                # Its scenarios say how it is tried out; tasks name the story.
                criteria.append(Criterion(number, line_number, ""))
            elif "." in number:
                criteria.append(Criterion(number, line_number, bare))
                continue
            bullet = _LONGEST
            is_section = heading.startswith(number) and (has_sections or bare.startswith("## "))
            if number and not is_section:
                current = number
                numbers.append(number)
                at.append(line_number)
            elif bare.startswith(("# ", "## ")):
                current = ""
            continue
        is_bullet, indent = bare[:2] in ("- ", "* ", "+ "), after_white_space(line, 0)
        bullet = indent if is_bullet else _LONGEST if indent <= bullet and bare else bullet
        if is_bullet or number_end(bare) or MUSTS(lowered(bare)):
            filled.add(current)
        is_listed = not current.startswith("US") and (in_criteria or not (is_marked or indent > bullet))
        found = _item(bare, current if is_listed else "")
        if found in codes:
            continue
        if found:
            codes.update(() if found[0] in _DIGITS else (found,))
            is_title = bare.startswith("**") and bare.endswith("**")
            criteria.append(Criterion(found, line_number, "" if is_title else bare, current.removeprefix("US")))
        elif bare and line[:1] in (" ", "\t") and criteria:
            # The rest of an item, on lines of its own.
            last = criteria[-1]
            rows = last.text.count("\n")
            if line_number - last.line <= 1 + rows < _LONGEST:
                criteria[-1] = last._replace(text=f"{last.text}\n{bare}")
    if any(each.id[0] in _DIGITS and not each.text.startswith("#") for each in criteria):
        criteria = [each for each in criteria if not each.text.startswith("#")]
    return Requirements(tuple(numbers), tuple(criteria), tuple(at), frozenset(filled))


def _begins_criteria(line: str) -> bool:
    return lowered(line.strip("-#*_ \t")).startswith("acceptance criteria")


def _heading_number(heading: str) -> str:
    """The id in a heading that is a requirement's."""
    end = number_end(heading)
    if end:
        return heading[:end] if heading[end : end + 1] in ("", ".", ":", " ", ")", "\uff1a") else ""
    found = id_of(heading)
    code, _, number = found.partition("-")
    return "" if number and heading.startswith(f"{code} ") else found  # `WAVE 1` is a part of the document


def _item(line: str, requirement: str) -> str:
    """The number that an item of a list has as a criterion; empty for what is none."""
    text = line
    bullet = text[:2] in ("- ", "* ", "+ ")
    if bullet:
        text = trimmed(text[2:])
    bold = text.startswith("**")
    text = text.lstrip("*")
    if text.startswith("#"):
        return ""  # `**#107**` is an issue
    if text[:1] not in _DIGITS:
        name = text.partition("*")[0].partition(":")[0]
        code = id_of(name) if bold or (bullet and ":" in text[:_LONGEST_ID]) else ""
        is_whole = code.replace("-", "") == name.strip(". ").replace("-", "")  # `**P1 build**` is no code
        return code if "-" in name[: len(code)] or (bold and (is_whole or not code.partition("-")[2])) else ""
    end = number_end(text)
    if not end or text[end : end + 1] not in (".", ")", " ", ":", "*"):
        return ""
    if "." in text[:end]:
        return text[:end]
    return f"{requirement}.{text[:end]}" if requirement and not bullet and text[end] in ".)" else ""
