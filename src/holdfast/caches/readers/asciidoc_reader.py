"""AsciiDoc: titles, source blocks, notes, lists and tables as Markdown, line by line. Pure, and linear in the text."""

from __future__ import annotations

from holdfast.caches.readers.asciidoc_inline import inline_words, substituted
from holdfast.caches.readers.asciidoc_table import TableCells
from holdfast.caches.readers.decoded_text import decoded
from holdfast.caches.readers.included_text import DEEPEST, IncludedText, chosen_lines
from holdfast.caches.readers.page_text import PageText

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.caches.readers.page_text import Row
    from holdfast.caches.readers.source_reader import Page, SourceFiles

_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
_NOTES = {"NOTE": "Note", "TIP": "Tip", "IMPORTANT": "Important", "WARNING": "Warning", "CAUTION": "Caution"}
_DEEPEST_HEADING = 6
_DEEPEST_LIST = 8
# Characters that attributes may add to a page, and of one value.
_MOST_ADDED, _LONGEST_VALUE = 1 << 18, 1000
# Lines that begin and end a block, by their first character: what is code, and what is a frame around text.
_CODE, _FRAMES = "-.", "=*_"


def read_asciidoc(data: bytes, name: str, files: SourceFiles) -> Page:
    """The page. Raises Unreadable."""
    page = AsciidocPage(IncludedText(name, files))
    lines = decoded(data).split("\n")
    for text, source in page.included([(line, number) for number, line in enumerate(lines, 1)], 0):
        page.take(text, source)
    page.finish()
    return page.page.page()


class AsciidocPage:
    """Lines taken one after another, and what they are written as."""

    def __init__(self, included: IncludedText) -> None:
        self.page = PageText()
        self._included = included
        self._attributes: dict[str, str] = {}
        self._added = _MOST_ADDED
        self._conditions: list[bool] = []  # of each `ifdef` that is open, whether its lines count
        self._hidden = 0  # how many of them say no
        self._end = ""  # what ends the block we are in: code, a comment, a table
        self._code: list[Row] = []
        self._table: TableCells | None = None
        self._language = self._note = self._columns = ""  # what the last line in brackets says of the next block
        self._is_header = False

    def included(self, rows: Sequence[Row], depth: int) -> Iterator[Row]:
        """Lines with those of the files that they include, which stand for the line that does."""
        for text, source in rows:
            if not text.startswith("include::") or not text.rstrip(" ").endswith("]"):
                yield text, source
                continue
            path, _, options = text[len("include::") :].rstrip(" ")[:-1].partition("[")
            lines = None
            if depth < DEEPEST and not self._hidden:
                lines = self._included.lines(substituted(path, self._attributes).removeprefix("./"))
            if lines is None:
                yield text, source
                continue
            lines = _chosen(lines, options)
            yield from self.included([(line, source) for line in lines], depth + 1)

    def take(self, text: str, source: int) -> None:
        """The next line."""
        line = text.rstrip(" \t")
        if self._condition(line):
            return
        if self._end:
            self._inside(line, source)
        elif not line:
            self._is_header = False
            self.page.blank()
        else:
            self._outside(line, source)

    def finish(self) -> None:
        """After the last line: what is still open ends."""
        if self._end:
            self._inside(self._end, 0)

    def _condition(self, line: str) -> bool:
        """Whether a line is of a condition, or does not count by one."""
        if line.startswith(("ifdef::", "ifndef::", "ifeval::")) and line.endswith("]"):
            kind, _, rest = line.partition("::")
            names, _, told = rest[:-1].partition("[")
            holds = any(name in self._attributes for name in names.replace("+", ",").split(","))
            if kind == "ifeval" or not told:
                counts = kind == "ifeval" or holds == (kind == "ifdef")
                self._conditions.append(counts)
                self._hidden += not counts
            return True
        if line.startswith("endif::"):
            if self._conditions:
                self._hidden -= not self._conditions.pop()
            return True
        return self._hidden > 0

    def _inside(self, line: str, source: int) -> None:
        if line != self._end:
            if self._table is not None:
                self._table.take(self._words(line), source)
            else:
                self._code.append((line, source))
            return
        if self._table is not None:
            self.page.blank()
            for text, of in self._table.rows():
                self.page.line(text, of)
            self.page.blank()
        elif self._end[0] in "-.`":
            self.page.fence(self._code, self._language)
        self._end, self._code, self._table, self._language = "", [], None, ""

    def _outside(self, line: str, source: int) -> None:
        first = line[0]
        if line.startswith("////") and not line.strip("/"):
            self._end = line
        elif (
            line.startswith("//")
            or (first == ":" and self._attribute(line))
            or (first in "=#" and self._title(line, source))
        ):
            pass
        elif line.startswith(("|===", ",===", "!===")):
            self._end, self._table = line, TableCells(self._columns)
            self._columns = ""
        elif first == "[" and line[-1] == "]":
            self._block_attributes(line[1:-1])
        elif (len(line) > 3 and first in "-.+=*_" and not line.strip(first)) or line == "--":
            self._delimiter(line)
        elif line.startswith("```"):
            self._end, self._language = "```", line[3:].strip(" ") or self._language
        elif first == "." and line[1:2] not in ("", " ", "."):
            self.page.block([f"**{self._words(line[1:])}**"], source)
        elif line == "+" or line.startswith(("'''", "<<<", "image::", "toc::", "video::", "audio::")):
            self.page.blank()
        elif not self._is_header:
            self._text(line, source)

    def _attribute(self, line: str) -> bool:
        name, colon, value = line[1:].partition(":")
        plain = name.strip("!")
        if not colon or not plain or not _NAME.issuperset(plain) or value[:1] not in ("", " "):
            return False
        if plain != name:
            self._attributes.pop(plain, None)
        else:
            self._attributes[name] = substituted(value.strip(" "), self._attributes)[:_LONGEST_VALUE]
        return True

    def _title(self, line: str, source: int) -> bool:
        level = len(line) - len(line.lstrip(line[0]))
        words = line[level:]
        if words[:1] != " " or level > _DEEPEST_HEADING:
            return False
        self._is_header = level == 1 and not len(self.page)
        self.page.block([f"{'#' * level} {self._words(words.strip(' '))}"], source)
        self._language = self._note = ""
        return True

    def _block_attributes(self, told: str) -> None:
        style, *more = [part.strip(" \"'") for part in told.split(",")]
        kind = style.partition("%")[0].partition("#")[0]
        if kind in ("source", "listing", "", "code") and not told.startswith(("[", "#", ".")):
            named = [part.removeprefix("language=") for part in more if "=" not in part or part.startswith("language=")]
            self._language = named[0] if named else self._attributes.get("source-language", self._language)
        if kind in _NOTES:
            self._note = _NOTES[kind]
        at = told.find('cols="')
        if at >= 0:
            self._columns = told[at + 6 :].partition('"')[0]

    def _delimiter(self, line: str) -> None:
        if (line[0] in _CODE and line != "--") or line[0] == "+":
            self._end = line
        self.page.blank()

    def _text(self, line: str, source: int) -> None:
        """Write a line of prose, or of a list."""
        if self._note:
            self.page.block([f"**{self._note}**"], source)
            self._note = ""
        name, colon, said = line.partition(": ")
        if colon and name in _NOTES:
            self.page.block([f"**{_NOTES[name]}**"], source)
            line = said
        margin, line = _item(line.lstrip(" \t") if line[0] in " \t" else line)
        words = self._words(line)
        words = words.removesuffix(" +")
        if not margin and words.startswith(("# ", "```", "~~~")):
            words = "\\" + words
        self.page.line(margin + words, source)

    def _words(self, text: str) -> str:
        found = substituted(text, self._attributes) if self._added > 0 else text
        self._added -= max(len(found) - len(text), 0)
        return inline_words(found)


