"""What a name below a root leads to, and that nothing else is ever opened."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from holdfast.core.confined_paths import (
    beneath,
    open_again,
    open_beneath,
    open_directory,
    open_inside,
    plain_place,
    reach,
    real_place,
)
from holdfast.core.file_identity import directory_identity

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with folders, a file, and links to inside and outside, relative and absolute."""
    root = tmp_path / "root"
    (root / "a" / "b").mkdir(parents=True)
    (tmp_path / "root-too").mkdir()
    (root / "file").write_bytes(b"x")
    (root / "relative").symlink_to("a/b")
    (root / "absolute").symlink_to(root / "a" / "b")
    (root / "up").symlink_to("a/../a/b")
    (root / "out").symlink_to(tmp_path)
    (root / "beside").symlink_to(tmp_path / "root-too")
    (root / "loop").symlink_to("loop")
    (root / "itself").symlink_to(".")
    return root


def opened(descriptor: int) -> tuple[int, int]:
    """Which directory a descriptor is of; it is closed."""
    status = os.fstat(descriptor)
    os.close(descriptor)
    return status.st_dev, status.st_ino


def same(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino


@pytest.mark.parametrize("place", ["", "a", "a/b"])
@pytest.mark.parametrize("listed", [False, True])
def test_a_path_without_links_is_opened(place: str, listed: bool, root: Path) -> None:
    assert opened(open_beneath(str(root), place, listed=listed)) == same(root / place)


@pytest.mark.parametrize(
    "place", ["relative", "absolute", "out", "out/root", "itself/a", "loop", "file", "nothing", "a/..", "..", "a/file"]
)
def test_a_path_with_a_link_or_a_climb_or_to_no_directory_is_not(place: str, root: Path) -> None:
    with pytest.raises((FileNotFoundError, NotADirectoryError)):
        open_beneath(str(root), place)


@pytest.mark.parametrize(
    "place", ["a/b", "relative", "absolute", "up", "itself/a/b", "itself/absolute", "out/root/a/b"]
)
def test_links_that_stay_inside_are_followed(place: str, root: Path) -> None:
    path = beneath(str(root), place)
    assert path is not None
    found = [opened(open_inside(str(root), place)), opened(open_directory(path))]
    assert found == [same(root / "a" / "b")] * 2


@pytest.mark.parametrize("place", ["out", "out/root-too", "beside", "loop", "itself", "file", "nothing"])
def test_links_that_lead_out_to_the_root_itself_or_nowhere_are_not(place: str, root: Path) -> None:
    with pytest.raises((FileNotFoundError, NotADirectoryError)):
        open_inside(str(root), place)


def test_what_a_name_itself_says_is_told_without_the_file_system(root: Path) -> None:
    said = {name: beneath(str(root), name) for name in ("x", "x/y", "./x//y/", "a/../a", "..", ".", "", "x\\y", "x\0")}
    there = {"x": f"{root}/x", "x/y": f"{root}/x/y", "./x//y/": f"{root}/x/y"}
    assert said == {**dict.fromkeys(said), **there}
    assert [beneath(str(root), str(path)) for path in (root / "a", root, root.parent)] == [f"{root}/a", None, None]
    assert beneath(str(root), "\ud800") is None


def test_a_place_is_plain_when_only_names_are_in_it() -> None:
    assert [plain_place(name) for name in ("a/./b/", "", "/a", "a/../b", "a\0")] == ["a/b", None, None, None, None]
    assert plain_place(".") == ""


def test_where_a_path_leads_is_told_from_the_root_or_not_at_all(root: Path) -> None:
    asked = ("absolute", "itself", "a/../relative/nothing", "out", "beside", "..", str(root / "a"))
    assert [real_place(str(root), name) for name in asked] == ["a/b", "", "a/b/nothing", None, None, None, "a"]


def test_links_that_change_with_every_look_lead_nowhere() -> None:
    asked: list[str] = []

    def find(place: str) -> int:
        asked.append(place)
        raise NotADirectoryError(20, "a link", place)

    with pytest.raises(FileNotFoundError):
        reach("0", lambda: str(len(asked)), find)
    assert asked == [str(at) for at in range(8)]


def test_what_is_neither_absent_nor_a_link_is_told_as_it_is() -> None:
    def find(place: str) -> int:
        raise PermissionError(13, "closed", place)

    with pytest.raises(PermissionError):
        reach("a", lambda: "b", find)


def test_a_directory_is_opened_again_only_if_it_is_still_the_same(root: Path) -> None:
    path, before = str(root / "a"), directory_identity((root / "a").stat())
    assert opened(open_again(path, before)) == same(root / "a")
    (root / "a").rename(root / "c")
    (root / "a").symlink_to(root.parent)
    with pytest.raises(FileNotFoundError):
        open_again(path, before)
