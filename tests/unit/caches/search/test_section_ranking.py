"""The order of sections, against an oracle that weighs and sorts all of them."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.caches.search.section_ranking import RankedSection, ranking
from support.examples import examples


def oracle(scores: dict[int, int], pages: list[int]) -> list[tuple[int, int]]:
    weighed = []
    for number, score in scores.items():
        before = [other for other in scores if pages[other] == pages[number] and other != number]
        turn = sum((-scores[other], other) < (-score, number) for other in before)
        weight = 65536
        for _ in range(turn):
            weight = weight * 95 // 100
        weighed.append((number, score * weight >> 16))
    best = max(scores.values(), default=0)
    kept = [(number, score) for number, score in weighed if 10 * score >= 4 * best]
    return sorted(kept, key=lambda item: (-item[1], item[0]))


@settings(max_examples=examples(500), deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.one_of(st.integers(0, 30), st.integers(0, 10**6))), max_size=60),
)
def test_the_ranking_is_that_of_the_oracle(sections: list[tuple[int, int]]) -> None:
    sections.sort(key=lambda section: section[0])
    pages = [page for page, _ in sections]
    scores = {number: score for number, (_, score) in enumerate(sections) if score}
    assert [(each.number, each.score) for each in ranking(scores, pages.__getitem__)] == oracle(scores, pages)


def test_a_page_falls_behind_with_each_of_its_sections_and_is_never_out_of_reach() -> None:
    scores = {0: 1000, 1: 1000, 2: 1000, 3: 1000, 4: 930}
    assert list(ranking(scores, [0, 0, 0, 0, 1].__getitem__)) == [
        RankedSection(0, 1000, 0),
        RankedSection(1, 949, 1),
        RankedSection(4, 930, 0),
        RankedSection(2, 902, 2),
        RankedSection(3, 857, 3),
    ]


def test_what_has_less_than_four_tenths_of_the_best_is_not_padded_in() -> None:
    assert [each.number for each in ranking({0: 100, 1: 40, 2: 39}, [0, 1, 2].__getitem__)] == [0, 1]
