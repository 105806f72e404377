"""The lines of an answer of `context.search` around its sections: what was found, what is missing. Pure."""

from __future__ import annotations

from holdfast.caches.search.asked_caches import WORK_TREE
from holdfast.caches.search.section_label import entry_line
from holdfast.core.display_text import display_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.caches.shapes import LeftOutCache, SectionSelection

_VERSION = slice(len("sha256:"), len("sha256:") + 8)
_MOST_NAMED = 4
# Characters of the words that are not here: a first line has about forty tokens.
_LONGEST_WARNING = 90
_RECEIPT = slice(len("sha256:"), len("sha256:") + 8)


def header_lines(selection: SectionSelection, receipt: str, *, is_outline: bool) -> list[str]:
    """What was found and what it costs, and before it whether nothing here answers well and what is not here; then what
    was left out, and what was not sent again."""
    count, matching = selection["sections_selected"], selection["sections_considered"]
    found = [f"{count} of {matching} section{'' if matching == 1 else 's'}{' listed' if is_outline else ''}"]
    if named := selection["sections_named"]:
        found.append(f"{named} named")
    found += [f"{selection['tokens_used']} of {selection['budget']} tokens", f"strength {selection['strength']}"]
    where = f"{asked_of(selection)} {selection['cache_version'][_VERSION]} · receipt {receipt[_RECEIPT]}"
    warning, others = _warning(selection), _notes(selection)
    lines = [warning, f"{', '.join(found)} · {where}", *others]
    return [display_line(line) for line in lines if line]


def notes(selection: SectionSelection) -> list[str]:
    """The lines of an answer's head but the one that says what was found."""
    return [display_line(line) for line in (_warning(selection), *_notes(selection)) if line]


def _notes(selection: SectionSelection) -> list[str]:
    lines = []
    if left_out := [each for each in selection.get("left_out", ()) if each["name"] != WORK_TREE]:
        lines.append(left_out_line(left_out))
    if selection["known"]:
        more = f" and {selection['known_more']:,} more" if selection["known_more"] else ""
        lines.append(f"Known, not sent again: {', '.join(selection['known'])}{more}")
    return lines


def _warning(selection: SectionSelection) -> str:
    """That nothing here answers well, and the words that are not here, each with the nearest that is."""
    found = []
    if any(each["name"] == WORK_TREE for each in selection.get("left_out", ())):
        found.append("Source code is still being read: ask again for it.")
    if not selection["sections_considered"]:
        found.append("Nothing here matches.")
    elif selection["weak"]:
        found.append("Nothing here answers well.")
    shown = []
    for each in selection["not_here"]:
        nearest = f" ({'read as' if each['read'] else 'nearest:'} {each['nearest']})" if each["nearest"] else ""
        shown.append(each["word"] + nearest)
    while len(shown) > 1 and len(", ".join(shown)) > _LONGEST_WARNING:
        shown.pop()
    if shown:
        found.append(f"Not here: {', '.join(shown)}.")
    return " ".join(found)


def asked_of(selection: SectionSelection) -> str:
    """The cache by its name, or how many."""
    if not selection.get("caches"):
        return selection["cache"]
    count = len(selection["caches"])
    return f"{count:,} cache{'' if count == 1 else 's'}"


def code_label(place: int, citation: str, declares: str, test: str, *, is_new: bool) -> str:
    """The line of a section of source; with its path, and the tests of the file, where that is named first."""
    shown = citation if is_new else "#L" + citation.rpartition("#L")[2]
    line = entry_line(str(place), shown, display_line(declares))
    return f"{line}\n(tests: {test})" if is_new and test else line


def claim_line(claim: str) -> str:
    """The line with what the context of a file's directory claims."""
    return display_line(f"({claim})")


def left_out_line(left_out: Sequence[LeftOutCache]) -> str:
    """The first of the caches that could not be asked, why, and how many more there are."""
    named = ", ".join([f"{each['name']} ({each['why']})" for each in left_out[:_MOST_NAMED]])
    more = f" and {len(left_out) - _MOST_NAMED:,} more" if len(left_out) > _MOST_NAMED else ""
    return display_line(f"Left out: {named}{more}.")


def also_line(citations: Sequence[str], more: int) -> str:
    """A line with the citations of equal texts."""
    return display_line(f"(also: {', '.join(citations)}{f' and {more:,} more' if more else ''})")
