"""Approvals on disk: a file for each, read with the documents they speak of, and written in one step."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from holdfast.core import posix_calls
from holdfast.core.atomic_write import write_file
from holdfast.core.confined_paths import open_inside
from holdfast.core.errors import ContextError, SpecFailure, UsageError
from holdfast.core.git_command import git
from holdfast.core.regular_files import close_quietly
from holdfast.specs import approvals
from holdfast.specs.approvals import FILE, FOLDER, Approval, Standing
from holdfast.specs.discipline import approvals_needed, approvers
from holdfast.specs.layouts import PHASES
from holdfast.specs.on_disk.workflow_folder import Project
from holdfast.specs.phases import Spec

_MEND = "Restore it from version control, or move it away and have the document approved again"
_SIGNATURE = ".minisig"
_NAMESPACE = "spec-status"


def approved_texts(project: Project, spec: Spec, folder: int) -> dict[str, str]:
    """What would be approved of each document that there is."""
    found = {}
    for phase, name, time in zip(PHASES, spec.documents, spec.times, strict=True):
        text = project.file_contents.text(project.document(spec.name, name), namespace=_NAMESPACE, parent=folder)
        if time is not None and text is not None:
            found[phase] = approvals.normalized(text, phase, project.layout.tasks)
    return found


def standings(project: Project, spec: Spec, folder: int) -> dict[str, Standing]:
    """The state of each document's approval; where a file cannot be relied on, nothing is approved."""
    texts = approved_texts(project, spec, folder)
    names = dict(zip(PHASES, spec.documents, strict=True))
    settings = project.file_contents.read(project.settings, namespace=_NAMESPACE)
    try:
        entries, needed = _entries(project, spec, folder, approvers(settings)), approvals_needed(settings)
    except approvals.ApprovalsBroken as error:
        return {phase: approvals.Standing(False, why_not=str(error)) for phase in texts}
    except SpecFailure as error:  # the guides, `spec next` and `spec approve` report it
        return {phase: approvals.Standing(False, why_not=error.reason) for phase in texts}
    return {phase: approvals.standing(entries, phase, texts, names, needed) for phase in texts}


def _entries(project: Project, spec: Spec, folder: int, keys: Mapping[str, str]) -> list[Approval]:
    """Every approval of a spec. ApprovalsBroken where a file cannot be relied on."""
    read = project.file_contents.read
    try:
        data = read(project.document(spec.name, FILE), namespace=_NAMESPACE, parent=folder)
        found = [] if data is None else approvals.read_list(data)
    except approvals.ApprovalsBroken as error:
        raise approvals.ApprovalsBroken(f"{FILE} cannot be used: {error}") from None
    found = [_judged(entry, b"", None, keys) for entry in found]
    try:
        inside = posix_calls.open(
            FOLDER,
            posix_calls.DIRECTORY | posix_calls.O_NOFOLLOW,
            dir_fd=folder,
        )
    except OSError:
        return found
    try:
        for name in sorted(posix_calls.listdir(inside)):
            path = f"{project.specs}/{spec.name}/{FOLDER}/{name}"
            if name.startswith(".") or not name.endswith(".json"):
                continue
            data = read(path, namespace=_NAMESPACE, parent=inside)
            try:
                entry = approvals.read(data or b"", name)
            except approvals.ApprovalsBroken as error:
                raise approvals.ApprovalsBroken(f"{FOLDER}/{name} cannot be used: {error}") from None
            signature = read(path + _SIGNATURE, namespace=_NAMESPACE, parent=inside) if keys else None
            found.append(_judged(entry, data or b"", signature, keys))
    finally:
        close_quietly(inside)
    return found


def _judged(entry: Approval, data: bytes, signature: bytes | None, keys: Mapping[str, str]) -> Approval:
    """The approval, with a doubt where the settings name keys and it is not signed by that of the person it names."""
    if not keys or entry.is_revoked:
        return entry
    if entry.by not in keys:
        return entry._replace(doubt=f"{entry.by} is not among the approvers in settings.json")
    if signature is None:
        return entry._replace(doubt=f"the approval by {entry.by} is not signed")
    from holdfast.core import minisign  # few projects sign

    try:
        minisign.verify(data, signature, (minisign.parse_public_key(keys[entry.by]),))
    except ImportError:
        return entry._replace(doubt="signatures need the extra 'registry': install holdfast-context[registry]")
    except ContextError as error:
        return entry._replace(doubt=f"the signature of the approval by {entry.by} does not hold: {error.reason}")
    return entry


def add_approval(
    project: Project,
    spec: Spec,
    make: Callable[[list[Approval], dict[str, str]], Approval],
    sign: Callable[[bytes], bytes] | None = None,
) -> tuple[Approval, str]:
    """Write the approval that `make` gives for those there are, with no other writer in between; also where it is.

    SpecFailure when a file cannot be relied on: then it is left as it is.
    """
    place = f"{project.layout.specs}/{spec.name}/{FOLDER}"
    folder = open_inside(project.specs, spec.name, listed=True)
    try:
        posix_calls.flock(folder, posix_calls.LOCK_EX)
        path = project.written(place)
        settings = project.file_contents.read(project.settings, namespace=_NAMESPACE)
        try:
            entries = _entries(project, spec, folder, approvers(settings))
        except approvals.ApprovalsBroken as error:
            raise SpecFailure(f"Approvals of '{spec.name}': {error}", [_MEND]) from None
        entry = make(entries, approved_texts(project, spec, folder))
        data = approvals.written(entry)
        signature = None if sign is None else sign(data)
        os.makedirs(path, exist_ok=True)
        if signature is not None:
            write_file(f"{path}/{entry.file}{_SIGNATURE}", signature)
        write_file(f"{path}/{entry.file}", data)
        return entry, f"{place}/{entry.file}"
    finally:
        close_quietly(folder)


def removed(project: Project, spec: Spec) -> list[str]:
    """The files of approvals that git had once and that are gone; none where no git is asked."""
    place = f"{project.layout.specs}/{spec.name}/{FOLDER}"
    try:
        quiet = ("-c", "log.showSignature=false", "log", "--no-ext-diff", "--no-textconv", "--relative", "--no-renames")
        log = git(project.path, *quiet, "--diff-filter=D", "--name-only", "-z", "--format=", "--", place)
        gone = git(project.path, "ls-files", "-z", "--deleted", "--", place)
    except UsageError:
        return []
    names = {os.fsdecode(name.strip(b"\n")) for name in (log + gone).split(b"\0")}
    return sorted([name for name in names if name.endswith(".json") and not os.path.lexists(f"{project.path}/{name}")])
