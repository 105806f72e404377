"""`estimate-1`: about how many tokens a text is to a language model, without a tokenizer. Pure.

Integers and fixed tables alone: every Python gives the same number, whatever is installed. It is made to be at least
what o200k_base counts for 99 texts in a hundred, and little more. A caller may rely on this, for texts
`a` and `b` that are not empty:

- joined by a line end they count at most as much as apart: `count(a + "\\n" + b) <= count(a) + count(b)`;
- a text counts at least as much as its beginning, where that ends before white space;
- wherever else a text is cut, both hold but for `SLACK` tokens.

The rules are in docs/formats/search.md. Whole texts are handled by functions in C (translate, split,
count); the cost of a text between blanks is computed once for each different one.
"""

from __future__ import annotations

from itertools import pairwise

from holdfast.core.token_tables import COMMON_HAN, FIRST, LAST, PAIRS, RANGES, WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

SLACK = 8

# Costs are in 32nds of a token.
_UNIT = 32
_TEXT = 64  # any text that is not empty
_WORD, _LEAST = 33, 34  # a word of one token or a single letter; any other word at least
_OTHER_WORD, _CAPITAL = 15, 4
_DIGITS, _DIGIT_FIRST, _LETTER_AND_DIGIT = 35, 34, 14
_SINGLE, _PAIR, _LONGER, _DIFFERENT, _SAME = 29, 33, 42, 17, 2
_EDGE = 32  # a single mark at the beginning or end of a token
# A single mark before a letter: it is mostly one token with the letters that follow.
_JOINTS = {**dict.fromkeys(b"_.'&", 6), **dict.fromkeys(b"(<\\", 8), **dict.fromkeys(b"-/=[", 19)}
_JOINT = 26
_SHAPE_COSTS = ((b"a\n", 25), (b" \n", 20), (b"\n  ", 28), (b"\n.", 13), (b"  ", 5), (b"\t", 28))

_LOWER = b"abcdefghijklmnopqrstuvwxyz"
_UPPER = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NUMERALS = b"0123456789"
_MARKS = frozenset(range(0x80)).difference(_LOWER + _UPPER + _NUMERALS)
_BEYOND = b"{"  # a Latin letter beyond ASCII, by the first of its two bytes in UTF-8
_LATIN_LEADS = bytes(range(0xC3, 0xCA))
_OTHER_LEADS = bytes(range(0xCA, 0x100))
_CONTINUATIONS = bytes(range(0x80, 0xC0))
_DIGITS_OF_62 = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def _table(default: bytes, *parts: tuple[bytes, bytes]) -> bytes:
    """A table for `translate`: what is in no part becomes the default, or stays where there is none."""
    table = bytearray(default * 256 if default else range(256))
    for members, becomes in parts:
        for at, member in enumerate(members):
            table[member] = becomes[at % len(becomes)]
    return bytes(table)


_LETTERS = _table(b" ", (_LOWER + _UPPER, _LOWER + _UPPER), (_LATIN_LEADS, _BEYOND))
_FOLDED = _table(b"", (_UPPER, _LOWER))
_REST = _table(b"", (_LOWER + _UPPER + _LATIN_LEADS + _OTHER_LEADS, b" "))
_KINDS = _table(b".", (_LOWER + _UPPER + _LATIN_LEADS, b"a"), (_NUMERALS, b"0"), (_OTHER_LEADS, b"u"))
_SHAPES = _table(
    b".",
    (_LOWER + _UPPER + _NUMERALS + bytes(range(0x80, 0x100)), b"a"),
    *((b"\n\r", b"\n"), (b"\t", b"\t"), (b" \x0b\x0c", b" ")),
)

_KNOWN = frozenset(WORDS.encode().split())
_ROW = len(FIRST)
_ALPHABET = _LOWER + _BEYOND
_PAIRS = {
    (one, other): _DIGITS_OF_62.index(ord(PAIRS[_ROW * row + column]))
    for row, one in enumerate(_ALPHABET)
    for column, other in enumerate(_ALPHABET)
}
_FIRST = {letter: _DIGITS_OF_62.index(ord(cost)) for letter, cost in zip(_ALPHABET, FIRST, strict=True)}
_LAST = {letter: _DIGITS_OF_62.index(ord(cost)) for letter, cost in zip(_ALPHABET, LAST, strict=True)}
_pair_cost = _PAIRS.__getitem__
_COMMON_HAN_COST = 20


class _Remembered(dict[object, int]):
    """What pieces of text cost, worked out when they are first met; forgets all when it has grown too large."""

    def __init__(self, cost: Callable[[Any], int], most: int, longest: int = 48) -> None:
        self._cost, self._most, self._longest = cost, most, longest

    def __missing__(self, piece: Any) -> int:
        cost = self._cost(piece)
        if len(piece) <= self._longest:
            if len(self) >= self._most:
                self.clear()
            self[piece] = cost
        return cost


def _word_cost(word: bytes) -> int:
    """A run of Latin letters: the sum of its humps, `useEffect` having two."""
    if word.translate(None, _UPPER) in (word, word[1:]):
        return _hump_cost(word)
    cost = start = 0
    for at in range(1, len(word)):
        if word[at] < 0x5B and word[at - 1] > 0x5B:
            cost += _hump_cost(word[start:at])
            start = at
    return cost + _hump_cost(word[start:])


def _hump_cost(hump: bytes) -> int:
    folded = hump.translate(_FOLDED)
    if folded == hump or folded in _KNOWN or len(folded) == 1:
        return _lower_cost(folded)
    return max(_letters_cost(folded) + _CAPITAL * (len(hump) - len(hump.translate(None, _UPPER))), _LEAST)


