"""The figures of every method on every question of a set, taken in one run over the same caches."""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.quality.measures import measure
from benchmarks.quality.methods import CutCache, Product
from benchmarks.quality.peers import PEERS, NotInstalled
from holdfast import build_cache, open_cache

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.quality.judged_sets import JudgedSet, Shelf
    from benchmarks.quality.methods import Method

PRODUCT = "search"


class Rows(NamedTuple):
    """One set measured: figures by method and question, and why a method has none."""

    judged: JudgedSet
    by_method: dict[str, list[dict[str, float]]]
    absent: dict[str, str]

    def figures(self, method: str, name: str) -> list[float]:
        """One measure of one method, of the questions that have it."""
        return [row[name] for row in self.by_method.get(method, []) if name in row]


def evaluate(judged: JudgedSet, tokenizer: str) -> Rows:
    """Build the caches of a set below a temporary folder and ask every method every question."""
    rows = Rows(judged, {PRODUCT: []}, {})
    with tempfile.TemporaryDirectory() as temporary:
        for number, shelf in enumerate(judged.shelves):
            place = Path(temporary) / str(number)
            write_pages(shelf.pages, place / "sources")
            build_cache(place / "sources", place / "cache", tokenizer=tokenizer)
            with open_cache(place / "cache") as cache:
                _ask(PRODUCT, Product(cache), shelf, rows)
                cut = CutCache(cache, tokenizer)
                for name, make in PEERS.items():
                    try:
                        peer = make(cut)
                    except NotInstalled as error:
                        rows.absent[name] = str(error)
                        continue
                    with closing(peer):
                        _ask(name, peer, shelf, rows)
    return rows


def _ask(name: str, method: Method, shelf: Shelf, rows: Rows) -> None:
    asked = [measure(method.answers(question.text), question) for question in shelf.questions]
    rows.by_method.setdefault(name, []).extend(asked)


def write_pages(pages: Mapping[str, str], folder: Path) -> None:
    """The pages as files, byte by byte as they are."""
    for name, text in pages.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
