"""The tokens of some hundred documents, found at once in the bytes of their texts, by arrays. Pure.

Only imported where numpy is. Equal tokens are brought together by a sort, so that each different one is looked up once
in a batch. Documents are cut into sections as if nothing were too heavy; then all sections are weighed together, and
only a document that has one which is too heavy is cut again.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from holdfast.caches.build.token_counts import is_torn
from holdfast.caches.number_arrays import LOWER, NUMBER
from holdfast.caches.search.long_lines import is_heavy_at
from holdfast.caches.search.sections import read_fields
from holdfast.caches.selection import NOT_SEPARATORS
from holdfast.core.token_estimate import shape_cost, shapes_of, token_costs, tokens_at_cost, weighed_at_cost
from holdfast.core.unicode_text import split_at_white_space

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from holdfast.caches.cache_format import Document
    from holdfast.caches.number_arrays import Numbers
    from holdfast.caches.search.sections import Fields

    Small = NDArray[np.int32]

# A document in ASCII has its tokens between the same bytes in both indexes and in estimates; others are split as text
# first; in odd ones the two indexes split words differently.
PLAIN, OTHER, ODD = range(3)

_WORD = 8  # bytes of a token that are compared at once
_FACTORS = (0x1E3779B97F4A7C15, 0x42B2AE3D27D4EB4F, 0x165667B19E3779F9)
_LONGEST = _WORD * len(_FACTORS)  # longer tokens are looked up one by one
_SLOT_BITS = 18  # of a hash
_KEPT = np.array([*[(1 << 8 * size) - 1 for size in range(_WORD)], -1], np.int64)
_IS_BLANK = bytes([byte in b" \t\n\r\x0b\x0c" for byte in range(256)])


class TokenNumbers(dict[bytes, int]):
    """A number for each different token; `costs` has what each costs by `estimate-1`."""

    def __init__(self) -> None:
        super().__init__()
        self.costs: Numbers = np.zeros(0, np.int64)
        # By a hash the row of a token that has it, of others that share it none; in row 0 is none. A row has the size
        # and the number of a token together, and its first bytes in words.
        self._slots: Small = np.zeros(1 << _SLOT_BITS, np.int32)
        self._rows: list[Numbers] = [np.zeros(1, np.int64)] * (1 + len(_FACTORS))

    def of(self, tokens: Sequence[bytes]) -> Small:
        """The numbers of tokens."""
        new = [token for token in dict.fromkeys(tokens) if token not in self]
        if new:
            self.update(zip(new, range(len(self), len(self) + len(new)), strict=True))
            self.costs = np.concatenate((self.costs, np.array(token_costs(new), np.int64)))
        return np.fromiter(map(self.__getitem__, tokens), np.int32, len(tokens))

    def among(self, hashes: Numbers, sizes: Numbers, parts: Sequence[tuple[Numbers, Numbers]]) -> Small:
        """The number of each token that is found by its hash, -1 for others; `parts` are words of some of them."""
        rows = self._slots[hashes]
        both, *words = self._rows
        known = both[rows]
        is_other = known & NUMBER != sizes
        for own, (places, part) in zip(words, parts, strict=True):
            is_other[places] |= own[rows[places]] != part
        known >>= LOWER
        known[is_other] = -1
        return known.astype(np.int32)

    def keep(self, hashes: Numbers, numbers: Small, sizes: Numbers, parts: Sequence[Numbers]) -> None:
        """Have tokens found by their hashes that no other token has yet."""
        is_free = self._slots[hashes] == 0
        first = len(self._rows[0])
        both = numbers.astype(np.int64) << LOWER | sizes
        self._rows = [
            np.concatenate((own, more[is_free])) for own, more in zip(self._rows, (both, *parts), strict=True)
        ]
        self._slots[hashes[is_free]] = np.arange(first, len(self._rows[0]))


class TokenBatch:
    """Documents, the fields of each, and the tokens of their sections by number."""

    def __init__(self, numbers: TokenNumbers, documents: Sequence[Document]) -> None:
        self.documents = documents
        self.kinds = [_kind(document.content) for document in documents]
        self.fields: list[Fields] = []
        self._numbers = numbers
        for place, document in enumerate(documents):
            self.fields.append(read_fields(document, _never) if self.kinds[place] == PLAIN else read_fields(document))
            self._mark_torn(place)
        places = self._places(PLAIN)
        contents = [documents[place].content for place in places]
        self._offsets = dict(zip(places, accumulate([len(text) + 1 for text in contents], initial=1), strict=False))
        # Tokens of texts that are not ASCII, section by section.
        self._split = {place: self._split_sections(place) for place in self._places(OTHER)}
        others = [" ".join(tokens) for held in self._split.values() for tokens in held]
        self._data = "\n".join(["", *contents, *others, ""]).encode()
        self._starts, self._tokens = found_tokens(self._data, numbers)
        self._reached = np.concatenate(([0], np.cumsum(numbers.costs[self._tokens])))
        self._shapes = shapes_of(self._data)
        self._weigh()
        heavy = [place for place in places if self._is_heavy(place)]
        for place in heavy:
            self.fields[place] = read_fields(documents[place])
            self._mark_torn(place)
        if heavy:
            self._weigh()

    def _places(self, kind: int) -> list[int]:
        return [place for place, each in enumerate(self.kinds) if each == kind]

    def _mark_torn(self, place: int) -> None:
        if is_torn(self.fields[place].sections):
            self.kinds[place] = ODD

    def _split_sections(self, place: int) -> list[list[str]]:
        content = self.documents[place].content
        return [split_at_white_space(content[each.start : each.end]) for each in self.fields[place].sections]

    def _weigh(self) -> None:
        """Find the tokens of each section of plain documents, and what it costs."""
        begins: list[int] = []
        ends: list[int] = []
        self._sections: dict[int, tuple[int, int]] = {}  # place -> its sections among these
        for place in self._places(PLAIN):
            offset, sections = self._offsets[place], self.fields[place].sections
            self._sections[place] = len(begins), len(begins) + len(sections)
            begins += [offset + section.start for section in sections]
            ends += [offset + section.end for section in sections]
        self._begins = np.searchsorted(self._starts, begins)
        self._sizes = np.searchsorted(self._starts, ends) - self._begins
        costs = (self._reached[self._begins + self._sizes] - self._reached[self._begins]).tolist()
        shapes, of_shapes = self._shapes
        self._costs = [
            cost + shape_cost(shapes, begin, end, of_shapes)
            for cost, begin, end in zip(costs, begins, ends, strict=True)
        ]
        self._counts: list[int] = self._sizes.tolist()

    def _is_heavy(self, place: int) -> bool:
        begin, end = self._sections[place]
        costs = self._costs[begin:end]
        return any(
            is_heavy_at(section.end - section.start, tokens_at_cost(cost))
            for section, cost in zip(self.fields[place].sections, costs, strict=True)
        )

    def weighed(self, place: int) -> tuple[list[int], list[int]] | None:
        """What `count_sections` gives by `estimate-1`; None where the document is not plain."""
        if self.kinds[place] != PLAIN:
            return None
        begin, end = self._sections[place]
        content = self.documents[place].content
        both = [
            weighed_at_cost(cost, content[section.start : section.start + 2], content[section.end - 1 : section.end])
            for section, cost in zip(self.fields[place].sections, self._costs[begin:end], strict=True)
        ]
        return [tokens for tokens, _ in both], [weight & 0xFFFF for _, weight in both]

    def counts(self, place: int) -> list[int]:
        """How many tokens each section of a document has."""
        if self.kinds[place] == PLAIN:
            begin, end = self._sections[place]
            return self._counts[begin:end]
        if self.kinds[place] == ODD:
            self._split[place] = self._split_sections(place)
        return [len(tokens) for tokens in self._split[place]]

    def odd_tokens(self, place: int) -> list[Small]:
        """The tokens of each section of an odd document."""
        return [self._numbers.of([token.encode() for token in tokens]) for tokens in self._split[place]]

    def common_tokens(self) -> tuple[Small, list[int]]:
        """The tokens of all sections but those of odd documents, first those of plain ones; how many each has."""
        sizes = self._sizes
        before = np.cumsum(sizes) - sizes
        own = np.arange(sizes.sum()) + np.repeat(self._begins - before, sizes)
        others = [len(tokens) for place in self._places(OTHER) for tokens in self._split[place]]
        after = self._tokens[len(self._tokens) - sum(others) :]
        return np.concatenate((self._tokens[own], after)), self._counts + others


def _kind(content: str) -> int:
    if any(character in content for character in NOT_SEPARATORS):
        return ODD
    return PLAIN if content.isascii() else OTHER


def _never(_text: str) -> bool:
    return False


def found_tokens(data: bytes, numbers: TokenNumbers) -> tuple[Numbers, Small]:
    """Where each token in bytes begins, and its number; the first and the last byte are blank."""
    is_blank = np.frombuffer(data.translate(_IS_BLANK), np.uint8)
    edges = np.flatnonzero(is_blank[1:] != is_blank[:-1]) + 1
    starts, ends = edges[0::2], edges[1::2]
    sizes = ends - starts
    words = np.ndarray((len(data) + _LONGEST - _WORD + 1,), "<i8", data + bytes(_LONGEST), strides=(1,))
    parts = []
    hashes = np.zeros(len(starts), np.int64)
    for number, factor in enumerate(_FACTORS):
        at = number * _WORD
        places = np.flatnonzero(sizes > at) if at else np.arange(len(starts))
        part = words[starts[places] + at] & _KEPT[np.minimum(sizes[places] - at, _WORD)]
        hashes[places] += part * factor
        parts.append((places, part))
    hashes = hashes >> 64 - _SLOT_BITS & (1 << _SLOT_BITS) - 1
    found = numbers.among(hashes, sizes, parts)
    left = np.flatnonzero(found < 0)
    ordered = hashes[left] << LOWER | left
    ordered.sort()
    left = ordered & NUMBER
    # Equal tokens are neighbours now; where others come between them, since they have the same hash, they are looked up
    # again.
    rows = [sizes[left]]
    for places, part in parts:
        whole = np.zeros(len(starts), np.int64)
        whole[places] = part
        rows.append(whole[left])
    is_new = np.ones(len(left), bool)
    is_new[1:] = np.any([row[1:] != row[:-1] for row in rows], axis=0)
    is_new |= rows[0] > _LONGEST
    first = np.flatnonzero(is_new)
    which = left[first]
    held = [data[start:end] for start, end in zip(starts[which].tolist(), ends[which].tolist(), strict=True)]
    of_held = numbers.of(held)
    found[left] = np.repeat(of_held, np.diff(first, append=len(left)))
    is_short = sizes[which] <= _LONGEST
    short = first[is_short]
    numbers.keep(hashes[which[is_short]], of_held[is_short], rows[0][short], [row[short] for row in rows[1:]])
    return starts, found
