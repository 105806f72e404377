"""The manual pages: one for each command, without a complaint of the tools that show them, and found by their names."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from scripts.manual_pages import escaped
from scripts.wheel_data import write_data_files

from holdfast.cli import COMMANDS
from holdfast.command.examples import EXAMPLES

if TYPE_CHECKING:
    from pathlib import Path

needs_man = pytest.mark.skipif(shutil.which("man") is None, reason="man is not installed here")
ENVIRONMENT = {**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "400"}


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    prefix = tmp_path_factory.mktemp("prefix")
    write_data_files(prefix)
    return prefix


def test_every_command_has_a_page_and_there_is_no_other(prefix: Path) -> None:
    names = {path.name for path in (prefix / "share" / "man" / "man1").iterdir()}
    assert names == {
        "context.1",
        "holdfast.1",
        *("-".join(["context", *command.words]) + ".1" for command in COMMANDS),
    }


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed here")
def test_no_page_has_anything_that_roff_complains_of(prefix: Path) -> None:
    """All of them in one run, which `man --warnings` would start the same program for one by one."""
    pages = sorted(str(path) for path in (prefix / "share" / "man" / "man1").glob("context*.1"))
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", *pages], capture_output=True, timeout=120)
    assert (done.returncode, done.stderr.decode()) == (0, "")


@needs_man
def test_man_warns_of_nothing(prefix: Path) -> None:
    page = str(prefix / "share" / "man" / "man1" / "context-search.1")
    command = ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page]
    done = subprocess.run(command, capture_output=True, env=ENVIRONMENT, timeout=120)
    assert (done.returncode, done.stderr.decode()) == (0, "")


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="mandoc is not installed here")
def test_mandoc_finds_no_error(prefix: Path) -> None:
    pages = sorted(str(path) for path in (prefix / "share" / "man" / "man1").glob("context*.1"))
    done = subprocess.run(["mandoc", "-T", "lint", "-W", "error", *pages], capture_output=True, timeout=120)
    assert (done.returncode, done.stdout.decode()) == (0, "")


@needs_man
@pytest.mark.parametrize(
    ("asked", "first"),
    [(["context"], "context"), (["holdfast"], "context"), (["context-verify"], "context-verify")],
)
def test_a_page_is_found_by_its_name_and_says_what_help_does(prefix: Path, asked: list[str], first: str) -> None:
    environment = {**ENVIRONMENT, "MANPATH": str(prefix / "share" / "man"), "MANPAGER": "cat", "GROFF_NO_SGR": "1"}
    done = subprocess.run(["man", *asked], capture_output=True, env=environment, timeout=120)
    text = done.stdout.decode()
    assert text.lstrip().startswith(f"{first}(1)"), done.stderr
    if first == "context-verify":
        for example in EXAMPLES["verify"]:
            assert example.words in text


@pytest.mark.parametrize(
    ("text", "roff"),
    [
        ("--budget N", "\\-\\-budget N"),
        (".contextignore", "\\&.contextignore"),
        ("'quoted'", "\\&\\(aqquoted\\(aq"),
        ("a\\b", "a\\eb"),
        ("`x` ^ ~", "\\(gax\\(ga \\(ha \\(ti"),
        ("…", "\\[u2026]"),
    ],
)
def test_whatever_means_something_to_roff_is_printed_as_it_is(text: str, roff: str) -> None:
    assert escaped(text) == roff
