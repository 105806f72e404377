"""Whatever is at a name in a folder of Holdfast's own, nothing outside the folder is read, written or removed."""

from __future__ import annotations

import os
import stat
from errno import EIO
from typing import TYPE_CHECKING

import pytest

from holdfast.core.errors import UnsafePath
from holdfast.core.own_folder import OwnFolder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

WRITE = os.O_WRONLY | os.O_CREAT | os.O_APPEND


def is_known(name: str) -> bool:
    return name.startswith("part-")


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """What no call may change: a file, and a folder with one."""
    place = tmp_path / "outside"
    place.mkdir()
    (place / "file").write_bytes(b"precious\n")
    (place / "folder").mkdir()
    (place / "folder" / "part-1").write_bytes(b"precious too\n")
    return place


@pytest.fixture
def folder(tmp_path: Path, outside: Path) -> Iterator[OwnFolder]:
    (tmp_path / "root").mkdir()
    before = held(outside)
    with OwnFolder.at(str(tmp_path / "root"), "own", is_known, create=True) as opened:
        yield opened
    assert held(outside) == before


def held(place: Path) -> dict[str, bytes]:
    return {str(path.relative_to(place)): path.read_bytes() for path in place.rglob("*") if path.is_file()}


def test_a_folder_that_is_made_is_for_its_owner_alone(folder: OwnFolder) -> None:
    folder.subfolder("part-a", is_known, create=True).close()

    assert [stat.S_IMODE(os.stat(path).st_mode) for path in (folder.path, f"{folder.path}/part-a")] == [0o700, 0o700]


def test_a_file_is_created_appended_to_renamed_and_removed(folder: OwnFolder) -> None:
    for data in (b"one", b" two"):
        descriptor = folder.open_file("part-1", WRITE)
        os.write(descriptor, data)
        os.close(descriptor)
    folder.rename("part-1", "part-2")
    descriptor = folder.open_file("part-2")
    read = os.read(descriptor, 99)
    os.close(descriptor)
    listed = folder.names()
    folder.remove("part-2")
    folder.remove("part-2")

    assert (read, listed, folder.names(), folder.status("part-2")) == (b"one two", ["part-2"], [], None)


def test_a_folder_is_removed_with_all_it_holds_and_no_link_in_it_is_followed(folder: OwnFolder, outside: Path) -> None:
    with folder.subfolder("part-a", lambda _: True, create=True) as below:
        os.close(below.open_file("x", WRITE))
        os.symlink(outside / "folder", "link", dir_fd=below.descriptor)
        os.symlink(outside / "file", "link-2", dir_fd=below.descriptor)

    folder.remove("part-a")

    assert os.listdir(folder.path) == []


def test_one_process_at_a_time_has_the_lock(folder: OwnFolder) -> None:
    root, _, name = folder.path.rpartition("/")
    with OwnFolder.at(root, name, is_known) as other:
        assert (folder.lock(), other.lock()) == (True, False)


@pytest.mark.parametrize("name", ["", ".", "..", "other", "part-/x", "../part-1", "/part-1", "part-\0"])
def test_a_name_of_another_form_is_refused_by_every_call(name: str, folder: OwnFolder) -> None:
    calls: list[Callable[[], object]] = [
        lambda: folder.open_file(name),
        lambda: folder.open_file(name, WRITE),
        lambda: folder.subfolder(name, is_known, create=True),
        lambda: folder.status(name),
        lambda: folder.remove(name),
        lambda: folder.rename(name, "part-1"),
        lambda: folder.rename("part-1", name),
    ]
    for call in calls:
        with pytest.raises(UnsafePath, match="is not a name that Holdfast gives"):
            call()
    assert os.listdir(folder.path) == []


def test_names_of_another_form_are_not_listed(folder: OwnFolder) -> None:
    for name in ("part-2", "part-1", "thesis.txt"):
        os.close(os.open(f"{folder.path}/{name}", os.O_CREAT | os.O_WRONLY))

    assert folder.names() == ["part-1", "part-2"]


@pytest.mark.parametrize("flags", [os.O_RDONLY, WRITE, os.O_RDWR, os.O_WRONLY | os.O_TRUNC, WRITE | os.O_TRUNC])
@pytest.mark.parametrize("target", ["file", "folder", "nothing"])
def test_a_link_is_not_opened_and_the_error_names_it(target: str, flags: int, folder: OwnFolder, outside: Path) -> None:
    os.symlink(outside / target, f"{folder.path}/part-1")

    with pytest.raises(UnsafePath) as caught:
        folder.open_file("part-1", flags)

    assert caught.value.reason == (
        f"'{folder.path}/part-1' is a symbolic link, which is not followed: look at it, remove it and try again"
    )


