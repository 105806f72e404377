"""Which task comes next, which one a review is about, and what a summary of a task list says."""

from __future__ import annotations

import pytest

from holdfast.specs.layouts import KIRO_TASKS
from holdfast.specs.task_order import next_task, parents, summary, task_to_review
from holdfast.specs.tasks import parse


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        pytest.param("- [x] 1. a\n- [ ] 2. b\n- [-] 3. c\n", "3", id="a begun one before any other"),
        pytest.param("- [ ] 1. a\n- [ ] 2. b\n  - detail\n", "1", id="one without details is no header"),
        pytest.param("- [ ] 1. A\n- [ ] 1.1 a\n- [ ] 1.2 b\n", "1.1", id="one with sub-tasks by number is"),
        pytest.param("- [ ] 1. A\n  - [ ] 7. a\n- [ ] 2. b\n", "7", id="and by indent"),
        pytest.param("- [-] 1. A\n- [x] 1.1 a\n- [ ] 1.2 b\n", "1.2", id="a begun header leads to its sub-task"),
        pytest.param("- [ ] 1. A\n- [x] 1.1 a\n- [ ] 2. b\n", "2", id="a header is last"),
        pytest.param("- [ ] 1. A\n- [x] 1.1 a\n- [x] 2. b\n", "1", id="and is left to tick when all else is done"),
        pytest.param("- [x] 1. a\n  - detail\n- [-] 2. b\n- [-] 3. c\n", "2", id="the first of two begun"),
        pytest.param("- [x] 1. a\n  - detail\n", None, id="all done"),
        pytest.param("", None, id="no tasks"),
        pytest.param("- [ ]* 1. a\n- [ ] 2. B\n- [ ] 2.1 b\n", "2.1", id="an optional one after any needed one"),
        pytest.param("- [ ]* 1. a\n- [ ] 2. B\n- [x] 2.1 b\n", "2", id="even after a needed header"),
        pytest.param("- [x] 1. a\n- [ ]* 2. b\n- [ ]* 3. c\n", "2", id="an optional one when nothing else is left"),
        pytest.param("- [ ] 1. a\n- [-]* 2. b\n", "2", id="an optional one that was begun"),
    ],
)
def test_the_next_task_is_one_begun_else_the_first_open_one_without_sub_tasks(
    markdown: str, expected: str | None
) -> None:
    task = next_task(parse(markdown, KIRO_TASKS).tasks)
    assert (None if task is None else task.id) == expected


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("- [x] 1. a\n- [-] 2. b\n- [ ] 3. c\n", "2"),
        ("- [x] 1. a\n- [x] 2. b\n- [ ] 3. c\n", "2"),
        ("- [x] 1. A\n- [x] 1.1 a\n- [ ] 1.2 b\n", "1.1"),
        ("- [ ] 1. a\n", None),
        ("- [-] 1. A\n- [x] 1.1 a\n- [ ] 1.2 b\n", "1"),
        ("- [-] 1. A\n- [-] 1.1 a\n", "1.1"),
        ("- [x] 1. a\n- [x] 2. A\n- [ ] 2.1 b\n", "1"),
    ],
)
def test_a_review_is_of_the_task_begun_else_of_the_last_one_done(markdown: str, expected: str | None) -> None:
    task = task_to_review(parse(markdown).tasks)
    assert (None if task is None else task.id) == expected


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("- [ ] 1. a\n- [ ] 2. b\n", set()),
        ("- [ ] 1. a\n- [ ] 1.1 b\n- [ ] 1.1.1 c\n- [ ] 2. d\n", {0, 1}),
        ("- [ ] 2.1 b\n- [ ] 2. a\n- [ ] 12. c\n", {1}),
        ("- [ ] 3. a\n  - [ ] 4. b\n  - [ ] 5. c\n- [ ] 6. d\n", {0}),
        ("- [ ] 1. a\n- [ ] 1" + ".1" * 8 + " b\n", {0}),
        ("- [ ] 1. a\n- [ ] 1" + ".1" * 9 + " b\n", set()),
        ("- [ ] 3. a\n  - [ ] 4. b\n", {0}),
        ("", set()),
    ],
)
def test_a_task_has_sub_tasks_by_number_at_most_eight_deep_or_by_indent(markdown: str, expected: set[int]) -> None:
    assert parents(parse(markdown).tasks) == expected


def test_a_summary_names_the_tasks_and_counts_what_is_optional_or_left_out() -> None:
    found = parse(
        "- [x] 1. a\n- [ ] 2. b\n- [ ]* 3. c\n- [x]* 4. d\n- [ ]* 5. e\n- [x] done\n- [ ] no number\n- [ ] nor here\n",
        KIRO_TASKS,
    )
    short = summary(found)
    assert tuple(short) == (found.progress, found.tasks[1], found.tasks[3], 2, 3, 2, found.left_out[1])
    assert short.held_weight == found.tasks[1].weight + found.tasks[3].weight + len(found.left_out[1].text)


def test_a_summary_of_a_list_that_is_done_names_the_first_line_left_out() -> None:
    found = parse("- [x] done\n- [x] also\n")
    assert summary(found) == (found.progress, None, None, 0, 2, 0, found.left_out[0])
    assert (summary(found).held_weight, summary(parse("")).held_weight) == (len(found.left_out[0].text), 0)
    assert summary(parse("")).first_left_out is None
