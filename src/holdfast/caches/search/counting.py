"""Count the words and terms of texts, and give what was counted as sorted runs. Pure.

What stands between blanks, a token, decides by itself which word of the one index and which terms of the other it
counts as. So tokens alone are gathered while documents are read, once for both; what they count as is worked out for
each different one when they are spilled.
"""

from __future__ import annotations

from collections import Counter, deque
from itertools import chain, repeat

from holdfast.caches.index.dictionary import key_of
from holdfast.caches.index.runs import encode_run, listed, looked_up
from holdfast.caches.search.terms import raw_words, terms_of
from holdfast.caches.words import NOT_SEPARATORS, words
from holdfast.core.lower_case import lower_case

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Encoded = Iterator[tuple[bytes, bytes]]
    ByKey = dict[bytes, list[list[int]]]  # key -> the lists that together say where it occurs

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
        # Of documents in which the two indexes split words differently; their words by position from the end.
        self._only_words, self._only_bodies = _Lists(), _Lists()
        self._odd_places: list[int] = []
        # Of each section since the last spill: the place of its document, and how many tokens it has.
        self._places: list[int] = []
        self._counts: list[int] = []

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
            tokens = text.split()
            lists.add(len(self._places), tokens)
            self._places.append(place)
            self._counts.append(len(tokens))
            total += len(tokens)
        self.weight += total * _OCCURRENCE + (len(lists) - known) * _LIST
        if is_odd:
            found = words(content)
            self._odd_places.append(place)
            self._only_words.add(-len(self._odd_places), found)
            total = len(found)
            self.weight += total * (_OCCURRENCE + _LIST)
        return total

    def spill(self) -> tuple[Encoded, Encoded]:
        """Everything counted so far as the blocks of two runs, of words and of bodies; the counting starts anew.

        Words are told by place, bodies by the number of the section among those counted since the last spill.
        """
        tokens, only_words, only_bodies = self._tokens, self._only_words, self._only_bodies
        places, odd_places, lengths = self._places, self._odd_places, self._counts
        self._start()
        self.weight = 0
        by_word: ByKey = {}
        for token, held in tokens.items():
            key = key_of(token.lower() if token.isascii() else lower_case(token))
            if key in by_word:
                by_word[key].append(held)
            else:
                by_word[key] = [held]
        for word, held in only_words.items():
            _gather(by_word, word, held)
        by_term: ByKey = {}
        if self._with_terms:
            excess = _gather_terms(by_term, chain(tokens.items(), only_bodies.items()))
            for more, positions in excess.items():
                for position, times in positions.items():
                    lengths[position] += more * times
            self.lengths += lengths
        places += odd_places[::-1]
        return (
            encode_run(by_word, lambda key: listed(looked_up(places, _joined(by_word[key])))),
            encode_run(by_term, lambda key: listed(_joined(by_term[key]))),
        )


def _gather_terms(by_term: ByKey, tokens: Iterable[tuple[str, list[int]]]) -> dict[int, Counter[int]]:
    """Gather what tokens count as; for each number of words beyond the first, how many such tokens are where."""
    excess: dict[int, Counter[int]] = {}
    for token, held in tokens:
        if token.isascii() and token.isalnum():
            for term in terms_of(token):
                _gather(by_term, term, held)
            continue
        parts = raw_words(token)
        if len(parts) != 1:
            excess.setdefault(len(parts) - 1, Counter()).update(held)
        for part in parts:
            for term in terms_of(part):
                _gather(by_term, term, held)
    return excess


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
        lists, self._lists, self.weight = self._lists, _Lists(), 0
        by_term: ByKey = {}
        for word, numbers in lists.items():
            for term in terms_of(word):
                _gather(by_term, term, numbers)
        return encode_run(by_term, lambda key: listed(_joined(by_term[key])))


def _gather(by_key: ByKey, term: str, held: list[int]) -> None:
    key = key_of(term)
    if key in by_key:
        by_key[key].append(held)
    else:
        by_key[key] = [held]


def _joined(lists: list[list[int]]) -> list[int]:
    """All numbers of the lists, ascending."""
    return lists[0] if len(lists) == 1 else sorted(chain.from_iterable(lists))
