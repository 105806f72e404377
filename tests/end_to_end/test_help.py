"""Help as a person asks for it: in groups, by a word, with examples that run."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from holdfast.cli import COMMANDS, main
from holdfast.command.examples import EXAMPLES, REGISTRY, examples_of
from holdfast.command.help import FIRST, groups, read_glossary
from support.doors import run_context
from support.example_project import CAN_SIGN, example_project
from support.registry import PROGRAM, Registry

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.command.examples import Example

# These speak on until somebody ends them, or need a registry: each has a test of its own.
APART = ("status --watch", "serve", "explore", "push", "pull")
EVERY = [(command.name, example) for command in COMMANDS for example in examples_of(command)]


def said(*words: str, exit_code: int = 0) -> str:
    done = run_context("help", *words)
    assert done.returncode == exit_code, done.stderr
    return (done.stderr if exit_code else done.stdout).decode()


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("examples") / "project"
    root.mkdir()
    example_project(root)
    return root


@pytest.fixture
def project(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the project that one example may change, and the place where it is typed."""
    shutil.copytree(prepared, tmp_path / "project", symlinks=True)
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


def test_every_example_is_of_a_command_and_one_without_has_one_made_of_what_it_needs() -> None:
    assert EXAMPLES.keys() <= {command.name for command in COMMANDS}
    inspect = next(command for command in COMMANDS if command.name == "inspect")
    assert [example.words for example in examples_of(inspect._replace(words=("new",)))] == ["context new docs"]
    for name, example in EVERY:
        assert example.words.startswith(f"context {name}")


@pytest.mark.parametrize(
    ("name", "example"),
    [each for each in EVERY if not {each[0], each[1].words.removeprefix("context ")} & {*APART}],
    ids=lambda each: getattr(each, "words", ""),
)
def test_an_example_does_what_it_says(
    project: Path, capfd: pytest.CaptureFixture[str], name: str, example: Example
) -> None:
    if name == "sign" and not CAN_SIGN:
        pytest.skip("the extra `registry` is not installed here")
    code = main(shlex.split(example.words)[1:], {**os.environ, "HOME": str(project.parent)}, progress=False)
    told = capfd.readouterr()
    assert code == example.exit_code, told.err
    assert told.out
    assert "error:" not in told.err


@pytest.mark.skipif(PROGRAM is None, reason="docker-registry is not installed here")
def test_the_examples_of_a_registry_send_a_cache_to_one_and_fetch_it_again(project: Path) -> None:
    (project.parent / "registry").mkdir()
    registry = Registry(project.parent / "registry")
    assert run_context("push", ".context/older", f"oci://{registry.host}/team/handbook:stable").returncode == 0
    done = [
        run_context(*shlex.split(example.words.replace(REGISTRY, registry.host))[1:], cwd=project)
        for example in (*EXAMPLES["push"], *EXAMPLES["pull"])
    ]
    registry.kill()
    assert [each.returncode for each in done] == [0, 0], [each.stderr for each in done]


@pytest.mark.parametrize("example", EXAMPLES["serve"], ids=lambda example: example.words)
def test_the_examples_of_a_server_start_one_that_ends_with_its_input(project: Path, example: Example) -> None:
    done = run_context(*shlex.split(example.words)[1:], cwd=project)
    assert (done.returncode, done.stdout, done.stderr) == (example.exit_code, b"", b"")


@pytest.mark.parametrize("example", EXAMPLES["status"][-1:], ids=lambda example: example.words)
def test_the_example_of_a_watch_tells_what_is_stale_until_it_is_interrupted(project: Path, example: Example) -> None:
    command = [sys.executable, "-m", "holdfast", *shlex.split(example.words)[1:]]
    with subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert b'"stale"' in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.stdout.read()
    assert process.returncode == example.exit_code


def test_help_shows_what_people_need_first_then_every_family() -> None:
    text = said()
    assert text == run_context("--help").stdout.decode() == run_context().stdout.decode()
    titles = [line for line in text.split("\n") if line.endswith(":") and not line.startswith(" ")]
    assert [title.partition(" (")[0].rstrip(":") for title in titles][:4] == [
        "Start here",
        "Caches",
        "Contexts",
        "Specs",
    ]
    assert [command.name for command in groups(COMMANDS)[0][1]] == [*FIRST]
    assert len(FIRST) == 5


@pytest.mark.parametrize("words", [["search"], ["spec", "status"], ["context.search"], ["list_contexts"]])
def test_a_command_or_its_tool_is_explained_as_its_own_help_does(words: list[str]) -> None:
    text = said(*words)
    (command,) = [
        each
        for each in COMMANDS
        if each.name == " ".join(words) or (each.operation and each.operation.tool == words[0])
    ]
    assert text.startswith(run_context(*command.words, "--help").stdout.decode())


def test_the_first_word_of_commands_lists_them() -> None:
    listed = run_context("spec", "--help").stdout.decode()
    assert listed.startswith("Usage: context spec COMMAND")
    assert said("spec").startswith(listed)
    assert "\n  spec status " in listed


def test_an_option_is_found_with_the_commands_that_take_it() -> None:
    text = said("--under")
    assert "  --under GLOB: Folder, page or glob\n      in search\n" in text
    assert "  --under SCOPE: Only at or below this\n      in status\n" in text


def test_a_word_is_explained_and_whatever_mentions_it_is_listed() -> None:
    text = said("receipt")
    assert text.startswith("receipt: ")
    assert "  context replay: Run a search again from its receipt" in text
    assert said("Receipt").startswith("receipt: ")
    assert said("exit", "codes").startswith("exit code, exit codes: ")
    assert said("8").startswith("Exit code 8: ")
    assert "context verify: " in said("citation")


def test_a_word_that_nobody_knows_is_an_error_with_what_was_meant() -> None:
    assert (
        said("reciept", exit_code=1)
        == "error: Usage error\nreason: unknown word 'reciept'\nhint: did you mean 'receipt'?\n"
    )
    assert "did you mean '--budget'?" in said("--bugdet", exit_code=1)
    assert "nothing here mentions 'xyzzyx'" in said("xyzzyx", exit_code=1)


def test_the_glossary_names_no_command_or_option_that_is_not_there() -> None:
    names = {command.name for command in COMMANDS}
    options = {each.option for command in COMMANDS for each in command.all_parameters}
    for meaning in read_glossary().values():
        for typed in meaning.split("`")[1::2]:
            words = typed.split()
            if words[0] == "context":
                assert {" ".join(words[1:2]), " ".join(words[1:3])} & names, typed
            assert {word for word in words if word.startswith("--")} <= options, typed
