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


def test_every_link_between_the_documents_leads_to_a_file() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    dead = [
        f"{page.relative_to(ROOT)} -> {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8"))
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert dead == []


def test_the_decisions_are_numbered_without_a_gap_and_listed_with_their_titles() -> None:
    folder = ROOT / "docs" / "decisions"
    rows = []
    for number, page in enumerate(sorted(folder.glob("0*.md")), 1):
        title = page.read_text(encoding="utf-8").splitlines()[0]
        assert (page.name[:5], title.partition(". ")[0]) == (f"{number:04}-", f"# {number}")
        rows.append(f"| [{number}]({page.name}) | {title.partition('. ')[2]} |")
    listed = [line for line in (folder / "README.md").read_text(encoding="utf-8").splitlines() if line[:3] == "| ["]
    assert listed == rows


def test_the_architecture_page_names_only_modules_that_exist() -> None:
    """Names in backticks in the lists of a family and of `core`, as far as they look like a module's."""
    page = (ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8")
    modules = {path.stem for path in (ROOT / "src" / "holdfast").rglob("*.py")} | {
        path.name for path in (ROOT / "src" / "holdfast").rglob("*") if path.is_dir()
    }
    sections = re.split(r"^## ", page, flags=re.MULTILINE)
    lists = [text for text in sections if text.startswith(("[`caches/", "[`contexts/", "[`specs/", "[`core/"))]
    named = {name for text in lists for name in re.findall(r"`([a-z0-9_]+)/?`", text)}
    assert len(lists) == 4
    assert sorted(named - modules) == []
