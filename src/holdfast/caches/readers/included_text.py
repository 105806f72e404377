"""Files that a text includes: found among the sources, bounded in number and size, and what their code is. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import normpath

from holdfast.caches.readers.source_reader import SourceFiles
from holdfast.core.unicode_text import lower_case

# What one page may include: the depth of files inside files, the number of files, and their characters.
DEEPEST, _MOST_FILES, _MOST_CHARACTERS = 8, 500, 4 << 20
# A path is looked for from the page's folder up, to this many folders above the sources' top.
_ABOVE = 4
_LONGEST_PATH = 400

# By the end of a file's name, what its code is called after a fence; any other short end is its own name.
_LANGUAGES = {
    "py": "python",
    "pyi": "python",
    "rb": "ruby",
    "rs": "rust",
    "kt": "kotlin",
    "cs": "csharp",
    "yml": "yaml",
    "sh": "shell",
    "bash": "shell",
    "js": "javascript",
    "mjs": "javascript",
    "cjs": "javascript",
    "ts": "typescript",
    "mts": "typescript",
    "htm": "html",
    "md": "markdown",
    "adoc": "asciidoc",
    "txt": "",
}
_IN_LANGUAGE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")


class IncludedText:
    """What the page with a name may include; `files` says what can be had."""

    def __init__(self, name: str, files: SourceFiles) -> None:
        self._folder, self._files = name.rpartition("/")[0], files
        self._left_files, self._left_characters = _MOST_FILES, _MOST_CHARACTERS

    def lines(self, path: str, below: Sequence[str] = ("",)) -> list[str] | None:
        """The lines of a file by its path: from the page's folder, else from the nearest one above it.

        `below` are folders that it may lie in, seen from each of those. None where it cannot be had.
        """
        if not path or len(path) > _LONGEST_PATH or self._left_files <= 0:
            return None
        for place in self._places(path, below):
            text = self._files.text(place)
            if text is not None:
                self._left_files -= 1
                self._left_characters -= len(text)
                if self._left_characters < 0 or "\0" in text:
                    return None
                lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
                if not lines[-1]:
                    lines.pop()
                return lines
        return None

    def missing(self, what: str) -> None:
        """Report an include or a variable of the page that cannot be found."""
        self._files.missing(what[:_LONGEST_PATH])

    def _places(self, path: str, below: Sequence[str]) -> Iterator[str]:
        folders = self._folder.split("/")[:32] if self._folder else []
        climbing = [["..", *[".."] * above] for above in range(_ABOVE)]
        seen = set()
        for folder in [*[folders[:length] for length in range(len(folders), -1, -1)], *climbing]:
            for between in below:
                place = normpath("/".join([*folder, between, path]).lstrip("/"))
                if place != "." and place not in seen:
                    seen.add(place)
                    yield place


def language_of(path: str) -> str:
    """What code of a file is called after a fence; empty where its name does not say it."""
    name = path.rpartition("/")[2]
    end = lower_case(name.rpartition(".")[2]) if "." in name else ""
    if end in _LANGUAGES:
        return _LANGUAGES[end]
    return end if len(end) < 11 and _IN_LANGUAGE.issuperset(end) else ""


def chosen_lines(lines: Sequence[str], ranges: str) -> list[str]:
    """The lines that ranges such as `1:3,7,20:` name, by number from 1, with `...` where some between are left out."""
    found: list[str] = []
    before = 0
    for part in ranges.replace("-", ":").split(",")[:100]:
        first_text, colon, last_text = part.strip(" \t").partition(":")
        first, last = number_of(first_text, 1), number_of(last_text, len(lines)) if colon else number_of(first_text, 0)
        last = min(last, len(lines))
        if first > last or first < 1:
            continue
        if before and first > before + 1:
            found.append("...")
        found += lines[first - 1 : last]
        before = last
    return found


def number_of(text: str, otherwise: int) -> int:
    """The number that ASCII digits say, or what to take where there are none."""
    text = text.strip(" \t")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else otherwise


def dedented(lines: Sequence[str]) -> list[str]:
    """Lines without the blanks that all of them begin with."""
    margins = [len(line) - len(line.lstrip(" ")) for line in lines if line.strip(" \t")]
    margin = min(margins, default=0)
    return [line[margin:] for line in lines] if margin else list(lines)
