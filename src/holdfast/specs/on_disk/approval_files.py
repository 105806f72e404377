"""`approvals.json` on disk: read with the documents it speaks of, added to in one step."""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING

from holdfast.core.atomic_write import write_file
from holdfast.core.confined_paths import open_inside
from holdfast.core.errors import SpecFailure
from holdfast.core.regular_files import close_quietly, read_regular
from holdfast.specs import approvals
from holdfast.specs.layouts import PHASES

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.specs.approvals import Approval, Standing
    from holdfast.specs.on_disk.workflow_folder import Project
    from holdfast.specs.phases import Spec

_MEND = "Restore approvals.json from version control, or move it away and have the documents approved again"


def approved_texts(project: Project, spec: Spec, folder: int) -> dict[str, str]:
    """What would be approved of each document that there is."""
    found = {}
    for phase, name, time in zip(PHASES, spec.documents, spec.times, strict=True):
        text = project.file_contents.text(project.document(spec.name, name), namespace="spec-status", parent=folder)
        if time is not None and text is not None:
            found[phase] = approvals.normalized(text, phase, project.layout.tasks)
    return found


def standings(project: Project, spec: Spec, folder: int) -> dict[str, Standing]:
    """The state of each document's approval; a file that cannot be relied on approves nothing."""
    texts = approved_texts(project, spec, folder)
    names = dict(zip(PHASES, spec.documents, strict=True))
    path = project.document(spec.name, approvals.FILE)
    data = project.file_contents.read(path, namespace="spec-status", parent=folder)
    try:
        entries = [] if data is None else approvals.read(data)
    except approvals.ApprovalsBroken as error:
        return {
            phase: approvals.Standing(False, why_not=f"{approvals.FILE} cannot be used: {error}") for phase in texts
        }
    return {phase: approvals.standing(entries, phase, texts, names) for phase in texts}


def add_entry(
    project: Project, spec: Spec, make: Callable[[list[Approval], dict[str, str]], Approval | None]
) -> Approval | None:
    """Add the entry that `make` gives for the entries and documents there are, with no other writer in between.

    SpecFailure when the file cannot be relied on: then it is left as it is.
    """
    folder = open_inside(project.specs, spec.name, listed=True)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        path = project.written(f"{project.layout.specs}/{spec.name}/{approvals.FILE}")
        try:
            entries = approvals.read(read_regular(approvals.FILE, dir_fd=folder))
        except FileNotFoundError:
            entries = []
        except approvals.ApprovalsBroken as error:
            raise SpecFailure(f"{approvals.FILE} of '{spec.name}' cannot be used: {error}", [_MEND]) from None
        entry = make(entries, approved_texts(project, spec, folder))
        if entry is not None:
            write_file(os.path.realpath(path), approvals.written([*entries, entry]))
        return entry
    finally:
        close_quietly(folder)
