"""Source formats: which files become documents, and what reads their structure. Pure, and linear in the text.

Two markups are read: Markdown, as CommonMark has it, as far as headings and blocks that stay whole need it; and
reStructuredText, whose titles are underlined in any of several characters and whose code is only indented. A text is
taken for the latter when it holds a directive or a label (`.. name::`, `.. _label:`) at the left margin.
"""

from __future__ import annotations

from holdfast.caches.heading_text import heading_text
from holdfast.core.record import NamedTuple
from holdfast.core.unicode_text import WHITE_SPACE, lower_case

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.caches.cache_format import Document

    # Given a text, its lines and the first of them after the front matter: its headings, and the lines before which a
    # long section may be cut.
    ReadMarkup = Callable[[str, list[str], int], tuple[list["Heading"], list[int]]]

_BLANKS = " \t"

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
# A line that begins with anything else can only go on with an open paragraph.
_BEGINNINGS = frozenset(["", *map(chr, range(128))]) - _LETTERS

# HTML that ends at its closing mark, whatever is between ...
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

_UNDERLINES = frozenset("=-~^\"*+#'`:._")


class SourceFormat(NamedTuple):
    """A kind of source: the extension of its names, and what reads its markup, in time linear in the text.

    Without an extension it is read whatever the names end in. The text of one with front matter may begin with it.
    """

    extension: str
    read: ReadMarkup
    has_front_matter: bool = True

    def stem(self, source: str) -> str:
        """The path of a source without its extension."""
        if self.extension:
            return source.removesuffix(self.extension)
        stem, _, extension = source.rpartition(".")
        return stem if stem and "/" not in extension and stem[-1] != "/" else source


class Heading(NamedTuple):
    """A title in the text: its lines (0-based, `after` exclusive), its level from 1, and its words."""

    first: int
    after: int
    level: int
    text: str


def indentation(line: str) -> int:
    """How far a line is indented."""
    return len(line) - len(line.lstrip(_BLANKS))


def is_item(bare: str) -> bool:
    """Whether a stripped line begins an item of a list; the second line of a table does not."""
    if bare[0] in "-*+":
        return bare[1:2] in ("", " ", "\t") and bool(bare.strip("-:| \t*+"))
    digits = len(bare) - len(bare.lstrip("0123456789"))
    return 0 < digits < 10 and bare[digits : digits + 1] in (".", ")") and bare[digits + 1 : digits + 2] in (" ", "\t")


def read_markdown(lines: list[str], body: int) -> tuple[list[Heading], list[int]]:
    """The headings, and the lines before which a long section may be cut; reading begins at the line `body`."""
    headings: list[Heading] = []
    breaks: list[int] = []
    fence = html = ""  # what would end the fence or the HTML we are in; HTML that a blank line ends has "\n"
    paragraph = -1  # the first line of the open paragraph
    inside = False  # an open block other than a paragraph: a quote, a table, a list item
    in_list = False
    gap = True
    for number in range(body, len(lines)):
        line = lines[number]
        if paragraph >= 0 and line[:1] not in _BEGINNINGS:
            continue  # most lines
        bare = line.strip(_BLANKS)
        if fence or (html and (bare or html != "\n")):
            if _is_end(line, bare, fence, html):
                fence, html, gap = "", "", True
            continue
        if not bare:
            html, paragraph, inside, gap = "", -1, False, True
            continue
        margin = 0 if line[0] not in _BLANKS else indentation(line)
        first = bare[0]
        item = first in "-*+0123456789" and is_item(bare) and (gap or in_list or first in "-*+")
        if margin < 2 and (gap or item):
            breaks.append(number)
        in_list = item or (in_list and not (gap and margin < 2))
        if first in "`~" and (margin < 4 or in_list) and (opened := _fence(bare)):
            fence, paragraph, inside = opened, -1, False
        elif first == "#" and margin < 4 and (level := _atx_level(bare)):
            headings.append(Heading(number, number + 1, level, heading_text(bare[level:], closed=True)))
            paragraph, inside, in_list, gap = -1, False, False, True
            continue
        elif paragraph >= 0 and first in "=-" and margin < 4 and not bare.strip(first):
            words = " ".join([part.strip(WHITE_SPACE) for part in lines[paragraph:number]])
            headings.append(Heading(paragraph, number + 1, 1 if first == "=" else 2, heading_text(words)))
            paragraph, gap = -1, True
            continue
        elif first == "<" and margin < 4 and not inside and (ended_by := _html(bare, alone=paragraph < 0)):
            html = "" if ended_by in lower_case(bare)[1:] else ended_by
            paragraph, inside = -1, not html
        elif item or first in ">|" or margin > 3 or _is_rule(bare):
            inside = paragraph < 0 or item or first in ">|"
            paragraph = -1 if inside else paragraph
        elif paragraph < 0 and not inside and not (in_list and margin):
            paragraph = number
        gap = False
    return headings, breaks


