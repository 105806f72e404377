"""Where a machine keeps what it remembers of caches: in the user's cache directory, never in a project.

A clone can bring any file into a project, so nothing there is taken for what this machine found. Each cache of each
project has a file `holdfast/<sha256 of both real paths>.sources`, whose first line names them. The folder has to belong
to this user, to be writable by nobody else, and to lie outside the checkout of the project; where there is none,
nothing is remembered.
"""

from __future__ import annotations

import os
from hashlib import sha256
from time import time

from holdfast.caches.build.project_directory import Project
from holdfast.caches.build.source_state import SourceState, encode_state, parse_state
from holdfast.core import posix_calls
from holdfast.core.canonical_json import decode
from holdfast.core.confined_paths import lies_inside
from holdfast.core.errors import UnsafePath
from holdfast.core.own_folder import OwnFolder

FOLDER = "holdfast"
# The caches that were synced longest ago are forgotten beyond this.
MOST_ENTRIES = 512
_ENDING = ".sources"
_HEX_DIGITS = frozenset("0123456789abcdef")
_KEY_LENGTH, _MARK_LENGTH = 64, 8
_LONGEST_LINE = 1 << 16
# A file that a killed process left half written is removed when it is this old, in seconds.
_LEFT_OVER = 3600


def read_state(project: Project, name: str) -> SourceState:
    """What is remembered of a cache; nothing where there is no state, or one that is damaged or not this user's."""
    if project.memory is not None and (known := project.memory.get(project.cache(name))) is not None:
        return known
    try:
        with _folder(project, create=False) as folder, open(folder.open_file(_name(project, name)), "rb") as file:
            line, rest = file.readline(_LONGEST_LINE), file.read()
        if decode(line) != _line(project, name, rest):
            return SourceState.none()
    except (OSError, UnsafePath, ValueError):
        return SourceState.none()
    return parse_state(rest)


def write_state(project: Project, name: str, state: SourceState) -> None:
    """Remember it; what cannot be written is found again next time."""
    if project.memory is not None:
        project.memory[project.cache(name)] = state
        return
    from json import dumps  # of use on one machine only, so it need not be canonical

    data = encode_state(state)
    try:
        with _folder(project, create=True) as folder:
            target = _name(project, name)
            is_new = folder.status(target) is None
            staged = f"{target}.{os.urandom(_MARK_LENGTH // 2).hex()}"
            try:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
                with open(folder.open_file(staged, flags), "wb") as file:
                    file.write(dumps(_line(project, name, data)).encode() + b"\n")
                    file.write(data)
                folder.rename(staged, target)
            except BaseException:
                folder.remove(staged)
                raise
            if is_new:
                _sweep(folder, target)
    except (OSError, UnsafePath):
        pass  # no promise hangs on it


def forget_state(project: Project, name: str) -> None:
    """Remove what is remembered of a cache."""
    try:
        with _folder(project, create=False) as folder:
            folder.remove(_name(project, name))
    except (OSError, UnsafePath):
        pass  # without its cache it is swept later


def _line(project: Project, name: str, data: bytes) -> list[str]:
    """What comes first in a file: whose state it is, and the digest of the rest."""
    return [project.path, project.cache(name), sha256(data).hexdigest()]


def _name(project: Project, name: str) -> str:
    key = f"{project.path}\0{project.cache(name)}".encode("utf-8", "surrogateescape")
    return f"{sha256(key).hexdigest()}{_ENDING}"


def _is_ours(name: str) -> bool:
    key, ending, mark = name.partition(_ENDING)
    return (
        len(key) == _KEY_LENGTH
        and bool(ending)
        and len(mark) in (0, 1 + _MARK_LENGTH)
        and _HEX_DIGITS.issuperset(key + mark.removeprefix("."))
    )


def is_outside(project: Project) -> bool:
    """Whether the user's cache directory lies outside the checkout of a project, and outside its cache root."""
    above = os.path.realpath(project.user_cache)
    return not lies_inside(above, _checkout(project.path)) and not lies_inside(above, project.cache_root)


def _folder(project: Project, *, create: bool) -> OwnFolder:
    """The folder of states; OSError or UnsafePath where there is none to rely on."""
    if not project.user_cache or not is_outside(project):
        raise FileNotFoundError
    above = os.path.realpath(project.user_cache)
    if create:
        os.makedirs(above, mode=0o700, exist_ok=True)
    folder = OwnFolder.at(above, FOLDER, _is_ours, create=create)
    try:
        status = posix_calls.fstat(folder.descriptor)
        if status.st_uid != posix_calls.geteuid() or status.st_mode & 0o022:
            raise PermissionError
    except BaseException:
        folder.close()
        raise
    return folder


def _checkout(project: str) -> str:
    """The top of the checkout that a project is in: a clone brings everything below it."""
    place = project
    while not os.path.lexists(os.path.join(place, ".git")):
        above = os.path.dirname(place)
        if above == place:
            return project
        place = above
    return place


def _sweep(folder: OwnFolder, kept: str) -> None:
    """Remove the states of caches that are gone, the oldest of too many, and what killed processes left."""
    ages: dict[str, float] = {}
    for name in folder.names():
        status = folder.status(name)
        if status is not None and name != kept:
            ages[name] = time() - status.st_mtime
    for name in sorted(ages, key=ages.__getitem__, reverse=True):
        if name.endswith(_ENDING):
            if len(ages) < MOST_ENTRIES and _is_of_a_cache(folder, name):
                continue
        elif ages[name] < _LEFT_OVER:
            continue
        folder.remove(name)
        del ages[name]


def _is_of_a_cache(folder: OwnFolder, name: str) -> bool:
    try:
        with open(folder.open_file(name), "rb") as file:
            _, cache, _ = decode(file.readline(_LONGEST_LINE))
        return os.path.lexists(str(cache))
    except (OSError, UnsafePath, ValueError, TypeError):
        return False
