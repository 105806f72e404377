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

START = "# login\n\n## Requirements\n"
SCENARIO = "#### Scenario: right  password"


def digest(title: str, living: str = LIVING) -> str:
    return next(block.digest for block in blocks(bare_lines(living)) if block.title == title)


def changed(title: str, *body: str, kind: str = "MODIFIED", living: str = LIVING) -> str:
    lines = [f"## {kind} Requirements", "", f"### Requirement: {title}", base_line(digest(title, living)), *body]
    return "\n".join([*lines, ""])


def codes(living: str | None, delta: str) -> list[str]:
    merged = merge(living, delta, START)
    assert not merged.conflicts or (merged.text, merged.changes) == (living or "", 0)
    return [conflict.code for conflict in merged.conflicts]


def test_each_kind_moves_its_bytes_and_leaves_the_rest() -> None:
    delta = (
        changed("Log in", "Other  words,\tas written.", "```", "### Requirement: in a fence", "```", SCENARIO)
        + "\n## RENAMED Requirements\n- FROM: `### Requirement: Log out`\n- TO: `### Requirement: Leave`\n"
        + "\n## ADDED Requirements\n\n### Requirement: Stay\nIt SHALL stay.\n\n\n### Requirement: Go\nIt SHALL go.\n"
    )
    merged = merge(LIVING, delta, START)
    assert merged.text == (
        "# login\n\n## Purpose\n\nSay who one is.\n\n## Requirements\n\n### Requirement: Log in\n"
        f"Other  words,\tas written.\n```\n### Requirement: in a fence\n```\n{SCENARIO}\n\n### Requirement: Leave\n"
        "It SHALL let them out.\n\n### Requirement: Stay\nIt SHALL stay.\n\n### Requirement: Go\nIt SHALL go.\n\n"
        "## Notes\n\nLast words.\n"
    )
    assert merged.counts == {"ADDED": 2, "MODIFIED": 1, "REMOVED": 0, "RENAMED": 1}
    again = merge(merged.text, delta, START)
    assert (again.text, again.changes, again.conflicts) == (merged.text, 0, ())


def test_removed_takes_the_block_and_the_blank_lines_after_it() -> None:
    merged = merge(LIVING, changed("Log in", kind="REMOVED"), START)
    assert merged.text == (
        "# login\n\n## Purpose\n\nSay who one is.\n\n## Requirements\n\n### Requirement: Log out\n"
        "It SHALL let them out.\n\n## Notes\n\nLast words.\n"
    )


def test_a_renamed_requirement_can_be_modified_under_its_new_title() -> None:
    delta = "## RENAMED Requirements\n- FROM: ### Requirement: Log out\n- TO: Leave\n"
    renamed = merge(LIVING, delta, START).text
    delta += changed("Leave", "New.", living=renamed)
    merged = merge(LIVING, delta, START)
    assert (merged.conflicts, "### Requirement: Leave\nNew.\n" in merged.text) == ((), True)
    assert merge(merged.text, delta, START).changes == 0


def test_a_title_that_was_freed_can_be_taken_again() -> None:
    delta = changed("Log out", kind="REMOVED") + "\n## ADDED Requirements\n### Requirement: Log out\nAnew.\n"
    merged = merge(LIVING, delta, START)
    assert (merged.conflicts, merged.counts["REMOVED"], merged.counts["ADDED"]) == ((), 1, 1)
    assert merge(merged.text, delta, START).changes == 0


def test_a_title_that_one_renaming_frees_is_taken_by_the_next() -> None:
    delta = "## RENAMED Requirements\n- FROM: Log in\n- TO: Enter\n- FROM: Log out\n- TO: Log in\n"
    merged = merge(LIVING, delta, START)
    assert (merged.conflicts, [block.title for block in blocks(bare_lines(merged.text))]) == ((), ["Enter", "Log in"])


