"""The specs and steering documents of a project on disk. Contents come from FileContents."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from stat import S_ISLNK, S_ISREG
from typing import TypeVar

from holdfast.core import posix_calls
from holdfast.core.atomic_write import create_file
from holdfast.core.confined_paths import open_inside, status_inside
from holdfast.core.errors import SpecFailure
from holdfast.core.regular_files import close_quietly
from holdfast.specs.approvals import FILE, FOLDER
from holdfast.specs.discipline import approvals_needed
from holdfast.specs.layouts import ARCHIVES, PHASES, STEERING
from holdfast.specs.names import is_spec_name
from holdfast.specs.on_disk.approval_files import standings
from holdfast.specs.on_disk.workflow_folder import Project, exists, template
from holdfast.specs.phases import Spec
from holdfast.specs.task_order import TaskSummary, summary
from holdfast.specs.tasks import TaskList, parse
from holdfast.specs.white_space import WHITE_SPACE

Result = TypeVar("Result")

_NAME = "{{name}}"
_MARK = "<!-- Draft from the project's files, sha256:"
# In bytes. A longer text is no draft, and no template is shorter than SHORTEST.
MAX_SIZE = 1 << 16
SHORTEST = 100


def is_draft(text: str, template: str) -> bool:
    """Whether a text is its template, blank lines and line ends aside; `{{name}}` there matches any name."""
    lines, wanted = _lines(text), _lines(template)
    return len(lines) == len(wanted) and all(map(_fits, lines, wanted))


def _fits(line: str, wanted: str) -> bool:
    before, marked, after = wanted.partition(_NAME)
    if not marked:
        return line == wanted
    return len(line) >= len(before) + len(after) and line.startswith(before) and line.endswith(after)


def _lines(text: str) -> list[str]:
    lines = [line.rstrip(WHITE_SPACE) for line in text.removeprefix("\ufeff").replace("\r", "\n").split("\n")]
    return [line for line in lines if line]


_MOST_NAMED = 20


def get_steering_docs(project: Project, docs: Iterable[str]) -> dict[str, str]:
    """The steering documents among `docs` that exist and say something, each with its text."""
    read = project.file_contents.text
    found = {doc: read(project.steering(doc), namespace="steering") for doc in docs}
    return {doc: text for doc, text in found.items() if text is not None and not _is_steering_draft(project, doc, text)}


def get_missing_steering_docs(project: Project, required: Iterable[str]) -> list[str]:
    """The steering documents among `required` that do not exist, cannot be read or equal their template."""
    docs = list(required)
    found = get_steering_docs(project, docs)  # the caller needs the text next
    return [doc for doc in docs if doc not in found]


def _is_steering_draft(project: Project, doc: str, text: str) -> bool:
    if not SHORTEST <= len(text) <= MAX_SIZE or not project.layout.writable:
        return False
    has_template = doc in STEERING  # Kiro reads documents of any name
    return _is_marked_draft(text) or (has_template and is_draft(text, template(project, f"steering-{doc}")))


def marked(text: str) -> str:
    """A draft made from a project's files: its first line says so, with a digest that shows whether it was edited."""
    return f"{_MARK}{_digest(text)}; it counts as missing until it is edited -->\n{text}"


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()


def _is_marked_draft(text: str) -> bool:
    start, _, rest = text.removeprefix("\ufeff").replace("\r\n", "\n").partition("\n")
    return start.startswith(_MARK) and start[len(_MARK) :].partition(";")[0] == _digest(rest)


def find_spec(project: Project, name: str) -> Spec | None:
    """A spec as it is on disk now; None when the name leads to no folder of the project's specs."""

    def found(folder: int) -> Spec | None:
        itself = _status(project, ".", folder)
        if itself is None:
            return None
        documents = tuple([_document_name(project, phase, folder) for phase in PHASES])
        requirements, design = [_modified(project, name, phase, documents, folder) for phase in PHASES[:2]]
        tasks, summary = _tasks(project, name, folder)
        spec = Spec(
            name,
            itself.st_mtime_ns,
            requirements,
            design,
            tasks,
            None if summary is None else summary.progress,
            summary,
            documents,
            project.layout.optional,
            task_form=project.layout.tasks.example,
        )
        return _with_approvals(project, spec, folder)

    return _in_spec(project, name, found)


def _with_approvals(project: Project, spec: Spec, folder: int) -> Spec:
    """The spec with what is known of its approvals; nothing is read where there are none and none are asked for."""
    required = _approvals_are_required(project)
    if not required and all(_status(project, name, folder) is None for name in (FILE, FOLDER)):
        return spec
    return spec._replace(approvals=standings(project, spec, folder), approvals_required=required)


def _approvals_are_required(project: Project) -> bool:
    if not exists(project.settings, project.status):
        return False
    try:
        needed = project.file_contents.memo(
            "approvals", (project.settings,), approvals_needed, namespace="spec-status", variant=project.root
        )
    except SpecFailure:
        return False  # the guides, `spec next` and `spec approve` report it
    return needed > 0


def _tasks(project: Project, name: str, folder: int) -> tuple[int | None, TaskSummary | None]:
    """When the tasks of a spec were changed and how far they are, both of one and the same file."""

    def summed_up(data: bytes | None) -> TaskSummary | None:
        if data is None or _is_draft_text(project, "tasks", data):
            return None
        return summary(parse(data.decode("utf-8", "replace"), project.layout.tasks))

    path = _path(project, name, "tasks")
    found = project.file_contents.dated(
        ("summary", path), path, summed_up, namespace="spec-status", variant=project.layout.name, parent=folder
    )
    return (None, None) if found is None or found[1] is None else found


