"""Deltas and the requirements that hold now on disk: read together, written all or none."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from shutil import copy2, copytree
from stat import S_ISREG

from holdfast.core import posix_calls
from holdfast.core.atomic_write import StagedDirectory, flush_path, write_file
from holdfast.core.regular_files import close_quietly, read_regular
from holdfast.specs.delta_checks import DeltaFile, Deltas
from holdfast.specs.names import is_spec_name
from holdfast.specs.on_disk.workflow_folder import Project
from holdfast.specs.phases import Spec
from holdfast.specs.requirement_blocks import bare_lines, kind_of

LARGEST = 16 << 20


def find_deltas(project: Project, spec: Spec) -> Deltas:
    """Every delta of a spec with what it changes."""
    layout = project.layout
    place = f"{layout.specs}/{spec.name}"
    folder = f"{place}/{layout.delta}"
    files, misplaced = [], [f"{place}/{name}" for name in _stray(project.place(place), spec)]
    for name in _capabilities(project.place(folder), layout.capability):
        capability, relative = _capability(name, layout.capability)
        if not capability or not _is_inside(project, folder, relative):
            misplaced += [f"{folder}/{name}"] if not name.startswith(".") else []
            continue
        file, living_file = f"{folder}/{relative}", living_path(project, capability)
        is_there = os.path.lexists(f"{project.path}/{living_file}")
        texts = _text(project, file), _text(project, living_file)
        files.append(DeltaFile(capability, file, texts[0], living_file, texts[1], is_there))
    return Deltas(tuple(files), tuple(sorted(misplaced)))


def living_path(project: Project, capability: str) -> str:
    """Where the requirements of a capability are, below the project."""
    return f"{project.layout.living}/{project.layout.capability.format(capability)}"


def delta_path(project: Project, spec: Spec, capability: str) -> str:
    """Where a spec's changes of a capability are, below the project."""
    layout = project.layout
    return f"{layout.specs}/{spec.name}/{layout.delta}/{layout.capability.format(capability)}"


def read_text(project: Project, file: str) -> str | None:
    """A file below the project as text; None when there is none. UnicodeDecodeError when it is not UTF-8."""
    try:
        return read_regular(project.place(file), limit=LARGEST).decode()
    except (FileNotFoundError, NotADirectoryError):
        return None


def write_delta(project: Project, file: str, text: str) -> None:
    """Write a delta, its folder with it."""
    path = project.written(file)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write_file(path, text.encode())


def write_living(project: Project, texts: Mapping[str, str]) -> None:
    """Write the requirements of some capabilities: all of them or none, also when the process is killed."""
    root = project.written(project.layout.living)
    if len(texts) == 1 and os.path.isdir(root):
        ((file, text),) = texts.items()
        path = os.path.realpath(project.written(file))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write_file(path, text.encode())
        return
    # One file is replaced in one step; several are, with their folder.
    with StagedDirectory(os.path.realpath(root), _contents) as staged:
        if os.path.isdir(root):
            copytree(root, staged.path, symlinks=True, copy_function=_link, dirs_exist_ok=True)
        for file, text in texts.items():
            path = os.path.join(staged.path, file[len(project.layout.living) + 1 :])
            os.makedirs(os.path.dirname(path), exist_ok=True)
            write_file(path, text.encode())
        staged.publish(replace=True)


def archive_folder(project: Project, spec: Spec, name: str) -> str | None:
    """Move a finished spec away under a name; where it is now, below the project, or None where something is."""
    target = f"{project.layout.archive}/{name}"
    source = f"{project.written(project.layout.specs)}/{spec.name}"
    os.makedirs(project.written(project.layout.archive), exist_ok=True)
    try:
        moved = posix_calls.special_rename(source, f"{project.path}/{target}", swap=False)
    except FileExistsError:
        return None
    if not moved:
        if os.path.lexists(f"{project.path}/{target}"):
            return None
        os.rename(source, f"{project.path}/{target}")
    flush_path(f"{project.path}/{project.layout.archive}")
    flush_path(project.specs)
    return target


@contextmanager
def only_writer(project: Project) -> Iterator[None]:
    """Keep other merges of the project out while the block runs."""
    descriptor = posix_calls.open(project.root, posix_calls.DIRECTORY)
    try:
        posix_calls.flock(descriptor, posix_calls.LOCK_EX)
        yield
    finally:
        close_quietly(descriptor)


def _capabilities(folder: str, pattern: str) -> list[str]:
    """The entries of a folder of deltas; of one with a folder for each capability the paths of those with a file."""
    if "/" not in pattern:
        return _listed(folder)
    file = pattern.partition("/")[2]
    found = []
    for name in _listed(folder):
        nested = [
            f"{name}/{inner}" for inner in _listed(f"{folder}/{name}") if file in _listed(f"{folder}/{name}/{inner}")
        ]
        found += nested if nested and file not in _listed(f"{folder}/{name}") else [name, *nested]
    return found


def _capability(name: str, pattern: str) -> tuple[str, str]:
    """The capability that an entry of the folder of deltas is of, and its file there."""
    if pattern == "{}.md":
        capability = name.removesuffix(".md")
        return (capability, name) if capability != name and is_spec_name(capability) else ("", name)
    return (name, pattern.format(name)) if all(map(is_spec_name, name.split("/"))) else ("", name)


def _is_inside(project: Project, folder: str, name: str) -> bool:
    """Whether a delta is a file of its folder and no link that leads elsewhere."""
    path, root = f"{project.path}/{folder}/{name}", os.path.realpath(f"{project.path}/{folder}")
    try:
        return S_ISREG(os.stat(path).st_mode) and os.path.realpath(path).startswith(root + "/")
    except OSError:
        return False


def _stray(place: str, spec: Spec) -> list[str]:
    """Files beside the documents of a spec that begin sections of changes."""
    found = []
    for name in [name for name in _listed(place) if name.endswith(".md") and name not in spec.documents]:
        try:
            text = read_regular(f"{place}/{name}", limit=LARGEST).decode("utf-8", "replace")
        except OSError:
            continue
        found += [name] if any(map(kind_of, bare_lines(text))) else []
    return found


def _listed(path: str) -> list[str]:
    try:
        return sorted(os.listdir(path))
    except OSError:
        return []


def _text(project: Project, file: str) -> str | None:
    try:
        return read_text(project, file)
    except (OSError, ValueError):
        return None


def _link(source: str, target: str) -> None:
    """A file once more: a link where the file system has them."""
    try:
        os.link(source, target)
    except OSError:
        copy2(source, target)


def _contents(path: str) -> list[str]:
    """All that is below a folder, in the order to remove it in."""
    found = []
    for folder, folders, files in os.walk(path, topdown=False):
        linked = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        found += [os.path.join(folder, name) for name in (*files, *linked, "")]
    return [name[len(path) + 1 :] for name in found[:-1]]
