"""All or nothing on disk."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from holdfast.core import atomic_write
from holdfast.core.atomic_write import StagedDirectory, is_staging_name, write_file


def test_a_file_is_replaced_whole_and_keeps_its_permissions(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"old")
    file.chmod(0o640)
    write_file(str(file), b"new")
    assert (file.read_bytes(), file.stat().st_mode & 0o777, os.listdir(tmp_path)) == (b"new", 0o640, ["a"])


def test_a_write_that_comes_up_short_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    really_write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: really_write(descriptor, bytes(data[:3])))
    write_file(str(tmp_path / "a"), b"0123456789")
    assert (tmp_path / "a").read_bytes() == b"0123456789"


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"old")

    def fail(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", fail)
    with pytest.raises(OSError, match="No space"):
        write_file(str(tmp_path / "a"), b"new")
    assert ((tmp_path / "a").read_bytes(), os.listdir(tmp_path)) == (b"old", ["a"])


def make(target: Path, text: bytes, *, replace: bool) -> None:
    with StagedDirectory(str(target)) as staged:
        (Path(staged.path) / "file").write_bytes(text)
        staged.publish(replace=replace)


def test_a_directory_appears_whole_and_only_once(tmp_path: Path) -> None:
    make(tmp_path / "d", b"1", replace=False)
    with pytest.raises(FileExistsError):
        make(tmp_path / "d", b"2", replace=False)
    assert ((tmp_path / "d" / "file").read_bytes(), os.listdir(tmp_path)) == (b"1", ["d"])


@pytest.mark.parametrize("exchange", [True, False], ids=["exchange", "two renames"])
def test_a_directory_is_replaced_in_place(tmp_path: Path, exchange: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not exchange:
        monkeypatch.setattr(atomic_write, "_special_rename", lambda *_, **__: False)
    make(tmp_path / "d", b"1", replace=False)
    make(tmp_path / "d", b"2", replace=True)
    assert ((tmp_path / "d" / "file").read_bytes(), os.listdir(tmp_path)) == (b"2", ["d"])


def test_an_empty_directory_is_not_overwritten_by_a_rename(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    with pytest.raises(FileExistsError):
        make(tmp_path / "d", b"1", replace=False)
    assert os.listdir(tmp_path / "d") == []


def test_leaving_without_publishing_removes_everything_also_the_parents_made_for_it(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), StagedDirectory(str(tmp_path / "a" / "b" / "d")):
        raise KeyboardInterrupt
    assert os.listdir(tmp_path) == []


def test_the_next_writer_removes_what_a_dead_one_left_and_not_what_a_living_one_makes(tmp_path: Path) -> None:
    abandoned, alive = tmp_path / ".d.holdfast-dead", tmp_path / ".d.holdfast-alive"
    abandoned.mkdir()
    (abandoned / "file").write_bytes(b"half")
    alive.mkdir()
    lock = os.open(alive, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        make(tmp_path / "d", b"1", replace=False)
    finally:
        os.close(lock)
    assert sorted(os.listdir(tmp_path)) == [".d.holdfast-alive", "d"]


def test_staging_names_are_recognised() -> None:
    assert [is_staging_name(name) for name in (".d.holdfast-1", "d", ".holdfast", "d.holdfast-1")] == [
        True,
        False,
        False,
        False,
    ]
