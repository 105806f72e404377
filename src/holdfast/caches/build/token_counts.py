"""Count the words and terms of texts, and give what was counted as sorted runs. Pure.

Word and terms depend on the whitespace-separated token alone, so tokens are counted once for both indexes; what each
different token counts as is worked out when they are spilled.
"""

from __future__ import annotations

from array import array
from collections import Counter, deque
from itertools import chain, repeat

from holdfast.caches.index_format import keys_of
from holdfast.caches.search.terms import raw_words, terms_of
from holdfast.caches.selection import NOT_SEPARATORS, words
from holdfast.caches.sorted_runs import encode_run, packed
from holdfast.core.lower_case import lower_case
from holdfast.core.unicode_text import split_at_white_space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Encoded = Iterator[tuple[bytes, bytes]]

# What an occurrence and a list of them weigh in memory, roughly.
_OCCURRENCE, _LIST = 9, 320


class _Lists(dict[str, list[int]]):
    """token -> where it occurs, once for each occurrence."""

    def __missing__(self, token: str) -> list[int]:
        made: list[int] = []
        self[token] = made
        return made

    def add(self, number: int, tokens: Iterable[str]) -> None:
        """Count tokens under a number, without a step of the interpreter between them."""
        deque(map(list.append, map(self.__getitem__, tokens), repeat(number)), maxlen=0)


class TextCounts:
    """Counts whole documents until it is time to spill, for the index of words and for that of sections' bodies."""

    def __init__(self, *, with_terms: bool = True) -> None:
        self._with_terms = with_terms
        self.weight = 0
        self.lengths: list[int] = []  # the words of the body of each section that was spilled
        self._start()

    def _start(self) -> None:
        self._tokens = _Lists()
        # Of documents in which the two indexes split words differently.
        self._only_words, self._only_bodies = _Lists(), _Lists()
        self._counts: list[int] = []  # of each section since the last spill, how many tokens it has

    def add(self, place: int, content: str, sections: Sequence[str]) -> int:
        """Count the document at a place, whose sections are given; how many words it has.

        `weight` grows by about the memory it takes.
        """
        lists = self._tokens
        is_odd = any(character in content for character in NOT_SEPARATORS)
        if is_odd:
            lists = self._only_bodies
        known = len(lists)
        total = 0
        for text in sections:
            tokens = split_at_white_space(text)
            lists.add(len(self._counts), tokens)
            self._counts.append(len(tokens))
            total += len(tokens)
        self.weight += total * _OCCURRENCE + (len(lists) - known) * _LIST
        if is_odd:
            found = words(content)
            self._only_words.add(-1 - place, found)
            total = len(found)
            self.weight += total * (_OCCURRENCE + _LIST)
        return total

    def spill(self) -> tuple[Encoded, Encoded]:
        """Everything counted so far as the blocks of two runs, of words and of bodies; the counting starts anew.

        Both tell where something occurs by the number of the section among those counted since the last spill; words
        of an odd document by its place, as -1 - place.
        """
        tokens, lengths = _packed(self._tokens), self._counts
        only_words, only_bodies = _packed(self._only_words), _packed(self._only_bodies)
        self._start()
        self.weight = 0
        lowered = [token.lower() if token.isascii() else lower_case(token) for token in tokens]
        by_word = _by_key([*lowered, *only_words], chain(tokens.values(), only_words.values()))
        by_term = {}
        if self._with_terms:
            by_term = _by_key(*_terms(chain(tokens.items(), only_bodies.items()), lengths))
        self.lengths += lengths
        return encode_run(by_word), encode_run(by_term)


def _packed(lists: _Lists) -> dict[str, bytes]:
    """The same in little room; the lists are gone."""
    return {token: packed(lists.pop(token)) for token in list(lists)}


def _terms(tokens: Iterable[tuple[str, bytes]], lengths: list[int]) -> tuple[list[str], list[bytes]]:
    """What tokens count as, and where each occurs; a token that is not one word is put right in the lengths."""
    terms: list[str] = []
    places: list[bytes] = []
    excess: dict[int, Counter[int]] = {}  # words beyond the first -> where tokens with so many are, how often
    for token, held in tokens:
        parts = [token] if token.isascii() and token.isalnum() else raw_words(token)
        if len(parts) != 1:
            excess.setdefault(len(parts) - 1, Counter()).update(array("i", held))
        for part in parts:
            for term in terms_of(part):
                terms.append(term)
                places.append(held)
    for more, positions in excess.items():
        for position, times in positions.items():
            lengths[position] += more * times
    return terms, places


class FieldCounts:
    """Counts the terms of one short field until it is time to spill."""

    def __init__(self) -> None:
        self.weight = 0
        self._lists = _Lists()

    def add(self, number: int, words: Sequence[str]) -> None:
        """Count the words of a field; `weight` grows by about the memory that takes."""
        known = len(self._lists)
        self._lists.add(number, words)
        self.weight += len(words) * _OCCURRENCE + (len(self._lists) - known) * _LIST

    def spill(self) -> Encoded:
        """Everything counted so far as the blocks of one run, after which the counting starts anew."""
        words, self._lists, self.weight = _packed(self._lists), _Lists(), 0
        found = [(term, held) for word, held in words.items() for term in terms_of(word)]
        return encode_run(_by_key([term for term, _ in found], [held for _, held in found]))


def _by_key(terms: Sequence[str], places: Iterable[bytes]) -> dict[bytes, bytes]:
    """key -> where it occurs, from terms and where each occurs; a term may be given more than once."""
    by_key: dict[bytes, bytes] = {}
    several: dict[bytes, list[bytes]] = {}
    for key, held in zip(keys_of(terms), places, strict=True):
        if key not in by_key:
            by_key[key] = held
        elif key in several:
            several[key].append(held)
        else:
            several[key] = [by_key[key], held]
    for key, parts in several.items():
        by_key[key] = packed(sorted(array("i", b"".join(parts))))
    return by_key
