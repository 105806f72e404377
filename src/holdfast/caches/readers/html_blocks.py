"""HTML as blocks of Markdown: headings, paragraphs, lists, tables and code, each line with its source line. Pure.

One pass over the tokens writes everything that is content, and remembers which part of what it wrote stood inside
`main`, `article` and the like; which of them is the page is known at its end. Nothing recurses, and nothing is indented
deeper than `_DEEPEST`, so that the work grows with the text and not with its nesting.
"""

from __future__ import annotations

from collections import Counter

from holdfast.caches.readers.html_elements import VOID, code_language, is_layout, is_left_out, part_of_page
from holdfast.caches.readers.html_tokens import HtmlToken, attributes
from holdfast.caches.readers.page_text import PageText, Row, inline_code, plain_line
from holdfast.core.unicode_text import WHITE_SPACE, split_at_white_space

_DEEPEST = 8  # lists and quotations within each other that are still indented
_KEPT = 1000
_NOTHING: dict[str, str] = {}
_BLOCKS = frozenset(
    "address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 "
    "h4 h5 h6 header hgroup hr html legend li main nav ol p pre section summary table tbody td tfoot th thead tr ul "
    "caption".split(" ")
)
_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_CODE = frozenset(("code", "kbd", "samp", "tt"))


# What the beginning of an element ends, within what.
_ENDED_BY = {
    "li": (("li",), ("ul", "ol")),
    "dt": (("dt", "dd"), ("dl",)),
    "dd": (("dt", "dd"), ("dl",)),
}


class HtmlTable:
    """Takes rows and cells in order, and has the lines at the end."""

    def __init__(self, line: int) -> None:
        self.depth = 1  # tables within it are part of its cells
        self.in_cell = False
        self._line = line
        self._caption: Row | None = None
        self._is_caption = False
        self._rows: list[tuple[list[str], int]] = []

    def start(self, name: str, line: int) -> None:
        """A row, a cell or the caption begins; a cell outside of any row is in one of its own."""
        if name == "tr" or (name != "caption" and not self._rows):
            self._rows.append(([], line))
        self.in_cell = name != "tr"
        self._is_caption = name == "caption"
        self._line = line

    def end(self, text: str) -> None:
        """The cell, or the caption, ends with this text."""
        self.in_cell = False
        if self._is_caption:
            self._caption = (text, self._line)
        else:
            self._rows[-1][0].append(text.replace("|", "\\|"))

    def rows(self) -> list[Row]:
        """The lines: the first row is the head, for Markdown knows no table without one. Empty rows are left out."""
        found: list[Row] = []
        if self._caption is not None:
            found += [self._caption, ("", self._caption[1])]
        body = [(cells, line) for cells, line in self._rows if any(cells)]
        for number, (cells, line) in enumerate(body):
            found.append((f"| {' | '.join(cells)} |", line))
            if not number:
                found.append((f"|{' --- |' * len(cells)}", line))
        return found


class Element:
    """An open element that matters to those inside it."""

    __slots__ = ("first", "kind", "language", "margin", "name", "number")

    def __init__(self, name: str) -> None:
        self.name = name
        self.kind = ""  # "main", "article" or "content", where the page may be this
        self.first = 0  # the line of the page at which that begins
        self.margin = ""  # the prefix of its text's lines
        self.number = 0  # of a numbered list, its last item
        self.language = ""


