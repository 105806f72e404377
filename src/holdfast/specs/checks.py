"""What is wrong with a spec, found in its documents alone: rules with an id, a level and what to do about it."""

from __future__ import annotations

from holdfast.core.record import NamedTuple
from holdfast.specs.checkbox_lines import number_end
from holdfast.specs.layouts import PHASES
from holdfast.specs.requirement_ids import requirements_of
from holdfast.specs.task_order import parents
from holdfast.specs.tasks import parse
from holdfast.specs.visible_lines import visible_lines
from holdfast.specs.white_space import trimmed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from holdfast.specs.requirement_ids import Requirements
    from holdfast.specs.shapes import Level, TaskStyle
    from holdfast.specs.tasks import Task, TaskList


class Rule(NamedTuple):
    """One thing that may be wrong. A warning is an error to who asks for strictness."""

    id: str
    level: Level
    meaning: str
    fix: str


RULES: Mapping[str, Rule] = {
    rule.id: rule
    for rule in (
        Rule("task-unnumbered", "error", "A checkbox line without a number counts nowhere", "number it, such as 3.1"),
        Rule("task-malformed", "error", "A checkbox line that does not read as a task", "write `- [ ] 1.2 Text`"),
        Rule("task-duplicate-id", "error", "Two tasks have one number", "give one of them another number"),
        Rule("parent-done-child-open", "error", "A task is done and one below it is not", "finish it, or open both"),
        Rule("placeholder-left", "error", "A line of the template is still there", "write what is meant, or delete it"),
        Rule("ref-unknown", "error", "A task names a requirement that does not exist", "correct the number"),
        Rule("fence-unclosed", "error", "A code fence is never closed and hides what follows", "close it"),
        Rule(
            "criterion-unnamed", "warning", "No task names this criterion", "name it under `_Requirements:` of a task"
        ),
        Rule("ears-no-shall", "warning", "A criterion without SHALL or MUST says nothing to test", "say what SHALL be"),
        Rule("vague-word", "warning", "A word that no test decides", "say how much, how long or which"),
        Rule("done-file-missing", "warning", "A task is done and its file is not there", "correct the path"),
    )
}
VAGUE = (
    *("appropriate", "appropriately", "as needed", "easily", "easy to", "efficient", "efficiently", "etc.", "fast"),
    *(
        "if possible",
        "intuitive",
        "properly",
        "quickly",
        "reasonable",
        "robust",
        "seamless",
        "seamlessly",
        "sufficient",
    ),
    *("timely", "user-friendly"),
)
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_-"
_UNANSWERED = "[NEEDS CLARIFICATION"
_SHOWN = 160


class Finding(NamedTuple):
    """One thing that is wrong at one place."""

    file: str
    line: int  # from 1
    rule: str
    level: Level
    text: str


class Coverage(NamedTuple):
    """Which criteria the tasks name."""

    criteria: int
    unnamed: tuple[str, ...]
    unknown: tuple[str, ...]  # what tasks name that is none


class Documents(NamedTuple):
    """A spec as text: of each phase the file and what it says, None where it is missing, and its template."""

    files: tuple[str, ...]
    texts: tuple[str | None, ...]
    templates: tuple[str, ...]
    style: TaskStyle = "numbered"
    missing_files: frozenset[str] = frozenset()  # files that tasks name


def check(documents: Documents, *, strict: bool = False) -> tuple[list[Finding], Coverage]:
    """Every finding, by file, line and rule; and how far the tasks cover the requirements."""
    files = dict(zip(PHASES, documents.files, strict=True))
    texts = {phase: text for phase, text in zip(PHASES, documents.texts, strict=True) if text is not None}
    tasks = parse(texts.get("tasks", ""), documents.style)
    requirements = requirements_of(texts.get("requirements", ""))
    named, unknown = _references(tasks.tasks, requirements)
    unnamed = [each for each in requirements.criteria if each.id not in named and _is_counted(each.id, requirements)]
    found: list[tuple[str, int, str, str]] = []
    for phase, template in zip(PHASES, documents.templates, strict=True):
        found += [(phase, *each) for each in _in_any(texts.get(phase, ""), template)]
    found += [("tasks", *each) for each in _in_tasks(tasks, documents.missing_files)]
    found += [("tasks", task.line, "ref-unknown", name) for name, task in unknown]
    found += [("requirements", *each) for each in _in_requirements(requirements)]
    if tasks.tasks:
        found += [("requirements", each.line, "criterion-unnamed", each.id) for each in unnamed]
    findings = [
        Finding(files[phase], line + 1, rule, "error" if strict else RULES[rule].level, _shortened(text))
        for phase, line, rule, text in found
    ]
    counted = [each for each in requirements.criteria if _is_counted(each.id, requirements)]
    coverage = Coverage(
        len(counted), tuple([each.id for each in unnamed]), tuple(dict.fromkeys([name for name, _ in unknown]))
    )
    return sorted(set(findings)), coverage


