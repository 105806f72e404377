"""Members of JSON text put in, replaced and taken out, with every other byte as it was.

Comments and trailing commas are allowed, as editors and agents allow them in their settings (JSONC). They are blanked
out in a copy of the same length, which the standard library then reads: what it says of places holds in the text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from holdfast.core.edit_errors import BrokenText, OddText

_MARK = "\ufeff"
_BLANKS = " \t\r\n"
_decode_at = json.JSONDecoder().raw_decode


class _Member(NamedTuple):
    """Where a member's key begins, and where its value begins and ends."""

    key: str
    start: int
    value: int
    end: int


class _Object(NamedTuple):
    """Where an object opens, its members in order, and where it closes (the brace itself)."""

    open: int
    members: list[_Member]
    close: int


def json_value(text: str) -> object:
    """What the text says; an empty one says `{}`. BrokenText where it says nothing."""
    return _read(text)[1]


def with_json_member(text: str, path: Sequence[str], value: object) -> str:
    """The text with a member set; objects on the way to it are made where they are missing."""
    mark, text = _marked(text)
    plain, _ = _read(text)
    end = "\r\n" if "\r\n" in text else "\n"
    unit = _unit(plain)
    if not plain.strip(_BLANKS):
        for key in reversed(path):
            value = {key: value}
        return mark + text + _written(value, "", unit, end) + end
    found = _object_at(plain, _skip(plain, 0))
    for depth, key in enumerate(path):
        member = _last(found, key)
        if member is None:
            for missing in reversed(path[depth + 1 :]):
                value = {missing: value}
            return mark + _inserted(text, plain, found, key, value, unit, end)
        if depth == len(path) - 1:
            margin = _margin(plain, member.start)
            is_flat = end not in plain[found.open : found.close]
            new = _flat(value) if is_flat else _written(value, margin, unit, end)
            return mark + text[: member.value] + new + text[member.end :]
        if plain[member.value] != "{":
            raise OddText(f'"{key}" is not an object')
        found = _object_at(plain, member.value)
    raise OddText("the document cannot be replaced as a whole")


def without_json_member(text: str, path: Sequence[str]) -> str:
    """The text without a member, which must be there; nothing else is touched but the comma it needed."""
    mark, text = _marked(text)
    plain, _ = _read(text)
    found = _object_at(plain, _skip(plain, 0))
    for key in path[:-1]:
        member = _last(found, key)
        if member is None or plain[member.value] != "{":
            raise OddText(f'"{key}" is not an object')
        found = _object_at(plain, member.value)
    member = _last(found, path[-1])
    if member is None:
        raise OddText(f'there is no "{path[-1]}"')
    return mark + _removed(text, found, member)


def _marked(text: str) -> tuple[str, str]:
    return (_MARK, text[1:]) if text.startswith(_MARK) else ("", text)


