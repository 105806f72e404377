"""A passage as a model reads it: a line that cites it, its lines as they are, and where it goes on. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.caches.shapes import PassagesAnswer, ReadAnswer, StaleAnswer
from holdfast.core.display_text import display_line

# Characters. A longer heading path is given in JSON alone: it would take the room of the text it leads to.
_LONGEST_PATH = 200
_VERSION = slice(len("sha256:"), len("sha256:") + 8)


def as_text(value: ReadAnswer | StaleAnswer | PassagesAnswer) -> str:
    """The text of an answer of `context.read`, without its final newline.

    Between the first line and the last stand exactly the lines that the citation says.
    """
    if "passages" in value:
        unread = [unread_line(value["unread"])] if "unread" in value else []
        return "\n".join([*map(as_text, value["passages"]), *unread])
    if "error" in value:
        return _stale(value)
    parts = [citation_line(value["citation"], value["title"], value["heading"])]
    parts.append(f"{value['tokens_used']:,} of {value['budget']:,} tokens")
    parts.append(f"{value['cache']} {value['cache_version'][_VERSION]}")
    if "known" in value:
        return display_line(" · ".join([*parts, f"known by {value['known']}, not sent again"]))
    lines = [display_line(" · ".join(parts)), value["content"]]
    following = value["next"]
    if isinstance(following, str):
        lines.append(display_line(f"[goes on: citation {following}]"))
    elif following is not None:
        name = value["citation"].rpartition("#L")[0]
        lines.append(display_line(f"[goes on: id {name}, line {following} of {value['line_count']}]"))
    return "\n".join(lines)


def unread_line(places: Sequence[str]) -> str:
    """The line after the passages of a list whose other places the budget did not reach."""
    more = f" and {len(places) - 1:,} more" if len(places) > 1 else ""
    return display_line(f"[not read, the budget is spent: {places[0]}{more}]") if places else ""


def citation_line(citation: str, title: str, heading: Sequence[str]) -> str:
    """A citation and what it leads to: the title, and the headings below it."""
    path = " › ".join(heading if title in heading[:1] else [part for part in (title, *heading) if part])
    if len(path) > _LONGEST_PATH:
        path = path[:_LONGEST_PATH] + "…"
    return f"{citation} · {path}" if path else citation


def _stale(value: StaleAnswer) -> str:
    where = f"{value['cache']} {value['cache_version'][_VERSION]}"
    message = f"{value['citation']} does not hold in {where}: {_STATES[value['state']]}."
    if (nearest := value["nearest"]) is not None:
        message += f" Nearest now: {citation_line(nearest['citation'], nearest['title'], nearest['heading'])}"
    return display_line(message)


_STATES = {
    "changed": "these lines say something else",
    "no such lines": "the document has no such lines",
    "no such document": "there is no such document",
}
