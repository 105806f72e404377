"""The headings of Markdown, as CommonMark has them, and where it may be cut. Pure, and linear in the text."""

from __future__ import annotations

from holdfast.caches.search.headings import BLANKS, Heading, heading_text, indentation, is_item
from holdfast.core.lower_case import lower_case
from holdfast.core.unicode_text import WHITE_SPACE

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
# A line that begins with anything else can only go on with an open paragraph.
_BEGINNINGS = frozenset(["", *map(chr, range(128))]) - _LETTERS

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
        bare = line.strip(BLANKS)
        if fence or (html and (bare or html != "\n")):
            if _is_end(line, bare, fence, html):
                fence, html, gap = "", "", True
            continue
        if not bare:
            html, paragraph, inside, gap = "", -1, False, True
            continue
        margin = 0 if line[0] not in BLANKS else indentation(line)
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
    return bare[0] in "-*_" and len(bare) > 2 and not bare.strip(bare[0] + BLANKS)


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
