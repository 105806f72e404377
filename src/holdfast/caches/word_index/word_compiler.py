"""Compile what was counted of words into the columns, records and posting lists of `words.idx`. Pure.

Numbers are written as this machine has them in memory, and an index is only made where that is little-endian.
"""

from __future__ import annotations

from array import array
from binascii import crc32
from collections import Counter, deque
from itertools import pairwise
from struct import Struct

from holdfast.caches.cache_format import PREFIX
from holdfast.caches.index_format import INLINE
from holdfast.caches.posting_record import PostingRecord, sealed
from holdfast.caches.sorted_runs import encode_numbers, looked_up
from holdfast.caches.word_index.word_records import BLOCK, COUNT, GROUP, HEAD, INLINE_LIMIT, RECORD, SHAPE, Columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from holdfast.caches.cache_format import Entry

# A term has dense counts when at least one document in this many holds it.
DENSE_SHARE = 5
# Counts above this stand outside the dense ones, so that four terms add up within a byte.
DENSE_LIMIT = 63

SHAPED_HEAD = Struct("<IIHH")  # head without its checksum, and shape
ONE_GROUP = Struct("<IIHHII")  # the same and the only group


def make_columns(words: Sequence[int], tokens: Sequence[int]) -> Columns:
    """The columns of documents given in id order."""
    count = len(words)
    places = sorted(range(count), key=words.__getitem__)  # stable: equal counts stay in id order
    numbers = array("I", bytes(4 * count))
    for number, place in enumerate(places):
        numbers[place] = number
    return Columns(
        array("I", map(words.__getitem__, places)),
        array("I", places),
        numbers,
        tokens,
        array("I", sorted(range(count), key=tokens.__getitem__)),
        [min(tokens[start : start + BLOCK]) for start in range(0, count, BLOCK)],
    )


def encode_columns(columns: Columns) -> bytes:
    """The bytes of the `columns` section."""
    parts = (
        *(columns.words, columns.places, columns.numbers),
        *(columns.tokens, columns.by_tokens, columns.floors),
    )
    return COUNT.pack(columns.count) + b"".join([array("I", part).tobytes() for part in parts])


def encode_record(place: int, entry: Entry) -> bytes:
    """Where and what a document is; its checksum is seeded with its place."""
    name, file = entry.id.encode(), entry.file.encode()
    version = bytes.fromhex(entry.version[len(PREFIX) :])
    body = RECORD.pack(0, len(name), len(file), version)[4:] + name + file
    return COUNT.pack(crc32(body, place)) + body


class DocumentNumbers:
    """Turns occurrences, told as section numbers by each run, into document numbers.

    `by_position` has the number of each document in id order, `positions` that of each section's document, `bases` the
    first section of each run, ascending, `places` the position that places in it count from.
    """

    def __init__(
        self, by_position: Sequence[int], positions: Sequence[int], bases: Sequence[int], places: Sequence[int]
    ) -> None:
        by_section = [by_position[position] for position in positions]
        self.by_position, self._places = by_position, places
        self._by_section = [by_section[base:end] for base, end in pairwise([*bases, len(by_section)])]

    def of(self, run: int, packed: bytes) -> tuple[int, ...]:
        """The numbers of the documents in which the occurrences are that a run tells."""
        told, by_section = array("i", packed), self._by_section[run]
        if told[0] >= 0:
            return looked_up(by_section, told)
        last = self._places[run] - 1
        return tuple([by_section[number] if number >= 0 else self.by_position[last - number] for number in told])


