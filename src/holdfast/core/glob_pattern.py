"""One glob pattern: how its line is read, and whether a path matches it.

Nothing backtracks further than one star: the part between two stars is looked for from the left, and what lies between
two `**` is looked for component by component. So the time is bounded by the pattern's length times the path's.
"""

from __future__ import annotations

from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_SPECIAL = b"*?[\\"
_STAR, _QUESTION, _BRACKET, _ESCAPE, _SLASH = b"*?[\\/"
_CLOSE, _DASH, _COLON = b"]-:"
_ANY_BYTE = (1 << 256) - 1


def _mask(members: Iterable[int]) -> int:
    """A set of bytes as a number: bit b is set where byte b belongs to it."""
    mask = 0
    for byte in members:
        mask |= 1 << byte
    return mask


_DIGIT, _UPPER, _LOWER = _mask(range(48, 58)), _mask(range(65, 91)), _mask(range(97, 123))
_PRINT, _GRAPH = _mask(range(32, 127)), _mask(range(33, 127))
_POSIX_CLASSES = {
    b"alnum": _DIGIT | _UPPER | _LOWER,
    b"alpha": _UPPER | _LOWER,
    b"blank": _mask(b" \t"),
    b"cntrl": _mask(range(32)) | _mask(b"\x7f"),
    b"digit": _DIGIT,
    b"graph": _GRAPH,
    b"lower": _LOWER,
    b"print": _PRINT,
    b"punct": _GRAPH & ~(_DIGIT | _UPPER | _LOWER),
    b"space": _mask(b" \t\n\r"),  # git has no vertical tab and no form feed here
    b"upper": _UPPER,
    b"xdigit": _DIGIT | _mask(b"abcdefABCDEF"),
}


class _Impossible(Exception):
    """The pattern can match nothing: it ends in a lone backslash, or a class in it has no end."""


class _Component(NamedTuple):
    """What one component of a path must look like: pieces with stars between them.

    A piece is literal bytes, or one mask of allowed bytes for each byte. Without a star there is exactly one piece.
    """

    pieces: tuple[bytes | tuple[int, ...], ...]

    def matches(self, name: bytes) -> bool:
        """Whether the whole name matches."""
        pieces = self.pieces
        first = pieces[0]
        if len(pieces) == 1:
            return len(first) == len(name) and _fits(first, name, 0)
        last = pieces[-1]
        at, end = len(first), len(name) - len(last)
        if at > end or not _fits(first, name, 0) or not _fits(last, name, end):
            return False
        for piece in pieces[1:-1]:
            # The leftmost place leaves most to what follows, so no other place need ever be tried.
            at = _find(piece, name, at, end)
            if at < 0:
                return False
            at += len(piece)
        return True


def _fits(piece: bytes | tuple[int, ...], name: bytes, at: int) -> bool:
    if isinstance(piece, bytes):
        return name.startswith(piece, at)
    return all(allowed >> name[place] & 1 for place, allowed in enumerate(piece, at))


def _find(piece: bytes | tuple[int, ...], name: bytes, at: int, end: int) -> int:
    """The index of the piece's first match in `name[at:end]`, or -1."""
    if isinstance(piece, bytes):
        return name.find(piece, at, end)
    for start in range(at, end - len(piece) + 1):
        if _fits(piece, name, start):
            return start
    return -1


class _Run(NamedTuple):
    """Components in a row after a `**`, which matches at least `gap` components."""

    gap: int
    components: tuple[_Component, ...]

    def at(self, names: list[bytes], start: int) -> bool:
        """Whether the run matches at `start`; there are enough names."""
        return all(component.matches(names[place]) for place, component in enumerate(self.components, start))


class Glob(NamedTuple):
    """One pattern. Compare it with paths relative to the place it was written for."""

    negated: bool
    folders_only: bool
    anchored: bool  # compared with the whole path, else with its last component
    literal: bytes  # what a match starts with, up to the first special byte
    runs: tuple[_Run, ...] | None  # what follows that; the first matches at its start. None: nothing may follow

    def matches(self, path: bytes, *, folder: bool) -> bool:
        """Whether the pattern matches this path, negated or not."""
        if self.folders_only and not folder:
            return False
        name = path if self.anchored else path[path.rfind(b"/") + 1 :]
        runs = self.runs
        if runs is None:
            return name == self.literal
        if not name.startswith(self.literal):
            return False
        names = name[len(self.literal) :].split(b"/")
        first = runs[0]
        at, last = len(first.components), len(runs) - 1
        if at > len(names) or not first.at(names, 0):
            return False
        for place in range(1, last + 1):
            gap, components = runs[place]
            at += gap
            end = len(names) - len(components)
            if place == last:
                return at <= end and runs[place].at(names, end)
            while at <= end and not runs[place].at(names, at):
                at += 1
            if at > end:
                return False
            at += len(components)
        return at == len(names)


