"""The workflow in a project: which checks apply there, and the file written, renewed or removed."""

from __future__ import annotations

import os

from holdfast.clients.ci_workflow import FILE, MARK, workflow
from holdfast.core.atomic_write import write_file
from holdfast.core.confined_paths import lies_inside
from holdfast.core.errors import SettingsInvalid, UsageError
from holdfast.core.record import NamedTuple
from holdfast.core.regular_files import NotRegular, read_regular
from holdfast.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

# What has to be there for a check to mean anything, and the check; the first that is there counts.
_CHECKS = (
    ((".context.yaml",), "context status --check"),
    (("context.lock",), "context sync --check --lock-only"),
    (
        (
            ".spec-context/specs",
            ".spec-workflow/specs",
            ".kiro/specs",
            ".specify",
            "openspec/specs",
            "openspec/changes",
        ),
        "context spec check",
    ),
)


class WorkflowStep(NamedTuple):
    """What happened to the file, and the checks it runs."""

    file: str
    action: Literal["written", "renewed", "unchanged", "removed", "left alone"]
    checks: Sequence[str]
    detail: str = ""


def set_up_workflow(root: str, origin: str, *, undo: bool, dry_run: bool) -> WorkflowStep:
    """Put the workflow in its place, or take it out; one without the mark in its first line is a person's."""
    path = os.path.join(root, FILE)
    checks = [check for marks, check in _CHECKS if any(os.path.lexists(os.path.join(root, each)) for each in marks)]
    if not lies_inside(os.path.realpath(path), os.path.realpath(root)):
        raise SettingsInvalid(f"{FILE} leads out of the project: nothing was written")
    try:
        old = read_regular(path).decode("utf-8", "replace")
    except FileNotFoundError:
        old = None
    except NotRegular:
        return WorkflowStep(FILE, "left alone", checks, "it is no regular file")
    if old is not None and not old.startswith(MARK):
        return WorkflowStep(FILE, "left alone", checks, f"it is yours; add: {'; '.join(checks)}" if checks else "")
    if undo:
        if old is None:
            return WorkflowStep(FILE, "unchanged", checks, "there is none")
        if not dry_run:
            os.unlink(path)
        return WorkflowStep(FILE, "removed", checks)
    if not checks:
        raise UsageError(
            "there is nothing to check yet: run `context init`, `context add` or `context spec init` first"
        )
    new = workflow(origin or f"{_distribution()}[analysis]=={__version__}", checks)
    if new == old:
        return WorkflowStep(FILE, "unchanged", checks)
    told = "commit it" if origin else "see that your index has this project under its name (--from), and commit it"
    if not dry_run:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write_file(path, new.encode())
    return WorkflowStep(FILE, "written" if old is None else "renewed", checks, told)


def _distribution() -> str:
    """What this installation is called where it was installed from."""
    from importlib.metadata import packages_distributions

    return next(iter(packages_distributions().get("holdfast", [])), "holdfast")
