"""What is shipped for pre-commit and CI runs commands that exist."""

from __future__ import annotations

import shlex
from pathlib import Path

import yaml

from holdfast.cli import COMMANDS
from holdfast.command.command_line import parse

ROOT = Path(__file__).parent.parent.parent


def test_each_pre_commit_hook_is_a_command_line_that_parses() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    requests = {hook["id"]: parse(shlex.split(hook["entry"])[1:], COMMANDS) for hook in hooks}
    assert {
        name: (request.command and request.command.name, request.arguments) for name, request in requests.items()
    } == {
        "context-status": ("status", {"check": True, "staged": True, "since": "HEAD"}),
        "context-rehash": ("regen", {"hash_only": True, "staged": True}),
        "context-spec-check": ("spec check", {"level": "error"}),
        "context-sync": ("sync", {"check": True}),
    }


def test_the_action_runs_context_status_with_its_inputs() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    script = action["runs"]["steps"][-2]["run"]
    words = shlex.split(script.partition("arguments=(")[2].partition(")")[0])
    request = parse(words, COMMANDS)
    assert request.command is not None
    assert (request.command.name, request.arguments["check"], request.arguments["path"]) == ("status", True, "$PROJECT")
    assert set(action["inputs"]) == {"path", "since", "lock", "python-version"}
    *_, locked = action["runs"]["steps"][-1]["run"].splitlines()
    request = parse(shlex.split(locked)[1:], COMMANDS)
    assert request.command is not None
    assert (request.command.name, request.arguments) == ("sync", {"check": True, "lock_only": True})
