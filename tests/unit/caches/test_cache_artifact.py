"""A cache as an artifact of a registry: its manifest, and which files make a layer."""

from __future__ import annotations

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
        (b'"size":12', b'"size":-1', "a size that none has"),
        (b'"size":12', b'"size":true', "of no kind"),
        (b'"size":12', b'"size":1.0', "of no kind"),
        (b'"size":12', b'"size":9007199254740992', "a size that none has"),
        (b'"size":7', b'"size":100000', "a size that none has"),
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
    files = ["manifest.json", "index.json", "index/segments.idx", *[f"documents/{number}.json" for number in range(9)]]
    assert {name: len(held) for name, held in file_sets(files).items()} == {"documents": 9, "index": 1, "listing": 2}
    many = file_sets([*files, *[f"documents/{number}.json" for number in range(9, 999)]])
    assert len(many) == 18
    one_more = file_sets([*files, *[f"documents/{number}.json" for number in range(9, 1000)]])
    assert sum(many[name] != one_more[name] for name in many) == 1
    names = [f"documents/{number}.json" for number in range(4097)]
    assert (len(file_sets(names[1:])), len(file_sets(names))) == (16, 256)


def test_each_segment_of_an_index_is_a_set_of_its_own() -> None:
    segments = [f"index/{digit * 32}.seg" for digit in "abc"]
    assert file_sets(["manifest.json", "index/segments.idx", *segments]) == {
        "index": ["index/segments.idx"],
        **{f"index-{digit * 32}": [file] for digit, file in zip("abc", segments, strict=True)},
        "listing": ["manifest.json"],
    }
