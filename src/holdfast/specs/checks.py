"""What is wrong with a spec, found in its documents alone, by the rules of `check_rules`."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from holdfast.specs.check_rules import OPEN_MARK, RULES, UNDECIDED
from holdfast.specs.checkbox_lines import number_end
from holdfast.specs.criterion_checks import in_criteria, in_requirements
from holdfast.specs.delta_checks import Deltas, in_deltas
from holdfast.specs.layouts import NUMBERED, PHASES, TaskForm
from holdfast.specs.requirement_ids import Requirements, requirements_of
from holdfast.specs.requirement_references import ALL, CODE_LETTERS, RANGE, comparable, labelled, lowered, names_in
from holdfast.specs.shapes import Level
from holdfast.specs.task_order import parents
from holdfast.specs.tasks import ANY_NUMBER, LeftOut, Task, TaskList, parse, paths_in
from holdfast.specs.visible_lines import visible_lines
from holdfast.specs.white_space import after_white_space, trimmed

# Where in a document, which rule, and what about.
At = tuple[int, str, str]

_REUSE = ("exist", "reuse", "leverage", "current")
_DEPENDENCIES = ("depends", "depends on", "dependencies", "dependency", "blocked by")
_STRUCK = "~~"
_REMOVALS = ("delete", "remove", "drop", "rename", "move")
_SMALL_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_SHOWN = 160
# More findings of one rule in one document become one finding with a count.
_MOST_ALIKE = 3


class Finding(NamedTuple):
    """One thing that is wrong at one place, or at several of one document."""

    file: str
    line: int  # from 1
    rule: str
    level: Level
    text: str
    times: int = 1


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
    form: TaskForm = NUMBERED
    optional: tuple[str, ...] = ()  # the phases that may be skipped
    missing_files: frozenset[str] = frozenset()  # files that the documents name
    tested: frozenset[str] = frozenset()  # the criteria that code or tests name
    stale: Mapping[str, str] | None = None  # by phase, why an approval no longer holds
    deltas: Deltas | None = None  # where the layout has its requirements in deltas


def check(
    documents: Documents, *, strict: bool = False, levels: Mapping[str, str] | None = None
) -> tuple[list[Finding], Coverage]:
    """Every finding, by file, line and rule; and how far the tasks cover the requirements.

    `levels` has other levels for rules, `off` for one that is not wanted.
    """
    files = dict(zip(PHASES, documents.files, strict=True))
    texts = {phase: text for phase, text in zip(PHASES, documents.texts, strict=True) if text is not None}
    text = texts.get("tasks", "")
    tasks = _as_meant(parse(text, documents.form), text.split("\n"))
    requirements = requirements_of("" if documents.deltas is not None else texts.get("requirements", ""))
    named, unknown = _references(tasks.tasks, requirements)
    codes = {name.partition("-")[0] for name in named if name[0] in CODE_LETTERS and not requirements.stories}
    is_coded = 2 * sum([name[0] in CODE_LETTERS for name in named]) > len(named) and codes
    counted = [each for each in requirements.criteria if _is_counted(each.id, requirements)]
    if is_coded:  # tasks name codes here, not numbers
        counted = [each for each in requirements.criteria if each.id.partition("-")[0] in codes]
    unnamed = [each for each in counted if each.id not in named]
    design = texts.get("design", "")
    in_phase: dict[str, list[At]] = {
        phase: list(_in_any(texts.get(phase), phase, template, documents))
        for phase, template in zip(PHASES, documents.templates, strict=True)
    }
    if tasks.tasks:
        for phase in PHASES[:2]:
            if phase not in texts and phase not in documents.optional:
                in_phase[phase].append((0, "document-missing", ""))
        about = [each.id for each in unnamed]
        if len(unnamed) == len(counted) > 1:
            about = [f"none of {len(unnamed)} is named"]
        in_phase["requirements"] += [
            (each.line, "criterion-unnamed", text) for each, text in zip(unnamed, about, strict=False)
        ]
    in_phase["tasks"] += [(task.line, "ref-unknown", name) for name, task in unknown]
    in_phase["tasks"] += [*_in_tasks(tasks, documents), *_without_reference(tasks.tasks, requirements, documents)]
    in_phase["requirements"] += [*in_criteria(requirements), *in_requirements(requirements, design)]
    if any(each.id in documents.tested for each in counted):
        untested = [each for each in counted if each.id not in documents.tested]
        in_phase["requirements"] += [(each.line, "criterion-untested", each.id) for each in untested]
    finished = 0 < tasks.progress.total == tasks.progress.completed
    in_phase["design"] += _in_design(design, requirements, frozenset() if finished else documents.missing_files)
    found = [(files[phase], *each) for phase, several in in_phase.items() for each in several]
    if documents.deltas is not None:
        found += in_deltas(documents.deltas, files["requirements"])
    coverage = Coverage(
        len(counted), tuple([each.id for each in unnamed]), tuple(dict.fromkeys([name for name, _ in unknown]))
    )
    return with_levels(found, "error" if strict else "", levels or {}), coverage


def grouped(findings: Sequence[Finding]) -> list[Finding]:
    """The findings, those of one rule in one document as one with a count where they are many."""
    alike: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        alike.setdefault((finding.file, finding.rule), []).append(finding)
    found: list[Finding] = []
    for together in alike.values():
        times = len(together)
        texts = [finding.text for finding in together[:_MOST_ALIKE] if finding.text]
        text = f"{times} times: {'; '.join(texts)}; …" if texts else f"{times} times"
        found += together if times <= _MOST_ALIKE else [together[0]._replace(text=text, times=times)]
    return sorted(found)


def named_files(documents: Documents) -> list[str]:
    """The files that the documents name and that should be there, each once."""
    _, design, tasks = documents.texts
    found = done_files(tasks or "", documents.form)
    found += [path for task in parse(tasks or "", documents.form).tasks for path in task.details.leverage]
    found += [path for _, path in _reused(design or "")]
    found += [target for text in documents.texts for _, target in _links(text or "")]
    return list(dict.fromkeys(found))


def done_files(text: str, form: TaskForm) -> list[str]:
    """The files that completed tasks name, each once."""
    tasks = parse(text, form).tasks
    return list(dict.fromkeys([file for task in tasks if task.status == "completed" for file in task.details.files]))


def references(tasks: Sequence[Task], requirements: Requirements) -> Iterator[tuple[Task, str]]:
    """The requirements that each task names by number, a range written out."""
    ids = [each.id for each in requirements.criteria]
    known = {*ids, *requirements.numbers}
    for task in tasks:
        code = ""
        for name in _names(task):
            if (whole := name.replace(RANGE, "-")) in known:
                name = whole  # `FR-011-102` is no range
            ends = []
            for end in name.split(RANGE):
                before, dash, number = end.rpartition("-")
                code = before or code
                if dash and end not in known and number in known:
                    end = number  # `AC-4.5` is the criterion that a list numbers 4.5
                elif not dash and end not in known and f"{code}-{end}" in known:
                    end = f"{code}-{end}"  # the second of `AC-1.1, 1.2`
                ends.append(end)
            named = ids if name == ALL else ends
            for row in (ids, list(requirements.numbers)):
                if len(ends) == 2 and ends[0] in row and ends[1] in row:
                    named = row[row.index(ends[0]) : row.index(ends[1]) + 1]
            yield from [(task, each) for each in named]


def _names(task: Task) -> list[str]:
    return names_in(",".join(_said_of_requirements(task)))


def _said_of_requirements(task: Task) -> list[str]:
    """What a task says after a label for requirements, whether or not it names one by number."""
    below = [names for line in task.details.implementation if (names := labelled(line)) is not None]
    return [*task.details.requirements, *below]


def with_levels(found: Sequence[tuple[str, int, str, str]], level: str, levels: Mapping[str, str]) -> list[Finding]:
    """The findings at a level for all or those of their rules, sorted; without the rules that are off."""
    findings: set[Finding] = set()
    for file, line, rule, text in found:
        wanted = levels.get(rule) or RULES[rule].level
        own: Level = "error" if "error" in (level, wanted) else "warning"
        findings.update(() if wanted == "off" else [Finding(file, line + 1, rule, own, _shortened(text))])
    return sorted(findings)


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
    targets = {comparable(name): found for name, found in requirements.targets().items()}
    for task, name in references(tasks, requirements):
        if comparable(name) in targets:
            named.update([name, *targets[comparable(name)]])
        elif requirements.numbers and (_is_number(name) or (name[:2] == "US" and _is_number(name[2:]))):
            unknown.append((name, task))
    return named, unknown


def _in_any(text: str | None, phase: str, template: str, documents: Documents) -> Iterator[At]:
    if text is None:
        return
    unclosed: list[int] = []
    lines = _placeholders(template)
    has_text = False
    for number, line in visible_lines(text.split("\n"), unclosed):
        bare = trimmed(line)
        has_text = has_text or bool(bare and not bare.startswith("#"))
        if bare in lines or OPEN_MARK in "".join(bare.split(_STRUCK)[::2]):
            yield number, "placeholder-left", bare
        elif phase != "tasks" and any(mark in " ".join(bare.split("`")[::2]).split(" ") for mark in UNDECIDED):
            yield number, "tbd-left", bare
    for number in unclosed:
        yield number, "fence-unclosed", ""
    if not has_text and not unclosed:
        yield 0, "document-empty", ""
    for number, target in _links(text):
        if target in documents.missing_files:
            yield number, "link-broken", target
    if why := (documents.stale or {}).get(phase):
        yield 0, "approval-stale", why


def _placeholders(template: str) -> set[str]:
    """The lines of a template that nobody writes by chance."""
    seen = [trimmed(line) for _, line in visible_lines(template.split("\n"))]
    return {line for line in seen if line and not line.startswith("#")}


def _links(text: str) -> Iterator[tuple[int, str]]:
    """The files that Markdown links lead to, as they are written, with their lines."""
    for number, line in visible_lines(text.split("\n")):
        for part in line.split("](")[1:]:
            target = part.partition(")")[0].partition("#")[0].partition(" ")[0].strip("<>")
            if target and ":" not in target and not target.startswith("/") and "{" not in target:
                yield number, target


def _in_tasks(found: TaskList, documents: Documents) -> Iterator[At]:
    missing = documents.missing_files
    for left_out in _left_out(found, (documents.texts[2] or "").split("\n")):
        yield left_out.line, f"task-{left_out.reason}", left_out.text
    seen: set[str] = set()
    above = parents(found.tasks)
    ids = {task.id for task in found.tasks}
    numbers = ids.union(found.headings, *[ANY_NUMBER(each.text)[:1] for each in found.left_out])
    begun = [task for place, task in enumerate(found.tasks) if task.status == "in-progress" and place not in above]
    for task in begun[1:]:
        yield task.line, "tasks-in-progress", f"{task.id}, and {begun[0].id} since line {begun[0].line + 1}"
    has_parents = any("." not in each for each in ids)
    for place, task in enumerate(found.tasks):
        if task.id in seen:
            yield task.line, "task-duplicate-id", task.id
        seen.add(task.id)
        parent = task.id.rpartition(".")[0]
        if has_parents and parent and _is_number(parent) and parent not in numbers:
            yield task.line, "task-orphan", task.id
        for file in task.details.leverage:
            if file in missing and task.status != "completed":
                yield task.line, "reused-file-missing", file
        for name in _dependencies(task):
            if name not in numbers:
                yield task.line, "dependency-unknown", f"{task.id}: {name}"
        if task.status == "completed":
            is_removal = lowered(task.description).startswith(_REMOVALS)
            for file in task.details.files:
                # In a text a name without a folder may be an example.
                if file in missing and not is_removal and ("/" in file or not documents.form.codes):
                    yield task.line, "done-file-missing", file
            if place in above and (child := _open_child(found.tasks, place)):
                yield task.line, "parent-done-child-open", f"{task.id}: {child.id} is open"


def _as_meant(found: TaskList, lines: Sequence[str]) -> TaskList:
    """The tasks without counted things, such as `- [ ] 9 tests pass` among tasks such as `- [ ] 2. Write tests`."""
    counts = [
        task
        for task in found.tasks
        if not task.id.strip("0123456789")
        and task.description[:1] in _SMALL_LETTERS
        and f"] {task.id} {task.description}" in lines[task.line]
    ]
    if 2 * len(counts) >= len(found.tasks):
        return found
    return found._replace(tasks=tuple([task for task in found.tasks if task not in counts]))


def _left_out(found: TaskList, lines: Sequence[str]) -> Iterator[LeftOut]:
    """The lines that were meant as tasks: boxes in a section without tasks, or below a task, are a checklist."""
    headings = [number for number, line in visible_lines(lines) if line.startswith("#")]
    deepest: dict[int, int] = {}
    for task in found.tasks:
        section = bisect_right(headings, task.line)
        deepest[section] = max(deepest.get(section, 0), task.indent)
    for left_out in found.left_out:
        most = deepest.get(bisect_right(headings, left_out.line), -1)
        if trimmed(left_out.text.partition("]")[2]).startswith(_STRUCK):
            continue
        if left_out.reason == "malformed" or not deepest or after_white_space(lines[left_out.line], 0) <= most:
            yield left_out


def _dependencies(task: Task) -> list[str]:
    """The tasks that a task depends on, by the numbers it names."""
    lines = [line.strip("_* ").partition(":") for line in task.details.implementation]
    listed = [names for label, colon, names in lines if colon and lowered(label.strip("_* ")) in _DEPENDENCIES]
    named = [trimmed(name) for names in listed for name in names.strip("_* ").split(",")]
    return [name for name in named if _is_number(name.removeprefix("T"))]


def _without_reference(tasks: Sequence[Task], requirements: Requirements, documents: Documents) -> Iterator[At]:
    """The tasks to do that name no requirement, where most of them do; of coded ones those below a story's heading."""
    above = parents(tasks)
    leaves = [task for place, task in enumerate(tasks) if place not in above and not task.optional]
    if documents.form.codes:
        lines = visible_lines((documents.texts[2] or "").split("\n"))
        headings = [(number, lowered(line)) for number, line in lines if line.startswith("##")]
        places = [bisect_right(headings, task.line, key=lambda heading: heading[0]) - 1 for task in leaves]
        leaves = [task for task, at in zip(leaves, places, strict=True) if at >= 0 and "user story" in headings[at][1]]
    bare = [task for task in leaves if not _said_of_requirements(task)]
    if requirements.criteria and 2 * len(bare) < len(leaves):
        for task in bare:
            if task.status != "completed" and "checkpoint" not in lowered(task.description):
                yield task.line, "task-without-requirement", task.id


