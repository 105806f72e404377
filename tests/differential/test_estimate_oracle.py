"""`estimate-1` counted character by character, as docs/formats/search.md says it, against the one that is used."""

from __future__ import annotations

from itertools import groupby, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.core.token_estimate import estimate_tokens
from holdfast.core.token_tables import COMMON_HAN, FIRST, LAST, PAIRS, RANGES, WORDS
from support.examples import examples

BASE_62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
SMALL = "abcdefghijklmnopqrstuvwxyz{"
KNOWN = set(WORDS.split())
JOINTS = {**dict.fromkeys("_.'&", 6), **dict.fromkeys("(<\\", 8), **dict.fromkeys("-/=[", 19)}


def kind(character: str) -> str:
    """A letter, a digit, a mark, or something else."""
    if character.isascii():
        return "a" if character.isalpha() else "0" if character.isdigit() else "."
    return "." if character < "\xc0" else "a" if character < "\u0280" else "u"


def part_cost(part: str) -> int:
    capitals = sum(character.isascii() and character.isupper() for character in part)
    letters = "".join([character.lower() if character.isascii() else "{" for character in part])
    if letters in KNOWN or len(letters) == 1:
        return 33
    at = [SMALL.index(letter) for letter in letters]
    costs = [FIRST[at[0]], LAST[at[-1]], *(PAIRS[27 * one + other] for one, other in pairwise(at))]
    return max(34, 15 + 4 * capitals + sum(BASE_62.index(cost) for cost in costs))


def word_cost(word: str) -> int:
    cut = [0]
    for at in range(1, len(word)):
        is_capital = word[at].isascii() and word[at].isupper()
        if is_capital and not (word[at - 1].isascii() and word[at - 1].isupper()):
            cut.append(at)
    return sum(part_cost(word[start:end]) for start, end in pairwise([*cut, len(word)]))


def run_cost(run: str, *, is_edge: bool) -> int:
    if len(run) == 1 and kind(run) == ".":
        return 32 if is_edge else JOINTS.get(run, 26)
    cost = 0
    for is_digits, group in groupby(run, lambda character: kind(character) == "0"):
        marks = ["\xc2" if character > "\x7f" else character for character in group]
        if is_digits:
            cost += 35 * -(-len(marks) // 3)
        elif len(marks) < 3:
            cost += (0, 29, 33)[len(marks)]
        else:
            cost += 42 + sum(2 if one == other else 17 for one, other in pairwise(marks))
    return cost


def by_range(character: str) -> int:
    return [each for first, each in RANGES if first <= ord(character)][-1]


def token_cost(token: str) -> int:
    kinds = [kind(character) for character in token]
    cost = 34 * (kinds[0] == "0") + 14 * sum({one, other} == {"a", "0"} for one, other in pairwise(kinds))
    at = 0
    for what, group in groupby(token, lambda character: {"a": "word", "u": "other"}.get(kind(character), "run")):
        text = "".join(group)
        if what == "word":
            cost += word_cost(text) + sum(by_range(character) for character in text if character >= "\u0250")
        elif what == "run":
            cost += run_cost(text, is_edge=at == 0 or at + len(text) == len(token))
        else:
            cost += sum(20 if character in COMMON_HAN else by_range(character) for character in text)
        at += len(text)
    return cost


def naive(text: str) -> int:
    classes = {"\t": "\t", "\n": "\n", "\r": "\n", " ": " ", "\x0b": " ", "\x0c": " "}
    shape = "".join([classes.get(each, "." if each.isascii() and kind(each) == "." else "a") for each in text])
    cost = 25 * shape.count("a\n") + 20 * shape.count(" \n") + 28 * shape.count("\n  ") + 13 * shape.count("\n.")
    cost += 5 * shape.count("  ") + 28 * shape.count("\t")
    for blank in classes:
        text = text.replace(blank, " ")
    cost += sum(token_cost(token) for token in text.split(" ") if token)
    return -(-(64 + cost) // 32) if shape else 0


PIECES = [
    *("the", "The", "useEffect", "HTTPServer", "xyzzy", "für", "Größe", "ÉCOLE", "a", "B", "de", "{", "é"),
    *("(", ".", "_", "--", "----", "](", "://", "\\", "/", "…", "’", "\xa0", "\xab", "0", "12", "3141", "\x1c", "\x7f"),
    *(
        " ",
        "  ",
        "\n",
        "\n\n",
        "\r\n",
        "\t",
        "\x0b",
        "漢",
        "的",
        "かな",
        "ไทย",
        "ລາວ",
        "한",
        "рус",
        "😀",
        "\u3000",
        "ế",
    ),
]


@settings(max_examples=examples(1500), deadline=None)
@given(st.one_of(st.lists(st.sampled_from(PIECES), max_size=14).map("".join), st.text(max_size=40)))
def test_the_estimate_is_what_the_format_page_says(text: str) -> None:
    assert estimate_tokens(text) == naive(text)
