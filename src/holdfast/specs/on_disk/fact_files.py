"""The facts of a project on disk, and which paths are there though git lists none."""

from __future__ import annotations

import os
from collections.abc import Sequence

from holdfast.core.errors import UsageError
from holdfast.core.git_command import git
from holdfast.core.regular_files import read_regular
from holdfast.specs.on_disk.source_places import GENERATED_FOLDERS, LARGEST, project_files
from holdfast.specs.project_facts import MANIFESTS, Facts, facts_of

_MOST_MANIFESTS = 200


def read_facts(project: str) -> Facts:
    """The facts of a project: its files, and its manifests down to a bound."""
    files = [os.fsencode(name).decode("utf-8", "replace") for name in project_files(project)]
    wanted = [
        name for name in files if name.rpartition("/")[2] in MANIFESTS and not GENERATED_FOLDERS & set(name.split("/"))
    ]
    manifests = {}
    for name in sorted(wanted, key=lambda name: (name.count("/"), name))[:_MOST_MANIFESTS]:
        try:
            manifests[name] = read_regular(os.path.join(project, name), limit=LARGEST).decode("utf-8", "replace")
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