def parse_glob(line: bytes) -> Glob | None:
    """The pattern on one line of an ignore file; None for an empty line, a comment, and what can match nothing."""
    if line.startswith(b"#"):
        return None
    text = _without_trailing_spaces(line.partition(b"\0")[0])
    negated = text.startswith(b"!")
    text = text[negated:]
    folders_only = text.endswith(b"/")
    text = text[: len(text) - folders_only]
    anchored = b"/" in text
    text = text.removeprefix(b"/") if anchored else text
    if not text:
        return None
    if len(text.translate(None, _SPECIAL)) == len(text):
        return Glob(negated, folders_only, anchored, text, None)
    plain = next(at for at, byte in enumerate(text) if byte in _SPECIAL)
    try:
        runs = tuple(_Parser(text[plain:], anchored=anchored).runs())
    except _Impossible:
        return None
    return Glob(negated, folders_only, anchored, text[:plain], runs)


def _without_trailing_spaces(line: bytes) -> bytes:
    stripped = line.rstrip(b" ")
    backslashes = len(stripped) - len(stripped.rstrip(b"\\"))
    # A space after an odd number of backslashes is escaped.
    return stripped + b" " if len(stripped) < len(line) and backslashes % 2 else stripped


class _Parser:
    """Reads a pattern from its first special byte on.

    git compares the bytes before that one literally and drops them, so `a**/b` has its `**` at the start too.
    """

    def __init__(self, text: bytes, *, anchored: bool) -> None:
        self._text = text
        self._anchored = anchored
        self._at = 0
        self._close = -1  # the bracket that was looked for last
        self._pieces: list[bytes | tuple[int, ...]] = []
        self._piece: list[int] = []  # masks
        self._is_literal = True

    def runs(self) -> Iterable[_Run]:
        """The runs of components, first to last."""
        text = self._text
        gap = 0
        components: list[_Component] = []
        is_first = True
        while True:
            stars = self._double_star()
            if stars is None:
                components.append(self._component())
            else:
                if components or is_first:
                    yield _Run(gap, tuple(components))
                    gap, components, is_first = 0, [], False
                gap += stars  # `**/**` is one gap
            if self._at > len(text):
                break
        yield _Run(gap, tuple(components))

    def _double_star(self) -> int | None:
        """Skip a component of two stars or more. Returns how many components it matches at least, None for another."""
        text, at = self._text, self._at
        if not self._anchored or not text.startswith(b"**", at):
            return None
        while text[at : at + 1] == b"*":
            at += 1
        following = text[at : at + 2]
        if not following or following.startswith(b"/"):
            self._at = at + 1
            return 0 if following else 1
        if following == b"\\/":
            self._at = at + 2
            return 1
        return None

    def _component(self) -> _Component:
        """Read up to the next slash and pass over it."""
        text = self._text
        while self._at < len(text):
            byte = text[self._at]
            self._at += 1
            if byte == _ESCAPE:
                if self._at == len(text):
                    raise _Impossible
                byte = text[self._at]
                self._at += 1
                if byte != _SLASH:
                    self._piece.append(1 << byte)
                    continue
            if byte == _SLASH:
                return self._ended()
            if byte == _STAR:
                self._end_piece()
            elif byte == _QUESTION:
                self._piece.append(_ANY_BYTE)
                self._is_literal = False
            elif byte == _BRACKET:
                self._piece.append(self._class())
                self._is_literal = False
            else:
                self._piece.append(1 << byte)
        self._at += 1  # past where a slash would be: nothing follows
        return self._ended()

    def _end_piece(self) -> None:
        piece = self._piece
        if piece or not self._pieces:  # of stars in a row one will do
            self._pieces.append(bytes([mask.bit_length() - 1 for mask in piece]) if self._is_literal else tuple(piece))
        self._piece, self._is_literal = [], True

    def _ended(self) -> _Component:
        if self._pieces and not self._piece:
            self._pieces.append(b"")
        else:
            self._end_piece()
        component = _Component(tuple(self._pieces))
        self._pieces = []
        return component

    def _class(self) -> int:
        """The bytes a class allows; the opening bracket has been read."""
        negated = self._text[self._at : self._at + 1] in (b"!", b"^")
        self._at += negated
        allowed = 0
        low = -1  # what a range may start with
        byte = self._next()
        while True:
            if byte == _ESCAPE:
                byte = low = self._next()
                allowed |= 1 << byte
            elif byte == _DASH and low > 0 and self._text[self._at : self._at + 1] not in (b"", b"]"):
                high = self._next()
                if high == _ESCAPE:
                    high = self._next()
                if low < high:
                    allowed |= (1 << high + 1) - (1 << low)
                low = -1
            elif byte == _BRACKET and self._text[self._at : self._at + 1] == b":" and (name := self._class_name()):
                if name not in _POSIX_CLASSES:
                    raise _Impossible
                allowed |= _POSIX_CLASSES[name]
                low = -1
            else:
                low = byte
                allowed |= 1 << byte
            byte = self._next()
            if byte == _CLOSE:
                return allowed ^ _ANY_BYTE if negated else allowed

    def _next(self) -> int:
        if self._at >= len(self._text):
            raise _Impossible
        self._at += 1
        return self._text[self._at - 1]

    def _class_name(self) -> bytes:
        """Skip `[:name:]` and return the name; empty where there is none here."""
        if self._close <= self._at:
            self._close = self._text.find(b"]", self._at + 1)
            if self._close < 0:
                raise _Impossible
        close = self._close
        if close < self._at + 2 or self._text[close - 1] != _COLON:
            return b""
        name = self._text[self._at + 1 : close - 1]
        self._at = close + 1
        return name or b":"  # `[::]` names no class, and is one nevertheless
