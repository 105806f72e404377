"""Origins: what a document's metadata say of the source it was made of, and what a cache says of all of them."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest

from holdfast import CacheInvalid, build_cache, verify_cache
from holdfast.caches.build import document_files
from holdfast.caches.cache_format import (
    Document,
    Entry,
    Origin,
    cache_version,
    check_manifest,
    encode_document,
    make_document,
    make_manifest,
    parse_document,
    parse_manifest,
    tagged_digest,
)
from holdfast.caches.line_map import LineRun, make_line_map
from holdfast.caches.listing_text import encode_manifest
from holdfast.caches.origin_metadata import origin_digest, origins_digest

if TYPE_CHECKING:
    from pathlib import Path

GUIDE = Origin("rst-1", "The guide", make_line_map([3, 4, 5, 5, 9]))
PLAIN = Origin("markdown-1", "", ())


def stored(metadata: object) -> bytes:
    """A document file with the text "x" and these metadata."""
    fields = {"id": "a.md", "version": tagged_digest(b"x"), "source": "a.md", "content": "x", "metadata": metadata}
    return json.dumps(fields).encode()


def read(data: bytes) -> Document:
    return parse_document(data, expected_id="a.md", expected_version=tagged_digest(b"x"))


@pytest.mark.parametrize(
    ("origin", "metadata"),
    [
        (None, "{}"),
        (PLAIN, '{"format":"markdown-1"}'),
        (GUIDE, '{"format":"rst-1","title":"The guide","lines":[[1,3,1],[4,5,1],[5,9,1]]}'),
    ],
)
def test_a_document_is_read_back_with_the_origin_it_was_written_with(origin: Origin | None, metadata: str) -> None:
    document = make_document("Guide.rst", b"text", origin)
    data = encode_document(document)
    assert data.decode().endswith(f'"content":"text","metadata":{metadata}}}')
    assert parse_document(data, expected_id="guide.rst", expected_version=document.version) == document
    assert origin_digest(origin) == sha256(metadata.encode()).hexdigest()


@pytest.mark.parametrize(
    "metadata",
    [None, [], "x", {}, {"author": "a"}, {"format": 1}, {"format": "markdown"}, {"format": "MD-1"}, {"format": "a-b"}],
)
def test_metadata_that_name_no_reader_are_no_origin_and_no_error(metadata: object) -> None:
    assert read(stored(metadata)).origin is None


@pytest.mark.parametrize(
    "lines",
    [
        7,
        {},
        [1],
        [[1, 1]],
        [[1, 1, 1, 1]],
        [[1, 1, 2]],
        [[1, 1, True]],
        [[1, 1.0, 1]],
        [[0, 1, 1]],
        [[2, 1, 1]],
        [[1, 0, 1]],
        [[1, 1, 1], [1, 2, 0]],
        [[1, 1 << 31, 1]],
    ],
)
def test_a_map_that_is_none_is_refused(lines: Any) -> None:
    with pytest.raises(CacheInvalid, match="map of lines"):
        read(stored({"format": "rst-1", "lines": lines}))


@pytest.mark.parametrize("title", [7, "\ud800"])
def test_a_title_that_is_no_text_is_refused(title: object) -> None:
    with pytest.raises(CacheInvalid, match="title"):
        read(stored({"format": "rst-1", "title": title}))


def test_the_version_of_a_cache_covers_the_origins_of_its_documents() -> None:
    entries = [Entry(name, "sha256:" + "a" * 64, f"documents/{name}.json") for name in ("a", "b")]
    digests = [("a", origin_digest(GUIDE)), ("b", origin_digest(None))]
    origins = origins_digest(digests)
    assert origins == tagged_digest(f"a:{digests[0][1]}b:{digests[1][1]}".encode())
    manifest = make_manifest(entries, "now", origins)
    config = f'{{"version":"1","hash_algorithm":"sha256","origins":"{origins}"}}'
    hashed = config + "".join([f"{entry.id}:{entry.version}" for entry in entries])
    assert manifest.cache_version == cache_version(entries, origins) == tagged_digest(hashed.encode())
    assert parse_manifest(encode_manifest(manifest)) == manifest
    assert check_manifest(manifest) == []
    assert check_manifest(manifest._replace(origins="")) == ["cache_version does not match the documents listed"]
    assert check_manifest(manifest._replace(origins="x")) == ["build_config.origins is no sha256"]


def test_documents_without_origins_make_no_digest() -> None:
    assert origins_digest([("a", origin_digest(None)), ("b", origin_digest(None))]) == ""
    assert origins_digest([]) == ""


def test_a_build_tells_the_origins_and_verification_recomputes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources, cache = tmp_path / "sources", tmp_path / "cache"
    sources.mkdir()
    for name in ("a.md", "b.md"):
        (sources / name).write_text(f"# {name}\n\ntext\n")
    origins = {"a.md": Origin("markdown-1", "A", (LineRun(1, 5, 1),)), "b.md": None}
    monkeypatch.setattr(
        document_files, "make_document", lambda source, content: make_document(source, content, origins[source])
    )
    build_cache(sources, cache)
    assert verify_cache(cache).problems == []
    manifest = parse_manifest((cache / "manifest.json").read_bytes())
    assert manifest.origins == origins_digest([(name, origin_digest(origin)) for name, origin in origins.items()])

    file = cache / manifest.entries[0].file
    file.write_bytes(file.read_bytes().replace(b"[[1,5,1]]", b"[[1,6,1]]"))
    problems = {(problem.file, problem.problem) for problem in verify_cache(cache).problems}
    assert ("manifest.json", "build_config.origins does not match the metadata of the documents") in problems
