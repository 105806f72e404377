"""What a search needs to know of one source file: its sections and how often each has a term. Pure.

A record depends on the bytes of a file, its language and the rules here (`RECORDS`), and on no path. It is four tables
behind a header: sections as JSON, lengths of their fields, the CRC-32 of every term in order, and for each the sections
that have it. Identifiers are split at everything but letters, digits and `_`; a part of a name counts half.
"""

from __future__ import annotations

import re
import struct
from array import array
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from zlib import crc32

from holdfast.caches.search.word_terms import STOP_WORDS, raw_words, word_terms
from holdfast.code.analysis.analyser import is_generated
from holdfast.code.code_sections import CutFile, Piece, Symbol, cut_source
from holdfast.core.canonical_json import decode, encode

RECORDS = "3"
_HEADER = struct.Struct("<IIII")  # sections, terms, bytes of JSON, bytes of the lists of sections
_WHOLE, _RUN, _PART = 4, 3, 2
_MOST = 255
# Words of a file that are counted: more have data and tables.
_MOST_WORDS = 200_000
_WORD_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_ASCII_WORDS = "".join([chr(code) if code in _WORD_BYTES else " " for code in range(128)])
_SIGNS_OUT = {ord(sign): " " for sign in ".-+#"}
_KEPT_WORDS = 200_000
_PARTS = re.compile(r"[A-Z]++(?![a-z])|[A-Z]?+[a-z]++|[0-9]++")


def code_words(text: str) -> list[str]:
    """The words of source, stop words left out."""
    words = text.translate(_ASCII_WORDS).split(" ") if text.isascii() else raw_words(text.translate(_SIGNS_OUT))
    return [word for word in words if len(word) > 1 and word not in STOP_WORDS]


def term_key(term: str) -> int:
    """The number that stands for a term in a record."""
    return crc32(term.encode())


@lru_cache(_KEPT_WORDS)
def keys_of(word: str) -> tuple[tuple[int, int], ...]:
    """The keys of the terms of a word, each with the quarters that one occurrence counts."""
    wholes, strong, weak = word_terms(word)
    return (
        *[(term_key(term), _WHOLE) for term in wholes + strong],
        *[(term_key(term), _PART) for term in weak],
    )


@lru_cache(_KEPT_WORDS)
def name_keys(word: str) -> tuple[tuple[int, int], ...]:
    """The same of a word of a name, which counts for the names that it begins or ends with as well.

    `FinalClassCheck` is found by `FinalClass` and by `ClassCheck`.
    """
    parts = list(_PARTS.finditer(word))
    runs = [word[: part.end()] for part in parts[1:-1]] + [word[part.start() :] for part in parts[1:-1]]
    return (
        *keys_of(word),
        *[(term_key(term), _RUN) for run in dict.fromkeys(runs) for term in word_terms(run)[0]],
    )


def with_one_line_end(data: bytes) -> bytes:
    """The same bytes with lines that end in LF alone, as many as citations count."""
    return data.replace(b"\r\n", b" \n").replace(b"\r", b"\n") if b"\r" in data else data


def make_record(data: bytes, language: str) -> bytes:
    """The record of a file; of one that cannot be cut, without sections."""
    data = with_one_line_end(data)
    cut = cut_source(data, language)
    lines = data.split(b"\n")
    bodies, names = array("H"), array("B")
    lists: dict[int, list[tuple[int, int, int]]] = {}
    left = _MOST_WORDS
    for number, piece in enumerate(cut.pieces):
        text = b"\n".join(lines[piece.first - 1 : piece.last]).decode("utf-8", "replace")
        words = code_words(text)[:left]
        left -= len(words)
        own = code_words(cut.symbols[piece.symbol].name) if piece.symbol >= 0 else []
        bodies.append(min(len(words), 0xFFFF))
        names.append(min(len(own), _MOST))
        in_name, in_body = _quarters(own, name_keys), _quarters(words, keys_of)
        for key in in_body.keys() | in_name.keys():
            lists.setdefault(key, []).append((number, min(in_body.get(key, 0), _MOST), min(in_name.get(key, 0), _MOST)))
    keys = sorted(lists)
    offsets, packed = array("I"), bytearray()
    for key in keys:
        offsets.append(len(packed))
        _pack(packed, lists[key])
    meta = encode([cut.unread, is_generated("", data), list(map(list, cut.symbols)), list(map(list, cut.pieces))])
    head = _HEADER.pack(len(cut.pieces), len(keys), len(meta.encode()), len(packed))
    padding = bytes(-(len(names)) % 4 + (len(bodies) % 2) * 2)
    tables = [array("I", keys).tobytes(), offsets.tobytes(), bodies.tobytes(), names.tobytes(), padding]
    return b"".join([head, *tables, bytes(packed), meta.encode()])


