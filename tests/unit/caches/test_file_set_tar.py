"""Layers as tar files: what is written is read back, and everything else is refused, in time linear in its size."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from time import process_time
from typing import Literal

import pytest

from holdfast.caches.registry.cache_artifact import Blob
from holdfast.caches.registry.file_set_tar import in_chunks, layer_members, tar_blob, tar_parts, unpack
from holdfast.core.errors import RegistryFailed

Form = Literal[0, 1, 2]


def header(
    name: str = "documents/a", size: int = 0, kind: bytes = tarfile.REGTYPE, form: Form = tarfile.USTAR_FORMAT
) -> bytes:
    member = tarfile.TarInfo(name)
    member.size, member.type, member.linkname = size, kind, "/etc/passwd" if kind in b"12" else ""
    return member.tobuf(form)


def altered(block: bytes, place: int, data: bytes) -> bytes:
    """A header with other bytes at a place, and the sum that they have."""
    changed = bytearray(block)
    changed[place : place + len(data)] = data
    changed[148:156] = b" " * 8
    changed[148:156] = b"%06o\0 " % sum(changed)
    return bytes(changed)


def pax(records: bytes, after: bytes = b"") -> bytes:
    return header("pax", len(records), tarfile.XHDTYPE) + records + bytes(-len(records) % 512) + (after or header())


def layer(*parts: bytes) -> io.BytesIO:
    return io.BytesIO(b"".join([*parts, bytes(1024)]))


def refusal(data: io.BytesIO) -> str:
    with pytest.raises(RegistryFailed) as refused:
        layer_members(data, set())
    return refused.value.reason


NAMES = [
    "documents/" + "n" * 140 + ".json",  # in two fields
    "documents/" + "m" * 240 + ".json",  # in a pax record
    "documents/na\u00efve \u65e5\u672c.json",
    "manifest.json",
]


def test_a_set_is_a_tar_that_others_can_read_and_the_same_whenever_it_is_made(tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    for name in NAMES:
        (tmp_path / name).write_bytes(name.encode() * 100)
    data = b"".join(tar_parts(str(tmp_path), NAMES))
    (tmp_path / "manifest.json").touch()
    assert tar_blob(str(tmp_path), NAMES) == Blob("sha256:" + sha256(data).hexdigest(), len(data))
    assert b"".join(in_chunks(iter([data]), 1000)) == data
    with tarfile.open(fileobj=io.BytesIO(data)) as opened:
        assert [(member.name, member.mtime, member.uid) for member in opened] == [(name, 0, 0) for name in NAMES]
    (tmp_path / "out").mkdir()
    members = layer_members(io.BytesIO(data), set())
    unpack(io.BytesIO(data), members, str(tmp_path / "out"))
    assert [member.name for member in members] == NAMES
    assert [(tmp_path / "out" / name).read_bytes() for name in NAMES] == [name.encode() * 100 for name in NAMES]


def test_a_file_of_more_than_8_gib_has_its_size_in_a_pax_record() -> None:
    written = header("manifest.json", 9 << 30, form=tarfile.PAX_FORMAT)
    assert refusal(layer(written)).endswith("a size in it lies")

    class Long(io.BytesIO):
        """A layer as long as it says, whose content nobody reads."""

        def seek(self, place: int, whence: int = 0) -> int:
            if whence:
                return len(written) + (9 << 30) + 1024
            return super().seek(place if place <= len(written) else place - (9 << 30))

    (found,) = layer_members(Long(written + bytes(1024)), set())
    assert found == ("manifest.json", len(written), 9 << 30)


@pytest.mark.parametrize(
    "name",
    [
        *("../escape", "/etc/passwd", "documents/../../x", "documents/a/b.json", "documents/..", "else.json"),
        *("index/x.idx", "", "documents", "documents/", "DOCUMENTS/a", "manifest.json/x"),
    ],
)
def test_a_name_that_no_cache_has_is_refused(name: str) -> None:
    assert refusal(layer(header(name))) == "a layer holds what is no part of a cache"
    record = b"path=" + name.encode() + b"\n"
    assert refusal(layer(pax(b"%03d " % (len(record) + 4) + record))) == "a layer holds what is no part of a cache"


@pytest.mark.parametrize(
    "kind",
    [
        *(tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE),
        *(tarfile.AREGTYPE, tarfile.CONTTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
        *(tarfile.GNUTYPE_SPARSE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
    ],
)
def test_a_layer_holds_plain_files_only(kind: bytes) -> None:
    assert (
        refusal(layer(header(kind=kind)))
        == "a layer holds what is no part of a cache: something else than a plain file"
    )


def test_a_sparse_file_of_a_terabyte_in_three_blocks_is_refused() -> None:
    sparse = altered(header(kind=tarfile.GNUTYPE_SPARSE), 483, b"\x80" + (1 << 40).to_bytes(11, "big"))
    assert refusal(layer(sparse)) == "a layer holds what is no part of a cache: something else than a plain file"
    records = b"22 GNU.sparse.major=1\n"
    assert refusal(layer(pax(records))).endswith("a pax record of it is none that a cache needs")


NO_LAYERS: dict[str, tuple[Callable[[], bytes], str]] = {
    "nothing": (lambda: b"", "it is cut short"),
    "some bytes": (lambda: b"x" * 100, "it is cut short"),
    "noise": (lambda: b"x" * 5000, "a header of it does not hold"),
    "compressed": (lambda: gzip.compress(header() + bytes(1024), 0), "a header of it does not hold"),
    "another sum": (
        lambda: header().replace(b"documents/a", b"documents/b") + bytes(1024),
        "a header of it does not hold",
    ),
    "GNU's magic": (lambda: header(form=tarfile.GNU_FORMAT) + bytes(1024), "a header of it does not hold"),
    "no end": (header, "it is cut short"),
    "bytes after the end": (lambda: header() + bytes(1024) + b"hidden", "bytes follow its end"),
    "a size beyond the layer": (lambda: header(size=2048) + bytes(1024), "a size in it lies"),
    "a negative size": (lambda: altered(header(), 124, b"\xff" * 12) + bytes(1024), "a number of it is none"),
    "a signed size": (lambda: altered(header(), 124, b"-0000000001\0") + bytes(1024), "a number of it is none"),
    "a size of another form": (lambda: altered(header(), 124, b"\x80" + bytes(10) + b"\1"), "a number of it is none"),
    "no number": (lambda: altered(header(), 124, b" " * 12) + bytes(1024), "a number of it is none"),
    "a name that is not UTF-8": (lambda: altered(header(), 11, b"\xff") + bytes(1024), "a name in it is not UTF-8"),
    "pax records alone": (lambda: pax(b"20 path=documents/a\n")[:-512] + bytes(1024), "it is cut short"),
    "pax records twice": (lambda: pax(b"20 path=documents/a\n", pax(b"20 path=documents/a\n")), "something else"),
    "pax records without end": (lambda: pax(b"20 path=documents/a\n" * 900), "something else"),
    "a path twice": (lambda: pax(b"20 path=documents/a\n" * 2), "none that a cache needs"),
    "another record": (lambda: pax(b"19 mtime=123456789\n"), "none that a cache needs"),
    "a record that is longer than it says": (lambda: pax(b"10 path=documents/a\n"), "none that a cache needs"),
    "a record that is shorter than it says": (lambda: pax(b"99 path=documents/a\n"), "none that a cache needs"),
    "a record of no length": (lambda: pax(b"0 path=documents/a\n"), "none that a cache needs"),
    "a size of a pax record that lies": (lambda: pax(b"13 size=9999\n") + bytes(1024), "a size in it lies"),
    "a negative size of a pax record": (lambda: pax(b"11 size=-1\n"), "a number of it is none"),
}


@pytest.mark.parametrize("name", NO_LAYERS)
def test_what_is_no_layer_is_refused(name: str) -> None:
    make, why = NO_LAYERS[name]
    assert why in refusal(io.BytesIO(make()))


@pytest.mark.parametrize("digit", [b"1", b"0", b"1 ", b"1 a=", b"9" * 15 + b" "])
def test_hostile_pax_records_take_time_that_grows_with_their_size(digit: bytes) -> None:
    began = process_time()
    for _ in range(50):  # a layer of such headers, each as large as one may be
        refusal(io.BytesIO(pax((digit * 8192)[:8192])))
    assert refusal(io.BytesIO(pax(digit * 1_000_000))).startswith("a layer holds what is no part")
    assert process_time() - began < 5


@pytest.mark.parametrize("taken", ["manifest.json", "documents/\u00e9a.json", "documents/k.json"])
def test_a_file_that_another_layer_has_is_refused_whatever_its_case(taken: str, tmp_path: Path) -> None:
    name = {"documents/\u00e9a.json": "documents/\u00c9A.JSON", "documents/k.json": "documents/K.json"}.get(
        taken, taken
    )
    (tmp_path / "documents").mkdir()
    (tmp_path / name).write_bytes(b"{}")
    data = b"".join(tar_parts(str(tmp_path), [name]))
    with pytest.raises(RegistryFailed, match="twice, or two files whose names differ in case alone"):
        layer_members(io.BytesIO(data), {taken})
