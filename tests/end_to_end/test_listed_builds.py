"""A build from a list of sources: each by its reader, what cannot be read passed over, what is unchanged taken over."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import pytest

from holdfast import open_cache, verify_cache
from holdfast.caches.build.build import DocumentsReport, build_documents
from holdfast.caches.build.build_order import BuildOrder
from holdfast.caches.build.source_item import SourceItem
from holdfast.caches.cache_format import Origin
from holdfast.caches.line_map import LineRun
from holdfast.caches.readers import reader_table
from holdfast.core.errors import BuildFailed, IoError
from support.plain_reader import READER

NOW = "2026-01-02T03:04:05Z"


@pytest.fixture(autouse=True)
def plain_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """The only reader there is."""
    monkeypatch.setattr(reader_table, "READERS", (READER,))


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    (docs / "deep").mkdir(parents=True)
    (docs / "Guide.plain").write_text("# Guide\n\ninclude part.txt\n\nthe end\n")
    (docs / "part.txt").write_text("one\ntwo")
    (docs / "deep" / "b.plain").write_text("titled, with red words\n")
    (docs / "a.plain").write_text("# A\n\nred\u2003blue\x1cgreen words\n")
    return docs


def items(docs: Path) -> list[SourceItem]:
    found = sorted(docs.rglob("*.plain"), reverse=True)
    return [SourceItem(str(p.relative_to(docs)), str(p), READER.name, str(docs), str(docs)) for p in found]


def build(docs: Path, cache: Path, **more: object) -> DocumentsReport:
    known = {name: more.pop(name) for name in ("previous", "unchanged", "flushed") if name in more}
    order = BuildOrder(NOW, workers=1, **more)  # type: ignore[arg-type]  # as given
    return build_documents(items(docs), cache, order, **known)  # type: ignore[arg-type]  # as given


def contents(cache: Path) -> dict[str, bytes]:
    return {str(file.relative_to(cache)): file.read_bytes() for file in sorted(cache.rglob("*")) if file.is_file()}


def test_each_source_becomes_what_its_reader_makes_of_it(docs: Path, tmp_path: Path) -> None:
    phases: list[tuple[str, int, int]] = []
    report = build(docs, tmp_path / "cache", progress=lambda *told: phases.append(told))
    assert (report.document_count, report.skipped, report.reused) == (3, [], 0)
    assert report.included == {"Guide.plain": {"part.txt": sha256(b"one\ntwo").hexdigest()}}
    assert verify_cache(tmp_path / "cache").problems == []
    with open_cache(tmp_path / "cache") as cache:
        documents = {document.id: document for document in cache.documents()}
    assert list(documents) == ["a.plain", "deep/b.plain", "guide.plain"]
    assert documents["guide.plain"].content == "# Guide\n\none\ntwo\n\nthe end\n"
    assert documents["guide.plain"].origin == Origin(READER.name, "", (LineRun(1, 1, 1), LineRun(4, 3, 1)))
    assert documents["deep/b.plain"].origin == Origin(READER.name, "DEEP/B.PLAIN", ())
    assert list(dict.fromkeys([phase for phase, _, _ in phases])) == ["reading", "indexing", "writing"]
    assert ("reading", 3, 3) in phases
    assert phases[-1] == ("writing", 1, 1)


def test_what_cannot_be_read_is_passed_over_and_told_and_leaves_no_trace(docs: Path, tmp_path: Path) -> None:
    build(docs, tmp_path / "expected")
    (docs / "Aa.plain").write_text("refuse")
    (docs / "deep" / "c.plain").write_bytes(b"\xe9")
    (docs / "z.plain").symlink_to("a.plain")
    (docs / "x.plain").mkdir()
    listed = [*items(docs), SourceItem("gone.plain", str(docs / "gone.plain"), READER.name, str(docs), str(docs))]
    listed.append(SourceItem("q.other", str(docs / "a.plain"), "other-1", str(docs), str(docs)))
    report = build_documents(listed, tmp_path / "cache", BuildOrder(NOW, workers=1))
    assert report.skipped == [
        ("Aa.plain", READER.name, "refuses to be read"),
        ("deep/c.plain", READER.name, "is not UTF-8 (byte 0)"),
        ("gone.plain", READER.name, "cannot be read: No such file or directory"),
        ("q.other", "other-1", "is to be read as 'other-1', which this release does not know"),
        ("x.plain", READER.name, "is not a regular file"),
        ("z.plain", READER.name, "is not a regular file"),
    ]
    assert contents(tmp_path / "cache") == contents(tmp_path / "expected")
    with pytest.raises(BuildFailed, match=r"'Aa.plain' refuses to be read"):
        build(docs, tmp_path / "strict", strict=True)
    assert sorted(os.listdir(tmp_path)) == ["cache", "docs", "expected"]


def test_having_no_document_is_an_error_and_the_old_cache_stays(docs: Path, tmp_path: Path) -> None:
    build(docs, tmp_path / "cache")
    before = contents(tmp_path / "cache")
    for listed in ([], [SourceItem("gone.plain", str(docs / "gone.plain"), READER.name, str(docs), str(docs))]):
        with pytest.raises(BuildFailed, match="there is no document"):
            build_documents(listed, tmp_path / "cache", BuildOrder(NOW, force=True))
    with pytest.raises(IoError, match="already exists"):
        build(docs, tmp_path / "cache")
    assert contents(tmp_path / "cache") == before


def test_two_sources_of_one_id_are_refused_by_name(docs: Path, tmp_path: Path) -> None:
    twice = [*items(docs), SourceItem("guide.PLAIN", str(docs / "a.plain"), READER.name, str(docs), str(docs))]
    with pytest.raises(BuildFailed, match=r"'Guide.plain' and 'guide.PLAIN' have the same id"):
        build_documents(twice, tmp_path / "cache", BuildOrder(NOW))


def test_what_is_unchanged_is_taken_from_the_previous_cache_and_the_bytes_are_the_same(
    docs: Path, tmp_path: Path
) -> None:
    build(docs, tmp_path / "cache")
    (docs / "a.plain").write_text("# A\n\nother words\n")
    (docs / "deep" / "b.plain").unlink()
    (docs / "new.plain").write_text("# New\n\nred\n")
    build(docs, tmp_path / "expected")
    report = build(
        docs, tmp_path / "cache", force=True, previous=str(tmp_path / "cache"), unchanged={"Guide.plain", "new.plain"}
    )
    assert (report.reused, report.included) == (1, {})
    assert contents(tmp_path / "cache") == contents(tmp_path / "expected")


@pytest.mark.parametrize("damage", ["documents", "reader", "manifest", "gone", "list", "segment"])
def test_a_previous_cache_that_is_not_what_it_should_be_is_not_used(docs: Path, tmp_path: Path, damage: str) -> None:
    build(docs, tmp_path / "expected")
    build(docs, tmp_path / "old")
    old = tmp_path / "old"
    if damage in ("documents", "reader"):
        # Without an index every document is read and proven.
        before, after = (b"word", b"work") if damage == "documents" else (b"plaintest-1", b"plaintest-0")
        for file in (old / "documents").iterdir():
            file.write_bytes(file.read_bytes().replace(before, after))
        (old / "index" / "segments.idx").unlink()
    elif damage == "manifest":
        (old / "manifest.json").write_text("{")
    elif damage in ("list", "segment"):
        (file,) = (old / "index").glob("segments.idx" if damage == "list" else "*.seg")
        index = bytearray(file.read_bytes())
        index[len(index) // 2] ^= 1
        file.write_bytes(index)
    previous = str(tmp_path / ("none" if damage == "gone" else "old"))
    (docs / "a.plain").write_text("# A\n\nred\u2003blue\x1cgreen words, edited\n")
    build(docs, tmp_path / "expected", force=True)
    unchanged = {item.source for item in items(docs)} - {"a.plain"}
    report = build(docs, tmp_path / "cache", previous=previous, unchanged=unchanged)
    assert report.reused == {"documents": 1, "list": 2, "segment": 2}.get(damage, 0)
    assert contents(tmp_path / "cache") == contents(tmp_path / "expected")


def test_after_an_edit_no_other_document_is_read(docs: Path, tmp_path: Path) -> None:
    build(docs, tmp_path / "cache")
    (docs / "a.plain").write_text("# A\n\nred\u2003blue\x1cgreen words, and edited newly\n")
    build(docs, tmp_path / "expected")
    phases: list[tuple[str, int, int]] = []
    report = build(
        docs,
        tmp_path / "cache",
        force=True,
        previous=str(tmp_path / "cache"),
        unchanged={"Guide.plain", "deep/b.plain"},
        progress=lambda *told: phases.append(told),
    )
    assert (report.reused, phases[0]) == (2, ("reading", 0, 1))
    assert report.total_bytes == sum(len(each.content.encode()) for each in open_cache(tmp_path / "cache").documents())
    assert contents(tmp_path / "cache") == contents(tmp_path / "expected")
    assert sorted(os.listdir(tmp_path)) == ["cache", "docs", "expected"]


@pytest.mark.parametrize("flushed", [True, False])
def test_documents_of_a_durable_cache_are_not_flushed_again(
    flushed: bool, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    build(docs, cache)
    (docs / "a.plain").write_text("# A\n\nanother text\n")
    before, seen = contents(cache), set[int]()
    fsync = os.fsync

    def noted(descriptor: int) -> None:
        seen.add(os.fstat(descriptor).st_ino)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    unchanged = {"Guide.plain", "deep/b.plain"}
    report = build(docs, cache, force=True, previous=str(cache), unchanged=unchanged, flushed=flushed)
    assert report.reused == 2
    files = {str(path.relative_to(cache)): path.stat().st_ino for path in cache.rglob("*")}
    left_out = {name for name, number in files.items() if number not in seen}
    linked = {name for name in files if name in before and name.startswith("documents/")}
    assert left_out == (linked if flushed else set())
    assert len(linked) == 2
