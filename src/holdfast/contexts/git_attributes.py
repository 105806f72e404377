"""What `.gitattributes` files say about how git checks a file in: line ends, filters, keywords, encodings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import NamedTuple

from holdfast.core.globs import GlobList, as_bytes, parse_globs

# True where it is set, False where it is unset, else its value.
State = bool | bytes

GITATTRIBUTES = ".gitattributes"
_KNOWN = frozenset({b"text", b"crlf", b"eol", b"filter", b"ident", b"working-tree-encoding"})
# What changes more than line ends: a file without a single CRLF has to be looked up for these too.
_REWRITING = frozenset({b"filter", b"ident", b"working-tree-encoding"})
_BINARY: Mapping[bytes, State | None] = {b"text": False}
_ESCAPE = re.compile(rb'\\([abtnvfr"\\]|[0-7]{3})')
_ESCAPED = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}


class _Line(NamedTuple):
    """A pattern, and the attributes it gives; None takes one back."""

    base: bytes
    pattern: GlobList
    given: Mapping[bytes, State | None]


class Attributes:
    """The attribute files in force in one directory; immutable. Equal keys decide equally."""

    def __init__(
        self,
        lines: tuple[_Line, ...] = (),
        overriding: tuple[_Line, ...] = (),
        macros: Mapping[bytes, Mapping[bytes, State | None]] | None = None,
        key: str = "",
    ) -> None:
        self._lines, self._overriding = lines, overriding  # each with the strongest last
        self._macros = macros if macros is not None else {b"binary": _BINARY}
        self.key = key

    @property
    def rewrites(self) -> bool:
        """Whether any of them gives more than line ends."""
        return any(not _REWRITING.isdisjoint(line.given) for line in (*self._lines, *self._overriding))

    def within(self, directory: bytes, text: bytes | None) -> Attributes:
        """The attributes below `directory`, a path from the top, with its own file."""
        if text is None:
            return self
        macros = dict(self._macros)
        lines = tuple(_parsed(text, directory, macros, at_top=not directory))
        return Attributes((*self._lines, *lines), self._overriding, macros, _key(self.key, directory, text))

    def overridden(self, text: bytes | None) -> Attributes:
        """With `info/attributes` of the repository, which decides before every other file."""
        if text is None:
            return self
        macros = dict(self._macros)
        lines = tuple(_parsed(text, b"", macros, at_top=True))
        return Attributes(self._lines, lines, macros, _key(self.key, b"\0", text))

    def of(self, path: bytes) -> dict[bytes, State]:
        """The attributes of a file, by its path from the top."""
        found: dict[bytes, State | None] = {}
        for base, pattern, given in (*self._lines, *self._overriding):
            if path.startswith(base) and pattern.decide(path[len(base) :], folder=False):
                found.update(given)
        return {name: state for name, state in found.items() if state is not None}


def _key(outer: str, directory: bytes, text: bytes) -> str:
    return sha256(b"\0".join([outer.encode(), repr(directory).encode(), text])).hexdigest()


def _parsed(
    text: bytes, directory: bytes, macros: dict[bytes, Mapping[bytes, State | None]], *, at_top: bool
) -> list[_Line]:
    base = directory + b"/" if directory else b""
    found = []
    for row in text.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        pattern, words = _pattern(row.strip(b" \t\r"))
        if pattern.startswith(b"[attr]"):
            if at_top:
                macros[pattern[6:]] = _given(words, macros)
        elif pattern and not pattern.startswith((b"#", b"!")):
            given = _given(words, macros)
            globs = [glob for glob in parse_globs(pattern) if not glob.negated] if given else []
            if globs:
                found.append(_Line(base, GlobList(globs), given))
    return found


def _pattern(row: bytes) -> tuple[bytes, list[bytes]]:
    """The first word, which may stand between quotation marks, and the others."""
    if row.startswith(b'"'):
        end = 1
        while end < len(row) and row[end : end + 1] != b'"':
            end += 2 if row[end : end + 1] == b"\\" else 1
        return _ESCAPE.sub(_unescaped, row[1:end]), row[end + 1 :].split()
    words = row.split()
    return (words[0], words[1:]) if words else (b"", [])


def _unescaped(found: re.Match[bytes]) -> bytes:
    word = found[1]
    return bytes([int(word, 8) & 255]) if word.isdigit() else _ESCAPED.get(word, word)


def _given(words: list[bytes], macros: Mapping[bytes, Mapping[bytes, State | None]]) -> dict[bytes, State | None]:
    given: dict[bytes, State | None] = {}
    for word in words:
        name, equals, value = word.partition(b"=")
        state: State | None = value if equals else True
        if name[:1] in (b"-", b"!"):
            state = False if name[:1] == b"-" else None
            name = name[1:]
        if state is True and name in macros:
            given.update(macros[name])
        if name in _KNOWN:
            given[name] = state
    return given


def attribute_path(place: str, name: str) -> bytes:
    """A path as attributes know it."""
    return as_bytes(f"{place}/{name}" if place else name)
