"""What `spec check` finds, rule by rule, and that it depends on the documents alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.specs import checks
from holdfast.specs.check_answers import sarif_log
from holdfast.specs.checkbox_lines import after_checkbox, looks_like_a_box
from holdfast.specs.checks import RULES, Documents, check, done_files
from holdfast.specs.requirement_ids import requirements_of
from holdfast.specs.tasks import parse
from holdfast.specs.visible_lines import visible_lines

if TYPE_CHECKING:
    from holdfast.specs.shapes import TaskStyle

TEMPLATES = tuple(
    (Path(checks.__file__).parent / "templates" / f"spec-{phase}.md").read_text(encoding="utf-8")
    for phase in ("requirements", "design", "tasks")
)
GOOD = "# R\n\n### 1. Log in\n\n1. WHEN asked THEN the system SHALL answer.\n2. IF not THEN it SHALL refuse.\n"


def documents(requirements: str | None = GOOD, tasks: str | None = None, design: str = "# D\n") -> Documents:
    if tasks is None:
        tasks = "- [ ] 1. a\n  - _Requirements: 1.1, 1.2_\n"
    return Documents(("r.md", "d.md", "t.md"), (requirements, design, tasks), TEMPLATES)


def found(given_documents: Documents) -> list[tuple[str, int, str]]:
    return [(each.file, each.line, each.rule) for each in check(given_documents)[0]]


def test_a_spec_in_order_has_no_finding() -> None:
    findings, coverage = check(documents())
    assert (findings, coverage) == ([], (2, (), ()))


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        pytest.param({"tasks": "- [ ] 1. a\n- [ ] Gate\n"}, ("t.md", 2, "task-unnumbered"), id="unnumbered"),
        pytest.param({"tasks": "- [ ] 1. a\n- [] 2. b\n"}, ("t.md", 2, "task-malformed"), id="malformed"),
        pytest.param({"tasks": "- [ ] 1. a\n- [ ] 1. b\n"}, ("t.md", 2, "task-duplicate-id"), id="duplicate"),
        pytest.param({"tasks": "- [x] 1. a\n- [ ] 1.1 b\n"}, ("t.md", 1, "parent-done-child-open"), id="parent"),
        pytest.param(
            {"tasks": "- [x] 1. a\n  - [x] 2. b\n  - [ ] 3. c\n"}, ("t.md", 1, "parent-done-child-open"), id="by indent"
        ),
        pytest.param({"tasks": "- [ ] 1. (what)\n"}, ("t.md", 1, "placeholder-left"), id="a phrase of the template"),
        pytest.param({"design": "# D\n\nParts, who calls whom, and the data that passes between them. Name files and "
                      "functions.\n"}, ("d.md", 3, "placeholder-left"), id="a line of the template"),
        pytest.param({"requirements": "### 1. a\n1. It SHALL [NEEDS CLARIFICATION: what]\n"},
                     ("r.md", 2, "placeholder-left"), id="an open question"),
        pytest.param({"tasks": "- [ ] 1. a\n  - _Requirements: 1.9_\n"}, ("t.md", 1, "ref-unknown"), id="reference"),
        pytest.param({"design": "# D\n```\nx\n"}, ("d.md", 2, "fence-unclosed"), id="fence"),
        pytest.param({"tasks": "- [ ] 1. a\n  ```\n  x\n- [ ] 2. b\n"}, ("t.md", 2, "fence-unclosed"), id="in an item"),
        pytest.param({"tasks": "- [ ] 1. a\n- _Requirements: 1.1_\n"}, ("r.md", 6, "criterion-unnamed"), id="unnamed"),
        pytest.param({"requirements": "### 1. a\n1. It works.\n"}, ("r.md", 2, "ears-no-shall"), id="no SHALL"),
        pytest.param(
            {"requirements": "### 1. a\n1. It SHALL answer quickly.\n"}, ("r.md", 2, "vague-word"), id="vague"
        ),
    ],
)  # fmt: skip
def test_each_rule_finds_what_it_is_for(changed: dict[str, str], expected: tuple[str, int, str]) -> None:
    assert expected in found(documents(**changed))


def test_a_file_of_a_done_task_that_is_not_there_is_found_and_one_of_an_open_task_is_not() -> None:
    tasks = "- [x] 1. a\n  - File: gone.py\n- [ ] 2. b\n  - File: later.py\n"
    given_documents = documents(tasks=tasks)._replace(missing_files=frozenset({"gone.py", "later.py"}))
    assert done_files(tasks, "numbered") == ["gone.py"]
    assert ("t.md", 1, "done-file-missing") in found(given_documents)
    assert ("t.md", 3, "done-file-missing") not in found(given_documents)


def test_naming_a_requirement_names_its_criteria_and_ranges_are_written_out() -> None:
    for names in ("1", "1.1-1.2", "1.1\u20131.2", "1.2, 1.1"):
        assert check(documents(tasks=f"- [ ] 1. a\n  - _Requirements: {names}_\n"))[1].unnamed == (), names


def test_levels_follow_the_table_and_strictness_makes_them_all_errors() -> None:
    given_documents = documents("### 1. a\n1. It works.\n", "- [ ] Gate\n")
    assert [(each.rule, each.level) for each in check(given_documents)[0]] == [
        ("ears-no-shall", "warning"),
        ("task-unnumbered", "error"),
    ]
    assert {each.level for each in check(given_documents, strict=True)[0]} == {"error"}


def test_what_spec_kit_measures_needs_no_shall_and_its_requirements_do() -> None:
    text = "- **SC-001**: Nine of ten people find it.\n- **FR-001**: It works.\n"
    assert found(documents(text)) == [("r.md", 2, "ears-no-shall")]
    assert found(documents("### 1. a\n1. \u3057\u306a\u3051\u308c\u3070\u306a\u3089\u306a\u3044\n", "")) == []


def test_a_missing_document_is_no_finding() -> None:
    assert found(Documents(("r", "d", "t"), (None, None, None), TEMPLATES)) == []


def test_the_templates_as_they_are_have_placeholders() -> None:
    rules = {rule for _, _, rule in found(Documents(("r", "d", "t"), TEMPLATES, TEMPLATES))}
    assert "placeholder-left" in rules


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("### Requirement 2: x\n#### Acceptance Criteria\n1. a SHALL\n2) b\n", ["2.1", "2.2"]),
        ("### 3. x\n1. a\n   goes on\n\n- bullet\n", ["3.1"]),
        ("### 1. x\n- **1.4** a\n- 1.5 b\n", ["1.4", "1.5"]),
        ("### Requirement 1\n1. a\n## Limits\n1. not one\n", ["1.1"]),
        ("### User Story 1 - x\n1. Given a\n- **FR-001**: System MUST\n", ["US1", "FR-001"]),
        ("1. a list without a requirement\n```\n### 1. x\n1. y\n```\n", []),
        ("### \u8981\u4ef6 4\n1. a\n", ["4.1"]),
    ],
)
def test_criteria_are_numbered_by_their_requirement(text: str, ids: list[str]) -> None:
    assert [each.id for each in requirements_of(text).criteria] == ids


STYLES: st.SearchStrategy[TaskStyle] = st.sampled_from(("numbered", "kiro", "spec-kit"))
line = st.text(alphabet=st.sampled_from("-*+[] xX~?1.2)T(#`a\t"), max_size=12)


def is_box(line: str, style: TaskStyle) -> bool:
    after = after_checkbox(line, style)
    return line[after : after + 1] not in ("(", "[") if after else looks_like_a_box(line)


@settings(deadline=None)
@given(st.lists(line, max_size=8).map("\n".join), STYLES)
def test_every_line_that_looks_like_a_checkbox_is_a_task_or_a_finding(text: str, style: TaskStyle) -> None:
    tasks = parse(text, style)
    told = {task.line for task in tasks.tasks} | {each.line for each in tasks.left_out}
    assert told == {number for number, line in visible_lines(text.split("\n")) if is_box(line, style)}


@settings(deadline=None)
@given(st.text(), st.text())
def test_any_text_is_checked_and_findings_are_in_order(requirements: str, tasks: str) -> None:
    findings, coverage = check(documents(requirements, tasks))
    assert findings == sorted(set(findings))
    assert len(coverage.unnamed) <= coverage.criteria
    assert all(finding.line >= 1 and finding.rule in RULES for finding in findings)


def test_the_sarif_log_has_what_its_schema_requires() -> None:
    findings, _ = check(documents("### 1. a\n1. It works.\n", "- [ ] Gate\n"))
    log: Any = sarif_log(findings, "1.0")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    ids = [rule["id"] for rule in driver["rules"]]
    assert (log["version"], ids, len(set(ids))) == ("2.1.0", list(RULES), len(RULES))
    for result in run["results"]:
        place = result["locations"][0]["physicalLocation"]
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert (result["level"] in ("error", "warning"), bool(result["message"]["text"])) == (True, True)
        assert place["region"]["startLine"] >= 1
        assert not place["artifactLocation"]["uri"].startswith("/")


@pytest.mark.parametrize(
    ("requirements", "tasks"),
    [
        pytest.param("### 1. a\n1. SHALL\n" + "  more\n" * 150_000, "- [ ] 1. a\n", id="a criterion of many lines"),
        pytest.param(
            "### 1. a\n" + "".join(f"{n}. SHALL\n" for n in range(10_000)),
            "".join(f"- [ ] {n}. a\n  - _Requirements: 1.{n}_\n" for n in range(10_000)),
            id="many criteria and many tasks",
        ),
        pytest.param("### 1. a\n", "- [x] 1. a\n" + "- [x] 1.1 b\n" * 50_000, id="many sub-tasks"),
        pytest.param("#" * 1_000_000, "`" * 1_000_000, id="long lines"),
        pytest.param(
            "### Requirement " + "1." * 200_000, "- [ ] 1. a\n  - _Requirements: " + "1," * 200_000 + "_", id="numbers"
        ),
    ],
)
def test_the_work_grows_with_the_text(requirements: str, tasks: str) -> None:
    """A square of these sizes would not end."""
    assert check(documents(requirements, tasks))[1].criteria >= 0
