"""Deltas applied to the requirements that hold now: bytes are moved, nothing is lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.specs.living_merge import merge
from holdfast.specs.requirement_blocks import bare_lines, base_line, blocks, delta_of

LIVING = """# login

## Purpose

Say who one is.

## Requirements

### Requirement: Log in
The system SHALL let people in.

#### Scenario: right password
- WHEN it is right

### Requirement: Log out
It SHALL let them out.

## Notes

Last words.
"""


def digest(title: str, living: str = LIVING) -> str:
    return next(block.digest for block in blocks(bare_lines(living)) if block.title == title)


def changed(title: str, *body: str, kind: str = "MODIFIED", living: str = LIVING) -> str:
    lines = [f"## {kind} Requirements", "", f"### Requirement: {title}", base_line(digest(title, living)), *body]
    return "\n".join([*lines, ""])


def codes(living: str | None, delta: str) -> list[str]:
    merged = merge(living, delta, "login")
    assert not merged.conflicts or (merged.text, merged.changes) == (living or "", 0)
    return [conflict.code for conflict in merged.conflicts]


def test_each_kind_moves_its_bytes_and_leaves_the_rest() -> None:
    delta = (
        changed("Log in", "Other  words,\tas written.", "```", "### Requirement: in a fence", "```")
        + "\n## RENAMED Requirements\n- FROM: `### Requirement: Log out`\n- TO: `### Requirement: Leave`\n"
        + "\n## ADDED Requirements\n\n### Requirement: Stay\nIt SHALL stay.\n\n\n### Requirement: Go\nIt SHALL go.\n"
    )
    merged = merge(LIVING, delta, "login")
    assert merged.text == (
        "# login\n\n## Purpose\n\nSay who one is.\n\n## Requirements\n\n### Requirement: Log in\n"
        "Other  words,\tas written.\n```\n### Requirement: in a fence\n```\n\n### Requirement: Leave\n"
        "It SHALL let them out.\n\n### Requirement: Stay\nIt SHALL stay.\n\n### Requirement: Go\nIt SHALL go.\n\n"
        "## Notes\n\nLast words.\n"
    )
    assert merged.counts == {"ADDED": 2, "MODIFIED": 1, "REMOVED": 0, "RENAMED": 1}
    again = merge(merged.text, delta, "login")
    assert (again.text, again.changes, again.conflicts) == (merged.text, 0, ())


def test_removed_takes_the_block_and_the_blank_lines_after_it() -> None:
    merged = merge(LIVING, changed("Log in", kind="REMOVED"), "login")
    assert merged.text == (
        "# login\n\n## Purpose\n\nSay who one is.\n\n## Requirements\n\n### Requirement: Log out\n"
        "It SHALL let them out.\n\n## Notes\n\nLast words.\n"
    )


def test_a_renamed_requirement_can_be_modified_under_its_new_title() -> None:
    delta = "## RENAMED Requirements\n- FROM: ### Requirement: Log out\n- TO: Leave\n"
    renamed = merge(LIVING, delta, "login").text
    delta += changed("Leave", "New.", living=renamed)
    merged = merge(LIVING, delta, "login")
    assert (merged.conflicts, "### Requirement: Leave\nNew.\n" in merged.text) == ((), True)
    assert merge(merged.text, delta, "login").changes == 0


def test_a_title_that_was_freed_can_be_taken_again() -> None:
    delta = changed("Log out", kind="REMOVED") + "\n## ADDED Requirements\n### Requirement: Log out\nAnew.\n"
    merged = merge(LIVING, delta, "login")
    assert (merged.conflicts, merged.counts["REMOVED"], merged.counts["ADDED"]) == ((), 1, 1)
    assert merge(merged.text, delta, "login").changes == 0


def test_a_new_capability_gets_a_file_and_a_file_without_the_section_gets_one() -> None:
    delta = "## ADDED Requirements\n\n### Requirement: A\nSHALL.\n"
    assert merge(None, delta, "pay").text == "# pay\n\n## Requirements\n\n### Requirement: A\nSHALL.\n"
    assert merge("# x\n", delta, "x").text == "# x\n\n## Requirements\n\n### Requirement: A\nSHALL.\n"
    assert merge("# x", delta, "x").text == "# x\n\n## Requirements\n\n### Requirement: A\nSHALL."


def test_crlf_and_lf_are_no_difference_and_a_file_keeps_its_own() -> None:
    dos = LIVING.replace("\n", "\r\n")
    delta = changed("Log in", "Other.") + "\n## ADDED Requirements\n### Requirement: New\nSHALL.\n"
    merged = merge(dos, delta, "login")
    assert (merged.conflicts, merged.text.count("\n") == merged.text.count("\r\n")) == ((), True)
    assert merged.text.replace("\r\n", "\n") == merge(LIVING, delta, "login").text
    assert merge(LIVING, delta.replace("\n", "\r\n"), "login").text == merge(LIVING, delta, "login").text
    assert merge(merged.text, delta, "login").changes == 0


@pytest.mark.parametrize(
    ("living", "delta", "expected"),
    [
        (LIVING.replace("right password", "wrong one"), changed("Log in", "x"), ["base_changed"]),
        (LIVING.replace("right password", "wrong one"), changed("Log in", kind="REMOVED"), ["base_changed"]),
        (LIVING, "## MODIFIED Requirements\n### Requirement: Log in\nx\n", ["base_missing"]),
        (LIVING, "## REMOVED Requirements\n### Requirement: Log in\n", ["base_missing"]),
        (LIVING, "## MODIFIED Requirements\n### Requirement: Nothing\nx\n", ["title_missing"]),
        (None, changed("Log in", "x"), ["title_missing"]),
        (LIVING, "## MODIFIED Requirements\n### Requirement: log  IN\nx\n", ["title_case"]),
        (LIVING, "## ADDED Requirements\n### Requirement: LOG IN\nx\n", ["title_case"]),
        (LIVING, "## ADDED Requirements\n### Requirement: Log  in\nx\n", ["title_exists"]),
        (LIVING, "## RENAMED Requirements\n- FROM: Log in\n- TO: Log out\n", ["title_exists"]),
        (LIVING, "## RENAMED Requirements\n- FROM: Nobody\n- TO: Log off\n", ["title_missing"]),
        (LIVING, "## RENAMED Requirements\n- FROM: Log in\n", ["delta_misplaced"]),
        (LIVING, "## RENAMED Requirements\n- TO: Log in\n", ["delta_misplaced"]),
        (LIVING, "### Requirement: Log in\nx\n", ["delta_misplaced"]),
        (LIVING, "## Requirements\n### Requirement: Log in\nx\n", ["delta_misplaced"]),
        (LIVING, changed("Log in", "x") + changed("Log in", "y"), ["block_twice"]),
        (LIVING, changed("Log in", "x") + changed("Log in", kind="REMOVED"), ["block_twice"]),
        (LIVING, "## RENAMED Requirements\n- FROM: Log in\n- TO: X\n- FROM: Log out\n- TO: X\n", ["block_twice"]),
        (LIVING + "\n### Requirement: Log  in\nz\n", changed("Log in", "x"), ["title_twice"]),
    ],
)
def test_what_cannot_be_applied_says_so_and_changes_nothing(
    living: str | None, delta: str, expected: list[str]
) -> None:
    assert codes(living, delta) == expected


def test_a_conflict_names_both_places() -> None:
    (conflict,) = merge(LIVING.replace("people", "nobody"), changed("Log in", "x"), "login").conflicts
    assert (conflict.line, conflict.living_line, conflict.message) == (
        3,
        9,
        "'Log in' changed since: lines 9 to 13 are not what this was made from",
    )
    (case,) = merge(LIVING, "## ADDED Requirements\n### Requirement: LOG IN\n", "login").conflicts
    assert case.message == "'LOG IN' and 'Log in' differ in case only"


titles = st.sampled_from(["A", "B", "C", "D"])
bodies = st.lists(st.sampled_from(["SHALL one.", "two", "", "- x", "#### Scenario: s", "   "]), max_size=3)


def living_of(requirements: dict[str, list[str]]) -> str:
    text = "# cap\n\nintro\n\n## Requirements\n"
    for title, body in requirements.items():
        text += "\n" + "\n".join([f"### Requirement: {title}", *body]) + "\n"
    return text + "\n## End\n\nlast\n"


class TestLaws:
    @settings(deadline=None)
    @given(
        st.dictionaries(titles, bodies, min_size=1),
        st.dictionaries(titles, bodies),
        st.dictionaries(titles, bodies),
        st.booleans(),
    )
    def test_merge_then_check_is_clean_and_conflicting_edits_never_lose_a_line(
        self, base: dict[str, list[str]], mine: dict[str, list[str]], theirs: dict[str, list[str]], crlf: bool
    ) -> None:
        """Mine is written as a delta against the base; theirs has gone into the living text meanwhile."""
        parsed = {block.title: block for block in blocks(bare_lines(living_of(base)))}
        delta = "".join(
            f"## MODIFIED Requirements\n### Requirement: {title}\n{base_line(parsed[title].digest)}\n"
            + "".join(f"{line}\n" for line in body)
            for title, body in mine.items()
            if title in base
        )
        delta += "".join(
            f"## ADDED Requirements\n### Requirement: {title}\n" + "".join(f"{line}\n" for line in body)
            for title, body in mine.items()
            if title not in base
        )
        living = living_of({**base, **theirs})
        living = living.replace("\n", "\r\n") if crlf else living
        merged = merge(living, delta, "cap")
        if merged.conflicts:
            assert merged.text == living
            return
        again = merge(merged.text, delta, "cap")
        assert (again.text, again.changes, again.conflicts) == (merged.text, 0, ())
        after = {block.title: block.lines for block in blocks(bare_lines(merged.text))}
        for title, block in {block.title: block for block in blocks(bare_lines(living))}.items():
            # What they wrote stands, unless it was the base that mine replaced.
            replaced = title in mine and block.digest == (parsed[title].digest if title in parsed else "")
            assert after[title] == block.lines or replaced
        for text in ("intro", "## End", "last"):
            assert text in merged.text

    @settings(deadline=None)
    @given(st.text(), st.text())
    def test_any_two_texts_are_merged_or_refused_and_a_second_time_changes_nothing(
        self, living: str, delta: str
    ) -> None:
        merged = merge(living, delta, "x")
        if not merged.conflicts:
            assert merge(merged.text, delta, "x").text == merged.text

    @settings(deadline=None)
    @given(st.text(alphabet="#R \nADEMOVIFNT:`-equirmnts", max_size=200))
    def test_any_text_is_a_delta(self, text: str) -> None:
        assert all(change.line < len(bare_lines(text)) for change in delta_of(text).changes)
