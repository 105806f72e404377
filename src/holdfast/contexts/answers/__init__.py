"""What each operation on directory contexts answers: the bodies `(workspace, arguments) -> Outcome`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.contexts.on_disk.project import Project
from holdfast.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.contexts.arguments import ValidateArguments
    from holdfast.contexts.on_disk.staged_copy import StagedCopy
    from holdfast.contexts.shapes import ProjectArguments
    from holdfast.workspace import Workspace


def open_project(workspace: Workspace, arguments: ProjectArguments | ValidateArguments) -> Project:
    """The project that the arguments mean; UsageError when they cannot mean one."""
    untracked = bool(arguments.get("untracked", False))

    path = arguments.get("path", "")
    if "\0" in path:
        raise UsageError("path must be a path: it cannot hold a NUL character")
    return Project(
        workspace.file_contents,
        workspace.directory(path),
        workspace.named(path),
        untracked=untracked,
        index=workspace.git_index,
        user_cache=workspace.user_cache,
    )


def staged_copy(project: Project, workspace: Workspace, arguments: Mapping[str, object]) -> StagedCopy:
    """What git's index holds of a project, as a project; UsageError where that makes no sense."""
    from holdfast.contexts.on_disk.staged_copy import StagedCopy  # and shutil, tempfile: only --staged needs them

    if arguments.get("untracked", False):
        raise UsageError("give one of --staged and --untracked")
    return StagedCopy(project, workspace.git_index)
