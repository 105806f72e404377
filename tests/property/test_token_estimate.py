"""What a caller may rely on in `estimate-1`, for any texts."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.core.token_estimate import (
    SLACK,
    cost_of_lines,
    estimate_tokens,
    restored_weight,
    tokens_at_cost,
    weighed,
)
from support.examples import examples

EXAMPLES = settings(max_examples=examples(400), deadline=None)
PIECES = [
    *("merchantability", "approximately", "Copyright", "useEffect", "HTTPServer", "für", "größe", "xyzzy", "a", "B"),
    *("(", ".", "_", "--", "```", "](", "://", "\\_", "…", "’", "\xa0", "0", "12", "3.14", "0xFF", "\x1c", "\x7f"),
    *(
        " ",
        "  ",
        "\n",
        "\n\n",
        "\r\n",
        "\t",
        "    ",
        "漢字",
        "的",
        "かな",
        "ไทย",
        "ລາວ",
        "한글",
        "русский",
        "😀",
        "\u3000",
    ),
]
TEXTS = st.one_of(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.text(max_size=60))
NOT_EMPTY = TEXTS.filter(bool)


@EXAMPLES
@given(NOT_EMPTY, NOT_EMPTY)
@example("x ", "  y")
@example("x\n", "  y")
def test_lines_joined_count_at_most_as_much_as_apart(one: str, other: str) -> None:
    assert estimate_tokens(f"{one}\n{other}") <= estimate_tokens(one) + estimate_tokens(other)


@EXAMPLES
@given(TEXTS, TEXTS, st.sampled_from(" \n\t\r"))
def test_a_text_counts_at_least_as_much_as_its_beginning_before_white_space(one: str, other: str, blank: str) -> None:
    assert estimate_tokens(one) <= estimate_tokens(one + blank + other)


@EXAMPLES
@given(TEXTS, TEXTS)
@example("merchantability", "merchantability")
@example("MERCHANTABILITY", "MERCHANTABILITY")
@example("merchantabilit", "y")
def test_wherever_a_text_is_cut_both_laws_hold_but_for_the_slack(one: str, other: str) -> None:
    whole, first, second = (estimate_tokens(text) for text in (one + other, one, other))
    assert first - SLACK <= whole <= first + second + SLACK


@EXAMPLES
@given(TEXTS)
def test_a_text_counts_the_same_whatever_was_counted_before_and_more_than_nothing(text: str) -> None:
    first = estimate_tokens(text)
    estimate_tokens(text + " other words 42, and (more)")
    assert estimate_tokens(text) == first
    assert (first > 0) == bool(text)


@EXAMPLES
@given(st.lists(TEXTS, max_size=6))
@example(["  x", "", " ", "-", "\r"])
def test_a_text_costs_what_its_lines_cost_one_by_one(lines: list[str]) -> None:
    whole = "\n".join(["5 of 9 sections", *lines, ""])
    assert estimate_tokens(whole) == tokens_at_cost(sum(map(cost_of_lines, ["5 of 9 sections", *lines])))


@EXAMPLES
@given(TEXTS, st.sampled_from([1, 1, 1, 3000]))
@example("  x", 1)
@example(". ", 1)
@example(" ", 1)
@example("", 1)
def test_tokens_and_weight_are_found_in_one_look_and_kept_in_two_bytes(text: str, times: int) -> None:
    tokens, weight = weighed(text * times)
    assert (tokens, weight) == (estimate_tokens(text * times), cost_of_lines(text * times))
    assert restored_weight(tokens, weight & 0xFFFF) == weight
