"""The prompt of a task, and the sections of one that has some."""

from __future__ import annotations

import pytest

from holdfast.specs.task_prompt import is_bullet, sections, take_prompt


@pytest.mark.parametrize(
    ("lines", "taken"),
    [
        (["_Prompt: one_", "two"], ("one", 1)),
        (["before _Prompt: one", "two_", "", "three"], ("one two", 2)),
        (["_Prompt:_", "two_"], (" two", 2)),
        (["_Prompt:", "  two  "], (" two", 2)),
        (["_Prompt: one", "File: a", "two"], ("one", 1)),
        (["_Prompt: one", "files: a"], ("one", 1)),
        (["_Prompt: one", "PURPOSE: a"], ("one", 1)),
        (["_Prompt: one", "purposes: a"], ("one purposes: a", 2)),
        (["_Prompt: one", "é File: a"], ("one é File: a", 2)),
        (["_Prompt: one", "- two"], ("one", 1)),
        (["_Prompt: one", "-two", "*"], ("one -two *", 3)),
    ],
)
def test_a_prompt_ends_where_another_detail_begins(lines: list[str], taken: tuple[str, int]) -> None:
    assert take_prompt(lines, 0) == taken


def test_a_prompt_counts_its_lines_from_where_it_starts() -> None:
    assert take_prompt(["x", "y", "_Prompt: one", "two", "three_"], 2) == ("one two three", 3)


def test_a_bullet_is_a_mark_with_white_space_after_it() -> None:
    found = {line: is_bullet(line) for line in ("- a", "* a", "-\ta", "-\u00a0a", "-a", "-", "", "+ a", "X a", "--")}
    assert [line for line, bullet in found.items() if bullet] == ["- a", "* a", "-\ta", "-\u00a0a"]


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("Role: dev", []),
        ("", []),
        ("Role: dev | Task: do it", [("Role", "dev"), ("Task", "do it")]),
        ("Implement the task, Role: dev | Task: do", [("Role", "dev"), ("Task", "do")]),
        ("a prologue: with a colon, TASK: do | Context: here", [("TASK", "do"), ("Context", "here")]),
        ("no key at all | Task: do", [("Task", "do")]),
        ("no key at all | nothing", []),
        ("my_role: x | Task: do", [("Task", "do")]),
        ("role2role: x | Task: do", [("Task", "do")]),
        ("xrole: x, role: y | Task: do", [("role", "y"), ("Task", "do")]),
        ("é role: y | Task: do", [("role", "y"), ("Task", "do")]),
        ("érole: y | Task: do", [("role", "y"), ("Task", "do")]),
        ("Role: a | b | | c_ | Task: d", [("Role", "a | b | c"), ("Task", "d")]),
        ("Role: _a_ | _Task_: _b_", [("Role", "a"), ("Task", "b")]),
        ("Role: a | : b | c: | _: d | e: _", [("Role", "a | : b | c:")]),
        ("Role: a | Task: b: c", [("Role", "a"), ("Task", "b: c")]),
    ],
)
def test_sections_are_what_stands_between_bars(prompt: str, expected: list[tuple[str, str]]) -> None:
    assert sections(prompt) == expected


@pytest.mark.parametrize(
    "key", ["Role", "Task", "Context", "Instructions", "Requirements", "Leverage", "Success", "Restrictions"]
)
def test_each_known_key_may_open_the_first_section_whatever_stands_before_it(key: str) -> None:
    assert sections(f"read this: then {key.upper()}: a | Other: b") == [(key.upper(), "a"), ("Other", "b")]
