"""Contexts that two branches changed: what git's merge driver writes, and files that hold conflict markers."""

from __future__ import annotations

from holdfast.contexts.conflict_markers import OURS, has_markers, versions
from holdfast.contexts.context_merge import Merged, merge
from holdfast.contexts.on_disk.directory_view import parse_context
from holdfast.contexts.schema import FILE_NAME
from holdfast.core.atomic_write import write_file
from holdfast.core.errors import ContextCorrupt, UnsupportedVersion, UsageError
from holdfast.core.regular_files import read_regular
from holdfast.core.yaml_text import MAX_BYTES, YamlError

CONFLICT = "merge conflict"


def resolved_in(directory: str, data: bytes) -> bytes:
    """The same for the context of a directory: git may still know what both sides began with."""
    if OURS.encode() not in data or not has_markers(data.decode("utf-8", "replace")):
        return data
    from holdfast.core.git_command import git

    try:
        base = git(directory, "cat-file", "blob", f":1:./{FILE_NAME}").decode()
    except (UsageError, UnicodeDecodeError):
        base = None
    return resolved(data, base)


def resolved(data: bytes, base: str | None = None) -> bytes:
    """A context's bytes, with the conflicts in it resolved; ContextCorrupt where only a person can.

    Bytes without conflict markers are given back as they are. `base` is what both sides began with, where that is
    known; else it is read off the markers as far as they tell.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return data
    if not has_markers(text):
        return data
    found = versions(text)
    if found is None:
        raise ContextCorrupt(f"{CONFLICT}: its markers are not in order; resolve it by hand")
    try:
        for side in (found.ours, found.theirs):
            parse_context(side.encode())
        merged = merge(found.base if base is None else base, found.ours, found.theirs)
    except (ContextCorrupt, UnsupportedVersion, YamlError) as error:
        raise ContextCorrupt(f"{CONFLICT}: one side is no valid context ({error})") from None
    if merged.conflicts:
        raise ContextCorrupt(f"{CONFLICT}: {open_text(merged.conflicts)}")
    return merged.text.encode()


def open_text(conflicts: tuple[str, ...]) -> str:
    """What a person has to do about fields that two people wrote."""
    fields = ", ".join(conflicts)
    return f"both sides wrote {fields}; keep one text of each, remove the markers and run this again"


def merge_files(base: str, ours: str, theirs: str) -> Merged:
    """Merge three files as git hands them to a merge driver, and write the result over ours.

    Where a side is no valid context its lines are merged as any text: by git, with markers.
    """
    try:
        data = [read_regular(path, limit=MAX_BYTES) for path in (base, ours, theirs)]
    except OSError as error:
        raise UsageError(f"'{error.filename}' cannot be read: {error.strerror}") from None
    try:
        for side in data[1:]:
            parse_context(side)
        merged = merge(data[0].decode("utf-8", "replace"), data[1].decode(), data[2].decode())
    except (ContextCorrupt, UnsupportedVersion, YamlError):
        merged = _merged_by_git(base, ours, theirs)
    write_file(ours, merged.text.encode("utf-8", "surrogateescape"))
    return merged


def _merged_by_git(base: str, ours: str, theirs: str) -> Merged:
    from holdfast.contexts.on_disk.git import git_merge_file

    text, conflicts = git_merge_file(base, ours, theirs)
    return Merged(
        text.decode("utf-8", "surrogateescape"),
        ("the file, which is no valid context on one side",) if conflicts else (),
    )
