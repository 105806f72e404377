"""The workflow that checks a project on GitHub: which checks apply, and the file written, renewed or removed."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from shlex import quote, split
from typing import Literal, NamedTuple

from holdfast.core.atomic_write import write_file
from holdfast.core.errors import UsageError
from holdfast.core.own_folder import check_stays
from holdfast.core.regular_files import NotRegular, read_regular
from holdfast.version import DISTRIBUTION, __version__

FILE = ".github/workflows/holdfast.yml"
MARK = "# Written by `context setup ci`, which renews it; remove this line to keep it as it is.\n"
# A tag can be moved to other code, a commit cannot.
_CHECKOUT = "actions/checkout@34e114876b0b11c390a56381ad16ebd13914f8d5 # v4.3.1"
_SETUP_PYTHON = "actions/setup-python@a26af69be951a213d495a4c3e4e4022e16d87065 # v5.6.0"
_HEAD = f"""name: holdfast
on:
  push:
  pull_request:
permissions:
  contents: read
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: {_CHECKOUT}
      - uses: {_SETUP_PYTHON}
        with:
          python-version: "3.13"
"""
# Every head that a release wrote, to the letter. Up to 0.1.0 the actions were named by their tags.
_EARLIER_HEADS = (_HEAD.replace(_CHECKOUT, "actions/checkout@v4").replace(_SETUP_PYTHON, "actions/setup-python@v5"),)
_INSTALL = "python -m pip install "
_STEP = "      - run: "
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
    """What happened to the file, and the checks it runs; `found` is a text that is left alone, in full."""

    file: str
    action: Literal["written", "renewed", "unchanged", "removed", "left alone"]
    checks: Sequence[str]
    detail: str = ""
    found: str = ""


def set_up_workflow(root: str, origin: str, *, undo: bool, dry_run: bool) -> WorkflowStep:
    """Put the workflow in its place, or take it out; one that set-up did not write, to the letter, is left alone."""
    path = os.path.join(root, FILE)
    checks = [check for marks, check in _CHECKS if any(os.path.lexists(os.path.join(root, each)) for each in marks)]
    check_stays(root, path)
    try:
        old = read_regular(path).decode("utf-8", "replace")
    except FileNotFoundError:
        old = None
    except NotRegular:
        return WorkflowStep(FILE, "left alone", checks, "it is no regular file")
    if old is not None and not is_written(old, [check for _, check in _CHECKS]):
        changed = "it was changed since it was written: remove it and run this again, or "
        detail = f"{changed if old.startswith(MARK) else 'it is yours; '}add: {'; '.join(checks)}"
        return WorkflowStep(FILE, "left alone", checks, detail if checks else "", old)
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
    new = workflow(origin or f"{DISTRIBUTION}[analysis]=={__version__}", checks)
    if new == old:
        return WorkflowStep(FILE, "unchanged", checks)
    detail = "commit it" if origin else "see that your index has this project under its name (--from), and commit it"
    if not dry_run:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write_file(path, new.encode())
    return WorkflowStep(FILE, "written" if old is None else "renewed", checks, detail)


def workflow(requirement: str, checks: Sequence[str], head: str = _HEAD) -> str:
    """The file for these commands, with what pip installs."""
    # A string of JSON is one of YAML, whatever a requirement holds.
    steps = [json.dumps(_INSTALL + quote(requirement), ensure_ascii=False), *checks]
    return MARK + head + "".join(f"{_STEP}{step}\n" for step in steps)


def is_written(text: str, checks: Sequence[str]) -> bool:
    """Whether set-up wrote a text: with any requirement and any of these checks, and nothing else in it."""
    steps = [line.removeprefix(_STEP) for line in text.split("\n") if line.startswith(_STEP)]
    try:
        words = split(json.loads(steps[0]).removeprefix(_INSTALL))
    except (ValueError, IndexError, AttributeError, RecursionError):
        return False
    kept = [check for check in checks if check in steps[1:]]
    return len(words) == 1 and any(text == workflow(words[0], kept, head) for head in (_HEAD, *_EARLIER_HEADS))
