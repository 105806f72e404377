"""`build --force` replaces a cache, and costs nobody a file that is not one."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from holdfast import build_cache, verify_cache
from holdfast.core.errors import IoError, UsageError
from support.doors import run_context

WEB_MANIFEST = json.dumps({"name": "App", "icons": [], "start_url": "."}).encode()


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def write(folder: Path, contents: dict[str, bytes]) -> Path:
    for name, data in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def test_sources_below_the_target_are_refused_and_left_as_they_are(tmp_path: Path) -> None:
    mine = {"documents/diary.md": b"# precious\n", "documents/photo.jpg": b"x\n"}
    notes = write(tmp_path / "notes", mine)
    done = run_context("build", "--sources", "notes/documents", "--cache", "notes", "--force", cwd=tmp_path)
    assert (done.returncode, done.stdout, files(notes)) == (1, b"", mine)
    assert b"lies inside --cache" in done.stderr


@pytest.mark.parametrize("names", [("way-in/documents", "notes"), ("notes/documents", "way-in"), ("way-in", "notes")])
def test_links_on_the_way_do_not_hide_that_sources_and_target_overlap(names: tuple[str, str], tmp_path: Path) -> None:
    notes = write(tmp_path / "notes", {"documents/diary.md": b"mine"})
    (tmp_path / "way-in").symlink_to("notes")
    with pytest.raises(UsageError, match="lies inside"):
        build_cache(tmp_path / names[0], tmp_path / names[1], force=True)
    with pytest.raises(UsageError, match="lies inside --sources"):
        build_cache(tmp_path / "notes", tmp_path / "way-in" / "cache", force=True)
    assert files(notes) == {"documents/diary.md": b"mine"}


FOREIGN = {
    "a folder with documents and an index of its own": {"documents/diary.md": b"mine", "index/a.txt": b"mine"},
    "a web app": {"manifest.json": WEB_MANIFEST},
    "a web app with documents": {"manifest.json": WEB_MANIFEST, "documents/a.json": b"{}", "index.json": b"{}"},
    "a folder with notes": {"notes.txt": b"mine"},
    "a folder with an index.json alone": {"index.json": b"{}"},
    "a manifest cut short": {"manifest.json": b'{"cache_version":'},
}


@pytest.mark.parametrize("contents", FOREIGN.values(), ids=FOREIGN)
def test_what_is_no_cache_by_its_manifest_is_refused_and_left_as_it_is(
    contents: dict[str, bytes], tmp_path: Path
) -> None:
    write(tmp_path / "sources", {"a.md": b"one"})
    target = write(tmp_path / "target", contents)
    with pytest.raises(IoError, match="left alone"):
        build_cache(tmp_path / "sources", target, force=True)
    assert (files(target), sorted(os.listdir(tmp_path))) == (contents, ["sources", "target"])


@pytest.mark.parametrize("name", ["documents/mine.json", "documents/deep/mine.json", "index/mine.idx", "mine.txt"])
def test_a_cache_that_holds_anything_else_is_refused_and_left_as_it_is(name: str, tmp_path: Path) -> None:
    write(tmp_path / "sources", {"a.md": b"one"})
    build_cache(tmp_path / "sources", tmp_path / "cache")
    write(tmp_path / "cache", {name: b"mine"})
    before = files(tmp_path / "cache")
    with pytest.raises(IoError, match=r"holds '(documents|index|mine).*', which is no part of a cache"):
        build_cache(tmp_path / "sources", tmp_path / "cache", force=True)
    assert files(tmp_path / "cache") == before


def test_a_document_that_is_a_link_is_no_part_of_a_cache(tmp_path: Path) -> None:
    write(tmp_path / "sources", {"a.md": b"one"})
    build_cache(tmp_path / "sources", tmp_path / "cache")
    (document,) = (tmp_path / "cache" / "documents").iterdir()
    document.rename(tmp_path / "elsewhere")
    document.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(IoError, match="no part of a cache"):
        build_cache(tmp_path / "sources", tmp_path / "cache", force=True)
    assert document.is_symlink()


def test_an_empty_directory_and_a_cache_that_lacks_files_may_be_replaced(tmp_path: Path) -> None:
    write(tmp_path / "sources", {"a.md": b"one"})
    cache = tmp_path / "cache"
    cache.mkdir()
    build_cache(tmp_path / "sources", cache, force=True)
    next((cache / "documents").iterdir()).unlink()
    (cache / "index.json").unlink()
    build_cache(tmp_path / "sources", cache, force=True)
    assert (verify_cache(cache).problems, sorted(os.listdir(tmp_path))) == ([], ["cache", "sources"])


@pytest.mark.parametrize("name", ["notes.txt", "documents/notes.txt", "index/notes.txt"])
def test_a_file_put_into_the_target_during_the_build_is_kept_and_told(name: str, tmp_path: Path) -> None:
    write(tmp_path / "sources", {"a.md": b"one"})
    cache = tmp_path / "cache"
    build_cache(tmp_path / "sources", cache)
    write(tmp_path / "sources", {"a.md": b"two"})

    def progress(_phase: str, done: int, _total: int) -> None:
        if not done:
            write(cache, {name: b"mine"})

    from holdfast.caches.build.build import build_cache as build
    from holdfast.caches.build.build_order import BuildOrder

    told: list[str] = []
    time = "2026-01-02T03:04:05Z"
    build(tmp_path / "sources", cache, BuildOrder(time, force=True, progress=progress, note=told.append))
    kept = tmp_path / "cache.replaced"
    assert (verify_cache(cache).problems, (kept / name).read_bytes()) == ([], b"mine")
    assert told == [f"'{cache}' held more than a cache when it was replaced: kept as '{kept}'"]
    assert sorted(os.listdir(tmp_path)) == ["cache", "cache.replaced", "sources"]


def test_whatever_comes_to_stand_at_the_target_during_the_build_is_kept(tmp_path: Path) -> None:
    write(tmp_path / "sources", {"a.md": b"one"})

    def progress(done: int, _total: int) -> None:
        if not done:
            (tmp_path / "cache").write_bytes(b"mine")

    build_cache(tmp_path / "sources", tmp_path / "cache", force=True, progress=progress)
    assert verify_cache(tmp_path / "cache").problems == []
    assert (tmp_path / "cache.replaced").read_bytes() == b"mine"


def test_a_target_that_cannot_be_read_is_an_io_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "sources", {"a.md": b"one"})
    build_cache(tmp_path / "sources", tmp_path / "cache")

    def refuse(path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(IoError, match="cannot be read: Permission denied"):
        build_cache(tmp_path / "sources", tmp_path / "cache", force=True)
