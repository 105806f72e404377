"""The files of a project, its facts, and the places in them that name a criterion of a spec: `spec:NAME#1.2`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from holdfast.core.errors import UsageError
from holdfast.core.git_command import git
from holdfast.core.regular_files import read_regular
from holdfast.specs.project_facts import MANIFESTS, Facts, facts_of

_LARGEST = 1 << 20
_MOST_MANIFESTS = 200
_MARK = b"spec:"
_LONGEST = 300
_GENERATED_FOLDERS = frozenset({"node_modules", "__pycache__", "target", "dist", "build", "venv"})
_OF_AN_ID = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-"


def places_of(project: str, spec: str, *, without: str) -> list[tuple[str, str, int]]:
    """Each place by the criterion it names, its file and its line; files below `without` are not looked at."""
    return all_places(project, without=without).get(spec, [])


def all_places(project: str, *, without: str) -> dict[str, list[tuple[str, str, int]]]:
    """The places of every spec that is named somewhere, by the spec's name, in order."""
    found: dict[str, list[tuple[str, str, int]]] = {}
    for name in sorted(project_files(project)):
        if name.startswith(without + "/"):
            continue
        try:
            data = read_regular(os.path.join(project, name), limit=_LARGEST)
        except (OSError, ValueError):
            continue  # gone, too large to be a source file, or no file at all
        if _MARK in data:
            shown = os.fsencode(name).decode("utf-8", "replace")
            for spec, criterion, line in _marks(data):
                found.setdefault(spec, []).append((criterion, shown, line))
    return found


def _marks(data: bytes) -> Iterator[tuple[str, str, int]]:
    for number, line in enumerate(data.split(b"\n"), 1):
        for part in line.split(_MARK)[1:]:
            spec, _, rest = part[:_LONGEST].partition(b"#")
            if criterion := rest[: len(rest) - len(rest.lstrip(_OF_AN_ID))].rstrip(b".-").decode():
                yield spec.decode("utf-8", "replace"), criterion, number


def project_files(project: str) -> list[str]:
    """The project's files: what git tracks or would, else all but hidden and the usual generated folders."""
    if os.path.lexists(os.path.join(project, ".git")):
        try:
            listed = git(project, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        except UsageError:
            pass  # no git here, or no repository it reads: then everything is looked at
        else:
            return [os.fsdecode(name) for name in dict.fromkeys(listed.split(b"\0")) if name]
    found = []
    for folder, folders, files in os.walk(project):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _GENERATED_FOLDERS]
        found += [os.path.relpath(os.path.join(folder, name), project) for name in files if not name.startswith(".")]
    return found


def read_facts(project: str) -> Facts:
    """The facts of a project: its files, and its manifests down to a bound."""
    files = [os.fsencode(name).decode("utf-8", "replace") for name in project_files(project)]
    wanted = [
        name for name in files if name.rpartition("/")[2] in MANIFESTS and not _GENERATED_FOLDERS & set(name.split("/"))
    ]
    manifests = {}
    for name in sorted(wanted, key=lambda name: (name.count("/"), name))[:_MOST_MANIFESTS]:
        try:
            manifests[name] = read_regular(os.path.join(project, name), limit=_LARGEST).decode("utf-8", "replace")
        except (OSError, ValueError):
            continue
    return facts_of(files, manifests)


def generated(project: str, paths: Sequence[str]) -> set[str]:
    """Those of some paths below a project that exist, tracked or not, or that git ignores."""
    found = {path for path in paths if os.path.lexists(os.path.join(project, path))}
    left = [path for path in paths if path not in found and "\0" not in path]
    if left and os.path.lexists(os.path.join(project, ".git")):
        asked = "\0".join([each for path in left for each in (path, path.rstrip("/") + "/")]).encode()
        try:
            ignored = git(project, "check-ignore", "-z", "--no-index", "--stdin", given=asked).decode(
                "utf-8", "replace"
            )
        except UsageError:
            return found  # nothing is ignored
        ends = {path.rstrip("/") for path in ignored.split("\0")}
        found.update([path for path in left if path.rstrip("/") in ends])
    return found
