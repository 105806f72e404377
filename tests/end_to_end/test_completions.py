"""Completion in the real shells: commands, options, choices and files, where the cursor stands."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from holdfast.cli import COMMANDS
from holdfast.command.completions import offers, script
from support.shells import SHELLS, need_shell, offered

if TYPE_CHECKING:
    from pathlib import Path

FIRST = {command.words[0] for command in COMMANDS}
SETUP = {"--user", "--project", "--all", "--yes", "--replace", "--dry-run", "--undo"}
OF_SPEC = {command.words[1] for command in COMMANDS if command.words[0] == "spec"}
CASES = [
    ("context re", {word for word in FIRST if word.startswith("re")}),
    ("context resolve --b", {"--budget"}),
    ("context build --fo", {"--force", "--format"}),
    ("context completions z", {"zsh"}),
    ("context search --receipt ", {"a receipt.json", "docs"}),
    ("context search --cache d", {"docs"}),
    ("context search --query ", set()),
    ("context resolve --cache x --format ", {"json", "pretty"}),
    ("context search --cache x --format ", {"text", "json", "outline", "pretty"}),
    ("context search --cache x --format=p", {"pretty"}),
    ("context status --state ", {"fresh", "stale", "missing"}),
    ("context serve --tool-names ", {"auto", "dotted", "underscore"}),
    ("context serve --only c", {"caches", "contexts"}),
    ("context guide implementer --mode ", {"full", "compact"}),
    ("context guide implementer --m", {"--mode"}),
    ("context spec ", OF_SPEC),
    ("context spec n", {"next"}),
    ("context guide workflow --", {"--path", "--format", "--cache-root", "--help"}),
    ("context spec init --path d", {"docs"}),
    ("context replay a", {"a receipt.json"}),
    ("context verify --citations d", {"docs"}),
    ("holdfast inspect --c", {"--cache", "--cache-root"}),
]
# bash is asked by its function: only there a line is already cut into words.
BASH_CASES = [
    ("context search --html=", {"a receipt.json", "docs"}),
    ("context setup ", {"ci", "git", "--help", *SETUP, "--path", "--format", "--cache-root"}),
]


@pytest.fixture(scope="module", params=SHELLS)
def shell(request: pytest.FixtureRequest) -> str:
    need_shell(request.param)
    return str(request.param)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the script of every shell, each in a folder of its own, and one to type in."""
    place = tmp_path_factory.mktemp("completions")
    for shell in SHELLS:
        (place / shell).mkdir()
        (place / shell / "_holdfast").write_text(script(shell), "utf-8")
    (place / "here" / "docs").mkdir(parents=True)
    (place / "here" / "a receipt.json").touch()
    return place


def test_the_script_is_sound(place: Path, shell: str) -> None:
    done = subprocess.run([shell, "-n", place / shell / "_holdfast"], capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


def test_every_command_and_option_is_offered() -> None:
    for command in COMMANDS:
        before = [[], [command.words[0]]][len(command.words) - 1]
        assert command.words[-1] in {line.partition("\t")[0] for line in offers([*before, ""], COMMANDS)}
        found = {line.partition("\t")[0] for line in offers([*command.words, "--"], COMMANDS)}
        assert found >= {parameter.option for parameter in command.all_parameters if parameter.is_option}


@pytest.mark.parametrize("words", [["="], ["=", "x"], ["="] * 3, [""]])
def test_words_that_no_shell_would_send_are_no_bug(words: list[str]) -> None:
    assert all("\t" in line for line in offers(words, COMMANDS))


@pytest.mark.parametrize(("typed", "expected"), CASES, ids=[typed for typed, _ in CASES])
def test_a_shell_offers_what_may_stand_there(place: Path, shell: str, typed: str, expected: set[str]) -> None:
    assert offered(shell, place / shell / "_holdfast", typed, here=place / "here") == expected


@pytest.mark.parametrize(("typed", "expected"), BASH_CASES, ids=[typed for typed, _ in BASH_CASES])
def test_bash_offers_what_may_stand_there(place: Path, typed: str, expected: set[str]) -> None:
    assert offered("bash", place / "bash" / "_holdfast", typed, here=place / "here") == expected


def test_zsh_takes_the_script_when_it_is_sourced_too(place: Path) -> None:
    need_shell("zsh")
    sourced = f"autoload -Uz compinit; compinit -u -D; source '{place}/zsh/_holdfast'"
    ask = f"{sourced}; print $_comps[context] $_comps[holdfast]"
    done = subprocess.run(["zsh", "-f", "-c", ask], capture_output=True, cwd=place)
    assert (done.stdout, done.stderr) == (b"_holdfast _holdfast\n", b"")
