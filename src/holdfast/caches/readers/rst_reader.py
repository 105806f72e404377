"""reStructuredText: titles, paragraphs, lists, code and notes as Markdown, line by line. Pure, and linear in the text.

A scanner of our own: what renders a document in full takes far longer and loses the lines (docs/decisions).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from holdfast.caches.readers.decoded_text import decoded
from holdfast.caches.readers.generators import AUTODOC, generator_of
from holdfast.caches.readers.included_text import DEEPEST, IncludedText, chosen_lines, dedented, language_of
from holdfast.caches.readers.page_text import PageText, Row, capitalized, check_documents
from holdfast.caches.readers.python_reader import PythonObjects
from holdfast.caches.readers.rst_inline import inline_markdown, normal_name
from holdfast.caches.readers.source_reader import Page, SourceFiles
from holdfast.caches.source_formats import title_style
from holdfast.core.unicode_text import lower_case

CODE = frozenset(
    "code-block code sourcecode console parsed-literal prompt doctest testcode testoutput ipython math productionlist "
    "literal-block highlight-block".split(" ")
)
NOTES = {
    **dict.fromkeys("note warning tip important hint caution danger attention error".split(" "), ""),
    "seealso": "See also",
    "todo": "To do",
}
VERSIONS = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "versionremoved": "Removed in version",
    "deprecated": "Deprecated since version",
}
TITLED = frozenset(
    "admonition topic sidebar rubric table list-table csv-table centered tab tab-item dropdown".split(" ")
)
LEFT_OUT = frozenset(
    "toctree index module currentmodule contents default-role meta raw image rst-class class-name tabularcolumns "
    "sectionauthor codeauthor moduleauthor program py:module py:currentmodule graphviz digraph inheritance-diagram "
    "testsetup testcleanup autosummary sectnum role default-domain target-notes header footer".split(" ")
)
AUTODOC_DIRECTIVES = frozenset(
    [f"auto{kind}" for kind in ("module", "class", "function", "method", "exception", "data", "attribute", "decorator")]
)
KEPT = frozenset(
    "container only compound figure glossary epigraph highlights pull-quote hlist tabs tab-set grid".split(" ")
)
KINDS = frozenset(["class", "exception", "module"])
_IN_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_+.-")
_MARKER = re.compile("(?:[-*+\u2022]|#\\.|[0-9]{1,9}[.)])(?=[ ])")
_OPTION = re.compile("^[ ]*:([^:]*):(.*)")
_DEEPEST_HEADING = 6
# Lines that a row of a table may take.
_LONGEST_ROW = 60
# A margin is never wider: deeper text gets this one too.
_WIDEST = 40


def read_rst(data: bytes, name: str, files: SourceFiles) -> Page:
    """The page. Raises Unreadable."""
    return rst_page(decoded(data), name, files)


def rst_page(text: str, name: str, files: SourceFiles) -> Page:
    """The page of a text."""
    lines = [line.expandtabs(8) if "\t" in line else line for line in text.split("\n")]
    names, included = _Names(lines), IncludedText(name, files)
    if AUTODOC in generator_of(files.site.reader).traits and ".. auto" in text:
        names.objects = PythonObjects(included)
    page = PageText()
    _Scanner([(line, number) for number, line in enumerate(lines, 1)], page, names, included).run()
    if names.objects is not None:
        check_documents(page.rows(), names.objects.lacks)
    return page.page()


class _Names:
    """What a whole document knows: targets of links, substitutions, styles of titles, the language of code, the module
    of Python that names are relative to, and where objects of Python are found."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.targets: dict[str, str] = {}
        self.substitutions: dict[str, str] = {}
        self.levels: dict[str, int] = {}
        self.language = self.module = ""
        self.objects: PythonObjects | None = None
        for number, line in enumerate(lines):
            bare = line.lstrip(" ")
            if bare.startswith(".. _"):
                self._target(bare[4:], lines[number + 1] if number + 1 < len(lines) else "")
            elif bare.startswith(".. |"):
                name, _, text = bare[4:].partition("| ")
                if text.startswith("replace::"):
                    self.substitutions[name] = text[len("replace::") :].strip(" ")

    def _target(self, text: str, below: str) -> None:
        name, colon, url = text.strip("`").replace("`:", ":").partition(": ")
        if not colon and text.endswith(":") and below.startswith(" "):
            name, url = text[:-1].strip("`"), below
        url = url.strip(" ")
        if name and "/" in url and " " not in url:
            self.targets.setdefault(normal_name(name), url)