def _reused(design: str) -> Iterator[tuple[int, str]]:
    """The files that a design names below a heading about what exists, with their lines; no heading is about them."""
    heading, made = "", {path for line in design.split("\n") if line.startswith("#") for path in paths_in(line)}
    for number, line in visible_lines(design.split("\n")):
        if line.startswith("#"):
            heading = line
        elif any(word in lowered(heading) for word in _REUSE):
            for path in paths_in(trimmed(line)):
                if path not in made and "/" in path and "." in path.rpartition("/")[2]:
                    yield number, path


def _in_design(design: str, requirements: Requirements, missing_files: frozenset[str]) -> Iterator[At]:
    yield from [(line, "reused-file-missing", path) for line, path in _reused(design) if path in missing_files]
    if not requirements.criteria:
        return
    targets = requirements.targets()
    for number, line in visible_lines(design.split("\n")):
        for part in lowered(line).split("requirement ")[1:]:
            name = part[: number_end(part)]
            if name and name not in targets:
                yield number, "design-ref-unknown", name


def _open_child(tasks: Sequence[Task], place: int) -> Task | None:
    """The first sub-task that has to be done and is not."""
    parent = tasks[place]
    for task in tasks[place + 1 :]:
        if not (task.id.startswith(parent.id + ".") or task.indent > parent.indent):
            return None
        if task.status != "completed" and not task.optional:
            return task
    return None


def _shortened(text: str) -> str:
    return line if len(line := text.partition("\n")[0]) <= _SHOWN else line[: _SHOWN - 1] + "…"
