"""Count the words and terms of documents, and spill what was counted as sorted runs when it gets too heavy. Pure.

Word and terms depend on the whitespace-separated token alone, so tokens are counted once for both indexes; what each
different token counts as is worked out when they are spilled.
"""

from __future__ import annotations

from array import array
from collections import Counter, deque
from itertools import accumulate, chain, pairwise, repeat

from holdfast.caches.index_format import keys_of
from holdfast.caches.search.link_texts import NO_LINKS, find_links
from holdfast.caches.search.section_label import section_label
from holdfast.caches.search.sections import read_fields
from holdfast.caches.search.source_lines import split_lines
from holdfast.caches.search.word_terms import length_of, raw_words, word_terms
from holdfast.caches.section_index.section_compiler import DocumentSections, encode_section
from holdfast.caches.section_index.term_lists import BODY, HEADINGS, OF_SECTIONS, PATH, TITLE, WEAK
from holdfast.caches.selection import NOT_SEPARATORS, words
from holdfast.caches.sorted_runs import encode_run, packed
from holdfast.caches.tokenizers import WITHOUT_EXTRA, count_sections, counter
from holdfast.core.record import NamedTuple
from holdfast.core.unicode_text import lower_case, split_at_white_space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from holdfast.caches.cache_format import Document
    from holdfast.caches.search.section import Section
    from holdfast.caches.search.sections import Fields
    from holdfast.caches.sorted_runs import Run
    from holdfast.caches.tokenizers import CountTokens

    Encoded = Iterator[tuple[bytes, bytes]]
    ByKey = dict[bytes, bytes]
    # Given a path, the blocks of a run and its base: the run, which is kept there.
    WriteRun = Callable[[str, Encoded, int], Run]

# What all processes together may hold of counted words before they spill them.
SPILL_BYTES = 256 << 20
NOTHING = DocumentSections(0, 0, [], [], [], b"", [], NO_LINKS)
# What an occurrence and a list of them weigh in memory, roughly.
_OCCURRENCE, _LIST = 9, 320


