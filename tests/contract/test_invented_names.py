"""Names that the project's own documentation does not have are never confirmed; names that it has are not denied."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast import Cache, build_cache, open_cache

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
from benchmarks.quality.invented_names import INVENTED, confirmed  # noqa: E402  # the path has to be set first


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cache]:
    place = tmp_path_factory.mktemp("docs") / "docs"
    build_cache(ROOT / "docs" / "formats", place)
    with open_cache(place) as opened:
        yield opened


def test_sixty_names_are_invented_over_six_trees() -> None:
    assert [len({name for name, _ in names}) for names in INVENTED.values()] == [10] * 6


@pytest.mark.parametrize("tree", INVENTED)
def test_an_invented_name_is_not_confirmed(cache: Cache, tree: str) -> None:
    assert confirmed(cache, INVENTED[tree]) == []


@pytest.mark.parametrize(
    "name", ["cache_version", "context.read", "--receipts", "tokens_used", "context.lock", "sections_considered"]
)
def test_a_name_that_is_there_is_not_denied(cache: Cache, name: str) -> None:
    for question in (name, f"what is {name}"):
        assert "Not here" not in cache.search(question).text.partition("\n")[0]


def test_the_nearest_name_is_one_that_is_there(cache: Cache) -> None:
    first = cache.search("sections_considered_twice").text.partition("\n")[0]
    assert "Not here: sections_considered_twice (nearest: sections_considered)." in first