class HtmlBlocks:
    """Takes tokens in order, and has the page at the end."""

    def __init__(self) -> None:
        self.page = PageText()
        self.title = ""
        self.parts: dict[str, list[tuple[int, int]]] = {"main": [], "article": [], "content": []}
        self._open: list[Element] = []
        self._counts: Counter[str] = Counter()
        self._inside: Counter[str] = Counter()  # how many open elements are a part of each kind
        self._lists: list[Element] = []
        self._margins: list[str] = []
        self._marker = ""  # the mark of an item whose first line is not yet written
        self._pieces: list[tuple[str, int]] = []
        self._code_from = -1
        self._code: list[tuple[str, int]] | None = None  # the pieces of a `pre`
        self._language = ""
        self._heading = 0
        self._last_level = 0
        self._table: HtmlTable | None = None
        self._skipped = ""
        self._skipped_depth = 0
        self._in_title = False
        self._is_term = False
        self._attributes: dict[str, dict[str, str]] = {}

    def take(self, token: HtmlToken) -> None:
        """Go on with the next token."""
        kind, name, value, line = token
        if self._skipped:
            if name == self._skipped:
                self._skipped_depth += 1 if kind == "<" else -1 if kind == "</" else 0
                if not self._skipped_depth:
                    self._skipped = ""
        elif not kind:
            self._text(value, line)
        elif kind == "</":
            self._end(name, line)
        else:
            self._start(name, value, line, is_empty=kind == "/>" or name in VOID)

    def finish(self) -> None:
        """Write what is still open."""
        if self._code is not None:
            self._end("pre", 0)
        if self._table is not None:
            self._close_table(self._table)
        self._flush()
        while self._open:
            self._close(self._open.pop())

    # -- texts

    def _text(self, text: str, line: int) -> None:
        if self._in_title:
            self.title = self.title or " ".join(split_at_white_space(text))
        elif self._code is not None:
            self._code.append((text, line))
        elif self._table is not None and not self._table.in_cell:
            return
        else:
            self._pieces.append((text, line))

    def _flush(self) -> None:
        """Write the paragraph, heading or term that is open."""
        self._end_code()
        pieces, self._pieces = self._pieces, []
        level, self._heading = self._heading, 0
        rows = _lines_of(pieces)
        if not rows:
            return
        if level or self._is_term:
            text, source = " ".join([row[0] for row in rows]), rows[0][1]
            text = text.rstrip("¶#§ ") if level else text
            self.page.blank()
            if not text:
                return
            if level and not self._margins:
                self.page.line(f"{'#' * level} {text}", source)
            else:
                self._write([(f"**{text}**" if "*" not in text else text, source)])
        else:
            self.page.blank() if not self._marker else None
            self._write([(plain_line(text), source) for text, source in rows])
        self.page.blank()

    def _write(self, rows: list[Row]) -> None:
        margin = "".join(self._margins)
        for text, source in rows:
            self.page.line((self._take_marker() or margin) + text, source)

    def _take_marker(self) -> str:
        """The prefix of an item's first line, instead of its margin; taken once."""
        marker, self._marker = self._marker, ""
        return "".join(self._margins[:-1]) + marker if marker else ""

    # -- tags

    def _start(self, name: str, value: str, line: int, *, is_empty: bool) -> None:
        given = self._given(value) if value else _NOTHING
        if name in VOID:
            self._void(name, line)
            return
        if is_left_out(name, given, in_content=bool(self._inside["main"] or self._inside["article"])):
            if not is_empty:
                if name in _BLOCKS and self._code is None:
                    self._flush() if self._table is None else self._pieces.append((" ", line))
                self._skipped, self._skipped_depth = name, 1
            return
        if name == "title":
            self._in_title = not is_empty and not self.title
        elif self._code is not None:
            if name in ("code", "pre", "div", "span") and not self._language:
                self._language = code_language(given)
            if name in ("div", "tr", "li", "p") and self._code and not self._code[-1][0].endswith("\n"):
                self._code.append(("\n", line))
        elif name in _CODE:
            self._code_from = len(self._pieces) if self._code_from < 0 else self._code_from
        elif self._table is not None:
            self._start_in_table(self._table, name, line)
        elif name in _BLOCKS:
            self._flush()
            self._start_block(name, given, line)
        if is_empty:
            self._end(name, line)

    def _given(self, value: str) -> dict[str, str]:
        """The attributes of a tag; of the few that a page writes again and again they are kept."""
        given = self._attributes.get(value)
        if given is None:
            given = attributes(value)
            if len(self._attributes) < _KEPT and len(value) < 100:
                self._attributes[value] = given
        return given

    def _void(self, name: str, line: int) -> None:
        if name == "br":
            self._text(" " if self._table is not None and self._code is None else "\n", line)
        elif name == "hr" and self._code is None and self._table is None:
            self._flush()

    def _start_block(self, name: str, given: dict[str, str], line: int) -> None:
        if name == "pre":
            inherited = next((one.language for one in reversed(self._open[-4:]) if one.language), "")
            self._code, self._language = [], code_language(given) or inherited
            return
        if name == "table" and not is_layout(given):
            self._table = HtmlTable(line)
            return
        if name in _HEADINGS:
            self._heading = self._last_level = _HEADINGS[name]
            return
        if name == "p":
            return
        self._close_implied(name)
        element = Element(name)
        if name in ("dt", "summary"):
            self._is_term = True
            if "sig" in split_at_white_space(given.get("class", "")):
                depth = max(self._counts["dl"], 1)
                self._heading, self._is_term = min(6, max(self._last_level, 1) + depth), False
        elif name == "li":
            element.margin = self._item()
        elif name == "blockquote":
            element.margin = "> "
        elif name == "ol":
            start = given.get("start", "1")
            element.number = int(start) - 1 if start.isascii() and start.isdigit() and len(start) < 8 else 0
        element.kind = part_of_page(name, given)
        element.language = code_language(given) if name == "div" else ""
        self._push(element)

    def _item(self) -> str:
        """The margin of an item that begins; its mark waits for its first line."""
        around = self._lists[-1] if self._lists else None
        mark = "- "
        if around is not None and around.name == "ol":
            around.number += 1
            mark = f"{around.number}. "
        if len(self._margins) >= _DEEPEST:
            return ""
        self._marker = mark
        return " " * len(mark)

    def _push(self, element: Element) -> None:
        self._open.append(element)
        self._counts[element.name] += 1
        if element.name in ("ul", "ol"):
            self._lists.append(element)
        if element.margin:
            if len(self._margins) < _DEEPEST:
                self._margins.append(element.margin)
            else:
                element.margin = ""
        if element.kind:
            self._inside[element.kind] += 1
            element.first = len(self.page)

    def _close_implied(self, name: str) -> None:
        """An item ends the one before it, and a term or its description the one before that."""
        if name not in _ENDED_BY:
            return
        ended, within = _ENDED_BY[name]
        if not any(self._counts[one] for one in ended):
            return
        for at in range(len(self._open) - 1, max(len(self._open) - 64, 0) - 1, -1):
            if self._open[at].name in within:
                return
            if self._open[at].name in ended:
                self._close_from(at)
                return

    def _end(self, name: str, line: int) -> None:
        if name == "title":
            self._in_title = False
        elif self._code is not None:
            if name == "pre":
                code, self._code = _code_lines(self._code), None
                if self._table is not None:
                    self._pieces.append((inline_code(" ".join([text.strip(" ") for text, _ in code])), line))
                else:
                    self.page.fence(code, self._language, "".join(self._margins), self._take_marker())
        elif name in _CODE:
            self._end_code()
        elif self._table is not None:
            self._end_in_table(self._table, name, line)
        elif name in _BLOCKS:
            self._flush()
            self._is_term = False
            if self._counts[name]:
                at = len(self._open) - 1
                while self._open[at].name != name:
                    at -= 1
                self._close_from(at)

    def _end_code(self) -> None:
        if self._code_from >= 0:
            inside = self._pieces[self._code_from :]
            text = " ".join(split_at_white_space("".join([piece for piece, _ in inside])))
            del self._pieces[self._code_from :]
            if text:
                self._pieces.append((inline_code(text), inside[0][1]))
            self._code_from = -1

    def _close_from(self, at: int) -> None:
        while len(self._open) > at:
            self._close(self._open.pop())

    def _close(self, element: Element) -> None:
        self._counts[element.name] -= 1
        if element.margin:
            self._margins.pop()
            self._marker = ""
        if element.kind:
            self._inside[element.kind] -= 1
            if not self._inside[element.kind]:
                self.parts[element.kind].append((element.first, len(self.page)))
        if element.name in ("ul", "ol"):
            self._lists.pop()
            self.page.blank()

    # -- tables

    def _start_in_table(self, table: HtmlTable, name: str, line: int) -> None:
        if name == "pre":
            self._code, self._language = [], ""
        elif name == "table":
            table.depth += 1
        elif table.depth == 1 and name in ("tr", "td", "th", "caption"):
            self._end_cell(table)
            table.start(name, line)
        elif name in _BLOCKS:
            self._pieces.append((" ", line))

    def _end_in_table(self, table: HtmlTable, name: str, line: int) -> None:
        if name == "table":
            table.depth -= 1
            if not table.depth:
                self._close_table(table)
        elif table.depth == 1 and name in ("tr", "td", "th", "caption"):
            self._end_cell(table)
        elif name in _BLOCKS:
            self._pieces.append((" ", line))

    def _end_cell(self, table: HtmlTable) -> None:
        self._end_code()
        pieces, self._pieces = self._pieces, []
        if table.in_cell:
            table.end(" ".join(split_at_white_space("".join([piece for piece, _ in pieces]))))

    def _close_table(self, table: HtmlTable) -> None:
        self._end_cell(table)
        self._table = None
        self.page.blank()
        self._write(table.rows())
        self.page.blank()


def _lines_of(pieces: list[tuple[str, int]]) -> list[Row]:
    """Pieces of text as lines: broken where the source is, white space within a line as one blank."""
    return [
        (shown, next(source for part, source in parts if part.strip(WHITE_SPACE)))
        for parts in _cut(pieces)
        if (shown := " ".join(split_at_white_space("".join([part for part, _ in parts]))))
    ]


def _code_lines(pieces: list[tuple[str, int]]) -> list[Row]:
    """Pieces of code as lines, as they stand."""
    return [
        ("".join([part for part, _ in parts]).expandtabs(8), next((line for part, line in parts if part), parts[0][1]))
        for parts in _cut(pieces)
    ]


def _cut(pieces: list[tuple[str, int]]) -> list[list[Row]]:
    """Pieces of text cut at line ends: of each line its parts, each with its line in the source."""
    lines: list[list[Row]] = [[]]
    for text, line in pieces:
        for number, part in enumerate(text.split("\n")):
            if number:
                lines.append([])
            if not lines[-1] or part:
                lines[-1].append((part, line + number))
    return lines if pieces else [[("", 0)]]
