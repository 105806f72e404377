"""Members of TOML text put in, extended, replaced and taken out, with every other byte as it was.

The text is cut into its statements, each with the name it sets; the standard library reads the whole. What cannot be
edited this way (an inline table that would have to grow) is odd, and the caller says what to write by hand.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from holdfast.core.edit_errors import BrokenText, OddText

_BLANKS = " \t"
_BARE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


class _Statement(NamedTuple):
    """A header (`is_header`) or a key with its value: the full name it sets, and its place in the text.

    `value` and `stop` bound the value; `end` is after its line.
    """

    path: tuple[str, ...]
    is_header: bool
    start: int
    value: int
    stop: int
    end: int


def toml_value(text: str) -> dict[str, object]:
    """The parsed text; BrokenText where it is no TOML."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise BrokenText(str(error)) from None
    except (RecursionError, ValueError):
        raise BrokenText("nested too deep, or a number too long") from None


def with_toml_member(text: str, path: Sequence[str], value: object, *, comment: str = "") -> str:
    """The text with a key or a table set. A table that is not there comes last, a key of the document before tables."""
    toml_value(text)
    statements = list(_statements(text))
    end = "\r\n" if "\r\n" in text else "\n"
    path = tuple(path)
    if isinstance(value, dict):
        if any(statement.path[: len(path)] == path for statement in statements):
            raise OddText(f"[{'.'.join(path)}] is there in another form")
        rows = [f"{_key(key)} = {_written(each)}" for key, each in value.items()]
        block = end.join([f"[{'.'.join(map(_key, path))}]", *rows]) + end
        gap = "" if not text or text.endswith(("\n\n", "\r\n\r\n")) else end
        return text + ("" if not text or text.endswith("\n") else end) + gap + block
    for statement in statements:
        if statement.path == path and not statement.is_header:
            return text[: statement.value] + _written(value) + text[statement.stop :]
    line = f"{_key(path[-1])} = {_written(value)}{comment and '  # ' + comment}{end}"
    at = _key_place(statements, path[:-1])
    before = text[:at]
    return before + ("" if not before or before.endswith("\n") else end) + line + text[at:]


def with_toml_items(text: str, path: Sequence[str], items: Sequence[str]) -> str:
    """The text with strings added at the end of a list; a list that is not there becomes the first key of its table."""
    statements, path = list(_statements(text)), tuple(path)
    for statement in statements:
        if statement.path == path and not statement.is_header:
            if text[statement.value] != "[":
                raise OddText(f"{'.'.join(path)} is no list")
            return _with_items(text, statement, [_written(item) for item in items])
    table = next((each for each in statements if each.is_header and each.path == path[:-1]), None)
    if table is None:
        raise OddText(f"{'.'.join(path[:-1])} is no table of its own")
    before, end = text[: table.end], "\r\n" if "\r\n" in text else "\n"
    line = f"{_key(path[-1])} = {_written(list(items))}{end}"
    return before + ("" if before.endswith("\n") else end) + line + text[table.end :]


def without_toml_member(text: str, path: Sequence[str]) -> str:
    """The text without a key or a table, which must be there; of the blank lines around a table one goes too."""
    path = tuple(path)
    statements = list(_statements(text))
    mine = [place for place, statement in enumerate(statements) if statement.path[: len(path)] == path]
    if not mine or mine != list(range(mine[0], mine[-1] + 1)):
        raise OddText(f"{'.'.join(path)} is not written in one piece")
    first, last = statements[mine[0]], statements[mine[-1]]
    start = first.start
    rest = text[last.end :]
    if first.is_header and (rest.startswith(("\r\n", "\n")) or not rest.strip(_BLANKS + "\r\n")):
        for end in ("\r\n", "\n"):
            if text[:start].endswith(end + end):
                return text[: start - len(end)] + rest
    return text[:start] + rest


def toml_line(text: str, path: Sequence[str]) -> str:
    """The line that sets a key, its comment included; empty where none does."""
    for statement in _statements(text):
        if statement.path == tuple(path) and not statement.is_header:
            return text[statement.start : statement.end]
    return ""


