"""Manifests: what is written is read back, what lacks a field or breaks a rule is told in words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast import CacheInvalid
from holdfast.caches.cache_format import (
    Entry,
    Manifest,
    cache_version,
    check_index,
    check_manifest,
    is_crowded,
    is_version,
    make_manifest,
    parse_manifest,
    stays_inside,
    tagged_digest,
)
from holdfast.caches.listing_text import encode_index, encode_manifest
from holdfast.core.canonical_json import encode_pretty

B = Entry("b.md", "sha256:" + "b" * 64, "documents/bb.json")
A = Entry("a.md", "sha256:" + "a" * 64, "documents/aa.json")
MANIFEST = make_manifest([B, A], "2026-01-02T03:04:05Z")


def changed(**fields: object) -> bytes:
    """The manifest's bytes with some members replaced; None takes one away."""
    value: dict[str, Any] = {**json.loads(encode_manifest(MANIFEST)), **fields}
    return json.dumps({name: item for name, item in value.items() if item is not None}).encode()


def test_a_manifest_lists_its_documents_by_id_and_is_read_back_as_it_was_written() -> None:
    assert MANIFEST.entries == [A, B]
    assert (MANIFEST.document_count, MANIFEST.format_version, MANIFEST.hash_algorithm) == (2, "1", "sha256")
    assert parse_manifest(encode_manifest(MANIFEST)) == MANIFEST
    assert check_manifest(MANIFEST) == []


def test_a_version_is_the_hash_of_the_configuration_and_of_every_id_and_version_in_order() -> None:
    hashed = f'{{"version":"1","hash_algorithm":"sha256"}}a.md:{A.version}b.md:{B.version}'
    assert cache_version([B, A]) == MANIFEST.cache_version == tagged_digest(hashed.encode())


def test_the_bytes_of_a_manifest_and_of_an_index_are_those_of_the_format() -> None:
    assert encode_manifest(make_manifest([A], "now")).decode() == (
        f'{{\n  "cache_version": "{cache_version([A])}",\n'
        '  "build_config": {\n    "version": "1",\n    "hash_algorithm": "sha256"\n  },\n'
        '  "created_at": "now",\n  "document_count": 1,\n  "documents": [\n    {\n'
        f'      "id": "a.md",\n      "version": "{A.version}",\n      "file": "documents/aa.json"\n    }}\n  ]\n}}'
    )
    assert encode_index([A, B]) == b'{\n  "a.md": "documents/aa.json",\n  "b.md": "documents/bb.json"\n}'


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is not JSON"),
        (b"[]", "is not an object"),
        (changed(build_config=None), "lacks build_config"),
        (changed(build_config=[]), "lacks build_config"),
        (changed(documents=None), "lacks documents"),
        (changed(documents={}), "lacks documents"),
        (changed(documents=["a.md"]), "lists a document that is not an object"),
        (changed(document_count=None), "lacks document_count"),
        (changed(document_count=True), "lacks document_count"),
        (changed(document_count=-1), "lacks document_count"),
        (changed(document_count=2**53), "lacks document_count"),
        (changed(cache_version=7), "lacks cache_version"),
        (changed(created_at=None), "lacks created_at"),
        (changed(build_config={"hash_algorithm": "sha256"}), "lacks version"),
        (changed(build_config={"version": "1"}), "lacks hash_algorithm"),
        (changed(documents=[{"version": "", "file": ""}]), "lacks id"),
        (changed(documents=[{"id": "\ud800", "version": "", "file": ""}]), "lacks id"),
        (changed(documents=[{"id": "", "file": ""}]), "lacks version"),
        (changed(documents=[{"id": "", "version": ""}]), "lacks file"),
        (b'{"documents": [' + b"[]," * 5000 + b"[]]}", "holds more than documents need"),
    ],
)
def test_what_lacks_a_field_is_no_manifest(data: bytes, reason: str) -> None:
    with pytest.raises(CacheInvalid) as caught:
        parse_manifest(data)
    assert reason in caught.value.reason


