"""What is wrong with requirements and their criteria: numbers, what SHALL be, words that no test decides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from holdfast.specs.check_rules import LIMITED, OPEN_MARK, UNDECIDED, VAGUE
from holdfast.specs.checkbox_lines import number_end
from holdfast.specs.requirement_ids import Criterion, Requirements
from holdfast.specs.requirement_references import MUSTS, WORDS, lowered, whole_words
from holdfast.specs.visible_lines import visible_lines

_DIGITS = frozenset("0123456789")
_SOFTER, _SCENARIO = whole_words("should", "may"), whole_words("given", "when", "then")
_VAGUE, _LIMITED = whole_words(*VAGUE), whole_words(*LIMITED)
_MOST_WORDS = 60
_RULED = ("R", "AC", "REQ")  # how codes of what SHALL be end
_OTHER_LANGUAGE = 10  # a text with this share of other letters than ASCII is in another language


def in_criteria(requirements: Requirements) -> Iterator[tuple[int, str, str]]:
    """The findings of each criterion: its line, the rule and what it is about."""
    yield from _without_shall(requirements.criteria)
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
    # A design that names most requirements, or their criteria, by number is expected to name every one.
    named = [number for number in requirements.numbers if designed.intersection([number, *targets[number]])]
    names_some = 2 * len(named) >= len(requirements.numbers)
    seen: set[str] = set()
    for number, line in zip(requirements.numbers, requirements.lines, strict=True):
        if number in seen:
            yield line, "requirement-duplicate", number
        seen.add(number)
        if not targets[number] and has_criteria and number not in requirements.filled:
            yield line, "requirement-empty", number
        if names_some and targets[number] and number not in named:
            yield line, "requirement-undesigned", number


def _without_shall(criteria: Sequence[Criterion]) -> Iterator[tuple[int, str, str]]:
    """The criteria without SHALL or MUST; a document that has its own way of writing gets one finding.

    Codes such as `SC-1` and `A-1` say what is measured or assumed; other languages have other words for what must be.
    """
    said = [
        each for each in criteria if each.text and (each.id[0] in _DIGITS or each.id.partition("-")[0].endswith(_RULED))
    ]
    letters = "".join([each.text for each in said])
    if _OTHER_LANGUAGE * sum([not c.isascii() for c in letters]) > len(letters):
        return
    bare = [each for each in said if not each.text.startswith("#") and not _says_what_must_be(lowered(each.text))]
    if 2 * len(bare) > len(said) > 1:
        yield bare[0].line, "ears-no-shall", f"{len(bare)} of {len(said)} criteria"
        return
    for criterion in bare:
        yield criterion.line, "ears-no-shall", criterion.text


def _says_what_must_be(text: str) -> bool:
    """Whether a text in lower case has SHALL, MUST, SHOULD or MAY, or is a scenario: `given …, when …, then …`."""
    return bool(MUSTS(text) or _SOFTER(text)) or len(set(_SCENARIO(text))) == 3


def _in_text(criterion: Criterion) -> Iterator[tuple[int, str, str]]:
    text = lowered(criterion.text)
    # A list below a criterion spells it out.
    first, *below = text.split("\n")
    itself = "\n".join([first, *[line for line in below if line[:2] not in ("- ", "* ")]])
    if (shalls := len(MUSTS(itself))) > 1:
        yield criterion.line, "ears-many-shalls", f"{shalls}: {criterion.text}"
    if text.lstrip("0123456789.)-+* :").startswith(("shall ", "must ")):
        yield criterion.line, "ears-no-subject", criterion.text
    if (words := len(itself.split(" "))) > _MOST_WORDS:
        yield criterion.line, "criterion-long", f"{words} words: {criterion.text}"
    for word in dict.fromkeys(_VAGUE(text)):
        yield criterion.line, "vague-word", f"{word}: {criterion.text}"


def open_questions(text: str) -> Iterator[tuple[int, str, str]]:
    """What a document leaves open, by rule: the line, what it says, and the question."""
    for number, line in visible_lines(text.split("\n")):
        said = lowered(line).lstrip("0123456789.)-+* ")
        if OPEN_MARK in line or any(mark in line.split(" ") for mark in UNDECIDED):
            yield number, line, "What is decided?"
        elif MUSTS(said):
            if words := _VAGUE(said):
                yield number, line, f"What does '{min(words, key=VAGUE.index)}' mean here: how much, how long, which?"
            elif not _DIGITS.intersection(said) and (words := _LIMITED(said)):
                yield number, line, f"'{min(words, key=LIMITED.index)}' has no number: which limit is it?"


def _numbers_in(text: str) -> set[str]:
    """The numbers in a text, and those after a word for requirement: `1.2`, `requirement 3`.

    Headings and code have numbers of their own.
    """
    found: set[str] = set()
    lines = text.split("\n")
    visible = {number for number, _ in visible_lines(lines)}
    for at, line in enumerate(lines):
        words = line.replace("(", " ").replace(",", " ").replace(")", " ").split(" ")
        for before, word in zip(["", *words], words, strict=False):
            number = word.strip(".:;*_`\r")
            is_named = lowered(before.strip("*_`")) in WORDS
            if number_end(number) == len(number) > 0 and (
                is_named or ("." in number and at in visible and not line.startswith("#"))
            ):
                found.add(number)
    return found
