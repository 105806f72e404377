"""Prose without tags of HTML or JSX, imports and exports; what components say stays. Pure, and linear."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from holdfast.caches.readers.html_elements import VOID
from holdfast.caches.readers.html_tokens import characters
from holdfast.caches.readers.markdown_blocks import NOTE_TAGS, note
from holdfast.caches.readers.markdown_lines import fence_after
from holdfast.caches.readers.page_text import Row
from holdfast.core.unicode_text import lower_case

_BEGINNING = re.compile(r"(?a)<(/?)(?:([A-Za-z][\w.$-]*+)(?=[ \t\n/>{]|\Z)|(?=>))")
# What matters inside a tag, and inside braces.
_PART = re.compile(r"(?a)[>\"'{<`]|[A-Za-z][\w.$-]*")
_IN_BRACES = re.compile(r"[{}\"'`]|/\*")
# Characters of a tag, a statement or an expression that are looked through for its end.
_LONGEST = 20_000
_LONGEST_CODE = 300  # characters of an element of code, within which it may have a link
# Attributes that say something of a component: its title, by what comes first, where it leads, what kind it is.
_TITLES = ("title", "label", "summary", "header", "heading", "question", "caption", "file-name")
_NAMED = ("path", "query", "body", "name", "param")  # of the fields of an API
_KEPT = frozenset([*_TITLES, *_NAMED, "href", "to", "type", "file", "alt", "kind", "number"])
_QUOTES = "\"'"
_BLANKS = " \t"
_INDENTED = "    "
# What follows a `<` that begins no tag.
_OTHERS = frozenset(["", " ", "\n", "=", "<", "-", "!", *"0123456789"])
_STATEMENTS = ("import ", "import{", "export ", "export{")
# A statement of JavaScript in Markdown that is no JSX, where a sentence may begin with the same word.
_STATEMENT = re.compile(r"""(?a)^(?:import\b.*['"]|import[ ]*\{[^}]*$|export (?:const|default|function|\{))""")
_HTML = frozenset(
    "a abbr address article aside audio b base blockquote body br button caption center cite code col colgroup dd del "
    "details dfn div dl dt em embed figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header hr html i iframe "
    "img input ins kbd label legend li link main map mark menu meta nav noscript object ol optgroup option p param "
    "picture pre q s samp script section select small source span strike strong style sub summary sup svg path g "
    "rect circle table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr".split(" ")
)
# What a tag of HTML is in Markdown, where it begins a line and where it ends.
_MARKS = {"li": "- ", "h1": "# ", "h2": "## ", "h3": "### ", "h4": "#### ", "h5": "##### ", "h6": "###### "}
_CODE, _CELLS = frozenset(("code", "kbd", "tt", "samp")), frozenset(("td", "th"))
_CAPITALS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LETTERS = _CAPITALS | frozenset("abcdefghijklmnopqrstuvwxyz0123456789_")
_WORD = re.compile(r"(?a)[A-Za-z][\w-]*")
_STOPS = re.compile(r"(?a)[\n`<{&\\]")
_REFERENCE = re.compile(r"(?a)&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
# What a reference to a character stands for where that is no sign, or a mark of Markdown.
_SIGNS = {
    **dict.fromkeys([*map(chr, range(33)), *map(chr, range(127, 161)), *"\u2002\u2003\u2009\u202f"], " "),
    **dict.fromkeys("\xad\u200b\ufeff", ""),
    **{sign: f"\\{sign}" for sign in "<|`*"},
}
_NAME = re.compile(r"(?a)^\{[ ]*[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)*[ ]*\}$")
_EMPTY_LINK = re.compile(r"(?a)(?<!!)\[[ ]*\]\([^()\s]*\)")
_STRING = re.compile(r"""(?a)^\{[ ]*(["'`])([^"'`$]*)\1[ ]*\}$""")


class Tag(NamedTuple):
    """A tag: where it ends, whether it closes one (`</a>`) or itself (`<a/>`), its name and what its attributes say."""

    end: int
    closes: bool
    is_empty: bool
    name: str
    said: dict[str, str]

    @property
    def title(self) -> str:
        """The words that it says itself."""
        for key in (*_TITLES, *(_NAMED if self.name.endswith("Field") else ())):
            if found := self.said.get(key):
                return f"`{found}`" if key in _NAMED or key == "file-name" else found
        return ""


def tag_at(text: str, at: int) -> Tag | None:
    """The tag that begins at a `<`; None where none does."""
    beginning = _BEGINNING.match(text, at)
    if beginning is None:
        return None
    said: dict[str, str] = {}
    until = min(len(text), at + _LONGEST)
    name, place = "", beginning.end()
    while (found := _PART.search(text, place, until)) is not None:
        one, place = found[0], found.end()
        if one == ">":
            own = beginning[2] or ""
            return Tag(place, bool(beginning[1]), bool(own) and text[place - 2] == "/", own, said)
        if one in _QUOTES:
            end = text.find(one, place, until)
            if end < 0:
                return None
            if name in _KEPT:
                said.setdefault(name, " ".join(text[place:end].split("\n")).strip(" "))
            place = end + 1
        elif one == "{":
            place = braces_end(text, found.start(), until)
            if place < 0:
                return None
        elif one in "<`":
            return None
        else:
            name = one
    return None


def braces_end(text: str, at: int, until: int) -> int:
    """Where the braces that open at a place are closed, strings and comments passed over; -1 where they are not."""
    depth = 0
    place = at
    while (found := _IN_BRACES.search(text, place, until)) is not None:
        one, place = found[0], found.end()
        if one in "{}":
            depth += 1 if one == "{" else -1
            if not depth:
                return place
            continue
        closing = "*/" if one == "/*" else one
        end = text.find(closing, place, until)
        if end < 0:
            return -1
        place = end + len(closing)
    return -1


def without_tags(rows: Sequence[Row], *, is_jsx: bool) -> list[Row]:
    """Lines without tags, and of JSX without imports, exports and expressions; code stays as it is.

    Of Markdown that is no JSX only tags of HTML and of components are taken for such.
    """
    found: list[Row] = []
    depth = Depth()
    for is_code, block in _blocks(rows, is_jsx=is_jsx):
        found += depth.unindented(block) if is_code else _prose(block, depth, is_jsx)
    return found


class Depth:
    """How far the text inside components is indented: what it begins with is taken off."""

    def __init__(self) -> None:
        self._margins: list[int] = []  # of each open component, that of its text; -1: not known yet

    def open(self) -> None:
        """A component begins."""
        self._margins.append(-1)

    def close(self) -> None:
        """A component ends."""
        if self._margins:
            self._margins.pop()

    def unindented(self, rows: Sequence[Row]) -> list[Row]:
        """Lines without the margin that they have by standing inside components."""
        if not self._margins:
            return list(rows)
        found = []
        for text, source in rows:
            bare = text.lstrip(_BLANKS)
            indent = len(text) - len(bare)
            if bare and self._margins[-1] < 0:
                self._margins[-1] = indent
            found.append((text[min(indent, max(self._margins[-1], 0)) :], source))
        return found


def _blocks(rows: Sequence[Row], *, is_jsx: bool) -> Iterator[tuple[bool, list[Row]]]:
    """The lines in stretches of code, between fences with these or indented, and of all else.

    JSX has no indented code, nor has a list or a table of HTML, whose lines may be indented as far.
    """
    fence = ""
    block: list[Row] = []
    was_code = ends = in_list = False  # of the line before: is it code between fences, does it end a paragraph
    for text, source in rows:
        before = fence
        fence = fence_after(text, fence)
        bare = text.strip(_BLANKS)
        is_indented = not is_jsx and not in_list and ends and text[:4] == _INDENTED and bool(bare)
        is_code = bool(before or fence or is_indented)
        if is_code != was_code or (fence and not before):
            if block:
                yield was_code, block
            block, was_code = [], is_code
        block.append((text, source))
        ends = not bare or is_indented
        if bare and text[0] not in _BLANKS:
            in_list = bare[:2] in ("- ", "* ", "+ ") or (bare[0] in "0123456789" and ". " in bare[:5])
            in_list = in_list or (bare[0] == "<" and bare[1:2] not in _OTHERS)
    if block:
        yield was_code, block


def _prose(rows: Sequence[Row], depth: Depth, is_jsx: bool) -> list[Row]:
    """Lines without statements and tags."""
    rows = without_statements(rows, is_jsx=is_jsx)
    text = "\n".join([text for text, _ in rows])
    if "<" not in text and "&" not in text and (not is_jsx or "{" not in text):
        return depth.unindented(rows)
    return _Prose(text, [source for _, source in rows], depth, is_jsx).lines()


class _Prose:
    """A text that is written again without its tags, line by line."""

    def __init__(self, text: str, sources: Sequence[int], depth: Depth, is_jsx: bool) -> None:
        self._text, self._sources, self._depth, self._is_jsx = text, sources, depth, is_jsx
        self._links: list[str] = []  # where the links that are open lead
        self._codes: list[bool] = []  # of each element of code that is open, whether it has a mark of its own
        self._found: list[Row] = []
        self._number = 0  # of the line that is being put together
        self._kept: list[str] = []  # what it has so far
        self._begin = 0  # where what it goes on with begins
        self._is_cut = self._is_begun_by_tag = self._has_words = False
        # What may be looked through in vain: where tags are never closed, the rest is taken as it is.
        self._left = 2 * len(text) + 10 * _LONGEST

    def lines(self) -> list[Row]:
        """All of them; a line that held nothing but tags is left out."""
        text, place = self._text, 0
        lost: set[int] = set()
        while (stop := _STOPS.search(text, place)) is not None:
            place = stop.start()
            one = text[place]
            if one == "\n":
                self._end_line(place)
                place += 1
                self._begin = place
            elif one == "`":
                place = _code_end(text, place, lost)
            elif one == "\\":
                place += 2 if text[place + 1 : place + 2] != "\n" else 1
            elif one == "&":
                place = self._reference(place)
            elif one == "<" and self._left > 0:
                place = self._tag(place)
            elif one == "{" and self._is_jsx and self._left > 0:
                place = self._expression(place)
            else:
                place += 1
        self._end_line(len(text))
        return self._found

    def _is_markup(self, tag: Tag, place: int) -> bool:
        """Whether a tag is one: in Markdown, words may stand between angle brackets too."""
        if self._is_jsx or lower_case(tag.name) in _HTML:
            return True
        is_component = tag.name[:1] in _CAPITALS and (tag.said or tag.closes or tag.is_empty)
        before = self._text[place - 1 : place]
        is_generic = not tag.closes and not tag.said and before in _LETTERS
        return (bool(is_component) and not is_generic) or ("-" in tag.name and bool(tag.said))

    def _tag(self, place: int) -> int:
        tag = tag_at(self._text, place)
        if tag is None:
            self._left -= (
                min(_LONGEST, len(self._text) - place) if self._text[place + 1 : place + 2] not in _OTHERS else 1
            )
            return place + 1
        if not self._is_markup(tag, place):
            return place + 1
        self._keep(place)
        is_first = not self._has_words
        self._is_begun_by_tag |= is_first
        self._say(tag, is_first)
        if tag.closes:
            self._depth.close()
        elif not tag.is_empty and tag.name not in VOID:
            self._depth.open()
        return self._cut(place, tag.end)

    def _keep(self, until: int) -> None:
        """Keep the text up to a place."""
        self._kept.append(self._text[self._begin : until])
        self._has_words |= bool(self._kept[-1].strip(_BLANKS))

    def _cut(self, place: int, end: int) -> int:
        """Leave out what lies between two places, after what it says was written; lines that end in it end."""
        self._is_cut = True
        for _ in range(self._text.count("\n", place, end)):
            self._begin = place
            self._end_line(place)
            self._is_cut = True
        self._begin = end
        return end

    def _is_marked(self, tag: Tag) -> bool:
        """Whether an element of code that begins or ends here has marks: not around a link, or marks of its own."""
        if tag.closes:
            return bool(self._codes) and self._codes.pop()
        inner = self._text[tag.end : max(self._text.find("</", tag.end, tag.end + _LONGEST_CODE), tag.end)]
        self._codes += [] if tag.is_empty else [not any(mark in inner for mark in ("`", "<a", "]("))]
        return not tag.is_empty and self._codes[-1]

    def _say(self, tag: Tag, is_first: bool) -> None:
        """Write what a tag says."""
        name, target = lower_case(tag.name), tag.said.get("href") or tag.said.get("to") or ""
        said = ""
        if name in _CODE:
            said = "`" if self._is_marked(tag) else ""
        elif name in _CELLS:
            said = " | " if tag.closes else ""
        elif name in ("a", "link"):
            if not tag.closes and not tag.is_empty:
                self._links.append(target)
                said = "[" if target else ""
            elif self._links and tag.closes:
                led = self._links.pop()
                said = f"]({led})" if led else ""
        elif tag.closes:
            pass
        elif name == "br":
            said = "" if is_first or self._text[tag.end : tag.end + 1] in " \n" else " "
        elif name in NOTE_TAGS and is_first:
            kind = tag.said.get("type") or name
            said = note(kind if _WORD.fullmatch(kind) else name, tag.title)
        elif is_first and target and tag.title:
            said = f"- [{tag.title}]({target})"
        elif is_first and tag.title:
            said = f"**{tag.title}**"
            if name.endswith("field") and tag.said.get("type"):
                said += f" ({tag.said['type']})"
        elif is_first and name in _MARKS:
            said = _MARKS[name]
        if said:
            follows = self._text[tag.end : tag.end + 1] not in ("", "\n")
            is_label = said[0] in ">*" or said[:3] == "- ["
            self._kept.append(said + (" " if follows and is_label else ""))
            self._has_words |= bool(said.strip(" |[`"))

    def _reference(self, place: int) -> int:
        """Write the character that a reference names; within an element of code just that."""
        reference = _REFERENCE.match(self._text, place)
        said = "&" if reference is None else characters(reference[0])
        if reference is None or said == reference[0]:
            return place + 1
        is_code = bool(self._codes) and self._codes[-1] and said > " " and said != "|"
        self._keep(place)
        self._kept.append(said if is_code else _SIGNS.get(said, said))
        self._has_words |= bool(self._kept[-1].strip(_BLANKS))
        return self._cut(place, reference.end())

    def _expression(self, place: int) -> int:
        until = min(len(self._text), place + _LONGEST)
        end = braces_end(self._text, place, until)
        if end < 0:
            self._left -= until - place
            return place + 1
        expression = self._text[place:end]
        self._keep(place)
        if (string := _STRING.match(expression)) is not None:
            self._kept.append(string[2])
        elif _NAME.match(expression):
            self._kept.append(_WORD.findall(expression)[-1])
        return self._cut(place, end)

    def _end_line(self, until: int) -> None:
        line = "".join([*self._kept, self._text[self._begin : until]])
        if self._is_cut and "](" in line:
            line = _EMPTY_LINK.sub("", line)
        if line.strip(_BLANKS) or not self._is_cut:
            source = self._sources[self._number]
            if self._is_begun_by_tag:
                self._found.append((line.strip(_BLANKS), source))
            else:
                self._found += self._depth.unindented([(line.rstrip(_BLANKS) if self._is_cut else line, source)])
        self._kept = []
        self._is_cut = self._is_begun_by_tag = self._has_words = False
        self._number += 1


def _code_end(text: str, at: int, lost: set[int]) -> int:
    """Where a code span ends that begins at a place, within its line; after its mark where none does.

    Marks so wide that none follows are `lost`.
    """
    width = 1
    while text[at + width : at + width + 1] == "`":
        width += 1
    end = -1 if width in lost else text.find("`" * width, at + width)
    if end < 0:
        lost.add(width)
        return at + width
    return at + width if "\n" in text[at:end] else end + width


def without_statements(rows: Sequence[Row], *, is_jsx: bool) -> list[Row]:
    """Lines without imports and exports, which begin at the margin and end where their brackets are closed."""
    found: list[Row] = []
    at = 0
    most = _LONGEST
    fence = ""
    while at < len(rows):
        text = rows[at][0]
        fence = fence_after(text, fence)
        if fence or not text.startswith(_STATEMENTS) or not (is_jsx or _STATEMENT.match(text)):
            found.append(rows[at])
            at += 1
            continue
        end = _statement_end(rows, at, most)
        if end is None:  # never closed: its line alone, and the next ones are looked through less far
            end, most = at + 1, most // 2
        at = end
    return found


def _statement_end(rows: Sequence[Row], at: int, most: int) -> int | None:
    """The line after a statement: the first blank one, or the end of the block, at which no bracket is open.

    None where none is found within `most` characters.
    """
    depth = length = 0
    first_blank = None
    for number in range(at, len(rows)):
        text = rows[number][0]
        length += len(text) + 1
        if not text.strip(_BLANKS):
            if depth <= 0:
                return number
            first_blank = number if first_blank is None else first_blank
        elif number > at and depth <= 0 and not text.startswith(_STATEMENTS) and text[0] not in " \t)]}<":
            return number
        for opening, closing in ("{}", "()", "[]"):
            depth += text.count(opening) - text.count(closing)
        if length > most:
            return None
    return len(rows) if depth <= 0 else first_blank
