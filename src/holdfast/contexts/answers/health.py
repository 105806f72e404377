"""What the commands that look at contexts as a whole answer: validate and status --watch."""

from __future__ import annotations

import os
from typing import NamedTuple

from holdfast.contexts.answers import open_project
from holdfast.contexts.arguments import ListArguments, ValidateArguments
from holdfast.contexts.on_disk.directory_view import CONTEXT_FILE
from holdfast.contexts.on_disk.project import Project, scan
from holdfast.contexts.on_disk.watcher import watch_project
from holdfast.contexts.shapes import StateChange, ValidateAnswer, WatchAnswer
from holdfast.core.canonical_json import encode
from holdfast.core.confined_paths import printable
from holdfast.core.errors import ContextCorrupt
from holdfast.core.standard_streams import write_output
from holdfast.core.tokens import tokens_of_bytes
from holdfast.operation import Outcome
from holdfast.workspace import Workspace


class TokenCount(NamedTuple):
    """The tokens of one directory."""

    scope: str
    context_tokens: int
    source_tokens: int


def token_counts(project: Project) -> list[TokenCount]:
    """The counts of every kept directory that has a context, in order of scope."""
    counts = []
    for found in sorted(scan(project), key=lambda found: found.scope):
        view = found.view
        if not found.kept or view is None or not view.has_context:
            continue
        try:
            size = os.lstat(os.path.join(view.path, CONTEXT_FILE)).st_size
        except OSError:
            continue
        counts.append(TokenCount(found.scope, tokens_of_bytes(size), tokens_of_bytes(view.source_bytes)))
    return counts


def validate(workspace: Workspace, arguments: ValidateArguments) -> Outcome[ValidateAnswer]:
    """Every context there is, those of skipped directories included."""
    from holdfast.contexts.on_disk.validation import validate_project

    project = open_project(workspace, arguments)
    checked, problems = validate_project(project, strict=arguments.get("strict", False))
    value: ValidateAnswer = {
        "root": printable(project.root),
        "valid": not problems,
        "checked": checked,
        "problems": [
            {"scope": one.scope, "line": one.line, "field": one.field, "problem": one.problem} for one in problems
        ],
    }
    return Outcome(value, ContextCorrupt.exit_code if problems else 0, is_error=bool(problems))


def watch(workspace: Workspace, arguments: ListArguments) -> Outcome[WatchAnswer]:
    """Writes a line for each change of state until it is interrupted, and then how many there were."""
    project = open_project(workspace, arguments)
    untracked = arguments.get("untracked", False)
    return Outcome({"events": watch_project(project.contents, project.root, tell=_write_line, untracked=untracked)})


def _write_line(change: StateChange) -> None:
    write_output(encode(change) + "\n")
