"""A section index made to mislead costs no more than one that is sound."""

from __future__ import annotations

import pytest

from holdfast.caches.search.question import Question
from holdfast.caches.section_index.section_records import TermImpacts, longest_columns
from holdfast.caches.section_index.section_scores import Scores, WeighedTerm
from holdfast.caches.section_index.step_lists import ListedSteps

TITLE = WeighedTerm("word", 1, TermImpacts(1, 1, ListedSteps([0], b"\1"), ListedSteps([0], b"\5")))


def test_sections_of_a_document_that_cannot_be_its_own_are_refused_before_they_are_walked() -> None:
    with pytest.raises(ValueError, match="misleading"):
        Scores(Question({"word": 1}, [], [], []), [TITLE], [0, 2**32 - 1, 2]).leading(0)


def test_what_is_held_of_an_index_is_bounded_by_the_documents_listed() -> None:
    assert [longest_columns(documents) < 1 << 20 for documents in (1, 100, 10_000)] == [True, True, False]
