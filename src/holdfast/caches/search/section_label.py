"""How a section is named in an answer: the line that stands above its text. Pure."""

from __future__ import annotations

from holdfast.caches.search.source_lines import line_at
from holdfast.core.display_text import display_line
from holdfast.core.unicode_text import WHITE_SPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.caches.search.section import Section

# Characters. What a path is longer than this would take from the room of what it leads to.
LONGEST_PATH = 96
_LONGEST_PART = 64
_LONGEST_HEADER = 200
_BETWEEN, _CUT = " › ", "…"


def section_label(source: str, title: str, section: Section, header: str = "") -> str:
    """What stands above a section and its end, with 0 for each of its numbers and for the hash; `header` is the text
    of the header row of the table that the section goes on with.

    What is counted when a cache is built: the digits of a line are tokens of their own in every tokenizer, so that its
    count is known when its numbers are.
    """
    first, last = ["L0C0" if column else "L0" for column in (section.from_column, section.to_column)]
    lines = [entry_line("0", f"{source}#{first}-{last}@0", heading_path(title, section.heading))]
    if header:
        lines.append(header_line(0, header))
    return "\n".join([*lines, ""])


def header_line(line: int, text: str) -> str:
    """The line that repeats the header row of a table above a part of it, without its end: marked, since it is not
    among the cited lines, and of bounded length."""
    return _shortened(display_line(f"(header of the table, L{line}) {text.strip(WHITE_SPACE)}"), _LONGEST_HEADER)


def header_text(content: str, section: Section) -> str:
    """The header row that a section of a document with this content repeats; empty where it repeats none."""
    return line_at(content, section.header) if section.header else ""


def entry_line(place: str, citation: str, path: str) -> str:
    """The line above a section, without its end: the place in the answer, the citation, what the section is called."""
    return f"[{place}] {display_line(citation)} · {path}" if path else f"[{place}] {display_line(citation)}"


def heading_path(title: str, heading: Sequence[str]) -> str:
    """The title and the headings below it, as one line of bounded length: a long path loses its middle.

    Controls are shown. The title is told once where it is the first heading too.
    """
    parts = [part for part in heading if part] if title in heading[:1] else [part for part in (title, *heading) if part]
    path = _BETWEEN.join(parts)
    if len(path) > LONGEST_PATH:
        parts = [_shortened(part, _LONGEST_PART) for part in parts]
        kept = [parts[0], _CUT, parts[-1]] if len(parts) > 2 else parts
        for part in parts[-2:1:-1]:
            more = [*kept[:2], part, *kept[2:]]
            if len(_BETWEEN.join(more)) > LONGEST_PATH:
                break
            kept = more
        path = _shortened(_BETWEEN.join(kept), LONGEST_PATH)
    return display_line(path)


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + _CUT
