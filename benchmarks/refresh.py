"""What it costs that an answer is never behind its sources: a check that finds nothing, an edit, and a cold command.

In one process, as a server: the check of a cache against its sources as a multiple of a bare `os.stat` of the same
files (ceiling 2) and in milliseconds (ceilings for 100, 1,000 and 10,000 pages), and the CPU time of an answer after
one word of one page was edited (ceiling 120 ms at 1,000 pages). As commands: CPU time of a search as a multiple of the
same with `--frozen` (ceiling 1.6).

python -m benchmarks.refresh [PAGES]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.measure import SCRIPT, user_environment
from holdfast.caches.meant_caches import meant_caches
from holdfast.catalog import find_tool
from holdfast.operation import answer
from holdfast.workspace import Workspace

ROUNDS = 9
MOST_CHECK, MOST_COLD = 2.0, 1.6
# By the number of pages, milliseconds of a check and of an answer after an edit.
MOST_MILLISECONDS = {100: (1.5, 120.0), 1000: (6.0, 120.0), 10_000: (45.0, float("inf"))}


def make_project(folder: Path, pages: int) -> None:
    """A project that declares and has built `pages` pages in folders of a hundred."""
    for number in range(pages):
        place = folder / "docs" / f"{number // 100}"
        place.mkdir(parents=True, exist_ok=True)
        text = f"# Page {number}\n\n" + f"word{number} and some more text about topic{number % 97}. " * 20
        (place / f"{number}.md").write_text(text, encoding="utf-8")
    subprocess.run([SCRIPT, "add", "docs", "docs"], cwd=folder, env=user_environment(), check=True, capture_output=True)


def bare_stats(paths: list[str]) -> None:
    for path in paths:
        os.stat(path)


def seconds(work: object, *arguments: object) -> float:
    """CPU time, system calls included: a loaded machine does not change what is compared."""
    began = time.process_time()
    work(*arguments)  # type: ignore[operator]  # any function
    return time.process_time() - began


def child_time(folder: Path, *words: str) -> float:
    process = subprocess.Popen([SCRIPT, *words], cwd=folder, env=user_environment(), stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, words
    return used.ru_utime + used.ru_stime


def main(pages: int) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_project(folder, pages)
        time.sleep(0.2)  # stamps are trusted once they are older than the clock's grain
        workspace = Workspace(name, door="tool", user_cache=user_environment().get("XDG_CACHE_HOME", f"{name}-cache"))
        search = find_tool("context.search")
        answer(search, {"query": "word7"}, workspace)
        time.sleep(0.2)
        answer(search, {"query": "word7"}, workspace)
        files = [str(path) for path in sorted((folder / "docs").rglob("*.md"))]
        pairs = [(seconds(bare_stats, files), seconds(meant_caches, workspace, "docs")) for _ in range(ROUNDS * 5)]
        bare, check = median([pair[0] for pair in pairs]), median([pair[1] for pair in pairs])
        edits = []
        for number in range(ROUNDS):
            (folder / "docs" / "0" / "5.md").write_text(f"# Page 5\n\nedited{number} text\n", encoding="utf-8")
            began = time.process_time()
            reply = answer(search, {"query": f"edited{number}"}, workspace)
            edits.append(time.process_time() - began)
            assert "0/5.md#L" in reply.text
        subprocess.run([SCRIPT, "sync"], cwd=folder, env=user_environment(), check=True, capture_output=True)
        colds = [
            (child_time(folder, "search", "word7", "--frozen"), child_time(folder, "search", "word7"))
            for _ in range(ROUNDS)
        ]
        frozen, cold = median([pair[0] for pair in colds]), median([pair[1] for pair in colds])
    print(f"{pages} pages")
    print(
        f"nothing changed: {check * 1000:.2f} ms, {check / bare:.2f} of a bare stat of each file (at most {MOST_CHECK})"
    )
    most_check, most_edit = MOST_MILLISECONDS.get(pages, (float("inf"), float("inf")))
    edited = median(edits) * 1000
    print(
        f"  (at most {most_check:g} ms); one page edited: {edited:.0f} ms of CPU to the answer (at most {most_edit:g})"
    )
    print(f"cold search: {cold * 1000:.0f} ms of CPU, {cold / frozen:.2f} of --frozen (at most {MOST_COLD})")
    is_quick = check * 1000 <= most_check and edited <= most_edit
    return 0 if is_quick and check / bare <= MOST_CHECK and cold / frozen <= MOST_COLD else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
