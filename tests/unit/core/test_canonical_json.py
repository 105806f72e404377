"""The encoder and the decoder."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.caches.selection import to_float32
from holdfast.core.canonical_json import (
    JsonError,
    decode,
    encode,
    encode_pretty,
    holds_more_values,
)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def test_keys_keep_their_order_and_nothing_is_escaped_without_need() -> None:
    value = {"b": [1, None, True, "é\u2028\x7f"], "a": {"quote": '"\\\n\x01'}, "f": to_float32(0.1)}
    assert encode(value) == '{"b":[1,null,true,"é\u2028\x7f"],"a":{"quote":"\\"\\\\\\n\\u0001"},"f":0.1}'


def test_a_lone_surrogate_is_written_in_escapes() -> None:
    assert encode(["é\ud800"]) == '["\\u00e9\\ud800"]'


@given(VALUES)
def test_encoding_what_was_decoded_gives_the_same_text(value: object) -> None:
    text = encode(value)
    assert encode(decode(text)) == text
    assert decode(encode_pretty(value)) == decode(text)


@given(st.text(st.sampled_from('ab\\"\n\r\t\b\f\x00\x1f\x7f'), min_size=100).map(lambda text: text * 10))
def test_a_long_text_is_quoted_as_a_short_one_is(text: str) -> None:
    assert encode(text) == json.dumps(text, ensure_ascii=False)
    assert encode(text + "é") == json.dumps(text + "é", ensure_ascii=False)


@given(VALUES)
def test_the_text_is_what_the_standard_library_writes(value: object) -> None:
    assert decode(encode(value)) == json.loads(json.dumps(value))
    assert encode_pretty(value).encode("utf-8", "replace") == json.dumps(value, indent=2, ensure_ascii=False).encode(
        "utf-8", "replace"
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "{",
        "[1,]",
        "{'a':1}",
        "nul",
        "NaN",
        "-Infinity",
        "[Infinity]",
        "1 2",
        '"\n"',
        "[" * 100_000,
        b"\xff",
        "01",
    ],
    ids=lambda text: repr(text)[:12],
)
def test_what_is_not_json_is_refused(text: str | bytes) -> None:
    with pytest.raises(JsonError):
        decode(text)


def test_a_number_too_long_to_be_a_count_becomes_a_float() -> None:
    assert decode("9" * 5000) == math.inf
    assert decode("1" + "0" * 300) == 10**300


def test_a_value_without_a_json_form_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(TypeError, match="set has no JSON form"):
        encode({"a": {1}})


def number_of_values(value: object) -> int:
    if isinstance(value, dict):
        return 1 + sum(number_of_values(item) for item in value.values())
    return 1 + sum(number_of_values(item) for item in value) if isinstance(value, list) else 1


@given(st.lists(VALUES, min_size=1))
def test_a_text_of_few_values_is_never_said_to_hold_more(value: list[object]) -> None:
    text = encode(value).encode("utf-8", "surrogatepass")
    # A comma parts two values of one container, so there are fewer of both together than of values and containers.
    assert not holds_more_values(text, 2 * number_of_values(value))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (b"[" + b"[]," * 3000 + b"1]", 3000),
        (b"[" + b'"",' * 3000 + b"1]", 3000),
        (b"[" + b"1," * 3000 + b"1]", 3000),
        (b"[" + b'"\\\\",' * 3000 + b"1]", 3000),
    ],
    ids=["lists", "strings", "numbers", "backslashes"],
)
def test_a_text_of_many_values_is_told_without_decoding_it(text: bytes, values: int) -> None:
    assert holds_more_values(text, values - 1)
    assert not holds_more_values(text, 3 * values)


@pytest.mark.parametrize("inside", ["[],{}," * 3000, '\\",[' * 3000, "\\\\" * 3000 + ",[", ",é😀" * 3000])
def test_what_stands_in_a_string_is_one_value(inside: str) -> None:
    text = encode({"query": inside, "budget": 9}).encode()
    assert not holds_more_values(text, 10)
