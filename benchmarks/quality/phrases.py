"""Whether an answer contains the phrase that answers: python -m benchmarks.quality.phrases SET=FOLDER...

A set is a file of `benchmarks/quality/own/phrases`: questions about the documentation of a project, each with a pattern
of the phrase that answers it, all written before any answer was looked at. FOLDER is that documentation: this
repository's `docs` (set `holdfast`), `html/library` of Debian's package python3-doc (`python`), or in a checkout git's
`Documentation`, pydantic's `docs`, the Rust book's `src`, Spring Boot's `documentation`, hugoDocs' `content/en`,
Docusaurus' `website/docs`. Printed for each set: questions whose phrase is in the first section and in the answer, and
the mean tokens of an answer; peers rank the same sections and fill 2,000 tokens, as they come out of the box.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.quality.bootstrap import sample
from benchmarks.quality.methods import CutCache
from benchmarks.quality.peers import PEERS, NotInstalled, OutOfTheBox
from holdfast import open_cache, search
from holdfast.caches.search.search_request import USUAL_BUDGET
from holdfast.caches.tokenizers import USUAL

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.caches.search.search_result import SearchResult

    # question -> the texts that are given, best first, and the tokens of the answer
    Ask = Callable[[str], tuple[list[str], int]]

_OWN = Path(__file__).parent / "own" / "phrases"


def measure(name: str, folder: Path, *, misses: bool = False) -> str:
    """The table of one set over the documentation in a folder."""
    rows = [json.loads(line) for line in (_OWN / f"{name}.jsonl").read_text("utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as temporary:
        project = Path(temporary)
        copy = _copied(folder.resolve(), project)
        command = [sys.executable, "-m", "holdfast", "--path", str(project), "add", "docs", str(copy)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with open_cache(project / ".context" / "caches" / "docs") as cache:

            def within(budget: int | None) -> Ask:
                return lambda query: _given(search(cache, query, budget))

            lines = [
                _line("search", rows, within(None), misses=misses),
                _line(f"search, {USUAL_BUDGET:,} tokens", rows, within(USUAL_BUDGET)),
            ]
            cut = CutCache(cache, USUAL)
            for peer, make in PEERS.items():
                try:
                    with closing(make(cut)) as made:
                        lines.append(_line(f"{peer}, out of the box", rows, _asked(OutOfTheBox(made), cut)))
                except NotInstalled as error:
                    lines.append(f"| {peer} | {error} | | |")
    return "\n".join(
        [f"| {name}, {len(rows)} questions | first | in the answer | tokens |", "|---|---|---|---|", *lines]
    )


def _given(result: SearchResult) -> tuple[list[str], int]:
    return [hit.content or "" for hit in result.sections], result.tokens_used


def _asked(peer: OutOfTheBox, cut: CutCache) -> Ask:
    def ask(query: str) -> tuple[list[str], int]:
        numbers, tokens = peer.chosen(query, None)
        return [cut.sections[number].body for number in numbers], tokens

    return ask


def _line(method: str, rows: list[dict[str, str]], ask: Ask, *, misses: bool = False) -> str:
    first, there, spent = [], [], 0
    for row in rows:
        texts, tokens = ask(row["question"])
        first.append(float(bool(re.search(row["phrase"], "".join(texts[:1])))))
        there.append(float(bool(re.search(row["phrase"], "\n".join(texts)))))
        spent += tokens
        if misses and not there[-1]:
            print(f"    not in the answer: {row['question']}")
    cells = []
    for figures in (first, there):
        mean, low, high = sample("phrases", figures).interval
        cells.append(f"{mean:.2f} ({low:.2f}–{high:.2f})")
    return f"| {method} | {' | '.join(cells)} | {spent // len(rows):,} |"


def _copied(folder: Path, project: Path) -> Path:
    """A copy of the documentation: of a checkout all tracked files, since pages may include others, else the folder."""
    asked = subprocess.run(["git", "-C", folder, "rev-parse", "--show-toplevel"], check=False, capture_output=True)
    if asked.returncode:
        return Path(shutil.copytree(folder, project / folder.name))
    root = Path(os.fsdecode(asked.stdout.rstrip(b"\n")))
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True, capture_output=True).stdout
    for name in filter(None, os.fsdecode(listed).split("\0")):
        if (root / name).is_file():
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / name, project / name)
    return project / folder.relative_to(root)


def main() -> None:
    """Measure each set."""
    for given in sys.argv[1:]:
        name, _, folder = given.partition("=")
        print(measure(name, Path(folder), misses=True))


if __name__ == "__main__":
    main()
