"""Documents that repeat the code are checked against it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import holdfast

ROOT = Path(__file__).parent.parent.parent


def without_blocks(page: Path) -> str:
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def test_the_generated_pages_are_what_the_catalog_gives() -> None:
    done = subprocess.run([sys.executable, "-m", "scripts.reference", "--check"], cwd=ROOT, capture_output=True)
    assert (done.returncode, done.stdout) == (0, b"")


def test_the_picture_of_the_readme_shows_what_its_commands_really_print() -> None:
    done = subprocess.run([sys.executable, ROOT / "scripts" / "picture.py", "--check"], capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


def test_every_public_name_can_be_had_and_none_is_forgotten() -> None:
    assert sorted(holdfast.__all__) == sorted(holdfast._HOMES)
    assert {name for name in holdfast.__all__ if getattr(holdfast, name, None) is None} == set()
    assert dir(holdfast) == sorted(holdfast.__all__)


def test_every_figure_in_the_readme_has_the_command_that_measures_it_beside_it() -> None:
    """In the same paragraph, or the same row of a table; what commands print in blocks is run by another test."""
    prose = without_blocks(ROOT / "README.md")
    places = [row for part in prose.split("\n\n") for row in (part.split("\n") if part.startswith("|") else [part])]
    figures = [place for place in places if re.search(r"\d (?:%|ms|s|[KMG]B|bytes|tokens|times)\b|\d %", place)]
    bare = [place for place in figures if not re.search(r"`(?:python|pytest|context) [^`]+`", place)]
    assert len(figures) >= 3
    assert bare == []


def test_every_link_between_the_documents_leads_to_a_file() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    dead = [
        f"{page.relative_to(ROOT)} -> {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#]+)", without_blocks(page))
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert dead == []


def test_every_decision_is_listed_with_its_title_or_superseded_by_one_that_is() -> None:
    folder = ROOT / "docs" / "decisions"
    rows, kept = [], {}
    for page in sorted(folder.glob("0*.md")):
        text = page.read_text(encoding="utf-8")
        number, _, title = text.splitlines()[0].removeprefix("# ").partition(". ")
        assert len(text.split()) <= 400, page.name
        assert page.name[:5] == f"{int(number):04}-"
        rows.append(f"| [{number}]({page.name}) | {title} |")
        kept[number] = page.name
    lines = (folder / "README.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line[:3] == "| ["] == rows
    gone = [
        re.fullmatch(r"- (\d+) \(.+\): superseded by \[(\d+)\]\((.+)\)", line) for line in lines if line[:2] == "- "
    ]
    assert [found and kept.get(found[2]) == found[3] for found in gone] == [True] * len(gone)
    numbers = sorted([*map(int, kept), *(int(found[1]) for found in gone if found)])
    assert numbers == [*range(1, len(numbers) + 1)]


def test_the_documentation_is_short_enough_to_be_read() -> None:
    pages = {path: len(path.read_text(encoding="utf-8").split()) for path in (ROOT / "docs").rglob("*.md")}
    readme = len((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert (len(pages) < 70, sum(pages.values()) + readme <= 55_000, readme <= 700) == (True, True, True)


def test_the_architecture_page_has_at_most_a_thousand_words() -> None:
    page = (ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert len(re.sub(r"\]\([^)]*\)", "]", page).split()) <= 1000


def test_every_module_says_what_it_is() -> None:
    source = ROOT / "src" / "holdfast"
    modules = {path: ast.parse(path.read_bytes()) for path in source.rglob("*.py")}
    assert [path for path, module in modules.items() if module.body and not ast.get_docstring(module)] == []
