"""docs/formats/index.md is enough to read an index: the reader below was written from the page and shares no code with
the product, which must find the same in every record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from struct import unpack_from
from zlib import crc32

import pytest

from holdfast.caches.build.build import build_cache
from holdfast.caches.build.build_order import BuildOrder
from holdfast.caches.on_disk.open_caches import open_cache
from holdfast.caches.segments.postings import decode_term, decode_word
from holdfast.caches.segments.segment_file import hash_of

Listed = dict[int, int]


class PageReader:
    """A file of an index, by the page."""

    def __init__(self, data: bytes, kind: bytes) -> None:
        assert data[:8] == b"HOLDFAST"
        version, count, length = unpack_from("<HHI", data, 8)
        assert (version, length) == (1, 136 + 40 * count + 4)
        assert data[16:32] == kind.ljust(16, b"\0")
        assert data[32:64] == b"unicode-17.0.0/white-space".ljust(32, b"\0")
        self.manifest, self.index = data[64:96], data[96:128]
        assert unpack_from("<Q", data, 128) == (len(data),)
        assert unpack_from("<I", data, length - 4) == (crc32(data[: length - 4]),)
        self.sections: dict[str, bytes] = {}
        at = length
        for row in range(count):
            name, offset, size, checksum, zero = unpack_from("<16sQQII", data, 136 + 40 * row)
            part = data[offset : offset + size]
            assert (offset, zero) == (at, 0)
            assert checksum in (0, crc32(part))
            self.sections[name.rstrip(b"\0").decode()] = part
            at += size
        if "sums" in self.sections:
            body = data[length : len(data) - len(self.sections["sums"])]
            blocks = [crc32(body[start : start + 4096], start // 4096) for start in range(0, len(body), 4096)]
            assert list(unpack_from(f"<{len(blocks)}I", self.sections["sums"])) == blocks

    def columns(self) -> list[list[int]]:
        data = self.sections["columns"]
        documents, sections, seed = unpack_from("<III", data)
        found, at = [[documents, sections, seed]], 12
        for count in (documents, documents, -(-documents // 128), documents + 1, sections):
            found.append(list(unpack_from(f"<{count}I", data, at)))
            at += 4 * count
        for _ in range(3):
            found.append(list(unpack_from(f"<{documents}H", data, at)))
            at += 2 * documents
        found.append(list(unpack_from(f"<{(len(data) - at) // 2}H", data, at)))
        return found

    def dictionary(self) -> Iterator[tuple[int, int]]:
        data = self.sections["dictionary"]
        for page in range(0, len(data), 4096):
            keys, values = unpack_from("<341Q", data, page), unpack_from("<341I", data, page + 341 * 8)
            yield from [pair for pair in zip(keys, values, strict=True) if pair[0] != (1 << 64) - 1]

    def records(self, name: str, count: int) -> list[bytes]:
        data = self.sections[name]
        ends = unpack_from(f"<{count + 1}I", data)
        start = 4 * (count + 1)
        return [data[start + ends[at] : start + ends[at + 1]] for at in range(count)]

    def posting(self, value: int, *, word: bool) -> tuple[Listed, Listed, int | None]:
        """The lists of a key, and how many sections hold a term where that is said."""
        (documents, sections, _), firsts = self.columns()[0], self.columns()[4]
        if value >= 1 << 31:
            kind, count, number = value >> 29 & 3, value >> 16 & 0x1FFF, value & 0xFFFF
            assert (kind == 0) == word
            if kind == 2:
                return {firsts[number]: 1}, {number: count}, firsts[number + 1] - firsts[number]
            return {number: count}, {}, None
        data = self.sections["postings"]
        if n := data[value]:
            numbers = unpack_from(f"<{n}H", data, value + 1)
            return dict(zip(numbers, data[value + 1 + 2 * n : value + 1 + 3 * n], strict=True)), {}, None
        size, at = _count(data, value + 1)
        body, at, holding = data[at : at + size], 1, None
        own: Listed = {}
        if body[0] & 15:
            own, at = _list(body, at, body[0] & 15, documents if word else sections)
        other: Listed = {}
        if body[0] >> 4:
            holding, at = _count(body, at)
            other, at = _list(body, at, body[0] >> 4, documents)
        assert at == len(body)
        return own, other, holding


def _count(data: bytes, at: int) -> tuple[int, int]:
    return (data[at], at + 1) if data[at] < 255 else (*unpack_from("<I", data, at + 1), at + 5)


def _list(body: bytes, at: int, form: int, population: int) -> tuple[Listed, int]:
    if form & 3 == 3:
        numbers = [number for number in range(population) if body[at + number]]
        values, at = [body[at + number] for number in numbers], at + population
    else:
        count, at = _count(body, at)
        numbers = []
        if form & 3 == 1:
            wide = population > 65_536
            numbers, at = (
                list(unpack_from(f"<{count}{'I' if wide else 'H'}", body, at)),
                at + (4 if wide else 2) * count,
            )
        else:
            reached = 0
            for gap in body[at : at + count]:
                reached += gap
                numbers += [reached] if gap < 255 else []
            at += count
        if form & 4:
            values, at = [body[at]] * len(numbers), at + 1
        else:
            values, at = list(body[at : at + len(numbers)]), at + len(numbers)
    if form & 8:
        for place, value in enumerate(values):
            if value == 255:
                (values[place],), at = unpack_from("<I", body, at), at + 4
    return dict(zip(numbers, values, strict=True)), at


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of two segments, whose lists have every form."""
    folder = tmp_path_factory.mktemp("page")
    docs = folder / "docs"
    docs.mkdir()
    for number in range(600):
        words = ["common"] * (1 + number % 3) + [f"every{number % every}" for every in (2, 3, 5, 9, 40, 300)]
        link = f"[next](b{number + 1:03}.md)"
        text = f"# Page {number}\n\n{' '.join(words)} {link}\n\n## More\n\n{words[-1]} alone{number}\n"
        (docs / f"b{number:03}.md").write_text(text + "common " * (700 if number == 7 else 0))
    build_cache(docs, folder / "cache", BuildOrder("2026-01-02T03:04:05Z", workers=1))
    return folder / "cache"


