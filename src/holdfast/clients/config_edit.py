"""An entry put into a client's configuration and taken out again: text in, text out, and what it says is checked.

Whatever an editor did, the new text is read by the standard reader of its format, and refused unless it says what the
old one said with the entry and nothing else changed. The lines that change are shown without a person's own values,
which may be keys: where a line of a person changes too, because a comma is added to it or the whole file is one line,
its strings are left out.
"""

from __future__ import annotations

from difflib import unified_diff
from json import dumps
from typing import TYPE_CHECKING, NamedTuple

from holdfast.clients.json_members import json_value, with_json_member, without_json_member
from holdfast.clients.server_entry import NAME, is_same
from holdfast.clients.yaml_members import (
    with_yaml_item,
    with_yaml_member,
    without_yaml_item,
    without_yaml_member,
    yaml_value,
)
from holdfast.core.edit_errors import BrokenText, OddText
from holdfast.core.toml_members import toml_line, toml_value, with_toml_member, without_toml_member

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from holdfast.clients.client_table import Trust
    from holdfast.clients.server_entry import Entry, Format, Target

# What a file begins with whose servers are a list, where there was none.
_HEADER = "name: Local\nversion: 1.0.0\nschema: v1\n"
LEFT_OUT = "…"
_NOT_EDITED = "it is written in a way that is not edited here"
_LIMIT_COMMENT = "long answers of tools arrive whole (context setup)"


class _Editor(NamedTuple):
    """How a format is read, and how a member is put in and taken out."""

    value: Callable[[str], object]
    put: Callable[[str, Sequence[str], object], str]
    take: Callable[[str, Sequence[str]], str]


_YAML = _Editor(yaml_value, with_yaml_member, without_yaml_member)
_EDITORS: dict[Format, _Editor] = {
    "json": _Editor(json_value, with_json_member, without_json_member),
    "toml": _Editor(toml_value, with_toml_member, without_toml_member),
    "yaml": _YAML,
    "yaml list": _Editor(yaml_value, with_yaml_item, without_yaml_item),
}
_CONTAINER_EDITORS = {**_EDITORS, "yaml list": _YAML}


def document(target: Target, text: str) -> dict[str, object]:
    """What a configuration says; BrokenText where it says nothing, OddText where it is no table of settings."""
    value = _EDITORS[target.format].value(text)
    if not isinstance(value, dict):
        raise OddText("it is no table of settings")
    listed = value.get(target.container)
    if target.format == "yaml list" and isinstance(listed, list):
        value = {**value, target.container: _by_name(listed)}
    return value


def _by_name(listed: list[object]) -> dict[object, object]:
    """The servers of a list by their names; one without a name of its own by its place from the end."""
    named: dict[object, object] = {}
    for place, each in enumerate(listed):
        name = each.get("name") if isinstance(each, dict) else None
        named[name if isinstance(name, str) and name not in named else place - len(listed)] = each
    return named


def _begun(target: Target, text: str) -> str:
    """A text to edit: one that says nothing with what its kind of file needs."""
    return text if target.format != "yaml list" or document(target, text) else _ended(text) + _HEADER


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def found_in(target: Target, value: dict[str, object]) -> object:
    """The entry of our name; None: nothing."""
    found = value.get(target.container)
    return found.get(NAME) if isinstance(found, dict) else None


def is_trusted(trust: Trust, text: str, project: str) -> bool:
    """Whether a client's settings say that the project, or a folder above it, is trusted."""
    try:
        value = _EDITORS[trust.format].value(text)
    except (BrokenText, OddText):
        return False
    folders = value.get(trust.container) if trust.container and isinstance(value, dict) else value
    trusted = []
    if isinstance(folders, dict):
        for folder, word in folders.items():
            said = word.get(trust.member) if isinstance(word, dict) else word
            trusted += [folder] * any(each in (said if isinstance(said, list) else [said]) for each in trust.words)
    elif isinstance(folders, list):
        trusted = folders
    return any(isinstance(folder, str) and f"{project}/".startswith(folder.rstrip("/") + "/") for folder in trusted)


def with_entry(target: Target, text: str, entry: Entry) -> str:
    """The text with the entry in it, the same where it is there already.

    What stood in its place is replaced as a whole; whether it may be is for the caller to decide.
    """
    text = _begun(target, text)
    value = document(target, text)
    old = found_in(target, value)
    expected = value
    is_done = is_same(old, entry)
    changed: list[tuple[tuple[str, ...], object]] = [] if is_done else [(target.path, entry)]
    if target.limit is not None and target.limit[0] not in value:
        changed.insert(0, ((target.limit[0],), target.limit[1]))
    try:
        if old is not None and not is_done and target.format != "json":
            text = _EDITORS[target.format].take(text, target.path)
        for path, each in changed:
            text = _with(target, text, path, each)
            expected = _set(expected, path, each)
        is_meant = document(target, text) == expected
    except BrokenText:
        is_meant = False
    if not is_meant:
        raise OddText(_NOT_EDITED)
    return text


