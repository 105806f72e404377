"""What a gate says, in words and as SARIF."""

from __future__ import annotations

import pytest

from holdfast.contexts.gate_report import Judged, gate_log, report


def said(judged: list[Judged]) -> list[str]:
    return report(judged, mend="context regen", more="context status").split("\n")


def test_a_failing_gate_says_how_many_the_first_ten_and_the_one_command() -> None:
    judged = [Judged(f"src/{number:04d}", "stale") for number in range(3000)]

    assert said([*judged, Judged(".", "fresh")]) == [
        "3,000 of 3,001 contexts are not up to date: 3,000 stale.",
        *[f"  {one.state:<8}  {one.scope}" for one in judged[:10]],
        "  and 2,990 more; `context status` lists them",
        "Run: context regen",
    ]


def test_a_claim_whose_subject_changed_is_named_and_is_to_be_read() -> None:
    judged = [Judged("a", "stale", "", ("close: signature changed (summary: It closes.)",))]

    assert said(judged) == [
        "1 of 1 contexts are not up to date: 1 stale.",
        "  stale     a: close: signature changed (summary: It closes.)",
        "Read what these say, mend what no longer holds, then run: context regen SCOPE",
    ]


def test_a_conflict_is_called_that_and_what_cannot_be_used_is_said_with_its_reason() -> None:
    judged = [Judged("a", "missing", "merge conflict"), Judged("b", "missing", "summary must be text")]

    assert said(judged) == [
        "2 of 2 contexts are not up to date: 1 conflict, 1 invalid.",
        "  conflict  a",
        "  invalid   b: summary must be text",
        "Run: context regen",
        "Run: context validate (it says what is wrong with those that are invalid)",
    ]


@pytest.mark.parametrize("name", ["a\nb", "a\r\x1b[31m", "\u2028", "x" * 5000])
def test_no_name_takes_more_than_its_line(name: str) -> None:
    lines = said([Judged(name, "stale", "") for _ in range(50)] + [Judged(name, "missing", name)])

    assert len(lines) <= 15
    assert max(map(len, lines)) < 500
    assert "\x1b" not in "".join(lines)


def test_a_passing_gate_says_so_in_one_line() -> None:
    assert said([Judged(".", "fresh")] * 1200) == ["All 1,200 contexts are up to date."]
    assert said([]) == ["No context had to be checked."]


def test_sarif_has_a_result_for_each_directory_with_its_rule_and_place() -> None:
    judged = [Judged(".", "stale"), Judged("a b/\u00e4", "missing", "merge conflict"), Judged("c", "fresh")]
    log = gate_log(judged, "1.0")
    runs = log["runs"]
    assert isinstance(runs, list)
    run = runs[0]
    assert isinstance(run, dict)
    results = run["results"]
    assert isinstance(results, list)

    told = []
    for result in results:
        assert isinstance(result, dict)
        told.append((result["ruleId"], str(result["locations"])))
    assert [rule for rule, _ in told] == ["stale", "conflict"]
    assert ["'.context.yaml'" in told[0][1], "'a%20b/%C3%A4/.context.yaml'" in told[1][1]] == [True, True]
    assert log["version"] == "2.1.0"
