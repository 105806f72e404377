"""How a section is named in an answer: the line that stands above its text. Pure."""

from __future__ import annotations

from holdfast.core.display_text import display_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Characters. What a path is longer than this would take from the room of what it leads to.
LONGEST_PATH = 96
_LONGEST_PART = 64
_BETWEEN, _CUT = " › ", "…"


def section_label(source: str, title: str, heading: Sequence[str]) -> str:
    """The line above a section and its end, with 0 for each of its numbers and for the hash.

    What is counted when a cache is built: the digits of a line are tokens of their own in every tokenizer, so that its
    count is known when its numbers are.
    """
    return entry_line("0", f"{source}#L0-L0@0", heading_path(title, heading)) + "\n"


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
