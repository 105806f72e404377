"""gitignore patterns as values; tests/differential/test_globs_against_git.py has git itself as the judge."""

from __future__ import annotations

import pytest

from holdfast.core.globs import GlobList, parse_globs


def _matched(pattern: bytes, *paths: str, folder: bool = False) -> list[str]:
    patterns = GlobList.parse(pattern)
    return [path for path in paths if patterns.decide(path, folder=folder)]


def test_the_last_pattern_that_matches_decides() -> None:
    patterns = GlobList.parse(b"*.log\n!keep.log\nsub/keep.*\n")
    asked = ("a.log", "keep.log", "sub/keep.log", "other")
    assert [patterns.decide(path, folder=False) for path in asked] == [True, False, True, None]


def test_a_literal_a_suffix_and_a_general_pattern_are_decided_in_one_order() -> None:
    lines = [b"name.py", b"!*.py", b"n?me.py", b"!/name.py"]
    found = [GlobList.parse(b"\n".join(lines[:count])).decide("name.py", folder=False) for count in range(5)]
    assert found == [None, True, False, True, False]


def test_a_range_holds_its_ends_and_what_lies_between() -> None:
    assert _matched(b"[b-d]", "a", "b", "c", "d", "e", "-") == ["b", "c", "d"]


def test_a_range_the_wrong_way_round_holds_its_first_end_alone() -> None:
    assert _matched(b"[z-x]", "x", "y", "z", "-") == ["z"]


@pytest.mark.parametrize("negation", ["!", "^"])
def test_a_negated_class_matches_every_other_byte(negation: str) -> None:
    assert _matched(f"[{negation}a-c]".encode(), "a", "c", "d", "!", "^") == ["d", "!", "^"]


def test_a_bracket_that_stands_first_and_an_escaped_one_are_members() -> None:
    assert [_matched(pattern, "]", "a", "\\") for pattern in (b"[]a]", b"[a\\]]")] == [["]", "a"], ["]", "a"]]


def test_a_class_knows_the_names_of_posix_and_none_else() -> None:
    assert _matched(b"[[:digit:]x]", "1", "x", "d", ":") == ["1", "x"]
    assert _matched(b"[[:word:]x]", "1", "x") == []


def test_a_class_and_a_question_mark_match_one_byte_and_not_one_character() -> None:
    assert [_matched(pattern, "é", "e") for pattern in (b"?", b"[!a]", b"??")] == [["e"], ["e"], ["é"]]


def test_a_name_that_is_no_utf_8_is_matched_by_its_bytes() -> None:
    assert _matched(b"[\x80-\xff]", b"\xff".decode("utf-8", "surrogateescape"), "a") == ["\udcff"]


def test_two_stars_between_slashes_cross_folders_and_one_does_not() -> None:
    paths = ("a/z", "a/b/z", "a/b/c/z")
    assert [_matched(pattern, *paths) for pattern in (b"a/**/z", b"a/***/z", b"a/*/z")] == [
        [*paths],
        [*paths],
        ["a/b/z"],
    ]


def test_a_slash_at_the_end_means_folders_alone() -> None:
    assert [_matched(b"name/", "name", "sub/name", folder=folder) for folder in (True, False)] == [
        ["name", "sub/name"],
        [],
    ]


@pytest.mark.parametrize("line", [b"", b"# remark", b"/", b"!", b"   ", b"a\\", b"[", b"[a", b"[[:x:]]"])
def test_a_line_that_can_match_nothing_is_no_pattern(line: bytes) -> None:
    assert parse_globs(line) == []


# Each of these took time exponential or quadratic in its length.
HOSTILE = {
    "stars and letters": (b"*a" * 12 + b"*b", b"a" * 240),
    "stars and classes": (b"*[a]" * 11 + b"*[b]", b"a" * 240),
    "many stars": (b"*a" * 400_000, b"a" * 255),
    "many classes": (b"*[!b]" * 200_000, b"a" * 255),
    "question marks": (b"*?" * 120 + b"b", b"a" * 255),
    "folders": (b"**/a*/" * 100_000 + b"b", b"/".join([b"a" * 200] * 20)),
    "double stars": (b"**/" * 300_000 + b"b", b"a/" * 2_000 + b"c"),
    "a class without an end": (b"[" + b"[:" * 400_000, b"a"),
    "a class of classes": (b"[" + b"[:" * 400_000 + b"]", b"a"),
    "a class of ranges": (b"[" + b"\x01-\xff" * 300_000 + b"]b", b"a"),
    "backslashes": (b"\\" * 900_000 + b"*", b"a"),
    "spaces": (b"a" + b" " * 900_000 + b"b", b"a"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_pattern_takes_longer_than_its_length_times_the_name(name: str) -> None:
    pattern, path = HOSTILE[name]
    assert GlobList.parse(pattern).decide(path, folder=False) is None


def test_plain_patterns_are_looked_up_and_not_tried_one_by_one() -> None:
    patterns = GlobList.parse(b"\n".join([b"name%06d\n/sub/name%06d\n*.suffix%06d" % (n, n, n) for n in range(45_000)]))
    asked = [f"folder/other{n}" for n in range(20_000)]
    assert not any(patterns.decide(path, folder=False) for path in asked)
    assert patterns.decide("x/name000042", folder=False)
    assert patterns.decide("x/y.suffix044999", folder=False)
