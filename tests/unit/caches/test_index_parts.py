"""The parts of the compiled index: what is encoded is read back, and what is damaged or foreign is refused."""

from __future__ import annotations

import pytest

from holdfast.caches.cache_format import Entry
from holdfast.caches.index_format import (
    PAGE_SIZE,
    WORD_RULES,
    Header,
    IndexUnusable,
    Section,
    encode_header,
    header_length,
    key_of,
    look_up,
    manifest_digest,
    parse_header,
)
from holdfast.caches.word_index.word_compiler import DENSE_LIMIT, encode_postings, encode_record, make_columns
from holdfast.caches.word_index.word_records import parse_postings, parse_record
from holdfast.caches.word_index.word_search import Matches, choose
from support.term_dictionary import DictionaryPages

VERSION = "sha256:" + "ab" * 32


def dictionary_of(count: int) -> list[bytes]:
    pages = DictionaryPages()
    for number in range(count):
        pages.add(f"key{number:06}".encode(), number * number)
    return pages.finish()


def test_every_key_of_a_dictionary_is_found_and_no_other() -> None:
    pages = dictionary_of(2000)
    found = [look_up(pages.__getitem__, len(pages), f"key{number:06}".encode()) for number in range(2000)]
    absent = [look_up(pages.__getitem__, len(pages), key) for key in (b"", b"a", b"key000000x", b"key9", b"zzz")]
    assert (found, absent, len(pages) > 5) == ([n * n for n in range(2000)], [None] * 5, True)


def test_an_empty_dictionary_holds_nothing() -> None:
    assert look_up([].__getitem__, 0, b"key") is None


def test_only_the_pages_on_the_way_are_read_and_with_remembered_first_keys_only_one() -> None:
    pages = dictionary_of(20_000)
    read: list[int] = []

    def read_page(number: int) -> bytes:
        read.append(number)
        return pages[number]

    first_keys: dict[int, bytes] = {}
    look_up(read_page, len(pages), b"key012345", first_keys)
    cold = len(read)
    look_up(read_page, len(pages), b"key012345", first_keys)
    assert (cold <= len(pages).bit_length() + 2, len(read) - cold) == (True, 1)


