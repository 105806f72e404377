"""What `spec check` finds, rule by rule, and that it depends on the documents alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.specs import checks
from holdfast.specs.check_answers import sarif_log
from holdfast.specs.check_rules import RULES
from holdfast.specs.checkbox_lines import after_checkbox, looks_like_a_box
from holdfast.specs.checks import Documents, check, done_files, grouped, named_files
from holdfast.specs.delta_checks import DeltaFile, Deltas
from holdfast.specs.layouts import ANY_BOX, CODED, KIRO_TASKS, NUMBERED
from holdfast.specs.requirement_ids import requirements_of
from holdfast.specs.tasks import parse
from holdfast.specs.visible_lines import visible_lines

if TYPE_CHECKING:
    from holdfast.specs.layouts import TaskForm

TEMPLATES = tuple(
    (Path(checks.__file__).parent / "templates" / f"spec-{phase}.md").read_text(encoding="utf-8")
    for phase in ("requirements", "design", "tasks")
)
GOOD = "# R\n\n### 1. Log in\n\n1. WHEN asked THEN the system SHALL answer.\n2. IF not THEN it SHALL refuse.\n"


def documents(requirements: str | None = GOOD, tasks: str | None = None, design: str = "# D\n\nText.\n") -> Documents:
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
        pytest.param({"requirements": "# R\n\n## Requirements\n"}, ("r.md", 1, "document-empty"), id="empty"),
        pytest.param({"design": "# D\n\nTBD\n"}, ("d.md", 3, "tbd-left"), id="to be decided"),
        pytest.param(
            {"requirements": GOOD + "\n### 1. b\n\n1. It SHALL.\n"}, ("r.md", 8, "requirement-duplicate"), id="twice"
        ),
        pytest.param({"requirements": GOOD + "\n### 2. Out\n\nText.\n"}, ("r.md", 8, "requirement-empty"), id="bare"),
        pytest.param(
            {"requirements": GOOD.replace("2. IF", "2.1 IF")}, ("r.md", 6, "criterion-misplaced"), id="misplaced"
        ),
        pytest.param(
            {"requirements": "### 1. a\n1. SHALL be refused.\n"}, ("r.md", 2, "ears-no-subject"), id="no subject"
        ),
        pytest.param(
            {"requirements": "### 1. a\n1. It SHALL a and SHALL b.\n"}, ("r.md", 2, "ears-many-shalls"), id="two SHALLs"
        ),
        pytest.param(
            {"requirements": f"### 1. a\n1. It SHALL {'go ' * 60}.\n"}, ("r.md", 2, "criterion-long"), id="long"
        ),
        pytest.param({"design": "# D\n\nSee requirement 4.2.\n"}, ("d.md", 3, "design-ref-unknown"), id="design"),
        pytest.param(
            {"requirements": GOOD + "\n### 2. Out\n\n1. It SHALL.\n", "design": "# D\n\nIt does 1.1.\n"},
            ("r.md", 8, "requirement-undesigned"), id="not in the design",
        ),
        pytest.param({"tasks": "- [ ] 1. a\n- [ ] 9.1 b\n"}, ("t.md", 2, "task-orphan"), id="orphan"),
        pytest.param(
            {"tasks": "- [ ] 1. a\n  - _Requirements: 1.1_\n- [ ] 2. b\n  - _Requirements: 1.2_\n- [ ] 3. c\n"},
            ("t.md", 5, "task-without-requirement"), id="no requirement",
        ),
        pytest.param({"tasks": "- [-] 1. a\n- [-] 2. b\n"}, ("t.md", 2, "tasks-in-progress"), id="two begun"),
        pytest.param({"tasks": "- [ ] 1. a\n  - _Depends: 9_\n"}, ("t.md", 1, "dependency-unknown"), id="depends"),
    ],
)  # fmt: skip
def test_each_rule_finds_what_it_is_for(changed: dict[str, str], expected: tuple[str, int, str]) -> None:
    assert expected in found(documents(**changed))


US = "ユーザーストーリー"


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"requirements": "## 2. Why\n1. It hurts.\n### 1.1 A\n"
                      "- **REQ-1.1**: A SHALL.\n- **REQ-1.2**: B SHALL.\n"
                      }, id="an outline of sections"),
        pytest.param({"requirements": "## 1. Why\n\n1. It hurts.\n\n### Requirement 1\n1. It SHALL.\n2. It SHALL.\n"},
                     id="a section beside requirements with a word"),
        pytest.param({"requirements": "### 1. a\n1. step\n\n#### Acceptance Criteria\n1. It SHALL.\n2. A SHALL.\n"},
                     id="steps before the criteria"),
        pytest.param({"requirements": GOOD + "\n### 2. b\n\n- It SHALL do c.\n"}, id="a criterion without a number"),
        pytest.param({"requirements": GOOD + "- **A-001**: traffic\n- **SC-001**: 9 of 10 pass\n"},
                     id="assumption"),
        pytest.param({"requirements": "### 要件 1\n1. 応答する\n2. 拒否する\n"}, id="another language"),
        pytest.param({"requirements": "### 1. a\n1. It SHALL do:\n  - this, and it SHALL stay\n2. b SHALL c.\n"},
                     id="list"),
        pytest.param({"tasks": "- [ ] 1. a\n  - _Requirements: 1_\n  - [ ] look\n\n## Gate\n\n- [ ] all green\n"},
                     id="checklists"),
        pytest.param({"tasks": "- [ ] 1. a\n  - _Requirements: 1_\n- [x] ~~2. b~~ dropped\n"}, id="struck out"),
        pytest.param({"design": "# D\n\nReact 18.2+, 4.7ns, requirement 1.\n\n#### 1.1 Steps\n"}, id="other numbers"),
        pytest.param({"design": "# D\n\nNo `TODO` is left.\n"}, id="a word in code"),
        pytest.param({"requirements": "### R\n- FR-1: It SHALL.\n- AC-1.1: It SHALL.\n- AC-1.2: It SHALL.\n",
                      "tasks": "- [ ] 1. a\n  - _Requirements: AC-1.1, 1.2_\n"}, id="codes without bold"),
        pytest.param({"requirements": "### R\n1. Given a, when b, then c.\n2. It SHALL.\n3. It SHALL.\n"},
                     id="a scenario"),
        pytest.param({"requirements": f"### R\n1. It SHALL have:\n   - {'word ' * 80}\n"}, id="a long list"),
        pytest.param({"requirements": "### 要件 1\n1. It SHALL.\n### 要件 2\n1. It SHALL.\n",
                      "tasks": "- [ ] 1. a\n  - _要件: 1, 2_\n",
                      "design": "# D\n\n要件 1\n\n## 3. Later (要件 2)\n"}, id="named in a heading of the design"),
        pytest.param({"tasks": "- [ ] 1. a\n  - _Requirements: 1_\n- [ ] 2. b\n  - _Requirements: 1_\n"
                      "- [ ] 3. c\n  - _Requirements: Data Models_\n"}, id="a requirement in words"),
        pytest.param({"tasks": "- [ ] 1. a\n  - _Requirements: 1.1_\n- [ ] 2. b\n  - **Property 1: c**\n"
                      "  - **Validates: Requirements 1.2**\n"}, id="what a property validates"),
        pytest.param({"tasks": "- [ ] 1. a\n  - _Requirements: 1_\n- [ ] 2. b\n  - _Requirements: 1_\n"
                      "- [ ] 3. Final checkpoint: all green\n"}, id="a checkpoint"),
        pytest.param({"tasks": "- [ ] 1. a\n  - _Requirements: 1_\n- [ ] 2. b\n  - _Requirements: 1_\n"
                      "- [x] 3. Make a branch\n"}, id="a done task without a requirement"),
        pytest.param({"requirements": f"## WAVE 1 - a\n\nWords.\n\n{GOOD}"}, id="a part of the document"),
        pytest.param({"requirements": f"{GOOD}\n**P1 build scope (now):** all\n"}, id="words in bold after a code"),
        pytest.param({"requirements": "### 1. a\n1. It SHOULD stay.\n2. It MAY go.\n"}, id="SHOULD"),
        pytest.param({"requirements": f"## 1. Why\n\n1. It hurts.\n2. It burns.\n\n## 2. When\n\nWords.\n\n{GOOD}"},
                     id="numbered sections alone"),
        pytest.param({"requirements": f"{GOOD}\n- **FR-011-101**: It SHALL.\n- **FR-011-102**: It SHALL.\n\n"
                      "## Plan\n\n- **FR-011-101**: one day\n- **#107**: closed\n"}, id="codes named again, issues"),
        pytest.param({"requirements": f"{GOOD}\n- **Parts**:\n  1. Colour\n  2. Shape\n"}, id="a list below an item"),
        pytest.param({"requirements": f"{GOOD}\n~~It SHALL [NEEDS CLARIFICATION: what?]~~ later\n"}, id="struck"),
        pytest.param({"tasks": "- [ ] 1. a\n  - _Requirements: 1_\n- [ ] 2. b\n  - _Requirements: 1_\n\n## Done\n\n"
                      "- [ ] 2 tests pass\n- [ ] 20-minute run\n"}, id="counted things in a checklist"),
        pytest.param({"requirements": "### 1. a\n1. It SHALL.\n### 2. b\n1. It SHALL.\n",
                      "tasks": "- [ ] 1. a\n  - _Requirements: 1, 2_\n",
                      "design": "# D\n\nRequirement 1.\n\n```\nx()  # Requirement 2.1\n```\n"}, id="named in code"),
        pytest.param({"tasks": "## Phase 1: a\n\n- [ ] 1.1 b\n  - _Requirements: 1_\n\n## Checks\n\n- [ ] 9 tests\n"
                      "  - _Requirements: 1_\n"}, id="a part whose heading has the number"),
    ],
)  # fmt: skip
def test_what_people_write_beside_requirements_is_no_finding(changed: dict[str, str]) -> None:
    assert found(documents(**changed)) == []


def test_line_ends_of_windows_change_no_finding() -> None:
    requirements = "### 1. a\n1. It SHALL.\n### 2. b\n1. It SHALL.\n"
    design = "# D\n\nRequirement 1 and\nrequirement 2\n\n## What exists\n\n- src/a.py\n"
    tasks = "- [x] 1. a\n  - File: src/a.py\n  - _Requirements: 1, 2_\n"
    for ends in ("\n", "\r\n"):
        given_documents = documents(*[text.replace("\n", ends) for text in (requirements, tasks, design)])
        assert (found(given_documents), set(named_files(given_documents))) == ([], {"src/a.py"})


def test_stories_in_other_languages_and_with_two_numbers_are_stories() -> None:
    assert requirements_of(f"### {US} 1 - a\n").numbers == ("US1",)
    assert requirements_of("#### US-7.2: a\n").numbers == ("US7.2",)


def test_tasks_of_spec_kit_outside_of_a_story_need_no_label() -> None:
    spec = "### User Story 1 - a\n\nText.\n"
    tasks = "## Setup\n- [ ] T001 a\n## Phase 3: User Story 1\n- [ ] T002 [US1] b\n- [ ] T003 [US1] c\n- [ ] T004 d\n"
    given_documents = documents(spec, tasks)._replace(form=CODED)
    assert found(given_documents) == [("t.md", 6, "task-without-requirement")]


def test_a_document_without_any_shall_and_tasks_without_any_name_get_one_finding_each() -> None:
    text = "### 1. a\n1. WHEN a THEN b\n2. WHEN c THEN d\n3. WHEN e THEN f\n"
    findings, _ = check(documents(text, "- [ ] 1. a\n"))
    assert [(each.rule, each.text) for each in findings] == [
        ("criterion-unnamed", "none of 3 is named"),
        ("ears-no-shall", "3 of 3 criteria"),
    ]


def test_a_removed_file_and_a_reused_one_of_a_done_task_may_be_gone() -> None:
    tasks = "- [x] 1. Delete a\n  - File: a.py\n  - _Requirements: 1_\n- [x] 2. b\n  - _Leverage: b.py_\n"
    given_documents = documents(tasks=tasks)._replace(missing_files=frozenset({"a.py", "b.py"}))
    assert found(given_documents) == []


def test_a_file_of_a_done_task_that_is_not_there_is_found_and_one_of_an_open_task_is_not() -> None:
    tasks = "- [x] 1. a\n  - File: gone.py\n- [ ] 2. b\n  - File: later.py\n"
    given_documents = documents(tasks=tasks)._replace(missing_files=frozenset({"gone.py", "later.py"}))
    assert done_files(tasks, NUMBERED) == ["gone.py"]
    assert ("t.md", 1, "done-file-missing") in found(given_documents)
    assert ("t.md", 3, "done-file-missing") not in found(given_documents)


def test_a_bare_name_in_the_text_of_a_coded_task_may_be_an_example() -> None:
    tasks = "- [x] T001 [US1] Compare `old.json` in `src/a.py`\n"
    spec = "### User Story 1 - a\n\nText.\n"
    given_documents = documents(spec, tasks)._replace(form=CODED, missing_files=frozenset({"old.json", "src/a.py"}))
    assert [each.text for each in check(given_documents)[0]] == ["src/a.py"]


def test_what_the_rest_of_the_project_says_is_found_where_it_is_named() -> None:
    given_documents = Documents(
        ("r.md", "d.md", "t.md"),
        (GOOD + "\nSee [it](../gone.md).\n", None, "- [ ] 1. a\n  - _Requirements: 1_\n  - _Leverage: src/b.py_\n"),
        ("", "", ""),
        missing_files=frozenset({"../gone.md", "src/b.py"}),
        tested=frozenset({"1.1"}),
        stale={"requirements": "changed since ann approved it"},
    )
    assert found(given_documents) == [
        ("d.md", 1, "document-missing"),
        ("r.md", 1, "approval-stale"),
        ("r.md", 6, "criterion-untested"),
        ("r.md", 8, "link-broken"),
        ("t.md", 1, "reused-file-missing"),
    ]
    assert "d.md" not in [file for file, _, _ in found(given_documents._replace(optional=("design",)))]


def test_a_level_may_be_changed_and_a_rule_switched_off() -> None:
    given_documents = documents("### 1. a\n1. It works quickly.\n", "- [ ] Gate\n")
    findings, _ = check(given_documents, levels={"task-unnumbered": "off", "vague-word": "error"})
    assert [(each.rule, each.level) for each in findings] == [("ears-no-shall", "warning"), ("vague-word", "error")]


def test_many_findings_of_one_rule_in_a_document_are_one_with_a_count() -> None:
    findings, _ = check(documents(tasks="".join(f"- [ ] step {number}\n" for number in range(5))))
    assert [(each.line, each.rule, each.times, each.text) for each in grouped(findings)] == [
        (1, "task-unnumbered", 5, "5 times: - [ ] step 0; - [ ] step 1; - [ ] step 2; …")
    ]


OPEN = """## ADDED Requirements