def _read(text: str) -> tuple[str, object]:
    """The text with its comments and trailing commas blanked, and what it says."""
    text = text.removeprefix(_MARK)
    if not text.strip(_BLANKS):
        return text, {}
    try:
        try:
            plain, value = text, json.loads(text)
        except json.JSONDecodeError:
            plain = _blanked(text)
            value = json.loads(plain)
    except json.JSONDecodeError as error:
        raise BrokenText(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    except (RecursionError, ValueError):
        raise BrokenText("nested too deep, or a number too long") from None
    if not isinstance(value, dict):
        raise OddText("it is no object")
    return plain, value


def _blanked(text: str) -> str:
    """The text with spaces instead of comments and of commas before a closing bracket."""
    parts: list[str] = []
    at, size = 0, len(text)
    comma = -1  # which part is a comma after a value with nothing but blanks and comments after it
    previous = ""  # the last mark that is neither
    while at < size:
        mark = text[at]
        if mark == '"':
            end = _string_end(text, at)
            parts.append(text[at:end])
            comma, previous = -1, mark
        elif text.startswith("//", at):
            end = text.find("\n", at)
            end = size if end < 0 else end
            parts.append(" " * (end - at))
        elif text.startswith("/*", at):
            end = text.find("*/", at + 2)
            end = size if end < 0 else end + 2
            parts.append("".join([each if each in "\r\n" else " " for each in text[at:end]]))
        else:
            end = at + 1
            if mark in "]}" and comma >= 0:
                parts[comma] = " "
            if mark not in _BLANKS:
                comma = len(parts) if mark == "," and previous not in "{[,:" else -1
                previous = mark
            parts.append(mark)
        at = end
    return "".join(parts)


def _string_end(text: str, at: int) -> int:
    at += 1
    while at < len(text) and text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return min(at + 1, len(text))


def _skip(plain: str, at: int) -> int:
    while at < len(plain) and plain[at] in _BLANKS:
        at += 1
    return at


def _object_at(plain: str, opening: int) -> _Object:
    """The object that opens there; the text is sound."""
    members = []
    at = _skip(plain, opening + 1)
    while plain[at] != "}":
        key, end = _decode_at(plain, at)
        value = _skip(plain, _skip(plain, end) + 1)
        _, end = _decode_at(plain, value)
        members.append(_Member(key, at, value, end))
        at = _skip(plain, end)
        if plain[at] == ",":
            at = _skip(plain, at + 1)
    return _Object(opening, members, at)


def _last(found: _Object, key: str) -> _Member | None:
    """The member of that name that counts: of several, the last."""
    return next((member for member in reversed(found.members) if member.key == key), None)


def _margin(plain: str, at: int) -> str:
    """The blanks before the first thing on the line of a place."""
    start = plain.rfind("\n", 0, at) + 1
    return plain[start : start + len(plain[start:]) - len(plain[start:].lstrip(" \t"))]


def _unit(plain: str) -> str:
    """One step of indentation, as the text has it."""
    opening = _skip(plain, 0)
    if opening < len(plain) and plain[opening] == "{":
        first = _skip(plain, opening + 1)
        if "\n" in plain[opening:first]:
            step = _margin(plain, first)[len(_margin(plain, opening)) :]
            if step and plain[first] != "}":
                return step
    return "  "


def _inserted(text: str, plain: str, found: _Object, key: str, value: object, unit: str, end: str) -> str:
    """The text with a new first member: on a line of its own, or on the line of an object that is on one."""
    outer = _margin(plain, found.open)
    first = found.members[0].start if found.members else found.close
    margin = _margin(plain, first) if found.members else outer + unit
    line = plain.find("\n", found.open, first) + 1
    if not line and found.members:
        return f"{text[:first]}{_flat(key)}: {_flat(value)}, {text[first:]}"
    member = f"{margin}{_flat(key)}: {_written(value, margin, unit, end)}{',' if found.members else ''}"
    if not line:
        return f"{text[: found.close]}{end}{member}{end}{outer}{text[found.close :]}"
    before = text[found.open : line]
    if before.rfind("/*") > before.rfind("*/"):  # a comment goes on beyond the line
        return f"{text[: found.open + 1]}{end}{member}{text[found.open + 1 :]}"
    return f"{text[:line]}{member}{end}{text[line:]}"


def _comma_after(text: str, at: int) -> int:
    """The index of the comma after a value, which may be a trailing one; 0 where it has none."""
    while at < len(text):
        if text[at] == ",":
            return at
        if text.startswith("//", at):
            at = text.find("\n", at)
            if at < 0:
                return 0
        elif text.startswith("/*", at):
            at = text.find("*/", at) + 2
        elif text[at] in _BLANKS:
            at += 1
        else:
            return 0
    return 0


def _removed(text: str, found: _Object, member: _Member) -> str:
    """The text without a member, its comma, or the one before it, and the line that it had for itself."""
    place = found.members.index(member)
    comma = _comma_after(text, member.end)
    head, tail = text[: member.start], text[comma + 1 if comma else member.end :]
    if place == len(found.members) - 1 and place and not comma:
        own = _comma_after(text, found.members[place - 1].end)
        head = head[:own] + head[own + 1 :]
    above, rest = head.rstrip(" \t"), tail.lstrip(" \t\r")
    return above + rest[1:] if above.endswith("\n") and rest.startswith("\n") else head + tail.lstrip(" \t")


def _flat(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _written(value: object, margin: str, unit: str, end: str) -> str:
    """A value as a person would write it: a member a line, a list on one."""
    if isinstance(value, dict) and value:
        inner = margin + unit
        rows = [f"{inner}{_flat(key)}: {_written(each, inner, unit, end)}" for key, each in value.items()]
        return "{" + end + f",{end}".join(rows) + end + margin + "}"
    return _flat(value)
