"""Sets up git to merge contexts: attributes in the repository, the driver in this clone's settings."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Literal, NamedTuple

from holdfast.contexts.git_attributes import GITATTRIBUTES
from holdfast.contexts.on_disk.git import git_path
from holdfast.contexts.on_disk.project import Project
from holdfast.contexts.on_disk.settings_file import write_keeping_fresh
from holdfast.contexts.schema import FILE_NAME
from holdfast.core.atomic_write import write_file
from holdfast.core.errors import SettingsInvalid, UsageError
from holdfast.core.git_command import git
from holdfast.core.regular_files import NotRegular, read_regular

Action = Literal["written", "renewed", "unchanged", "left alone"]

DRIVER = "holdfast"
_DRIVER_SETTING = f"merge.{DRIVER}.driver"
_ATTRIBUTE = f"{FILE_NAME} merge={DRIVER}"
# Where the command is not installed the lines are merged like any text, so that no side's words are lost.
_COMMAND = (
    "if command -v context >/dev/null 2>&1; then context merge-driver -- %O %A %B %P >/dev/null; "
    "else git merge-file -L ours -L base -L theirs %A %O %B; fi"
)
# Every other value that a release wrote, to the letter. Up to 0.1.0 a path that begins with a dash was an option.
_EARLIER_COMMANDS = frozenset({_COMMAND.replace(" -- ", " ")})

_HOOK_MARK = b"# holdfast: contexts that fit what is committed; `context setup git` renews this file.\n"
_HOOK_START = (
    b"#!/bin/sh\n"
    + _HOOK_MARK
    + b"""once=$(git rev-parse --git-path holdfast-not-found)
if ! command -v context >/dev/null 2>&1; then
    [ -e "$once" ] || echo "context is not on PATH: directory contexts are not judged (reported once)" >&2
    : >"$once"
    exit 0
fi
rm -f "$once"
"""
)
_REPORT = b'said=$(context status --check --since %b) || echo "$said"\n'
# A commit carries contexts that fit what it holds. What a merge or rebase makes is committed before any hook could mend
# it, and a claim whose subject changed is for a person to read, so there the hooks only report.
_HOOKS = {
    "pre-commit": _HOOK_START + b"context regen --staged >/dev/null || context status --check --staged\n",
    "post-merge": _HOOK_START + _REPORT % b"ORIG_HEAD",
    "post-rewrite": _HOOK_START + b'[ "$1" = rebase ] || exit 0\n' + _REPORT % b"ORIG_HEAD",
    "post-commit": _HOOK_START
    + b'case "$GIT_REFLOG_ACTION" in cherry-pick*) ;; *) exit 0 ;; esac\n'
    + _REPORT % b"HEAD~1",
}
_EARLIER_START = b"#!/bin/sh\n" + _HOOK_MARK + b"command -v context >/dev/null 2>&1 || exit 0\n"
# Every other text that a release wrote, to the letter.
_EARLIER_HOOKS = {
    name: _EARLIER_START + _HOOKS[name].removeprefix(_HOOK_START) for name in ("pre-commit", "post-merge")
}


class Step(NamedTuple):
    """One thing that was set up: what it is, what happened to it, and what a person should know.

    `found` is the text that is left alone, in full.
    """

    what: str
    action: Action
    detail: str = ""
    found: str = ""


def set_up_git(project: Project, *, hooks: bool, dry_run: bool) -> list[Step]:
    """Set up everything in order; UsageError where there is no repository.

    SettingsInvalid, and nothing is written, where the driver's setting is one that set-up did not write: the attributes
    would have git run it.
    """
    if project.repository is None:
        raise UsageError("there is no git repository here: run `git init` first")
    for value in _settings(project, _DRIVER_SETTING):
        if value != _COMMAND and value not in _EARLIER_COMMANDS:
            problem = f"{_DRIVER_SETTING} of this clone is not what setup wrote: {value}"
            undo = f"git config --local --unset-all {_DRIVER_SETTING}"
            raise SettingsInvalid(
                f"{problem}; look at it, remove it (`{undo}`) and run this again; nothing was written"
            )
    return list(_steps(project, hooks=hooks, dry_run=dry_run))


def _steps(project: Project, *, hooks: bool, dry_run: bool) -> Iterator[Step]:
    yield _attributes(project, dry_run=dry_run)
    yield _driver(project, dry_run=dry_run)
    if hooks:
        for name in _HOOKS:
            yield _hook(project, name, dry_run=dry_run)


def _attributes(project: Project, *, dry_run: bool) -> Step:
    path = os.path.join(project.root, GITATTRIBUTES)
    try:
        old = read_regular(path)
    except FileNotFoundError:
        old = b""
    except NotRegular:
        return Step(GITATTRIBUTES, "left alone", f"it is no regular file, which git does not read: add `{_ATTRIBUTE}`")
    line = _ATTRIBUTE.encode()
    rules = [row.strip() for row in old.replace(b"\r\n", b"\n").split(b"\n")]
    later = rules[rules.index(line) + 1 :] if line in rules else []
    # The last rule that matches decides, so ours must come after any that could match.
    if line in rules and not any(b"merge" in row.split() or b"merge=" in row for row in later):
        return Step(GITATTRIBUTES, "unchanged")
    end = b"\r\n" if b"\r\n" in old else b"\n"
    new = old + (end if old and not old.endswith(b"\n") else b"") + line + end
    if not dry_run:
        write_keeping_fresh(project, GITATTRIBUTES, new)
    return Step(GITATTRIBUTES, "renewed" if old else "written", f"commit it: it tells git to merge {FILE_NAME} with it")


def _settings(project: Project, name: str) -> list[str]:
    """The values that the clone's own settings have for a name."""
    try:
        given = git(project.root, "config", "--local", "--null", "--get-all", name)
    except UsageError as error:
        if error.note:
            raise
        return []
    return given.decode("utf-8", "replace").split("\0")[:-1]