def test_a_page_with_a_flipped_bit_or_at_another_place_is_refused() -> None:
    pages = dictionary_of(2000)
    flipped = bytearray(pages[0])
    flipped[PAGE_SIZE // 2] ^= 1
    for damaged in ([bytes(flipped), *pages[1:]], [pages[1], pages[0], *pages[2:]], [pages[0][:-1], *pages[1:]]):
        with pytest.raises(IndexUnusable):
            look_up(damaged.__getitem__, len(pages), b"key000001")


def test_a_short_word_is_its_own_key_and_a_long_one_is_hashed() -> None:
    assert (key_of("é" * 20), len(key_of("é" * 21)), key_of("x" * 41) == key_of("x" * 42)) == (
        ("é" * 20).encode(),
        33,
        False,
    )


@pytest.mark.parametrize(
    ("runs", "document_count"),
    [
        ({1: [0, 5, 9]}, 100),
        ({3: [2], 1: [0, 5, 65_535]}, 65_536),
        ({1: [0, 65_535, 65_536, 131_072, 199_999]}, 200_000),
        ({2: list(range(0, 200_000, 50)), 1: [1, 70_001]}, 200_000),
    ],
    ids=["small", "two bytes", "wide", "halves"],
)
def test_postings_without_a_lane_are_read_back(runs: dict[int, list[int]], document_count: int) -> None:
    record = encode_postings(b"key", runs, document_count)
    postings = parse_postings(record, b"key", document_count)
    expected = sorted(runs.items(), reverse=True)
    assert (postings.groups, postings.dense, postings.document_count) == (expected, None, sum(map(len, runs.values())))


def test_postings_of_a_frequent_term_have_a_lane_and_runs_for_the_counts_beyond_it() -> None:
    runs = {1: [0, 3], DENSE_LIMIT: [1], DENSE_LIMIT + 1: [2]}
    postings = parse_postings(encode_postings(b"key", runs, 5), b"key", 5)
    assert (postings.groups, postings.dense, postings.dense_most) == (
        [(DENSE_LIMIT + 1, [2])],
        bytes([1, DENSE_LIMIT, 0, 1, 0]),
        DENSE_LIMIT,
    )


def test_postings_of_another_key_or_with_any_bit_flipped_are_refused() -> None:
    record = encode_postings(b"key", {1: [0, 5, 9], 2: [7]}, 100)
    with pytest.raises(IndexUnusable):
        parse_postings(record, b"other", 100)
    for at in range(8 * len(record.data)):
        damaged = bytearray(record.data)
        damaged[at // 8] ^= 1 << at % 8
        with pytest.raises(IndexUnusable):
            parse_postings(record._replace(data=bytes(damaged)), b"key", 100)
    for numbers in (b"", record.numbers[:-2]):
        with pytest.raises(IndexUnusable):
            parse_postings(record._replace(numbers=numbers), b"key", 100)


def test_counts_that_pass_a_byte_are_added_up_exactly() -> None:
    lanes = [{1: [0, 1], 60: [2]}, {2: [0], 63: [2, 3]}]
    terms = [(weight, parse_postings(encode_postings(b"k", runs, 4), b"k", 4)) for weight, runs in zip((1, 5), lanes)]  # noqa: B905  # two and two
    huge = [(1_000_000 * weight, postings) for weight, postings in terms]
    for given, times in ((terms, 1), (huge, 1_000_000)):
        matches = Matches(given, 4)
        assert [matches.of(number) for number in range(4)] == [11 * times, times, 375 * times, 315 * times]


def test_a_record_is_read_back_at_its_place_only() -> None:
    entry = Entry("dir/é.md", VERSION, "documents/abababababab.json")
    record = encode_record(7, entry)
    assert parse_record(record, 7) == entry
    for data, place in ((record, 8), (record[:-1], 7), (record + b"x", 7), (b"", 7)):
        with pytest.raises(IndexUnusable):
            parse_record(data, place)


@pytest.mark.parametrize("file", ["../outside", "/etc/passwd", "documents/../../x", ""])
def test_a_record_that_leads_outside_the_cache_is_refused(file: str) -> None:
    with pytest.raises(IndexUnusable, match="outside"):
        parse_record(encode_record(0, Entry("a", VERSION, file)), 0)


def header_bytes(**changes: object) -> bytes:
    length = header_length(1)
    header = Header("words", WORD_RULES, b"m" * 32, b"i" * 32, length + 10, {"a": Section("a", length, 10, 5)})
    return encode_header(header._replace(**changes)) + bytes(10)  # type: ignore[arg-type]  # any field


def parsed(data: bytes) -> Header:
    return parse_header(lambda offset, length: data[offset : offset + length], kind="words", file_length=len(data))


def test_a_header_is_read_back() -> None:
    data = header_bytes()
    length = header_length(1)
    assert parsed(data) == Header(
        "words", WORD_RULES, b"m" * 32, b"i" * 32, len(data), {"a": Section("a", length, 10, 5)}
    )


def test_a_header_with_any_bit_flipped_or_cut_short_is_refused() -> None:
    data = header_bytes()
    for at in range(8 * header_length(1)):
        damaged = bytearray(data)
        damaged[at // 8] ^= 1 << at % 8
        with pytest.raises(IndexUnusable):
            parsed(bytes(damaged))
    for length in range(len(data)):
        with pytest.raises(IndexUnusable):
            parsed(data[:length])


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "other"},
        {"rules": "unicode-99.0.0/white-space"},
        {"sections": {"a": Section("a", 0, 10)}},
        {"sections": {"a": Section("a", 2**60, 10)}},
    ],
    ids=["kind", "rules", "inside the header", "outside the file"],
)
def test_a_header_of_another_kind_or_with_a_section_elsewhere_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(IndexUnusable):
        parsed(header_bytes(**changes))


def test_the_digest_of_a_manifest_leaves_its_time_out_and_nothing_else() -> None:
    manifest = b'{\n  "cache_version": "x",\n  "created_at": "2026-01-02T03:04:05Z",\n  "documents": []\n}'
    same = manifest.replace(b"2026", b"1999")
    other = [manifest.replace(b"[]", b"[ ]"), manifest.replace(b"Z", b"z"), manifest.replace(b"2026-01-02T", b"")]
    digests = [manifest_digest([data]) for data in (manifest, same, *other)]
    assert (digests[0] == digests[1], digests[0] in digests[2:], digests[3:]) == (True, False, [None, None])


def test_documents_that_cannot_fit_any_more_are_not_ranked() -> None:
    columns = make_columns([10] * 1000, [100] * 999 + [1])
    postings = parse_postings(encode_postings(b"k", {1: list(range(1000))}, 1000), b"k", 1000)
    chosen = choose(Matches([(1, postings)], 1000), columns, 101)
    assert [choice.place for choice in chosen] == [0, 999]
