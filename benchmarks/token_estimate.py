"""How near `estimate-1` is to o200k_base, and how quick, set by set: python -m benchmarks.token_estimate PATH...

A path is a folder of Markdown, or a file of pages, one JSON object with `text` a line (`corpus.jsonl.gz`, or a folder
that holds one); what is not there is skipped. Texts are cut into sections as a build cuts them. Printed for each set:
the share of sections for which the estimate is at least o200k's count, the median and the 90th percentile of estimate
/ o200k, the same of bytes/4, and the processor's time for a megabyte by each.
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from holdfast.caches.cache_format import make_document
from holdfast.caches.search.sections import read_fields
from holdfast.caches.tokenizers import O200K, counter
from holdfast.core.token_estimate import estimate_tokens
from holdfast.core.tokens import tokens_of_bytes

CORPORA = ("corpus.jsonl.gz", "corpus.jsonl")


def pages(path: Path) -> Iterator[str]:
    """The texts of one set."""
    if path.is_dir():
        held = [path / name for name in CORPORA if (path / name).is_file()]
        if not held:
            yield from (file.read_text("utf-8") for file in sorted(path.rglob("*.md")))
            return
        path = held[0]
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)["text"]


def sections(path: Path) -> list[str]:
    """The sections of one set, as a build would have them."""
    documents = [make_document("page.md", text.encode()) for text in pages(path)]
    return [
        document.content[section.start : section.end]
        for document in documents
        for section in read_fields(document).sections
    ]


def timed(count: Callable[[str], int], texts: list[str]) -> tuple[list[int], float]:
    start = time.process_time()
    counts = [count(text) for text in texts]
    return counts, time.process_time() - start


def row(name: str, texts: list[str], ways: dict[str, Callable[[str], int]]) -> str:
    megabytes = sum([len(text.encode()) for text in texts]) / 1e6
    counted = {way: timed(count, texts) for way, count in ways.items()}
    exact = counted["o200k"][0]
    cells = [name, f"{len(texts):,}"]
    for way in ("estimate", "bytes/4"):
        ratios = sorted([one / other for one, other in zip(counted[way][0], exact, strict=True) if other])
        share = sum([ratio >= 1 for ratio in ratios]) / len(ratios)
        cells += [f"{share:.4f}", f"{ratios[len(ratios) // 2]:.3f}", f"{ratios[len(ratios) * 9 // 10]:.3f}"]
    cells += [f"{1000 * counted[way][1] / megabytes:.1f}" for way in ways]
    return "| " + " | ".join(cells) + " |"


def main() -> int:
    ways: dict[str, Callable[[str], int]] = {
        "estimate": estimate_tokens,
        "o200k": counter(O200K),
        "bytes/4": lambda text: tokens_of_bytes(len(text.encode())),
    }
    ways["o200k"]("loads its tables")
    print("| set | sections | >= o200k | median | 90 % | bytes/4: >= | median | 90 % | ms/MB | o200k | bytes/4 |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for path in map(Path, sys.argv[1:]):
        if path.exists() and (texts := sections(path)):
            print(row(path.name.removesuffix(".gz").removesuffix(".jsonl"), texts, ways), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