def test_changes_of_other_lengths_are_made_each_in_its_place() -> None:
    for first, second in ((("z", "y", "x", SCENARIO), ("a",)), (("a", SCENARIO), ("z", "y", "x"))):
        delta = changed("Log in", *first) + changed("Log out", *second)
        merged = merge(LIVING, delta, START)
        assert [block.lines[1:] for block in blocks(bare_lines(merged.text))] == [first, second]
        assert merged.text.startswith("# login\n\n## Purpose")
        assert merged.text.endswith("## Notes\n\nLast words.\n")


def test_without_the_section_what_is_added_follows_the_last_requirement() -> None:
    living = "### Requirement: A\na\n\n### Requirement: B\nb\n\n# End\n"
    merged = merge(living, "## ADDED Requirements\n### Requirement: C\nc\n", START)
    assert merged.text == living.replace("\n# End", "\n### Requirement: C\nc\n\n# End")


def test_a_lost_scenario_is_named_with_both_places() -> None:
    living = LIVING.replace("#### Scenario: right password", "#### Scenario: one\n\n#### Scenario: two")
    (conflict,) = merge(living, "\n" + changed("Log in", "x SHALL", living=living), START).conflicts
    assert (conflict.line, conflict.living_line) == (4, 9)
    assert conflict.message == "the change of 'Log in' loses its scenario 'one': write that one too"


def test_a_new_capability_gets_a_file_and_a_file_without_the_section_gets_one() -> None:
    delta = "## ADDED Requirements\n\n### Requirement: A\nSHALL.\n"
    assert (
        merge(None, delta, START.replace("login", "pay")).text
        == "# pay\n\n## Requirements\n\n### Requirement: A\nSHALL.\n"
    )
    assert merge("# x\n", delta, "").text == "# x\n\n## Requirements\n\n### Requirement: A\nSHALL.\n"
    assert merge("# x", delta, "").text == "# x\n\n## Requirements\n\n### Requirement: A\nSHALL."


def test_crlf_and_lf_are_no_difference_and_a_file_keeps_its_own() -> None:
    dos = LIVING.replace("\n", "\r\n")
    delta = changed("Log in", "Other.", SCENARIO) + "\n## ADDED Requirements\n### Requirement: New\nSHALL.\n"
    merged = merge(dos, delta, START)
    assert (merged.conflicts, merged.text.count("\n") == merged.text.count("\r\n")) == ((), True)
    assert merged.text.replace("\r\n", "\n") == merge(LIVING, delta, START).text
    assert merge(LIVING, delta.replace("\n", "\r\n"), START).text == merge(LIVING, delta, START).text
    assert merge(merged.text, delta, START).changes == 0


