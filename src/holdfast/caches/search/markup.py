"""The headings of a text, and where it may be cut. Pure, and linear in the text.

Two markups are read. Markdown, as CommonMark has it, as far as headings and blocks that stay whole need it; and
reStructuredText, whose titles are underlined in any of several characters and whose code is only indented. A text is
taken for the latter when it holds a directive or a label (`.. name::`, `.. _label:`) at the left margin.
"""

from __future__ import annotations

from holdfast.core.record import NamedTuple

# Characters. Beyond this a title is no title; the rest of it is found in the section's text.
LONGEST_TITLE = 400

_BLANKS = " \t"
_RST_UNDERLINES = frozenset("=-~^\"*+#'`:._")
# HTML that ends at its closing mark, whatever stands between ...
_HTML_PAIRS = (
    ("<!--", "-->"),
    ("<?", "?>"),
    ("<![cdata[", "]]>"),
    ("<pre", "</pre>"),
    ("<script", "</script>"),
    ("<style", "</style>"),
    ("<textarea", "</textarea>"),
)
# ... and HTML that ends at a blank line, by the names CommonMark lists; a line that is one tag of any name does too.
_HTML_BLOCKS = frozenset(
    "address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt "
    "fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link "
    "main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead "
    "title tr track ul".split(" ")
)


class Heading(NamedTuple):
    """A title in the text: its lines (0-based, `after` exclusive), its level from 1, and its words."""

    first: int
    after: int
    level: int
    text: str


class Markup(NamedTuple):
    """The structure of a text.

    `starts` has the offset of each line and, last, of the end. `breaks` are the lines before which a long section may
    be cut: each begins a paragraph, a table, a fence or an item of a list at the margin. `body` is the first line
    after the front matter, `title` what that calls the text.
    """

    lines: list[str]
    starts: list[int]
    headings: list[Heading]
    breaks: list[int]
    body: int
    title: str


def read_markup(text: str) -> Markup:
    """The structure of a text in either markup."""
    lines, starts = split_lines(text)
    body, title = _front_matter(lines)
    read = _read_restructured if _is_restructured(text) else _read_markdown
    headings, breaks = read(lines, body)
    return Markup(lines, starts, headings, breaks, body, title)


def split_lines(text: str) -> tuple[list[str], list[int]]:
    """The lines without their ends (LF, CRLF or CR), and the offset of each with, last, the text's length."""
    if "\r" not in text:
        lines = text.split("\n")
        ends = [1] * len(lines)
    else:
        lines, ends = [], []
        for piece in text.split("\n"):
            parts = piece.split("\r")
            pair = len(parts) > 1 and not parts[-1]  # the piece ended in CR: together with the LF it ends one line
            if pair:
                parts.pop()
            lines += parts
            ends += [1] * len(parts)
            ends[-1] += pair
    starts = [0]
    offset = 0
    for line, end in zip(lines, ends, strict=True):
        offset += len(line) + end
        starts.append(offset)
    if not lines[-1] and len(lines) > 1 and starts[-2] >= len(text):
        lines.pop()  # the text ends with a line's end: no empty line follows
        starts.pop()
    starts[-1] = len(text)
    return lines, starts


def _front_matter(lines: list[str]) -> tuple[int, str]:
    """The number of lines that a YAML or TOML header takes at the very start, and the title it gives."""
    mark = lines[0].removeprefix("\ufeff").rstrip()
    if mark not in ("---", "+++"):
        return 0, ""
    title = ""
    for number in range(1, len(lines)):
        line = lines[number].rstrip()
        if line == mark or (mark == "---" and line == "..."):
            return number + 1, title[:LONGEST_TITLE]
        name, separator, value = line.partition("=" if mark == "+++" else ":")
        if separator and not title and name.rstrip() == "title":
            title = value.strip()
            if len(title) > 1 and title[0] == title[-1] and title[0] in "'\"":
                title = title[1:-1]
    return 0, ""  # never closed: an ordinary text that begins with a rule


