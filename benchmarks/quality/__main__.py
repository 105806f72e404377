"""How well the answers are: `resolve`, whole documents by BM25 and `search` on judged queries over real documentation.

    python benchmarks/quality [FOLDER] [--json]

FOLDER holds `corpus.jsonl.gz`, `queries.jsonl` and `qrels.tsv` (default: `shared/eval/docs` beside the checkout). Pages
are written to a temporary folder as Markdown files and built into caches: one a library, as a project would have, and
one of all together, which is harder. Tokens are counted by `bytes/4`.

nDCG is over pages in the order they first appear in the ranking, gain 2^grade - 1; MRR of the first judged page among
ten; recall is the share of a query's judged pages of which something is within the budget.
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
from math import log2
from pathlib import Path
from typing import Any, NamedTuple

from holdfast import build_cache, open_cache
from holdfast.caches.on_disk.open_caches import Cache
from holdfast.caches.search.budget_choice import ranked
from holdfast.caches.search.impacts import Steps, unit
from holdfast.caches.search.sections import outline, telling
from holdfast.caches.search.terms import query_terms, raw_words, terms_of
from holdfast.core.tokens import tokens_of_bytes

BUDGETS = (1000, 2000, 4000, 8000)
HERE = Path(__file__).resolve()
EVERYTHING = 2**53 - 1


class Answered(NamedTuple):
    """The pages of one answer: all that match, best first, and those within each budget."""

    ranking: list[str]
    within: dict[int, set[str]]


def counted(words: list[str]) -> dict[str, int]:
    """How often each term occurs in words."""
    counts: dict[str, int] = {}
    for word in words:
        for term in terms_of(word):
            counts[term] = counts.get(term, 0) + 1
    return counts


class Method:
    """One way to answer, over one cache."""

    def __init__(self, cache: Cache) -> None:
        self.cache = cache

    def answer(self, query: str) -> Answered:
        raise NotImplementedError


class Resolve(Method):
    """Whole documents by term frequency."""

    def answer(self, query: str) -> Answered:
        everything = self.cache.resolve(query, EVERYTHING)
        within = {budget: {hit.id for hit in self.cache.resolve(query, budget).documents} for budget in BUDGETS}
        return Answered([hit.id for hit in everything.documents if hit.score], within)


class WholeDocuments(Method):
    """Whole documents by the same BM25, each document one section."""

    def __init__(self, cache: Cache) -> None:
        super().__init__(cache)
        self.ids, self.sizes = [], []
        self.fields: list[list[dict[str, int]]] = []
        for document in cache.documents():
            self.ids.append(document.id)
            self.sizes.append(tokens_of_bytes(len(document.content.encode())))
            title = telling(raw_words(outline(document.content).title))
            path = telling(raw_words(document.source.removesuffix(".md")))
            self.fields.append([counted(title), counted(path), counted(raw_words(document.content))])
        self.lengths = [[sum(field.values()) for field in fields] for fields in self.fields]
        totals = [sum(lengths) for lengths in zip(*self.lengths, strict=True)]
        self.steps = [Steps(total, len(self.ids)) for total in totals]

    def answer(self, query: str) -> Answered:
        scores: dict[int, int] = {}
        for term in query_terms(query):
            holding = [place for place, fields in enumerate(self.fields) if any(term in field for field in fields)]
            worth = unit(len(self.ids), len(holding))
            for place in holding:
                for steps, field, length in zip(self.steps, self.fields[place], self.lengths[place], strict=True):
                    if term in field:
                        scores[place] = scores.get(place, 0) + worth * steps.of(field[term])[length]
        order = ranked(scores)
        within = {}
        for budget in BUDGETS:
            left, taken = budget, set()
            for place in order:
                if self.sizes[place] <= left:
                    left -= self.sizes[place]
                    taken.add(self.ids[place])
            within[budget] = taken
        return Answered([self.ids[place] for place in order], within)


class Search(Method):
    """Sections, as `context.search` gives them."""

    def answer(self, query: str) -> Answered:
        everything = self.cache.search(query, EVERYTHING).sections
        best: dict[str, int] = {}
        for hit in everything:
            best[hit.id] = max(best.get(hit.id, 0), hit.score)
        within = {budget: {hit.id for hit in self.cache.search(query, budget).sections} for budget in BUDGETS}
        return Answered(sorted(best, key=lambda page: (-best[page], page)), within)


METHODS: dict[str, type[Method]] = {"resolve": Resolve, "whole documents, BM25": WholeDocuments, "search": Search}


def page_id(page: str) -> str:
    """The id a page has in a cache."""
    return page.partition("://")[2].rstrip("/").lower() + ".md"


def write_pages(pages: list[dict[str, str]], folder: Path) -> None:
    for page in pages:
        path = folder / (page["id"].partition("://")[2].rstrip("/") + ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(page["text"].encode())


def measure(answered: Answered, judged: dict[str, int]) -> dict[str, float]:
    """The figures of one query."""
    figures = {}
    for depth in (5, 10):
        gained = sum((2 ** judged.get(page, 0) - 1) / log2(at + 2) for at, page in enumerate(answered.ranking[:depth]))
        best = sorted(judged.values(), reverse=True)[:depth]
        figures[f"nDCG@{depth}"] = gained / sum((2**grade - 1) / log2(at + 2) for at, grade in enumerate(best))
    places = [at for at, page in enumerate(answered.ranking[:10]) if page in judged]
    figures["MRR"] = 1 / (places[0] + 1) if places else 0.0
    for budget, taken in answered.within.items():
        figures[f"recall@{budget}"] = len(taken & judged.keys()) / len(judged)
    return figures


def evaluate(folder: Path) -> dict[str, dict[str, dict[str, float]]]:
    """setting -> method -> figure -> mean over the queries."""
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        pages = [json.loads(line) for line in lines]
    queries = [json.loads(line) for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    judged: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines():
        query, page, grade = line.split("\t")
        judged.setdefault(query, {})[page_id(page)] = int(grade)
    libraries: dict[str, list[dict[str, str]]] = {}
    for page in pages:
        libraries.setdefault(page["library"], []).append(page)
    results = {}
    with tempfile.TemporaryDirectory() as temporary:
        for setting, groups in (("a cache a library", libraries), ("one cache of all", {"": pages})):
            methods: dict[str, dict[str, Method]] = {name: {} for name in METHODS}
            for group, members in groups.items():
                place = Path(temporary) / setting / (group or "all")
                write_pages(members, place / "sources")
                build_cache(place / "sources", place / "cache", tokenizer="bytes/4")
                cache = open_cache(place / "cache")
                for name, make in METHODS.items():
                    methods[name][group] = make(cache)
            results[setting] = {name: _means(by_group, queries, judged) for name, by_group in methods.items()}
    return results


def _means(
    by_group: dict[str, Method], queries: list[dict[str, Any]], judged: dict[str, dict[str, int]]
) -> dict[str, float]:
    rows = []
    for query in queries:
        method = by_group.get("") or by_group[query["library"]]
        rows.append(measure(method.answer(query["text"]), judged[query["id"]]))
    return {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}


def main(arguments: list[str]) -> int:
    folders = [word for word in arguments if not word.startswith("-")]
    folder = Path(folders[0]) if folders else HERE.parents[3] / "shared" / "eval" / "docs"
    if not (folder / "corpus.jsonl.gz").exists():
        print(f"no evaluation data in {folder}", file=sys.stderr)
        return 1
    results = evaluate(folder)
    if "--json" in arguments:
        print(json.dumps(results, indent=2))
        return 0
    for setting, methods in results.items():
        print(f"\n{setting}\n")
        names = list(methods["search"])
        print("| |" + "|".join(names) + "|\n|---|" + "---|" * len(names))
        for method, figures in methods.items():
            print(f"| {method} |" + "|".join(f"{figures[name]:.3f}".lstrip("0") for name in names) + "|")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
