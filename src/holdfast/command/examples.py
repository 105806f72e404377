"""Examples of every command, as they are typed in a project; a test runs each of them. Loaded with help alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.command.command_line import Command


class Example(NamedTuple):
    """A command line, and the exit code it has in the project that the test prepares."""

    words: str
    exit_code: int = 0


def _lines(*lines: str) -> tuple[Example, ...]:
    return tuple([Example(line) for line in lines])


CITATION = "guide.md#L9-L12@4e145f24a67f"

# A placeholder for the reader's own registry; the test replaces it by the one it starts.
REGISTRY = "registry.example.com"

# The name of a command -> its examples, the plainest first.
EXAMPLES: Mapping[str, tuple[Example, ...]] = {
    "search": _lines(
        'context search "how do I roll back a deploy"',
        'context search "roll back" --cache docs --budget 800 --explain',
        'context search "roll back" --under guide/ --format outline',
        'context search "roll back" --receipt answer.json --html answer.html',
    ),
    "read": _lines(f'context read "{CITATION}" --after 1', "context read --id guide.md --line 5 --budget 500"),
    "list": _lines("context list", "context list --cache-root .context/caches --format pretty"),
    "resolve": _lines('context resolve "roll back" --cache docs --budget 4000'),
    "inspect": _lines("context inspect docs"),
    "build": _lines("context build other-docs docs", "context build --index docs"),
    "verify": (
        Example("context verify docs"),
        Example("context verify --citations answer.md"),
        Example("context verify --citations invented.md", 9),
    ),
    "replay": _lines(
        "context replay receipt.json",
        "context replay receipt.json --html why.html",
        "context replay --receipts .context/receipts --html audit.html",
        "context replay --receipts .context/receipts --client claude --since 2026-11-01",
    ),
    "diff": _lines("context diff --since HEAD --queries queries.txt --check", "context diff .context/older docs"),
    "add": _lines(
        'context add handbook handbook --about "How we work"',
        "context add api docs --include 'api/*.md' --exclude drafts/",
    ),
    "sync": _lines("context sync", "context sync --check", "context sync --outdated"),
    "push": _lines(f"context push docs oci://{REGISTRY}/team/docs:1.4"),
    "pull": _lines(f"context pull handbook oci://{REGISTRY}/team/handbook:stable"),
    "bundle": _lines("context bundle carry.tar"),
    "unbundle": _lines("context unbundle docs.tar --check", "context unbundle docs.tar"),
    "sign": _lines("context sign --new-key other.key", "context sign docs --key team.key"),
    "status": (
        Example("context status"),
        Example("context status --check --state stale --state missing", 8),
        Example("context status --watch"),
    ),
    "check": _lines("context check src"),
    "show": _lines("context show src", "context show src --filter exports --filter dependents"),
    "symbol": _lines("context symbol Session.close", "context symbol 'parse the lock file' --budget 2000"),
    "impact": _lines("context impact", "context impact --file src/deploy.py", "context impact HEAD --budget 2000"),
    "map": _lines("context map --budget 1000", "context map src --focus src/deploy.py"),
    "init": _lines("context init --dry-run", "context init --no-agents"),
    "regen": _lines("context regen", "context regen src --lean", "context regen src --hash-only"),
    "validate": _lines("context validate --strict"),
    "config": _lines("context config", "context config min_tokens 200"),
    "doctor": (Example("context doctor", 8),),
    "setup": _lines(
        "context setup",
        "context setup codex claude-code --dry-run",
        "context setup cursor vscode --project --dry-run",
    ),
    "setup git": _lines("context setup git --dry-run"),
    "setup ci": _lines("context setup ci --dry-run"),
    "merge-driver": _lines("context merge-driver base.yaml ours.yaml theirs.yaml src/.context.yaml"),
    "spec status": _lines("context spec status login"),
    "spec list": _lines("context spec list"),
    "guide workflow": _lines("context guide workflow"),
    "guide implementer": _lines("context guide implementer --mode full"),
    "guide reviewer": _lines("context guide reviewer"),
    "spec next": _lines("context spec next login"),
    "spec check": _lines(
        "context spec check login",
        "context spec check --level error --format sarif",
        "context spec check login --trace",
    ),
    "spec approve": (
        Example("context spec approve login design --by ada"),
        Example("context spec approve login --check", 8),
        Example("context spec approve login requirements --revoke --by ada"),
    ),
    "spec delta": _lines('context spec delta login accounts "Log in"'),
    "spec merge": (
        Example("context spec merge login --check", 8),
        Example("context spec merge login"),
        Example("context spec merge finished --archive"),
    ),
    "spec init": _lines("context spec init password-reset", "context spec init --steering"),
    "savings": _lines("context savings", "context savings --telemetry telemetry.log --limit 5000"),
    "serve": _lines("context serve", "context serve --only caches --receipts .context/receipts"),
    "explore": _lines("context explore", "context explore --html project.html"),
    "call": _lines("""context call context.search '{"query":"roll back","budget":500}'"""),
    "completions": _lines("context completions bash"),
    "help": _lines("context help", "context help receipt", "context help --budget"),
}

# What a needed argument is in an example that is made from the declaration alone, by its name.
_VALUES = {"cache": "docs", "query": '"roll back"', "scope": "src", "specName": "demo", "budget": "2000"}


def examples_of(command: Command) -> tuple[Example, ...]:
    """The examples of a command: those of EXAMPLES, or else the command with the arguments it needs."""
    if written := EXAMPLES.get(command.name):
        return written
    needed = [parameter for parameter in command.parameters if parameter.required]
    words = [
        _VALUES.get(each.name, each.value_name)
        if each.positional
        else f"{each.option} {_VALUES.get(each.name, each.value_name)}"
        for each in needed
    ]
    return _lines(" ".join(["context", command.name, *words]))
