"""A project's workflow folder on disk: its specs, steering documents and settings. Contents come from FileContents."""

from __future__ import annotations

import os
from stat import S_ISDIR, S_ISREG

from holdfast.core.confined_paths import open_inside
from holdfast.core.file_identity import identity
from holdfast.core.record import NamedTuple
from holdfast.core.regular_files import close_quietly
from holdfast.specs.names import is_spec_name
from holdfast.specs.phases import PHASES, Spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar

    from holdfast.core.file_contents import FileContents
    from holdfast.specs.tasks import Progress, TaskList

    Result = TypeVar("Result")
    Status = Callable[..., os.stat_result]

# The first that is there is the project's.
WORKFLOW_FOLDERS = (".spec-context", ".spec-workflow", ".kiro")
TEMPLATES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "templates")


class Project(NamedTuple):
    """A project's workflow folder, and what its files are read through."""

    path: str
    root: str
    file_contents: FileContents
    status: Status = os.stat  # how links are followed, and how far
    ignored: tuple[str, ...] = ()  # workflow folders that stand there as well

    @property
    def folder_name(self) -> str:
        """What the workflow folder is called."""
        return os.path.basename(self.root)

    @property
    def settings(self) -> str:
        """Where its settings are, if it has some."""
        return self.root + "/settings.json"

    def steering(self, document: str) -> str:
        """Where a steering document is, if there."""
        return f"{self.root}/steering/{document}.md"

    def phase(self, spec: str, phase: str) -> str:
        """Where a document of a spec is, if there."""
        return f"{self.root}/specs/{spec}/{phase}.md"

    @property
    def note(self) -> str:
        """What a person should know about how the folder was chosen."""
        if not self.ignored:
            return ""
        return f"several workflow folders here: {self.folder_name} is used, {', '.join(self.ignored)} is not"


def open_project(path: str, file_contents: FileContents, status: Status = os.stat) -> Project:
    """The project at a path; without a workflow folder it is one whose first folder is still to be made."""
    absolute = os.path.abspath(path)
    found = [name for name in WORKFLOW_FOLDERS if _is_folder(os.path.join(absolute, name), status)]
    root = os.path.join(absolute, found[0] if found else WORKFLOW_FOLDERS[0])
    return Project(absolute, root, file_contents, status, tuple(found[1:]))


def get_steering_docs(project: Project, docs: Iterable[str]) -> dict[str, str]:
    """The steering documents among `docs` that exist, each with its text."""
    read = project.file_contents.text
    found = {doc: read(project.steering(doc), namespace="steering") for doc in docs}
    return {doc: text for doc, text in found.items() if text is not None}


def get_missing_steering_docs(project: Project, required: Iterable[str]) -> list[str]:
    """The steering documents among `required` that do not exist or cannot be read."""
    read = project.file_contents.read  # whoever asks this needs the text next
    return [doc for doc in required if read(project.steering(doc), namespace="steering") is None]


def find_spec(project: Project, name: str) -> Spec | None:
    """A spec as it is on disk now; None when the name leads to no folder of the project's specs."""

    def found(folder: int) -> Spec | None:
        itself = _status(project, ".", folder)
        if itself is None:
            return None
        requirements, design = [_modified(project, phase, folder) for phase in PHASES[:2]]
        tasks, progress = _tasks(project, name, folder)
        return Spec(name, itself.st_mtime_ns, requirements, design, tasks, progress)

    return _in_spec(project, name, found)


def _tasks(project: Project, name: str, folder: int) -> tuple[int | None, Progress | None]:
    """When the tasks of a spec were changed and how far they are, both of one and the same file."""
    before = _file_status(project, "tasks", folder)
    while before is not None:
        listed = task_list_in(folder, project, name)
        after = _file_status(project, "tasks", folder)
        if after is not None and identity(before) == identity(after):
            return (None, None) if listed is None else (before.st_mtime_ns, listed.progress)
        before = after  # replaced meanwhile
    return None, None


def list_specs(project: Project) -> list[Spec]:
    """Every spec of the project, by name in code-point order; hidden folders are none."""
    found = [find_spec(project, name) for name in _names(project)]
    return [spec for spec in found if spec is not None]


def spec_names(project: Project) -> list[str]:
    """The names of all specs, in the same order."""
    return [name for name in _names(project) if _is_spec(project, name)]


def is_taken(project: Project, name: str) -> bool:
    """Whether something that is no spec stands where a spec of this name would: a file, a link that leads elsewhere."""
    return os.path.lexists(f"{project.root}/specs/{name}") and not _is_spec(project, name)


def task_list(project: Project, name: str) -> TaskList | None:
    """The tasks of a spec; None when there is no such spec, or it has no readable tasks.md."""
    return _in_spec(project, name, lambda folder: task_list_in(folder, project, name))


def task_list_in(folder: int, project: Project, name: str) -> TaskList | None:
    """The same where the spec's folder is open already."""
    path = project.phase(name, "tasks")
    return project.file_contents.memo(path, (path,), _parsed, namespace="spec-status", parent=folder)


def read_phase(project: Project, name: str, phase: str) -> str | None:
    """A document of a spec as text; None when there is none."""
    path = project.phase(name, phase)
    read = project.file_contents.text
    return _in_spec(project, name, lambda folder: read(path, namespace="spec-status", parent=folder))


def template_path(name: str) -> str:
    """Where a template is."""
    return f"{TEMPLATES}/{name}.md"


def template(project: Project, name: str) -> str:
    """The text of a template."""
    text = project.file_contents.text(template_path(name), namespace="guide")
    if text is None:
        raise FileNotFoundError(f"template {name}")
    return text


def write_missing(folder: str, texts: dict[str, str]) -> list[str]:
    """Write each file that does not exist yet, and none that does; the names written. May raise OSError."""
    from holdfast.core.atomic_write import create_file

    os.makedirs(folder, exist_ok=True)
    return [name for name, text in texts.items() if create_file(os.path.join(folder, name), text.encode())]


def _names(project: Project) -> list[str]:
    try:
        return [name for name in sorted(os.listdir(project.root + "/specs")) if not name.startswith(".")]
    except OSError:
        return []


def _parsed(data: bytes | None) -> TaskList | None:
    from holdfast.specs.tasks import parse

    return None if data is None else parse(data.decode("utf-8", "replace"))


def _in_spec(project: Project, name: str, use: Callable[[int], Result | None]) -> Result | None:
    """What `use` gives for an open spec folder; None when the name leads to no folder of the project's specs.

    Everything of a spec is looked at by that descriptor, so that a link swapped in meanwhile leads nowhere.
    """
    if not is_spec_name(name):
        return None
    try:
        folder = open_inside(project.root + "/specs", name)
    except (OSError, ValueError):
        return None
    try:
        return use(folder)
    finally:
        close_quietly(folder)


def _is_spec(project: Project, name: str) -> bool:
    return _in_spec(project, name, lambda folder: _status(project, ".", folder)) is not None


def _is_folder(path: str, ask: Status) -> bool:
    try:
        return S_ISDIR(ask(path).st_mode)
    except (OSError, ValueError):
        return False


def _modified(project: Project, phase: str, folder: int) -> int | None:
    status = _file_status(project, phase, folder)
    return None if status is None else status.st_mtime_ns


def _file_status(project: Project, phase: str, folder: int) -> os.stat_result | None:
    status = _status(project, f"{phase}.md", folder)
    return status if status is not None and S_ISREG(status.st_mode) else None


def _status(project: Project, name: str, folder: int) -> os.stat_result | None:
    try:
        return project.status(name, dir_fd=folder)
    except OSError:
        return None