def _with_items(text: str, statement: _Statement, items: list[str]) -> str:
    """The text with items after the last of a list, on lines of their own where the last one ends its line."""
    close, at, depth = statement.stop - 1, statement.value + 1, 0
    last = rest = at  # after the last item, and after its comma
    while at < close:
        mark = text[at]
        if mark == "#":
            at = _next_line(text, at)
        elif mark in "\"'":
            at = last = rest = _string_end(text, at)
        else:
            depth += (mark in "[{") - (mark in "]}")
            at += 1
            if mark == "," and not depth:
                rest = at
            elif mark not in " \t\r\n":
                last = rest = at
    if last == statement.value + 1:
        return text[:last] + ", ".join(items) + text[last:]
    newline = text.find("\n", rest)
    if not rest <= newline < close:
        return f"{text[:last]}, {', '.join(items)}{text[rest:]}"
    line = text[text.rfind("\n", 0, last) + 1 : newline]
    margin = line[: len(line) - len(line.lstrip(_BLANKS))]
    end = "\r\n" if line.endswith("\r") else "\n"
    added = f",{end}".join([margin + item for item in items]) + ("," if rest > last else "") + end
    return f"{text[:last]},{text[rest : newline + 1]}{added}{text[newline + 1 :]}"


def _key_place(statements: list[_Statement], table: tuple[str, ...]) -> int:
    """Where another key of a table goes: after its last, else after its header; for the document also at the top."""
    place = -1 if table else 0
    inside = not table
    for statement in statements:
        if statement.is_header:
            inside = statement.path == table
            if inside:
                place = statement.end
        elif inside:
            place = statement.end
    if place < 0:
        raise OddText(f"{'.'.join(table)} is no table of its own")
    return place


def _statements(text: str) -> Iterator[_Statement]:
    """Every header and key of a sound text, in order."""
    at = 1 if text.startswith("\ufeff") else 0
    table: tuple[str, ...] = ()
    while at < len(text):
        start = at
        while at < len(text) and text[at] in _BLANKS:
            at += 1
        if at >= len(text) or text[at] in "#\r\n":
            at = _next_line(text, at)
            continue
        if text[at] == "[":
            end = _next_line(text, at)
            bare = text[at:end].lstrip("[").strip(_BLANKS)
            table = _path(bare[: _key_end(bare, "]")])
            yield _Statement(table, True, start, start, end, end)
        else:
            equals = at + _key_end(text[at:], "=")
            value = equals + 1
            while text[value] in _BLANKS:
                value += 1
            stop = _value_end(text, value)
            end = _next_line(text, stop)
            yield _Statement((*table, *_path(text[at:equals])), False, start, value, stop, end)
        at = end


def _next_line(text: str, at: int) -> int:
    newline = text.find("\n", at)
    return len(text) if newline < 0 else newline + 1


def _key_end(text: str, mark: str) -> int:
    """The index of the first such mark outside a quoted key."""
    at = 0
    while text[at] != mark:
        at = _string_end(text, at) if text[at] in "\"'" else at + 1
    return at


def _path(key: str) -> tuple[str, ...]:
    """A dotted key as its parts, by the standard library."""
    found: object = tomllib.loads(f"{key} = 0")
    path = []
    while isinstance(found, dict):
        ((part, found),) = found.items()
        path.append(part)
    return tuple(path)


def _string_end(text: str, at: int) -> int:
    mark = text[at]
    triple = mark * 3
    if text.startswith(triple, at):
        at += 3
        while not text.startswith(triple, at):
            at += 2 if mark == '"' and text[at] == "\\" else 1
        at += 3
        while at < len(text) and text[at] == mark:  # up to two more belong to it
            at += 1
        return at
    at += 1
    while text[at] != mark:
        at += 2 if mark == '"' and text[at] == "\\" else 1
    return at + 1


def _value_end(text: str, at: int) -> int:
    """Where the value ends that begins there."""
    depth, end = 0, at
    while at < len(text):
        mark = text[at]
        if mark in "\"'":
            at = end = _string_end(text, at)
            continue
        if mark == "#" or (mark in "\r\n" and not depth):
            if not depth:
                return end
            at = _next_line(text, at)
            continue
        depth += (mark in "[{") - (mark in "]}")
        at += 1
        if mark not in " \t\r\n":
            end = at
    return end


def _key(key: str) -> str:
    return key if key and _BARE.issuperset(key) else _written(key)


def _written(value: object) -> str:
    if isinstance(value, dict):
        rows = [f"{_key(key)} = {_written(each)}" for key, each in value.items()]
        return "{ " + ", ".join(rows) + " }" if rows else "{}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_written, value)) + "]"
    # A string of TOML is one of JSON but for DEL, which JSON leaves as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
