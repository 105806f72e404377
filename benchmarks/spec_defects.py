"""Defects planted in a spec that is in order, one at a time, each with the rule of `spec check` that has to report it.

python -m benchmarks.specs --defects
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from holdfast.specs.check_answers import spec_check
from holdfast.workspace import Workspace


class Defect(NamedTuple):
    """What is changed in which file, by replacing text; None as the old text is the end, as the new text the file."""

    about: str
    file: str
    old: str | None
    new: str | None
    rule: str


PLACE = ".spec-context/specs/invites/"
R, D, T = f"{PLACE}requirements.md", f"{PLACE}design.md", f"{PLACE}tasks.md"
SPEC = {
    R: """# Requirements: invites

## Why

Owners of a board paste addresses into a chat today. They will invite people themselves.

## Requirements

### 1. Send an invitation

As an owner, I want to invite a person by mail, so that both work on one board.

1. WHEN an owner enters an address THEN the system SHALL send one mail within 30 seconds.
2. IF the person is a member THEN the system SHALL answer 409 and send nothing.

### 2. Accept an invitation

As an invited person, I want to accept by a link, so that I need no account first.

1. WHEN a link younger than 7 days is opened THEN the system SHALL show the board.
2. IF a link was used before THEN the system SHALL answer 410.

## Not included

Invitations by phone. See [the guide](../../../docs/guide.md).
""",
    D: """# Design: invites

## In short

A table of tokens; requirement 2.2 shaped it most.

## What exists and is reused

- `src/mail.py`: sends mails

## How it works

`src/invites.py` has `send()` (1.1, 1.2) and `accept()` (2.1, 2.2).

## How it is tested

1.1 and 1.2 in tests/test_send.py, 2.1 and 2.2 in tests/test_accept.py
""",
    T: """# Tasks: invites

- [x] 1. Send invitations
  - One mail, none to members
  - File: src/invites.py
  - _Requirements: 1.1, 1.2_
  - _Leverage: src/mail.py_
- [ ] 2. Accept invitations
  - File: src/invites.py
  - _Requirements: 2.1, 2.2_
  - _Leverage: src/mail.py_
