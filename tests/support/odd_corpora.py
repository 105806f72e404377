"""The corpora that builds are held against each other on: everything odd that vectors have, and every format."""

from __future__ import annotations

from pathlib import Path

from support.every_format import write_every_format
from support.new_characters import write_new_characters
from support.vectors import cache_vectors, lay_out_sources, load


def write_odd_corpora(home: Path) -> Path:
    """Write a folder of Markdown, `all`, and a project with a source of every format, `project`; the same folder."""
    home.mkdir(exist_ok=True)
    for path in cache_vectors():
        if any(word in path.stem for word in ("unicode", "sigma", "letters", "separators", "random-11", "escapes")):
            lay_out_sources(load(path), home / path.stem)
    (home / "all").mkdir()
    for folder in sorted(home.glob("[0-9]*")):
        folder.rename(home / "all" / folder.name)
    write_new_characters(home / "all" / "new-characters")
    write_every_format(home / "project" / "docs")
    (home / "project" / "context.toml").write_text("[caches.docs]\nsources = ['docs']\n", encoding="utf-8")
    return home
