"""The answers of client set-up. Loaded by type checkers alone."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

Action = Literal[
    "written", "renewed", "removed", "unchanged", "refused", "would be written", "would be renewed", "would be removed",
    "not set up", "set up", "out of date", "not ours",
]  # fmt: skip


class ClientRow(TypedDict):
    client: str
    title: str
    found: NotRequired[str]
    file: NotRequired[str]
    action: Action
    detail: NotRequired[str]
    entry: NotRequired[str]
    diff: NotRequired[str]
    backup: NotRequired[str]
    command: NotRequired[list[str]]
    tools: NotRequired[int]
    next: NotRequired[str]


class ClientsAnswer(TypedDict):
    scope: Literal["user", "project"]
    project: str
    clients: list[ClientRow]


class WorkflowAnswer(TypedDict):
    root: str
    file: str
    action: Literal["written", "renewed", "unchanged", "removed", "left alone"]
    dry_run: bool
    checks: list[str]
    detail: NotRequired[str]
    found: NotRequired[str]