class RunSettings(NamedTuple):
    """How tokens are counted, and whether sections are; the name that run files begin with, and about how many bytes
    of memory are taken before a spill."""

    tokenizer: str
    limit: int
    with_sections: bool = True
    name: str = "run"

    def shared(self, number: int, count: int) -> RunSettings:
        """The settings of one process of so many."""
        return self._replace(name=f"{self.name}-{number}", limit=self.limit // count)


class Runs(NamedTuple):
    """Runs of words, and of terms with their fields; of each section its body's words and its document's position."""

    words: list[Run]
    fields: list[tuple[int, Run]]
    body_lengths: Sequence[int]
    positions: Sequence[int]

    def packed(self) -> Runs:
        """The same in little room."""
        return self._replace(body_lengths=array("i", self.body_lengths), positions=array("i", self.positions))


def joined(runs: Sequence[Runs], counts: Sequence[int]) -> Runs:
    """The runs of several processes, in the order of their documents, as if one had made them; each has counted so
    many documents."""
    body_lengths, positions = array("i"), array("i")
    together = Runs([], [], body_lengths, positions)
    for each, place in zip(runs, accumulate(counts, initial=0), strict=False):
        base = len(positions)
        together.words.extend([run._replace(base=base + run.base, place=place) for run in each.words])
        for field, run in each.fields:
            together.fields.append((field, run._replace(base=base + run.base if field in OF_SECTIONS else place)))
        body_lengths.extend(each.body_lengths)
        positions.extend([place + position for position in each.positions])
    return together


class DocumentCounts:
    """Counts documents, given in id order, and has sorted runs of them written to paths that begin with a prefix.

    Without sections a document counts as one, and of words alone.
    """

    def __init__(self, prefix: str, settings: RunSettings, write: WriteRun) -> None:
        self._prefix, self._write_run = prefix, write
        self._limit = settings.limit
        self._tokenizer, self._with_sections = settings.tokenizer, settings.with_sections
        self._counts_names = settings.tokenizer not in WITHOUT_EXTRA
        self._count_tokens: CountTokens | None = None
        self._first = 0  # the number of the first section since the last spill
        self._positions: list[int] = []  # of each section, that of its document
        self._text = TextCounts(with_terms=self._with_sections)
        self._spilled: SpilledCounts = self._text
        self._fields = {field: FieldCounts() for field in (TITLE, HEADINGS, PATH)}
        self._words: list[Run] = []
        self._terms: list[tuple[int, Run]] = []

    def add(self, first: int, documents: Sequence[Document]) -> list[tuple[int, DocumentSections]]:
        """Count documents, from the one at the position `first` on.

        How many words each has, and what the section index needs to know of it.
        """
        if self._with_sections:
            counts = self._add_sections(first, documents)
        else:
            counts = [
                (self._text.add(position, document.content, [document.content]), NOTHING)
                for position, document in enumerate(documents, first)
            ]
            self._positions += range(first, first + len(documents))
        if self._spilled.weight + sum([each.weight for each in self._fields.values()]) > self._limit:
            self._spill()
        return counts

    def _add_sections(self, first: int, documents: Sequence[Document]) -> list[tuple[int, DocumentSections]]:
        if self._count_tokens is None:
            self._count_tokens = counter(self._tokenizer)
        fields: list[Fields] = []
        texts: list[list[str]] = []
        counts: list[tuple[list[int], list[int]]] = []
        for document in documents:
            read = read_fields(document)
            sections = [document.content[section.start : section.end] for section in read.sections]
            fields.append(read)
            texts.append(sections)
            counts.append(
                count_sections(sections, self._tokenizer, self._count_tokens)
            )  # now, while the estimate of each is remembered
        totals = [
            self._text.add(
                position,
                documents[position - first].content,
                sections,
                torn=is_torn(fields[position - first].sections),
            )
            for position, sections in enumerate(texts, first)
        ]
        for position, read in enumerate(fields, first):
            self._add_fields(position, read)
        return [
            (total, self._document_sections(document, read, *each))
            for document, total, read, each in zip(documents, totals, fields, counts, strict=True)
        ]

    def _add_fields(self, position: int, read: Fields) -> None:
        headings = self._fields[HEADINGS]
        for number, heading in enumerate(read.headings, len(self._positions) - self._first):
            if heading:
                headings.add(number, heading)
        if read.sections:
            self._fields[TITLE].add(position, read.title)
            self._fields[PATH].add(position, read.path)
        self._positions += repeat(position, len(read.sections))

    def finish(self) -> Runs:
        """Write what is left; where everything is."""
        self._spill()
        return Runs(self._words, self._terms, self._spilled.lengths, self._positions)

    def _spill(self) -> None:
        words, bodies, parts = self._spilled.spill()
        self._words.append(self._write("words", words, self._first))
        self._write_terms(BODY, bodies)
        self._write_terms(BODY | WEAK, parts)
        for field, counts in self._fields.items():
            for of_runs, terms in counts.spill(field):
                self._write_terms(of_runs, terms)
        self._first = len(self._positions)

    def _write_terms(self, field: int, terms: ByKey) -> None:
        if terms:
            base = self._first if field in OF_SECTIONS else 0
            self._terms.append((field, self._write("terms", terms, base)))

    def _write(self, kind: str, terms: ByKey, base: int) -> Run:
        path = f"{self._prefix}-{kind}-{len(self._words) + len(self._terms)}"
        return self._write_run(path, encode_run(terms), base)

    def _document_sections(
        self, document: Document, read: Fields, tokens: list[int], second_counts: list[int]
    ) -> DocumentSections:
        titles = [read.name, *repeat("", len(read.sections) - 1)]
        records = [encode_section(section, title) for section, title in zip(read.sections, titles, strict=False)]
        if self._counts_names and self._count_tokens is not None:
            with_header = any(section.header for section in read.sections)
            lines = ["", *split_lines(document.content)[0]] if with_header else [""]
            labels = []
            for section in read.sections:
                content = document.content[section.start : section.end]
                labels.append(section_label(document.source, read.name, section, content, lines[section.header]))
            second_counts = list(map(self._count_tokens, labels))
        return DocumentSections(
            *(length_of(read.title), length_of(read.path), tokens, second_counts, list(map(length_of, read.headings))),
            *(b"".join(records), [len(record) for record in records], find_links(document.source, document.content)),
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


class SpilledCounts:
    """Words of whole documents, for the index of words and for that of sections' bodies, until it is time to spill.

    `weight` is about the memory that takes, `lengths` has that of the body of each section that was spilled.
    """

    def __init__(self) -> None:
        self.weight = 0
        self.lengths: list[int] = []

    def spill(self) -> tuple[ByKey, ByKey, ByKey]:
        """Everything counted so far: words, terms of bodies, and those that are weak parts; the counting starts anew.

        All tell where something occurs by the number of the section among those counted since the last spill; words
        of an odd document by its place, as -1 - place.
        """
        raise NotImplementedError


class TextCounts(SpilledCounts):
    """Counts documents token by token."""

    def __init__(self, *, with_terms: bool = True) -> None:
        super().__init__()
        self._with_terms = with_terms
        self._start()

    def _start(self) -> None:
        self._tokens = _Lists()
        # Of documents in which the two indexes split words differently.
        self._only_words, self._only_bodies = _Lists(), _Lists()
        self._counts: list[int] = []  # of each section since the last spill, how many tokens it has

    def add(self, place: int, content: str, sections: Sequence[str], *, torn: bool = False) -> int:
        """Count the document at a place, whose sections are given; how many words it has.

        `torn` says that a section may end inside a word. `weight` grows by about the memory it takes.
        """
        lists = self._tokens
        is_odd = torn or any(character in content for character in NOT_SEPARATORS)
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

    def spill(self) -> tuple[ByKey, ByKey, ByKey]:
        """What was counted."""
        tokens, lengths = _packed(self._tokens), self._counts
        only_words, only_bodies = _packed(self._only_words), _packed(self._only_bodies)
        self._start()
        self.weight = 0
        lowered = [token.lower() if token.isascii() else lower_case(token) for token in tokens]
        by_word = _by_key([*lowered, *only_words], chain(tokens.values(), only_words.values()))
        by_term: ByKey = {}
        by_part: ByKey = {}
        if self._with_terms:
            by_term, by_part = _by_term(chain(tokens.items(), only_bodies.items()), lengths)
        self.lengths += lengths
        return by_word, by_term, by_part


def _packed(lists: _Lists) -> dict[str, bytes]:
    """The same in little room; the lists are gone."""
    return {token: packed(lists.pop(token)) for token in list(lists)}


class _Terms:
    """Terms and where each occurs, as words are met."""

    def __init__(self) -> None:
        self._terms: tuple[list[str], list[str]] = [], []
        self._held: tuple[list[bytes], list[bytes]] = [], []

    def add(self, word: str, held: bytes) -> None:
        """A raw word, and where it occurs."""
        wholes, strong, weak = word_terms(word)
        (terms, parts), (of_terms, of_parts) = self._terms, self._held
        for term in wholes + strong:
            terms.append(term)
            of_terms.append(held)
        for term in weak:
            parts.append(term)
            of_parts.append(held)

    def by_key(self) -> tuple[ByKey, ByKey]:
        """key -> where its term occurs; as a whole or a strong part, and as a weak part."""
        (terms, parts), (of_terms, of_parts) = self._terms, self._held
        return _by_key(terms, of_terms), _by_key(parts, of_parts)


def _by_term(tokens: Iterable[tuple[str, bytes]], lengths: list[int]) -> tuple[ByKey, ByKey]:
    """What tokens count as, and where each occurs; one that is not as long as one word is put right in the lengths."""
    terms = _Terms()
    excess: dict[int, Counter[int]] = {}  # length beyond 1 -> where tokens as long are, how often
    for token, held in tokens:
        parts = [token] if token.isascii() and token.isalnum() else raw_words(token)
        length = len(parts) if token.isascii() else length_of(parts)
        if length != 1:
            excess.setdefault(length - 1, Counter()).update(array("i", held))
        for part in parts:
            terms.add(part, held)
    for more, positions in excess.items():
        for position, times in positions.items():
            lengths[position] += more * times
    return terms.by_key()


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

    def spill(self, field: int) -> list[tuple[int, ByKey]]:
        """Everything counted so far, by what the field is in runs; the counting starts anew."""
        words, self._lists, self.weight = _packed(self._lists), _Lists(), 0
        terms = _Terms()
        for word, held in words.items():
            terms.add(word, held)
        by_term, by_part = terms.by_key()
        return [(field, by_term), (field | WEAK, by_part)]


def _by_key(terms: Sequence[str], places: Iterable[bytes]) -> ByKey:
    """key -> where it occurs, from terms and where each occurs; a term may be given more than once."""
    by_key: ByKey = {}
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