def without_entry(target: Target, text: str, earlier: Iterable[str | None] = ()) -> str | None:
    """The text without what set-up put there; None where nothing is left of the file but what set-up made.

    `earlier` are texts the file had before it was set up (None: there was none). If one of them, set up, is this very
    text, it comes back byte for byte.
    """
    value = document(target, text)
    earlier = list(earlier)
    for before in earlier:
        if _again(target, before or "", value) == text:
            return before
    known = [document(target, before or "") for before in earlier]
    new = _EDITORS[target.format].take(text, target.path)
    rest = value[target.container]
    if isinstance(rest, dict) and len(rest) == 1 and known and not any(target.container in each for each in known):
        new = _CONTAINER_EDITORS[target.format].take(text, (target.container,))
    try:
        is_meant = _without_name(target, value) == _without_name(target, document(target, new))
    except BrokenText:
        is_meant = False
    if not is_meant:
        raise OddText(_NOT_EDITED)
    return _without_limit(target, new)


def _again(target: Target, before: str, value: dict[str, object]) -> str:
    """An earlier text with what this one has of ours; empty where that cannot be."""
    try:
        before = _begun(target, before)
        was = document(target, before)
        entry = found_in(target, value)
        if found_in(target, was) is not None:
            return ""
        limit = target.limit
        if limit is not None and limit[0] not in was and limit[0] in value:
            before = _with(target, before, (limit[0],), value[limit[0]])
        return _with(target, before, target.path, entry)
    except (BrokenText, OddText):
        return ""


def _without_limit(target: Target, text: str) -> str:
    """The text without the limit, where the comment says who set it."""
    if target.limit is None:
        return text
    is_set = _LIMIT_COMMENT in toml_line(text, (target.limit[0],))
    return without_toml_member(text, (target.limit[0],)) if is_set else text


def _with(target: Target, text: str, path: Sequence[str], value: object) -> str:
    if len(path) == 1:  # the limit, which is one of TOML
        return with_toml_member(text, path, value, comment=_LIMIT_COMMENT)
    return _EDITORS[target.format].put(text, path, value)


def _set(value: dict[str, object], path: Sequence[str], each: object) -> dict[str, object]:
    """A copy of a value with a member set."""
    name, *rest = path
    inner = value.get(name)
    return {**value, name: _set(inner if isinstance(inner, dict) else {}, rest, each) if rest else each}


def _without_name(target: Target, value: dict[str, object]) -> dict[str, object]:
    """What is not ours in a document, an empty container being none."""
    found = value.get(target.container)
    others = {name: each for name, each in found.items() if name != NAME} if isinstance(found, dict) else found
    rest = {name: each for name, each in value.items() if name != target.container}
    return {**rest, target.container: others} if others else rest


def changed_lines(before: str, after: str, old: str, new: str, own: Collection[str]) -> str:
    """A unified diff without context; `old` and `new` are what the texts are called, `own` the strings to show."""
    shown = []
    for place, row in enumerate(unified_diff(_split(before), _split(after), old, new, n=0, lineterm="")):
        bare = row.rstrip("\r")
        shown.append(bare if place < 2 or row.startswith("@") else bare[0] + _shown(bare[1:], own))
    return "".join([row + "\n" for row in shown])


def entry_strings(entry: object) -> set[str]:
    """Every string in an entry."""
    if isinstance(entry, dict):
        return {text for each in entry.values() for text in entry_strings(each)}
    if isinstance(entry, list):
        return {text for each in entry for text in entry_strings(each)}
    return {entry} if isinstance(entry, str) else set()


def _split(text: str) -> list[str]:
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]


def _shown(line: str, own: Collection[str]) -> str:
    """A line with the strings left out that stand where values do and are not ours."""
    parts, at = [], 0
    while at < len(line):
        mark = line[at]
        if mark not in "\"'":
            parts.append(mark)
            at += 1
            continue
        end = at + 1
        while end < len(line) and line[end] != mark:
            end += 2 if line[end] == "\\" else 1
        text, rest = line[at + 1 : end], line[end + 1 :].lstrip(" \t")
        is_key = rest.startswith((":", "="))
        is_own = any(text == each or text == _escaped(each) for each in own)
        parts.append(f"{mark}{text if is_key or is_own else LEFT_OUT}{mark}")
        at = end + 1
    return "".join(parts)


def _escaped(text: str) -> str:
    return dumps(text, ensure_ascii=False)[1:-1]
