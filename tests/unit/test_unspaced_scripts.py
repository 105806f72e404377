"""Scripts without blanks between words can be searched: pages and questions of our own, in Thai and its neighbours."""

from __future__ import annotations

import pytest
from benchmarks.quality.evaluation import PRODUCT, evaluate
from benchmarks.quality.judged_sets import OWN, read_sets
from benchmarks.quality.measures import NDCG


@pytest.mark.parametrize(("script", "count"), [("thai", 72), ("lao", 8), ("khmer", 8), ("burmese", 8)])
def test_a_question_finds_its_page_though_no_blanks_part_its_words(script: str, count: int) -> None:
    (judged,) = read_sets(OWN / f"{script}.jsonl")
    figures = evaluate(judged, "estimate-1").figures(PRODUCT, NDCG)
    assert len(figures) == count
    assert sum(figures) / count >= 0.9
