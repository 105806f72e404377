"""Whatever bytes a parser is given, it returns a value or raises the error it declares; nothing else ever escapes."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.caches.cache_format import (
    Document,
    Entry,
    Manifest,
    check_index,
    check_manifest,
    encode_document,
    make_document,
    make_manifest,
    parse_document,
    parse_manifest,
)
from holdfast.caches.listing_text import encode_index, encode_manifest
from holdfast.core.canonical_json import JsonError, decode, encode
from holdfast.core.errors import CacheInvalid, SpecFailure
from holdfast.offers import match, unquote
from holdfast.specs.discipline import discipline_of
from holdfast.specs.tasks import as_json, parse
from support.examples import examples
from support.mutants import ODD_VALUES, edited, with_wrong_members

DOCUMENTS = [make_document(name, text.encode()) for name, text in {"A.md": "alpha", "ü/b.md": "größe 😀\n"}.items()]
ENTRIES = [Entry(document.id, document.version, f"documents/{n}.json") for n, document in enumerate(DOCUMENTS)]
MANIFEST = make_manifest(ENTRIES, "2026-01-02T03:04:05Z")
MANIFEST_BYTES, INDEX_BYTES, DOCUMENT_BYTES = (
    encode_manifest(MANIFEST),
    encode_index(ENTRIES),
    encode_document(DOCUMENTS[1]),
)

EXAMPLES = settings(max_examples=examples(200), deadline=None)


def mutants_of(valid: bytes) -> st.SearchStrategy[bytes]:
    return st.one_of(edited(valid), with_wrong_members(json.loads(valid)), st.binary(max_size=60))


class TestJson:
    @EXAMPLES
    @given(
        st.one_of(mutants_of(MANIFEST_BYTES), mutants_of(DOCUMENT_BYTES), ODD_VALUES.map(json.dumps).map(str.encode))
    )
    @example(b"[" * 100_000)
    @example(b'{"a":' * 100_000)
    @example(b"\xef\xbb\xbf{}")
    @example(b"[1,]")
    @example(b'"\x01"')
    @example(b"-" + b"9" * 5000)
    def test_decoding_agrees_with_the_standard_library_or_is_refused_by_both(self, data: bytes) -> None:
        assert _decoded(data) == _decoded_by_the_library(data)

    @EXAMPLES
    @given(ODD_VALUES)
    def test_what_was_encoded_decodes_to_the_same(self, value: Any) -> None:
        assert decode(encode(value)) == value


def _decoded(data: bytes) -> Any:
    try:
        return "value", decode(data)
    except JsonError:
        return "refused"


def _decoded_by_the_library(data: bytes) -> Any:
    def refuse(_name: str) -> None:
        raise ValueError

    def number(digits: str) -> int | float:
        return int(digits) if len(digits) < 400 else float(digits)

    try:
        return "value", json.loads(data.decode(), parse_constant=refuse, parse_int=number)
    except (ValueError, RecursionError):
        return "refused"


class TestManifests:
    @EXAMPLES
    @given(mutants_of(MANIFEST_BYTES))
    def test_a_manifest_is_read_or_is_cache_invalid(self, data: bytes) -> None:
        try:
            manifest = parse_manifest(data)
        except CacheInvalid:
            return
        assert parse_manifest(encode_manifest(manifest)) == manifest
        if not check_manifest(manifest):
            assert _listing(manifest) == _listing(MANIFEST)  # a few edits cannot forge a sha256

    @EXAMPLES
    @given(mutants_of(INDEX_BYTES))
    def test_an_index_file_is_equal_to_the_manifest_or_its_problems_are_named(self, data: bytes) -> None:
        problems = check_index(data, MANIFEST)
        assert (problems == []) == (_decoded(data) == ("value", json.loads(INDEX_BYTES)))


def _listing(manifest: Manifest) -> list[tuple[str, str]]:
    return [(entry.id, entry.version) for entry in manifest.entries]


class TestDocuments:
    @EXAMPLES
    @given(mutants_of(DOCUMENT_BYTES))
    def test_a_document_is_the_one_that_was_meant_or_is_cache_invalid(self, data: bytes) -> None:
        meant = DOCUMENTS[1]
        try:
            document = parse_document(data, expected_id=meant.id, expected_version=meant.version)
        except CacheInvalid:
            return
        assert document == Document(meant.id, meant.version, document.source, meant.content, document.origin)


class TestSpecs:
    @EXAMPLES
    @given(
        st.one_of(
            st.text(),
            edited(b"- [x] 1. a\n  - File: b\n```\n- [ ] 2 c\n").map(lambda data: data.decode(errors="replace")),
        )
    )
    def test_any_text_is_a_task_list_that_can_be_written_as_json(self, text: str) -> None:
        listed = parse(text)
        written = encode([as_json(task) for task in listed.tasks])
        assert encode(decode(written)) == written
        assert listed.progress.completed + listed.progress.pending <= listed.progress.total

    @EXAMPLES
    @given(st.one_of(st.none(), mutants_of(b'{"discipline": "full"}')))
    @example(b'{"discipline":' + b"[" * 700 + b"]" * 700 + b"}")
    def test_settings_give_a_discipline_or_a_failure(self, data: bytes | None) -> None:
        try:
            assert discipline_of(data)
        except SpecFailure:
            pass

    @EXAMPLES
    @given(st.text(), st.sampled_from(["context://steering/{doc}", "context://spec/{name}/{phase}"]))
    @example("context://steering/%", "context://steering/{doc}")
    @example("context://steering/%ff", "context://steering/{doc}")
    @example("context://steering/\ud800", "context://steering/{doc}")
    def test_any_address_matches_or_does_not(self, uri: str, template: str) -> None:
        variables = match(template, uri)
        assert variables is None or all(variables.values())
        assert unquote(uri) is None or isinstance(unquote(uri), str)
