"""Index files made to mislead: every checksum is right, and what they say is not."""

from __future__ import annotations

import os
import random
import struct
from array import array
from binascii import crc32
from collections.abc import Callable
from hashlib import sha256
from itertools import accumulate
from pathlib import Path

from holdfast.caches.cache_format import tagged_digest
from holdfast.caches.index_format import (
    Section,
    encode_header,
    header_length,
    parse_header,
    parse_summary,
    summary_bytes,
)
from holdfast.caches.segments.segment_file import BLOCK, SUMS
from holdfast.caches.segments.segment_list import SegmentList, encode_list, parse_list

SECRET = '{"id":"0/0.md","version":"VERSION","source":"0/0.md","content":"SECRET","metadata":{}}'
TERABYTE = 1 << 40


class IndexParts:
    """The first segment of a cache, taken apart; `save` puts it together again, and the list, with their checksums."""

    def __init__(self, cache: Path) -> None:
        self.list_path = cache / "index" / "segments.idx"
        data = self.list_path.read_bytes()
        self.listed: SegmentList = parse_list(lambda offset, length: data[offset : offset + length], len(data))
        self.summary = parse_summary(
            summary_bytes(lambda offset, length: data[offset : offset + length], self.listed.header)
        )
        self.path = cache / "index" / self.listed.segments[0].name
        held = self.path.read_bytes()
        self.header = parse_header(lambda at, length: held[at : at + length], kind="", file_length=len(held))
        self.parts = {name: held[one.offset : one.offset + one.length] for name, one in self.header.sections.items()}
        self.stated: dict[str, int] = {}  # lengths that are not those of the bytes: the rest is a hole in the file

    def save(self) -> None:
        body = b"".join([data for name, data in self.parts.items() if name != SUMS])
        sums = [crc32(body[at : at + BLOCK], at // BLOCK) for at in range(0, len(body), BLOCK)]
        self.parts[SUMS] = array("I", sums).tobytes()
        at = header_length(len(self.parts))
        sections, places = {}, []
        for name, data in self.parts.items():
            length = self.stated.get(name, len(data))
            sections[name] = Section(name, at, length, crc32(data) if name == SUMS else 0)
            places.append((at, data))
            at += length
        header = encode_header(self.header._replace(file_length=at, sections=sections))
        documents, count = struct.unpack_from("<II", self.parts["columns"])
        row = self.listed.segments[0]._replace(
            digest=sha256(header).digest(),
            length=at,
            checksum=sections[SUMS].crc,
            documents=min(documents, len(self.parts["digests"]) // 32),
            sections=min(count, 1 << 16),
        )
        self.path.unlink()
        with open(self.path.parent / row.name, "wb") as file:
            file.truncate(at)
            file.write(header)
            for place, data in places:
                file.seek(place)
                file.write(data)
        head = self.listed.header
        rows = [row, *self.listed.segments[1:]]
        self.list_path.write_bytes(encode_list(rows, self.summary, head.manifest_digest, head.index_digest))


def mutate_with_right_checksums(source: random.Random, cache: Path) -> None:
    """A few bytes anywhere in a segment, and every checksum around them put right."""
    index = IndexParts(cache)
    part = source.choice([name for name, data in index.parts.items() if data and name != SUMS])
    changed = bytearray(index.parts[part])
    for _ in range(source.randrange(1, 4)):
        at = source.randrange(len(changed))
        width = min(source.choice((1, 2, 4, 8)), len(changed) - at)
        changed[at : at + width] = bytes([source.choice((0, 255, source.randrange(256)))]) * width
    index.parts[part] = bytes(changed)
    index.save()


def _leading_to(name: str) -> Callable[[Path], None]:
    """Every record of a document leads to one file."""

    def attack(cache: Path) -> None:
        version = tagged_digest(b"SECRET")
        secret = cache.parent / "secret.json"
        secret.write_text(SECRET.replace("VERSION", version))
        (cache / "documents" / "evil-link.json").symlink_to(secret)
        os.mkfifo(cache / "documents" / "evil-pipe.json")
        (cache / "documents" / "evil-folder").symlink_to(cache.parent)
        index = IndexParts(cache)
        file = name.replace("SECRET", str(secret)).encode()
        record = bytes.fromhex(version[7:]) + struct.pack("<H", 6) + b"0/0.md" + file
        count = len(index.parts["digests"]) // 32
        ends = array("I", accumulate([len(record)] * count, initial=0)).tobytes()
        index.parts["documents"] = ends + record * count
        index.save()

    return attack


def _stated(section: str, length: int = TERABYTE) -> Callable[[Path], None]:
    """A section that says it is longer than any disk."""

    def attack(cache: Path) -> None:
        index = IndexParts(cache)
        index.stated[section] = length
        index.save()

    return attack


def _changed(section: str, change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    """Other bytes of a section."""

    def attack(cache: Path) -> None:
        index = IndexParts(cache)
        index.parts[section] = change(index.parts[section])
        index.save()

    return attack


def _long_list(cache: Path) -> None:
    """The list of segments says that it is longer than any disk."""
    path = cache / "index" / "segments.idx"
    data = path.read_bytes()
    header = parse_header(lambda at, length: data[at : at + length], kind="", file_length=len(data))
    last = header.sections["segments"]
    sections = {**header.sections, "segments": last._replace(length=TERABYTE - last.offset)}
    with open(path, "r+b") as file:
        file.write(encode_header(header._replace(file_length=TERABYTE, sections=sections)))
        file.truncate(TERABYTE)


def _instead(make: Callable[[Path], None], pattern: str = "segments.idx") -> Callable[[Path], None]:
    """Something else where a file of the index was."""

    def attack(cache: Path) -> None:
        for path in list((cache / "index").glob(pattern)):
            path.unlink()
            make(path)

    return attack


def _folder_elsewhere(cache: Path) -> None:
    target = cache.parent / "elsewhere"
    (cache / "index").rename(target)
    (cache / "index").symlink_to(target)


_SECTIONS = ("dictionary", "postings", "filter", "columns", "documents", "records", "digests", "sums")
_WAYS: dict[str, Callable[[bytes], bytes]] = {
    "of zeros": lambda data: bytes(len(data)),
    "full to the brim": lambda data: b"\xff" * len(data),
    "backwards": lambda data: data[::-1],
    "cut in half": lambda data: data[: len(data) // 2],
}
HOSTILE: dict[str, Callable[[Path], None]] = {
    "a record that climbs": _leading_to("../secret.json"),
    "a record that climbs inside": _leading_to("documents/../../secret.json"),
    "a record with an absolute path": _leading_to("SECRET"),
    "a record that names a link": _leading_to("documents/evil-link.json"),
    "a record that goes through a linked folder": _leading_to("documents/evil-folder/secret.json"),
    "a record that names a pipe": _leading_to("documents/evil-pipe.json"),
    "a record that names the folder": _leading_to("documents"),
    "a record without a file": _leading_to(""),
    **{f"{section} of a terabyte": _stated(section) for section in _SECTIONS},
    "postings longer than they are": _stated("postings", 1 << 33),
    "a list of a terabyte": _long_list,
    **{f"{section} {how}": _changed(section, change) for section in _SECTIONS[:-1] for how, change in _WAYS.items()},
    "as many documents as can be said": _changed("columns", lambda data: b"\xff\xff\xff\xff" + data[4:]),
    "no sections": _changed("columns", lambda data: data[:4] + bytes(4) + data[8:]),
    "another seed": _changed("columns", lambda data: data[:8] + b"\1" + data[9:]),
    "a pipe instead of the list": _instead(os.mkfifo),
    "an endless device instead of the list": _instead(lambda path: path.symlink_to("/dev/zero")),
    "a folder instead of the list": _instead(lambda path: path.mkdir()),
    "a pipe instead of a segment": _instead(os.mkfifo, "*.seg"),
    "an endless device instead of a segment": _instead(lambda path: path.symlink_to("/dev/zero"), "*.seg"),
    "an index folder elsewhere": _folder_elsewhere,
}
