"""Count the words and terms of documents: where each occurs, by field. Pure.

Words and terms depend on the whitespace-separated token alone, so tokens are counted once for both; what each different
token counts as is worked out at the end.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise, repeat

from holdfast.caches.cache_format import Document
from holdfast.caches.search.link_texts import PageLinks, find_links, link_words
from holdfast.caches.search.section import Section, encode_section
from holdfast.caches.search.section_label import section_label
from holdfast.caches.search.sections import Fields, read_fields
from holdfast.caches.search.source_lines import split_lines
from holdfast.caches.search.stemmer import stem
from holdfast.caches.search.word_terms import LONGEST, length_of, raw_words, word_terms
from holdfast.caches.selection import NOT_SEPARATORS, words
from holdfast.caches.tokenizers import WITHOUT_EXTRA, count_sections, counter
from holdfast.core.record import NamedTuple
from holdfast.core.unicode_text import lower_case, split_at_white_space

# The fields; `WEAK` is added for those whose occurrences count a quarter.
TITLE, PATH, LINKS, HEADINGS, BODY = range(5)
WEAK = 8
# A word or term -> the numbers of where it occurs, ascending, one for each occurrence. Lists are shared.
Occurrences = dict[str, list[int]]


class FieldLengths(NamedTuple):
    """The words of each field: of documents in title, path and links, of sections in headings and body.

    `firsts` has the number of each document's first section and, last, of all.
    """

    titles: Sequence[int]
    paths: Sequence[int]
    links: Sequence[int]
    headings: Sequence[int]
    bodies: Sequence[int]
    firsts: Sequence[int]


class DocumentSections(NamedTuple):
    """What a segment keeps of one document: its words, of each section the tokens, second count and record, and where
    it links to."""

    words: int
    tokens: list[int]
    second_counts: list[int]
    records: list[bytes]
    links: PageLinks


class CountedText(NamedTuple):
    """Where words and terms occur.

    Of words by the number of the section, or -1 - place where the two indexes split a document differently; of terms
    by field: sections for headings and bodies, places for the others. `positions` has the place of each section.
    """

    words: Occurrences
    fields: dict[int, Occurrences]
    lengths: FieldLengths
    positions: Sequence[int]


class DocumentCounts:
    """Counts documents, given in id order."""

    def __init__(self, tokenizer: str) -> None:
        self._tokenizer = tokenizer
        self._counts_names = tokenizer not in WITHOUT_EXTRA
        self._count_tokens = counter(tokenizer)
        self._positions: list[int] = []  # of each section, the place of its document
        self._firsts = [0]
        self._text = _TextCounts()
        self._fields: dict[int, _Lists] = {field: _Lists() for field in (TITLE, PATH, LINKS, HEADINGS)}
        self._lengths: dict[int, list[int]] = {field: [] for field in self._fields}

    def add(self, document: Document, texts: Sequence[str]) -> DocumentSections:
        """Count the next document, to which links of these texts lead."""
        read = read_fields(document)
        sections = [document.content[section.start : section.end] for section in read.sections]
        tokens, second_counts = count_sections(sections, self._tokenizer, self._count_tokens)
        place = len(self._firsts) - 1
        total = self._text.add(place, document.content, sections, torn=is_torn(read.sections))
        self._add_fields(place, read, link_words(texts))
        self._positions += repeat(place, len(read.sections))
        self._firsts.append(len(self._positions))
        titles = [read.name, *repeat("", len(read.sections) - 1)]
        records = [encode_section(section, title) for section, title in zip(read.sections, titles, strict=False)]
        if self._counts_names:
            second_counts = self._label_tokens(document, read)
        links = find_links(document.source, document.content)
        return DocumentSections(total, tokens, second_counts, records, links)

    def _add_fields(self, place: int, read: Fields, leading: Sequence[str]) -> None:
        for field, tokens in ((TITLE, read.title), (PATH, read.path), (LINKS, leading)):
            if read.sections or field == LINKS:
                self._fields[field].add(place, tokens)
            self._lengths[field].append(length_of(tokens))
        for number, heading in enumerate(read.headings, len(self._positions)):
            self._fields[HEADINGS].add(number, heading)
            self._lengths[HEADINGS].append(length_of(heading))

    def _label_tokens(self, document: Document, read: Fields) -> list[int]:
        """The tokens of each section's label."""
        with_header = any(section.header for section in read.sections)
        lines = ["", *split_lines(document.content)[0]] if with_header else [""]
        labels = []
        for section in read.sections:
            content = document.content[section.start : section.end]
            labels.append(section_label(document.source, read.name, section, content, lines[section.header]))
        return list(map(self._count_tokens, labels))

    def finish(self) -> CountedText:
        """Everything counted; nothing can be added any more."""
        by_word, by_term, by_part = self._text.finish()
        fields = {BODY: by_term, BODY | WEAK: by_part}
        for field, counts in self._fields.items():
            fields[field], fields[field | WEAK], _ = _by_term(counts.items())
        title, path, links, headings = [self._lengths[field] for field in (TITLE, PATH, LINKS, HEADINGS)]
        lengths = FieldLengths(title, path, links, headings, self._text.lengths, self._firsts)
        return CountedText(
            by_word, {field: terms for field, terms in fields.items() if terms}, lengths, self._positions
        )


