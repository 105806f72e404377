"""What of an old cache may go: looked at twice, listed once, and never taken for what it is not."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast import build_cache
from holdfast.caches.build import publish
from holdfast.caches.build.publish import cache_contents, check_replaceable
from holdfast.core.errors import IoError
from holdfast.core.regular_files import read_regular


def made(home: Path, words: str) -> Path:
    (home / words).mkdir()
    for number in range(3):
        (home / words / f"{number}.md").write_text(f"{words} {number}", encoding="utf-8")
    build_cache(home / words, home / "cache", force=True)
    return home / "cache"


def age(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on the folder's stamps are seconds old."""
    later = folder.stat().st_mtime_ns + 10_000_000_000
    monkeypatch.setattr(publish, "time_ns", lambda: later)


def listings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    seen: list[str] = []
    real = os.scandir

    def noted(path: str) -> object:
        seen.append(os.path.basename(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", noted)
    return seen


def test_a_folder_of_documents_is_listed_once_while_its_stamps_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = made(tmp_path, "one")
    age(cache / "documents", monkeypatch)
    seen = listings(monkeypatch)
    contents = cache_contents(str(cache))
    os.rename(cache, tmp_path / "moved")
    assert cache_contents(str(tmp_path / "moved")) == contents
    assert seen.count("documents") == 1
    (tmp_path / "moved" / "documents" / "notes.txt").write_bytes(b"")
    assert cache_contents(str(tmp_path / "moved")) is None
    assert seen.count("documents") == 2


def test_a_folder_so_young_that_a_change_might_leave_no_trace_is_listed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = made(tmp_path, "one")
    started = (cache / "documents").stat().st_mtime_ns
    monkeypatch.setattr(publish, "time_ns", lambda: started)
    seen = listings(monkeypatch)
    for _ in range(2):
        assert cache_contents(str(cache))
    assert seen.count("documents") == 2


def replacing(home: Path, cache: Path) -> Callable[[str], list[str]]:
    """How a directory is listed whose cache another writer replaces right then, once."""
    real, left = os.listdir, [True]

    def listed(path: str) -> list[str]:
        names = real(path)
        if path == str(cache) and left:
            left.clear()
            os.rename(cache, home / "old")
            os.rename(home / "next", cache)
            names = ["documents", "index", "index.json", "manifest.json", "of another cache"]
        return names

    return listed


def test_a_cache_that_is_replaced_while_it_is_looked_at_is_looked_at_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.rename(made(tmp_path, "two"), tmp_path / "next")
    cache = made(tmp_path, "one")
    monkeypatch.setattr(os, "listdir", replacing(tmp_path, cache))
    check_replaceable(str(cache), force=True)
    assert (tmp_path / "old").is_dir()
    (cache / "strange").write_bytes(b"")
    with pytest.raises(IoError, match="holds 'strange', which is no part of a cache"):
        check_replaceable(str(cache), force=True)


def test_a_cache_that_the_system_will_not_show_is_not_taken_for_something_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = made(tmp_path, "one")
    assert cache_contents(str(tmp_path / "nothing")) == []
    assert cache_contents(str(cache / "manifest.json" / "nothing")) == []

    def refuse(*_: object, **__: object) -> os.stat_result:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "lstat", refuse)
    with pytest.raises(PermissionError):
        cache_contents(str(cache))


def removing(cache: Path, contents: list[str], asked: Callable[..., object]) -> Callable[..., object]:
    """A call of the system before which another writer removes what a cache holds."""

    def called(*given: object, **options: object) -> object:
        for name in contents:
            (cache / name).rmdir() if name.endswith("/") else (cache / name).unlink(missing_ok=True)
        contents.clear()
        return asked(*given, **options)

    return called


@pytest.mark.parametrize("call", ["listdir", "lstat", "scandir", "manifest"])
def test_a_cache_that_another_writer_removes_is_not_taken_for_something_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    cache = made(tmp_path, "one")
    contents = cache_contents(str(cache))
    assert contents
    publish._seen.clear()
    if call == "manifest":  # all else was listed by then
        monkeypatch.setattr(publish, "read_regular", removing(cache, contents, read_regular))
    else:
        monkeypatch.setattr(os, call, removing(cache, contents, getattr(os, call)))
    assert cache_contents(str(cache)) == []
    assert not os.listdir(cache)