@pytest.mark.parametrize("create", [True, False])
def test_a_link_is_no_folder(create: bool, folder: OwnFolder, outside: Path) -> None:
    os.symlink(outside / "folder", f"{folder.path}/part-1")

    with pytest.raises(UnsafePath, match=r"part-1' is a symbolic link, which is not followed"):
        folder.subfolder("part-1", is_known, create=create)


def test_a_component_of_the_path_that_is_a_link_is_refused(folder: OwnFolder, outside: Path, tmp_path: Path) -> None:
    os.symlink(outside, tmp_path / "root" / "link")

    with pytest.raises(UnsafePath, match="link' is a symbolic link"):
        OwnFolder.at(str(tmp_path / "root"), "link/folder", is_known)
    with pytest.raises(UnsafePath, match="leads elsewhere"):
        OwnFolder.at(str(tmp_path / "root"), "../outside", is_known)


def test_a_link_is_removed_and_replaced_as_a_link(folder: OwnFolder, outside: Path) -> None:
    for name, target in (("part-1", "file"), ("part-2", "folder"), ("part-3", "file")):
        os.symlink(outside / target, f"{folder.path}/{name}")
    folder.remove("part-1")
    folder.remove("part-2")
    os.close(folder.open_file("part-4", WRITE))
    folder.rename("part-4", "part-3")

    status = folder.status("part-3")
    assert (folder.names(), status is not None and stat.S_ISREG(status.st_mode)) == (["part-3"], True)


def test_a_file_that_has_a_second_name_is_read_and_not_written(folder: OwnFolder, outside: Path) -> None:
    os.link(outside / "file", f"{folder.path}/part-1")

    os.close(folder.open_file("part-1"))
    for flags in (WRITE, os.O_RDWR | os.O_TRUNC):
        with pytest.raises(UnsafePath, match="has a second name"):
            folder.open_file("part-1", flags)


def test_a_fifo_and_a_folder_are_not_waited_on_and_are_no_files(folder: OwnFolder) -> None:
    os.mkfifo(f"{folder.path}/part-1")
    os.mkdir(f"{folder.path}/part-2")

    for name in ("part-1", "part-2"):
        for flags in (os.O_RDONLY, WRITE):
            with pytest.raises(UnsafePath, match="is not a regular file"):
                folder.open_file(name, flags)
    with pytest.raises(UnsafePath, match="is not a directory"):
        folder.subfolder("part-1", is_known)


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser can give files away")
def test_what_belongs_to_another_user_is_refused(folder: OwnFolder) -> None:
    for name in ("part-1", "part-2"):
        os.close(os.open(f"{folder.path}/{name}", os.O_CREAT | os.O_WRONLY))
    os.mkdir(f"{folder.path}/part-3")
    for name in ("part-1", "part-3"):
        os.chown(f"{folder.path}/{name}", 4321, 4321)

    for flags in (os.O_RDONLY, WRITE):
        with pytest.raises(UnsafePath, match=r"belongs to another user \(uid 4321\)"):
            folder.open_file("part-1", flags)
    with pytest.raises(UnsafePath, match=r"belongs to another user \(uid 4321\)"):
        folder.subfolder("part-3", is_known)


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser can give files away")
def test_the_owner_of_the_root_is_trusted_with_what_is_below_it(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    for path in (tmp_path, tmp_path / "own"):
        os.chown(path, 4321, 4321)

    OwnFolder.at(str(tmp_path), "own", is_known).close()


def test_a_folder_gives_its_descriptors_back(folder: OwnFolder, tmp_path: Path, outside: Path) -> None:
    os.symlink(outside, f"{folder.path}/part-1")
    before = sorted(os.listdir("/proc/self/fd"))
    for place in ("own", "own/part-1", "own/none"):
        try:
            OwnFolder.at(str(tmp_path / "root"), place, is_known).close()
        except (OSError, UnsafePath):
            pass

    assert sorted(os.listdir("/proc/self/fd")) == before


def test_a_folder_that_cannot_be_looked_at_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(_: int) -> None:
        raise OSError(EIO, os.strerror(EIO))

    before = sorted(os.listdir("/proc/self/fd"))
    with monkeypatch.context() as patch:
        patch.setattr(os, "fstat", failing)
        with pytest.raises(OSError, match=os.strerror(EIO)):
            OwnFolder.at(str(tmp_path), "", is_known)

    assert sorted(os.listdir("/proc/self/fd")) == before
