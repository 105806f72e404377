"""The command line as a person meets it: help, typing errors, completion, odd surroundings."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.cli import COMMANDS
from support.doors import run_context

NAMES = [command.name for command in COMMANDS]


def test_both_scripts_are_installed_and_tell_the_version() -> None:
    from holdfast import __version__

    folder = Path(sys.executable).parent
    for name in ("context", "holdfast"):
        done = subprocess.run([folder / name, "--version"], capture_output=True, timeout=60)
        assert (done.returncode, done.stdout) == (0, f"holdfast {__version__}\n".encode())


def test_help_lists_every_command_once() -> None:
    for words in ([], ["--help"], ["-h"]):
        done = run_context(*words)
        listed = re.findall(r"^  (\S+(?: \S+)?)  +\S", done.stdout.decode(), re.MULTILINE)
        assert (done.returncode, sorted(listed), done.stderr) == (0, sorted(NAMES), b"")


@pytest.mark.parametrize("name", NAMES)
def test_help_of_a_command_names_each_of_its_arguments(name: str) -> None:
    done = run_context(*name.split(), "--help")
    assert (done.returncode, done.stderr) == (0, b"")
    (command,) = (command for command in COMMANDS if command.name == name)
    text = done.stdout.decode()
    assert text.startswith(f"{command.summary}\n\nUsage: context {name}")
    for parameter in command.parameters:
        assert parameter.description in text


@pytest.mark.parametrize(
    ("words", "stderr"),
    [
        (["reslove"], "unknown command 'reslove'\nhint: did you mean 'resolve'?"),
        (["resolve", "--cahce", "x"], "unknown flag '--cahce'\nhint: did you mean '--cache'?"),
        (["--vresion"], "unknown flag '--vresion'\nhint: did you mean '--version'?"),
        (["call", "context.reslove"], "unknown tool 'context.reslove'\nhint: did you mean 'context.resolve'?"),
        (["call", "context.list_caches", '{"rot":1}'], "unknown argument 'rot'\nhint: did you mean 'root'?"),
        (["call", "context.list_caches", "{"], "the arguments are not JSON"),
        (["call", "context.list_caches", "[]"], "the arguments must be a JSON object"),
        (["serve", "--only", "cache"], "unknown only 'cache'\nhint: did you mean 'caches'?"),
        (["completions", "bsh"], "unknown shell 'bsh'\nhint: did you mean 'bash'?"),
        (["inspect", "--cache"], "--cache needs a value: --cache CACHE"),
        (["resolve", "--cache", "--query", "x"], "--cache needs a value: --cache CACHE"),
        (["inspect", "--cache", "a", "--cache", "b"], "--cache is given twice"),
        (["inspect", "a", "b"], "'inspect' does not know what to do with 'b'"),
        (["build", "--force=yes"], "--force takes no value"),
        (["inspect", "--cache", "a", "--format", "xml"], "--format is json or pretty, not 'xml'"),
    ],
    ids=" ".join,
)
def test_a_slip_is_a_usage_error_that_says_what_was_meant(words: list[str], stderr: str) -> None:
    done = run_context(*words)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode().startswith(f"error: Usage error\nreason: {stderr}")


@pytest.mark.parametrize(
    ("words", "exit_code", "stderr"),
    [
        (["call"], 1, "error: TOOL is missing\nreason: 'call' needs TOOL\n"),
        (["build", "--cache", "x"], 1, "error: PATH is missing\nreason: 'build' needs PATH\n"),
        (["inspect"], 4, "error: CACHE is missing\nreason: 'inspect' needs CACHE: caches here: docs\n"),
        (["resolve", "--cache", "x"], 2, "error: QUERY is missing\nreason: 'resolve' needs QUERY\n"),
        (["search", "--cache", "x"], 2, "error: QUERY is missing\nreason: 'search' needs QUERY\n"),
        (["resolve", "--query", "x"], 3, "error: --budget is missing\nreason: 'resolve' needs --budget N\n"),
        (["replay"], 1, "error: RECEIPT is missing\nreason: 'replay' needs RECEIPT\n"),
        (["verify", "--citations"], 1, "error: Usage error\nreason: --citations needs a value: --citations FILE\n"),
        (["show"], 1, "error: SCOPE is missing\nreason: 'show' needs SCOPE\n"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_is_missing_is_named_as_it_is_typed(tmp_path: Path, words: list[str], exit_code: int, stderr: str) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("alpha\n", "utf-8")
    assert run_context("build", ".context/caches/docs", "docs", cwd=tmp_path).returncode == 0
    done = run_context(*words, cwd=tmp_path)
    named, _, hint = done.stderr.decode().partition("hint: ")
    assert (done.returncode, done.stdout, named) == (exit_code, b"", stderr)
    assert (hint.startswith(f"such as 'context {words[0]} "), hint.endswith("--help' explains it\n")) == (True, True)


def test_a_missing_cache_is_asked_for_with_what_makes_one_where_there_is_none(tmp_path: Path) -> None:
    done = run_context("inspect", cwd=tmp_path)
    step = "'context add NAME PATH' makes one of a folder of documentation"
    said = f"error: CACHE is missing\nreason: 'inspect' needs CACHE: {step}\n"
    assert (done.returncode, done.stdout, done.stderr.decode()) == (4, b"", said)


@pytest.mark.parametrize("command", ["resolve", "search"])
def test_a_query_may_begin_with_a_dash_where_it_cannot_be_taken_for_a_flag(
    make_cache: Callable[..., Path], command: str
) -> None:
    rest = ["--cache", str(make_cache({"a.md": "alpha -x --flag"})), "--budget", "99"]
    for query in ("-x", "--flag", "- list", "-"):
        done = run_context(command, f"--query={query}", *rest, "--format", "json")
        assert (done.returncode, json.loads(done.stdout)["selection"]["query"]) == (0, query)
    assert run_context(command, "--query", "-", *rest).returncode == 0
    refused = run_context(command, "--query", "-x", *rest)
    assert (refused.returncode, refused.stdout) == (2, b"")
    assert b"as --query=-x" in refused.stderr


def test_an_unfit_limit_is_not_called_a_budget() -> None:
    done = run_context("search", "--cache", "x", "--query", "y", "--budget", "9", "--limit", "many")
    assert (done.returncode, done.stdout) == (3, b"")
    assert done.stderr.decode().startswith("error: Limit is invalid\nreason: --limit must be a whole number from 0")


def test_call_reads_its_arguments_from_standard_input(make_cache: Callable[..., Path]) -> None:
    cache = make_cache({"a.md": "alpha"})
    words = ["--cache-root", str(cache.parent)]
    asked = '{"cache":"docs","query":"alpha","budget":9}'
    piped = run_context("call", "context.resolve", "-", *words, stdin=asked)
    assert piped.stdout == run_context("call", "context_resolve", asked, *words).stdout
    assert piped.stdout.startswith(b'{"documents":[{"id":"a.md"')


def test_a_reader_that_leaves_early_ends_the_command_quietly(make_cache: Callable[..., Path]) -> None:
    cache = make_cache({"a.md": "alpha " * 100_000})
    command = [sys.executable, "-m", "holdfast", "resolve", "--cache", str(cache), "--query", "x", "--budget", "999999"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 141


def test_a_bug_shows_no_traceback_unless_asked(tmp_path: Path) -> None:
    script = (
        "import sys, holdfast.cli as cli\n"
        "cli.answer = None\n"
        "sys.exit(cli.main(['list', '--cache-root', '.'], {'HOLDFAST_DEBUG': sys.argv[1]}))\n"
    )
    quiet = subprocess.run([sys.executable, "-c", script, ""], capture_output=True, cwd=tmp_path)
    assert (quiet.returncode, quiet.stdout) == (7, b"")
    assert quiet.stderr.startswith(b"error: Internal error\nreason: TypeError")
    assert b"Traceback" in subprocess.run([sys.executable, "-c", script, "1"], capture_output=True, cwd=tmp_path).stderr


def test_a_path_that_is_not_utf8_is_a_path_like_any_other(make_cache: Callable[..., Path]) -> None:
    cache = make_cache({"a.md": "alpha"})
    strange = os.path.join(os.fsencode(cache.parent), b"caf\xe9")
    os.rename(os.fsencode(cache), strange)
    assert run_context("resolve", "--cache", strange, "--query", "alpha", "--budget", "9").returncode == 0
    listed = run_context("list", "--cache-root", str(cache.parent)).stdout.decode()
    assert '{"path":"caf\ufffd","has_manifest":true}' in listed


def test_a_query_in_bytes_that_are_not_utf8_is_invalid(make_cache: Callable[..., Path]) -> None:
    cache = make_cache({"a.md": "alpha"})
    done = run_context("resolve", "--cache", str(cache), "--query", b"caf\xe9", "--budget", "9")
    assert (done.returncode, done.stdout) == (2, b"")


@pytest.mark.parametrize("group", ["spec", "guide"])
def test_the_help_of_a_group_lists_its_commands(group: str) -> None:
    for flag in ("--help", "-h"):
        done = run_context(group, flag)
        listed = re.findall(rf"^  ({group} \S+)  +\S", done.stdout.decode(), re.MULTILINE)
        assert (done.returncode, listed, done.stderr) == (0, [n for n in NAMES if n.startswith(group + " ")], b"")


def test_a_group_alone_is_a_usage_error_that_names_its_commands() -> None:
    done = run_context("guide")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr == (
        b"error: Usage error\nreason: 'guide' needs one of: workflow, implementer, reviewer\n"
        b"hint: 'context guide workflow --help' explains one\n"
    )