def test_a_reader_written_from_the_page_finds_what_the_product_finds(cache: Path) -> None:
    listing = PageReader((cache / "index/segments.idx").read_bytes(), b"segments-2")
    assert listing.index == sha256((cache / "index.json").read_bytes()).digest()
    manifest = (cache / "manifest.json").read_bytes()
    before, mark, after = manifest.partition(b'"created_at": "')
    assert listing.manifest == sha256(before + mark + after[after.index(b'"') :]).digest()
    entries = json.loads(manifest)["documents"]
    opened = open_cache(cache)._compiled
    assert opened is not None
    rows = listing.sections["segments"]
    assert len(rows) == 52 * len(opened.segments) > 52
    ids: list[str] = []
    for at, segment in enumerate(opened.segments):
        digest, length, sums, documents, sections = unpack_from("<32sQIII", rows, 52 * at)
        data = (cache / "index" / f"{digest.hex()[:32]}.seg").read_bytes()
        assert (sha256(data).digest(), len(data)) == (digest, length)
        read = PageReader(data, b"segment-2")
        assert sums == crc32(read.sections["sums"])
        (count, of_sections, seed), words, tokens, floors, firsts, section_tokens, *_ = read.columns()
        assert (count, of_sections, seed, firsts[-1]) == (documents, sections, 0, sections)
        assert [list(part) for part in segment.numbers[:-1]] == read.columns()[1:]
        assert floors == [min(tokens[start : start + 128]) for start in range(0, count, 128)]
        assert len(words) == count
        assert len(section_tokens) == sections
        names = [each[34 : 34 + unpack_from("<H", each, 32)[0]].decode() for each in read.records("documents", count)]
        hashes = [int.from_bytes(sha256(name.encode()).digest()[:4], "little") % 750 for name in names]
        assert not ids or hashes[0] == 0
        assert 0 not in hashes[250:]
        ids += names
        digests = read.sections["digests"]
        for place, entry in enumerate(entries[len(ids) - count : len(ids)]):
            assert digests[32 * place : 32 * place + 32] == sha256((cache / entry["file"]).read_bytes()).digest()
        assert read.sections["sources"] == b""
        keys = [key for key, _ in read.dictionary()]
        assert keys == sorted(set(keys))
        bits = read.sections["filter"]
        size = len(bits) * 8
        for key, value in read.dictionary():
            own, shared, holding = read.posting(value, word=bool(key & 1))
            held = value if value >= 1 << 31 else segment.record(value)
            if key & 1:
                places, counts = decode_word(held, count)
                every = range(count) if places is None else places
                assert own == {place: times for place, times in zip(every, counts, strict=True) if times}
                continue
            lists = decode_term(held, firsts)
            assert own == dict(zip(*lists[0].listed(), strict=True))
            assert shared == dict(zip(*lists[1].listed(), strict=True))
            assert (len(own) if holding is None else holding) == lists[2]
            for bit in (key >> (64 - size.bit_length() + 1), key >> 8 & size - 1):
                assert bits[bit // 8] >> bit % 8 & 1
        key = int.from_bytes(sha256(b"common").digest()[:8], "big") | 1
        assert key == hash_of("common", 0, word=True)
        assert len(read.posting(dict(read.dictionary())[key], word=True)[0]) == count
    assert ids == [entry["id"] for entry in entries]
