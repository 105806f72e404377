"""YAML 1.2 core, and bounds on everything a file could do to its reader."""

from __future__ import annotations

import math

import pytest

from holdfast.core.yaml_text import MAX_BYTES, MAX_DEPTH, YamlError, parse, parse_document


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("y", "y"),
        ("2026-02-13T10:00:00Z", "2026-02-13T10:00:00Z"),
        ("2026-02-13", "2026-02-13"),
        ("1:30", "1:30"),
        ("1_000", "1_000"),
        ("0x1F", 31),
        ("0o17", 15),
        ("017", 17),
        ("-12", -12),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("true", True),
        ("True", True),
        ("FALSE", False),
        ("null", None),
        ("~", None),
        ("", None),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        ("'12'", "12"),
        ('"true"', "true"),
        ("!!str 12", "12"),
        ("! 12", "12"),
        ("!!int 12", 12),
        ("!!float 1", 1.0),
        ("=", "="),
        ("<<", "<<"),
        ('"a\\nb \\u00e9"', "a\nb é"),
        ("|\n  one\n  two\n", "one\ntwo\n"),
    ],
)
def test_a_scalar_means_what_the_core_schema_of_yaml_1_2_says(text: str, value: object) -> None:
    parsed = parse(f"key: {text}\n".encode())
    assert (parsed, type(parsed["key"])) == ({"key": value}, type(value))


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        ("a: 1\nb: 2\na: 3\n", "duplicate key 'a'", 3),
        ("a: {b: 1, b: 2}\n", "duplicate key 'b'", 1),
        ("1: one\n", "a key must be a string", 1),
        ("? [a]\n: b\n", "a key must be a string", 1),
        ("a: &x [*x]\n", "alias *x leads nowhere or to itself", 1),
        ("a: 1\n---\nb: 2\n", "more than one document", 0),
        ("a: !custom 1\n", "unknown tag !custom", 1),
        ("a: !!int one\n", "'one' does not fit its tag", 1),
        ("a: !!timestamp 2001-01-01\n", "'2001-01-01' does not fit its tag", 1),
    ],
)
def test_what_must_not_be_is_refused_with_its_line(text: str, reason: str, line: int) -> None:
    with pytest.raises(YamlError) as caught:
        parse(text.encode())
    assert (caught.value.reason, caught.value.line) == (reason, line)


def test_an_unclosed_quote_is_refused() -> None:
    with pytest.raises(YamlError):
        parse(b'a: "open\nb: 1\n')


def test_bytes_that_are_not_utf_8_are_refused() -> None:
    with pytest.raises(YamlError, match="not UTF-8"):
        parse(b"a: \xff\n")


def test_a_byte_order_mark_is_read_past() -> None:
    assert parse(b"\xef\xbb\xbfa: 1\n") == {"a": 1}


def test_nothing_is_nothing() -> None:
    assert [parse(text) for text in (b"", b"# only a comment\n", b"---\n")] == [None, None, None]


def test_nesting_up_to_the_limit_is_read_and_one_more_is_not() -> None:
    parse(("[" * MAX_DEPTH + "]" * MAX_DEPTH).encode())
    with pytest.raises(YamlError, match="nested deeper"):
        parse(("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1)).encode())


def test_a_file_as_large_as_the_limit_is_read_and_one_byte_more_is_not() -> None:
    assert parse(b"a: 1\n#" + b"x" * (MAX_BYTES - 6)) == {"a": 1}
    with pytest.raises(YamlError, match="larger"):
        parse(b"a: 1\n#" + b"x" * (MAX_BYTES - 5))


def test_an_alias_may_be_used_as_long_as_the_whole_stays_within_the_limit() -> None:
    assert parse(b"a: &x [1, 2]\nb: *x\n") == {"a": [1, 2], "b": [1, 2]}
    bomb = "a: &a [x, x, x, x, x, x, x, x]\n" + "".join(
        f"{here}: &{here} [{', '.join([f'*{before}'] * 9)}]\n"
        for before, here in zip("abcdefgh", "bcdefghi", strict=True)
    )
    with pytest.raises(YamlError, match="expands beyond"):
        parse(bomb.encode())


def test_the_lines_of_top_level_keys_are_known() -> None:
    document = parse_document(b"# head\na: 1\nb:\n  - c: 2\n\nd: |\n  a: no key\n")
    assert document == ({"a": 1, "b": [{"c": 2}], "d": "a: no key\n"}, {"a": 1, "b": 2, "d": 5})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"\ud83d\ude00 and \uD83D\uDE00"', "\U0001f600 and \U0001f600"),
        (r'"\\ud83d\\ude00"', r"\ud83d\ude00"),
        (r'"\\\ud83d\ude00"', "\\\U0001f600"),
        (r"\ud83d\ude00", r"\ud83d\ude00"),
        (r"'\ud83d\ude00'", r"\ud83d\ude00"),
        ("x\u2028y\x85z\u2029", "x\u2028y\x85z\u2029"),
        ('"x\u2028y\ue000"', "x\u2028y\ue000"),
        ("\n  -\ta\n  - \tb\n  -\t-\tc", ["a", "b", ["c"]]),
        ("|-\n  -\ta", "-\ta"),
    ],
)
def test_where_yaml_1_2_differs_it_is_followed(text: str, value: object) -> None:
    assert parse(f"key: {text}\n".encode()) == {"key": value}


@pytest.mark.parametrize("text", [r'"\ud83d"', r'"\ude00\ud83d"', "-\t" * 3 + "a\n\tb: c"])
def test_what_is_no_yaml_in_either_version_is_refused(text: str) -> None:
    with pytest.raises(YamlError):
        parse(f"key: {text}\n".encode())


def test_tabs_without_number_are_refused_in_bounded_time() -> None:
    with pytest.raises(YamlError):
        parse(b"key:\n" + b"-\ta\n" * 5000)
