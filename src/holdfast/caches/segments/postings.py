"""The posting codec: ascending numbers with a value for each, as words and as terms have them. Pure.

A list has one of three forms: numbers of a fixed width, gaps of a byte, or a value for every number there is (dense).
docs/formats/index.md has the bytes.
"""

from __future__ import annotations

from itertools import accumulate, chain, compress
from operator import sub
from struct import Struct, pack

from holdfast.caches.index_format import IndexUnusable
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# The form of a list, and what else its four bits say: all values are one; values of 255 are followed by the true ones.
LISTED, GAPS, DENSE = 1, 2, 3
FORM, ONE_VALUE, LARGE = 3, 4, 8
_SECOND = 4  # bits of the shape of a record before those of its second list
# A dictionary value from here on is no place of a record: it says itself all there is to know of a single posting.
INLINE = 1 << 31
WORD, SECTION, DOCUMENT = range(3)
_KIND, _VALUE, _NUMBER = 29, 16, 0xFFFF
_MOST_NARROW = 1 << 16
_MOST_TIMES = (1 << _KIND - _VALUE) - 1
LONG, _CONTINUATION = 255, 255
# A list of fewer postings has a short record: how many there are, the numbers (below `_MOST_NARROW`), the values.
_SHORT = [Struct(f"<B{count}H{count}B") for count in range(64)]
_IS_NUMBER = b"\1" * 255 + b"\0"
_KEPT_GAPS = 1 << 14


class PostingList(NamedTuple):
    """Ascending numbers and a value for each; without numbers (None) a value for every number there is, 0 for none."""

    numbers: Sequence[int] | None
    values: bytes

    @property
    def length(self) -> int:
        """How many numbers there are."""
        return len(self.values) if self.numbers is not None else len(self.values) - self.values.count(0)

    def listed(self) -> tuple[Sequence[int], bytes]:
        """Numbers and a value for each."""
        if self.numbers is not None:
            return self.numbers, self.values
        return list(compress(range(len(self.values)), self.values)), self.values.translate(None, b"\0")


class TermLists(NamedTuple):
    """Ascending numbers of sections and of documents, a step for each; how many sections hold the term."""

    sections: Sequence[int]
    section_steps: bytes
    documents: Sequence[int]
    document_steps: bytes
    holding: int


NO_LIST = PostingList((), b"")


class _GapBytes(dict[int, bytes]):
    """gap -> its bytes: one 255 for every 255 in it, then the rest."""

    def __missing__(self, gap: int) -> bytes:
        continuations, rest = divmod(gap, _CONTINUATION)
        encoded = bytes([_CONTINUATION]) * continuations + bytes([rest])
        if gap < _KEPT_GAPS:
            self[gap] = encoded
        return encoded


_GAP_BYTES = _GapBytes()


def inline_value(kind: int, number: int, value: int) -> int | None:
    """The dictionary value that stands for a single posting; None where it takes a record."""
    if number > _NUMBER or value > _MOST_TIMES:
        return None
    return INLINE | kind << _KIND | value << _VALUE | number


def parse_inline(value: int) -> tuple[int, int, int]:
    """Kind, number and value of an inline posting."""
    return value >> _KIND & 3, value & _NUMBER, value >> _VALUE & _MOST_TIMES


def encode_list(numbers: Sequence[int], values: bytes, population: int) -> tuple[int, bytes]:
    """The form and the bytes of ascending numbers below `population`, each once, and a value from 1 to 255 for each."""
    count = len(numbers)
    if 3 * count >= population:
        dense = bytearray(population)
        for number, value in zip(numbers, values, strict=True):
            dense[number] = value
        return DENSE, bytes(dense)
    form = LISTED
    if values.count(values[0]) == count:
        form, values = LISTED | ONE_VALUE, values[:1]
    width = 2 if population <= _MOST_NARROW else 4
    if numbers[-1] // _CONTINUATION <= width * count:  # else gaps take more room, as they do in most lists
        distances = map(sub, numbers, chain((0,), numbers))
        near = b"".join(map(_GAP_BYTES.__getitem__, distances))
        if len(near) < width * count:
            return form - LISTED + GAPS, encode_count(len(near)) + near + values
    return form, encode_count(count) + pack(f"<{count}{'H' if width == 2 else 'I'}", *numbers) + values


