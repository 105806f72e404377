"""A cache as an artifact of a registry: manifests and sets of files."""

from __future__ import annotations

import io
import tarfile
from hashlib import sha256
from pathlib import Path

import pytest

from holdfast.caches.registry.cache_artifact import (
    FILES,
    SIGNATURE,
    VERSION,
    Artifact,
    Blob,
    Layer,
    encode_artifact,
    file_sets,
    parse_artifact,
)
from holdfast.caches.registry.file_set_tar import in_chunks, tar_blob, tar_parts, unpack
from holdfast.core.errors import RegistryFailed

BLOB = Blob("sha256:" + "0a" * 32, 12)
ARTIFACT = Artifact(
    (Layer(FILES, BLOB, "listing"), Layer(SIGNATURE, BLOB._replace(size=7), "signature")),
    {VERSION: "sha256:x", "a": "b"},
)


def test_a_manifest_is_read_as_it_was_written() -> None:
    found = parse_artifact(encode_artifact(ARTIFACT))
    assert (found, [layer.title for layer in found.file_sets], found.signature) == (
        ARTIFACT,
        ["listing"],
        ARTIFACT.layers[1],
    )


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (b'"artifactType"', b'"other"', "another kind"),
        (b'"layers":[', b'"layers":{},"x":[', "names no layers"),
        (b"cache.files.v1.tar", b"cache.files.v2.tar", "of no kind"),
        (b"sha256:0a", b"sha256:0A", "of no kind"),
        (b'"size":12', b'"size":-1', "of no kind"),
        (b'"size":7', b'"size":100000', "too large"),
        (b'"listing"', b'"signature"', "a layer twice"),
        (VERSION.encode(), b"x", "no version"),
        (b"{", b"[", "not JSON"),
    ],
)
def test_any_other_manifest_is_refused(old: bytes, new: bytes, why: str) -> None:
    data = encode_artifact(ARTIFACT)
    assert old in data
    with pytest.raises(RegistryFailed, match=why):
        parse_artifact(data.replace(old, new, 1))


def test_few_documents_are_one_set_and_many_are_spread_by_their_names() -> None:
    files = ["manifest.json", "index.json", "index/words.idx", *[f"documents/{number}.json" for number in range(9)]]
    assert {name: len(held) for name, held in file_sets(files).items()} == {"documents": 9, "index": 1, "listing": 2}
    many = file_sets([*files, *[f"documents/{number}.json" for number in range(9, 999)]])
    assert len(many) == 18
    one_more = file_sets([*files, *[f"documents/{number}.json" for number in range(9, 1000)]])
    assert sum(many[name] != one_more[name] for name in many) == 1


def test_a_set_is_a_tar_that_others_can_read_and_the_same_whenever_it_is_made(tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    names = ["documents/" + "n" * 140 + ".json", "manifest.json"]
    for name in names:
        (tmp_path / name).write_bytes(name.encode() * 100)
    data = b"".join(tar_parts(str(tmp_path), names))
    (tmp_path / "manifest.json").touch()
    assert tar_blob(str(tmp_path), names) == Blob("sha256:" + sha256(data).hexdigest(), len(data))
    assert b"".join(in_chunks(iter([data]), 1000)) == data
    with tarfile.open(fileobj=io.BytesIO(data)) as opened:
        assert [(member.name, member.mtime, member.uid) for member in opened] == [(name, 0, 0) for name in names]
    (tmp_path / "tar").write_bytes(data)
    (tmp_path / "out").mkdir()
    unpack(str(tmp_path / "tar"), str(tmp_path / "out"), set())
    assert [(tmp_path / "out" / name).read_bytes() for name in names] == [name.encode() * 100 for name in names]


@pytest.mark.parametrize(
    "name",
    [
        "../escape",
        "/etc/passwd",
        "documents/../../x",
        "documents/a/b.json",
        "documents/..",
        "else.json",
        "index/x.idx",
        "",
        "documents",
        "documents/",
    ],
)
def test_a_tar_with_any_other_name_is_refused(name: str, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "tar", "w") as opened:
        opened.addfile(tarfile.TarInfo(name), io.BytesIO())
    (tmp_path / "out").mkdir()
    with pytest.raises(RegistryFailed):
        unpack(str(tmp_path / "tar"), str(tmp_path / "out"), set())
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_a_tar_holds_plain_files_only(kind: bytes, tmp_path: Path) -> None:
    member = tarfile.TarInfo("manifest.json")
    member.type, member.linkname = kind, "/etc/passwd"
    with tarfile.open(tmp_path / "tar", "w") as opened:
        opened.addfile(member)
    (tmp_path / "out").mkdir()
    with pytest.raises(RegistryFailed, match="no part of a cache"):
        unpack(str(tmp_path / "tar"), str(tmp_path / "out"), set())


@pytest.mark.parametrize("data", [b"", b"x" * 100, b"x" * 5000])
def test_what_is_no_tar_is_refused(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "tar").write_bytes(data)
    with pytest.raises(RegistryFailed, match="no tar"):
        unpack(str(tmp_path / "tar"), str(tmp_path), set())


def test_a_file_in_two_layers_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes(b"{}")
    (tmp_path / "tar").write_bytes(b"".join(tar_parts(str(tmp_path), ["manifest.json"])))
    (tmp_path / "out").mkdir()
    with pytest.raises(RegistryFailed, match="no part"):
        unpack(str(tmp_path / "tar"), str(tmp_path / "out"), {"manifest.json"})