@pytest.mark.parametrize(
    ("manifest", "problems"),
    [
        (MANIFEST._replace(format_version="2"), ["build_config.version is '2', this release reads '1'"]),
        (MANIFEST._replace(hash_algorithm="md5"), ["hash_algorithm is 'md5', expected 'sha256'"]),
        (MANIFEST._replace(document_count=3), ["document_count is 3, 2 are listed"]),
        (make_manifest([A, A], ""), ["'a.md' is listed twice"]),
        (make_manifest([A._replace(version="1")], ""), ["'a.md' has a version that is no sha256"]),
        (make_manifest([A._replace(file="../x")], ""), ["'a.md' names a file outside the cache"]),
        (MANIFEST._replace(cache_version="sha256:0"), ["cache_version does not match the documents listed"]),
        (MANIFEST._replace(document_count=0, format_version="2"), None),
    ],
)
def test_every_rule_that_is_broken_is_told(manifest: Manifest, problems: list[str] | None) -> None:
    found = check_manifest(manifest)
    assert found == problems if problems is not None else len(found) == 2


@pytest.mark.parametrize(
    ("index", "problems"),
    [
        (encode_index([A, B]), []),
        (b"{", ["index.json is not JSON: "]),
        (b"[]", ["index.json is not an object"]),
        (encode_index([A]), ["index.json and manifest.json disagree about 'b.md'"]),
        (encode_index([A, B._replace(file="x")]), ["index.json and manifest.json disagree about 'b.md'"]),
        (b"{" + b'"":[],' * 5000 + b'"":0}', ["index.json holds more than the manifest lists"]),
    ],
)
def test_an_index_must_say_what_the_manifest_says(index: bytes, problems: list[str]) -> None:
    found = check_index(index, MANIFEST)
    assert len(found) == len(problems)
    assert all(text.startswith(start) for text, start in zip(found, problems, strict=True))


def test_a_full_list_of_documents_with_the_shortest_names_is_not_crowded() -> None:
    entries = [Entry(f"{number:x}", A.version, f"{number:x}") for number in range(3000)]
    compact = json.dumps(json.loads(encode_manifest(make_manifest(entries, ""))), separators=(",", ":")).encode()
    assert not is_crowded(compact)
    odd = make_manifest([entry._replace(id=f",[{{,{entry.id}") for entry in entries], "")
    assert check_index(encode_index(odd.entries), odd) == []


@pytest.mark.parametrize("text", ["", "sha256:", "sha256:" + "a" * 63, "sha256:" + "A" * 64, "sha512:" + "a" * 64])
def test_a_version_is_sixty_four_small_hex_digits(text: str) -> None:
    assert (is_version(text), is_version(A.version)) == (False, True)


@pytest.mark.parametrize("file", ["", "/a", "a//b", "./a", "a/.", "..", "a/../b", "a\\b", "a\0b"])
def test_a_file_that_may_lead_elsewhere_does_not_stay_inside(file: str) -> None:
    assert (stays_inside(file), stays_inside("documents/..a.json")) == (False, True)


@given(st.lists(st.tuples(st.text(max_size=9), st.text(max_size=5)), max_size=4, unique_by=lambda named: named[0]))
def test_a_manifest_is_written_as_any_other_json(named: list[tuple[str, str]]) -> None:
    entries = [Entry(name, f"sha256:{file}", f"documents/{file}.json") for name, file in named]
    manifest = make_manifest(entries, "2026-01-02T03:04:05Z", "sha256:0")
    fields = {
        "cache_version": manifest.cache_version,
        "build_config": {"version": "1", "hash_algorithm": "sha256", "origins": "sha256:0"},
        "created_at": manifest.created_at,
        "document_count": len(entries),
        "documents": [entry._asdict() for entry in manifest.entries],
    }
    assert encode_manifest(manifest) == encode_pretty(fields).encode()
