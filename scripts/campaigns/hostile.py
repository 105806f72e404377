"""Index files made to mislead: every checksum is right, and what they say is not."""

from __future__ import annotations

import os
import random
import struct
from binascii import crc32
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from holdfast.caches.cache_format import tagged_digest
from holdfast.caches.index_format import PAGE_SIZE, Header, Section, encode_header, header_length, parse_header
from holdfast.caches.number_blocks import BlockSums
from holdfast.caches.on_disk.section_index_reader import KIND
from holdfast.caches.posting_record import record_at
from holdfast.caches.section_index.section_records import impacts_length
from holdfast.caches.word_index.word_records import postings_length

SECRET = '{"id":"0/0.md","version":"VERSION","source":"0/0.md","content":"SECRET","metadata":{}}'
TERABYTE = 1 << 40


class IndexFile:
    """The index of a cache, taken apart; `save` puts it together again with the checksums it should have."""

    def __init__(self, cache: Path, name: str = "words.idx") -> None:
        self.path = cache / "index" / name
        data = self.path.read_bytes()
        self.kind = data[16:32].rstrip(b"\0").decode()
        self.header = parse_header(
            lambda offset, length: data[offset : offset + length], kind=self.kind, file_length=len(data)
        )
        self.parts = {name: data[one.offset : one.offset + one.length] for name, one in self.header.sections.items()}
        self.stated: dict[str, int] = {}  # lengths that are not those of the bytes: the rest is a hole in the file

    def save(self) -> None:
        at = header_length(len(self.parts))
        sections = {}
        places = []
        for name, data in self.parts.items():
            length = self.stated.get(name, len(data))
            crc = crc32(data) if self.header.sections[name].crc else 0
            sections[name] = Section(name, at, length, crc)
            places.append((at, data))
            at += length
        header = Header(
            self.kind, self.header.rules, self.header.manifest_digest, self.header.index_digest, at, sections
        )
        with open(self.path, "wb") as file:
            file.truncate(at)
            file.write(encode_header(header))
            for place, data in places:
                file.seek(place)
                file.write(data)

    def records(self) -> list[bytes]:
        """The records of the documents, by place."""
        offsets = struct.unpack(f"<{len(self.parts['offsets']) // 8}Q", self.parts["offsets"])
        return [self.parts["records"][start:end] for start, end in pairwise(offsets)]

    def set_records(self, bodies: list[bytes]) -> None:
        """Other records, given without their checksums."""
        made = [struct.pack("<I", crc32(body, place)) + body for place, body in enumerate(bodies)]
        offsets = [0]
        for record in made:
            offsets.append(offsets[-1] + len(record))
        self.parts["records"] = b"".join(made)
        self.parts["offsets"] = struct.pack(f"<{len(offsets)}Q", *offsets)

    def set_page(self, number: int, body: bytes) -> None:
        """Another dictionary page, given without its checksum."""
        page = struct.pack("<I", crc32(body, number)) + body
        data = self.parts["dictionary"]
        self.parts["dictionary"] = data[: number * PAGE_SIZE] + page + data[(number + 1) * PAGE_SIZE :]

    def terms(self) -> dict[bytes, int]:
        """Every key of the dictionary, and its value."""
        found = {}
        for start in range(0, len(self.parts["dictionary"]), PAGE_SIZE):
            page = self.parts["dictionary"][start : start + PAGE_SIZE]
            (count,) = struct.unpack_from("<H", page, 4)
            ends = struct.unpack_from(f"<{count}H", page, 6)
            values = struct.unpack_from(f"<{count}Q", page, 6 + 2 * count)
            keys = page[6 + 10 * count :]
            for position, value in enumerate(values):
                found[keys[ends[position - 1] if position else 0 : ends[position]]] = value
        return found

    def set_posting(self, key: bytes, change: Callable[[bytes], bytes]) -> None:
        """Another record of postings for a term, of the same length, its checksum put right."""
        at = record_at(self.terms()[key])
        data = self.parts["postings"]
        length = impacts_length if self.kind == KIND else postings_length
        end = at + length(data[at : at + 12])
        body = change(data[at + 4 : end])
        if len(body) != end - at - 4:
            raise ValueError("postings of another length")
        self.parts["postings"] = data[:at] + struct.pack("<I", crc32(body, crc32(key))) + body + data[end:]

    def set_numbers(self, data: bytes) -> None:
        """Other numbers, their checksums put right."""
        sums = BlockSums()
        self.parts["numbers"] = bytes(sums.taking(data))
        self.parts["sums"] = sums.finish()


