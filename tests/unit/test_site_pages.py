"""How pages of the repository become pages of the site, and what is found wrong with a site."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


def load() -> ModuleType:
    """The script, which is no module of a package."""
    path = Path(__file__).parents[2] / "scripts" / "site_pages.py"
    found = importlib.util.spec_from_file_location("site_pages", path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules["site_pages"] = module
    found.loader.exec_module(module)
    return module


site = load()


@pytest.mark.parametrize(
    ("name", "page", "staged"),
    [
        ("docs/index.md", "[a](how-to/audit.md#x)", "[a](how-to/audit.md#x)"),
        ("docs/how-to/audit.md", "[a](../reliability.md)", "[a](../reliability.md)"),
        ("docs/ARCHITECTURE.md", "[a](../CONTRIBUTING.md)", "[a](CONTRIBUTING.md)"),
        ("CONTRIBUTING.md", "[a](docs/formats/sources.md)", "[a](formats/sources.md)"),
        ("CHANGELOG.md", "[all](docs/decisions)", "[all](decisions/README.md)"),
        ("docs/ARCHITECTURE.md", "[`cli.py`](../src/holdfast/cli.py)", "`cli.py` (`src/holdfast/cli.py`)"),
        ("docs/index.md", "[a](https://example.org) [b](#b)", "[a](https://example.org) [b](#b)"),
        ("docs/index.md", "```text\n[a](../src)\n```", "```text\n[a](../src)\n```"),
    ],
)
def test_a_link_leads_to_the_same_page_in_the_site(name: str, page: str, staged: str) -> None:
    assert site.staged(page, name) == staged


def test_every_page_has_a_place_in_the_navigation() -> None:
    """All but the copies of pages outside docs/, which are staged."""
    sections = site.navigation(site.ROOT / "docs")
    listed = [page for _, pages in sections for _, page in pages]
    there = [page.relative_to(site.ROOT / "docs").as_posix() for page in (site.ROOT / "docs").rglob("*.md")]
    assert sorted(listed) == sorted(set(there) - {"index.md"})


def test_a_page_without_a_section_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "stray.md").write_text("# Stray\n")
    with pytest.raises(SystemExit, match="no section for stray"):
        site.navigation(tmp_path)


def test_what_leads_nowhere_and_what_is_loaded_from_elsewhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "style.css").write_text("@import url(https://example.org/font.css);")
    (tmp_path / "b.html").write_text('<h1 id="here">b</h1>')
    (tmp_path / "a.html").write_text(
        '<link rel="stylesheet" href="style.css"><script src="//example.org/a.js"></script>'
        '<a href="b.html#here">1</a><a href="b.html#there">2</a><a href="c.html">3</a>'
        '<a href="https://example.org">4</a><img src="data:image/png;base64,AA==">'
    )
    assert site.faults(tmp_path) == [
        "a.html -> b.html#there: no such place",
        "a.html -> c.html: no such file",
        "a.html loads //example.org/a.js",
        "style.css loads https://example.org/font.css",
    ]