@pytest.mark.parametrize(
    ("living", "delta", "expected"),
    [
        (LIVING.replace("right password", "wrong one"), changed("Log in", "x"), ["base_changed"]),
        (LIVING.replace("right password", "wrong one"), changed("Log in", kind="REMOVED"), ["base_changed"]),
        (LIVING, changed("Log in", "It SHALL.", "#### Scenario: other"), ["scenario_lost"]),
        (LIVING, changed("Log in", "It SHALL.", "```", SCENARIO, "```"), ["scenario_lost"]),
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
    (conflict,) = merge(LIVING.replace("people", "nobody"), changed("Log in", "x"), START).conflicts
    assert (conflict.line, conflict.living_line, conflict.message) == (
        3,
        9,
        "'Log in' changed since: lines 9 to 13 are not what this was made from",
    )
    (case,) = merge(LIVING, "## ADDED Requirements\n### Requirement: LOG IN\n", START).conflicts
    assert case.message == "'LOG IN' and 'Log in' differ in case only"


def conflict(living: str, delta: str) -> tuple[str, str, int, int | None]:
    (found,) = merge(living, delta, START).conflicts
    return (found.code, found.message, found.line, found.living_line)


def test_each_kind_of_conflict_says_which_lines_meet() -> None:
    """Lines from 1, of the delta and of the living text, whose requirements begin in lines 9 and 15."""
    added = "## ADDED Requirements\n\n### Requirement: LOG OUT\nx\n"
    assert conflict(LIVING, added) == ("title_case", "'LOG OUT' and 'Log out' differ in case only", 3, 15)
    assert conflict(LIVING, added.replace("LOG OUT", "Log out")) == (
        *("title_exists", "'Log out' is there already and says something else", 3, 15),
    )
    renamed = "\n## RENAMED Requirements\n- FROM: Log in\n- TO: Log out\n"
    assert conflict(LIVING, renamed) == (
        *("title_exists", "'Log in' cannot be called 'Log out': there is one of that title", 3, 15),
    )
    assert conflict(LIVING, renamed.replace("Log in", "Nobody").replace("Log out", "X")) == (
        *("title_missing", "there is no requirement 'Nobody'", 3, None),
    )
    assert conflict(LIVING, "\n### Requirement: Log in\nx\n") == (
        *("delta_misplaced", "a requirement outside of its section", 2, None),
    )
    unbased = "## MODIFIED Requirements\n\n### Requirement: Log out\nx\n"
    missing = "the change of 'Log out' does not say what it was made from: `context spec delta` writes that"
    assert conflict(LIVING, unbased) == ("base_missing", missing, 3, 15)
    assert conflict(LIVING, unbased.replace("Log out", "Gone")) == (
        *("title_missing", "there is no requirement 'Gone'", 3, None),
    )
    twice = unbased + "### Requirement: Log out\ny\n"
    assert conflict(LIVING, twice) == ("block_twice", "'Log out' is changed twice here, in lines 3 and 5", 5, None)
    two = "## RENAMED Requirements\n- FROM: Log in\n- TO: X\n- FROM: Log out\n- TO: x\n"
    assert conflict(LIVING, two) == ("block_twice", "two requirements are to be called 'x'", 4, None)
    doubled = LIVING + "\n### Requirement: Log  in\nz\n"
    assert conflict(doubled, changed("Log out", "x")) == (
        *("title_twice", "'Log  in' is there twice, in lines 9 and 22", 1, 22),
    )


def test_without_the_need_of_a_base_a_change_is_made_and_a_wrong_base_still_refused() -> None:
    unbased = "## MODIFIED Requirements\n### Requirement: Log out\nx\n"
    assert merge(LIVING, unbased, "login", needs_base=False).counts["MODIFIED"] == 1
    wrong = unbased.replace("\nx", f"\n{base_line('0' * 64)}\nx")
    assert [each.code for each in merge(LIVING, wrong, "login", needs_base=False).conflicts] == ["base_changed"]


@pytest.mark.parametrize(
    ("delta", "applied"),
    [
        ("## ADDED Requirements\n### Requirement: Log out\nIt SHALL let them out.\n", True),
        ("## MODIFIED Requirements\n### Requirement: Log out\nIt SHALL let them out.\n", True),
        ("## REMOVED Requirements\n### Requirement: Gone\n", True),
        ("## RENAMED Requirements\n- FROM: Gone\n- TO: Log out\n", True),
        # One of two is in place: the other one is made.
        (
            "## ADDED Requirements\n### Requirement: Log out\nIt SHALL let them out.\n### Requirement: New\nx\n",
            False,
        ),
        ("## REMOVED Requirements\n### Requirement: Gone\n## ADDED Requirements\n### Requirement: New\nx\n", False),
        ("## RENAMED Requirements\n- FROM: Log in\n- TO: Enter\n", False),
        ("## RENAMED Requirements\n- FROM: Log in\n- TO: LOG IN\n", False),
    ],
)
def test_a_delta_that_is_in_place_changes_nothing_and_one_that_is_not_does(delta: str, applied: bool) -> None:
    merged = merge(LIVING, delta, START)
    assert (merged.conflicts, merged.changes == 0, merged.text == LIVING) == ((), applied, applied)


def test_a_title_that_was_freed_and_taken_again_is_no_conflict_the_second_time() -> None:
    """The delta is applied although the title that it removes, or renames, is there: with the words that it adds."""
    freed = "## RENAMED Requirements\n- FROM: Log out\n- TO: Leave\n"
    taken = "## ADDED Requirements\n### Requirement: Log out\nAnew.\n"
    first = merge(LIVING, freed + taken, START)
    assert (first.conflicts, first.counts) == ((), {"ADDED": 1, "MODIFIED": 0, "REMOVED": 0, "RENAMED": 1})
    again = merge(first.text, freed + taken, START)
    assert (again.text, again.changes, again.conflicts) == (first.text, 0, ())
    # Where what was taken says something else, nothing is in place any more, and it is reported.
    other = first.text.replace("Anew.", "Else.")
    assert {each.code for each in merge(other, freed + taken, START).conflicts} == {"title_exists"}
    # A removed requirement that came back with other words is removed again only where it is the one that was meant.
    removed = changed("Log out", kind="REMOVED")
    assert codes(LIVING.replace("let them out", "keep them"), removed) == ["base_changed"]


def test_changes_that_are_in_place_are_not_counted_with_those_that_are_made() -> None:
    delta = (
        changed("Log in", "New.", SCENARIO)
        + "## REMOVED Requirements\n### Requirement: Gone\n"
        + "## ADDED Requirements\n### Requirement: Log out\nIt SHALL let them out.\n"
    )
    assert merge(LIVING, delta, START).counts == {"ADDED": 0, "MODIFIED": 1, "REMOVED": 0, "RENAMED": 0}


def test_one_conflict_among_good_changes_changes_nothing() -> None:
    delta = changed("Log in", "New.", SCENARIO) + "## MODIFIED Requirements\n### Requirement: Nothing\nx\n"
    merged = merge(LIVING, delta, START)
    assert (merged.text, merged.changes, [each.code for each in merged.conflicts]) == (LIVING, 0, ["title_missing"])
    assert merge(None, "## MODIFIED Requirements\n### Requirement: Nothing\nx\n", START).text == ""


def test_the_last_block_of_a_file_is_removed_up_to_its_last_line_end() -> None:
    living = "# x\n\n## Requirements\n\n### Requirement: A\na\n\n### Requirement: B\nb\n\n\n"
    removed = merge(living, changed("B", kind="REMOVED", living=living), "x").text
    assert removed == "# x\n\n## Requirements\n\n### Requirement: A\na\n\n"
    added = merge(removed, "## ADDED Requirements\n### Requirement: C\nc\n", "x").text
    assert added == "# x\n\n## Requirements\n\n### Requirement: A\na\n\n### Requirement: C\nc\n\n"


def test_a_file_with_requirements_but_no_section_gets_more_after_the_last_one() -> None:
    living = "# x\n\n### Requirement: A\na\n\nend of A\n\n# y\n"
    added = merge(living, "## ADDED Requirements\n### Requirement: B\nb\n", "x").text
    assert added == "# x\n\n### Requirement: A\na\n\nend of A\n\n### Requirement: B\nb\n\n# y\n"


def test_a_file_has_the_line_ends_that_most_of_its_lines_have() -> None:
    delta = "## ADDED Requirements\n### Requirement: B\nb\n"
    text = "# x\r\n\n## Requirements\n"
    assert merge(text, delta, "x").text == text + "\n### Requirement: B\nb\n"
    even = "# x\r\n\r\n\n## Requirements\n"
    assert merge(even, delta, "x").text == even + "\n### Requirement: B\nb\n"
    most = "# x\r\n\r\n## Requirements\r\n\n"
    assert merge(most, delta, "x").text.endswith("## Requirements\r\n\r\n### Requirement: B\r\nb\r\n\n")
    no_end = "# x\r\n\r\n## Requirements"
    assert merge(no_end, delta, "x").text == no_end + "\r\n\r\n### Requirement: B\r\nb"


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
