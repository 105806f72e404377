"""Descriptors of a cache: none is left open, and none is closed twice."""

from __future__ import annotations

import os
from errno import EIO, EMFILE
from typing import TYPE_CHECKING

import pytest

from holdfast import IoError, inspect_cache, resolve
from holdfast.caches.on_disk.cache_directory import CacheDirectory
from holdfast.core.regular_files import read_regular

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_a_directory_whose_close_fails_is_not_closed_again(
    make_cache: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = CacheDirectory(str(make_cache({"a.md": "one"})))
    directory.read("manifest.json")
    directory.names("documents")
    really_close = os.close
    closed = []

    def close(descriptor: int) -> None:
        closed.append(descriptor)
        really_close(descriptor)
        raise OSError(EIO, "Input/output error")

    monkeypatch.setattr(os, "close", close)
    directory.close()
    directory.close()
    monkeypatch.undo()
    assert len(closed) == len(set(closed)) == 2


def test_too_many_open_files_is_an_io_error_and_not_a_missing_or_invalid_cache(
    make_cache: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = make_cache({"a.md": "one"})

    def refuse(*_: object, **__: object) -> int:
        raise OSError(EMFILE, "Too many open files")

    monkeypatch.setattr(os, "open", refuse)
    for ask in (lambda: inspect_cache(cache), lambda: resolve(cache, "one", 10)):
        with pytest.raises(IoError):
            ask()


def test_a_file_that_cannot_be_looked_at_once_opened_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"one")
    before = len(os.listdir("/proc/self/fd"))

    def refuse(_: int) -> os.stat_result:
        raise OSError(EIO, "Input/output error")

    monkeypatch.setattr(os, "fstat", refuse)
    with pytest.raises(OSError, match="Input/output error"):
        read_regular(str(tmp_path / "a"))
    monkeypatch.undo()
    assert len(os.listdir("/proc/self/fd")) == before
