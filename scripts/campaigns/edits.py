"""Documentation is edited so that stamps hide it, under readers: no answer may quote what was there before.

A page gets another word of the same length; then its mtime is restored, or it is renamed over, or the link that leads
to it is swapped, or it is written through a memory mapping. Each search that begins after an edit has to cite the word
of that edit, while ten clients search the same workspace all the time: every line that they are quoted is compared with
what the file said at some moment of their call.
"""

from __future__ import annotations

import json
import mmap
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from campaign import Campaign, arguments, command_line, scratch

from holdfast.catalog import find_tool
from holdfast.core import file_identity
from holdfast.operation import answer
from holdfast.workspace import Workspace

PAGES, READERS = 12, 10
_LETTERS = "bcdfghklmnprstvz"


def word_of(number: int) -> str:
    """A word that no other edit has, always of the same length."""
    return "w" + "".join([_LETTERS[number >> 4 * place & 15] + "a" for place in range(5)])


def text_of(page: int, word: str) -> bytes:
    return f"# Page {page}\n\nThe word of now is {word} on this page.\n".encode()


class Written:
    """Which word a page had when: an edit begins before it is seen by anybody, and is over when all see it."""

    def __init__(self) -> None:
        self._edits: dict[int, list[tuple[str, float, float]]] = {}

    def begin(self, page: int, word: str) -> None:
        self._edits.setdefault(page, []).append((word, time.monotonic(), float("inf")))

    def end(self, page: int) -> None:
        word, began, _ = self._edits[page][-1]
        self._edits[page][-1] = (word, began, time.monotonic())

    def was(self, page: int, word: str, start: float, end: float) -> bool:
        """Whether a page had a word at some moment between two."""
        edits = list(self._edits[page])
        for place, (each, began, _) in enumerate(edits):
            if each == word:
                replaced = edits[place + 1][2] if place + 1 < len(edits) else float("inf")
                return began <= end and replaced >= start
        return False


def restored(page: Path, data: bytes) -> None:
    before = page.stat()
    page.write_bytes(data)
    os.utime(page, ns=(before.st_atime_ns, before.st_mtime_ns))


def renamed_over(page: Path, data: bytes) -> None:
    before, aside = page.stat(), page.with_suffix(".new")
    aside.write_bytes(data)
    os.utime(aside, ns=(before.st_atime_ns, before.st_mtime_ns))
    aside.replace(page)


def swapped_link(page: Path, data: bytes) -> None:
    target = page.parent / "targets" / f"{page.stem}-{data[-20:-14].hex()}.md"
    target.write_bytes(data)
    link = page.with_suffix(".link")
    link.symlink_to(target.relative_to(page.parent))
    link.replace(page)


def mapped(page: Path, data: bytes) -> None:
    if page.is_symlink() or page.stat().st_size != len(data):
        restored(page, data)
        return
    with page.open("r+b") as file, mmap.mmap(file.fileno(), len(data)) as view:
        view[:] = data
        view.flush()


WAYS: tuple[Callable[[Path, bytes], None], ...] = (restored, renamed_over, swapped_link, mapped)


def run(campaign: Campaign, folder: Path, edits: int) -> None:
    docs = folder / "docs"
    (docs / "targets").mkdir(parents=True)
    written = Written()
    for page in range(PAGES):
        written.begin(page, word_of(page))
        written.end(page)
        (docs / f"{page}.md").write_bytes(text_of(page, word_of(page)))
    (folder / "context.toml").write_text(
        '[caches.docs]\nsources = ["docs"]\nexclude = ["targets/"]\n', encoding="utf-8"
    )
    (folder / ".git").mkdir()
    workspace = Workspace(str(folder), door="tool", user_cache=str(folder.parent / "user"), patience=20.0)
    search, is_over = find_tool("context.search"), threading.Event()

    def read() -> None:
        while not is_over.is_set():
            start = time.monotonic()
            reply = answer(search, {"query": "word of now", "format": "json"}, workspace)
            end = time.monotonic()
            campaign.counts["answers to other clients"] += 1
            if reply.is_error:
                campaign.find(f"a client got {reply.text}")
                continue
            for section in json.loads(reply.text)["sections"]:
                rest = section["content"].partition("The word of now is ")[2]
                page, word = int(section["id"].partition(".")[0]), rest.partition(" ")[0]
                campaign.counts["lines quoted to other clients"] += 1
                if not written.was(page, word, start, end):
                    campaign.find(f"page {page} was quoted with {word!r}, which it did not say during the call")

    readers = [threading.Thread(target=read) for _ in range(READERS)]
    for reader in readers:
        reader.start()
    try:
        for number in range(PAGES, PAGES + edits):
            page, way = campaign.random.randrange(PAGES), campaign.random.choice(WAYS)
            word = word_of(number)
            written.begin(page, word)
            way(docs / f"{page}.md", text_of(page, word))
            written.end(page)
            reply = answer(search, {"query": word}, workspace)
            campaign.counts[f"edits: {way.__name__}"] += 1
            if f"{page}.md#L" not in reply.text or word not in reply.text:
                campaign.find(f"edit {number} of page {page} ({way.__name__}) is not in the answer")
    finally:
        is_over.set()
        for reader in readers:
            reader.join()


def main() -> int:
    options = arguments(__doc__, "edits", 10_000, "edits").parse_args()
    campaign = Campaign("edits", options.seed, command_line(options.edits))
    if options.sabotage:
        # Files are known by mtime and size alone, and trusted at once.
        from holdfast.caches.build import refresh, source_state

        for module in (refresh, source_state, file_identity):
            module.identity = lambda status: (status.st_mtime_ns, status.st_size, 0, 1, 0)  # type: ignore[attr-defined]
        for module, name in ((refresh, "are_settled"), (source_state, "is_settled")):
            setattr(module, name, lambda _files, _started: True)
    with scratch() as folder:
        run(campaign, Path(folder) / "project", options.edits)
    return campaign.finish()


if __name__ == "__main__":
    sys.exit(main())