def _is_restructured(text: str) -> bool:
    at = 0 if text.startswith(".. ") else text.find("\n.. ") + 1
    while at or text.startswith(".. ", at):
        end = text.find("\n", at)
        line = text[at : end if end >= 0 else len(text)]
        if "::" in line or line.startswith(".. _"):
            return True
        at = text.find("\n.. ", at + 1) + 1
        if not at:
            break
    return False


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(_BLANKS))


def _read_markdown(lines: list[str], body: int) -> tuple[list[Heading], list[int]]:
    headings: list[Heading] = []
    breaks: list[int] = []
    fence = html = ""  # what would end the fence or the HTML we are in; HTML that a blank line ends has "\n"
    paragraph = -1  # the first line of the open paragraph
    inside = False  # an open block other than a paragraph: a quote, a table, a list item
    in_list = False
    gap = True
    for number in range(body, len(lines)):
        line = lines[number]
        bare = line.strip(_BLANKS)
        if fence:
            if bare.startswith(fence) and not bare.strip(fence[0]):
                fence, gap = "", True
            continue
        if html and not (html == "\n" and not bare):
            if html in line.lower():
                html, gap = "", True
            continue
        if not bare:
            html, paragraph, inside, gap = "", -1, False, True
            continue
        margin = 0 if line[0] not in _BLANKS else _indentation(line)
        first = bare[0]
        item = first in "-*+0123456789" and _is_item(bare) and (gap or in_list or first in "-*+")
        if margin < 2 and (gap or item):
            breaks.append(number)
        if item:
            in_list = True
        elif gap and margin < 2:
            in_list = False
        if first in "`~" and (margin < 4 or in_list) and (opened := _fence(bare)):
            fence, paragraph, inside = opened, -1, False
        elif first == "#" and margin < 4 and (level := _atx_level(bare)):
            headings.append(Heading(number, number + 1, level, heading_text(bare[level:], closed=True)))
            paragraph, inside, in_list, gap = -1, False, False, True
            continue
        elif paragraph >= 0 and first in "=-" and margin < 4 and not bare.strip(first):
            words = " ".join([part.strip() for part in lines[paragraph:number]])
            headings.append(Heading(paragraph, number + 1, 1 if first == "=" else 2, heading_text(words)))
            paragraph, gap = -1, True
            continue
        elif first == "<" and margin < 4 and not inside and (ended_by := _html(bare, alone=paragraph < 0)):
            html = "" if ended_by in bare.lower()[1:] else ended_by
            paragraph, inside = -1, not html
        elif item or first in ">|" or margin > 3 or _is_rule(bare):
            inside = paragraph < 0 or item or first in ">|"
            paragraph = -1 if inside else paragraph
        elif paragraph < 0 and not inside and not (in_list and margin):
            paragraph = number
        gap = False
    return headings, breaks


def _is_item(bare: str) -> bool:
    """Whether a stripped line begins an item of a list; the second line of a table does not."""
    if bare[0] in "-*+":
        return bare[1:2] in ("", " ", "\t") and bool(bare.strip("-:| \t*+"))
    digits = len(bare) - len(bare.lstrip("0123456789"))
    return 0 < digits < 10 and bare[digits : digits + 1] in (".", ")") and bare[digits + 1 : digits + 2] in (" ", "\t")


def _is_rule(bare: str) -> bool:
    return bare[0] in "-*_" and len(bare) > 2 and not bare.strip(bare[0] + _BLANKS)


def _fence(bare: str) -> str:
    """The marks that open a fence, as many as its end must have at least; empty when the line opens none."""
    width = len(bare) - len(bare.lstrip(bare[0]))
    if width < 3 or (bare[0] == "`" and "`" in bare[width:]):
        return ""
    return bare[:width]


def _atx_level(bare: str) -> int:
    level = len(bare) - len(bare.lstrip("#"))
    return level if level < 7 and bare[level : level + 1] in ("", " ", "\t") else 0


