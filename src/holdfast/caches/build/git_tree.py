"""The files of a commit, written below a folder: what a source is that names a commit of a checkout."""

from __future__ import annotations

import os

from holdfast.core.errors import SettingsInvalid, UsageError
from holdfast.core.git_command import git
from holdfast.core.record import NamedTuple
from holdfast.core.staging import check_room

# Of what only may be included, longer files are left out: no text includes them.
_MAX_BESIDE = 1 << 20
_MAX_FILE = 256 << 20
# Of a whole commit: a few kilobytes of git can be a tree of terabytes.
_MAX_TREE = 16 << 30
# Blobs are asked for in parts, so that never more than some are held at once.
_PART_BYTES = 32 << 20


class _Blob(NamedTuple):
    path: str
    hash: str
    size: int


def _git(checkout: str, *words: str, given: bytes | None = None) -> bytes:
    """Ask git about this checkout, and not about the one whose hook we may be running in."""
    folder = os.path.join(checkout, ".git")
    own = (f"--git-dir={folder}",) if os.path.lexists(folder) else ()
    return git(checkout, *own, *words, given=given)


def head_commit(checkout: str) -> str:
    """The full id of a checkout's commit; empty where there is none."""
    try:
        return (
            _git(checkout, "rev-parse", "--verify", "--quiet", "HEAD^{commit}").decode("ascii", "replace").strip("\n")
        )
    except UsageError:
        return ""


def full_commit(checkout: str, commit: str) -> str:
    """A commit by its whole hash; SettingsInvalid where the checkout does not have it."""
    try:
        found = _git(checkout, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}")
    except UsageError as error:
        reason = error.note or f"it has no commit {commit}: fetch it (git fetch), or name another"
        raise SettingsInvalid(reason) from None
    return found.decode("ascii", "replace").strip("\n")


def write_tree(checkout: str, commit: str, folder: str, target: str) -> list[str]:
    """Write the regular files of a commit below `target`; the paths of links and submodules, which are not.

    What lies below `folder` is written whole, the rest as far as a text may include it. Nothing is written of a commit
    that is too large (SettingsInvalid), or larger than the free space (IoError).
    """
    blobs, passed = _listed(_git(checkout, "ls-tree", "-r", "-z", "-l", "--full-tree", commit), folder)
    size = sum([blob.size for blob in blobs])
    if size > _MAX_TREE:
        raise SettingsInvalid(f"the commit {commit} has {size:,} bytes, and more than {_MAX_TREE:,} are not written")
    check_room(target, size, len(blobs))
    at = 0
    while at < len(blobs):
        first, size = at, 0
        while at < len(blobs) and (at == first or size + blobs[at].size <= _PART_BYTES):
            size += blobs[at].size
            at += 1
        _write(checkout, blobs[first:at], target)
    return passed


def _listed(listing: bytes, folder: str) -> tuple[list[_Blob], list[str]]:
    blobs, passed = [], []
    for line in listing.split(b"\0"):
        head, _, name = line.partition(b"\t")
        if not name:
            continue
        path = os.fsdecode(name)
        mode, kind, found, size = [part for part in head.decode("ascii").split(" ") if part]
        is_inside = not folder or path == folder or path.startswith(folder + "/")
        if kind != "blob" or mode == "120000":
            if is_inside:
                passed.append(path)
            continue
        if _is_plain(path) and int(size) <= (_MAX_FILE if is_inside else _MAX_BESIDE):
            blobs.append(_Blob(path, found, int(size)))
    return blobs, passed


def _is_plain(path: str) -> bool:
    """Whether a path of a tree can only lead below the folder it is written to."""
    return not {"", ".", "..", ".git"}.intersection(path.split("/"))


def _write(checkout: str, blobs: list[_Blob], target: str) -> None:
    asked = "".join([f"{blob.hash}\n" for blob in blobs]).encode()
    data = _git(checkout, "cat-file", "--batch", given=asked)
    at = 0
    for blob in blobs:
        end = data.index(b"\n", at)
        if not data[at:end].endswith(b" blob %d" % blob.size):
            raise UsageError(f"git does not have '{blob.path}' of the commit: is it a partial clone? fetch all of it")
        path = os.path.join(target, blob.path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(memoryview(data)[end + 1 : end + 1 + blob.size])
        at = end + 1 + blob.size + 1
