"""What the commands answer that deal with git: the merge driver, and setting a repository up for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from holdfast.contexts.answers import open_project
from holdfast.core.confined_paths import printable
from holdfast.core.errors import ContextCorrupt
from holdfast.operation import Outcome

if TYPE_CHECKING:
    from holdfast.contexts.arguments import MergeArguments, SetupArguments
    from holdfast.contexts.shapes import MergeAnswer, SetupAnswer, SetupStep
    from holdfast.workspace import Workspace


def merge_driver(_workspace: Workspace, arguments: MergeArguments) -> Outcome[MergeAnswer]:
    """Git takes any exit code but 0 for a conflict that is left in the file."""
    from holdfast.contexts.on_disk.merged_file import merge_files, open_text

    merged = merge_files(arguments["base"], arguments["ours"], arguments["theirs"])
    place = printable(arguments.get("place", arguments["ours"]))
    value: MergeAnswer = {"path": place, "merged": not merged.conflicts, "conflicts": list(merged.conflicts)}
    note = f"{place}: {open_text(merged.conflicts)}" if merged.conflicts else ""
    return Outcome(value, ContextCorrupt.exit_code if merged.conflicts else 0, note=note)


def setup(workspace: Workspace, arguments: SetupArguments) -> Outcome[SetupAnswer]:
    from holdfast.contexts.on_disk.git_setup import set_up_git

    project = open_project(workspace, arguments)
    dry_run = arguments.get("dry_run", False)
    steps = set_up_git(project, hooks=not arguments.get("no_hooks", False), dry_run=dry_run)
    taken = [cast("SetupStep", {name: part for name, part in step._asdict().items() if part}) for step in steps]
    return Outcome({"root": printable(project.root), "target": "git", "dry_run": dry_run, "steps": taken})