def encode_count(count: int) -> bytes:
    """A count: a byte, or 255 and four."""
    return bytes((count,)) if count < LONG else b"\xff" + count.to_bytes(4, "little")


def decode_count(data: bytes, at: int) -> tuple[int, int]:
    """A count, and where what follows begins."""
    if data[at] < LONG:
        return data[at], at + 1
    return int.from_bytes(data[at + 1 : at + 5], "little"), at + 5


def decode_list(data: bytes, at: int, form: int, population: int) -> tuple[PostingList, int]:
    """A list that begins there, and where what follows begins."""
    if form & FORM == DENSE:
        values = data[at : at + population]
        if len(values) != population:
            raise IndexUnusable("a posting list is cut short")
        return PostingList(None, values), at + population
    size, at = decode_count(data, at)
    if form & FORM == GAPS:
        gaps = data[at : at + size]
        reached = accumulate(gaps)
        numbers = list(compress(reached, gaps.translate(_IS_NUMBER)) if _CONTINUATION in gaps else reached)
        at += size
    else:
        end = at + (2 if population <= _MOST_NARROW else 4) * size
        view = memoryview(data)[at:end]
        numbers = (view.cast("H") if population <= _MOST_NARROW else view.cast("I")).tolist()
        at = end
    count = len(numbers)
    if form & ONE_VALUE:
        values, at = data[at : at + 1] * count, at + 1
    else:
        values, at = data[at : at + count], at + count
    if len(values) != count or not numbers or numbers[-1] >= population:
        raise IndexUnusable("a posting list names what is not there")
    return PostingList(numbers, values), at


def _sealed(body: bytes) -> bytes:
    return b"\0" + encode_count(len(body)) + body


def record_end(first: bytes) -> int:
    """Where a record that begins with these bytes ends."""
    if first[0]:
        return _SHORT[first[0]].size if first[0] < len(_SHORT) else len(first) + (1 << 32)
    size, at = decode_count(first, 1)
    return at + size


def _decode_short(record: bytes, population: int) -> PostingList:
    count = record[0]
    found = _SHORT[count].unpack(record)
    numbers, values = found[1 : count + 1], record[2 * count + 1 :]
    if numbers[-1] >= population or 0 in values:
        raise IndexUnusable("a posting list names what is not there")
    return PostingList(numbers, values)


def encode_word(places: Sequence[int], counts: Sequence[int], documents: int) -> int | bytes:
    """The dictionary value or the record of a word: the places of its documents, ascending, and how often it occurs."""
    if len(places) == 1 and (value := inline_value(WORD, places[0], counts[0])) is not None:
        return value
    large, count = b"", len(places)
    if count < len(_SHORT) and documents <= _MOST_NARROW and max(counts) < LONG:  # most words
        return _SHORT[count].pack(count, *places, *counts)
    try:
        values = bytes(counts)
        has_large = LONG in values
    except ValueError:
        values, has_large = bytes([min(count, LONG) for count in counts]), True
    if has_large:
        true = [count for count in counts if count >= LONG]
        large = pack(f"<{len(true)}I", *true)
    form, data = encode_list(places, values, documents)
    return _sealed(bytes((form | (LARGE if large else 0),)) + data + large)


