"""YAML text to plain values, by the core schema of YAML 1.2, with bounds on everything a file could do to its reader.

libyaml turns the text into events; composing them happens here, so that depth, aliases and duplicate keys are judged
while reading and not after. docs/decisions/0012-yaml.md has the libraries that were measured.

libyaml reads YAML 1.1. Three differences are hidden from it: U+0085, U+2028 and U+2029 end no line; a double-quoted
text may write a character beyond U+FFFF as a pair of surrogates; a tab may separate the dash of a list from its item.
What libyaml would misread is given to it as a character that the text does not contain, and put back in the values.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from yaml import YAMLError, events

try:
    from yaml._yaml import CParser as Parser
except ImportError:  # built without libyaml: the same events, several times slower
    from yaml import SafeLoader as Parser  # type: ignore[assignment]  # the same events
from collections.abc import Callable

Value = Any  # None, bool, int, float, str, list or dict of these

_PAIR = re.compile(r"(?<!\\)((?:\\\\)*+)(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})")
_NO_BREAKS = "\x85\u2028\u2029"
_HAS_NO_BREAK = re.compile(f"[{_NO_BREAKS}]").search
_PRIVATE = range(0xE000, 0xF8FF)


class StandIns:
    """A text that libyaml can read, with placeholders, and how to replace them by the original."""

    __slots__ = ("_back", "_mark", "_pairs", "any", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._pairs: list[str] = []
        self._back: dict[int, str] = {}
        self._mark = ""
        has_breaks, has_pairs = _HAS_NO_BREAK(text) is not None, "\\u" in text and _PAIR.search(text) is not None
        self.any = has_breaks or has_pairs
        if not self.any:
            return
        free = [code for code in _PRIVATE if chr(code) not in text][: len(_NO_BREAKS) + 1]
        if len(free) <= len(_NO_BREAKS):
            self.any = False  # a text of six thousand private characters: libyaml may say what it will
            return
        self._mark = chr(free[-1])
        if has_pairs:
            self.text = _PAIR.sub(self._numbered, self.text)
        there = dict(zip(map(ord, _NO_BREAKS), map(chr, free), strict=False))
        self._back = dict(zip(free, _NO_BREAKS, strict=False))
        self.text = self.text.translate(there)

    def _numbered(self, found: re.Match[str]) -> str:
        self._pairs.append(found[2])
        return f"{found[1]}{self._mark}{len(self._pairs) - 1}{self._mark}"

    def restored(self, value: str, *, is_double_quoted: bool) -> str:
        """A value as the text has it."""
        if self._pairs and self._mark in value:
            parts = value.split(self._mark)
            for at in range(1, len(parts), 2):
                pair = self._pairs[int(parts[at])]
                parts[at] = _character(pair) if is_double_quoted else pair
            value = "".join(parts)
        return value.translate(self._back)


def _character(pair: str) -> str:
    """The character that two escapes stand for together."""
    high, low = int(pair[2:6], 16), int(pair[8:12], 16)
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))


def without_tab_after_dash(text: str, line: int, column: int) -> str:
    """The text with a blank for the tab at a place, where that separates a dash from its item; else nothing."""
    start = 0
    for _ in range(line):
        start = _line_end(text, start)
    at = start + column
    before = text[start:at].split(" ")
    if text[at : at + 1] != "\t" or "-" not in before or not {"", "-"}.issuperset(before):
        return ""
    return f"{text[:at]} {text[at + 1 :]}"


def _line_end(text: str, start: int) -> int:
    ends = [end + 1 for end in (text.find("\n", start), text.find("\r", start)) if end >= 0]
    if not ends:
        return len(text)
    end = min(ends)
    return end + 1 if text[end - 1 : end + 1] == "\r\n" else end


IS_FAST = Parser.__name__ == "CParser"
MAX_BYTES = 1 << 20
MAX_DEPTH = 64
_MOST_TABS = 100  # each costs reading the text again

# The tag resolution of the core schema (YAML 1.2.2, section 10.3.2), by what a plain scalar may start with.
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?+[0-9]++\Z").match
_OCTAL = re.compile(r"0o[0-7]++\Z").match
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]++\Z").match
_FLOAT = re.compile(r"[-+]?+(?:\.[0-9]++|[0-9]++(?:\.[0-9]*+)?+)(?:[eE][-+]?+[0-9]++)?+\Z").match
_INFINITY = re.compile(r"[-+]?\.(inf|Inf|INF)\Z").match
_NOT_A_NUMBER = frozenset({".nan", ".NaN", ".NAN"})
_NUMERIC_START = frozenset("+-.0123456789")
_OTHER_START = frozenset("~nNtTfF")
_LONGEST_NUMBER = 400

_CORE = "tag:yaml.org,2002:"


class YamlError(Exception):
    """The text is not YAML, or goes beyond a limit; `line` counts from 1, 0 when unknown."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


