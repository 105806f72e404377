"""Laws that hold for every cache."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast import CacheInvalid, build_cache, resolve, verify_cache
from holdfast.caches.cache_format import Entry, make_document, make_manifest, parse_manifest, tagged_digest
from holdfast.caches.listing_text import encode_manifest
from holdfast.caches.selection import as_json, select
from holdfast.core.canonical_json import encode
from support.examples import examples

NAMES = st.text(st.sampled_from("abcxyz-é"), min_size=1, max_size=6)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
CORPORA = st.dictionaries(NAMES, TEXTS, min_size=1, max_size=6)
TIME = "2026-01-02T03:04:05Z"


class Scratch:
    """A folder that lasts for one example."""

    def __enter__(self) -> Path:
        self.path = Path(tempfile.mkdtemp())
        return self.path

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.path)


def write(folder: Path, corpus: dict[str, str]) -> None:
    folder.mkdir()
    for name, text in corpus.items():
        (folder / f"{name}.md").write_bytes(text.encode())


def snapshot(cache: Path) -> dict[str, bytes]:
    return {str(file.relative_to(cache)): file.read_bytes() for file in sorted(cache.rglob("*")) if file.is_file()}


@settings(max_examples=examples(60), deadline=None)
@given(CORPORA)
def test_building_twice_gives_the_same_bytes_and_they_verify(corpus: dict[str, str]) -> None:
    """Quotes the promise: build twice = same cache version."""
    with Scratch() as scratch:
        write(scratch / "one", corpus)
        write(scratch / "two", dict(reversed(corpus.items())))
        build_cache(scratch / "one", scratch / "first", created_at=TIME)
        build_cache(scratch / "two", scratch / "second", created_at=TIME)
        assert snapshot(scratch / "first") == snapshot(scratch / "second")
        assert verify_cache(scratch / "first").problems == []


@settings(max_examples=examples(150), deadline=None)
@given(CORPORA, st.data())
def test_flipping_one_stored_byte_never_changes_an_answer_unnoticed(
    corpus: dict[str, str], data: st.DataObject
) -> None:
    """Quotes the law: flipping one stored byte -> `cache_invalid`; or the byte was one that no answer depends on."""
    with Scratch() as scratch:
        write(scratch / "sources", corpus)
        cache = scratch / "cache"
        build_cache(scratch / "sources", cache, created_at=TIME)
        before = encode(as_json(resolve(cache, "a b", 1000)))
        files = [file for file in sorted(cache.rglob("*")) if file.is_file()]
        file = data.draw(st.sampled_from(files))
        content = bytearray(file.read_bytes())
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] ^= 1 << data.draw(st.integers(0, 7))
        file.write_bytes(bytes(content))
        try:
            after = encode(as_json(resolve(cache, "a b", 1000)))
        except CacheInvalid:
            after = "invalid"
        assert after in (before, "invalid")
        assert after == before or verify_cache(cache).problems != []


@given(st.dictionaries(TEXTS.filter(bool), st.binary(), max_size=5))
def test_a_manifest_reads_back_as_it_was_written(corpus: dict[str, bytes]) -> None:
    entries = [
        Entry(name, tagged_digest(content), f"documents/{n}.json") for n, (name, content) in enumerate(corpus.items())
    ]
    manifest = make_manifest(entries, TIME)
    assert parse_manifest(encode_manifest(manifest)) == manifest


@given(CORPORA, TEXTS, st.integers(0, 40), st.integers(0, 40))
def test_a_larger_budget_never_uses_fewer_tokens(corpus: dict[str, str], query: str, small: int, more: int) -> None:
    """The first document that only the larger budget takes already outweighs all that the smaller one holds."""
    documents = [make_document(f"{name}.md", text.encode()) for name, text in corpus.items()]
    assert select(query, small, documents).tokens_used <= select(query, small + more, documents).tokens_used


def test_no_file_is_left_open(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "a.md").write_bytes(b"a")
    build_cache(tmp_path / "sources", tmp_path / "cache")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        resolve(tmp_path / "cache", "a", 10)
        verify_cache(tmp_path / "cache")
    assert len(os.listdir("/proc/self/fd")) == before
