"""What setting up answers: the clients, file by file, and the workflow of a code host."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from holdfast.clients.client_table import CLIENTS, NAMES, at, client_roots
from holdfast.clients.config_edit import is_trusted
from holdfast.clients.on_disk.config_file import KeptTexts, read_config, replace_config
from holdfast.clients.on_disk.found_clients import files_of, found_clients
from holdfast.clients.on_disk.planned_edit import Setting, plan_entry, plan_removal, prove_entry, served_elsewhere
from holdfast.clients.on_disk.workflow_file import set_up_workflow
from holdfast.clients.server_entry import NAME
from holdfast.core.confined_paths import printable
from holdfast.core.errors import ContextError, IoError, SettingsInvalid, UnknownName, UsageError
from holdfast.operation import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.clients.arguments import ClientsArguments, WorkflowArguments
    from holdfast.clients.client_table import Client, Place
    from holdfast.clients.on_disk.config_file import KeptTexts
    from holdfast.clients.on_disk.planned_edit import PlannedEdit, Setting
    from holdfast.clients.shapes import Action, ClientRow, ClientsAnswer, WorkflowAnswer
    from holdfast.workspace import Workspace

_OTHER_TARGETS = ("git", "ci")


class _Step:
    """One file of one client: what is planned for it, or why nothing can be, and the row that tells of it."""

    def __init__(self, client: Client, row: ClientRow) -> None:
        self.client, self.row = client, row
        self.place: Place | None = None
        self.planned: PlannedEdit | None = None
        self.exit_code = 0
        self.is_agreed = False  # a person saw it and said yes

    def refuse(self, error: ContextError) -> None:
        """Tell why it cannot be."""
        self.row["action"], self.row["detail"] = "refused", error.reason
        self.exit_code = error.exit_code
        self.planned = None

    @property
    def changes(self) -> bool:
        """Whether anything would be written."""
        return self.planned is not None and self.planned.changes

    @property
    def is_foreign(self) -> bool:
        """Whether an entry of our name is in the way that set-up did not write."""
        return self.planned is not None and self.planned.is_foreign


def setup(workspace: Workspace, arguments: ClientsArguments) -> Outcome[ClientsAnswer]:
    """Nothing is written unless clients were named or --all was said, and then not before it was shown and proven."""
    names = _names(arguments)
    setting = _setting(workspace, arguments)
    roots = client_roots(setting.environment, is_mac=sys.platform == "darwin")
    found = found_clients(roots, setting.environment)
    undo, dry_run = arguments.get("undo", False), arguments.get("dry_run", False)
    is_all = arguments.get("all", False)
    if is_all:
        names = [name for name in NAMES if name in found or undo]
        if not names:
            raise UsageError(f"no client was found on this machine: name one of {', '.join(NAMES)}")
    is_listing = not names
    chosen = [client for client in CLIENTS if client.name in (names or found)]
    steps = _planned(chosen, setting, roots, found, undo=undo, is_chosen=not is_listing and not is_all)
    notes = []
    exit_code = 0
    if is_listing:
        notes.append(_listing_note(found, undo=undo))
        for step in steps:
            _only_listed(step, setting, roots, undo=undo)
    else:
        _decide_about_others(workspace, arguments, steps)
        if not dry_run and _may_write(workspace, arguments, steps):
            _write(steps, setting, undo=undo)
        elif not dry_run:
            exit_code = UsageError.exit_code
            notes.append("nothing was written: look at what would be and add --yes")
        refused = [step for step in steps if step.exit_code]
        notes += [f"{step.client.title}: {step.row.get('detail', '')}" for step in refused]
        exit_code = max([exit_code, *(step.exit_code for step in refused)])
    rows = [step.row for step in steps]
    value: ClientsAnswer = {"scope": setting.scope, "project": printable(setting.project), "clients": rows}
    return Outcome(value, exit_code, note="\n".join(notes))


def _names(arguments: ClientsArguments) -> list[str]:
    names = arguments.get("clients", [])
    for name in names:
        if name in _OTHER_TARGETS:
            raise UsageError(f"'{name}' comes first and alone: context setup {name} [OPTIONS]")
        if name not in NAMES:
            raise UnknownName("client", name, list(NAMES))
    if arguments.get("user", False) and arguments.get("project", False):
        raise UsageError("give one of --user and --project")
    if names and arguments.get("all", False):
        raise UsageError("name clients, or say --all")
    if arguments.get("yes", False) and not names and not arguments.get("all", False):
        raise UsageError(
            "--yes needs the names of clients, or --all: a client that is found is not one that was chosen"
        )
    return names


def _project(workspace: Workspace, arguments: ClientsArguments | WorkflowArguments) -> str:
    path = arguments.get("path", "")
    if "\0" in path:
        raise UsageError("path must be a path: it cannot hold a NUL character")
    return os.path.abspath(workspace.directory(path) if path else workspace.project)


def _setting(workspace: Workspace, arguments: ClientsArguments) -> Setting:
    project = _project(workspace, arguments)
    if not os.path.isdir(project):
        raise UsageError(f"there is no directory '{printable(project)}'")
    scope = "project" if arguments.get("project", False) else "user"
    home = workspace.environment.get("HOME", "")
    if scope == "user" and not os.path.isdir(home):
        said = f"the home directory '{printable(home)}' does not exist" if home else "$HOME is not set"
        raise IoError(f"{said}: set HOME to yours, or use --project, which writes into the project alone")
    return Setting("project" if scope == "project" else "user", project, workspace.environment)


def _kept(setting: Setting) -> KeptTexts:
    home = setting.environment.get("HOME", "")
    state = setting.environment.get("XDG_STATE_HOME") or (os.path.isdir(home) and os.path.join(home, ".local", "state"))
    return KeptTexts(os.path.join(state, "holdfast", "setup") if state else "")


def _planned(
    chosen: Sequence[Client],
    setting: Setting,
    roots: Mapping[str, str],
    found: Mapping[str, str],
    *,
    undo: bool,
    is_chosen: bool,
) -> list[_Step]:
    """A step for each file; of clients that were not chosen by name only those with something to tell."""
    steps: list[_Step] = []
    kept = _kept(setting)
    for client in chosen:
        row: ClientRow = {"client": client.name, "title": client.title, "action": "unchanged"}
        if client.name in found:
            row["found"] = printable(found[client.name])
        files = files_of(client, setting.scope, roots, setting.project)
        if not files and is_chosen:
            steps.append(_Step(client, row))
            steps[-1].refuse(SettingsInvalid(f"{client.title} reads no file of a project: use --user"))
        for place, path in files:
            step = _Step(client, {**row, "file": printable(path)})
            step.place = place
            try:
                if undo:
                    planned = plan_removal(client, place, path, setting, kept)
                    if planned.found is None and not is_chosen:
                        continue
                else:
                    planned = plan_entry(client, place, path, setting)
            except ContextError as error:
                step.refuse(error)
            else:
                step.planned = planned
                _describe(step.row, client, place, planned, setting, undo=undo)
            steps.append(step)
    return steps


def _describe(
    row: ClientRow, client: Client, place: Place, planned: PlannedEdit, setting: Setting, *, undo: bool
) -> None:
    details = []
    if planned.changes:
        is_new = planned.found is None
        action: Action = "would be removed" if undo else "would be written" if is_new else "would be renewed"
        row["action"], row["diff"] = action, planned.diff()
    elif undo:
        details.append("there is no entry of ours")
    if planned.is_foreign:
        row["entry"] = planned.entry
    if planned.file.is_link:
        details.append(f"the file is a link: {printable(planned.file.real)} is what is written")
    if not undo and place.project_from == "named":
        details.append(f"it serves {printable(setting.project)}: run this in another project to move it")
    if details:
        row["detail"] = "; ".join(details)
    if not undo:
        row["next"] = client.after


def _only_listed(step: _Step, setting: Setting, roots: Mapping[str, str], *, undo: bool) -> None:
    """A row that tells how things are, not what would be done about it."""
    planned, place, row = step.planned, step.place, step.row
    if planned is None or place is None:
        return
    for name in ("detail", "diff", "next"):
        row.pop(name, None)  # type: ignore[misc]  # each may be left out
    if planned.is_foreign:
        row["detail"] = _other_entry(row, undo=undo)
        row["action"] = "not ours"
        return
    elsewhere = served_elsewhere(step.client, place, planned, setting) if planned.had and not undo else ""
    is_old = planned.changes and not undo and not elsewhere
    row["action"] = "not set up" if not planned.had else "out of date" if is_old else "set up"
    if elsewhere:
        row["detail"] = f"it serves {printable(elsewhere)}: `context setup {step.client.name}` moves it here"
    trust = step.client.trust
    if planned.had and setting.scope == "project" and trust:
        kept = read_config(at(trust.path, roots)).text
        if not is_trusted(trust, kept or "", setting.project):
            row["next"] = step.client.after


def _listing_note(found: Mapping[str, str], *, undo: bool) -> str:
    if undo:
        return "nothing was written: name the clients to take the entry out of, or say --all"
    if not found:
        return f"no client was found on this machine; any can be named: {', '.join(NAMES)}"
    return f"nothing was written: name those to set up, as in `context setup {next(iter(found))}`"


def _other_entry(row: ClientRow, *, undo: bool) -> str:
    """What is said of an entry that set-up did not write: all of it, and what to do."""
    end = "to take it out" if undo else "to put ours in its place"
    found = f"{row.get('file', '')} has an entry '{NAME}' that setup did not write: {row.get('entry', '')}"
    return f"{found}; look at it, then add --replace {end} (a copy is kept), or rename it"


def _decide_about_others(workspace: Workspace, arguments: ClientsArguments, steps: Sequence[_Step]) -> None:
    """Each entry that set-up did not write is left as it is, unless --replace was said or the person agrees now."""
    undo = arguments.get("undo", False)
    asks = workspace.confirm is not None and not arguments.get("yes", False) and not arguments.get("dry_run", False)
    for step in steps:
        if not step.is_foreign or arguments.get("replace", False):
            continue
        row = step.row
        shown = f"{row.get('diff', '')}\n{row.get('entry', '')}"
        verb = "Remove" if undo else "Replace"
        question = f"{row.get('file', '')} has an entry '{NAME}' that setup did not write. {verb} it?"
        if asks and workspace.confirm is not None and workspace.confirm(shown, question):
            step.is_agreed = True
        else:
            step.refuse(SettingsInvalid(_other_entry(row, undo=undo)))


def _may_write(workspace: Workspace, arguments: ClientsArguments, steps: Sequence[_Step]) -> bool:
    """Whether to go on: nothing changes, it was said before, or the person says so now that they see it."""
    changed = [step for step in steps if step.changes and not step.is_agreed]
    if not changed or arguments.get("yes", False):
        return True
    if workspace.confirm is None:
        return False
    shown = "\n".join(step.row["diff"] for step in changed)
    return workspace.confirm(shown, f"Write {'this' if len(changed) == 1 else f'these {len(changed)} files'}?")


def _write(steps: Sequence[_Step], setting: Setting, *, undo: bool) -> None:
    """Prove and write each; one that cannot be holds up no other."""
    kept = _kept(setting)
    for step in steps:
        planned, place, row = step.planned, step.place, step.row
        if planned is None or place is None:
            continue
        try:
            if not undo:
                words, proven = prove_entry(step.client, place, setting)
                row["command"] = [printable(word) for word in words]
                if proven.failure:
                    raise IoError(f"{proven.failure}; nothing was written")
                row["tools"] = len(proven.tools)
            if planned.changes:
                if backup := kept.keep(planned.file):
                    row["backup"] = printable(backup)
                replace_config(planned.file, planned.text)
                row["action"] = "removed" if undo else "written" if planned.found is None else "renewed"
        except ContextError as error:
            step.refuse(error)


def setup_ci(workspace: Workspace, arguments: WorkflowArguments) -> Outcome[WorkflowAnswer]:
    """Write, renew or remove the workflow; one that a person changed is left alone."""
    root = _project(workspace, arguments)
    dry_run = arguments.get("dry_run", False)
    done = set_up_workflow(root, arguments.get("origin", ""), undo=arguments.get("undo", False), dry_run=dry_run)
    value: WorkflowAnswer = {
        "root": printable(root),
        "file": done.file,
        "action": done.action,
        "dry_run": dry_run,
        "checks": list(done.checks),
    }
    if done.detail:
        value["detail"] = done.detail
    if done.found:
        value["found"] = done.found
    return Outcome(value)
