"""The titles of reStructuredText, and where it may be cut. Pure, and linear in the text."""

from __future__ import annotations

from holdfast.caches.search.headings import BLANKS, Heading, heading_text, indentation, is_item
from holdfast.core.unicode_text import WHITE_SPACE

_UNDERLINES = frozenset("=-~^\"*+#'`:._")


def is_restructured(text: str) -> bool:
    """Whether a directive or a label stands at the margin."""
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
        margin = 0 if line[0] not in BLANKS else indentation(line)
        if number > body and margin == 0 and (style := _title(lines, number, body)):
            title = lines[number - 1].strip(WHITE_SPACE)
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
        if item < 0 and (gap or not margin) and (bare.startswith("#. ") or is_item(bare)):
            item = margin
        if literal < 0 and bare.endswith("::") and (not bare.startswith(".. ") or "code" in bare):
            literal = margin
        gap = False
    return headings, breaks


def _title(lines: list[str], number: int, body: int) -> str:
    """The style of the title that a line underlines: its character, twice with an overline; empty when it does not."""
    underline = lines[number].rstrip(WHITE_SPACE)
    mark = underline[0]
    if mark not in _UNDERLINES or underline.strip(mark) or len(underline) < 3:
        return ""
    title = lines[number - 1].rstrip(WHITE_SPACE)
    words = title.lstrip(WHITE_SPACE)
    above = lines[number - 2].rstrip(WHITE_SPACE) if number - 2 >= body else ""
    if not title or not title.strip(words[0]) or len(underline) < min(len(words), 4):
        return ""
    if above and not above.strip(mark) and len(above) == len(underline):
        return mark + mark
    return mark if not above and title[0] not in BLANKS else ""


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
