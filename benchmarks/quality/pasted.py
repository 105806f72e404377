"""What a body costs below a question: judged questions asked alone, and as the title of an issue.

    python -m benchmarks.quality.pasted FOLDER... [--work FOLDER] [--most 60]

The bodies in `own/bodies.txt` say nothing about the question: templates, traces, logs, environments. So an answer to
the title is the best that there can be, and the difference is what is lost. Questions of several lines are left out.
Issues as they were written are measured as any judged set, once with their titles and once with their texts.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.quality.bootstrap import sample
from benchmarks.quality.evaluation import PRODUCT, evaluate
from benchmarks.quality.judged_sets import OWN, Shelf, read_sets
from benchmarks.quality.measures import COST, NAMED, NDCG, PAGE_RECALL
from holdfast.caches.tokenizers import BYTES

BODIES = OWN / "bodies.txt"
_BETWEEN = "\n=====\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", help="judged sets")
    parser.add_argument("--work", type=Path, help="folder that keeps the caches for the next run")
    parser.add_argument("--most", type=int, default=60, help="questions of a set")
    options = parser.parse_args()
    bodies = BODIES.read_text(encoding="utf-8").split(_BETWEEN)
    print("| | questions | measure | title | title and body | difference |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as temporary:
        for judged in [judged for folder in options.folders for judged in read_sets(folder)]:
            shelves = [_titles(shelf, options.most) for shelf in judged.shelves]
            with_bodies = [_with_bodies(shelf, bodies) for shelf in shelves]
            alone, below = [
                evaluate(judged._replace(shelves=each), BYTES, options.work or Path(temporary), peers=False)
                for each in (shelves, with_bodies)
            ]
            for name in (NDCG, PAGE_RECALL, NAMED, COST):
                titles, texts = alone.figures(PRODUCT, name), below.figures(PRODUCT, name)
                lost = sample(
                    judged.name, [after - before for before, after in zip(titles, texts, strict=True)]
                ).interval
                means = [f"{sum(figures) / len(figures):.3f}" for figures in (titles, texts)]
                interval = f"{lost.mean:+.3f} [{lost.low:+.3f}, {lost.high:+.3f}]"
                print(f"| {judged.name} | {len(titles)} | {name} | {means[0]} | {means[1]} | {interval} |", flush=True)
    return 0


def _titles(shelf: Shelf, most: int) -> Shelf:
    return shelf._replace(questions=[one for one in shelf.questions if "\n" not in one.text][:most])


def _with_bodies(shelf: Shelf, bodies: list[str]) -> Shelf:
    asked = [
        one._replace(text=f"{one.text}\n\n{bodies[number % len(bodies)]}") for number, one in enumerate(shelf.questions)
    ]
    return shelf._replace(questions=asked)


if __name__ == "__main__":
    sys.exit(main())