def list_specs(project: Project, names: Iterable[str] | None = None) -> list[Spec]:
    """Every spec of the project, or those of the names; by name in code-point order; hidden folders are none."""
    found = [find_spec(project, name) for name in (_names(project) if names is None else names)]
    return [spec for spec in found if spec is not None]


def spec_names(project: Project) -> list[str]:
    """The names of all specs, in the same order."""
    return [name for name in _names(project) if _is_spec(project, name)]


def names_in_words(project: Project) -> str:
    """A sentence that lists the specs, for a caller that asked for another one."""
    names = spec_names(project)
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"Specs here: {', '.join(names[:_MOST_NAMED])}{more}" if names else "There are no specs here yet"


def latest_names(project: Project, most: int) -> tuple[list[str], int]:
    """The names of the `most` specs that changed last, by name; and how many there are in all."""
    names = _names(project)
    if len(names) <= most:
        return names, len(names)
    found = [(name, _in_spec(project, name, lambda folder: _status(project, ".", folder))) for name in names]
    times = sorted([(-status.st_mtime_ns, name) for name, status in found if status is not None])
    return sorted([name for _, name in times[:most]]), len(times)


def is_taken(project: Project, name: str) -> bool:
    """Whether something else has the place of a spec of this name: a file, a link that leads elsewhere."""
    return os.path.lexists(f"{project.specs}/{name}") and not _is_spec(project, name)


def task_list(project: Project, name: str) -> TaskList | None:
    """The tasks of a spec; None when there is no such spec, or it has no readable tasks.md."""

    def parsed(data: bytes | None) -> TaskList | None:
        return None if data is None else parse(data.decode("utf-8", "replace"), project.layout.tasks)

    path, memo, variant = _path(project, name, "tasks"), project.file_contents.memo, project.layout.name
    return _in_spec(
        project, name, lambda at: memo(path, (path,), parsed, namespace="spec-status", variant=variant, parent=at)
    )


def read_phase(project: Project, name: str, phase: str) -> str | None:
    """A document of a spec as text; None when there is none."""

    def text(folder: int) -> str | None:
        path = project.document(name, _document_name(project, phase, folder))
        return project.file_contents.text(path, namespace="spec-status", parent=folder)

    return _in_spec(project, name, text)


def read_documents(project: Project, spec: Spec) -> tuple[str | None, ...]:
    """The text of each document of a spec, in the order of the phases; None for one that is missing or a draft."""
    texts = [read_phase(project, spec.name, phase) for phase in PHASES]
    return tuple([None if time is None else text for time, text in zip(spec.times, texts, strict=True)])


def write_missing(folder: str, texts: dict[str, str]) -> list[str]:
    """Write each file that does not exist yet, and none that does; the names written. May raise OSError."""
    os.makedirs(folder, exist_ok=True)
    return [name for name, text in texts.items() if create_file(os.path.join(folder, name), text.encode())]


def _names(project: Project) -> list[str]:
    try:
        found = sorted(os.listdir(project.specs))
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return []
    return [name for name in found if not name.startswith(".") and name not in ARCHIVES]


def _in_spec(project: Project, name: str, use: Callable[[int], Result | None]) -> Result | None:
    """What `use` gives for an open spec folder; None when the name leads to no folder of the project's specs.

    Everything of a spec is looked at by that descriptor, so that a link swapped in meanwhile leads nowhere.
    """
    if not is_spec_name(name):
        return None
    try:
        folder = open_inside(project.specs, name)
    except (OSError, ValueError):
        return None
    try:
        return use(folder)
    finally:
        close_quietly(folder)


def _is_spec(project: Project, name: str) -> bool:
    return _in_spec(project, name, lambda folder: _status(project, ".", folder)) is not None


def _document_name(project: Project, phase: str, folder: int) -> str:
    """The name of a spec's document: the first of those it may have that is there, else what a new one is called."""
    names = project.layout.documents[phase]
    if len(names) == 1:
        return names[0]
    return next((name for name in names if _regular(project, name, folder) is not None), names[0])


def _path(project: Project, spec: str, phase: str) -> str:
    return project.document(spec, project.layout.document(phase))


def _modified(project: Project, spec: str, phase: str, documents: Sequence[str], folder: int) -> int | None:
    """When a document was changed; None for one that equals its template. One far shorter or longer is not read."""
    name = documents[PHASES.index(phase)]
    status = _regular(project, name, folder)
    if status is None or not SHORTEST <= status.st_size <= MAX_SIZE or not project.layout.writable:
        return None if status is None else status.st_mtime_ns
    path = f"{project.specs}/{spec}/{name}"  # no link that leaves the project has a status here
    is_draft = project.file_contents.memo(
        ("draft", path),
        (path,),
        lambda data: data is not None and _is_draft_text(project, phase, data),
        namespace="spec-status",
        variant=phase,
        parent=folder,
    )
    return None if is_draft else status.st_mtime_ns


def _is_draft_text(project: Project, phase: str, data: bytes) -> bool:
    if not SHORTEST <= len(data) <= MAX_SIZE or not project.layout.writable:
        return False
    return is_draft(data.decode("utf-8", "replace"), template(project, f"spec-{phase}"))


def _regular(project: Project, name: str, folder: int) -> os.stat_result | None:
    status = _status(project, name, folder)
    return status if status is not None and S_ISREG(status.st_mode) else None


def _status(project: Project, name: str, folder: int) -> os.stat_result | None:
    try:
        found = posix_calls.stat(name, dir_fd=folder, follow_symlinks=False)
        is_link = S_ISLNK(found.st_mode)
        return status_inside(name, (os.path.realpath(project.path),), dir_fd=folder) if is_link else found
    except OSError:
        return None
