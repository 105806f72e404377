"""The quality benchmark: its measures against figures worked out by hand, and all of it on a set of three pages."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from math import log2
from pathlib import Path
from typing import Any

import pytest
from benchmarks.quality.bootstrap import Sample, sample, weighted
from benchmarks.quality.evaluation import evaluate, shelf_cache
from benchmarks.quality.judged_sets import Lines, Question, foreign_questions, read_sets, standard_folders
from benchmarks.quality.measures import AUC, Answer, above, measure, ndcg, page_recall, section_recall
from benchmarks.quality.summary import summarize
from benchmarks.quality.table import as_text

ROOT = Path(__file__).parents[2]
PAGES = {
    "Kettle.md": "# Kettle\n\nFill it with water.\n\n## Descale\n\nVinegar dissolves lime.\n",
    "oven.md": "# Oven\n\nHeat it first.\n\n## Clean\n\nBurnt sugar comes off with soda.\n",
    "tools/whisk.md": "# Whisk\n\nBeats eggs.\n",
}
QUESTIONS: list[dict[str, Any]] = [
    {"id": "a", "text": "dissolve lime with vinegar", "rel": {"kettle.md": 1}, "sections": [[["kettle.md", 5, 7]]]},
    {"id": "b", "text": "beat eggs", "rel": {"tools/whisk.md": 1}},
]


def make_set(folder: Path) -> Path:
    folder.mkdir(parents=True)
    pages = [json.dumps({"path": path, "text": text}) for path, text in PAGES.items()]
    (folder / "corpus.jsonl.gz").write_bytes(gzip.compress("\n".join(pages).encode()))
    (folder / "queries.jsonl").write_text("".join([json.dumps(one) + "\n" for one in QUESTIONS]), encoding="utf-8")
    return folder


def make_library_set(folder: Path) -> Path:
    folder.mkdir(parents=True)
    pages = [
        json.dumps({"id": f"https://kitchen/{path.removesuffix('.md')}/", "text": text, "library": path[0]})
        for path, text in PAGES.items()
    ]
    (folder / "corpus.jsonl.gz").write_bytes(gzip.compress("\n".join(pages).encode()))
    queries = [{"id": "7", "text": "dissolve lime", "library": "K"}, {"id": "8", "text": "burnt sugar", "library": "o"}]
    (folder / "queries.jsonl").write_text("".join([json.dumps(one) + "\n" for one in queries]), encoding="utf-8")
    judged = "7\thttps://kitchen/Kettle/\t3\n8\thttps://kitchen/oven/\t2\n"
    (folder / "qrels.tsv").write_text(judged, encoding="utf-8")
    return folder


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "benchmarks" / "quality"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8")


def test_ndcg_is_the_discounted_gain_of_the_first_pages_as_a_share_of_the_best_order() -> None:
    grades = {"best": 3, "good": 2}
    assert ndcg(["best", "good"], grades) == 1
    assert ndcg(["other", "good", "best"], grades) == (3 / log2(3) + 7 / 2) / (7 + 3 / log2(3))
    assert ndcg(["1", "2", "3", "4", "5", "best"], grades) == 0
    assert ndcg([], grades) == 0


def test_page_recall_is_the_share_of_judged_pages_of_which_anything_is_given() -> None:
    answer = [Lines("a", 1, 2), Lines("other", 1, 9), Lines("a", 5, 6)]
    assert page_recall(answer, {"a": 1, "b": 3}) == 0.5
    assert page_recall([], {"a": 1}) == 0


def test_section_recall_is_the_share_of_groups_of_which_a_line_is_given() -> None:
    groups = [[Lines("a", 10, 20), Lines("b", 1, 5)], [Lines("a", 30, 40)]]
    assert section_recall([Lines("a", 1, 9), Lines("a", 21, 29)], groups) == 0
    assert section_recall([Lines("a", 1, 10)], groups) == 0.5
    assert section_recall([Lines("b", 5, 8), Lines("a", 35, 36)], groups) == 1
    assert section_recall([Lines("c", 1, 100)], groups) == 0


def test_an_answer_is_measured_by_what_it_gives_and_names_and_by_what_the_gold_costs() -> None:
    first, second = Lines("a", 1, 2), Lines("b", 1, 2)
    question = Question("q", "?", {"a": 1}, [[first]])
    large = Answer([second, first], [], 3900)
    order = {"nDCG@5": 1 / log2(3), "page recall in 4,000 tokens": 1, "section recall in 4,000 tokens": 1}
    found, named, cost = "gold in the text", "gold in the text or named", "cost to the gold"
    given = measure(["b", "a"], Answer([first], [second], 700), large, question)
    assert given == order | {found: 1, named: 1, cost: 700, "tokens": 700}
    only_named = measure(["b", "a"], Answer([second], [first], 700), large, question)
    assert only_named == order | {found: 0, named: 1, cost: 880, "tokens": 700}
    missed = measure(["b", "a"], Answer([second], [], 700), large, question._replace(groups=[]))
    assert missed[cost] == 2760
    assert "section recall in 4,000 tokens" not in missed


def test_the_draws_of_a_name_are_always_the_same_and_its_interval_holds_the_mean() -> None:
    figures = [0.0, 1.0] * 20
    one = sample("ray", figures)
    assert one == sample("ray", list(figures))
    assert one.drawn != sample("aws", figures).drawn
    interval = one.interval
    # The mean of forty tosses of a coin lies within .5 +- 1.96 * .5 / sqrt(40) in 95 % of all cases.
    assert interval.mean == 0.5
    assert interval.low == pytest.approx(0.345, abs=0.03)
    assert interval.high == pytest.approx(0.655, abs=0.03)
    assert sample("ray", [0.25] * 9).interval == (0.25, 0.25, 0.25)


def test_an_interval_without_zero_is_beyond_noise() -> None:
    signs = [sample("x", figures).interval.sign for figures in ([0.1] * 5, [-0.1] * 5, [0.0] * 5, [1.0, -1.0] * 9)]
    assert signs == [1, -1, 0, 0]


def test_a_mean_of_sets_is_weighed_draw_by_draw() -> None:
    mean = weighted([Sample(1.0, [1.0, 2.0]), Sample(4.0, [4.0, 8.0])], [1.0, 0.5])
    assert mean == Sample(2.0, [2.0, 4.0])


def test_a_folder_with_libraries_is_asked_library_by_library_and_all_together(tmp_path: Path) -> None:
    apart, together = read_sets(make_library_set(tmp_path / "docs"))
    assert (apart.name, together.name, apart.origin) == (
        "docs, a cache a library",
        "docs, one cache of all",
        together.origin,
    )
    assert [sorted(shelf.pages) for shelf in apart.shelves] == [
        ["kitchen/Kettle.md"],
        ["kitchen/oven.md"],
        ["kitchen/tools/whisk.md"],
    ]
    assert apart.questions == together.questions
    assert apart.questions[0] == Question("7", "dissolve lime", {"kitchen/kettle.md": 3}, [])


def test_the_standard_sets_are_those_of_the_mean_first(tmp_path: Path) -> None:
    for name in ("retrieval/aws", "retrieval/ray", "retrieval/another"):
        make_set(tmp_path / "eval" / name)
    make_library_set(tmp_path / "eval" / "docs")
    assert [folder.name for folder in standard_folders(tmp_path)] == ["ray", "aws", "docs", "another"]


def test_the_benchmark_measures_the_product_beside_its_peers(tmp_path: Path) -> None:
    folder = make_set(tmp_path / "kitchen")
    told = json.loads(run(folder, "--json").stdout)
    assert told["questions"] == {"kitchen": 2}
    perfect = {"kitchen": {"mean": 1.0, "low": 1.0, "high": 1.0}}
    peers = {"SQLite FTS5", "bm25s", "SQLite FTS5, out of the box", "bm25s, out of the box"}
    for name in (
        "nDCG@5",
        "page recall in 4,000 tokens",
        "section recall in 4,000 tokens",
        "gold in the text or named",
    ):
        methods = told["measures"][name]["methods"]
        assert methods == dict.fromkeys(methods, perfect)
        assert {"search", *peers} == methods.keys() | told["absent"].keys()
    assert told["measures"]["tokens"]["methods"].keys() == {"search", *peers} - told["absent"].keys()


def test_the_caches_are_kept_for_the_next_run_of_the_same_code(tmp_path: Path) -> None:
    (judged,) = read_sets(make_set(tmp_path / "kitchen"))
    first = shelf_cache(judged.shelves[0], "bytes/4", tmp_path / "work")
    built = (first / "manifest.json").stat().st_mtime_ns
    assert shelf_cache(judged.shelves[0], "bytes/4", tmp_path / "work") == first
    assert (first / "manifest.json").stat().st_mtime_ns == built
    assert shelf_cache(judged.shelves[0], "estimate-1", tmp_path / "work") != first


def test_the_row_of_a_peer_that_is_not_installed_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.quality.peers.find_spec", lambda name: None)
    measured = [evaluate(judged, "bytes/4", tmp_path) for judged in read_sets(make_set(tmp_path / "kitchen"))]
    text = as_text(measured, summarize(measured), "any", "bytes/4")
    assert "bm25s: not installed: numpy, bm25s, Stemmer (dependency group `benchmarks`).\n" in text
    assert "| | search | SQLite FTS5 | SQLite FTS5, out of the box |\n" in text


def test_the_benchmark_prints_the_same_table_every_time(tmp_path: Path) -> None:
    folders = make_set(tmp_path / "ray"), make_library_set(tmp_path / "docs")
    first = run(*folders)
    assert first.stdout == run(*folders).stdout
    lines = first.stdout.splitlines()
    assert [line.split(" | ")[0] for line in lines[lines.index("### nDCG@5") + 4 :][:4]] == [
        "| ray",
        "| docs, a cache a library",
        "| docs, one cache of all",
        "| mean",
    ]
    assert "Questions: ray 2 (1 judged by section); docs, a cache a library 2;" in first.stdout
    assert "| ray | 1.000 (1.000–1.000) | 1.000, .000 [.000, .000] |" in first.stdout


def test_a_folder_without_a_set_is_named(tmp_path: Path) -> None:
    result = run(tmp_path)
    assert (result.returncode, result.stderr) == (1, f"no judged set in {tmp_path}\n")


def test_a_strength_is_compared_with_those_of_foreign_questions() -> None:
    assert above(120, [20, 60, 120, 140]) == 0.625


def test_foreign_questions_are_those_of_other_sets_and_rank_below_own_ones(tmp_path: Path) -> None:
    [own] = read_sets(make_set(tmp_path / "own"))
    other = own._replace(
        name="other",
        origin="other",
        shelves=[shelf._replace(questions=[Question("x", "roast a bicycle", {}, [])]) for shelf in own.shelves],
    )
    assert foreign_questions(own, [own, other]) == ["roast a bicycle"]
    rows = evaluate(own, "bytes/4", tmp_path / "work", peers=False, foreign=["roast a bicycle"])
    assert rows.figures("search", AUC) == [1.0, 1.0]


def test_every_phrase_of_this_repositorys_set_is_in_its_documentation() -> None:
    pages = "\n".join([path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").rglob("*.md"))])
    rows = (ROOT / "benchmarks/quality/own/phrases/holdfast.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 30
    assert [row for row in rows if not re.search(json.loads(row)["phrase"], pages)] == []
