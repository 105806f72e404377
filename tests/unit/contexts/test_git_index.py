"""Git's index, read without git: the same files as git lists, in every format, and nothing worse than an error."""

from __future__ import annotations

import contextlib
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.code.git_index import IndexUnreadable, TrackedFiles, read_index, read_listing
from support.examples import examples
from support.projects import git

NAMES = [
    "a.py",
    "b/c.py",
    "b/d/e.py",
    "b.py",
    "b/z.py",
    "\u00e4 \n\"'.txt",
    "x" * 200 + "/" + "y" * 200,
    "long/" * 30 + "f",
]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    for number, name in enumerate(NAMES):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"{number}\n")
    (tmp_path / "link").symlink_to("a.py")
    git(tmp_path, "add", "-A")
    return tmp_path


def all_files(tracked: TrackedFiles) -> dict[bytes, list[tuple[bytes, bytes]]]:
    return {place: [(file.name, file.object_id) for file in tracked.files(place)] for place in tracked.places}


def by_git(root: Path) -> TrackedFiles:
    done = subprocess.run(["git", "-C", str(root), "ls-files", "--stage", "-z"], capture_output=True, check=True)
    return read_listing(done.stdout)


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_every_format_gives_the_files_that_git_lists(repository: Path, version: str) -> None:
    if version == "3":  # git writes it only where an entry needs it
        git(repository, "update-index", "--skip-worktree", "a.py")
    else:
        git(repository, "update-index", "--index-version", version)
    data = (repository / ".git" / "index").read_bytes()
    found = read_index(data)

    assert data[7] == int(version)
    assert found.count == len(NAMES)
    assert all_files(found) == all_files(by_git(repository))
    assert [found.holds(place) for place in (b"", b"b", b"b/d", b"c", b"long/long")] == [True, True, True, False, True]


def test_ids_of_sha256_are_longer(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256")
    (tmp_path / "a").write_text("a")
    git(tmp_path, "add", "a")
    found = read_index((tmp_path / ".git" / "index").read_bytes(), 32)

    assert all_files(found) == all_files(by_git(tmp_path))


def test_what_is_only_announced_is_not_tracked_yet(repository: Path) -> None:
    (repository / "new.py").write_text("x")
    git(repository, "add", "-N", "new.py")

    assert b"new.py" not in [file.name for file in read_index((repository / ".git" / "index").read_bytes()).files(b"")]


def test_a_file_in_a_merge_counts_once_with_our_side_and_is_told(repository: Path) -> None:
    git(repository, "commit", "-qm", "one")
    for branch, text in (("left", "l"), ("right", "r")):
        git(repository, "checkout", "-q", "-b", branch, "HEAD" if branch == "left" else "left~1")
        (repository / "a.py").write_text(text)
        git(repository, "commit", "-qam", branch)
    with pytest.raises(subprocess.CalledProcessError):
        git(repository, "merge", "left")
    found = read_index((repository / ".git" / "index").read_bytes())
    ours = git(repository, "rev-parse", ":2:a.py").strip()

    assert (found.count, found.unmerged) == (len(NAMES), (b"a.py",))
    assert [file.object_id.hex() for file in found.files(b"") if file.name == b"a.py"] == [ours]


def test_a_split_index_is_said_to_be_one(repository: Path) -> None:
    git(repository, "update-index", "--split-index")
    with pytest.raises(IndexUnreadable) as caught:
        read_index((repository / ".git" / "index").read_bytes())
    assert caught.value.reason == "it is split"


@pytest.mark.parametrize(
    "data", [b"", b"DIRC", b"JUNK\0\0\0\2\0\0\0\1", b"DIRC\0\0\0\7\0\0\0\0", b"DIRC\0\0\0\2\0\0\0\5"]
)
def test_what_is_no_index_is_refused(data: bytes) -> None:
    with pytest.raises(IndexUnreadable):
        read_index(data)


@settings(max_examples=examples(60))
@given(st.integers(0, 1 << 30), st.integers(0, 255), st.integers(0, 1 << 30))
def test_damage_gives_an_error_or_files_and_nothing_else(at: int, byte: int, cut: int) -> None:
    data = bytearray(SAMPLE)
    data[at % len(data)] = byte
    with contextlib.suppress(IndexUnreadable):
        read_index(bytes(data[: cut % (len(data) + 1)]))


def _entry(path: bytes) -> bytes:
    fixed = bytes(24) + (0o100644).to_bytes(4, "big") + bytes(12) + b"i" * 20 + len(path).to_bytes(2, "big")
    return (fixed + path).ljust((62 + len(path) + 8) // 8 * 8, b"\0")


SAMPLE = b"DIRC\0\0\0\2\0\0\0\3" + b"".join(map(_entry, (b"a", b"b/c", b"b/d"))) + bytes(20)


def test_the_sample_that_is_damaged_is_whole_before() -> None:
    assert all_files(read_index(SAMPLE)) == {b"": [(b"a", b"i" * 20)], b"b": [(b"c", b"i" * 20), (b"d", b"i" * 20)]}
