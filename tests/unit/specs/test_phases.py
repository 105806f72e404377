"""Phases and times: values in, values out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.specs.names import is_new_spec_name, is_spec_name
from holdfast.specs.phases import Spec, iso_milliseconds, state_of, what_is_next
from holdfast.specs.tasks import Progress


def expected(spec: Spec) -> tuple[str, str]:
    """The rules as the format states them, once more."""
    if spec.requirements is None:
        return "requirements", "requirements-needed"
    if spec.design is None:
        return "design", "design-needed"
    if spec.tasks is None or spec.progress is None:
        return "tasks", "tasks-needed"
    if spec.progress.pending > 0:
        return "implementation", "implementing"
    if spec.progress.total > 0 and spec.progress.completed == spec.progress.total:
        return "completed", "completed"
    return "implementation", "ready-for-implementation"


@pytest.mark.parametrize("files", list(product([None, 1], repeat=3)))
@pytest.mark.parametrize("progress", [(0, 0, 0), (2, 0, 2), (2, 1, 1), (2, 1, 0), (2, 0, 0), (2, 2, 0)])
def test_the_first_rule_that_applies_is_the_state(
    files: tuple[int | None, ...], progress: tuple[int, int, int]
) -> None:
    requirements, design, tasks = files
    spec = Spec("s", 0, requirements, design, tasks, None if tasks is None else Progress(*progress))
    state = state_of(spec)
    assert (state.phase, state.status) == expected(spec)


def test_finished_tasks_come_before_a_document_that_was_never_written() -> None:
    spec = Spec("s", 0, 1, None, 1, Progress(2, 2, 0))
    state = state_of(spec)
    assert state.next_steps == ("All tasks are done: run the whole test suite once more", "design.md was never written")
    assert what_is_next(spec, state) is None


@given(st.integers(min_value=-62_135_596_800_000, max_value=253_402_300_799_999))
def test_every_time_from_year_1_to_9999_is_what_the_calendar_says(milliseconds: int) -> None:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)
    text = f"{moment.year:04}" + moment.strftime("-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"
    assert iso_milliseconds(milliseconds * 1_000_000) == text


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (1_700_000_000_123_499_999, "2023-11-14T22:13:20.123Z"),
        (1_700_000_000_123_500_000, "2023-11-14T22:13:20.124Z"),
        (1_700_000_000_999_500_000, "2023-11-14T22:13:21.000Z"),
        (-500_000, "1970-01-01T00:00:00.000Z"),
        (-500_001, "1969-12-31T23:59:59.999Z"),
    ],
)
def test_half_a_millisecond_is_rounded_up(nanoseconds: int, text: str) -> None:
    assert iso_milliseconds(nanoseconds) == text


@pytest.mark.parametrize(
    ("seconds", "year"), [(2**62, 146138514283), (-(2**62), -146138510344), (253_402_300_800, 10_000)]
)
def test_a_time_that_the_system_calendar_cannot_hold_has_its_year_all_the_same(seconds: int, year: int) -> None:
    assert iso_milliseconds(seconds * 10**9).partition("-0")[0].removesuffix("-12") == str(year)


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "/etc", "a\\b", "a\0b", "n" * 300, "é" * 128, "\ud800"])
def test_what_leads_elsewhere_is_no_spec_name(name: str) -> None:
    assert (is_spec_name(name), is_new_spec_name(name)) == (False, False)


@pytest.mark.parametrize(
    "name",
    [
        *(".hidden", "-flag", " blank", "blank ", "new\nline", "tab\t", "\x1b[2J", "a\x7f", "a\x9bb", "no\u00a0break"),
        *("zero\u200bwidth", "soft\u00adhyphen", "\u202eesrever", "mark\u200f", "a\u2028b", "\ufeffbom", "a\u3000b"),
        *("private\ue000", "none\uffff", "tag\U000e0041", "far\U00100000"),
    ],
)
def test_what_types_badly_may_exist_but_is_not_made(name: str) -> None:
    assert (is_spec_name(name), is_new_spec_name(name)) == (True, False)


@pytest.mark.parametrize(
    "name",
    [
        *("password-reset", "ünï", "v1.2", "two words", "n" * 255, "日本語", "\U0001f600", "x-"),
        "\U0002ebf0\u1c89",  # letters that not every supported Python knows
    ],
)
def test_a_folder_name_is_a_spec_name(name: str) -> None:
    assert (is_spec_name(name), is_new_spec_name(name)) == (True, True)
