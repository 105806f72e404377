"""Which names a project leaves out: by `.gitignore` at every level, `.contextignore`, and the usual build folders."""

from __future__ import annotations

import re

from holdfast.core.digests import hex_digest
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

GITIGNORE, CONTEXTIGNORE = ".gitignore", ".contextignore"

# Folders that hold what tools made or fetched. A negated pattern in `.contextignore` brings one back.
_FETCHED = "node_modules bower_components vendor Pods venv site-packages __pypackages__"
_MADE = "dist build target coverage htmlcov DerivedData __pycache__"
BUILD_FOLDERS = frozenset(f"{_FETCHED} {_MADE}".split())


class Pattern(NamedTuple):
    """One line of an ignore file, compiled against paths below the file's directory."""

    expression: str
    negated: bool
    folders_only: bool


def parse_patterns(text: str) -> list[Pattern]:
    """The patterns of an ignore file, by the rules of gitignore."""
    patterns = []
    for line in text.removeprefix("\ufeff").split("\n"):
        line = _without_trailing_spaces(line.removesuffix("\r"))
        if not line or line.startswith("#"):
            continue
        negated = line.startswith("!")
        if negated:
            line = line[1:]
        folders_only = line.endswith("/")
        line = line.rstrip("/") if folders_only else line
        if not line:
            continue
        anchored = "/" in line
        expression = _expression(line.removeprefix("/"))
        patterns.append(Pattern(expression if anchored else f"(?:.*/)?{expression}", negated, folders_only))
    return patterns


def _without_trailing_spaces(line: str) -> str:
    stripped = line.rstrip(" ")
    # A backslash keeps one space.
    if len(stripped) < len(line) and (len(stripped) - len(stripped.rstrip("\\"))) % 2:
        return stripped + " "
    return stripped


def _expression(glob: str) -> str:
    """A glob as a regular expression; one that cannot be understood matches nothing."""
    parts: list[str] = []
    at = 0
    while at < len(glob):
        character = glob[at]
        if character == "*":
            end = at
            while end < len(glob) and glob[end] == "*":
                end += 1
            whole_component = (at == 0 or glob[at - 1] == "/") and (end == len(glob) or glob[end] == "/")
            if end - at == 2 and whole_component:
                if end == len(glob):
                    parts.append(".+" if at else ".*")
                    at = end
                else:
                    parts.append("(?:.*/)?")
                    at = end + 1
                continue
            parts.append("[^/]*")
            at = end
        elif character == "?":
            parts.append("[^/]")
            at += 1
        elif character == "[":
            text, at = _character_class(glob, at)
            parts.append(text)
        elif character == "\\":
            if at + 1 == len(glob):
                return r"(?!)"
            parts.append(re.escape(glob[at + 1]))
            at += 2
        else:
            parts.append(re.escape(character))
            at += 1
    return "".join(parts)


_POSIX_CLASSES = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "space": r"\s",
    "xdigit": "0-9a-fA-F",
    "punct": re.escape("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
}


def _character_class(glob: str, at: int) -> tuple[str, int]:
    """The class that opens at `at` as an expression, and where it ends; without an end nothing can match."""
    end = at + 1
    negated = glob[end : end + 1] in ("!", "^")
    end += negated
    body: list[str] = []
    first = True
    while end < len(glob) and (glob[end] != "]" or first):
        first = False
        if glob.startswith("[:", end) and (close := glob.find(":]", end)) > 0:
            body.append(_POSIX_CLASSES.get(glob[end + 2 : close], ""))
            end = close + 2
            continue
        if glob[end] == "\\" and end + 1 < len(glob):
            end += 1
        low = glob[end]
        end += 1
        if glob[end : end + 1] == "-" and glob[end + 1 : end + 2] not in ("", "]"):
            high_at = end + 2 if glob[end + 1] == "\\" else end + 1
            high = glob[high_at : high_at + 1]
            end = high_at + 1
            if high and low <= high:
                body.append(f"{re.escape(low)}-{re.escape(high)}")
            continue
        body.append(re.escape(low))
    if end >= len(glob):
        return r"(?!)", len(glob)
    if not "".join(body):
        return ("[^/]" if negated else r"(?!)"), end + 1
    # A class never matches a slash, whatever it lists.
    return f"(?!/)[{'^' if negated else ''}{''.join(body)}]", end + 1


class _Level:
    """The patterns of one ignore file. Most names match none, so all are tried at once before any in order."""

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        self._any_folder = _any_of(patterns)
        self._any_file = _any_of([pattern for pattern in patterns if not pattern.folders_only])
        self._patterns = [
            (re.compile(pattern.expression, re.DOTALL).fullmatch, pattern.negated, pattern.folders_only)
            for pattern in reversed(patterns)
        ]

    def ignores(self, path: str, *, folder: bool) -> bool | None:
        """True or False when a pattern decides, the last one first; None when none does."""
        candidate = self._any_folder if folder else self._any_file
        if candidate is None or not candidate(path):
            return None
        for matches, negated, folders_only in self._patterns:
            if (folder or not folders_only) and matches(path):
                return not negated
        return None


def _any_of(patterns: Sequence[Pattern]):  # type: ignore[no-untyped-def]  # a bound method of a compiled expression
    if not patterns:
        return None
    return re.compile("|".join(f"(?:{pattern.expression})" for pattern in patterns), re.DOTALL).fullmatch


class Rules:
    """The ignore files in force in one directory, from the outermost in; immutable. Equal keys decide equally."""

    def __init__(self, levels: tuple[tuple[str, _Level | None, _Level | None], ...] = (), key: str = "") -> None:
        self._levels = levels  # (directory, its gitignore, its contextignore), the innermost first
        self.key = key

    @property
    def is_empty(self) -> bool:
        """Whether only the usual folders are left out."""
        return not self._levels

    def within(self, directory: str, gitignore: str | None, contextignore: str | None) -> Rules:
        """The rules below `directory`, a path from the top without a slash at the end, `` for the top itself."""
        if gitignore is None and contextignore is None:
            return self
        key = hex_digest(
            "\0".join([self.key, directory, repr(gitignore), repr(contextignore)]).encode(errors="replace")
        )
        levels = [None if text is None else _Level(parse_patterns(text)) for text in (gitignore, contextignore)]
        return Rules(((directory + "/" if directory else "", levels[0], levels[1]), *self._levels), key)

    def ignores(self, directory: str, name: str, *, folder: bool) -> bool:
        """Whether `name` in `directory` (a path from the top) is left out."""
        path = f"{directory}/{name}" if directory else name
        ignored_by_git = False
        for base, gitignore, contextignore in self._levels:
            below = path[len(base) :]
            if contextignore is not None:
                decided = contextignore.ignores(below, folder=folder)
                if decided is not None:
                    return decided
            if gitignore is not None and not ignored_by_git:
                decided = gitignore.ignores(below, folder=folder)
                if decided:
                    # A contextignore further out may still bring it back, as it may bring back a build folder.
                    ignored_by_git = True
                elif decided is False:
                    break
        return ignored_by_git or (folder and (name in BUILD_FOLDERS or name.startswith(".")))
