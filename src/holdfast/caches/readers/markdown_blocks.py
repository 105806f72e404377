"""What generators add to Markdown: admonitions, tabs, containers, attribute lists, references. Pure, and linear."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from holdfast.caches.readers.page_text import Row, capitalized
from holdfast.core.unicode_text import lower_case

# The lines that stand for a Python object in a page, by its dotted name; none where it cannot be found.
Documented = Callable[[str], list[str]]

_BLANKS = " \t"
_STEP = 4  # blanks that the body of an indented block begins with
_DEEPEST = 16
_INDENTED = re.compile(r"(?a)^[ \t]*(!!!|\?\?\?\+?|===[+!]?)[ \t]+(.*)$")
_CONTAINER = re.compile(r"(?a)^[ \t>]*:{3,}[ \t]*(?:\{?([A-Za-z][\w.-]*)\}?)?(.*)$")
_SLASHES = re.compile(r"(?a)^[ \t]*/{3,}[ \t]*([\w-]*)[ \t]*\|?[ \t]*(.*)$")
_ALERT = re.compile(r"(?a)^([ \t>]*>)[ \t]*\[!([A-Za-z]+)\][+-]?[ \t]*(.*)$")
_DIRECTIVE = re.compile(r"(?a)^([ \t>]*)(`{3,}|~{3,})\{([\w:-]+)\}[ \t]*(.*)$")
_QUOTED = re.compile(r'(?a)"([^"]*)"')
_BRACKETS = re.compile(r"(?a)^\[([^\]]*)\]")
_NOTES = frozenset(
    "abstract admonition attention bug caution check danger details error example failure hint important info note "
    "question quote seealso success summary tip todo tldr version-added version-changed versionadded versionchanged "
    "warning deprecated".split(" ")
)
# Tags and components that are notes.
NOTE_TAGS = frozenset(
    "note tip info warning check danger callout admonition aside alert hint important caution success notice".split(" ")
)
# Containers that say nothing themselves.
_SILENT = frozenset("code-group raw v-pre div steps tabs tab-set grid cards html block".split(" "))
_UNSHOWN = frozenset(
    "toctree image figure raw only contents include automodule autoclass autofunction eval-rst".split(" ")
)
_ATTRIBUTES = re.compile(r"(?a)[ \t]?\{(?::[^{}\n]*|[ \t]*[#.][\w-][^{}\n]*|[ \t]*[\w-]+=\"[^\"{}]*\"[^{}\n]*)\}")
_ICON = re.compile(r"(?a):(?:material|octicons|fontawesome|simple|fa|lucide)-[a-z0-9-]+:(?:\{[^{}\n]*\})?")
_WIKI = re.compile(r"(?a)\[\[([^\[\]|\n]*)(?:\|([^\[\]\n]*))?\]\]")
_LINK = re.compile(r"(?a)\{@(?:link|linkcode|linkplain)[ ]++([^{}|\n]*+)(?:\|([^{}\n]*))?\}")
_ROLE = re.compile(r"(?a)\{[a-z][a-z:_-]*\}(?=`)")
_REFERENCE = re.compile(r"`[^`]*`|(?:\[((?:[^\[\]`]|`[^`]{0,400}`|\[[^\[\]`]{0,100}\]){0,400}+))?\]\[([^\]]*)\](?!\()")
_LABEL = re.compile(r"(?a)^[ ]{0,3}\[([^\]^\n][^\]\n]*)\]:[ \t]*<?([^\s<>]*)>?")


def note(kind: str, title: str = "") -> str:
    """The line that an admonition begins with."""
    word = kind.replace("-", " ").replace("_", " ").strip(" ")
    return f"> **{capitalized(word)}**" + (f" {title.strip(' ')}" if title.strip(" ") else "")


def label(title: str) -> str:
    """The line that a tab begins with: no heading, which what follows the tabs would be below."""
    return f"**{title}**" if title else ""


class MarkdownBlocks:
    """Lines taken one after another, without the marks of blocks; `documented` finds the object that `::: object`
    names."""

    def __init__(self, fence_after: Callable[[str, str], str], documented: Documented | None) -> None:
        self._fence_after, self._documented = fence_after, documented
        self._rows: list[Row] = []
        self._labels: dict[str, str] = {}  # where references lead, by their names in lower case
        self._margins: list[int] = []  # of each indented block that is open, that of its body
        self._fence = ""
        self._unfenced: list[str] = []  # marks that end directives which were written as fences
        self._options = -1  # the margin of a block whose options follow

    def rows(self, rows: Sequence[Row]) -> list[Row]:
        """The lines."""
        for text, _ in rows:
            if text[:4].lstrip(" ")[:1] == "[" and (found := _LABEL.match(text)) is not None:
                self._labels.setdefault(lower_case(found[1]), found[2])
        for text, source in rows:
            line = self._dedented(text)
            fence = self._fence
            self._fence = self._fence_after(line, fence)
            if fence:
                self._rows.append((line, source))
            elif self._fence and self._directive(line, source):
                continue
            elif self._fence or not self._block(line, source):
                self._rows.append((line if self._fence else inline(line, self._labels), source))
        return self._rows

    def _dedented(self, text: str) -> str:
        """A line without the margins of the blocks that it is in; one that begins further left ends them."""
        if not self._margins:
            return text
        bare = text.lstrip(_BLANKS)
        indent = len(text.expandtabs(_STEP)) - len(bare.expandtabs(_STEP)) if "\t" in text else len(text) - len(bare)
        while bare and self._margins and indent < self._margins[-1]:
            self._margins.pop()
            self._fence = ""
        if not bare:
            return ""
        return " " * max(indent - _STEP * len(self._margins), 0) + bare

    def _directive(self, line: str, source: int) -> bool:
        """Whether a fence is a directive of MyST that is no code: a note, or one that is not shown."""
        spec = _DIRECTIVE.match(line)
        if spec is None:
            return False
        name = spec[3]
        if name in _NOTES:
            self._rows += [(spec[1] + note(name, spec[4]), source), ("", source)]
            self._unfenced.append(self._fence)
            self._fence = ""
            return True
        language = spec[4] if name in ("code-block", "code-cell", "code", "sourcecode") else name
        self._rows.append((f"{spec[1]}{spec[2]}{'' if name in _UNSHOWN else language}", source))
        return True

    def _block(self, line: str, source: int) -> bool:
        """Whether a line is the mark of a block, which is written as what it says."""
        bare = line.strip(_BLANKS)
        if self._options >= 0:
            if bare and len(line) - len(line.lstrip(_BLANKS)) >= self._options and ":" in bare:
                return True
            self._options = -1
        if self._unfenced and bare.startswith(self._unfenced[-1][:3]) and not bare.strip(bare[0]):
            self._unfenced.pop()
            return True
        first = bare[:3]
        if first in ("!!!", "???", "===") and (spec := _INDENTED.match(line)) is not None:
            return self._indented(line, spec, source)
        if ":::" in line[:40] and (spec := _CONTAINER.match(line)) is not None:
            return self._container(line, spec, source)
        if first == "///" and (spec := _SLASHES.match(line)) is not None:
            self._slashes(line, spec, source)
            return True
        if "[!" in line and (spec := _ALERT.match(line)) is not None:
            self._rows.append((f"{spec[1][:-1]}{note(lower_case(spec[2]), spec[3])}", source))
            return True
        if first[:1] == "[" and "]:" in bare and (spec := _LABEL.match(line)) is not None and spec[2]:
            return True  # references became links
        return bare in ("[TOC]", "[[toc]]", "[[TOC]]", "[[_TOC_]]")

    def _put(self, line: str, text: str, source: int) -> None:
        """Write what a block says, between blank lines, where the block is."""
        if text:
            margin = line[: len(line) - len(line.lstrip(_BLANKS))]
            self._rows += [("", source), (margin + inline(text, self._labels), source), ("", source)]

    def _indented(self, line: str, spec: re.Match[str], source: int) -> bool:
        mark, rest = spec[1], spec[2]
        quoted = _QUOTED.search(rest)
        if mark[:3] == "===" and quoted is None:
            return False
        kind = rest.partition(" ")[0].partition('"')[0]
        title = quoted[1] if quoted else ""
        self._put(line, label(title) if mark[:3] == "===" else note(kind or "note", title), source)
        if len(self._margins) < _DEEPEST:
            inner = len(line) - len(line.lstrip(_BLANKS))
            self._margins.append(inner + _STEP * (len(self._margins) + 1))
        return True

    def _container(self, line: str, spec: re.Match[str], source: int) -> bool:
        name, rest = spec[1] or "", spec[2].strip(_BLANKS)
        if self._documented is not None and name and line.lstrip(_BLANKS).startswith("::: "):
            self._rows += [(text, source) for text in ["", *self._documented(name), ""]]
            self._options = len(line) - len(line.lstrip(_BLANKS)) + 2
            return True
        if not name and rest and not rest.startswith("{"):
            return False
        bracket = _BRACKETS.match(rest)
        title = bracket[1] if bracket else rest.partition("{")[0].strip(_BLANKS)
        if name in ("tab-item", "tab"):
            self._put(line, label(title), source)
        elif name and name not in _SILENT:
            self._put(line, note(name, title), source)
        return True

    def _slashes(self, line: str, spec: re.Match[str], source: int) -> None:
        name, title = spec[1], spec[2]
        if name == "tab":
            self._put(line, label(title), source)
        elif name and name not in _SILENT and name not in ("caption", "figure-caption"):
            self._put(line, note(name, title), source)
        if name:
            self._options = len(line) - len(line.lstrip(_BLANKS)) + _STEP


def inline(text: str, labels: Mapping[str, str]) -> str:
    """A line of prose without attribute lists and icons, and with references as their text."""
    if "{" in text:
        text = _outside_code(_ATTRIBUTES, "", text)
        text = _LINK.sub(lambda found: (found[2] or found[1]).strip(" "), text) if "{@" in text else text
        text = _ROLE.sub("", text) if "}`" in text else text
    if "][" in text:
        text = _REFERENCE.sub(lambda found: _reference(found, labels), text)
    if "[[" in text:
        text = _outside_code(_WIKI, lambda found: found[2] or found[1], text)
    if "-" in text and ":" in text:
        text = _ICON.sub("", text)
    return text


def _outside_code(pattern: re.Pattern[str], repl: str | Callable[[re.Match[str]], str], text: str) -> str:
    """A line in which a pattern is replaced, but within code spans."""
    if pattern.search(text) is None:
        return text
    parts = text.split("`")
    return "`".join([part if number % 2 else pattern.sub(repl, part) for number, part in enumerate(parts)])


def _reference(found: re.Match[str], labels: Mapping[str, str]) -> str:
    """`[words][reference]` as a link, where the page says where it leads, and else as the words; code as it is.

    The words may begin on the line before.
    """
    words, name = found.groups()
    target = labels.get(lower_case(name or words or ""))
    if words and "][" in words:  # a picture that is a link
        words = _REFERENCE.sub(lambda inner: _reference(inner, labels), words)
    if target is None:
        return found[0] if words is None or " " in name else words
    return f"]({target})" if words is None else f"[{words}]({target})"
