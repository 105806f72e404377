"""A project's workflow folder: which layout it has, where its files are, and the templates it starts from."""

from __future__ import annotations

import os
from stat import S_ISDIR

from holdfast.core.confined_paths import link_out
from holdfast.core.record import NamedTuple
from holdfast.specs.layouts import LAYOUTS, NEW, Layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holdfast.core.file_contents import FileContents

    Status = Callable[..., os.stat_result]

NOWHERE = os.devnull + "/nowhere"  # below what is no folder, so nothing is ever there
TEMPLATES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "templates")


class Project(NamedTuple):
    """A project, how its specs are laid out, and what its files are read through."""

    path: str
    layout: Layout
    file_contents: FileContents
    status: Status = os.stat  # how links are followed, and how far
    ignored: tuple[str, ...] = ()  # workflow folders that stand there as well

    @property
    def root(self) -> str:
        """The workflow folder."""
        return f"{self.path}/{self.layout.root}"

    @property
    def specs(self) -> str:
        """The folder that has a folder for each spec."""
        return f"{self.path}/{self.layout.specs}"

    @property
    def settings(self) -> str:
        """Where its settings are, if it has some."""
        return self.root + "/settings.json"

    def place(self, place: str) -> str:
        """Where a place below the project is, if there; nowhere where a link on the way leaves the project."""
        path = f"{self.path}/{place}"
        return NOWHERE if link_out(self.path, path) else path

    def steering(self, document: str) -> str:
        """Where a steering document is, if there."""
        return self.place(self.layout.steering[document])

    def document(self, spec: str, name: str) -> str:
        """Where a file of a spec is, if there; nowhere where it is a link that leaves the project."""
        path = f"{self.specs}/{spec}/{name}"
        return NOWHERE if os.path.islink(path) and link_out(self.path, path) else path

    def written(self, place: str) -> str:
        """The path of a place below the project that is about to be written; UnsafePath where a link leads it out."""
        from holdfast.core.own_folder import check_stays

        path = f"{self.path}/{place}"
        check_stays(self.path, path)
        return path

    @property
    def note(self) -> str:
        """What a person should know about how the folder was chosen."""
        if not self.ignored:
            return ""
        return f"several workflow folders here: {self.layout.root} is used, {', '.join(self.ignored)} is not"


def open_project(path: str, file_contents: FileContents, status: Status = os.stat) -> Project:
    """The project at a path; without a workflow folder it is one whose first folder is still to be made."""
    absolute = os.path.abspath(path)
    found = [layout for layout in LAYOUTS if _is_there(layout, absolute, status)]
    layout = found[0] if found else NEW
    return Project(absolute, layout, file_contents, status, tuple([other.root for other in found[1:]]))


def _is_there(layout: Layout, path: str, status: Status) -> bool:
    if not is_folder(f"{path}/{layout.root}", status):
        return False
    if any(link_out(path, f"{path}/{place}") for place in (layout.root, layout.specs)):
        return False
    return not layout.shown_by or any(exists(f"{path}/{name}", status) for name in layout.shown_by)


def missing_files(project: Project, names: Iterable[str]) -> frozenset[str]:
    """The files named by a spec that are not in the project; a pattern is never missing."""
    return frozenset(
        [
            name
            for name in names
            if not any(mark in name for mark in "*?{}<>")
            and not exists(os.path.join(project.path, name.strip("`'\"")), project.status)
        ]
    )


def template_path(name: str) -> str:
    """Where a template is."""
    return f"{TEMPLATES}/{name}.md"


def template(project: Project, name: str) -> str:
    """The text of a template."""
    text = project.file_contents.text(template_path(name), namespace="guide")
    if text is None:
        raise FileNotFoundError(f"template {name}")
    return text


def is_folder(path: str, ask: Status) -> bool:
    """Whether a path is a folder that may be looked at."""
    try:
        return S_ISDIR(ask(path).st_mode)
    except (OSError, ValueError):
        return False


def exists(path: str, ask: Status) -> bool:
    """Whether a path exists and may be looked at."""
    try:
        ask(path)
    except (OSError, ValueError):
        return False
    return True
