"""What is wrong with requirements and their criteria: numbers, what SHALL be, words that no test decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.specs.check_rules import VAGUE
from holdfast.specs.checkbox_lines import number_end
from holdfast.specs.requirement_references import lowered
from holdfast.specs.visible_lines import visible_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.specs.requirement_ids import Criterion, Requirements

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_-"
_DIGITS = frozenset("0123456789")
_MOST_WORDS = 60


def in_criteria(requirements: Requirements) -> Iterator[tuple[int, str, str]]:
    """The findings of each criterion: its line, the rule and what it is about."""
    for criterion in requirements.criteria:
        above, _, rest = criterion.id.partition(".")
        if rest and _DIGITS.issuperset(above + criterion.requirement) and above != criterion.requirement != "":
            yield criterion.line, "criterion-misplaced", f"{criterion.id} below requirement {criterion.requirement}"
        if criterion.text and not criterion.text.startswith("#"):
            yield from _in_text(criterion)


def in_requirements(requirements: Requirements, design: str) -> Iterator[tuple[int, str, str]]:
    """The findings on whole requirements, and on requirements that a design leaves out."""
    if requirements.stories:
        return
    targets = requirements.targets()
    has_criteria = any(targets[number] for number in requirements.numbers)
    designed = _numbers_in(design)
    # A design that names criteria by number is expected to name some of every requirement.
    names_some = any("." in name and name in targets for name in designed)
    seen: set[str] = set()
    for number, line in zip(requirements.numbers, requirements.lines, strict=True):
        if number in seen:
            yield line, "requirement-duplicate", number
        seen.add(number)
        if not targets[number] and has_criteria:
            yield line, "requirement-empty", number
        if names_some and not designed.intersection([number, *targets[number]]):
            yield line, "requirement-undesigned", number


def _in_text(criterion: Criterion) -> Iterator[tuple[int, str, str]]:
    text = lowered(criterion.text)
    # A success criterion of spec-kit says what is measured; other languages have other words for what must be.
    if not criterion.id.startswith("SC-") and 3 * sum([not c.isascii() for c in text]) <= len(text):
        shalls = count_of(text, "shall") + count_of(text, "must")
        if not shalls:
            yield criterion.line, "ears-no-shall", criterion.text
        elif shalls > 1:
            yield criterion.line, "ears-many-shalls", f"{shalls}: {criterion.text}"
        if text.lstrip("0123456789.)-+* :").startswith(("shall ", "must ")):
            yield criterion.line, "ears-no-subject", criterion.text
    if (words := len(text.split(" "))) > _MOST_WORDS:
        yield criterion.line, "criterion-long", f"{words} words: {criterion.text}"
    for word in VAGUE:
        if count_of(text, word):
            yield criterion.line, "vague-word", f"{word}: {criterion.text}"


def count_of(text: str, word: str) -> int:
    """How often a word is in a text in lower case, not as a part of a longer one."""
    found = 0
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        before, after = text[start - 1 : start], text[end : end + 1]
        found += (not before or before not in _LETTERS) and (not after or after not in _LETTERS or word.endswith("."))
        start = text.find(word, end)
    return found


def _numbers_in(text: str) -> set[str]:
    """The numbers in a text, and those after the word requirement: `1.2`, `requirement 3`."""
    found: set[str] = set()
    for _, line in visible_lines(text.split("\n")):
        words = line.replace("(", " ").replace(",", " ").replace(")", " ").split(" ")
        for before, word in zip(["", *words], words, strict=False):
            number = word[: number_end(word)]
            if "." in number or (number and lowered(before) in ("requirement", "requirements", "req")):
                found.add(number)
    return found