def _is_end(line: str, bare: str, fence: str, html: str) -> bool:
    """Whether a line ends the fence or the HTML we are in."""
    if fence:
        return bare.startswith(fence) and not bare.strip(fence[0])
    return html in lower_case(line)


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
    lowered = lower_case(bare[:12])
    for opening, closing in _HTML_PAIRS:
        if lowered.startswith(opening) and (
            opening[-1] not in _LETTERS or lowered[len(opening) : len(opening) + 1] in " \t>"
        ):
            return closing
    name = bare[1:64].lstrip("/").replace(">", " ").replace("/", " ").replace("\t", " ").split(" ", 1)[0]
    if lower_case(name) in _HTML_BLOCKS:
        return "\n"
    is_one_tag = bare.endswith(">") and bare.find("<", 1) < 0 and name[:1] in _LETTERS and ":" not in name
    return "\n" if alone and is_one_tag else ""


def is_restructured(text: str) -> bool:
    """Whether there is a directive or a label at the margin."""
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


def read_restructured(lines: list[str], body: int) -> tuple[list[Heading], list[int]]:
    """The titles, and the lines before which a long section may be cut; reading begins at the line `body`."""
    headings: list[Heading] = []
    breaks: list[int] = []
    levels: dict[str, int] = {}
    item = literal = -1  # the indentation of the open list item, and of the line that announced literal text
    label = -1  # the first of the labels that stand right above
    labelled = (-1, -1)  # a line, and the first of the labels above it
    gap = True
    for number in range(body, len(lines)):
        line = lines[number]
        bare = line.strip(WHITE_SPACE)
        if not bare:
            gap = True
            continue
        margin = 0 if line[0] not in _BLANKS else indentation(line)
        if number > body and margin == 0 and (style := title_style(lines, number, body)):
            title = lines[number - 1].strip(WHITE_SPACE)
            first = number - len(style)
            first = labelled[1] if labelled[0] == first else first
            level = levels.setdefault(style, len(levels) + 1)
            headings.append(Heading(first, number + 1, level, heading_text(_without_roles(title), code="``")))
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
        if item < 0 and (gap or not margin) and (bare.startswith("#. ") or is_item(bare)):
            item = margin
        if literal < 0 and bare.endswith("::") and (not bare.startswith(".. ") or "code" in bare):
            literal = margin
        gap = False
    return headings, breaks


def title_style(lines: list[str], number: int, body: int) -> str:
    """The style of the title that a line underlines: its character, twice with an overline; empty when it does not."""
    underline = lines[number].rstrip(WHITE_SPACE)
    if len(underline) < 3 or underline[0] not in _UNDERLINES or underline.strip(underline[0]):
        return ""
    mark = underline[0]
    title = lines[number - 1].rstrip(WHITE_SPACE)
    words = title.lstrip(WHITE_SPACE)
    above = lines[number - 2].rstrip(WHITE_SPACE) if number - 2 >= body else ""
    if not title or not title.strip(words[0]) or len(underline) < min(len(words), 4):
        return ""
    if above and not above.strip(mark) and len(above) == len(underline):
        return mark + mark
    return mark if not above and title[0] not in _BLANKS else ""


def _is_role(name: str) -> bool:
    plain = name.replace("-", "").replace("_", "")
    return plain.isascii() and plain.isalnum()


def _without_roles(title: str) -> str:
    """A title with `:role:` taken off the words it marks."""
    parts = title.split(":`")
    for position in range(len(parts) - 1):
        before, colon, role = parts[position].rpartition(":")
        if colon and _is_role(role):
            parts[position] = before + "`"
        else:
            parts[position] += ":`"
    return "".join(parts)


def _read_md(text: str, lines: list[str], body: int) -> tuple[list[Heading], list[int]]:
    # Documentation is often given as .md whatever its markup is: a directive or a label says that it is the other one.
    return (read_restructured if is_restructured(text) else read_markdown)(lines, body)


# The documents of caches that `context build` makes; and what readers give: Markdown, whatever the source was.
MARKDOWN = SourceFormat(".md", _read_md)
PAGE = SourceFormat("", lambda _text, lines, body: read_markdown(lines, body), has_front_matter=False)


def is_document_name(name: bytes) -> bool:
    """Whether a file becomes a document: it ends in `.md`, and that is not all of its name."""
    return name.endswith(b".md") and name != b".md"


def document_format(document: Document) -> SourceFormat:
    """The format of a document's content."""
    return MARKDOWN if document.origin is None else PAGE