### Requirement: Reset

The system SHALL send one mail.

#### Scenario: Known
- **THEN** a mail
"""
HELD = """# accounts

## Requirements

### Requirement: Log in

It SHALL log in.

#### Scenario: Right
- **THEN** in

#### Scenario: Wrong
- **THEN** 401
"""


@pytest.mark.parametrize(
    ("delta", "expected"),
    [
        (OPEN, []),
        (OPEN.partition("#### ")[0], ["delta-no-scenario"]),
        (OPEN.replace("SHALL send", "sends"), ["delta-no-shall"]),
        (OPEN.replace("ADDED", "MODIFIED"), ["delta-conflict"]),
        (OPEN.replace("Requirement: Reset", "Requirement: Log in"), ["delta-conflict"]),
        (
            "## MODIFIED Requirements\n\n### Requirement: Log in\n\nIt SHALL log in.\n\n#### Scenario: Right\n",
            ["delta-conflict"],
        ),
        ("### Requirement: Reset\n\nIt SHALL send.\n", ["delta-misplaced", "delta-missing"]),
        (OPEN + OPEN.partition("\n\n")[2], ["delta-conflict"]),
        ("", ["delta-missing"]),
    ],
)
def test_a_change_is_checked_by_the_rules_of_its_layout(delta: str, expected: list[str]) -> None:
    deltas = Deltas((DeltaFile("accounts", "s.md", delta, "", HELD, True),))
    given_documents = Documents(
        ("p.md", "d.md", "t.md"), ("Why.\n", None, "- [ ] a\n"), ("", "", ""), ANY_BOX, ("design",), deltas=deltas
    )
    assert sorted({rule for _, _, rule in found(given_documents)}) == expected


def test_two_open_changes_of_one_requirement_are_found_before_the_second_is_merged() -> None:
    text = HELD.replace("# accounts\n\n## Requirements", "## MODIFIED Requirements")
    deltas = Deltas(
        (DeltaFile("accounts", "s.md", text, "", HELD, True),), others={("accounts", "Log in"): ("add-otp",)}
    )
    given_documents = Documents(
        ("p.md", "d.md", "t.md"), ("Why.\n", None, "- [ ] a\n"), ("", "", ""), ANY_BOX, ("design",), deltas=deltas
    )
    assert [(each.rule, each.text) for each in check(given_documents)[0]] == [
        ("delta-overlap", "Log in: add-otp changes it too")
    ]


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
    assert found(documents("### 1. a\n1. \u3057\u306a\u3051\u308c\u3070\u306a\u3089\u306a\u3044\n", "Later.\n")) == []


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
        ("### R\n- **FR-011-101**: a\n- **FR-005a**: b\n", ["FR-011-101", "FR-005a"]),
        ("### 1. a\n- **Acceptance criteria**:\n  1. b\n", ["1.1"]),
    ],
)
def test_criteria_are_numbered_by_their_requirement(text: str, ids: list[str]) -> None:
    assert [each.id for each in requirements_of(text).criteria] == ids


FORMS: st.SearchStrategy[TaskForm] = st.sampled_from((NUMBERED, KIRO_TASKS, CODED, ANY_BOX))
line = st.text(alphabet=st.sampled_from("-*+[] xX~?1.2)T(#`a\t"), max_size=12)


def is_box(line: str, form: TaskForm) -> bool:
    after = after_checkbox(line, form)
    return line[after : after + 1] not in ("(", "[") if after else looks_like_a_box(line)


@settings(deadline=None)
@given(st.lists(line, max_size=8).map("\n".join), FORMS)
def test_every_line_that_looks_like_a_checkbox_is_a_task_or_a_finding(text: str, form: TaskForm) -> None:
    tasks = parse(text, form)
    told = {task.line for task in tasks.tasks} | {each.line for each in tasks.left_out}
    assert told == {number for number, line in visible_lines(text.split("\n")) if is_box(line, form)}


@settings(deadline=None)
@given(st.text(), st.text())
def test_any_text_is_checked_and_findings_are_in_order(requirements: str, tasks: str) -> None:
    findings, coverage = check(documents(requirements, tasks))
    assert findings == sorted(set(findings))
    assert len(coverage.unnamed) <= coverage.criteria
    assert all(finding.line >= 1 and finding.rule in RULES for finding in findings)


def test_the_sarif_log_has_what_its_schema_requires() -> None:
    findings, _ = check(documents("### 1. a\n1. It works.\n", "- [ ] Gate\n"))
    log: Any = sarif_log(findings, NUMBERED, "1.0")
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