def decode_word(held: int | bytes, documents: int) -> tuple[Sequence[int] | None, Sequence[int]]:
    """The places of the documents of a word and how often each holds it, given its dictionary value or its record;
    without places (None) how often each document there is holds it."""
    if isinstance(held, int):
        kind, place, times = parse_inline(held)
        if kind != WORD or place >= documents or not times:
            raise IndexUnusable("a dictionary value names no document")
        return (place,), (times,)
    if held[0]:
        return _decode_short(held, documents)
    body = held[decode_count(held, 1)[1] :]
    shape = body[0]
    if not shape & FORM or shape >> _SECOND:
        raise IndexUnusable("the record of a word is damaged")
    (places, counts), at = decode_list(body, 1, shape, documents)
    if not shape & LARGE:
        return places, counts
    large = memoryview(body)[at:].cast("I").tolist()
    if len(large) != counts.count(LONG):
        raise IndexUnusable("the record of a word is damaged")
    true = iter(large)
    return places, [next(true) if count == LONG else count for count in counts]


def encode_term(lists: TermLists, firsts: Sequence[int]) -> int | bytes:
    """The dictionary value or the record of a term; `firsts` has the first section of each document, then the end."""
    count = len(lists.sections)
    if count == 1 and (value := _inline(lists, firsts)) is not None:
        return value
    if not lists.documents:  # most terms
        if count < len(_SHORT) and firsts[-1] <= _MOST_NARROW:
            return _SHORT[count].pack(count, *lists.sections, *lists.section_steps)
        form, data = encode_list(lists.sections, lists.section_steps, firsts[-1])
        return _sealed(bytes((form,)) + data)
    shape, body = encode_list(lists.sections, lists.section_steps, firsts[-1]) if count else (0, b"")
    form, data = encode_list(lists.documents, lists.document_steps, len(firsts) - 1)
    return _sealed(bytes((shape | form << _SECOND,)) + body + encode_count(lists.holding) + data)


def _inline(lists: TermLists, firsts: Sequence[int]) -> int | None:
    """The dictionary value that says all there is to say of a term that one section holds; None when none can."""
    if not lists.documents:
        return inline_value(SECTION, lists.sections[0], lists.section_steps[0])
    (section,), (document, *others) = lists.sections, lists.documents
    first, after = firsts[document : document + 2]
    if not others and section == first and lists.section_steps == b"\1" and lists.holding == after - first:
        return inline_value(DOCUMENT, document, lists.document_steps[0])
    return None


def decode_term(held: int | bytes, firsts: Sequence[int]) -> tuple[PostingList, PostingList, int]:
    """The two lists of a term, and how many sections hold it, given its dictionary value or its record."""
    sections, documents = firsts[-1], len(firsts) - 1
    if isinstance(held, int):
        return _inline_term(held, firsts)
    if held[0]:
        return _decode_short(held, sections), NO_LIST, held[0]
    body = held[decode_count(held, 1)[1] :]
    shape, at = body[0], 1
    own = of_documents = NO_LIST
    if shape & FORM:
        own, at = decode_list(body, at, shape, sections)
    holding = own.length
    if shape >> _SECOND:
        holding, at = decode_count(body, at)
        of_documents, at = decode_list(body, at, shape >> _SECOND, documents)
    if at != len(body) or holding > sections:
        raise IndexUnusable("the record of a term is damaged")
    return own, of_documents, holding


def _inline_term(value: int, firsts: Sequence[int]) -> tuple[PostingList, PostingList, int]:
    kind, number, step = parse_inline(value)
    population = len(firsts) - 1 if kind == DOCUMENT else firsts[-1]
    if kind == WORD or number >= population or not 0 < step <= 255:
        raise IndexUnusable("a dictionary value names no section")
    if kind == SECTION:
        return PostingList((number,), bytes((step,))), NO_LIST, 1
    # Its first section is found by it, with the least step.
    first, after = firsts[number : number + 2]
    if first >= after:
        raise IndexUnusable("a dictionary value names a document without sections")
    return PostingList((first,), b"\1"), PostingList((number,), bytes((step,))), after - first