def is_torn(sections: Sequence[Section]) -> bool:
    """Whether a section ends where the next begins, which may be inside a word: elsewhere is white space between."""
    return any(one.end == other.start for one, other in pairwise(sections))


class _Lists(dict[str, list[int]]):
    """token -> where it occurs, once for each occurrence."""

    def __missing__(self, token: str) -> list[int]:
        made: list[int] = []
        self[token] = made
        return made

    def add(self, number: int, tokens: Iterable[str]) -> None:
        """Count tokens under a number, without a step of the interpreter between them."""
        deque(map(list.append, map(self.__getitem__, tokens), repeat(number)), maxlen=0)


class _TextCounts:
    """Counts the words of whole documents, for `resolve` and for the bodies of sections, token by token.

    `lengths` has the words of the body of each section, once all are counted.
    """

    def __init__(self) -> None:
        self._tokens = _Lists()
        # Of documents in which `resolve` and `search` split words differently.
        self._only_words, self._only_bodies = _Lists(), _Lists()
        self.lengths: list[int] = []

    def add(self, place: int, content: str, sections: Sequence[str], *, torn: bool = False) -> int:
        """Count the document at a place, whose sections are given; how many words it has.

        `torn` says that a section may end inside a word.
        """
        is_odd = torn or any(character in content for character in NOT_SEPARATORS)
        lists = self._only_bodies if is_odd else self._tokens
        total = 0
        for text in sections:
            tokens = split_at_white_space(text)
            lists.add(len(self.lengths), tokens)
            self.lengths.append(len(tokens))
            total += len(tokens)
        if is_odd:
            found = words(content)
            self._only_words.add(-1 - place, found)
            total = len(found)
        return total

    def finish(self) -> tuple[Occurrences, Occurrences, Occurrences]:
        """Where words, terms of bodies, and those that are weak parts occur."""
        tokens, only_words = self._tokens, self._only_words
        lowered = [token.lower() if token.isascii() else lower_case(token) for token in tokens]
        by_word = _joined([*lowered, *only_words], chain(tokens.values(), only_words.values()))
        by_term, by_part, excess = _by_term(chain(tokens.items(), self._only_bodies.items()))
        lengths = self.lengths
        for more, numbers in excess:
            for number in numbers:
                lengths[number] += more
        return by_word, by_term, by_part


class _Analysed(dict[str, "str | tuple[int, list[str], list[str]]"]):
    """token -> the term that it counts as, where it is one word and one term; else how much longer than one word it is,
    its wholes and strong parts, and its weak parts. The first ones met are remembered."""

    def __missing__(self, token: str) -> str | tuple[int, list[str], list[str]]:
        found: str | tuple[int, list[str], list[str]]
        if token.isascii() and token.isalnum() and token.islower():  # most
            found = stem(token[:LONGEST])
        else:
            parts = raw_words(token)
            terms: list[str] = []
            weak: list[str] = []
            for part in parts:
                wholes, strong, less = word_terms(part)
                terms += wholes + strong
                weak += less
            more = (len(parts) if token.isascii() else length_of(parts)) - 1
            found = (more, terms, weak) if more or weak or len(terms) != 1 else terms[0]
        if len(self) < _MOST_ANALYSED:
            self[token] = found
        return found


_MOST_ANALYSED = 1 << 16
_analysed = _Analysed()


def _by_term(
    tokens: Iterable[tuple[str, list[int]]],
) -> tuple[Occurrences, Occurrences, list[tuple[int, list[int]]]]:
    """Where each term occurs, as a whole or a strong part, and as a weak part; where tokens occur that are not as long
    as one word, and how much longer these are."""
    terms: list[str] = []
    of_terms: list[list[int]] = []
    parts: list[str] = []
    of_parts: list[list[int]] = []
    excess: list[tuple[int, list[int]]] = []
    for token, numbers in tokens:
        found = _analysed[token]
        if isinstance(found, str):
            terms.append(found)
            of_terms.append(numbers)
            continue
        more, strong, weak = found
        terms += strong
        of_terms += repeat(numbers, len(strong))
        parts += weak
        of_parts += repeat(numbers, len(weak))
        if more:
            excess.append((more, numbers))
    return _joined(terms, of_terms), _joined(parts, of_parts), excess


def _joined(terms: Iterable[str], lists: Iterable[list[int]]) -> Occurrences:
    """term -> where it occurs, from terms and where each occurs; a term may be given more than once."""
    found: Occurrences = {}
    several: dict[str, list[list[int]]] = {}
    for term, numbers in zip(terms, lists, strict=True):
        if term not in found:
            found[term] = numbers
        elif term in several:
            several[term].append(numbers)
        else:
            several[term] = [found[term], numbers]
    for term, parts in several.items():
        found[term] = sorted(chain.from_iterable(parts))
    return found
