r"""Glob patterns as in a gitignore file, matched on bytes in time bounded by pattern times name, without `re`.

    patterns = GlobList.parse(b"*.log\n!keep.log\n/build/\n")
    patterns.decide("sub/a.log", folder=False)   # True: matched, False: matched by a negated pattern, None: not matched

The rules are those of git, edges included: a pattern is compared byte by byte, so `?` and `[...]` match one byte of a
name and not one character; a pattern without a slash (but at its end) is compared with the last component alone.
"""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.core.glob_pattern import Glob, parse_glob


class GlobList:
    """Patterns in order; the last match decides. Patterns without a star are looked up in a table, not tried."""

    __slots__ = ("_by_name", "_by_path", "_by_suffix", "_general", "_suffix_lengths")

    def __init__(self, globs: Iterable[Glob]) -> None:
        # (key, for a folder) -> the place of the last such pattern, and what it decides.
        self._by_name: dict[tuple[bytes, bool], tuple[int, bool]] = {}
        self._by_path: dict[tuple[bytes, bool], tuple[int, bool]] = {}
        self._by_suffix: dict[tuple[bytes, bool], tuple[int, bool]] = {}
        self._general: list[tuple[int, Glob]] = []
        for place, glob in enumerate(globs):
            table, key = self._table(glob)
            if table is None:
                self._general.append((place, glob))
                continue
            table[key, True] = (place, not glob.negated)
            if not glob.folders_only:
                table[key, False] = (place, not glob.negated)
        self._general.reverse()
        self._suffix_lengths = sorted({len(key) for key, _ in self._by_suffix})

    @classmethod
    def parse(cls, text: bytes | str) -> GlobList:
        """The patterns of an ignore file."""
        return cls(parse_globs(text))

    def _table(self, glob: Glob) -> tuple[dict[tuple[bytes, bool], tuple[int, bool]] | None, bytes]:
        if glob.runs is None:
            return (self._by_path if glob.anchored else self._by_name), glob.literal
        if not glob.anchored and not glob.literal:
            pieces = glob.runs[0].components[0].pieces
            if len(pieces) == 2 and pieces[0] == b"" and isinstance(pieces[1], bytes):
                return self._by_suffix, pieces[1]
        return None, b""

    def decide(self, path: bytes | str, *, folder: bool) -> bool | None:
        """True where the last pattern that matches is a plain one, False where it is negated, None where none matches.

        `path` is relative to where the patterns were written, with `/` between its components and at neither end.
        """
        path = as_bytes(path)
        name = path[path.rfind(b"/") + 1 :]
        nothing = (-1, False)
        place, verdict = max(self._by_name.get((name, folder), nothing), self._by_path.get((path, folder), nothing))
        for length in self._suffix_lengths:
            if length > len(name):
                break
            found = self._by_suffix.get((name[len(name) - length :], folder), nothing)
            if found[0] > place:
                place, verdict = found
        for at, glob in self._general:
            if at < place:
                break
            if glob.matches(path, folder=folder):
                return not glob.negated
        return verdict if place >= 0 else None


def parse_globs(text: bytes | str) -> list[Glob]:
    """The patterns of an ignore file, in order; lines that match nothing are left out."""
    data = as_bytes(text).removeprefix(b"\xef\xbb\xbf")
    globs = [parse_glob(line.removesuffix(b"\r")) for line in data.split(b"\n")]
    return [glob for glob in globs if glob is not None]


def as_bytes(text: bytes | str) -> bytes:
    """A name or pattern as git sees it; a name that is not UTF-8 carries its bytes as lone surrogates."""
    if isinstance(text, bytes):
        return text
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