""",
    "docs/guide.md": "# Guide\n",
    "src/mail.py": "#\n",
    "src/invites.py": "#\n",
    "tests/test_send.py": "# spec:invites#1.1 spec:invites#1.2 spec:invites#2.1 spec:invites#2.2\n",
}
_LAST = "  - _Requirements: 2.1, 2.2_\n"
_CRITERIA_OF_2 = SPEC[R][SPEC[R].index("1. WHEN a link") : SPEC[R].index("\n## Not included")]
SPEC_DEFECTS = (
    Defect("a criterion that no task names", T, "2.1, 2.2", "2.1", "criterion-unnamed"),
    Defect("a task without a requirement", T, None, "- [ ] 3. Paint it blue\n", "task-without-requirement"),
    Defect("a task names a requirement that is not", T, "2.1, 2.2", "2.1, 2.2, 7.4", "ref-unknown"),
    Defect("two tasks with one number", T, "- [ ] 2.", "- [ ] 1.", "task-duplicate-id"),
    Defect("two requirements with one number", R, "### 2. Accept", "### 1. Accept", "requirement-duplicate"),
    Defect("a criterion of another requirement", R, "2. IF the person", "2.1 IF the person", "criterion-misplaced"),
    Defect("a sub-task without its task", T, None, f"- [ ] 9.1 Orphan\n{_LAST}", "task-orphan"),
    Defect("a broken link", R, "guide.md", "giude.md", "link-broken"),
    Defect("no SHALL", R, "the system SHALL show the board", "the board is shown", "ears-no-shall"),
    Defect("nothing that SHALL do it", R, "2. IF a link was used before THEN the system", "2.", "ears-no-subject"),
    Defect("three SHALLs", R, "and send nothing", "AND SHALL log AND SHALL wait", "ears-many-shalls"),
    Defect("a vague word", R, "within 30 seconds", "quickly", "vague-word"),
    Defect("a vague phrase", R, "within 30 seconds", "as soon as practical", "vague-word"),
    Defect("the design reuses a file that is not", D, "`src/mail.py`", "`src/mailer.py`", "reused-file-missing"),
    Defect(
        "a task reuses a file that is not",
        T,
        f"{_LAST}  - _Leverage: src/mail",
        f"{_LAST}  - _Leverage: src/post",
        "reused-file-missing",
    ),
    Defect(
        "the design leaves a criterion's requirement out",
        D,
        SPEC[D][SPEC[D].index("A table") :],
        "A table. `send()` meets 1.1 and 1.2.\n",
        "requirement-undesigned",
    ),
    Defect("the design names a requirement that is not", D, "requirement 2.2", "requirement 4.2", "design-ref-unknown"),
    Defect("a criterion without a test", "tests/test_send.py", " spec:invites#2.2", "", "criterion-untested"),
    Defect(
        "a task is done, its sub-task is not",
        T,
        "- [ ] 2. Accept",
        "  - [ ] 1.1 Write it\n- [ ] 2. Accept",
        "parent-done-child-open",
    ),
    Defect("a task without a number", T, None, "- [ ] Deploy it\n", "task-unnumbered"),
    Defect("a box that is none", T, None, "- [] 3. Deploy it\n", "task-malformed"),
    Defect(
        "a line of the template",
        R,
        "As an owner, I want to invite a person by mail, so that both work on one board.",
        "As a (role), I want (ability), so that (benefit).",
        "placeholder-left",
    ),
    Defect("something to be decided", D, "A table of tokens; requirement 2.2 shaped it most.", "TBD", "tbd-left"),
    Defect("a fence that is never closed", D, None, "\n```\nx\n", "fence-unclosed"),
    Defect(
        "a done task's file is not there",
        T,
        "File: src/invites.py\n  - _Requirements: 1.1",
        "File: src/invitse.py\n  - _Requirements: 1.1",
        "done-file-missing",
    ),
    Defect("no design, and tasks", D, "", None, "document-missing"),
    Defect(
        "requirements of headings alone", R, SPEC[R], "# Requirements: invites\n\n## Requirements\n", "document-empty"
    ),
    Defect("a requirement without criteria", R, _CRITERIA_OF_2, "", "requirement-empty"),
    Defect("two tasks in progress", T, None, "- [-] 3. A\n- [-] 4. B\n", "tasks-in-progress"),
    Defect("a dependency that is not", T, None, "  - Depends on: 9\n", "dependency-unknown"),
)

LIVING = "openspec/specs/boards/spec.md"
PROPOSAL, DELTA = "openspec/changes/invite/proposal.md", "openspec/changes/invite/specs/boards/spec.md"
_SCENARIO = "\n\n#### Scenario: {}\n- **WHEN** it is asked\n- **THEN** it is done\n"
_ADDED = "## ADDED Requirements\n\n### Requirement: Invite\n\nThe system SHALL send a mail." + _SCENARIO.format("Mail")
CHANGE = {
    "openspec/config.yaml": "schema: spec-driven\n",
    LIVING: "# boards Specification\n\n## Purpose\nBoards that people share with each other, and who may change what "
    "on them.\n\n## Requirements\n\n### Requirement: Open a board\n\nThe system SHALL show a board."
    + _SCENARIO.format("Member")
    + _SCENARIO.format("Stranger").removeprefix("\n"),
    PROPOSAL: "# Invite\n\n## Why\n\nOwners paste addresses into a chat, which takes them minutes for each person they "
    "ask.\n\n## What Changes\n\n- Invitations by mail\n",
    "openspec/changes/invite/tasks.md": "## 1. Work\n\n- [ ] 1.1 Send a mail\n",
    DELTA: _ADDED,
}
CHANGE_DEFECTS = (
    Defect("no scenario", DELTA, _SCENARIO.format("Mail"), "\n", "delta-no-scenario"),
    Defect("no SHALL", DELTA, "SHALL send", "sends", "delta-no-shall"),
    Defect(
        "MODIFIED drops a scenario",
        DELTA,
        _ADDED,
        _ADDED.replace("ADDED", "MODIFIED")
        .replace("Invite", "Open a board")
        .replace("Scenario: Mail", "Scenario: Member"),
        "delta-conflict",
    ),
    Defect("MODIFIED of what is not there", DELTA, "ADDED", "MODIFIED", "delta-conflict"),
    Defect("ADDED of what is there", DELTA, "Requirement: Invite", "Requirement: Open a board", "delta-conflict"),
    Defect("no delta", DELTA, "", None, "delta-missing"),
    Defect("a requirement outside of sections", DELTA, "## ADDED Requirements\n\n", "", "delta-misplaced"),
    Defect("one requirement twice", DELTA, None, _ADDED.partition("\n")[2], "delta-conflict"),
    Defect("another template's proposal, no delta", DELTA, "", None, "delta-missing"),
)


def rules_found(files: Mapping[str, str | None]) -> set[str]:
    """The rules that a project of these files breaks."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            if text is not None:
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
        value = spec_check(Workspace(folder), {}).value
    return {finding["rule"] for finding in value["data"]["findings"]}  # type: ignore[index]  # no SARIF was asked for


def planted(files: Mapping[str, str], defect: Defect) -> dict[str, str | None]:
    """The files with one defect."""
    text = files[defect.file]
    assert defect.old is None or defect.old in text, defect.about
    new = (
        None
        if defect.new is None
        else text + defect.new
        if defect.old is None
        else text.replace(defect.old, defect.new, 1)
    )
    return {**files, defect.file: new}


def main() -> int:
    """Report each defect that is not found; 0 where enough are."""
    enough = True
    for name, files, defects, least in (("own", SPEC, SPEC_DEFECTS, 26), ("OpenSpec", CHANGE, CHANGE_DEFECTS, 8)):
        clean = rules_found(files)
        if clean:
            print(f"{name}: a spec in order breaks {', '.join(sorted(clean))}")
        found = 0
        for defect in defects:
            rules = rules_found(planted(files, defect))
            found += defect.rule in rules
            if defect.rule not in rules:
                print(f"{name}: not found: {defect.about} ({defect.rule}); but {', '.join(sorted(rules)) or 'nothing'}")
        print(f"{name}: {found} of {len(defects)} planted defects found (at least {least})")
        enough = enough and found >= least and not clean
    return 0 if enough else 1