def _quarters(words: list[str], keys: Callable[[str], tuple[tuple[int, int], ...]]) -> dict[int, int]:
    found: dict[int, int] = {}
    for word, count in Counter(words).items():
        for key, quarters in keys(word):
            found[key] = found.get(key, 0) + count * quarters
    return found


def _pack(packed: bytearray, entries: list[tuple[int, int, int]]) -> None:
    """Sections as gaps, twice the gap where no name has the term and one more where it has."""
    before = -1
    for number, body, name in entries:
        gap = 2 * (number - before) + bool(name)
        before = number
        while gap > 0x7F:
            packed.append(gap & 0x7F | 0x80)
            gap >>= 7
        packed.append(gap)
        packed.append(body)
        if name:
            packed.append(name)


class CodeRecord:
    """A record that was read; ValueError where it is none."""

    __slots__ = ("_data", "_lists", "_meta", "_meta_at", "_offsets", "bodies", "keys", "names", "sections", "words")

    def __init__(self, data: memoryview) -> None:
        try:
            self.sections, terms, meta, packed = _HEADER.unpack_from(data)
        except struct.error:
            raise ValueError("no record") from None
        at = _HEADER.size
        self.keys = data[at : at + 4 * terms].cast("I")
        self._offsets = data[at + 4 * terms : at + 8 * terms].cast("I")
        at += 8 * terms
        self.bodies = data[at : at + 2 * self.sections].cast("H")
        self.words = sum(self.bodies)
        self.names = data[at + 2 * self.sections : at + 3 * self.sections]
        at += 3 * self.sections + -self.sections % 4 + self.sections % 2 * 2
        self._lists, self._meta_at, self._data = at, at + packed, data
        self._meta: CutFile | None = None
        if len(data) != at + packed + meta:
            raise ValueError("a record of another length")

    def found(self, at: int) -> list[tuple[int, int, int]]:
        """The sections that have a term, by its place among the keys: the number of each in the file, and quarters of
        the term in its body and in its name."""
        data = self._data
        place = self._lists + self._offsets[at]
        end = self._lists + self._offsets[at + 1] if at + 1 < len(self._offsets) else self._meta_at
        found = []
        number = -1
        while place < end:
            gap = shift = 0
            while True:
                byte = data[place]
                place += 1
                gap |= (byte & 0x7F) << shift
                shift += 7
                if byte < 0x80:
                    break
            number += gap >> 1
            body = data[place]
            name = data[place + 1] if gap & 1 else 0
            place += 1 + (gap & 1)
            found.append((number, body, name))
        return found

    @property
    def cut(self) -> CutFile:
        """The symbols and pieces of the file."""
        if self._meta is None:
            unread, _, symbols, pieces = decode(bytes(self._data[self._meta_at :]))
            self._meta = CutFile([Symbol(*symbol) for symbol in symbols], [Piece(*piece) for piece in pieces], unread)
        return self._meta

    @property
    def is_generated(self) -> bool:
        """Whether the file says that a program wrote it."""
        return b",true," in bytes(self._data[self._meta_at : self._meta_at + 64]).partition(b"[[")[0]
