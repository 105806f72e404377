"""What it saves in tokens, and costs in recall, to give nothing below a share of the best score.

    python -m benchmarks.quality.shares [FOLDER...] [--tokenizer NAME] [--shares 0 3 4 5 6]

Shares are tenths; the product's own is the one in `section_ranking`. Questions are asked of caches in a temporary
folder, as `python benchmarks/quality` does, with every share in turn. Means are those of that benchmark.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from benchmarks.quality.evaluation import write_pages
from benchmarks.quality.judged_sets import IN_THE_MEAN, read_sets, standard_folders
from benchmarks.quality.measures import page_recall, section_recall
from benchmarks.quality.methods import lines_of
from benchmarks.quality.program import SHARED
from holdfast import build_cache, open_cache, search
from holdfast.caches.search import search_request, search_result, section_ranking
from holdfast.caches.tokenizers import BYTES, TOKENIZERS

BUDGETS = (2000, 4000)
TOKENS, PAGES, SECTIONS = "tokens", "pages", "sections"

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.quality.judged_sets import JudgedSet, Question
    from holdfast import Cache

    Figures = dict[tuple[int, int, str], list[float]]  # (share, budget, what is measured) -> of every question


def ask_set(judged: JudgedSet, shares: list[int], tokenizer: str) -> Figures:
    """All figures of one set."""
    found: Figures = {}
    with tempfile.TemporaryDirectory() as temporary:
        for number, shelf in enumerate(judged.shelves):
            place = Path(temporary) / str(number)
            write_pages(shelf.pages, place / "sources")
            build_cache(place / "sources", place / "cache", tokenizer=tokenizer)
            with open_cache(place / "cache") as cache:
                for share in shares:
                    with given_from(share):
                        for question in shelf.questions:
                            for key, figure in ask(cache, question):
                                found.setdefault((share, *key), []).append(figure)
    return found


@contextmanager
def given_from(tenths: int) -> Iterator[None]:
    """The product with another share."""
    changed: dict[str, Any] = {"SHARE": tenths, "_STRETCHES": (8, 6, tenths)}
    others = [patch.object(module, "SHARE", tenths) for module in (search_request, search_result)]
    with patch.multiple(section_ranking, **changed), others[0], others[1]:
        yield


def ask(cache: Cache, question: Question) -> Iterator[tuple[tuple[int, str], float]]:
    """The figures of one question within each budget."""
    for budget in BUDGETS:
        result = search(cache, question.text, budget)
        lines = lines_of(result)
        yield (budget, TOKENS), result.tokens_used
        yield (budget, PAGES), page_recall(lines, question.grades)
        if question.groups:
            yield (budget, SECTIONS), section_recall(lines, question.groups)


def table(measured: dict[str, Figures], shares: list[int]) -> str:
    """A line a share: means over the sets by their weights, section recall over all questions that have it."""
    weights = {name: weight for name, weight in IN_THE_MEAN.items() if name in measured}
    names = [f"{what} in {budget:,}" for budget in BUDGETS for what in (TOKENS, PAGES, SECTIONS)]
    lines = ["| tenths of the best | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    for share in shares:
        cells = []
        for budget in BUDGETS:
            for what in (TOKENS, PAGES):
                means = [weight * fmean(measured[name][share, budget, what]) for name, weight in weights.items()]
                mean = sum(means) / sum(weights.values())
                cells.append(f"{mean:,.0f}" if what == TOKENS else f"{mean:.3f}")
            pooled = [one for figures in measured.values() for one in figures.get((share, budget, SECTIONS), [])]
            cells.append(f"{fmean(pooled):.3f}" if pooled else "")
        lines.append(f"| {share} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="*", help="judged sets; those of the mean unless told")
    parser.add_argument("--tokenizer", choices=TOKENIZERS, default=BYTES, help="how tokens are counted")
    parser.add_argument("--shares", type=int, nargs="+", default=[0, 3, 4, 5, 6], help="tenths of the best score")
    options = parser.parse_args()
    sets = [judged for folder in options.folders or standard_folders(SHARED) for judged in read_sets(folder)]
    measured = {}
    for judged in sets:
        if judged.name in IN_THE_MEAN or options.folders:
            print(judged.name, file=sys.stderr, flush=True)
            measured[judged.name] = ask_set(judged, options.shares, options.tokenizer)
    print(table(measured, options.shares))
    return 0


if __name__ == "__main__":
    sys.exit(main())
