"""For one release a spelling of the one before works and says how it is written now, or says what to do instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holdfast.catalog import CATALOG
from holdfast.cli import COMMANDS
from holdfast.command.command_line import parse
from holdfast.command.old_spellings import MOVED, REMOVED, RENAMED
from support.doors import run_context

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.mark.parametrize("name", REMOVED)
def test_a_command_that_is_gone_says_what_to_do_instead(name: str) -> None:
    done = run_context(*name.split(), "x")
    said = f"error: Usage error\nreason: 'context {name}' is no command any more: {REMOVED[name]}\n"
    assert (done.returncode, done.stdout, done.stderr.decode()) == (1, b"", said)


@pytest.mark.parametrize("old", RENAMED)
def test_a_command_that_became_an_option_does_the_same_and_says_how_it_is_written_now(old: str) -> None:
    more = [] if old in ("watch", "steering init") else ["x"]
    before, now = parse([*old.split(), *more], COMMANDS), parse([*RENAMED[old].split(), *more], COMMANDS)
    note = f"'context {old}' is now 'context {RENAMED[old]}'; the next release does not know it"
    assert (before, now.note) == (now._replace(note=note), "")


def test_no_old_spelling_is_one_of_now() -> None:
    now = {command.name: {parameter.option for parameter in command.all_parameters} for command in COMMANDS}
    assert (REMOVED.keys() | RENAMED.keys()) & now.keys() == set()
    assert {name: now[name] & {old.option for old in MOVED[name]} for name in MOVED} == {name: set() for name in MOVED}


def test_list_takes_root_as_cache_root(make_cache: Callable[..., Path]) -> None:
    root = str(make_cache({"a.md": "alpha"}).parent)
    old, new = run_context("list", "--root", root), run_context("list", "--cache-root", root)
    assert (old.stdout, new.stderr) == (new.stdout, b"")
    assert old.stderr == b"note: --root is now --cache-root DIR; the next release does not know it\n"


def test_explore_takes_out_as_html(tmp_path: Path) -> None:
    done = run_context("explore", "--out", "page.html", cwd=tmp_path)
    assert (done.returncode, (tmp_path / "page.html").read_text("utf-8")[:15]) == (0, "<!doctype html>")
    assert done.stderr.startswith(b"note: --out is now --html FILE; the next release does not know it\n")


@pytest.mark.parametrize("words", [("--path", "{}", "list"), ("--path={}", "list"), ("list", "--path", "{}")])
def test_the_common_options_may_come_before_the_command(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("alpha\n", "utf-8")
    built = run_context("build", ".context/caches/one", "docs", cwd=tmp_path)
    assert (built.returncode, built.stderr) == (0, b"")
    listed = run_context(*(word.format(tmp_path) for word in words))
    assert b'"path":"one"' in listed.stdout


def test_a_command_is_missing_after_the_common_options() -> None:
    done = run_context("--format", "json")
    said = "error: COMMAND is missing\nreason: a command is missing\nhint: 'context help' lists the commands\n"
    assert (done.returncode, done.stderr.decode()) == (1, said)


@pytest.mark.parametrize("operation", CATALOG, ids=lambda operation: " ".join(operation.command))
def test_every_command_takes_the_common_options_and_a_cache_in_one_way(operation: object) -> None:
    (command,) = [command for command in COMMANDS if command.operation is operation]
    options = {parameter.option: parameter for parameter in command.all_parameters if parameter.is_option}
    assert {"--format", "--path", "--cache-root"} <= options.keys()
    assert options["--cache"].value_name == "CACHE" if "--cache" in options else True
    assert [parameter for parameter in command.parameters if parameter.value_name == "CACHE"] == [
        options[option] for option in options if option == "--cache"
    ]
