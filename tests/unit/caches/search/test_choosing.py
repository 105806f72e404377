"""The choice within a budget, against an oracle that sorts everything."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.caches.search import budget_choice
from holdfast.caches.search.budget_choice import TURN, Choice, choose


def oracle(scores: dict[int, int], tokens: list[int], documents: list[int], budget: int, limit: int | None) -> Choice:
    ranking = sorted(scores, key=lambda number: (-scores[number], number))
    taken: list[int] = []
    for turn in (TURN, 10**9):
        for number in ranking:
            of_document = [other for other in taken if documents[other] == documents[number]]
            used = sum(tokens[other] for other in taken)
            if (
                number not in taken
                and len(of_document) < turn
                and used + tokens[number] <= budget
                and len(taken) != limit
            ):
                taken.append(number)
    groups: list[list[int]] = []
    for number in sorted(taken):
        if groups and groups[-1][-1] == number - 1 and documents[number - 1] == documents[number]:
            groups[-1].append(number)
        else:
            groups.append([number])
    groups.sort(key=lambda group: (-max(scores[number] for number in group), group[0]))
    used = sum(tokens[number] for number in taken)
    excluded = [number for number in scores if number not in taken and tokens[number] > budget - used]
    return Choice([number for group in groups for number in group], used, len(scores), len(excluded))


@settings(max_examples=500)
@given(
    sections=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 40), st.integers(0, 6)), min_size=1, max_size=40),
    budget=st.one_of(st.integers(0, 200), st.just(2**53 - 1)),
    limit=st.one_of(st.none(), st.integers(0, 10)),
    first=st.integers(1, 10),
)
def test_the_choice_is_that_of_the_oracle(
    sections: list[tuple[int, int, int]], budget: int, limit: int | None, first: int
) -> None:
    sections.sort(key=lambda section: section[0])
    documents = [document for document, _, _ in sections]
    tokens = [size for _, size, _ in sections]
    scores = {number: score for number, (_, _, score) in enumerate(sections) if score}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(budget_choice, "_FIRST", first)
        found = choose(scores, tokens, documents.__getitem__, budget, limit)
        # What is known besides changes the way, not the choice.
        bound = sorted(scores.values())[len(scores) // 2] if scores else 0
        known = choose(
            *(scores, tokens, documents.__getitem__, budget, limit),
            strong=([number for number in scores if scores[number] > bound], bound),
            fitting=lambda left: sorted(number for number, size in enumerate(tokens) if size <= left),
        )
    assert known == found
    assert found == oracle(scores, tokens, documents, budget, limit)
    assert found.tokens_used <= budget


def test_a_section_too_big_for_the_budget_is_skipped_and_a_smaller_later_one_still_fits() -> None:
    assert choose({0: 9, 1: 5, 2: 1}, [10, 100, 5], [0, 1, 2].__getitem__, 20) == Choice([0, 2], 15, 3, 1)


def test_one_document_does_not_crowd_out_the_others() -> None:
    scores = {0: 9, 1: 8, 2: 7, 3: 6, 4: 1}
    assert choose(scores, [10] * 5, [0, 0, 0, 0, 1].__getitem__, 40).numbers == [0, 1, 2, 4]
    assert choose(scores, [10] * 5, [0, 0, 0, 0, 1].__getitem__, 50).numbers == [0, 1, 2, 3, 4]


def test_neighbours_stand_together_in_the_order_of_their_document() -> None:
    scores = {0: 1, 1: 9, 2: 5, 7: 8}
    assert choose(scores, [1] * 8, [0, 0, 0, 0, 0, 0, 0, 1].__getitem__, 9).numbers == [0, 1, 2, 7]