class Document(NamedTuple):
    """A value and, when it is a mapping, the line (from 0) of each of its keys."""

    value: Value
    lines: dict[str, int]


class _Node(NamedTuple):
    """A composed value and how many characters it would take written out in full."""

    value: Value
    weight: int


def parse(data: bytes) -> Value:
    """The one value of a YAML file; YamlError when it is none, several, or beyond a limit."""
    return parse_document(data).value


def parse_document(data: bytes) -> Document:
    """The value with the lines of its top-level keys."""
    if len(data) > MAX_BYTES:
        raise YamlError(f"larger than {MAX_BYTES} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise YamlError("not UTF-8") from None
    return _read(text, _MOST_TABS)


def _read(text: str, tabs_left: int) -> Document:
    stand_ins = StandIns(text)
    try:
        return _Composer(stand_ins.text, stand_ins).document()
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        if mark is not None and tabs_left and (mended := without_tab_after_dash(text, mark.line, mark.column)):
            return _read(mended, tabs_left - 1)
        raise YamlError(getattr(error, "problem", None) or "not YAML", mark.line + 1 if mark else 0) from None


class _Open(NamedTuple):
    """A sequence or mapping whose end has not come yet."""

    container: list[Value] | dict[str, Value]
    anchor: str | None


class _Composer:
    """Puts the events of one document together, and judges depth, aliases and duplicate keys on the way."""

    def __init__(self, text: str, stand_ins: StandIns) -> None:
        self._next: Callable[[], Any] = Parser(text).get_event
        self._restored = stand_ins.restored if stand_ins.any else None
        self._anchors: dict[str, _Node | None] = {}
        self._total = 0
        self._stack: list[_Open] = []
        self._weights: list[int] = []  # of what is open
        self._keys: list[Value] = []  # of what is open, the key that waits for a value
        self._lines: dict[str, int] = {}
        self._result: Value = None

    def document(self) -> Document:
        """The document; YamlError where there are several."""
        self._next()  # the stream
        if isinstance(self._next(), events.StreamEndEvent):
            return Document(None, {})
        scalar, alias = events.ScalarEvent, events.AliasEvent
        starts = (events.SequenceStartEvent, events.MappingStartEvent)
        ends = (events.SequenceEndEvent, events.MappingEndEvent)
        next_event = self._next
        while True:
            event = next_event()
            kind = type(event)
            if kind is scalar:
                if self._restored is not None:
                    event.value = self._restored(event.value, is_double_quoted=event.style == '"')
                value = _scalar(event) if event.tag is not None or event.implicit[0] else event.value
                self._leaf(value, len(event.value) + 1, event.anchor, event)
            elif kind in starts:
                self._open(event, is_list=kind is starts[0])
            elif kind in ends:
                self._close(event)
            elif kind is alias:
                self._alias(event)
            else:
                break  # the document's end
        if not isinstance(next_event(), events.StreamEndEvent):
            raise YamlError("more than one document")
        return Document(self._result, self._lines)

    def _open(self, event: Any, *, is_list: bool) -> None:
        line = event.start_mark.line + 1
        if len(self._stack) == MAX_DEPTH:
            raise YamlError(f"nested deeper than {MAX_DEPTH}", line)
        if event.tag is not None and event.tag != _CORE + ("seq" if is_list else "map"):
            raise YamlError(f"unknown tag {event.tag}", line)
        if event.anchor is not None:
            self._anchors[event.anchor] = None  # an alias to what is still open would be endless
        self._stack.append(_Open([] if is_list else {}, event.anchor))
        self._weights.append(1)
        self._keys.append(_NO_KEY)

    def _close(self, event: Any) -> None:
        container, anchor = self._stack.pop()
        self._keys.pop()
        self._total += 1
        self._put(container, self._weights.pop(), anchor, event)

    def _alias(self, event: Any) -> None:
        node = self._anchors.get(event.anchor)
        if node is None:
            raise YamlError(f"alias *{event.anchor} leads nowhere or to itself", event.start_mark.line + 1)
        self._leaf(node.value, node.weight, None, event)

    def _leaf(self, value: Value, weight: int, anchor: str | None, event: Any) -> None:
        """Add a scalar, or the value of an alias, which counts with its full weight."""
        self._total += weight
        if self._total > MAX_BYTES:
            raise YamlError(f"expands beyond {MAX_BYTES} characters", event.start_mark.line + 1)
        self._put(value, weight, anchor, event)

    def _put(self, value: Value, weight: int, anchor: str | None, event: Any) -> None:
        """Give a finished value to what is open around it."""
        if anchor is not None:
            self._anchors[anchor] = _Node(value, weight)
        if not self._stack:
            self._result = value
            return
        self._weights[-1] += weight
        container = self._stack[-1].container
        if isinstance(container, list):
            container.append(value)
        elif self._keys[-1] is _NO_KEY:
            _check_key(value, container, event)
            self._keys[-1] = value
            if len(self._stack) == 1:
                self._lines[value] = event.start_mark.line
        else:
            container[self._keys[-1]] = value
            self._keys[-1] = _NO_KEY


_NO_KEY = object()


def _check_key(key: Value, container: dict[str, Value], event: Any) -> None:
    line = event.start_mark.line + 1
    if type(key) is not str:
        raise YamlError("a key must be a string", line)
    if key in container:
        raise YamlError(f"duplicate key '{key}'", line)


def _scalar(event: Any) -> Value:
    tag, text = event.tag, event.value
    if tag is None:
        return resolve(text)
    if tag in ("!", _CORE + "str"):
        return text
    line = event.start_mark.line + 1
    if not tag.startswith(_CORE):
        raise YamlError(f"unknown tag {tag}", line)
    value = resolve(text)
    wanted = {"null": type(None), "bool": bool, "int": int, "float": float}.get(tag[len(_CORE) :])
    if wanted is float and type(value) is int:
        value = float(value)
    if wanted is None or type(value) is not wanted:
        raise YamlError(f"'{text}' does not fit its tag", line)
    return value


def resolve(text: str) -> Value:
    """The value of a plain scalar."""
    first = text[:1]
    if first in _NUMERIC_START:
        if len(text) <= _LONGEST_NUMBER:
            return _number(text)
    elif not text or first in _OTHER_START:
        if text in _NULL:
            return None
        return _BOOLEANS.get(text, text)
    return text


def _number(text: str) -> Value:
    if _INTEGER(text):
        return int(text)
    if _OCTAL(text) or _HEXADECIMAL(text):
        return int(text, 0)
    if _FLOAT(text):
        return float(text)
    if _INFINITY(text):
        return float("-inf" if text[0] == "-" else "inf")
    return float("nan") if text in _NOT_A_NUMBER else text
