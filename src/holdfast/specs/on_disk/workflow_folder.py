"""A project's workflow folder: which layout it has, where its files are, and the templates it starts from."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterable
from stat import S_ISDIR
from typing import NamedTuple

from holdfast.core.confined_paths import link_out
from holdfast.core.file_contents import FileContents
from holdfast.core.own_folder import check_stays
from holdfast.specs.guides import inclusion_of
from holdfast.specs.layouts import ARCHIVES, LAYOUTS, NEW, Layout
from holdfast.specs.on_disk.source_places import project_files
from holdfast.specs.tasks import without_lines

Status = Callable[..., os.stat_result]

# Bounds of the look for packages below a project.
_DEEPEST, _MOST_FOLDERS = 3, 2000
_LEFT_OUT = frozenset({"node_modules", "__pycache__", "target", "dist", "build", "venv", "vendor"})
_DIGITS = frozenset("0123456789")
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
        path = f"{self.path}/{place}"
        check_stays(self.path, path)
        return path

    @property
    def note(self) -> str:
        """What a person should know about how the folder was chosen."""
        if not self.ignored:
            return ""
        used = self.layout.root if self.layout.specs.startswith(self.layout.root) else self.layout.specs
        return f"several workflow folders here: {used} is used, {', '.join(self.ignored)} is not"


def open_project(path: str, file_contents: FileContents, status: Status = os.stat, wanted: str = "") -> Project:
    """The project at a path, in the layout that is wanted, else in the first that has specs, else in the first there.

    `wanted` is the name of a layout; without one, `[specs] layout` in context.toml is asked. A project without a
    workflow folder is one whose first folder is still to be made.
    """
    absolute = os.path.abspath(path)
    found = [layout for layout in LAYOUTS if _is_there(layout, absolute, status)]
    chosen = next((layout for layout in LAYOUTS if layout.name == wanted), None)
    if chosen is None and len(found) > 1:
        chosen = _wanted(absolute, file_contents) or next((one for one in found if _has_specs(one, absolute)), None)
    layout = chosen or (found[0] if found else NEW)
    ignored = tuple([other.root for other in found if other != layout])
    return Project(absolute, layout, file_contents, status, ignored)


def with_steering(project: Project) -> Project:
    """The project, its layout with every steering document that its tool reads for any file.

    Kiro reads all Markdown files of the folder; one whose front matter has `inclusion: fileMatch` or `manual` is for
    some files, or for a person to name, and is left out.
    """
    folder = project.layout.steering_folder
    if not folder or link_out(project.path, f"{project.path}/{folder}"):
        return project
    try:
        names = sorted(os.listdir(f"{project.path}/{folder}"))
    except OSError:
        return project
    more = {}
    for name in names:
        document, ending = name[:-3], name[-3:]
        if ending == ".md" and document and document not in project.layout.steering and not name.startswith("."):
            path = f"{folder}/{name}"
            text = project.file_contents.text(project.place(path), namespace="steering") or ""
            if inclusion_of(text) == "always":
                more[document] = path
    return project._replace(layout=project.layout._replace(steering={**project.layout.steering, **more}))


def projects_below(path: str, status: Status) -> list[str]:
    """The folders below a project that have specs, by path: the packages of a monorepo, at most three levels down."""
    found: list[str] = []
    level = [""]
    looked_at = 0
    for _ in range(_DEEPEST):
        below: list[str] = []
        for folder in level:
            for name in _folders(f"{path}/{folder}"):
                looked_at += 1
                if name.startswith(".") or name in _LEFT_OUT or looked_at > _MOST_FOLDERS:
                    continue
                inner = f"{folder}/{name}" if folder else name
                if link_out(path, f"{path}/{inner}"):
                    continue
                place = f"{path}/{inner}"
                has_some = any(_is_there(layout, place, status) and _has_specs(layout, place) for layout in LAYOUTS)
                (found if has_some else below).append(inner)
        level = below
    return sorted(found)


def _wanted(path: str, file_contents: FileContents) -> Layout | None:
    """The layout that context.toml names; None where it names none that there is."""

    def named(data: bytes | None) -> str:
        try:
            specs = tomllib.loads((data or b"").decode()).get("specs")
        except ValueError:
            return ""  # what reads the caches reports it
        name = specs.get("layout") if isinstance(specs, dict) else None
        return name if isinstance(name, str) else ""

    file = f"{path}/context.toml"
    name = file_contents.memo(("layout", file), (file,), named, namespace="spec-status")
    return next((layout for layout in LAYOUTS if layout.name == name), None)


def _is_there(layout: Layout, path: str, status: Status) -> bool:
    folder = f"{path}/{layout.specs}"
    if is_folder(f"{path}/{layout.root}", status):
        is_shown = not layout.shown_by or any(exists(f"{path}/{name}", status) for name in layout.shown_by)
    else:
        is_shown = bool(layout.numbered) and any(
            exists(f"{folder}/{name}/{layout.numbered}", status) for name in _folders(folder) if _is_numbered(name)
        )
    places = (layout.specs,) if layout.specs.startswith(f"{layout.root}/") else (layout.root, layout.specs)
    return is_shown and not any(link_out(path, f"{path}/{place}") for place in places)


def _has_specs(layout: Layout, path: str) -> bool:
    return any(not name.startswith(".") and name not in ARCHIVES for name in _folders(f"{path}/{layout.specs}"))


def _is_numbered(name: str) -> bool:
    return len(name) > 4 and _DIGITS.issuperset(name[:3]) and name[3] == "-"


def _folders(path: str) -> list[str]:
    """The names of the folders in a folder, links left out."""
    try:
        with os.scandir(path) as entries:
            return [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return []


def missing_files(project: Project, spec: str, names: Iterable[str]) -> frozenset[str]:
    """Those of the files that a spec names which are not in the project.

    A name may be that of a file below any folder, or from the spec's own folder. A pattern or prose is never missing.
    """
    places = (project.path, f"{project.specs}/{spec}")
    above = f"{os.path.basename(project.path)}/"  # one of several repositories is named from the folder above
    above = "" if is_folder(f"{project.path}/{above}", project.status) else above
    wanted = {name: os.path.normpath(path.removeprefix(above)) for name in names if (path := _named_path(name))}
    absent = {
        name: path
        for name, path in wanted.items()
        if not any(exists(os.path.join(place, path), project.status) for place in places)
    }
    ends: dict[str, list[str]] = {}
    for file in project_files(project.path) if absent else ():
        ends.setdefault(file.rpartition("/")[2], []).append(f"/{file}")
    kinds = {name.rpartition(".")[2] for name in ends}
    for name, path in list(absent.items()):
        is_file = "/" in path or path.rpartition(".")[2] in kinds  # `license.id` is none
        if not is_file or any(file.endswith(f"/{path}") for file in ends.get(path.rpartition("/")[2], ())):
            del absent[name]
    return frozenset(absent)


def _named_path(name: str) -> str:
    """The path that a spec writes for a file of the project; empty for a pattern, prose or a place elsewhere."""
    path = without_lines(name.partition(" (")[0].partition("::")[0].strip("`'\"* "))
    # `@scope/web3.js` is a package, `services/mail.send_all` a function.
    name, dot, ending = path.rpartition("/")[2].strip(".").rpartition(".")
    is_path = bool(dot) and "_" not in ending and not path.startswith(("~", "/", "@"))
    return path if is_path and not any(mark in path for mark in (*"*?{}<>| \\", "://")) else ""


def phase_templates(project: Project) -> dict[str, str]:
    """Where the template of each document of a spec is: the project's own, else that of this package."""
    return {
        phase: path if own and exists(path := project.place(own), project.status) else template_path(name)
        for phase, (own, name) in project.layout.templates.items()
    }


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