def mutate_with_right_checksums(source: random.Random, cache: Path) -> None:
    """A few bytes anywhere, and every checksum around them put right."""
    index = IndexFile(cache, source.choice([path.name for path in sorted((cache / "index").iterdir())]))

    def mutated(data: bytes) -> bytes:
        changed = bytearray(data)
        for _ in range(source.randrange(1, 4)):
            at = source.randrange(len(changed))
            width = min(source.choice((1, 2, 4, 8)), len(changed) - at)
            value = source.choice((0, 255, source.randrange(256)))
            changed[at : at + width] = bytes([value]) * width
        return bytes(changed)

    part = source.choice(("columns", "offsets", "summary", "records", "dictionary", "postings", "numbers"))
    if part in ("columns", "offsets", "summary"):
        index.parts[part] = mutated(index.parts[part])
    elif part == "records":
        bodies = [record[4:] for record in index.records()]
        at = source.randrange(len(bodies))
        bodies[at] = mutated(bodies[at])
        index.set_records(bodies)
    elif part == "dictionary":
        number = source.randrange(len(index.parts["dictionary"]) // PAGE_SIZE)
        body = index.parts["dictionary"][number * PAGE_SIZE + 4 : (number + 1) * PAGE_SIZE]
        index.set_page(number, mutated(body))
    elif part == "numbers":
        if index.parts[part]:
            index.set_numbers(mutated(index.parts[part]))
    else:
        terms = index.terms()
        keys = [key for key in (b"ba", b"be", b"bi", b"bo") if terms.get(key, 1 << 63) < 1 << 63]
        if keys:
            index.set_posting(source.choice(keys), lambda body: body[:4] + mutated(body[4:]))
    index.save()


def _leading_to(name: str) -> Callable[[Path], None]:
    """Every record leads to a file outside, whose content the index knows."""

    def attack(cache: Path) -> None:
        version = tagged_digest(b"SECRET")
        secret = cache.parent / "secret.json"
        secret.write_text(SECRET.replace("VERSION", version))
        (cache / "documents" / "evil-link.json").symlink_to(secret)
        os.mkfifo(cache / "documents" / "evil-pipe.json")
        (cache / "documents" / "evil-folder").symlink_to(cache.parent)
        index = IndexFile(cache)
        file = name.replace("SECRET", str(secret)).encode()
        identifier = b"0/0.md"
        body = struct.pack("<HH", len(identifier), len(file)) + bytes.fromhex(version[7:]) + identifier + file
        index.set_records([body] * len(index.records()))
        index.save()

    return attack


def _stated(
    section: str, length: int, change: Callable[[IndexFile], None] | None = None, name: str = "words.idx"
) -> Callable[[Path], None]:
    """A section that says it is longer than any disk."""

    def attack(cache: Path) -> None:
        index = IndexFile(cache, name)
        index.stated[section] = length
        if change is not None:
            change(index)
        index.save()

    return attack


def _endless_record(index: IndexFile) -> None:
    count = len(index.parts["offsets"]) // 8
    index.parts["offsets"] = struct.pack(f"<{count}Q", *[place * (TERABYTE // count) for place in range(count)])


def _endless_postings(index: IndexFile) -> None:
    for key in (b"ba", b"be", b"bi"):
        place = index.terms().get(key, 1 << 63)
        if place >= 1 << 63:
            continue
        at, data = record_at(place), index.parts["postings"]
        index.parts["postings"] = data[: at + 4] + b"\xff\xff\xff\xff" + data[at + 8 :]


def _numbers(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    """Other numbers in both files."""

    def attack(cache: Path) -> None:
        for name in ("words.idx", "sections.idx"):
            index = IndexFile(cache, name)
            index.set_numbers(change(index.parts["numbers"]))
            index.save()

    return attack


def _columns(change: Callable[[int, list[int]], list[int]]) -> Callable[[Path], None]:
    """Other numbers for all documents."""

    def attack(cache: Path) -> None:
        index = IndexFile(cache)
        data = index.parts["columns"]
        count, *numbers = struct.unpack(f"<{len(data) // 4}I", data)
        numbers = change(count, list(numbers))
        index.parts["columns"] = struct.pack(f"<{1 + len(numbers)}I", count, *numbers)
        index.save()

    return attack


def _postings(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    """Other postings for the words that are asked for."""

    def attack(cache: Path) -> None:
        index = IndexFile(cache)
        for key in (b"ba", b"be", b"bi", b"bo"):
            if index.terms().get(key, 1 << 63) < 1 << 63:
                index.set_posting(key, change)
        index.save()

    return attack


def _many_documents(index: IndexFile) -> None:
    index.parts["columns"] = b"\xff\xff\xff\xff" + index.parts["columns"][4:]


def _instead(make: Callable[[Path], None]) -> Callable[[Path], None]:
    """Something else where the index file was."""

    def attack(cache: Path) -> None:
        path = cache / "index" / "words.idx"
        path.unlink()
        make(path)

    return attack


def _folder_elsewhere(cache: Path) -> None:
    target = cache.parent / "elsewhere"
    (cache / "index").rename(target)
    (cache / "index").symlink_to(target)


def _endless_summaries(cache: Path) -> None:
    """No file that says how tokens were counted can be held."""
    for name in ("words.idx", "sections.idx"):
        _stated("summary", TERABYTE, name=name)(cache)


HOSTILE: dict[str, Callable[[Path], None]] = {
    "a record that climbs": _leading_to("../secret.json"),
    "a record that climbs inside": _leading_to("documents/../../secret.json"),
    "a record with an absolute path": _leading_to("SECRET"),
    "a record that names a link": _leading_to("documents/evil-link.json"),
    "a record that goes through a linked folder": _leading_to("documents/evil-folder/secret.json"),
    "a record that names a pipe": _leading_to("documents/evil-pipe.json"),
    "a record that names the folder": _leading_to("documents"),
    "a record without a file": _leading_to(""),
    "records of a terabyte": _stated("records", TERABYTE, _endless_record),
    "postings of a terabyte": _stated("postings", TERABYTE, _endless_postings),
    "postings longer than they are": _stated("postings", 1 << 33, _endless_postings),
    "a dictionary of a terabyte": _stated("dictionary", TERABYTE),
    "columns of a terabyte": _stated("columns", TERABYTE, _many_documents),
    "offsets of a terabyte": _stated("offsets", TERABYTE),
    "digests of a terabyte": _stated("digests", TERABYTE),
    "summaries of a terabyte": _endless_summaries,
    "columns of zeros": _columns(lambda _, numbers: [0] * len(numbers)),
    "columns of the largest number": _columns(lambda _, numbers: [0xFFFFFFFF] * len(numbers)),
    "columns backwards": _columns(lambda _, numbers: numbers[::-1]),
    "documents of no words": _columns(lambda count, numbers: [0] * count + numbers[count:]),
    "documents of no tokens": _columns(lambda count, n: n[: 3 * count] + [0] * count + n[4 * count :]),
    "one place for all": _columns(lambda count, numbers: numbers[:count] + [0] * count + numbers[2 * count :]),
    "floors that are too high": _columns(lambda count, n: n[: 5 * count] + [0xFFFFFFFF] * (len(n) - 5 * count)),
    "as many runs as can be said": _postings(lambda body: body[:8] + b"\xff\xff" + body[10:]),
    "dense counts as high as can be said": _postings(lambda body: body[:10] + b"\xff\xff" + body[12:]),
    "no dense counts at all": _postings(lambda body: body[:10] + b"\0\0" + body[12:]),
    "as many documents as can be said": _postings(lambda body: body[:4] + b"\xff\xff\xff\xff" + body[8:]),
    "dense counts full to the brim": _postings(lambda body: body[:12] + b"\xff" * (len(body) - 12)),
    "numbers of a terabyte": _stated("numbers", TERABYTE),
    "sums of a terabyte": _stated("sums", TERABYTE),
    "no numbers": _numbers(lambda _: b""),
    "numbers as high as can be": _numbers(lambda data: b"\xff" * len(data)),
    "numbers that are all the same": _numbers(lambda data: bytes(len(data))),
    **{
        f"{part} of a terabyte, of sections": _stated(part, TERABYTE, change, "sections.idx")
        for part, change in (
            *(("records", _endless_record), ("postings", _endless_postings), ("dictionary", None)),
            *(("columns", _many_documents), ("offsets", None), ("summary", None)),
            *(("numbers", None), ("sums", None)),
        )
    },
    "a pipe instead of the index": _instead(os.mkfifo),
    "an endless device instead of the index": _instead(lambda path: path.symlink_to("/dev/zero")),
    "a folder instead of the index": _instead(lambda path: path.mkdir()),
    "an index folder elsewhere": _folder_elsewhere,
}