def _lower_cost(word: bytes) -> int:
    """A word without capitals, which most are."""
    if word in _KNOWN or len(word) == 1:
        return _WORD
    return max(_letters_cost(word), _LEAST)


def _letters_cost(word: bytes) -> int:
    return _OTHER_WORD + _FIRST[word[0]] + _LAST[word[-1]] + sum(map(_pair_cost, pairwise(word)))


def _run_cost(run: bytes) -> int:
    """The cost of a run without letters: digits by threes, and the marks between them."""
    if len(run) == 1 and run not in _NUMERALS:
        return _JOINTS.get(run[0], _JOINT)
    cost = start = 0
    kinds = run.translate(_KINDS)
    for end in range(1, len(run) + 1):
        if end < len(run) and kinds[end] == kinds[start]:
            continue
        length = end - start
        if kinds[start] == 0x30:
            cost += _DIGITS * -(-length // 3)
        elif length < 3:
            cost += _SINGLE if length == 1 else _PAIR
        else:
            same = sum([run[at] == run[at + 1] for at in range(start, end - 1)])
            cost += _LONGER + _SAME * same + _DIFFERENT * (length - 1 - same)
        start = end
    return cost


_words = _Remembered(_word_cost, 1 << 16)
_runs = _Remembered(_run_cost, 1 << 14)


def _token_cost(token: bytes) -> int:
    """The cost of a text between blanks."""
    if token.isalpha():  # most are words, as they are or before a mark
        return _lower_cost(token) if token.islower() else _word_cost(token)  # the token is remembered itself
    if token[:-1].isalpha() and token[-1] in _MARKS:
        return _words[token[:-1]] + _EDGE
    if token.isascii():  # nothing to leave out, which is several times as quick
        cost = 0
        letters, rest, kinds = token.translate(_LETTERS), token.translate(_REST), token.translate(_KINDS)
    else:
        cost = sum(map(_characters.__getitem__, token.decode()))
        letters, rest = token.translate(_LETTERS, _CONTINUATIONS), token.translate(_REST, _CONTINUATIONS)
        kinds = token.translate(_KINDS, _CONTINUATIONS)
    runs = rest.split()
    cost += sum(map(_words.__getitem__, letters.split())) + sum(map(_runs.__getitem__, runs))
    if b"0" in kinds:
        cost += _LETTER_AND_DIGIT * (kinds.count(b"a0") + kinds.count(b"0a"))
        cost += _DIGIT_FIRST * (kinds[0] == 0x30)
    if kinds[0] == 0x2E and len(runs[0]) == 1:
        cost += _EDGE - _runs[runs[0]]
    if kinds[-1] == 0x2E and len(runs[-1]) == 1 and len(kinds) > 1:
        cost += _EDGE - _runs[runs[-1]]
    return cost


def _character_cost(character: str) -> int:
    """What a character that is in no word and no run costs, by the range of its script."""
    if character in COMMON_HAN:
        return _COMMON_HAN_COST
    code, cost = ord(character), 0
    for first, each in RANGES:
        if first > code:
            break
        cost = each
    return cost


_characters = _Remembered(_character_cost, 1 << 14)
_tokens = _Remembered(_token_cost, 1 << 17)
# Texts as long as most sections: one is estimated when a document is cut, and again when its tokens are counted.
_WORTH_KEEPING, _LONGEST_KEPT = 512, 4096
_texts = _Remembered(lambda text: _cost(text.encode()), 256, _LONGEST_KEPT)


def estimate_tokens(text: str) -> int:
    """The tokens of a text, 0 where it is empty; in time linear in its length."""
    return tokens_at_cost(_cost_of_text(text)) if text else 0


def _cost_of_text(text: str) -> int:
    return _texts[text] if _WORTH_KEEPING < len(text) <= _LONGEST_KEPT else _cost(text.encode())


def cost_of_lines(text: str) -> int:
    """The cost of lines, with the end of the last, that follow others in a longer text.

    Nothing that is counted reaches over the end of a line: what a text costs is what its lines cost one by one, where
    it begins with a letter or a digit.
    """
    return _cost(b"\n%b\n" % text.encode())


def weighed(text: str) -> tuple[int, int]:
    """`estimate_tokens` and `cost_of_lines` of a text, in one look."""
    cost = _cost_of_text(text)
    return tokens_at_cost(cost) if text else 0, cost + _edges[text[:2], text[-1:]]


def _edge_weight(edges: tuple[str, str]) -> int:
    """What a text weighs more than it costs, by its first two characters and its last: as a part of a longer text it
    has a line's end before and after it."""
    begin, end = edges
    before, after = (b"\n%b" % begin.encode()).translate(_SHAPES), (b"%b\n" % end.encode()).translate(_SHAPES)
    return sum([each * (before.startswith(pattern) + after.endswith(pattern)) for pattern, each in _SHAPE_COSTS])


_edges = _Remembered(_edge_weight, 1 << 13)


def restored_weight(tokens: int, rest: int) -> int:
    """The weight of a text of `tokens` tokens, from its weight modulo 65,536: its beginning and end add little."""
    least = _UNIT * (tokens - 1) - _TEXT
    return least + (rest - least & 0xFFFF)


def tokens_at_cost(cost: int) -> int:
    """The tokens of a text whose lines cost so much together."""
    return -(-(_TEXT + cost) // _UNIT)


def _cost(data: bytes) -> int:
    shapes = data.translate(_SHAPES)
    blanks = sum([each * shapes.count(pattern) for pattern, each in _SHAPE_COSTS])
    return sum(map(_tokens.__getitem__, data.split())) + blanks
