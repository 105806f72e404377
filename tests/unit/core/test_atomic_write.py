"""All or nothing on disk."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from holdfast.core import atomic_write, staging
from holdfast.core.atomic_write import StagedDirectory, write_file, write_files
from holdfast.core.staging import is_staging_name


def test_a_file_is_replaced_whole_and_keeps_its_permissions(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"old")
    file.chmod(0o640)
    write_file(str(file), b"new")
    assert (file.read_bytes(), file.stat().st_mode & 0o777, os.listdir(tmp_path)) == (b"new", 0o640, ["a"])


def test_a_link_is_replaced_and_the_permissions_of_what_it_leads_to_are_not_taken_over(tmp_path: Path) -> None:
    outside, file = tmp_path / "outside", tmp_path / "a"
    outside.write_bytes(b"old")
    outside.chmod(0o4777)
    file.symlink_to(outside)
    write_file(str(file), b"new")
    assert (file.is_symlink(), file.read_bytes(), outside.read_bytes()) == (False, b"new", b"old")
    assert file.stat().st_mode & 0o7022 == 0


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


def only_its_file(path: str) -> list[str] | None:
    return ["file"] if set(os.listdir(path)) <= {"file"} else None


def make(target: Path, text: bytes, *, replace: bool) -> list[str]:
    with StagedDirectory(str(target), only_its_file) as staged:
        (Path(staged.path) / "file").write_bytes(text)
        staged.publish(replace=replace)
    return staged.set_aside


def test_a_directory_appears_whole_and_only_once(tmp_path: Path) -> None:
    make(tmp_path / "d", b"1", replace=False)
    with pytest.raises(FileExistsError):
        make(tmp_path / "d", b"2", replace=False)
    assert ((tmp_path / "d" / "file").read_bytes(), os.listdir(tmp_path)) == (b"1", ["d"])


def test_a_directory_that_another_writer_takes_for_abandoned_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really_open, removed = os.open, list[str]()

    def opened(path: str, *rest: int, **options: int) -> int:
        if is_staging_name(os.path.basename(path)) and len(removed) < 2:
            os.rmdir(path)
            removed.append(path)
        return really_open(path, *rest, **options)

    monkeypatch.setattr(os, "open", opened)
    make(tmp_path / "d", b"1", replace=False)
    assert (len(removed), os.listdir(tmp_path)) == (2, ["d"])


@pytest.mark.parametrize("exchange", [True, False], ids=["exchange", "two renames"])
def test_a_directory_is_replaced_in_place(tmp_path: Path, exchange: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not exchange:
        monkeypatch.setattr(atomic_write, "special_rename", lambda *_, **__: False)
    make(tmp_path / "d", b"1", replace=False)
    make(tmp_path / "d", b"2", replace=True)
    assert ((tmp_path / "d" / "file").read_bytes(), os.listdir(tmp_path)) == (b"2", ["d"])


@pytest.mark.parametrize("exchange", [True, False], ids=["exchange", "two renames"])
def test_a_replaced_directory_that_holds_anything_else_is_kept_under_a_name_people_see(
    tmp_path: Path, exchange: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not exchange:
        monkeypatch.setattr(atomic_write, "special_rename", lambda *_, **__: False)
    for text in (b"1", b"2"):
        make(tmp_path / "d", text, replace=True)
        (tmp_path / "d" / "notes").write_bytes(b"of " + text)
    assert make(tmp_path / "d", b"3", replace=True) == [f"{tmp_path / 'd'}.replaced-2"]
    assert {path.relative_to(tmp_path).as_posix(): path.read_bytes() for path in tmp_path.glob("*/*")} == {
        "d/file": b"3",
        "d.replaced/file": b"1",
        "d.replaced/notes": b"of 1",
        "d.replaced-2/file": b"2",
        "d.replaced-2/notes": b"of 2",
    }


def test_what_is_put_into_a_replaced_directory_while_it_is_removed_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path / "d", b"1", replace=False)
    held = os.open(tmp_path / "d", os.O_RDONLY)
    really_unlink = os.unlink

    def unlink(path: str, *, dir_fd: int | None = None) -> None:
        really_unlink(path, dir_fd=dir_fd)
        if path == "file":
            os.close(os.open("late", os.O_WRONLY | os.O_CREAT, dir_fd=held))

    monkeypatch.setattr(os, "unlink", unlink)
    kept = make(tmp_path / "d", b"2", replace=True)
    monkeypatch.undo()
    os.close(held)
    assert ([os.listdir(path) for path in kept], os.listdir(tmp_path / "d")) == ([["late"]], ["file"])


def test_a_writer_that_was_killed_after_the_exchange_costs_nobody_a_file(tmp_path: Path) -> None:
    make(tmp_path / "d", b"2", replace=False)
    for name in ("dead", "beef"):
        (tmp_path / f".d.holdfast-{name}-old").mkdir()
        (tmp_path / f".d.holdfast-{name}-old" / "file").write_bytes(b"1")
    (tmp_path / ".d.holdfast-beef-old" / "notes").write_bytes(b"mine")
    kept = make(tmp_path / "d", b"3", replace=True)
    assert (kept, sorted(os.listdir(tmp_path))) == ([f"{tmp_path / 'd'}.replaced"], ["d", "d.replaced"])
    assert (tmp_path / "d.replaced" / "notes").read_bytes() == b"mine"


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


def test_the_next_write_removes_the_file_a_killed_writer_left_and_not_one_still_being_written(tmp_path: Path) -> None:
    abandoned, alive = tmp_path / ".a.holdfast-dead", tmp_path / ".a.holdfast-beef"
    abandoned.write_bytes(b"half")
    alive.write_bytes(b"half")
    (tmp_path / ".a.holdfast-notes").write_bytes(b"somebody's own")
    lock = os.open(alive, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        write_file(str(tmp_path / "a"), b"new")
    finally:
        os.close(lock)
    assert sorted(os.listdir(tmp_path)) == [".a.holdfast-beef", ".a.holdfast-notes", "a"]


def test_a_file_taken_for_abandoned_before_it_was_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really_lock = fcntl.flock
    made: list[str] = []

    def flock(descriptor: int, operation: int) -> None:
        if not made:
            made.extend(os.listdir(tmp_path))
            (tmp_path / made[0]).unlink()
        really_lock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", flock)
    write_file(str(tmp_path / "a"), b"new")
    assert (len(made), (tmp_path / "a").read_bytes(), os.listdir(tmp_path)) == (1, b"new", ["a"])


def test_a_lock_on_the_folder_above_does_not_hold_a_writer_up(tmp_path: Path) -> None:
    lock = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        make(tmp_path / "d", b"1", replace=False)
        write_file(str(tmp_path / "a"), b"new")
    finally:
        os.close(lock)
    assert sorted(os.listdir(tmp_path)) == ["a", "d"]


def test_a_disk_that_no_longer_answers_ends_a_write_instead_of_hanging_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    for name in ("mkdir", "stat", "lstat"):
        monkeypatch.setattr(os, name, fail)
    with pytest.raises(OSError, match="Input/output error"), StagedDirectory(str(tmp_path / "a" / "b")):
        pass
    monkeypatch.undo()
    assert os.listdir(tmp_path) == []


def test_parents_made_for_a_directory_that_could_not_be_made_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really_mkdir = os.mkdir

    def mkdir(path: str) -> None:
        if ".holdfast-" in path:
            raise OSError(28, "No space left on device")
        really_mkdir(path)

    monkeypatch.setattr(os, "mkdir", mkdir)
    with pytest.raises(OSError, match="No space"), StagedDirectory(str(tmp_path / "a" / "b" / "d")):
        pass
    assert os.listdir(tmp_path) == []


def test_killed_between_two_renames_the_old_directory_is_kept_until_a_new_one_stands(tmp_path: Path) -> None:
    aside = tmp_path / ".d.holdfast-dead-old"
    aside.mkdir()
    with pytest.raises(KeyboardInterrupt), StagedDirectory(str(tmp_path / "d")):
        raise KeyboardInterrupt
    assert os.listdir(tmp_path) == [".d.holdfast-dead-old"]
    make(tmp_path / "d", b"1", replace=False)
    assert os.listdir(tmp_path) == ["d"]


def test_many_files_are_written_with_few_descriptors_open_and_one_that_cannot_be_does_not_hold_up_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atomic_write, "_OPEN_AT_ONCE", 3)
    (tmp_path / ".2.holdfast-dead").write_bytes(b"half")
    (tmp_path / "5").mkdir()
    before = len(os.listdir("/proc/self/fd"))
    failures = write_files([(str(tmp_path / str(number)), str(number).encode()) for number in range(8)])
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    assert (
        [failure is not None for failure in failures],
        written,
        len(os.listdir("/proc/self/fd")) - before,
    ) == ([number == 5 for number in range(8)], {str(number): b"%d" % number for number in range(8) if number != 5}, 0)


def test_staging_names_are_recognised() -> None:
    assert [is_staging_name(name) for name in (".d.holdfast-1", "d", ".holdfast", "d.holdfast-1")] == [
        True,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize("moment", ["created", "locked"])
def test_an_interrupt_while_a_file_is_staged_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """Between the system's call and the name that is given to its result a signal may arrive as well."""
    place, name = (atomic_write, "_create") if moment == "created" else (staging, "_leads_to")
    real = getattr(place, name)

    def interrupted(*values: object) -> None:
        real(*values)
        raise KeyboardInterrupt

    monkeypatch.setattr(place, name, interrupted)
    for write in (lambda path: write_file(path, b"new"), lambda path: write_files([(path, b"new")])):
        with pytest.raises(KeyboardInterrupt):
            write(str(tmp_path / "a"))
    assert os.listdir(tmp_path) == []
