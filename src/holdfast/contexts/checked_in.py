"""A file as git would check it in, so that two people whose working trees differ in line ends have one fingerprint.

Only what git does by itself, or LFS in its place, is done here: line ends, `$Id$`, encodings and LFS pointers. A filter
of another kind is a program of the person's, and its file counts as it lies there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from hashlib import sha1, sha256

from holdfast.contexts.git_attributes import State

_IDENT = re.compile(rb"\$Id:[^$\n]*+\$")
_POINTER = b"version https://git-lfs.github.com/spec/v1\n"
_MAX_POINTER = 1024
# Bytes that git takes for text beside what prints: BS, TAB, LF, FF, CR and ESC.
_CONTROLS = bytes(set(range(32)) - {8, 9, 10, 12, 13, 27}) + b"\x7f"
_TEXT, _AUTO, _AS_IT_IS = "text", "auto", "as it is"


def pointer(digest: str, size: int) -> bytes:
    """What LFS checks in for a content of that SHA-256 and size."""
    return b"%boid sha256:%b\nsize %d\n" % (_POINTER, digest.encode(), size)


def is_pointer(data: bytes) -> bool:
    """Whether a content is a pointer already, its content not fetched."""
    return len(data) <= _MAX_POINTER and data.startswith(_POINTER)


def is_lfs(attributes: Mapping[bytes, State]) -> bool:
    """Whether LFS stores a file."""
    return attributes.get(b"filter") == b"lfs"


def object_id(data: bytes, id_bytes: int) -> bytes:
    """The id git gives a content."""
    make = sha256 if id_bytes == 32 else sha1
    return make(b"blob %d\0" % len(data) + data, usedforsecurity=False).digest()


def checked_in(
    data: bytes, attributes: Mapping[bytes, State], known: bytes, converts_line_ends: Callable[[], bool]
) -> bytes:
    """The content of a file without LFS as git would check it in; `known` is the id of what is checked in of it.

    `converts_line_ends` tells whether git is set to convert where no attribute decides (core.autocrlf).
    """
    if object_id(data, len(known)) == known:
        return data  # nothing was changed, whatever the rules say by now
    data = _decoded(data, attributes)
    if b"\r\n" in data:
        data = _with_line_feeds(data, attributes, known, converts_line_ends)
    if attributes.get(b"ident") is True:
        data = _IDENT.sub(b"$Id$", data)
    return data


def _decoded(data: bytes, attributes: Mapping[bytes, State]) -> bytes:
    encoding = attributes.get(b"working-tree-encoding")
    if not isinstance(encoding, bytes):
        return data
    try:
        return data.decode(encoding.decode("ascii")).encode()
    except (LookupError, ValueError):
        return data  # git refuses to check that in at all


def _with_line_feeds(
    data: bytes, attributes: Mapping[bytes, State], known: bytes, converts_line_ends: Callable[[], bool]
) -> bytes:
    converted = data.replace(b"\r\n", b"\n")
    if object_id(converted, len(known)) == known:
        return converted
    action = _action(attributes)
    if not action:
        action = _AUTO if converts_line_ends() else _AS_IT_IS
    if action == _TEXT or (action == _AUTO and _is_text(data)):
        return converted
    return data


def _action(attributes: Mapping[bytes, State]) -> str:
    """What the attributes say is done with line ends; empty where they say nothing."""
    text = attributes.get(b"text", attributes.get(b"crlf"))
    if text is False:
        return _AS_IT_IS
    if text == b"auto":
        return _AUTO
    if text is True or text == b"input" or attributes.get(b"eol") in (b"lf", b"crlf"):
        return _TEXT
    return ""


def _is_text(data: bytes) -> bool:
    """Whether git takes a content for text."""
    if b"\0" in data or data.count(b"\r") != data.count(b"\r\n"):
        return False
    odd = len(data.removesuffix(b"\x1a")) - len(data.removesuffix(b"\x1a").translate(None, _CONTROLS))
    return (len(data) - odd) >> 7 >= odd
