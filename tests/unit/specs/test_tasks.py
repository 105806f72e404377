"""How `tasks.md` is read, rule by rule."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from holdfast.core.canonical_json import encode
from holdfast.specs.layouts import ANY_BOX, CODED, KIRO_TASKS
from holdfast.specs.task_order import next_task
from holdfast.specs.tasks import Details, TaskList, as_json, in_progress, parse, paths_in

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "specs" / "tasks.json").read_bytes())["cases"]


def result(found: TaskList) -> dict[str, Any]:
    """A task list in the form the vectors have."""
    tasks = found.tasks
    current = in_progress(tasks)
    return {
        "tasks": [as_json(task) for task in tasks],
        "inProgressTask": None if current is None else current.id,
        "summary": {
            "total": len(tasks),
            "completed": sum(task.status == "completed" for task in tasks),
            "inProgress": sum(task.status == "in-progress" for task in tasks),
            "pending": sum(task.status == "pending" for task in tasks),
            "headers": sum(task.is_header for task in tasks),
        },
    }


@pytest.mark.parametrize("case", VECTORS, ids=lambda case: case["name"])
def test_a_vector_is_read_as_recorded(case: dict[str, Any]) -> None:
    found = parse(case["markdown"])
    pending = next((task for task in found.tasks if task.status == "pending" and not task.is_header), None)
    assert (
        encode(result(found)),
        found.progress._asdict(),
        None if pending is None else pending.id,
    ) == (encode(case["result"]), case["progress"], case["next_pending"])


def ids(markdown: str) -> list[str]:
    return [task.id for task in parse(markdown).tasks]


@pytest.mark.parametrize(
    ("line", "task"),
    [
        pytest.param("- [ ] 1 .x", ("1", ".x"), id="a mark without white space after it is part of the description"),
        pytest.param("- [ ] 1\\ x", ("1", "x"), id="a backslash alone"),
        pytest.param("- [ ] 1.   x  ", ("1", "x  "), id="white space at the end is kept"),
        pytest.param("- [ ] 1. x\r", ("1", "x"), id="CRLF"),
        pytest.param("- [ ] 1. x\u2028y", ("1", "x"), id="a line separator ends it"),
        pytest.param("- [ ] 1. x\x85y", ("1", "x\x85y"), id="U+0085 does not"),
        pytest.param("*\t[x]\t2.10.3. x", ("2.10.3", "x"), id="tabs and a star"),
        pytest.param("- [ ] 1.  ", ("1", " "), id="two blanks: the second is the description"),
        pytest.param("- [ ] 1.   ", ("1", " "), id="three blanks: only the last is the description"),
        pytest.param("- [ ] 1. ", None, id="one blank"),
        pytest.param("- [ ] 1.", None, id="nothing"),
        pytest.param("- [ ]1. x", None, id="no white space after the box"),
        pytest.param("-[ ] 1. x", None, id="no white space before the box"),
        pytest.param("- [y] 1. x", None, id="another letter"),
        pytest.param("- [] 1. x", None, id="an empty box"),
        pytest.param("1. [ ] 1. x", None, id="an ordered list"),
        pytest.param("- [ ] 1) x", None, id="a parenthesis"),
        pytest.param("- [ ] 1.X y", None, id="a letter after the mark"),
        pytest.param("- [ ] 1X. y", None, id="a letter after the number"),
        pytest.param("- [ ] \x1f1. x", None, id="U+001F is no white space"),
    ],
)
def test_a_line_is_a_task_or_not(line: str, task: tuple[str, str] | None) -> None:
    assert [(found.id, found.description) for found in parse(line).tasks] == ([task] if task else [])


def test_both_letters_mean_completed_and_a_task_in_progress_is_neither_that_nor_pending() -> None:
    found = parse("- [x] 1. a\n- [X] 2. b\n- [-] 3. c\n- [ ] 4. d\n")
    assert [(task.id, task.status) for task in found.tasks] == [
        *(("1", "completed"), ("2", "completed")),
        *(("3", "in-progress"), ("4", "pending")),
    ]
    assert found.progress == (4, 2, 1)
    flags = [(task["completed"], task["inProgress"]) for task in map(as_json, found.tasks)]
    assert flags == [(True, False), (True, False), (False, True), (False, False)]


class TestStyles:
    """How tools write a task that is more than a number."""

    def test_kiro_marks_optional_and_queued_tasks(self) -> None:
        text = "- [ ] 1. a\n- [ ]* 1.1 b\n- [x]\\* 1.2 c\n- [ ] 1.3* d\n- [~] 2. e\n"
        found = parse(text, KIRO_TASKS)
        assert [(task.id, task.description, task.status, task.optional) for task in found.tasks] == [
            ("1", "a", "pending", False),
            ("1.1", "b", "pending", True),
            ("1.2", "c", "completed", True),
            ("1.3", "d", "pending", True),
            ("2", "e", "pending", False),
        ]
        # An optional task counts once it is done; nothing needs it.
        assert (found.progress, found.left_out) == ((3, 1, 2), ())
        assert "optional" not in as_json(found.tasks[0])
        assert as_json(found.tasks[1])["optional"] is True

    def test_optional_tasks_come_last(self) -> None:
        found = parse("- [ ]* 1. a\n- [ ] 2. b\n", KIRO_TASKS)
        rest = parse("- [ ]* 1. a\n- [x] 2. b\n", KIRO_TASKS)
        following = [next_task(tasks) for tasks in (found.tasks, rest.tasks)]
        assert ([task and task.id for task in following], rest.progress) == (["2", "1"], (1, 1, 0))

    def test_elsewhere_they_are_no_tasks_and_said_to_be_left_out(self) -> None:
        left_out = parse("- [ ]* 1.1 b\n- [ ] 1.3* d\n- [~] 2. e\n").left_out
        assert [(each.line, each.reason) for each in left_out] == [(0, "malformed"), (1, "malformed"), (2, "malformed")]

    def test_spec_kit_has_codes_flags_and_paths(self) -> None:
        text = "- [ ] T001 [P] [US1] Add `src/a.py` and tests/b/test_a.py (new)\n- [X] T002a: b\n- [ ] 3. c\n"
        found = parse(text, CODED)
        assert [(task.id, task.description, task.status) for task in found.tasks] == [
            ("T001", "Add `src/a.py` and tests/b/test_a.py (new)", "pending"),
            ("T002a", "b", "completed"),
            ("3", "c", "pending"),
        ]
        assert found.tasks[0].details == Details(("US1",), files=("src/a.py", "tests/b/test_a.py"))

    @pytest.mark.parametrize(
        ("line", "wanted"),
        [
            ("**T510** [US2] Redeem", ("T510", "Redeem", ("US2",))),
            ("**T511**: Redeem", ("T511", "Redeem", ())),
            ("**T512 Redeem** the link", ("T512", "Redeem the link", ())),
            ("**16.** Deploy", ("16", "Deploy", ())),
            ("12a. Fix", ("12a", "Fix", ())),
            ("3.6a Fix", ("3.6a", "Fix", ())),
            ("T055-MIN [P] Small", ("T055-MIN", "Small", ())),
            ("T019A Large", ("T019A", "Large", ())),
        ],
    )
    def test_spec_kit_ids_may_be_bold_or_have_letters(
        self, line: str, wanted: tuple[str, str, tuple[str, ...]]
    ) -> None:
        found = parse(f"- [ ] {line}\n", CODED)
        (task,) = found.tasks
        assert ((task.id, task.description, task.details.requirements), found.left_out) == (wanted, ())

    def test_in_openspec_every_checkbox_item_is_a_task(self) -> None:
        found = parse("- [x] 1.1 a\n- [ ] Write the docs\n  - [ ] **Check** them\n- [link](x)\n- [ ]（why）\n", ANY_BOX)
        assert [(task.id, task.description) for task in found.tasks] == [
            ("1.1", "a"),
            ("L2", "Write the docs"),
            ("L3", "**Check** them"),
            ("L5", "（why）"),
        ]
        assert (found.progress, found.left_out) == ((4, 1, 3), ())

    @pytest.mark.parametrize(
        ("text", "paths"),
        [
            ("in `.specify/memory/constitution.md`", [".specify/memory/constitution.md"]),
            ("in .github/workflows/ci.yml.", [".github/workflows/ci.yml"]),
            ("`src/app/(main)/x.tsx` and src/(group)/y.tsx", ["src/app/(main)/x.tsx", "src/(group)/y.tsx"]),
            ("`src/a.rs:60-124` (src/b.rs:7)", ["src/a.rs", "src/b.rs"]),
            ("`when(x.y)` `a = b.c`", ["when(x.y)"]),
            ("a limit (per contracts/api.yaml)", ["contracts/api.yaml"]),
            ("作る（src/a.py、src/b.py）", ["src/a.py", "src/b.py"]),
        ],
    )
    def test_paths_keep_dots_and_groups_and_lose_line_numbers(self, text: str, paths: list[str]) -> None:
        assert paths_in(text) == paths


class TestLeftOut:
    """Every line that looks like a checkbox is a task or is said to be none."""

    @pytest.mark.parametrize(
        ("line", "reason"),
        [
            ("- [ ] Gate: all tests pass", "unnumbered"),
            ("- [x] done", "unnumbered"),
            ("  * [ ] \U0001f534 1.1.1 red", "unnumbered"),
            ("- [] 1. a", "malformed"),
            ("-[ ] 1. a", "malformed"),
            ("- [?] 1. a", "malformed"),
            ("- [ x ] 1. a", "malformed"),
            ("- [ ]1. a", "malformed"),
            ("- [ ] **1.** a", "malformed"),
            ("- [ ] T1 a", "malformed"),
            ("- [ ] E2E tests pass", "unnumbered"),
            ("- [ ] 1) a", "malformed"),
            ("+ [ ] 1. a", "malformed"),
            ("1. [ ] a", "malformed"),
            ("- [y] 1. a", "malformed"),
            ("- [ ] 1.", "malformed"),
            ("- [ ]", "malformed"),
            ("- [1] a paper", None),
            ("- [a](b)", None),
            ("- [x](b)", None),
            ("- see [ ]", None),
            ("[ ] a", None),
            ("- [ab] c", None),
        ],
    )
    def test_a_line_is_left_out_for_a_reason(self, line: str, reason: str | None) -> None:
        found = parse(line)
        assert ([each.reason for each in found.left_out], found.tasks) == ([reason] if reason else [], ())

    def test_whether_it_is_open_is_told(self) -> None:
        assert [each.is_open for each in parse("- [x] a\n- [ ] b\n- [X] c\n- [?] 1. d\n").left_out] == [
            *(False, True, False, True)
        ]


def test_the_level_of_a_task_is_half_its_indent() -> None:
    levels = [as_json(task)["indentLevel"] for task in parse("".join(f"{' ' * n}- [ ] 1. a\n" for n in range(6))).tasks]
    assert (levels, [type(level) for level in levels]) == ([0, 0.5, 1, 1.5, 2, 2.5], [int, float] * 3)


class TestDetails:
    """What stands below a task, line by line."""

    def details(self, *lines: str) -> Details:
        return parse("\n".join(["- [ ] 1. a", *lines])).tasks[0].details

    def test_brackets_and_boxes_that_are_none_do_not_end_a_task(self) -> None:
        found = self.details("  - see [1]", "[link]: x", "  - [?] or this", "  -  [ x] that", "  - done")
        assert found.implementation == ("see [1]", "done")

    def test_a_checkbox_line_ends_a_task_even_if_it_has_no_number(self) -> None:
        assert self.details("  - one", "  - [ ] no number", "  - two").implementation == ("one",)

    def test_a_blank_after_a_mark_may_be_missing(self) -> None:
        found = self.details("  - Purpose:bend", "  - File:a.py", "  - Files:b.py,c.py", "  -\ttabbed")
        assert (found.purposes, found.files, found.implementation) == (("bend",), ("a.py", "b.py", "c.py"), ("tabbed",))

    @pytest.mark.parametrize(
        ("line", "files"),
        [
            ("File: a.py, Files: b.py", ("a.py", "Files: b.py")),
            ("Files: a.py, File: b.py", ("a.py", "File: b.py")),
            ("File: a.py (new), b.py(old) c, () d.py", ("a.py", "b.py c", "d.py")),
            ("File: a), (b, c(d", ("a)", "(b", "c(d")),
            ("File: (all of it), ,", ()),
        ],
    )
    def test_files_are_named_without_the_remark_after_them(self, line: str, files: tuple[str, ...]) -> None:
        assert self.details(line).files == files


class TestWhatIsNoTask:
    """Items inside code fences and HTML comments are not tasks."""

    def test_items_in_a_fence(self) -> None:
        assert ids("- [ ] 1. a\n```md\n- [ ] 2. b\n```\n- [ ] 3. c\n") == ["1", "3"]

    def test_a_fence_of_tildes_is_closed_by_as_many_tildes_only(self) -> None:
        assert ids("~~~~\n- [ ] 1. a\n~~~\n```\n- [ ] 2. b\n~~~~~\n- [ ] 3. c\n") == ["3"]

    def test_an_indented_fence_with_crlf(self) -> None:
        assert ids("- [ ] 1. a\r\n  - ```\r\n    - [ ] 2. b\r\n    ```\r\n- [ ] 3. c\r\n") == ["1", "3"]

    def test_a_fence_never_closed_reaches_the_end(self) -> None:
        assert ids("- [ ] 1. a\n```\n- [ ] 2. b\n") == ["1"]

    def test_a_fence_opened_inside_an_item_ends_with_the_item(self) -> None:
        assert ids("- [x] 1. a\n  ```sh\n  run\n- [ ] 2. b\n") == ["1", "2"]
        assert ids("- [x] 1. a\n\n  ```sh\n\n  - [ ] 9. in it\n\ntext\n- [ ] 2. b\n") == ["1", "2"]
        assert ids("1. x\n   ```\n   - [ ] 1. a\n- [ ] 2. b\n") == ["2"]
        assert ids(" ```\n- [ ] 1. a\n") == []  # an indent alone makes no item

    def test_a_closing_line_outside_the_item_opens_another_fence(self) -> None:
        assert ids("- [ ] 1. a\n  ```\n```\n- [ ] 2. b\n") == ["1"]

    def test_code_within_a_line_opens_no_fence(self) -> None:
        assert ids("```not a fence```\n- [ ] 1. a\n") == ["1"]

    def test_a_comment_over_several_lines(self) -> None:
        assert ids("<!--\n- [ ] 1. a\n- [ ] 2. b -->\n- [ ] 3. c\n") == ["3"]

    def test_a_comment_on_one_line(self) -> None:
        assert ids("<!-- - [ ] 1. a -->\n<!-->\n<!--->\n- [ ] 2. b\n") == ["2"]

    def test_a_comment_that_opens_after_a_task(self) -> None:
        assert ids("- [ ] 1. a <!-- later:\n- [ ] 2. b\n-->\n- [ ] 3. c <!-- now -->\n- [ ] 4. d\n") == ["1", "3", "4"]

    def test_a_task_may_speak_of_comments(self) -> None:
        assert ids("- [ ] 1. escape <!-- in output\n- [ ] 2. b\n") == ["1", "2"]
        assert ids("- [ ] 1. escape `<!--` in output\n- [ ] 2. b\n-->\n") == ["1", "2"]

    def test_a_fence_in_a_comment_and_a_comment_in_a_fence(self) -> None:
        assert ids("<!--\n```\n-->\n- [ ] 1. a\n```\n<!--\n```\n- [ ] 2. b\n") == ["1", "2"]

    def test_details_in_a_fence_are_skipped_too(self) -> None:
        task = parse("- [ ] 1. a\n  - one\n  ```\n  - two\n  ```\n  - three\n").tasks[0]
        assert task.details.implementation == ("one", "three")


class TestPrompts:
    def prompt(self, lines: str) -> str:
        return parse("- [ ] 1. a\n" + lines).tasks[0].details.prompt

    def test_a_prompt_over_several_lines_ends_at_a_bullet(self) -> None:
        assert self.prompt("  - _Prompt: one\n    two\n    three_\n  - four\n") == "one two three"

    def test_a_prompt_ends_at_a_blank_line_or_a_section_in_any_case(self) -> None:
        assert [self.prompt(f"_Prompt: one\n{end}\nx\n") for end in ("", "FILES: a", "purpose: b", "* c")] == [
            "one"
        ] * 4

    def test_the_last_prompt_wins(self) -> None:
        assert self.prompt("_Prompt: one_\n_Prompt: two_\n") == "two"

    def test_requirements_that_are_not_closed_are_none(self) -> None:
        assert parse("- [ ] 1. a\n  - _Requirements: 1.1\n").tasks[0].is_header


class TestSize:
    """Work grows with the text: a square of these sizes would not end."""

    def test_a_megabyte_of_tasks(self) -> None:
        text = "- [x] 1.2. do a thing\n  - File: a.py\n  - _Requirements: 1.1_\n" * 17_000
        assert (len(text) > 1_000_000, parse(text).progress) == (True, (17_000, 17_000, 0))

    @pytest.mark.parametrize(
        "line",
        [
            pytest.param("- [ ] 1. " + "x" * 1_000_000, id="a description"),
            pytest.param("- [ ] " + "1." * 500_000 + " x", id="a number"),
            pytest.param("- [ ] 1" + " " * 1_000_000 + "x", id="blanks after the number"),
            pytest.param(" " * 1_000_000 + "- [ ] 1. x", id="blanks before the item"),
            pytest.param("- [ ] 1. x\n_Prompt: " + "Role: a | " * 100_000, id="a prompt"),
            pytest.param("- [ ] 1. x\n_Prompt: " + "role:_" * 170_000 + "|", id="keys that are none"),
            pytest.param("- [ ] 1. x\nFile: " + "a (b), (" * 125_000, id="files"),
            pytest.param("- [ ] 1. x\n" + "_Requirements: " * 66_000, id="requirements that are never closed"),
            pytest.param("- [ ] 1. x" + "<!-- " * 200_000, id="comments that are never closed"),
            pytest.param("- [ ] 1. x\n_Prompt: a\n" + "more\n" * 200_000, id="a prompt of many lines"),
            pytest.param("- [ ] 1. x\n" + "_Prompt: a\n\n" * 90_000, id="many prompts"),
            pytest.param("- [ ] 1. x\n" + "`" * 1_000_000, id="a fence"),
        ],
    )
    def test_one_line_of_a_megabyte(self, line: str) -> None:
        found = parse(line)
        assert ([as_json(task)["status"] for task in found.tasks], found.progress) == (["pending"], (1, 0, 1))