class _Context(NamedTuple):
    """A block that is open: lines indented more than `column` are in it, their text begins at `base` (-1: not known
    yet), and is written at `margin`."""

    column: int
    base: int
    margin: int


class _Scanner:
    """Reads lines and writes them to a page."""

    def __init__(
        self, rows: Sequence[Row], page: PageText, names: _Names, included: IncludedText, depth: int = 0
    ) -> None:
        self._rows, self._page, self._names, self._included, self._depth = rows, page, names, included, depth
        self._texts = [text for text, _ in rows]
        # Of each line, how far it is indented; -1 for a blank one.
        self._indents = [len(text) - len(bare) if (bare := text.lstrip(" ")) else -1 for text in self._texts]
        self._open = [_Context(-1, 0, 0)]
        self._at = 0

    def run(self) -> None:
        """Read all lines."""
        while self._at < len(self._rows):
            text, source = self._rows[self._at]
            indent = self._indents[self._at]
            if indent < 0:
                self._page.blank()
                self._at += 1
            else:
                self._block(text.strip(" "), indent, self._enter(indent), source)

    def _enter(self, indent: int) -> int:
        """Leave the blocks that a line is not in, and enter the one it begins; the margin to write at."""
        while indent <= self._open[-1].column:
            self._open.pop()
        column, base, margin = self._open[-1]
        if base < 0:
            self._open[-1] = _Context(column, indent, margin)
        elif indent > base:  # a quote, or a list that is indented
            self._open.append(_Context(max(indent - 1, base), indent, margin))
        return min(self._open[-1].margin, _WIDEST)

    def _block(self, bare: str, indent: int, margin: int, source: int) -> None:
        if indent <= 1 and self._title(source):
            return
        if bare.startswith(".. ") or bare == "..":
            self._explicit(bare[3:].strip(" "), indent, margin)
        elif bare.startswith("__ ") or (len(bare) > 3 and not bare.strip(bare[0]) and self._is_alone()):
            self._at += 1  # a target without a name, a rule
        elif bare.startswith(("+-", "+=")) or is_border(bare):
            self._table(margin, is_grid=bare[0] == "+")
        elif bare.startswith(">>> "):
            self._fence(self._block_end(), "pycon", margin)
        elif marker := item_marker(bare):
            self._item(bare, marker, indent, margin)
        elif (end := field_end(bare)) > 0:
            self._field(bare, end, indent, margin, source)
        elif bare.startswith("| ") or bare == "|":
            self._page.line(" " * margin + self._inline(bare[2:]), source)
            self._at += 1
        else:
            self._paragraph(bare, indent, margin, "")

    def _is_alone(self) -> bool:
        return self._at + 1 >= len(self._texts) or self._indents[self._at + 1] < 0

    def _title(self, source: int) -> bool:
        """Write the title that begins here, if one does."""
        for length in (1, 2):  # an underline; a line above and below
            number = self._at + length
            if number >= len(self._texts) or self._indents[number]:
                continue
            style = title_style(self._texts, number, self._at)
            if len(style) == length:
                level = self._names.levels.setdefault(style, len(self._names.levels) + 1)
                words = self._inline(self._texts[number - 1].strip(" "))
                self._page.block(["#" * min(level, _DEEPEST_HEADING) + " " + words], source + length - 1)
                self._at = number + 1
                return True
        return False

    def _explicit(self, text: str, indent: int, margin: int) -> None:
        if text.startswith("[") and "] " in text:
            self._open.append(_Context(indent, -1, margin))
            below = self._indents[self._at + 1] if self._at + 1 < len(self._texts) else -1
            self._paragraph(text, max(below, indent + 1), margin, "")
            return
        name, colons, argument = text.partition("::")
        if text[:1] in ("_", "|") or not colons or not name or not _IN_NAME.issuperset(name):
            is_empty = not text and self._is_alone()
            self._at = self._at + 1 if is_empty else self._body_end(self._at + 1, indent)
            return
        self._page.blank()
        self._directive(lower_case(name), argument.strip(" "), indent, margin)

    def _directive(self, name: str, argument: str, indent: int, margin: int) -> None:
        source = self._rows[self._at][1]
        first, options = self._options(self._at + 1, indent)
        if name in CODE:
            self._at = first
            self._fence(self._body_end(first, indent), argument or ("console" if name == "console" else ""), margin)
        elif name == "highlight":
            self._names.language = argument if argument != "none" else ""
            self._at = first
        elif name in ("literalinclude", "include"):
            self._include(name, argument, options, margin, source)
            self._at = self._body_end(first, indent)
        elif name in LEFT_OUT or name.startswith("auto"):
            if name.endswith("module"):
                self._names.module = argument
            if name in AUTODOC_DIRECTIVES:
                self._page.verbatim([(text, source) for text in self._documented(name, argument, options)])
            self._at = self._body_end(first, indent)
        else:
            self._at = first
            self._introduction(name, argument, indent, margin, source)
            self._open.append(_Context(indent, -1, margin))

    def _documented(self, name: str, argument: str, options: dict[str, str]) -> list[str]:
        """What an object of Python says of itself; of a module without the option `members` its docstring alone."""
        if (objects := self._names.objects) is None:
            return []
        wanted, module = argument.partition("(")[0].strip(" ").replace("::", "."), self._names.module
        if name == "automodule":
            members = options.get("members")
            only = None if members == "" else frozenset((members or "").replace(",", " ").split(" "))
            return objects.lines(wanted, only)
        inside = not module or wanted.partition(".")[0] == module.partition(".")[0]
        return objects.lines(wanted if inside else f"{module}.{wanted}")

    def _introduction(self, name: str, argument: str, indent: int, margin: int, source: int) -> None:
        """What a directive says before its body."""
        lead = " " * margin
        if name in NOTES:
            self._page.line(f"{lead}**{NOTES[name] or capitalized(name)}**", source)
            self._page.blank()
            if argument:
                self._page.line(lead + self._inline(argument), source)
        elif name in VERSIONS:
            version, _, more = argument.partition(" ")
            self._page.line(
                f"{lead}**{VERSIONS[name]} {version}**" + (f": {self._inline(more)}" if more else ""), source
            )
            self._page.blank()
        elif name in KEPT:
            pass
        elif name in TITLED:
            self._page.line(f"{lead}**{self._inline(argument)}**" if argument else "", source)
            self._page.blank()
        elif argument:
            kind = name.rpartition(":")[2]
            signature = f"{kind} {argument}" if kind in KINDS else argument
            self._page.line(f"{lead}`{signature.replace('`', '')}`", source)
            for number in range(self._at, len(self._texts)):  # more signatures, one a line
                text = self._texts[number].strip(" ")
                if self._indents[number] <= indent or text[0] == ":" or (" " in text and "(" not in text):
                    break
                self._page.line(f"{lead}`{text.replace('`', '')}`", self._rows[number][1])
                self._at = number + 1
            self._page.blank()

    def _options(self, first: int, indent: int) -> tuple[int, dict[str, str]]:
        """The options of a directive, and the line after them."""
        found: dict[str, str] = {}
        while first < len(self._texts) and self._indents[first] > indent:
            option = _OPTION.match(self._texts[first])
            if option is None:
                break
            found[option[1]] = option[2].strip(" ")
            first += 1
        return first, found

    def _include(self, name: str, path: str, options: dict[str, str], margin: int, source: int) -> None:
        lines = self._included.lines(path.removeprefix("/")) if self._depth < DEEPEST else None
        if lines is None:
            self._included.missing(path)
            self._page.line(" " * margin + f"`.. {name}:: {path}`".replace("``", "`"), source)
            return
        if "lines" in options:
            lines = chosen_lines(lines, options["lines"])
        begin = options.get("start-after") or options.get("start-at")
        if begin:
            at = next((number for number, line in enumerate(lines) if begin in line), -1)
            lines = lines[at + (1 if "start-after" in options else 0) :] if at >= 0 else lines
        end = options.get("end-before")
        if end:
            lines = lines[: next((number for number, line in enumerate(lines) if end in line), len(lines))]
        if name == "include" and not {"literal", "code"} & options.keys():
            rows = [(line.expandtabs(8), source) for line in lines]
            _Scanner(rows, self._page, self._names, self._included, self._depth + 1).run()
            return
        language = options.get("language") or options.get("code") or language_of(path)
        self._page.fence([(line, source) for line in dedented(lines)], language, " " * margin)

    def _item(self, bare: str, marker: str, indent: int, margin: int) -> None:
        rest = bare[len(marker) :]
        width = len(marker) + len(rest) - len(rest.lstrip(" "))
        written = "- " if marker[0] in "-*+\u2022" else ("1. " if marker[0] == "#" else f"{marker} ")
        self._open.append(_Context(indent, indent + width, margin + len(written)))
        text = rest.strip(" ")
        if not text:
            self._at += 1
            return
        self._paragraph(text, indent + width, margin, written)

    def _field(self, bare: str, end: int, indent: int, margin: int, source: int) -> None:
        name, value = bare[1:end], bare[end + 1 :].strip(" ")
        self._at += 1
        self._open.append(_Context(indent, -1, margin + 2))
        if value or len(self._page):
            item = f"**{name}**: {self._inline(value)}" if value else f"**{name}**"
            self._page.line(f"{' ' * margin}- {item}", source)

    def _paragraph(self, first: str, indent: int, margin: int, marker: str) -> None:
        """Write a paragraph that begins with this text; a literal block that it announces too."""
        begin = self._at
        texts = [first]
        self._at += 1
        lead = " " * (margin + len(marker))
        while self._at < len(self._texts) and (deep := self._indents[self._at]) >= indent:
            bare = self._texts[self._at].strip(" ")
            is_directive = bare.startswith(".. ")
            if deep > indent and len(texts) == 1 and not marker and (is_directive or not first.endswith("::")):
                # What follows defines the term.
                self._page.line(f"{' ' * margin}- {self._inline(first)}", self._rows[begin][1])
                self._open.append(_Context(indent, -1, margin + 2))
                return
            if is_directive:
                break
            texts.append(bare)
            self._at += 1
        is_literal = texts[-1].endswith("::")
        if is_literal:
            texts[-1] = texts[-1][:-2].rstrip(" ") + (":" if texts[-1] != "::" and texts[-1][-3:-2] != " " else "")
        lines = self._inline("\n".join(texts)).split("\n")
        for number, line in enumerate(lines):
            front = " " * margin + marker if number == 0 and marker else lead
            line = line.strip(" ")
            escape = "\\" if line.startswith(("# ", "## ", "```", "~~~")) else ""
            self._page.line(front + escape + line, self._rows[min(begin + number, self._at - 1)][1])
        if is_literal:
            self._literal(indent, len(lead))

    def _literal(self, indent: int, margin: int) -> None:
        """Write the block that a paragraph announced: all that is indented more than it."""
        after = self._body_end(self._at, indent)
        if after > self._at:
            self._fence(after, self._names.language, min(margin, _WIDEST))

    def _table(self, margin: int, *, is_grid: bool) -> None:
        """Write a table unchanged, between fences: one of `+---+`, or one between borders of `=`."""
        after = self._block_end()
        while not is_grid and after < len(self._texts) and not self._ends_table(after):
            after += 1
        self._fence(after, "", margin)

    def _ends_table(self, number: int) -> bool:
        """Whether a table between borders ends before a blank line: below a border that is not its first two, or
        where no border follows soon."""
        if self._indents[number] >= 0:
            return False
        if is_border(self._texts[number - 1].strip(" ")) and number - self._at > 2:
            return True
        following = self._texts[number : number + _LONGEST_ROW]
        return not any(is_border(text.strip(" ")) for text in following)

    def _block_end(self) -> int:
        return next((n for n in range(self._at, len(self._texts)) if self._indents[n] < 0), len(self._texts))

    def _body_end(self, first: int, indent: int) -> int:
        """The line after the last that is indented more."""
        end = first
        for number in range(first, len(self._texts)):
            if 0 <= self._indents[number] <= indent:
                break
            end = number + 1 if self._indents[number] >= 0 else end
        return end

    def _fence(self, after: int, language: str, margin: int) -> None:
        """Write the lines up to one between fences, and go on with that."""
        rows = self._rows[self._at : after]
        code = list(zip(dedented([text for text, _ in rows]), [source for _, source in rows], strict=True))
        self._page.fence(code, language.partition(" ")[0], " " * margin)
        self._at = after

    def _inline(self, text: str) -> str:
        return inline_markdown(text, self._names.targets, self._names.substitutions)


def is_border(bare: str) -> bool:
    """Whether a stripped line is a border of a table: `====  ====`."""
    return bare.startswith("==") and " " in bare and not bare.strip("= ")


def field_end(bare: str) -> int:
    """Where the name of a field ends that a line begins with; -1 when it begins with none."""
    if bare[0] != ":" or bare[1:2] in ("", ":", " ", "`"):
        return -1
    end = bare.find(": ", 1)
    return end if end > 0 else (len(bare) - 1 if bare.endswith(":") else -1)


def item_marker(bare: str) -> str:
    """The marker that a line begins an item with; empty when it begins none."""
    marker = _MARKER.match(bare)
    return marker[0] if marker is not None else ""
