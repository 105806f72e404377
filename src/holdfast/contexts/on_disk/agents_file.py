"""The section in `AGENTS.md` that tells coding agents about contexts."""

from __future__ import annotations

import os

from holdfast.core.atomic_write import write_file
from holdfast.core.confined_paths import lies_inside
from holdfast.core.regular_files import read_regular

FILE_NAME = "AGENTS.md"
LEFT_ALONE, FAILED = "left alone", "failed"
_START, _END = b"<!-- contexts: start -->", b"<!-- contexts: end -->"


def write_section(root: str, *, dry_run: bool = False) -> str:
    """Put the section into AGENTS.md, replacing an older one and nothing else; what happened to the file."""
    # Many projects keep one text under several names: a link inside the project is written through, never replaced.
    path = os.path.realpath(os.path.join(root, FILE_NAME))
    if not lies_inside(path, os.path.realpath(root)):
        return LEFT_ALONE
    try:
        old = read_regular(path)
    except FileNotFoundError:
        old = None
    except OSError:
        return FAILED
    new = with_section(old or b"", _section())
    if new == old:
        return "unchanged"
    try:
        if not dry_run:
            write_file(path, new)
    except OSError:
        return FAILED
    return "written" if old is None else "renewed"


def _section() -> bytes:
    template = os.path.join(os.path.dirname(os.path.dirname(__file__)), "templates", "agents.md")
    with open(template, "rb") as file:
        return _START + b"\n" + file.read() + _END + b"\n"


def with_section(text: bytes, section: bytes) -> bytes:
    """The text with the section in the place of its former self, else at the end."""
    start = text.find(_START)
    end = text.find(_END, start)
    if start >= 0 and end >= 0:
        after = text[end + len(_END) :]
        return text[:start] + section + (after[1:] if after.startswith(b"\n") else after)
    if not text:
        return section
    return text.rstrip(b"\n") + b"\n\n" + section
