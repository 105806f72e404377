"""Documents that repeat the code are checked against it."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import holdfast
from support.terminal import on_a_terminal

ROOT = Path(__file__).parent.parent.parent


def test_the_generated_pages_are_what_the_catalog_gives() -> None:
    done = subprocess.run([sys.executable, ROOT / "scripts" / "reference.py", "--check"], capture_output=True)
    assert (done.returncode, done.stdout) == (0, b"")


def test_the_readme_shows_what_the_demo_really_prints(tmp_path: Path) -> None:
    """Run the demo's commands on a terminal of 80 columns and compare, the seconds aside."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (sample,) = re.findall(r"<!-- sample: demo -->\n```text\n(.*?)```", readme, re.DOTALL)
    handbook = tmp_path / "handbook"
    handbook.mkdir()
    for page in (ROOT / "examples" / "handbook").iterdir():
        (handbook / page.name).write_bytes(page.read_bytes())
    commands = [line for line in sample.splitlines() if line.startswith("$ context ")]
    shown = [f"{line}\n{on_a_terminal(*shlex.split(line)[2:], cwd=tmp_path, columns=80)[0]}" for line in commands]
    printed = re.sub(r"in \d+\.\d s", "in 0.0 s", "\n".join(shown))
    assert [line.rstrip() for line in printed.splitlines()] == [line.rstrip() for line in sample.splitlines()]


def test_every_public_name_can_be_had_and_none_is_forgotten() -> None:
    assert sorted(holdfast.__all__) == sorted(holdfast._HOMES)
    assert {name for name in holdfast.__all__ if getattr(holdfast, name, None) is None} == set()
    assert dir(holdfast) == sorted(holdfast.__all__)


def test_the_readme_names_every_command_and_tool() -> None:
    from holdfast.cli import COMMANDS

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    missing = [command.name for command in COMMANDS if f"context {command.name}" not in readme]
    missing += [
        command.operation.tool for command in COMMANDS if command.operation and command.operation.tool not in readme
    ]
    assert missing == []


def test_every_decision_and_format_is_linked_from_a_folder_that_exists() -> None:
    for page in [ROOT / "README.md", ROOT / "docs" / "ARCHITECTURE.md"]:
        for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
