"""JSON and YAML as values that know their lines. Pure; linear; nothing recurses, and what is shared is not copied.

JSON is checked by the one decoder there is, and then read again for its lines. Of YAML only what the text says is read:
mappings, lists and scalars as they are written, no types; an alias is the value it names, however often, so that a few
lines that stand for billions cost a few lines.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from holdfast.caches.readers.source_reader import Unreadable
from holdfast.core.canonical_json import JsonError, decode
from holdfast.core.unicode_text import is_unicode

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}\[\],:]|[^ \t\n\r"{}\[\],:]++')
_CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127])
_MOST = 2_000_000  # values in YAML
_DEEPEST = 1000  # collections within collections, whose parser takes a time that grows with the square of it


class Lined(NamedTuple):
    """A value and the line at which it, or the key that it has, begins.

    The value is a dict or a list of these, or the text of a scalar. `step` is 1 where each line of a text is a line of
    the source after that.
    """

    value: Any
    line: int
    step: int = 0

    def get(self, key: str) -> Lined:
        """A member of a mapping; nothing where there is none."""
        return self.value.get(key, NOTHING) if isinstance(self.value, dict) else NOTHING

    def members(self) -> list[tuple[str, Lined]]:
        """The members of a mapping, in order; of anything else none."""
        return list(self.value.items()) if isinstance(self.value, dict) else []

    def items(self) -> list[Lined]:
        """The items of a list; of anything else none."""
        return self.value if isinstance(self.value, list) else []

    def text(self) -> str:
        """The text of a scalar; of anything else none."""
        return self.value if isinstance(self.value, str) else ""

    def rows(self) -> list[tuple[str, int]]:
        """The lines of a text, or of a list of texts as notebooks have them, each with its line of the source."""
        if isinstance(self.value, list):
            return _joined(self.value)
        first = self.line + self.step
        return [(one, first + self.step * at) for at, one in enumerate(self.text().removesuffix("\n").split("\n"))]


NOTHING = Lined("", 1)


def _joined(parts: list[Lined]) -> list[tuple[str, int]]:
    """Adjacent texts as one, in lines: each maps to the source line of the text it begins in."""
    rows: list[tuple[str, int]] = []
    pieces: list[str] = []
    source = 1
    for part in parts:
        for number, piece in enumerate(part.text().split("\n")):
            if number:
                rows.append(("".join(pieces), source))
                pieces = []
            if not pieces:
                source = part.line
            if piece:
                pieces.append(piece)
    if pieces:
        rows.append(("".join(pieces), source))
    return rows


class _Tree:
    """Keys and values taken one after another, as they are read; the first value is `root[0]`."""

    def __init__(self) -> None:
        self.root: list[Any] = []
        self._open: list[Any] = [self.root]  # the collections that are open, each with the key that waits for its value
        self._keys: list[tuple[str, int] | None] = [None]

    @property
    def depth(self) -> int:
        """How many collections are open, the root with them."""
        return len(self._open)

    def take(self, value: Lined, line: int, *, opens: bool = False) -> None:
        """Take a key, where one is wanted, or a value; a collection that opens takes what follows."""
        within, key = self._open[-1], self._keys[-1]
        if not isinstance(within, dict):
            within.append(value)
        elif key is None:
            self._keys[-1] = (value.text(), line)
        else:
            within[key[0]] = value._replace(line=key[1]) if value.step == 0 else value
            self._keys[-1] = None
        if opens:
            self._open.append(value.value)
            self._keys.append(None)

    def close(self) -> None:
        """End the collection that opened last."""
        self._open.pop()
        self._keys.pop()


def read_json(text: str) -> Lined:
    """The value of a JSON text. Raises Unreadable."""
    try:
        decode(text)
    except JsonError as error:
        raise Unreadable(f"is not JSON: {error}") from None
    line, counted = 1, 0
    tree = _Tree()
    for found in _TOKEN.finditer(text):
        part = found[0]
        line, counted = line + text.count("\n", counted, found.start()), found.start()
        if part in "}]":
            tree.close()
        elif part not in ",:":
            value: Any = {} if part == "{" else [] if part == "[" else _string(part)
            tree.take(Lined(value, line), line, opens=part in "{[")
    whole: Lined = tree.root[0]
    return whole


def _string(part: str) -> str:
    return _clean(decode(part) if "\\" in part else part[1:-1]) if part[0] == '"' else part


def read_yaml(text: str) -> Lined:
    """The value of the first document of a YAML text. Raises Unreadable."""
    import yaml

    tree = _Tree()
    anchors: dict[str, Lined] = {}
    count = 0
    event: Any  # what each kind of event has is not said alike by all releases of its type stubs
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # the same events
            if isinstance(event, (yaml.events.DocumentEndEvent, yaml.events.StreamEndEvent)):
                break
            if isinstance(event, (yaml.events.StreamStartEvent, yaml.events.DocumentStartEvent)):
                continue
            if isinstance(event, yaml.events.CollectionEndEvent):
                tree.close()
                continue
            count += 1
            if tree.depth > _DEEPEST:
                raise Unreadable("is nested too deep")
            if count > _MOST:
                raise Unreadable(f"has more than {_MOST:,} values")
            line = event.start_mark.line + 1
            opens = isinstance(event, yaml.events.CollectionStartEvent)
            if isinstance(event, yaml.events.AliasEvent):
                value = anchors.get(event.anchor or "", NOTHING)
            elif opens:
                value = Lined({} if isinstance(event, yaml.events.MappingStartEvent) else [], line)
            else:
                value = Lined(_clean(event.value), line, 1 if event.style == "|" else 0)
            if event.anchor:
                anchors[event.anchor] = value  # of an alias, what it has already
            tree.take(value, line, opens=opens)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise Unreadable(f"is not YAML (line {mark.line + 1})" if mark is not None else "is not YAML") from None
    except RecursionError:
        raise Unreadable("is nested too deep") from None
    return tree.root[0] if tree.root else NOTHING


def _clean(text: str) -> str:
    text = text if is_unicode(text) else text.encode("utf-8", "replace").decode()
    return text.replace("\r\n", "\n").translate(_CONTROLS)