def done_files(text: str, style: TaskStyle) -> list[str]:
    """The files that completed tasks name, each once."""
    tasks = parse(text, style).tasks
    return list(dict.fromkeys([file for task in tasks if task.status == "completed" for file in task.details.files]))


def references(tasks: Sequence[Task], requirements: Requirements) -> Iterator[tuple[Task, str]]:
    """The requirements that each task names by number, a range written out."""
    ids = [each.id for each in requirements.criteria]
    places = {criterion: place for place, criterion in enumerate(ids)}
    for task in tasks:
        for name in task.details.requirements:
            first, dash, last = name.replace("\u2013", "-").partition("-")
            start, end = places.get(trimmed(first)), places.get(trimmed(last))
            named = ids[start : end + 1] if dash and start is not None and end is not None else [name]
            yield from [(task, each) for each in named]


def _is_number(text: str) -> bool:
    return bool(text) and number_end(text) == len(text)


def _is_counted(criterion: str, requirements: Requirements) -> bool:
    """Whether tasks are expected to name it: user stories are named, other codes are not."""
    if requirements.stories:
        return criterion in requirements.numbers
    return criterion[:1] in "0123456789"


def _references(tasks: Sequence[Task], requirements: Requirements) -> tuple[set[str], list[tuple[str, Task]]]:
    """The criteria that tasks name, and the names that lead nowhere with their tasks."""
    named: set[str] = set()
    unknown = []
    targets = requirements.targets()
    for task, name in references(tasks, requirements):
        if name in targets:
            named.update([name, *targets[name]])
        elif requirements.numbers and (_is_number(name) or (name[:2] == "US" and _is_number(name[2:]))):
            unknown.append((name, task))
    return named, unknown


def _in_any(text: str, template: str) -> Iterator[tuple[int, str, str]]:
    unclosed: list[int] = []
    lines, phrases = _placeholders(template)
    for number, line in visible_lines(text.split("\n"), unclosed):
        bare = trimmed(line)
        if bare in lines or _UNANSWERED in bare or any(phrase in bare for phrase in phrases):
            yield number, "placeholder-left", bare
    for number in unclosed:
        yield number, "fence-unclosed", ""


def _placeholders(template: str) -> tuple[set[str], list[str]]:
    """The lines of a template that nobody writes by chance, and what it has between parentheses."""
    phrases = []
    for line in template.split("\n"):
        for part in line.split("(")[1:]:
            inside, closed, _ = part.partition(")")
            phrases += [f"({inside})"] if closed and inside else []
    seen = [trimmed(line) for _, line in visible_lines(template.split("\n"))]
    lines = {line for line in seen if line and not line.startswith("#")}
    return lines, list(dict.fromkeys(phrases))


def _in_tasks(found: TaskList, missing: frozenset[str]) -> Iterator[tuple[int, str, str]]:
    for left_out in found.left_out:
        yield left_out.line, f"task-{left_out.reason}", left_out.text
    seen: set[str] = set()
    above = parents(found.tasks)
    for place, task in enumerate(found.tasks):
        if task.id in seen:
            yield task.line, "task-duplicate-id", task.id
        seen.add(task.id)
        if task.status == "completed":
            for file in task.details.files:
                if file in missing:
                    yield task.line, "done-file-missing", file
            if place in above and (child := _open_child(found.tasks, place)):
                yield task.line, "parent-done-child-open", f"{task.id}: {child.id} is open"


def _open_child(tasks: Sequence[Task], place: int) -> Task | None:
    """The first sub-task that has to be done and is not."""
    parent = tasks[place]
    for task in tasks[place + 1 :]:
        if not (task.id.startswith(parent.id + ".") or task.indent > parent.indent):
            return None
        if task.status != "completed" and not task.optional:
            return task
    return None


def _in_requirements(requirements: Requirements) -> Iterator[tuple[int, str, str]]:
    for criterion in requirements.criteria:
        if not criterion.text or criterion.text.startswith("#"):
            continue
        text = "".join([c.lower() if c.isascii() else c for c in criterion.text])
        # A success criterion of spec-kit says what is measured; other languages have other words for what must be.
        judged = not criterion.id.startswith("SC-") and 3 * sum([not c.isascii() for c in text]) <= len(text)
        if judged and not _has_word(text, "shall") and not _has_word(text, "must"):
            yield criterion.line, "ears-no-shall", criterion.text
        for word in VAGUE:
            if _has_word(text, word):
                yield criterion.line, "vague-word", f"{word}: {criterion.text}"


def _has_word(text: str, word: str) -> bool:
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        before, after = text[start - 1 : start], text[end : end + 1]
        if (not before or before not in _LETTERS) and (not after or after not in _LETTERS or word.endswith(".")):
            return True
        start = text.find(word, end)
    return False


def _shortened(text: str) -> str:
    line = text.partition("\n")[0]
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
