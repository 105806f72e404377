"""The text of an answer, made from its JSON alone: what both say must be the same."""

from __future__ import annotations

from holdfast.caches.search.pointers import pointer_lines
from holdfast.caches.search.proven_page import titled
from holdfast.caches.search.search_text import also_line, claim_line, code_label, header_lines
from holdfast.caches.search.section_label import ToldPages, entry_line, heading_path, path_of, untold_parts
from holdfast.caches.search.section_reasons import TermReason, why_line
from holdfast.caches.shapes import FoundSection, SearchAnswer


def as_text(value: SearchAnswer) -> str:
    """The text of an answer, without its final newline.

    An entry is a line that names a section, perhaps lines in parentheses, and then exactly the lines of its citation.
    """
    lines = header_lines(value["selection"], value["receipt"], is_outline=is_outline(value))
    if value["sections"]:
        lines.append("")
    shown = ToldPages()
    for place, section in enumerate(value["sections"], 1):
        lines += entry_lines(place, section, shown)
    lines += pointer_lines(value["more"])
    return "\n".join(lines)


def is_outline(value: SearchAnswer) -> bool:
    """Whether an answer lists sections without their contents."""
    return bool(value["sections"]) and all("content" not in section for section in value["sections"])


def entry_lines(place: int, section: FoundSection, shown: ToldPages) -> list[str]:
    """The lines of one entry, without what earlier ones have shown of its page."""
    title, heading, page = section["title"], section["heading"], section["id"]
    if "declares" in section:
        is_new, _ = shown.is_new(page, "")
        test = section.get("test", "") if "content" in section else ""
        label = code_label(place, section["citation"], section["declares"], test, is_new=is_new)
    elif "content" in section:
        name = section["citation"].rpartition("#L")[0]
        if "cache" in section:  # the lines that name a section are the same with its cache before them
            name = name[len(section["cache"]) + 1 :]
        parts = untold_parts(name, title, heading, section["content"])
        label = entry_line(str(place), section["citation"], path_of(parts, shown.is_new(page, parts.inner)))
    else:
        with_title, _ = shown.is_new(page, "")
        path = heading_path(*titled(title, heading, with_title=with_title))
        label = f"{entry_line(str(place), section['citation'], path)} · {section['tokens']:,} tokens"
    lines = [label]
    if "claim" in section:
        lines.append(claim_line(section["claim"]))
    if section["also"]:
        lines.append(also_line(section["also"], section["also_more"]))
    if "why" in section and section["why"]["terms"]:
        reasons = [TermReason(item["term"], tuple(item["fields"]), item["impact"]) for item in section["why"]["terms"]]
        lines.append(why_line(reasons, section["why"]["terms_more"], section["why"]["turn"]))
    if section["header"]:
        lines.append(section["header"])
    if "content" in section:
        lines.append(section["content"])
    return lines