def compile_terms(
    terms: Iterable[tuple[bytes, list[tuple[int, bytes]]]],
    documents: DocumentNumbers,
    add: Callable[[bytes, int], None],
) -> Iterator[PostingRecord]:
    """The records of the postings section, one after another, while `add` is given what the dictionary holds."""
    document_count = len(documents.by_position)
    offset = 0
    for key, said in terms:
        numbers = documents.of(*said[0])
        for told in said[1:]:
            numbers += documents.of(*told)
        if len(numbers) == 1:
            add(key, inline_value(1, numbers[0]))
            continue
        # Most words are seldom, and once in a document: to see that takes less than counting.
        if len(numbers) * DENSE_SHARE < document_count and len(set(numbers)) == len(numbers):
            record: int | PostingRecord = encode_postings(key, {1: sorted(numbers)}, document_count)
        else:
            record = encode_counts(key, Counter(numbers), document_count)
        if isinstance(record, int):
            add(key, record)
            continue
        add(key, offset)
        offset += record.size
        yield record


def encode_counts(key: bytes, counts: Mapping[int, int], document_count: int) -> int | PostingRecord:
    """The dictionary value or the record of a term, by how often each document, by number, holds it."""
    most = max(counts.values())
    if len(counts) == 1 and most < INLINE_LIMIT:
        (number,) = counts
        return inline_value(most, number)
    if is_dense(len(counts), most, document_count):
        return encode_dense(key, counts, document_count)
    return encode_postings(key, _by_times(counts), document_count)


def _by_times(counts: Mapping[int, int]) -> dict[int, list[int]]:
    """times -> ascending documents that hold a term so often."""
    groups: dict[int, list[int]] = {}
    for document, times in counts.items():
        if times in groups:
            groups[times].append(document)
        else:
            groups[times] = [document]
    for group in groups.values():
        group.sort()
    return groups


def inline_value(times: int, document: int) -> int:
    """The dictionary value that stands for a term's only document; `times` is below the limit."""
    return INLINE | times << 32 | document


def encode_postings(key: bytes, groups: Mapping[int, Sequence[int]], document_count: int) -> PostingRecord:
    """The record of a term; `groups` gives for each count the ascending numbers of the documents with that count."""
    if len(groups) == 1:
        ((times, documents),) = groups.items()
        holding = len(documents)
        if holding * DENSE_SHARE < document_count:  # most terms
            numbers = encode_numbers(documents, document_count)
            return sealed(key, ONE_GROUP.pack(SHAPE.size + GROUP.size, holding, 1, 0, times, holding), numbers)
    holding = sum([len(documents) for documents in groups.values()])
    dense, dense_most = b"", 0
    kept = sorted(groups.items(), reverse=True)
    if holding * DENSE_SHARE >= document_count and min(groups) <= DENSE_LIMIT:
        dense = _dense_counts(groups, document_count)
        dense_most = max([times for times in groups if times <= DENSE_LIMIT])
        kept = [(times, documents) for times, documents in kept if times > DENSE_LIMIT]
    parts = [SHAPE.pack(len(kept), dense_most)]
    parts += [GROUP.pack(times, len(documents)) for times, documents in kept]
    numbers = b"".join([encode_numbers(documents, document_count) for _, documents in kept])
    body = b"".join(parts) + dense
    return sealed(key, HEAD.pack(0, len(body), holding)[4:] + body, numbers)


def is_dense(holding: int, most: int, document_count: int) -> bool:
    """Whether a term that so many documents hold, at most so often, has dense counts and nothing else."""
    return holding * DENSE_SHARE >= document_count and most <= DENSE_LIMIT


def encode_dense(key: bytes, counts: Mapping[int, int], document_count: int) -> PostingRecord:
    """The record of such a term: how often each document holds it."""
    dense = bytearray(document_count)
    deque(map(dense.__setitem__, counts, counts.values()), maxlen=0)  # without a step of the interpreter between them
    return sealed(key, SHAPED_HEAD.pack(SHAPE.size + document_count, len(counts), 0, max(counts.values())) + dense)


def _dense_counts(groups: Mapping[int, Sequence[int]], document_count: int) -> bytes:
    dense = bytearray(document_count)
    for times, documents in groups.items():
        if times <= DENSE_LIMIT:
            for document in documents:
                dense[document] = times
    return bytes(dense)
