"""The section that tells coding agents what there is, in `AGENTS.md` and in the files of tools that read another."""

from __future__ import annotations

import os
import re
from glob import escape, iglob

from holdfast.core.atomic_write import write_file
from holdfast.core.confined_paths import lies_inside
from holdfast.core.errors import IoError
from holdfast.core.regular_files import NotRegular, read_regular

FILE_NAME = "AGENTS.md"
_TEMPLATE = "templates/agents.md"
LEFT_ALONE, FAILED = "left alone", "failed"
_START, _END = b"<!-- contexts: start -->", b"<!-- contexts: end -->"
# Files of single tools, written where they exist and do not include AGENTS.md by themselves.
_OTHERS = ("CLAUDE.md", "GEMINI.md")
_INCLUDES = re.compile(rb"(?m)^[ \t]*+(?:[-*][ \t]++)?@(?:\./)?AGENTS\.md[ \t\r]*+$")
_CURSOR_RULES, _CURSOR_FILE = ".cursor/rules", ".cursor/rules/holdfast.mdc"
_CURSOR_HEAD = b"---\ndescription: What Holdfast knows of this project\nalwaysApply: true\n---\n\n"
_CACHES = ".context/caches"
_SPEC_FOLDERS = (".spec-context/specs", ".spec-workflow/specs", ".kiro/specs", "openspec/changes")


def write_section(root: str, *, dry_run: bool = False) -> str:
    """Put the section into AGENTS.md, replacing an older one and nothing else; what happened to the file."""
    return _written(root, FILE_NAME, _section(root), dry_run=dry_run)


def write_other_sections(root: str, *, dry_run: bool = False) -> dict[str, str]:
    """The same for the files of single tools that are there; what happened to each."""
    actions = {}
    section = _section(root)
    agents = os.path.realpath(os.path.join(root, FILE_NAME))
    for name in _OTHERS:
        path = os.path.join(root, name)
        if os.path.realpath(path) == agents:
            continue
        try:
            includes = _INCLUDES.search(read_regular(os.path.realpath(path))) is not None
        except (FileNotFoundError, NotRegular):
            continue
        except OSError as error:
            actions[name] = _failed(name, error)
            continue
        actions[name] = LEFT_ALONE if includes else _written(root, name, section, dry_run=dry_run)
    if os.path.isdir(os.path.join(root, _CURSOR_RULES)):
        actions[_CURSOR_FILE] = _written(root, _CURSOR_FILE, section, head=_CURSOR_HEAD, dry_run=dry_run)
    return actions


def _written(root: str, name: str, section: bytes, *, head: bytes = b"", dry_run: bool) -> str:
    # Many projects keep one text under several names: a link inside the project is written through, never replaced.
    path = os.path.realpath(os.path.join(root, name))
    if not lies_inside(path, os.path.realpath(root)):
        return LEFT_ALONE
    try:
        old = read_regular(path)
    except FileNotFoundError:
        old = None
    except OSError as error:
        return _failed(name, error)
    new = with_section(head if old is None else old, section)
    if new == old:
        return "unchanged"
    try:
        if not dry_run:
            write_file(path, new)
    except OSError as error:
        return _failed(name, error)
    return "written" if old is None else "renewed"


def _failed(name: str, error: OSError) -> str:
    """A file that is closed to this user holds up no other; IoError where the disk is at fault."""
    if isinstance(error, NotRegular | PermissionError):
        return FAILED
    raise IoError(f"'{name}' cannot be read or written: {error.strerror}") from None


def _section(root: str) -> bytes:
    """The section for what this project has."""
    template = os.path.join(os.path.dirname(os.path.dirname(__file__)), _TEMPLATE)
    try:
        opening, *parts = read_regular(template, follows_links=True).split(b"\n# ")
    except OSError as error:
        raise IoError(f"'{_TEMPLATE}' of this installation cannot be read: {error.strerror}") from None
    has_specs = any(_has(root, f"{name}/*/") for name in _SPEC_FOLDERS)
    there = {b"caches": _has(root, f"{_CACHES}/*/manifest.json"), b"specs": has_specs}
    texts = [opening.strip(b"\n")]
    for part in parts:
        name, _, text = part.partition(b"\n")
        if there[name]:
            texts.append(text.strip(b"\n"))
    return _START + b"\n" + b"\n".join(texts) + b"\n" + _END + b"\n"


def _has(root: str, pattern: str) -> bool:
    """Whether anything below the root has a name of a pattern; hidden names are none, nor what cannot be listed."""
    return any(map(os.path.exists, iglob(os.path.join(escape(root), pattern))))


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
