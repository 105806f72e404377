"""AsciiDoc: titles, source blocks, notes, lists and tables as Markdown, line by line. Pure, and linear in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from holdfast.caches.readers.asciidoc_inline import inline_words, substituted
from holdfast.caches.readers.asciidoc_lines import AsciidocLines
from holdfast.caches.readers.decoded_text import decoded
from holdfast.caches.readers.included_text import IncludedText
from holdfast.caches.readers.page_text import PageText, Row
from holdfast.caches.readers.site_values import SiteValues
from holdfast.caches.readers.source_reader import Page, SourceFiles

# What may stand before the bar of a cell: its span, its place, its style.
_SPECIFIERS = "0123456789.+*<>^aehlmsdv"
_CELL_STYLES = frozenset("0123456789+*<>^|")
_MOST_COLUMNS = 64
_NOTES = {"NOTE": "Note", "TIP": "Tip", "IMPORTANT": "Important", "WARNING": "Warning", "CAUTION": "Caution"}
# What no title consists of alone.
_SIGNS = " \t!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_DEEPEST_HEADING = 6
_LANGUAGE = re.compile(r"(?a)[\w+#-]{1,19}")
_SET = re.compile(r"(?a):(!?)([\w-]+)(!?):(?:[ ](.*))?$")
_DEEPEST_LIST = 8
# An item: of a list, a callout, one with a number, a term with or without its description.
_ITEM = re.compile(
    r"^(?:(\*{1,8}|\.{1,8}|-)[ ]+(?:\[[ x*]\][ ])?(.*)|<(\.|[0-9]{1,3})>[ ](.*)|([0-9]{1,4}\.[ ])(.*)"
    r"|(?![:;]*$)(.{1,999}?)(:::?|;;)(?:[ ]+(.*))?$)"
)
# Characters that attributes may add to a page, and of one value.
_MOST_ADDED, _LONGEST_VALUE = 1 << 18, 1000
# Lines that begin and end a block of code, by their first character; other characters are a frame around text.
_CODE = "-.+"
# The characters that underline a title, by its level from 1; and how many characters they may be off its length.
_UNDERLINES, _MOST_OFF = "=-~^+", 1
# Styles of a paragraph whose lines stay as they are.
_LITERAL = frozenset(("source", "listing", "literal", "verse", "synopsis"))
_STYLES = _LITERAL.union(_NOTES, ("tabs", "horizontal", "qanda"))
_DROPPED = ("'''", "<<<", "image::", "toc::", "video::", "audio::")


def read_asciidoc(data: bytes, name: str, files: SourceFiles) -> Page:
    """The page. Raises Unreadable."""
    page = AsciidocPage(IncludedText(name, files), SiteValues(files).attributes())
    lines = decoded(data).split("\n")
    for text, source in page.lines.rows([(line, number) for number, line in enumerate(lines, 1)]):
        page.take(text, source)
    return page.finish()


class AsciidocPage:
    """Lines taken one after another, and what they are written as."""

    def __init__(self, included: IncludedText, attributes: dict[str, str]) -> None:
        self._page = PageText()
        self._lines: list[tuple[str, Row]] = []  # of the paragraph that is open, each with what is put before it
        self._included = included
        self._attributes = attributes
        self.lines = AsciidocLines(included, self._attributes)
        self._added = _MOST_ADDED
        self._end = ""  # what ends the block we are in: code, a comment, a table; a line end for a blank line
        self._code: list[Row] = []
        self._table: TableCells | None = None
        # What the last line in brackets says of the next block.
        self._style = self._language = self._note = self._columns = self._anchor = ""
        self._substitutes = False
        self._is_header = False
        self._begins = True  # a block: after a blank line, and before any line of it
        self._held: Row | None = None  # a line that may be a title, if the next one underlines it
        self._items: list[tuple[str, int]] = []  # of each list that is open, its marker, and the width of what it adds
        self._is_attached = False  # by a plus: the next block belongs to the open item
        self._frames: list[tuple[str, str, list[tuple[str, int]]]] = []  # of each, its line, margin and open lists
        self._base = ""  # the margin of the frame that we are in

    def take(self, text: str, source: int) -> None:
        """The next line."""
        line = text.rstrip(" \t")
        if self._held is not None:
            held, self._held = self._held, None
            is_end = any(line == frame for frame, *_ in self._frames)
            if not is_end and (level := _underlined(held[0], line)) and self._title(level, *held):
                self._begins = True
                return
            self._text(*held)
            self._begins = False
        if self._end == "\n" and (line == "+" or _is_delimiter(line)):
            self._inside("", source)
        if self._end:
            self._inside(line, source)
        elif not line:
            self._is_header = False
            self._begins = True
            self._written().blank()
        else:
            self._outside(line, source)

    def finish(self) -> Page:
        """The page after the last line: what is still open ends."""
        if self._held is not None:
            self._text(*self._held)
        if self._end:
            self._inside(self._end.strip("\n"), 0)
        return self._written().page()

    def _written(self) -> PageText:
        """The page with the paragraph that was open, whose links and code may begin on one line and end on another."""
        if self._lines:
            words = self._words("\n".join([text for _, (text, _) in self._lines])).split("\n")
            for (front, (_, source)), text in zip(self._lines, words, strict=False):
                escape = "\\" if text.startswith(("# ", "```", "~~~")) and not front.strip(" ") else ""
                self._page.line(f"{front}{escape}{text.removesuffix(' +')}", source)
            self._lines = []
        return self._page

    @property
    def _margin(self) -> str:
        return self._base + " " * sum([width for _, width in self._items])

    def _inside(self, line: str, source: int) -> None:
        if line != self._end.strip("\n"):
            if self._table is not None:
                self._table.take(self._words(line), source)
            else:
                self._code.append((self._substituted(line) if self._substitutes else line, source))
            return
        if self._table is not None:
            self._written().verbatim(list(self._table.rows()))
        elif self._end[0] in "-.`\n":
            code = self._code
            if self._style in ("verse", "synopsis"):
                code = [(text.replace("`", "").replace("'", ""), of) for text, of in code]
            self._written().fence(code, self._language, self._margin)
        self._end, self._code, self._table, self._language, self._style = "", [], None, "", ""
        self._begins, self._is_attached = True, False

    def _outside(self, line: str, source: int) -> None:
        first = line[0]
        level = len(line) - len(line.lstrip(first)) if first in "=#" else 0
        if line.startswith("////") and not line.strip("/"):
            self._end = line
            return
        if line.startswith("//") or (first == ":" and self._attribute(line)):
            return
        if level and line[level : level + 1] == " " and self._title(level, line[level:], source):
            return
        if line.startswith(("|===", ",===", "!===", ":===")):
            self._end, self._table = line, TableCells(self._columns)
            self._columns = ""
        elif first == "[" and line[-1] == "]" and (self._begins or line[1:].partition(",")[0].rstrip("]") in _STYLES):
            self._block_attributes(line[1:-1])
        elif _is_delimiter(line):
            self._delimiter(line)
        elif line.startswith("```"):
            self._end, self._language = "```", line[3:].strip(" ") or self._language
        elif first == "." and line[1:2] not in ("", " ", "."):
            self._written().block([f"{self._margin}**{self._words(line[1:])}**"], source)
        elif line == "+" or line.startswith(_DROPPED):
            self._is_attached = line == "+" and bool(self._items)
            self._begins = True
            self._written().blank()
        elif not self._is_header:
            self._paragraph(line, source)

    def _paragraph(self, line: str, source: int) -> None:
        """A line of text: literal, of a list, prose, or a title if the next line underlines it."""
        if self._begins:
            is_item = bool(_item(line.lstrip(" \t"))[0])
            if not is_item and not self._is_attached:
                self._items.clear()
            if (line[0] in " \t" and not is_item) or self._style in _LITERAL:
                self._end, self._code = "\n", [(self._substituted(line) if self._substitutes else line, source)]
                return
            if not is_item and not self._is_attached and line[0] not in " \t":
                self._held = line, source
                return
        self._text(line, source)
        self._begins = self._is_attached = False

    def _attribute(self, line: str) -> bool:
        spec = _SET.match(line)
        if spec is None:
            return False
        if spec[1] or spec[3]:
            self._attributes.pop(spec[2], None)
        else:
            self._attributes[spec[2]] = substituted((spec[4] or "").strip(" "), self._attributes)[:_LONGEST_VALUE]
        return True

    def _title(self, level: int, words: str, source: int) -> bool:
        if level > _DEEPEST_HEADING:
            return False
        self._is_header = level == 1 and not len(self._written())
        self._items.clear()
        self._frames.clear()
        self._base = ""
        # What stands between angle brackets is a word here, and a tag in Markdown.
        parts = self._words(words.strip(" ")).split("`")
        title = "`".join([part if number % 2 else part.replace("<", "\\<") for number, part in enumerate(parts)])
        self._written().block([f"{'#' * level} {title}"], source)
        self.lines.section = self._anchor or self.lines.section
        self._language = self._note = self._anchor = self._style = ""
        return True

    def _block_attributes(self, spec: str) -> None:
        style, *more = [part.strip(" \"'") for part in spec.split(",")]
        if spec.startswith(("[", "#")):
            self._anchor = spec.strip("[]#").partition(",")[0]
        kind = style.partition("%")[0].partition("#")[0].partition(".")[0]
        if not spec.startswith(("[", "#", ".")):
            named = [part.removeprefix("language=") for part in more if "=" not in part or part.startswith("language=")]
            named = [part for part in named if _LANGUAGE.fullmatch(part)]
            self._language = named[0] if named else self._attributes.get("source-language", self._language)
            self._style = kind if kind in _LITERAL else "source" if not kind and named else ""
            self._substitutes = "attributes" in spec and "subs" in spec
        if kind in _NOTES:
            self._note = _NOTES[kind]
        at = spec.find('cols="')
        if at >= 0:
            self._columns = spec[at + 6 :].partition('"')[0]

    def _delimiter(self, line: str) -> None:
        if line[0] in _CODE and line != "--":
            self._end = line
        elif self._frames and self._frames[-1][0] == line:
            _, self._base, self._items = self._frames.pop()
        elif len(self._frames) < _DEEPEST_LIST:
            self._frames.append((line, self._base, self._items))
            self._base, self._items = self._margin if self._is_attached else self._base, []
        if not self._end:
            self._style = self._language = ""
        self._begins, self._is_attached = True, False
        self._written().blank()

    def _text(self, line: str, source: int) -> None:
        """A line of prose, or of a list."""
        name, colon, said = line.partition(": ")
        if colon and name in _NOTES:
            self._note, line = _NOTES[name], said
        if self._note:
            self._written().block([f"{self._margin}> **{self._note}**"], source)
            self._note = ""
        kind, marker, line = _item(line.strip(" \t"))
        if not kind:
            self._lines.append((self._margin, (line, source)))
            return
        self._written()
        self._open_item(kind, len(marker))
        margin = self._margin
        front = margin[: len(margin) - len(marker)] + marker
        if marker == "- " and kind[-1] in ":;":
            term, colon, line = line.partition("\0")
            front += f"**{self._words(term)}**" + (": " if colon else "")
        self._lines.append((front, (line, source)))
        self._style = self._language = ""

    def _open_item(self, kind: str, width: int) -> None:
        """Go to the list of a marker: one that is open, or one inside the item that is."""
        kinds = [marker for marker, _ in self._items]
        if kind in kinds:
            del self._items[kinds.index(kind) :]
        del self._items[_DEEPEST_LIST - 1 :]
        self._items.append((kind, width))

    def _words(self, text: str) -> str:
        return inline_words(self._substituted(text), lambda name: self._included.missing(f"{{{name}}}"))

    def _substituted(self, text: str) -> str:
        found = substituted(text, self._attributes) if self._added > 0 else text
        self._added -= max(len(found) - len(text), 0)
        return found


def _is_delimiter(line: str) -> bool:
    """Whether a line begins or ends a block."""
    return (len(line) > 3 and line[0] in "-.+=*_" and not line.strip(line[0])) or line == "--"


def _underlined(title: str, underline: str) -> int:
    """The level of the title that a line underlines, from 1; 0 where it does not."""
    mark = underline[:1]
    if not mark or mark not in _UNDERLINES or len(underline) < 2 or underline.strip(mark):
        return 0
    off = abs(len(title) - len(underline))
    has_word = bool(title.strip(_SIGNS))
    return _UNDERLINES.index(mark) + 1 if has_word and off <= _MOST_OFF else 0


def _item(line: str) -> tuple[str, str, str]:
    """The marker of an item, the one that Markdown has, and the item's words; no marker for any other line.

    The words of a term are followed by a NUL and its description, if that is on the same line.
    """
    spec = _ITEM.match(line)
    if spec is None:
        return "", "", line
    mark, words, callout, called, number, numbered, term, colons, said = spec.groups("")
    if mark:
        return mark, "1. " if mark[0] == "." else "- ", words
    if callout:
        return "<>", f"{callout.replace('.', '1')}. ", called
    if number:
        return "1.", number, numbered
    return colons, "- ", term + (f"\0{said}" if said else "")


class TableCells:
    """The cells of a table, in order; `columns` is what its attribute says of them."""

    def __init__(self, columns: str) -> None:
        self._count = _count(columns)
        self._cells: list[tuple[list[str], int]] = []

    def take(self, line: str, source: int) -> None:
        """The next line between the table's borders."""
        parts = line.replace("\\|", "\u0000").split("|")
        before = parts[0].strip(" ")
        if len(parts) > 1 and not before.strip(_SPECIFIERS):
            before = ""
        if before and self._cells:
            self._cells[-1][0].append(before.replace("\u0000", "\\|"))
        for number, part in enumerate(parts[1:], 1):
            words = part.strip(" ")
            head, blank, last = words.rpartition(" ")
            if number < len(parts) - 1 and blank and not last.strip(_SPECIFIERS) and last[-1:] in _CELL_STYLES:
                words = head
            self._cells.append(([words.replace("\u0000", "\\|")] if words else [], source))
        if not self._count and len(parts) > 1:
            self._count = min(len(parts) - 1, _MOST_COLUMNS)

    def rows(self) -> Iterator[tuple[str, int]]:
        """The table's lines, each with the line of the source that its first cell is on."""
        count = self._count or 1
        for first in range(0, len(self._cells), count):
            cells = self._cells[first : first + count]
            yield "| " + " | ".join([" ".join(words) for words, _ in cells]) + " |", cells[0][1]
            if not first:
                yield "|" + "---|" * count, cells[0][1]


def _count(columns: str) -> int:
    """How many columns an attribute such as `1,2,3` or `3*` tells of; 0 where it does not."""
    found = 0
    for part in columns.split(",")[:_MOST_COLUMNS] if columns else []:
        times = part.strip(" ").partition("*")[0] if "*" in part else "1"
        found += int(times) if times.isascii() and times.isdigit() and len(times) < 3 else 1
    return min(found, _MOST_COLUMNS)
