"""Every failure says what to do: whatever was typed, standard error or the answer holds a command that can be run."""

from __future__ import annotations

import json
import os
import re
import shlex
from typing import TYPE_CHECKING

import pytest

from holdfast.cli import COMMANDS
from holdfast.command.command_line import parse
from holdfast.command.old_spellings import REMOVED
from holdfast.core import errors
from holdfast.core.errors import FAILURES
from support.doors import run_context
from support.projects import git

if TYPE_CHECKING:
    from pathlib import Path

# What people type -> the failure that it meets.
MISTAKES: dict[str, type[errors.ContextError]] = {
    "build docs": errors.UsageError,
    "diff --since HEAD": errors.UsageError,
    "diff docs --cache x": errors.UnknownName,
    "spec-status": errors.UsageError,
    "context.search x": errors.UsageError,
    "search": errors.InvalidQuery,
    "search roll back": errors.UsageError,
    "spec": errors.UsageError,
    "guide": errors.UsageError,
    "show": errors.UsageError,
    "resolve x": errors.InvalidBudget,
    "add handbook nope": errors.UsageError,
    "add": errors.UsageError,
    "sign docs": errors.UsageError,
    "config min_tokens x": errors.UsageError,
    "regen nope": errors.UsageError,
    "map nope": errors.UsageError,
    "serve --http x": errors.UsageError,
    "serve --workers 2": errors.UsageError,
    "stats": errors.UsageError,
    "explore --port x": errors.UsageError,
    "replay": errors.UsageError,
    "help gat3": errors.UsageError,
    "setup nope": errors.UnknownName,
    "serch x": errors.UnknownName,
    "call search": errors.UnknownName,
    "completions powershell": errors.UnknownName,
    "replay docs/guide.md": errors.InvalidReceipt,
    "read guide.md": errors.InvalidCitation,
    "read": errors.InvalidCitation,
    "search x --known guide.md": errors.InvalidKnown,
    "sync far": errors.HostNotAgreed,
    "spec next": errors.SpecFailure,
    "spec next nope": errors.SpecFailure,
    "spec approve": errors.SpecFailure,
    "spec delta": errors.SpecFailure,
    "spec check nope": errors.SpecFailure,
    "spec check --trace": errors.SpecFailure,
    "resolve --query -x --cache docs --budget 9": errors.InvalidQuery,
    "check ../..": errors.ScopeOutside,
    "search x --budget ten": errors.InvalidBudget,
    "search x --limit -1": errors.InvalidLimit,
    "search roll --budget 1": errors.BudgetTooSmall,
    "search x --cache nope": errors.CacheMissing,
    "inspect nope": errors.CacheMissing,
    "sync nope": errors.CacheMissing,
    "pull nope": errors.CacheMissing,
    "push nope oci://127.0.0.1:1/a:b": errors.CacheMissing,
    "show nope": errors.ContextMissing,
    "check nope": errors.ContextMissing,
    "search roll --cache broken": errors.CacheInvalid,
    "build made bad": errors.BuildFailed,
    "add more later": errors.NothingToBuild,
    "sign docs --check": errors.SignatureRefused,
    "show corrupt": errors.ContextCorrupt,
    "show later": errors.UnsupportedVersion,
    "sync --path ../settings": errors.SettingsInvalid,
    "replay nope.json": errors.IoError,
    "verify --citations nope": errors.IoError,
    "search x --html nope/page.html": errors.IoError,
    "add more docs --path ../linked": errors.UnsafePath,
    "pull far --path ../yes": errors.RegistryFailed,
    "search roll --frozen --path ../stale": errors.CacheStale,
    "read guide.md#L1-L3@0123456789ab": errors.CitationStale,
}
# What cannot be met by what is typed alone; its words are checked where it is provoked.
ELSEWHERE: dict[type[errors.ContextError], str] = {
    errors.OfferError: "asked for over MCP: test_offers",
    errors.ListingFailed: "a project that vanishes meanwhile: tests/contract/contexts",
    errors.TransferBroken: "a registry that hangs up: test_hostile_registry",
    errors.InternalError: "our own bug: test_command_line",
    errors.OutOfDate: "never raised",
    errors.CacheBuilding: "a client of a server that waits: tests/contract",
    errors.Differs: "never raised",
    errors.Interrupted: "Ctrl-C: test_command_line",
}
# A public key that signed nothing here.
KEY = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3"
COMMAND = re.compile(r"['`](context [^'`\n]+)['`]")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with everything that the mistakes are about."""
    home = tmp_path_factory.mktemp("mistakes")
    root, stale, linked, far, settings = [home / name for name in ("project", "stale", "linked", "yes", "settings")]
    for place in (root, stale, linked, far, settings):
        (place / "docs").mkdir(parents=True)
        (place / "docs" / "guide.md").write_text("# Guide\n\nRoll back a deploy.\n", "utf-8")
    git(root, "init", "-q", "--template=")
    for place in (root, stale):
        assert run_context("add", "docs", "docs", cwd=place).returncode == 0
    (stale / "docs" / "guide.md").write_text("# Guide\n\nAnother text.\n", "utf-8")
    (root / "bad").mkdir()
    (root / "bad" / "a.md").write_bytes(b"\xff")
    (root / ".context" / "caches" / "broken").mkdir()
    (root / ".context" / "caches" / "broken" / "manifest.json").write_text("{", "utf-8")
    for name, text in (("corrupt", "version: [\n"), ("later", "version: 99\nscope: later\n")):
        (root / name).mkdir()
        (root / name / "a.py").write_text("x = 1\n")
        (root / name / ".context.yaml").write_text(text)
    with (root / "context.toml").open("a", encoding="utf-8") as toml:
        toml.write(f'[registry]\nkeys = ["{KEY}"]\n')
    for place in (root, far):
        with (place / "context.toml").open("a", encoding="utf-8") as toml:
            toml.write('[caches.far]\nsources = { oci = "127.0.0.1:1/a/b:1" }\n')
    (settings / "context.toml").write_text("[caches\n", "utf-8")
    os.symlink(root / "bad", linked / ".context")
    return root


@pytest.mark.parametrize("words", MISTAKES)
def test_a_mistake_is_answered_with_a_command_that_can_be_run(project: Path, words: str) -> None:
    failure = MISTAKES[words]
    done = run_context(*shlex.split(words), cwd=project)
    said = (done.stderr + done.stdout).decode()
    assert done.returncode == failure.exit_code, said
    found = [command for command in COMMAND.findall(said) if command.removeprefix("context ") not in REMOVED]
    assert found or "did you mean '" in said or "hint: one of " in said or "git log" in said, said
    for command in found:
        request = parse(shlex.split(command.partition(";")[0])[1:], COMMANDS)
        assert request.wants_help or request.command is not None or command == "context help", command


def test_every_failure_of_the_table_is_provoked_or_checked_elsewhere() -> None:
    assert {*MISTAKES.values(), *ELSEWHERE} == {*FAILURES}
    assert {failure.__name__ for failure in ELSEWHERE if not failure.remedy} == {"OfferError"}


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: failure.__name__)
def test_what_a_remedy_names_is_a_command(failure: type[errors.ContextError]) -> None:
    named = COMMAND.findall(failure.remedy)
    assert [parse(command.split()[1:], COMMANDS).command is None for command in named if "help" not in command] == [
        False for command in named if "help" not in command
    ]


def test_a_spec_command_without_a_name_says_where_the_names_are(project: Path) -> None:
    done = run_context("spec", "next", cwd=project)
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["message"], answer["nextSteps"][0]) == (
        1,
        "'spec next' needs NAME",
        "`context spec list` names the specs",
    )