def _item(line: str) -> tuple[str, str]:
    """The marker of an item as Markdown has it, with its margin, and the item's words; no marker for any other line."""
    first = line[0]
    if first in "*-.":
        level = len(line) - len(line.lstrip(first))
        if line[level : level + 1] == " " and (first != "-" or level == 1) and level <= _DEEPEST_LIST:
            words = line[level:].strip(" ")
            words = words[4:] if words[:4] in ("[ ] ", "[x] ", "[*] ") else words
            return "  " * (level - 1) + ("1. " if first == "." else "- "), words
    if (
        first == "<"
        and (end := line.find("> ")) > 1
        and (line[1:end] == "." or (line[1:end].isascii() and line[1:end].isdigit()))
    ):
        return f"{line[1:end] if line[1:end] != '.' else '1'}. ", line[end + 2 :]
    term, colons, words = line.partition(":: ")
    if not colons and line.endswith("::"):
        term, colons, words = line[:-2], "::", ""
    if colons and term and len(term) < 200:
        return "- ", f"**{term.strip(':')}**" + (f": {words.strip(' ')}" if words.strip(" ") else "")
    return "", line


def _chosen(lines: list[str], options: str) -> list[str]:
    """The lines of an included file that are asked for: by number, or between the marks of tags; without marks."""
    named = {}
    for part in options.replace('"', "").split(","):
        name, _, value = part.strip(" ").partition("=")
        named[name] = value
    if "lines" in named:
        return chosen_lines(lines, named["lines"].replace("..", ":").replace(";", ","))
    wanted = {tag for tag in (named.get("tag") or named.get("tags") or "").split(";") if tag}
    found = []
    inside = ""
    for line in lines:
        if "tag::" in line or "end::" in line:
            mark = "tag::" if "tag::" in line else "end::"
            name = line.partition(mark)[2].partition("[")[0]
            if not wanted or name in wanted:
                inside = name if mark == "tag::" else ""
            continue
        if not wanted or inside:
            found.append(line)
    return found
