"""The figures of every method on every question of a set, taken in one run over the same caches."""

from __future__ import annotations

import hashlib
import json
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import holdfast
from benchmarks.quality.measures import AUC, BUDGET, above, measure
from benchmarks.quality.methods import CutCache, Product
from benchmarks.quality.peers import OUT_OF_THE_BOX, PEERS, NotInstalled, OutOfTheBox
from holdfast import build_cache, open_cache, search

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.quality.judged_sets import JudgedSet, Shelf
    from benchmarks.quality.methods import Method
    from holdfast import Cache

PRODUCT = "search"


class Rows(NamedTuple):
    """One set measured: figures by method and question, and why a method has none."""

    judged: JudgedSet
    by_method: dict[str, list[dict[str, float]]]
    absent: dict[str, str]

    def figures(self, method: str, name: str) -> list[float]:
        """One measure of one method, of the questions that have it."""
        return [row[name] for row in self.by_method.get(method, []) if name in row]


def evaluate(judged: JudgedSet, tokenizer: str, work: Path, *, peers: bool = True, foreign: Sequence[str] = ()) -> Rows:
    """Ask every method every question of a set, of caches below `work`: those that are there, else built now.

    `foreign` are questions about something else, which the product should answer with less strength."""
    rows = Rows(judged, {PRODUCT: []}, {})
    for shelf in judged.shelves:
        with open_cache(shelf_cache(shelf, tokenizer, work)) as cache:
            cut = CutCache(cache, tokenizer)
            _ask(PRODUCT, Product(cache, cut), shelf, rows)
            _compare(cache, shelf, foreign, rows)
            for name, make in PEERS.items() if peers else ():
                try:
                    peer = make(cut)
                except NotInstalled as error:
                    rows.absent[name] = rows.absent[OUT_OF_THE_BOX[name]] = str(error)
                    continue
                with closing(peer):
                    _ask(name, peer, shelf, rows)
                    _ask(OUT_OF_THE_BOX[name], OutOfTheBox(peer), shelf, rows)
    return rows


def _compare(cache: Cache, shelf: Shelf, foreign: Sequence[str], rows: Rows) -> None:
    """Add how the strength of each question of a shelf compares with those of foreign ones."""
    weaker = [search(cache, text).strength for text in foreign] if shelf.questions else []
    last = rows.by_method[PRODUCT][len(rows.by_method[PRODUCT]) - len(shelf.questions) :]
    for row, question in zip(last, shelf.questions if weaker else [], strict=bool(weaker)):
        row[AUC] = above(search(cache, question.text).strength, weaker)


def _ask(name: str, method: Method, shelf: Shelf, rows: Rows) -> None:
    asked = [
        measure(method.pages(one.text), method.answer(one.text, None), method.answer(one.text, BUDGET), one)
        for one in shelf.questions
    ]
    rows.by_method.setdefault(name, []).extend(asked)


def shelf_cache(shelf: Shelf, tokenizer: str, work: Path) -> Path:
    """The cache of a shelf, built once for its pages and for the product's code."""
    digest = hashlib.sha256(json.dumps([shelf.pages, tokenizer, _code_digest()]).encode()).hexdigest()
    place = work / digest[:16]
    if not (place / "cache").exists():
        write_pages(shelf.pages, place / "sources")
        build_cache(place / "sources", place / "cache", tokenizer=tokenizer)
    return place / "cache"


def _code_digest() -> str:
    root = Path(holdfast.__file__).parent / "caches"
    return hashlib.sha256(b"".join([path.read_bytes() for path in sorted(root.rglob("*.py"))])).hexdigest()


def write_pages(pages: Mapping[str, str], folder: Path) -> None:
    """The pages as files, byte by byte as they are."""
    for name, text in pages.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
