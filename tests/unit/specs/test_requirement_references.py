"""The requirements that tasks name, in the forms that real projects write."""

from __future__ import annotations

import pytest

from holdfast.specs.checks import Documents, check
from holdfast.specs.requirement_references import labelled, names_in


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("1.1, 2.3", ["1.1", "2.3"]),
        ("Requirement 1 (Refactor, with care) - Fast", ["1"]),
        ("Req 2 (Responsive), Req 3", ["2", "3"]),
        ("REQ-3.1.1", ["3.1.1"]),
        ("R5 (Editor)", ["5"]),
        ("US-2, US3, User Story 4", ["US2", "US3", "US4"]),
        ("FR-001, TR-2", ["FR-001", "TR-2"]),
        ("1.1 (why) & 1.2 and 1.3", ["1.1", "1.2", "1.3"]),
        ("7.1-7.5 (Editor)", ["7.1..7.5"]),
        ("7.1\u20137.5", ["7.1..7.5"]),
        ("FR-1.1\u301c1.4", ["FR-1.1..1.4"]),
        ("1.1\u30011.2\uff083.4\uff09", ["1.1", "1.2"]),
        ("All", ["*"]),
        ("\u6240\u6709", ["*"]),
        ("Non-functional, \u65e0", []),
        ("", []),
    ],
)
def test_a_reference_is_reduced_to_its_number_or_code(text: str, names: list[str]) -> None:
    assert names_in(text) == names


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("_\u8981\u4ef6: 1.1, 2.1_", ["1.1", "2.1"]),
        ("_\u9700\u6c42\uff1a3.1_", ["3.1"]),
        ("**Requirements**: 1.2", ["1.2"]),
        ("Requirements: Req 4", ["4"]),
        ("Anforderungen: 2.2", ["2.2"]),
        ("Run the tests: 1.1", None),
        ("plain text", None),
    ],
)
def test_a_label_may_be_in_any_language_and_markup(line: str, names: list[str] | None) -> None:
    found = labelled(line)
    assert (None if found is None else names_in(found)) == names


@pytest.mark.parametrize(
    ("requirements", "below"),
    [
        ("### \u8981\u4ef6 1\n1. a SHALL b\n2. a SHALL c\n", "_\u8981\u4ef6: 1.1, 1.2_"),
        ("### Requirement 1\n1. a SHALL b\n2. a SHALL c\n", "Requirements: 1.1-1.2 (both)"),
        ("### Requirement 1\n1. a SHALL b\n", "_Requirements: Requirement 1 (all of it)_"),
        ("### 1. A\n- **REQ-1.1.1**: a SHALL b\n", "_Requirements: REQ-1.1.1_"),
        ("### 1. A\n1. a SHALL b\n", "_Requirements: All requirements_"),
        ("### 1. A\n- AC-1.1: a SHALL b\n- AC-1.2: a SHALL b\n", "_Requirements: AC-1.1, 1.2_"),
        ("### 1. A\n- AC-1.1: a SHALL b\n- AC-1.2: a SHALL b\n", "_Requirements: AC-1.1\u301c1.2_"),
        ("### Requirement 1\n1. a SHALL b\n", "_Requirements: AC-1.1_"),
        ("## Functional\n- **FR-001**: a SHALL b\n", "_Requirements: FR-1_"),
    ],
)
def test_what_a_task_names_in_another_form_is_named(requirements: str, below: str) -> None:
    tasks = f"- [ ] 1. a\n  - {below}\n"
    documents = Documents(("r", "d", "t"), (requirements, "# D\n", tasks), ("", "", ""))
    findings, coverage = check(documents)
    rules = [finding.rule for finding in findings if finding.rule in ("criterion-unnamed", "ref-unknown")]
    assert (rules, coverage.unnamed, coverage.unknown) == ([], (), ())
