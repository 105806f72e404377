"""What `context sync` costs in processor time: from nothing, after an edit, with nothing changed; and a plain build.

    python -m benchmarks.syncing 10000 --work /some/folder

The time is that of all processes of a command, user and system, in one run; edits take turns on pages far apart.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from statistics import median

from benchmarks.building import indexed_command, plain_command, processor_seconds
from benchmarks.corpus import write_corpus

CONTEXT = [sys.executable, "-m", "holdfast"]


def edit(page: Path, what: str) -> None:
    """Change a page: a word in a line, a line more, a section more, or another page beside it."""
    text = page.read_text(encoding="utf-8")
    if what == "a word":
        lines = text.split("\n")
        lines[4] = "edited" + lines[4][lines[4].find(" ") :]
        page.write_text("\n".join(lines), encoding="utf-8")
    elif what == "a line":
        page.write_text(text + "five words that are new\n", encoding="utf-8")
    elif what == "a section":
        page.write_text(text + "\n## Another heading\n\n" + "some text of its own " * 60 + "\n", encoding="utf-8")
    else:
        page.with_name("another.md").write_text(text, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int)
    parser.add_argument("--work", type=Path, required=True, help="folder for sources and caches")
    parser.add_argument("--rounds", type=int, default=3, help="how often each edit is measured")
    options = parser.parse_args()
    project = options.work / "syncing"
    shutil.rmtree(project, ignore_errors=True)
    sources = project / "docs"
    write_corpus(options.count, sources)
    (project / "context.toml").write_text('[caches.docs]\nsources = ["docs"]\n', encoding="utf-8")
    plain = processor_seconds(plain_command(sources, options.work / "plain"), project)
    build = indexed_command(sources, options.work / "built", "estimate")
    shutil.rmtree(options.work / "built", ignore_errors=True)
    figures = {"only the v0 files": plain, "context build": processor_seconds(build, project)}
    figures["sync from nothing"] = whole = processor_seconds([*CONTEXT, "sync"], project)
    pages = sorted(sources.rglob("*.md"))
    for number, what in enumerate(("a word", "a line", "a section", "another page")):
        took = []
        for turn in range(options.rounds):
            edit(pages[(1 + number + 5 * turn) * len(pages) // (6 + 5 * options.rounds)], what)
            took.append(processor_seconds([*CONTEXT, "sync"], project))
        figures[f"sync after {what}"] = median(took)
    figures["sync, nothing changed"] = processor_seconds([*CONTEXT, "sync"], project)
    print(f"{options.count:,} documents, seconds of processor time; against the v0 files; against a sync from nothing")
    for name, seconds in figures.items():
        print(f"{name:<24} {seconds:8.2f} {seconds / plain:8.2f} {seconds / whole:8.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
