"""Text from files and arguments never steers a terminal: every command, with hostile text wherever one can stand."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast import build_cache
from holdfast.cli import COMMANDS
from holdfast.command.command_line import Command
from support.doors import run_context
from support.specs import SpecProject
from support.terminal import raw_on_a_terminal, terminal

# Clipboard and screen by OSC and CSI, the same in C1, BEL, BS, DEL, bidi, separators, and what rich takes for markup.
STEER = "\x1b]52;c;cHduZWQ=\x07\x1b[2J\x9b31m\x9d0;t\x9c\x07\x08\x7f\u202e\u2066\u2028\u0085"
NAME = f"x{STEER}[red]y[link=z]:smile:"
TEXT = f"{NAME}\x1b]0;title\x1b\\[/x] &#x202e; [here](http://example.org/{STEER})"
MARKUP = "[red]y[link=z]:smile:[/x] \u202e\u2066"
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]")

CASES: dict[str, list[list[str]]] = {
    "resolve": [["--cache", "caches/docs", "--query", "alpha " + STEER, "--budget", "900"], ["--cache", NAME]],
    "list": [["--cache-root", "caches"], ["--cache-root", NAME]],
    "inspect": [["--cache", "caches/misled"], ["--cache", NAME]],
    "build": [
        ["--sources", "sources", "--cache", "new"],
        ["--sources", "broken", "--cache", NAME],
        ["--index", "caches/docs"],
        ["--index", NAME],
    ],
    "add": [
        ["more", "sources", "--about", MARKUP],
        ["less", "sources", "--about", TEXT],
        [NAME, "sources"],
        ["other", NAME],
        ["--package", NAME],
    ],
    "sync": [[], ["--check"], [NAME], ["--check", NAME]],
    "verify": [
        ["--cache", "caches/docs"],
        ["--cache", "caches/misled"],
        ["--citations", "cited.md", "--cache", "caches/docs"],
        ["--citations", NAME],
    ],
    "search": [
        ["--cache", "caches/docs", "--query", "alpha", "--budget", "900"],
        ["--cache", "caches/docs", "--query", "alpha " + STEER, "--explain"],
        ["--cache", "caches/docs", "--query", "alpha", "--format", "text"],
        ["--cache", "caches/docs", "--query", "alpha", "--format", "outline"],
        ["--cache", "caches/later", "--query", "alpha", "--explain", "--format", "text"],
        ["--cache", "caches/docs", "--query", "alpha", "--under", NAME],
        ["--cache", "caches/docs", "--query", "alpha", "--known", f"{NAME}.md#L1-L2@0123456789ab"],
        ["--cache", "caches/docs", "--query", "alpha", "--known", NAME],
        ["--cache", "caches/docs", "--query", "alpha", "--budget", NAME],
    ],
    "replay": [
        ["receipt.json", "--cache", "caches/docs"],
        [NAME],
        ["--receipts", "caches"],
        ["--receipts", NAME],
        ["--receipts", "caches", "--client", NAME, "--query", NAME],
        ["--receipts", "caches", "--since", NAME],
        ["--receipts", "caches", "--html", NAME],
    ],
    "diff": [["caches/docs", "caches/later", "--queries", "queries.txt"], [NAME, NAME]],
    "read": [
        ["--id", f"{NAME}.md", "--cache", "caches/docs"],
        ["--id", f"{NAME}.md", "--cache", "caches/docs", "--format", "text"],
        ["--id", NAME, "--cache", "caches/docs"],
        [f"{NAME}.md#L1-L2@0123456789ab", "--cache", "caches/docs", "--format", "text"],
        [NAME],
    ],
    "status": [[], ["--since", NAME], ["--path", NAME], ["--watch", "--path", NAME + "/none"]],
    "check": [[NAME], [NAME + "/none"], ["../" + NAME]],
    "show": [[NAME], ["corrupt"], [NAME + "/none"]],
    "init": [["--dry-run"], ["--path", NAME]],
    "regen": [["--all"], [NAME + "/none"], ["--hash-only"], ["--hash-only", NAME + "/none"]],
    "validate": [[], ["--path", NAME]],
    "config": [[], [NAME], ["mode", NAME]],
    "doctor": [[]],
    "map": [[], [NAME], ["--focus", NAME]],
    "impact": [[], [NAME], ["--file", NAME], ["--file", NAME + "/none"]],
    "merge-driver": [[NAME, NAME, NAME], ["cited.md", "cited.md", "queries.txt", NAME]],
    "setup": [[NAME], ["codex", "--project", "--path", NAME], ["--path", NAME + "/none"], ["cursor", "--project"]],
    "setup git": [["--dry-run"], ["--path", NAME + "/none"]],
    "setup ci": [["--dry-run"], ["--path", NAME]],
    "spec status": [[NAME], [NAME + "none"]],
    "guide workflow": [[]],
    "guide implementer": [[], ["--mode", NAME], ["--run", NAME, "--mode", "compact"]],
    "guide reviewer": [[]],
    "spec list": [[]],
    "spec next": [[NAME], [NAME + "none"]],
    "spec init": [[NAME + "new"], [NAME], ["--steering"]],
    "spec approve": [
        [NAME, "requirements", "--by", TEXT],
        [NAME + "none", "tasks", "--by", "x"],
        ["--revoke", NAME, "requirements", "--by", TEXT],
        ["--revoke", NAME + "none", "tasks", "--by", "x"],
    ],
    "spec check": [[], [NAME], [NAME + "none"], ["--trace", NAME], ["--trace", NAME + "none"]],
    "spec delta": [[NAME, NAME, TEXT], [NAME + "none", "x", "y"]],
    "spec merge": [[NAME], [NAME + "none"], ["--archive", NAME], ["--archive", NAME + "none"]],
    "serve": [["--only", NAME]],
    "explore": [["--html", "page.html"], ["--html", NAME + "/none/x"], ["--path", NAME + "/none"], ["--port", NAME]],
    "call": [
        ["context.resolve", json.dumps({"cache": "docs", "query": "alpha", "budget": 900}), "--cache-root", "caches"],
        ["query_context", json.dumps({"scope": NAME})],
        [NAME],
        ["context.resolve", json.dumps({NAME: 1})],
        ["context.resolve", NAME],
    ],
    "completions": [[NAME]],
    "help": [[NAME], ["receipt"]],
    "push": [["caches/docs", NAME], [NAME, "oci://127.0.0.1:1/a:b"]],
    "pull": [[NAME], [NAME, NAME], ["docs", NAME]],
    "bundle": [[NAME], ["out.tar", "--wheels", NAME]],
    "unbundle": [[NAME, "--check"]],
    "sign": [[NAME, "--key", NAME], ["caches/docs", "--check"], ["caches/docs", "--key", NAME]],
    "savings": [["--receipts", "caches"], ["--receipts", NAME], ["--telemetry", "queries.txt"], ["--telemetry", NAME]],
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("hostile")
    sources = home / "sources"
    (home / "broken").mkdir()
    (home / "broken" / f"{NAME}b.md").write_bytes(b"\xff")
    sources.mkdir()
    (sources / f"{NAME}.md").write_text(f"# {TEXT}\n\nalpha {TEXT}\n", encoding="utf-8")
    caches = home / "caches"
    caches.mkdir()
    build_cache(sources, caches / "docs")
    asked = ["--query", "alpha", "--budget", "900", "--receipt", "receipt.json"]
    assert run_context("search", "--cache", "caches/docs", *asked, cwd=home).returncode == 0
    (home / "queries.txt").write_text("alpha\n", encoding="utf-8")
    (sources / f"{NAME}2.md").write_text(f"# {TEXT}\n\nalpha alpha {TEXT}\n", encoding="utf-8")
    build_cache(sources, caches / "later")
    found = json.loads(run_context("search", "--cache", "caches/docs", *asked[:4], "--format", "json", cwd=home).stdout)
    (home / "cited.md").write_text(f"see {found['sections'][0]['citation']} and {NAME}.md#L1-L2@0123456789ab", "utf-8")
    (caches / "docs" / "documents" / f"{NAME}.json").write_bytes(b"")
    (caches / NAME).mkdir()
    misled = caches / "misled"
    misled.mkdir()
    manifest = json.loads((caches / "docs" / "manifest.json").read_bytes())
    manifest["cache_version"] = TEXT
    (misled / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    (misled / "index.json").write_text(json.dumps({NAME: f"documents/{NAME}"}), encoding="utf-8")
    (home / ".context.config.yaml").write_text("min_tokens: 0\n", encoding="utf-8")
    for name in (NAME, "corrupt"):
        (home / name).mkdir()
        (home / name / f"{STEER}.py").write_text(f'"""{TEXT}"""\n\n\ndef go(): ...\n', encoding="utf-8")
    assert run_context("init", "--all", "--full", "--no-agents", cwd=home).returncode == 0
    context = home / NAME / ".context.yaml"
    context.write_text(context.read_text(encoding="utf-8") + json.dumps({TEXT: TEXT})[1:-1] + "\n", encoding="utf-8")
    (home / "corrupt" / ".context.yaml").write_text(json.dumps({"version": 1, "[/x]": 1, TEXT: {"[/x]": 2}}), "utf-8")
    declared = f'[caches.own]\nsources = ["sources", "broken"]\nabout = "{MARKUP}"\n'
    (home / "context.toml").write_text(declared, encoding="utf-8")
    specs = SpecProject(home)
    specs.spec(NAME, f"- [ ] 1. {TEXT}\n  - File: {TEXT}\n  - _Requirements: {TEXT}_\n  - _Prompt: {TEXT}_\n")
    specs.write("steering/tech.md", f"# {TEXT}\n\n{TEXT}\n")
    return home


def raw_controls(text: str) -> list[str]:
    return FORBIDDEN.findall(COLOURS.sub("", text).replace("\r\n", "\n"))


def cases_of(command: Command) -> list[list[str]]:
    """The cases of the table, and for a command without any: hostile text for each argument that it needs, or none."""
    needed = [parameter for parameter in command.parameters if parameter.required]
    return CASES.get(command.name) or [
        [word for each in needed for word in ([NAME] if each.positional else [each.option, NAME])]
    ]


def test_every_case_is_of_a_command() -> None:
    assert CASES.keys() <= {command.name for command in COMMANDS}


@pytest.mark.parametrize(
    "words",
    [[*command.words, *more] for command in COMMANDS for more in cases_of(command)],
    ids=[f"{command.name} {number}" for command in COMMANDS for number in range(len(cases_of(command)))],
)
def test_no_command_lets_text_steer_a_terminal(home: Path, words: list[str]) -> None:
    text, code = raw_on_a_terminal(*words, cwd=home)
    assert (raw_controls(text), code == 7, "Traceback" in text) == ([], False, False), text
    assert text


def test_the_events_of_a_watch_steer_no_terminal(home: Path) -> None:
    interrupted: list[bool] = []

    def interrupt(process: subprocess.Popen[bytes], text: str) -> None:
        if "\n" in text and not interrupted:
            interrupted.append(True)
            process.send_signal(signal.SIGINT)

    text, code = terminal([sys.executable, "-m", "holdfast", "watch"], cwd=home, at_output=interrupt)
    assert (raw_controls(text), code) == ([], 0)
    assert "stale" in text or "missing" in text


def test_markup_in_a_manifest_is_shown_and_not_followed(make_cache: Callable[..., Path]) -> None:
    cache = make_cache({"a.md": "alpha"})
    manifest = json.loads((cache / "manifest.json").read_bytes())
    for version in ("[/x]", "[red]VALID[/red]", "[link=http://example.org]here[/link]"):
        manifest["cache_version"] = version
        (cache / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        text, code = raw_on_a_terminal("inspect", "--cache", "docs", cwd=cache.parent)
        assert (version in text, code) == (True, 5)


def test_piped_answers_are_as_they_were(home: Path) -> None:
    words = ["resolve", "--cache", "caches/docs", "--query", "alpha", "--budget", "900"]
    answer = run_context(*words, cwd=home).stdout.decode()
    assert json.loads(answer)["documents"][0]["id"] == f"{NAME}.md".lower()
    assert "\u202e" in answer
    shown, _ = raw_on_a_terminal(*words, "--format", "json", cwd=home)
    assert json.loads(shown) == json.loads(answer)