def _html(bare: str, *, alone: bool) -> str:
    """What ends the HTML that a line begins: a closing mark, a line's end for a blank line; empty when it is none."""
    lowered = bare[:12].lower()
    for opening, closing in _HTML_PAIRS:
        if lowered.startswith(opening) and (
            not opening[-1].isalpha() or lowered[len(opening) : len(opening) + 1] in " \t>"
        ):
            return closing
    name = bare[1:64].lstrip("/").replace(">", " ").replace("/", " ").replace("\t", " ").split(" ", 1)[0]
    if name.lower() in _HTML_BLOCKS:
        return "\n"
    is_one_tag = bare.endswith(">") and bare.find("<", 1) < 0 and name[:1].isalpha() and ":" not in name
    return "\n" if alone and is_one_tag else ""


def heading_text(raw: str, *, closed: bool = False) -> str:
    """The words of a heading: without closing marks and without an anchor such as `{#name}` at the end."""
    text = raw.strip()
    if closed:
        open_part = text.rstrip("#")
        if not open_part or open_part[-1] in _BLANKS:
            text = open_part.rstrip()
    if text.endswith("}"):
        at = text.rfind("{")
        if at >= 0 and text[at + 1 : -1].lstrip()[:1] in ("#", ".", "/"):
            text = text[:at].rstrip()
    return text[:LONGEST_TITLE]


def _read_restructured(lines: list[str], body: int) -> tuple[list[Heading], list[int]]:
    headings: list[Heading] = []
    breaks: list[int] = []
    levels: dict[str, int] = {}
    item = literal = -1  # the indentation of the open list item, and of the line that announced literal text
    label = -1  # the first of the labels that stand right above
    labelled = (-1, -1)  # a line, and the first of the labels above it
    gap = True
    for number in range(body, len(lines)):
        line = lines[number]
        bare = line.strip()
        if not bare:
            gap = True
            continue
        margin = 0 if line[0] not in _BLANKS else _indentation(line)
        if number > body and margin == 0 and (style := _rst_title(lines, number, body)):
            title = lines[number - 1].strip()
            first = number - len(style)
            first = labelled[1] if labelled[0] == first else first
            level = levels.setdefault(style, len(levels) + 1)
            headings.append(Heading(first, number + 1, level, heading_text(_without_roles(title))))
            gap = True
            continue
        if bare.startswith(".. _") and bare.endswith(":"):
            label = number if label < 0 else label
        elif label >= 0:
            labelled, label = (number, label), -1
        if margin <= item:
            item = -1
        if margin <= literal:
            literal = -1
        # The body of a directive is indented prose, one or two steps deep; its paragraphs may be parted like others.
        if gap and item < 0 and literal < 0 and (margin < 4 or bare.startswith(".. ")):
            breaks.append(number)
        if item < 0 and (gap or not margin) and (bare.startswith("#. ") or _is_item(bare)):
            item = margin
        if literal < 0 and bare.endswith("::") and (not bare.startswith(".. ") or "code" in bare):
            literal = margin
        gap = False
    return headings, breaks


def _rst_title(lines: list[str], number: int, body: int) -> str:
    """The style of the title that a line underlines: its character, twice with an overline; empty when it does not."""
    underline = lines[number].rstrip()
    mark = underline[0]
    if mark not in _RST_UNDERLINES or underline.strip(mark) or len(underline) < 3:
        return ""
    title = lines[number - 1].rstrip()
    above = lines[number - 2].rstrip() if number - 2 >= body else ""
    if not title or not title.strip(title.lstrip()[0]) or len(underline) < min(len(title.strip()), 4):
        return ""
    if above and not above.strip(mark) and len(above) == len(underline):
        return mark + mark
    return mark if not above and title[0] not in _BLANKS else ""


def _without_roles(title: str) -> str:
    """A title with `:role:` taken off the words it marks."""
    parts = title.split(":`")
    for position in range(len(parts) - 1):
        before, colon, role = parts[position].rpartition(":")
        if colon and role.replace("-", "").replace("_", "").isalnum():
            parts[position] = before + "`"
        else:
            parts[position] += ":`"
    return "".join(parts)