def _driver(project: Project, *, dry_run: bool) -> Step:
    settings = {f"merge.{DRIVER}.name": "directory contexts, field by field", _DRIVER_SETTING: _COMMAND}
    known = {name: _settings(project, name) for name in settings}
    if known == {name: [value] for name, value in settings.items()}:
        return Step(_DRIVER_SETTING, "unchanged")
    if not dry_run:
        for name, value in settings.items():
            git(project.root, "config", "--local", "--replace-all", name, value)
    action: Action = "renewed" if known[_DRIVER_SETTING] else "written"
    return Step(_DRIVER_SETTING, action, "of this clone: everyone runs this once")


def _hook(project: Project, name: str, *, dry_run: bool) -> Step:
    what = f"hooks/{name}"
    directory = os.path.normpath(git_path(project.root, "hooks"))
    path = os.path.join(directory, name)
    own = project.repository.common_directory if project.repository is not None else ""
    add = f"add `{_HOOKS[name].splitlines()[-1].decode()}` to it"
    if os.path.realpath(directory) != os.path.realpath(os.path.join(own, "hooks")):
        return Step(what, "left alone", f"core.hooksPath names another directory: {add}, in {name} there")
    try:
        old = read_regular(path)
    except FileNotFoundError:
        old = None
    except OSError:
        return Step(what, "left alone", f"it cannot be read: {add}")
    # A text that only resembles one that a release wrote is not ours to replace.
    if old is not None and old not in (_HOOKS[name], _EARLIER_HOOKS.get(name)):
        why = "it was changed since it was written: remove it and run this again, or" if _HOOK_MARK in old else ""
        return Step(what, "left alone", f"{why or 'there is a hook of yours:'} {add}", old.decode("utf-8", "replace"))
    if old == _HOOKS[name] and os.access(path, os.X_OK):
        return Step(what, "unchanged")
    if not dry_run:
        os.makedirs(directory, exist_ok=True)
        write_file(path, _HOOKS[name])
        os.chmod(path, 0o755)  # noqa: S103  # git runs only what may be executed
    return Step(what, "written" if old is None else "renewed", "of this clone: commits renew contexts, merges tell")
