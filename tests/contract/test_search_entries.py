"""What an answer spends on naming sections, and on explaining them, beside the sections themselves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdfast import Cache, InvalidBudget, build_cache, open_cache
from holdfast.caches.search.search_request import SearchRequest
from support.doors import Door

FILLER = "Other words stand here and fill the page up to the next heading of it. " * 3
APART = "".join([f"## Part {number}\n\n{FILLER}\n\n" for number in range(5)])
PAGE = f"# Page\n\nOpening.\n\n## Zebra\n\nA zebra is here.\n\n{{between}}## Zebras\n\nThe zebra again.\n\n{APART}"


def build(tmp_path: Path, tokenizer: str = "estimate-1", **pages: str) -> Path:
    for name, text in pages.items():
        (tmp_path / "sources").mkdir(exist_ok=True)
        (tmp_path / "sources" / f"{name}.md").write_bytes(text.encode())
    build_cache(tmp_path / "sources", tmp_path / "docs", tokenizer=tokenizer)
    return tmp_path / "docs"


def test_a_heading_that_an_earlier_entry_of_its_page_told_is_not_told_again(tmp_path: Path) -> None:
    long = "".join([f"{('A zebra', 'Others')[number % 2]} in {number}. {FILLER * 4}\n\n" for number in range(12)])
    source = build(tmp_path, page=f"# Animals\n\nOpening.\n\n## Stripes\n\nNothing.\n\n{FILLER * 4}\n\n{long}")
    with open_cache(source) as cache:
        found = cache.search("zebra", 2000)
    named = [line for line in found.text.split("\n") if line.startswith("[")]
    assert len(named) > 1
    assert sum("Stripes" in line for line in named) == 1
    assert sum("Animals" in line for line in named) == 1


@pytest.mark.parametrize("tokenizer", ["estimate-1", "o200k_base"])
def test_reasons_are_cut_to_what_fits_and_never_cost_an_answer(tmp_path: Path, tokenizer: str) -> None:
    words = " ".join([f"word{number}" for number in range(60)])
    source = build(tmp_path, tokenizer, page=f"# Page\n\nThe url is https://example.org/a/{words}\n")
    with open_cache(source) as cache:
        least = next(budget for budget in range(150, 2000, 10) if answers(cache, words, budget))
        for budget in (least, least + 40, least + 100, 4000):
            told = cache.find(SearchRequest(words, budget, explain=True))
            assert told.tokens_used <= budget
            (section,) = told.sections
            assert section.why is not None
            assert len(section.why) + section.why_more == 60
            assert (f"; {section.why_more} more)" in told.text) == (0 < section.why_more < 60)
            assert ("(why: " in told.text) == bool(section.why)
        assert not section.why_more
        assert not answers(cache, words, least - 10, explain=True)


def answers(cache: Cache, words: str, budget: int, *, explain: bool = False) -> bool:
    try:
        return bool(cache.find(SearchRequest(words, budget, explain=explain)).sections)
    except InvalidBudget:
        return False


@pytest.mark.parametrize("known", [["x" * 9000], ["no citation"], ["a.md#L1-L2@0123456789ab"] * 1001])
def test_what_is_no_citation_in_known_is_answered_with_what_to_give(
    tmp_path: Path, door: Door, known: list[str]
) -> None:
    build(tmp_path, page=PAGE.format(between=""))
    answer = door.call("context.search", {"cache": "docs", "query": "zebra", "known": known})
    told = json.loads(answer.text)["error"]
    assert (answer.is_error, told["code"]) == (True, "invalid_citation")
    assert "name#Lfirst-Llast@hash, at most 1,000 of 8 KiB" in told["message"]
