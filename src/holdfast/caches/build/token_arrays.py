"""Count the words and terms of documents by arrays: what `token_counts` counts token by token. Pure.

Only imported where numpy is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast.caches.build.token_batch import ODD, PLAIN, TokenBatch, TokenNumbers
from holdfast.caches.build.token_counts import DocumentCounts, SpilledCounts
from holdfast.caches.index_format import LONGEST_KEY, key_of, keys_of
from holdfast.caches.number_arrays import LOWER, begins
from holdfast.caches.search.stemmer import INFLECTED, stem
from holdfast.caches.search.word_terms import length_of, raw_words, word_terms
from holdfast.caches.selection import words
from holdfast.caches.tokenizers import ESTIMATE, count_sections, counter
from holdfast.core.unicode_text import lower_case

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.caches.build.token_batch import Small
    from holdfast.caches.build.token_counts import ByKey, RunSettings, WriteRun
    from holdfast.caches.cache_format import Document
    from holdfast.caches.number_arrays import Numbers
    from holdfast.caches.section_index.section_compiler import DocumentSections

# What an occurrence and a token weigh in memory when they are spilled, roughly.
_OCCURRENCE, _TOKEN = 40, 400
_INFLECTED = INFLECTED.encode()
_PLACES = 1 << 31  # added to numbers, since places of documents are told below 0


class ArrayCounts(DocumentCounts):
    """Counts documents as `DocumentCounts` does, in less time; always with sections."""

    def __init__(self, prefix: str, settings: RunSettings, write: WriteRun) -> None:
        super().__init__(prefix, settings, write)
        self._spilled = self._arrays = TokenArrays()

    def _add_sections(self, first: int, documents: Sequence[Document]) -> list[tuple[int, DocumentSections]]:
        count_tokens = self._count_tokens = self._count_tokens or counter(self._tokenizer)
        batch = TokenBatch(self._arrays.tokens, documents)
        counts = []
        for place, document in enumerate(documents):
            known = batch.weighed(place) if self._tokenizer == ESTIMATE else None
            if known is None:
                sections = batch.fields[place].sections
                texts = [document.content[section.start : section.end] for section in sections]
                known = count_sections(texts, self._tokenizer, count_tokens)
            counts.append(known)
        totals = self._arrays.add_batch(first, batch)
        for position, read in enumerate(batch.fields, first):
            self._add_fields(position, read)
        return [
            (total, self._document_sections(document, read, *each))
            for document, total, read, each in zip(documents, totals, batch.fields, counts, strict=True)
        ]


class _Stream:
    """Occurrences: the number of a token and that of a section, or a place, for each."""

    def __init__(self) -> None:
        self._tokens: list[Small] = [np.zeros(0, np.int32)]
        self._numbers: list[Small] = [np.zeros(0, np.int32)]

    def add(self, tokens: Small, numbers: Small) -> None:
        """Some more."""
        self._tokens.append(tokens)
        self._numbers.append(numbers)

    def together(self) -> tuple[Small, Small]:
        """All of them."""
        return np.concatenate(self._tokens), np.concatenate(self._numbers)


class TokenArrays(SpilledCounts):
    """Counts documents batch by batch, as `TextCounts` does token by token."""

    def __init__(self) -> None:
        super().__init__()
        self._start()

    def _start(self) -> None:
        self.tokens = TokenNumbers()
        self._common = _Stream()
        # Of documents in which the two indexes split words differently.
        self._odd_words: dict[str, int] = {}
        self._only_words, self._only_bodies = _Stream(), _Stream()
        self._counts: list[int] = []  # of each section since the last spill, how many tokens it has

    def add_batch(self, first: int, batch: TokenBatch) -> list[int]:
        """Count documents from the one at a place on; how many words each has.

        `weight` is about the memory that spilling takes.
        """
        plain: list[int] = []
        others: list[int] = []
        totals = []
        for place, kind in enumerate(batch.kinds):
            counts = batch.counts(place)
            sections = range(len(self._counts), len(self._counts) + len(counts))
            self._counts += counts
            if kind == ODD:
                totals.append(self._add_odd(first + place, batch, place, sections))
            else:
                totals.append(sum(counts))
                (plain if kind == PLAIN else others).extend(sections)
        tokens, sizes = batch.common_tokens()
        self._common.add(tokens, np.repeat(np.array(plain + others, np.int32), sizes))
        self.weight = sum(self._counts) * _OCCURRENCE + (len(self.tokens) + len(self._odd_words)) * _TOKEN
        return totals

    def _add_odd(self, position: int, batch: TokenBatch, place: int, sections: range) -> int:
        for number, held in zip(sections, batch.odd_tokens(place), strict=True):
            self._only_bodies.add(held, np.full(len(held), number, np.int32))
        found, known = words(batch.documents[place].content), self._odd_words
        held = np.array([known.setdefault(word, len(known)) for word in found], np.int32)
        self._only_words.add(held, np.full(len(found), -1 - position, np.int32))
        return len(found)

    def spill(self) -> tuple[ByKey, ByKey, ByKey]:
        """What was counted."""
        counted_as = _CountedAs(list(self.tokens))
        common, odd_words, lengths = self._common.together(), list(self._odd_words), self._counts
        only_words, only_bodies = self._only_words.together(), self._only_bodies.together()
        self._start()
        self.weight = 0
        by_word = _by_word([(counted_as.words, *common), (keys_of(odd_words), *only_words)])
        held, numbers = common
        if len(only_bodies[0]):
            held, numbers = np.concatenate((held, only_bodies[0])), np.concatenate((numbers, only_bodies[1]))
        self.lengths += counted_as.lengths(lengths, held, numbers)
        return by_word, _by_term(*counted_as.terms, held, numbers), _by_term(*counted_as.parts, held, numbers)


class _CountedAs:
    """What each token counts as: the key of its word; keys of terms, and the number of the token that each is of; weak
    parts the same way."""

    def __init__(self, tokens: Sequence[bytes]) -> None:
        self.words: list[bytes] = []
        self.terms: tuple[list[bytes], list[int]] = [], []
        self.parts: tuple[list[bytes], list[int]] = [], []
        (terms, of_terms), (parts, of_parts) = self.terms, self.parts
        self._excess: dict[int, int] = {}  # token -> its length beyond 1
        for number, token in enumerate(tokens):
            if token.isalnum() and token.islower() and len(token) <= LONGEST_KEY:  # most tokens
                self.words.append(token)
                terms.append(stem(token.decode()).encode() if token[-1] in _INFLECTED else token)
                of_terms.append(number)
                continue
            text = token.decode()
            self.words.append(key_of(lower_case(text)))
            found = raw_words(text)
            length = len(found) if text.isascii() else length_of(found)
            if length != 1:
                self._excess[number] = length - 1
            for word in found:
                wholes, strong, weak = word_terms(word)
                terms += keys_of(wholes + strong)
                of_terms += [number] * (len(wholes) + len(strong))
                parts += keys_of(weak)
                of_parts += [number] * len(weak)

    def lengths(self, counts: list[int], tokens: Small, numbers: Small) -> list[int]:
        """The lengths of sections that have so many tokens, given which token is in which section."""
        if not self._excess:
            return counts
        excess = np.zeros(max(self._excess) + 1, np.int64)
        excess[list(self._excess)] = list(self._excess.values())
        more = np.where(tokens < len(excess), excess[np.minimum(tokens, len(excess) - 1)], 0)
        lengths = np.array(counts, np.int64)
        np.add.at(lengths, numbers[more != 0], more[more != 0])
        found: list[int] = lengths.tolist()
        return found


def _by_word(streams: Sequence[tuple[list[bytes], Small, Small]]) -> ByKey:
    """key -> where its words occur, given keys and the occurrences of each by its place among them."""
    ordered = sorted(set().union(*[keys for keys, _, _ in streams]))
    parts = [_ranked(_ranks(ordered, keys), tokens, numbers) for keys, tokens, numbers in streams if len(tokens)]
    return _cut(ordered, np.concatenate([np.zeros(0, np.int64), *parts]))


def _by_term(keys: list[bytes], of_tokens: list[int], tokens: Small, numbers: Small) -> ByKey:
    """key -> where its term occurs, given keys and the token that each is of, and the occurrences of tokens."""
    if not keys:
        return {}
    ordered = sorted(set(keys))
    ranks = _ranks(ordered, keys)
    counts = np.bincount(of_tokens, minlength=tokens.max(initial=0) + 1)
    first = np.cumsum(counts) - counts
    only = ranks[np.minimum(first, len(ranks) - 1)]  # by token, the rank of its only term, as most have
    if (counts == 1).all():
        return _cut(ordered, _ranked(only, tokens, numbers))
    is_one, is_more = (counts == 1)[tokens], (counts > 1)[tokens]
    rest, of_rest = tokens[is_more], numbers[is_more]
    held = counts[rest]
    which = np.arange(held.sum()) + np.repeat(first[rest] - (np.cumsum(held) - held), held)
    parts = _ranked(only, tokens[is_one], numbers[is_one]), _ranked(ranks, which, np.repeat(of_rest, held))
    return _cut(ordered, np.concatenate(parts))


def _ranks(ordered: Sequence[bytes], keys: Sequence[bytes]) -> Numbers:
    ranks = dict(zip(ordered, range(len(ordered)), strict=True))
    return np.fromiter(map(ranks.__getitem__, keys), np.int64, len(keys))


def _ranked(ranks: Numbers, tokens: Small | Numbers, numbers: Small) -> Numbers:
    """The rank of a key and a number as one, of tokens that have these ranks."""
    found: Numbers = ((ranks << LOWER) + _PLACES)[tokens]
    found += numbers
    return found


def _cut(keys: Sequence[bytes], ranked: Numbers) -> ByKey:
    """key -> its numbers, packed; `ranked` is used up."""
    ranked.sort()
    halves = ranked.view(np.uint32)  # an index is only made where the lower half comes first
    starts = begins(halves[1::2])
    ends = np.diff(starts, append=len(ranked)) + starts
    which = halves[1::2][starts]
    data = (halves[0::2] ^ np.uint32(_PLACES)).tobytes()
    parts = map(data.__getitem__, map(slice, (4 * starts).tolist(), (4 * ends).tolist()))
    return dict(zip(map(keys.__getitem__, which.tolist()), parts, strict=True))
