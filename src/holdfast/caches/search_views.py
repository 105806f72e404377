"""Searches as a person sees them on a terminal. Loaded only there."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from holdfast.caches.audit_shapes import ReplayAnswer
from holdfast.caches.search import cache_overview
from holdfast.caches.search.passage_text import as_text, unread_line
from holdfast.caches.search.pointers import pointer_lines
from holdfast.caches.search.search_text import also_line, asked_of, claim_line, notes
from holdfast.caches.search.section_label import heading_path
from holdfast.caches.search.section_reasons import TermReason, why_line
from holdfast.caches.search.source_lines import split_lines
from holdfast.caches.search.word_terms import all_terms, raw_words
from holdfast.caches.shapes import (
    CachesAnswer,
    CiteAnswer,
    DiffAnswer,
    FoundSection,
    PassagesAnswer,
    ReadAnswer,
    SearchAnswer,
    SinceAnswer,
    StaleAnswer,
)
from holdfast.caches.views import bar
from holdfast.core.unicode_text import WHITE_SPACE

_BEST_LINES = 3
_INDENTED = (0, 0, 0, 3)
_WIDEST = 160
_STATE_STYLES = {"holds": "green", "changed": "yellow"}


def search(value: SearchAnswer | CachesAnswer, _seconds: float) -> RenderableType:
    """Each entry with its heading path, its citation and its best lines; then a bar of the budget."""
    if "caches_more" in value:
        return Text(cache_overview.as_text(value))
    selection = value["selection"]
    terms = {term for word in raw_words(selection["query"]) for term in all_terms(word)}
    parts: list[RenderableType] = [Text(note, style="yellow") for note in notes(selection)]
    for place, hit in enumerate(value["sections"], 1):
        path = heading_path(hit["title"], hit["heading"]) or hit["id"]
        parts.append(Text.assemble((f"{place}. ", "dim"), Text(path, style="bold")))
        score = f"  score {hit['score']:,}, {hit['tokens']:,} tokens"
        parts.append(Padding(Text.assemble((hit["citation"], "cyan"), (score, "dim")), _INDENTED))
        parts += [Padding(Text(line, style="dim"), _INDENTED) for line in _marked_lines(hit)]
        parts += [Padding(line, _INDENTED) for line in best_lines(hit.get("content", ""), terms)]
        parts.append(Text())
    parts += [Text(line, style="dim") for line in pointer_lines(value["more"])]
    used, budget = selection["tokens_used"], selection["budget"]
    parts.append(Text.assemble("budget ", bar(used, budget), f" {used:,} of {budget:,} tokens"))
    left_out = selection["sections_excluded_by_budget"]
    counts = f"{selection['sections_selected']:,} of {selection['sections_considered']:,} sections that match" + (
        f", {left_out:,} did not fit" if left_out else ""
    )
    strength = f"strength {selection['strength']:,}"
    parts.append(Text(f"{counts}; {strength}; tokens by {selection['tokenizer']}", style="dim"))
    cache = f"{asked_of(selection)} {selection['cache_version'][7:15]}"
    parts.append(Text(f"{cache}; receipt {value['receipt']}", style="dim"))
    return Group(*parts)


def _marked_lines(hit: FoundSection) -> list[str]:
    """The lines in parentheses above a section's text."""
    lines = [claim_line(hit["claim"])] if "claim" in hit else []
    if hit["also"]:
        lines.append(also_line(hit["also"], hit["also_more"]))
    if "why" in hit and (terms := hit["why"]["terms"]):
        reasons = [TermReason(each["term"], tuple(each["fields"]), each["impact"]) for each in terms]
        lines.append(why_line(reasons, hit["why"]["terms_more"], hit["why"]["turn"]))
    return [*lines, hit["header"]] if hit["header"] else lines


def best_lines(content: str, terms: set[str]) -> list[Text]:
    """The lines of a section that hold most of the terms, in their order, the words that match marked."""
    lines = [line.strip(WHITE_SPACE) for line in split_lines(content)[0]]
    found = []
    for number, line in enumerate(lines):
        held = {term for word in raw_words(line[: 4 * _WIDEST]) for term in all_terms(word)} & terms
        if held and not line.startswith("#"):
            found.append((-len(held), number))
    return [_marked(lines[number], terms) for number in sorted([number for _, number in sorted(found)[:_BEST_LINES]])]


def _marked(line: str, terms: set[str]) -> Text:
    shown = line if len(line) <= _WIDEST else line[:_WIDEST] + "…"
    text = Text(shown)
    at = 0
    for word in raw_words(shown):
        start = shown.find(word, at)
        if start >= 0:
            at = start + len(word)
            if terms.intersection(all_terms(word)):
                text.stylize("bold yellow", start, at)
    return text


def passage(value: ReadAnswer | StaleAnswer | PassagesAnswer, seconds: float) -> RenderableType:
    """The text as it is, its first and last line apart from what was written."""
    if "passages" in value:
        unread = [Text(unread_line(value["unread"]), style="dim")] if "unread" in value else []
        return Group(*[passage(each, seconds) for each in value["passages"]], *unread)
    text = as_text(value)
    if "error" in value:
        return Text(text, style="yellow")
    header, _, rest = text.partition("\n")
    content, footer = rest[: len(value["content"])], rest[len(value["content"]) :]
    return Text.assemble((header, "bold cyan"), "\n", content, (footer, "dim"))


def replayed(value: ReplayAnswer, _seconds: float) -> RenderableType:
    """The same, or every difference."""
    if value["same"]:
        return Text(f"The same answer: {value['receipt']}", style="green")
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("what", "recorded", "now"):
        table.add_column(column, overflow="fold")
    for item in value["differences"]:
        table.add_row(Text(str(item["what"])), Text(_shown(item["recorded"])), Text(_shown(item["now"])))
    return Group(Text("Another answer than recorded", style="bold yellow"), table)


def _shown(value: object) -> str:
    if value is None:
        return "—"
    if isinstance(value, dict) and "score" in value:
        return f"score {value['score']:,}, {value['content'][:19]}"
    return str(value)


def citations(value: CiteAnswer, _seconds: float) -> RenderableType:
    """A line each."""
    if not value["found"]:
        return Text("No citations in this text.", style="dim")
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("line", justify="right", style="dim")
    table.add_column("citation", overflow="fold")
    table.add_column("state")
    for item in value["citations"]:
        state = Text(item["state"], style=_STATE_STYLES.get(item["state"], "red"))
        table.add_row(str(item["line"]), Text(item["citation"]), state)
    verdict = f"{value['found'] - value['failed']:,} of {value['found']:,} hold"
    return Group(table, Text(verdict, style="bold red" if value["failed"] else "green"))


def differences(value: DiffAnswer | SinceAnswer, seconds: float) -> RenderableType:
    """How much changed, in a line; then documents, sections and queries. Of a whole project a line a cache first."""
    if "since" in value:
        shown: list[RenderableType] = []
        for cache in value["caches"]:
            reason = f", {cache['reason']}" if cache["reason"] else ""
            shown.append(Text(f"{cache['name']}: {cache['state']}{reason}", style="bold"))
        for cache in value["caches"]:
            if cache["difference"] is not None:
                shown += [Text(), Text(cache["name"], style="bold cyan"), differences(cache["difference"], seconds)]
        return Group(*shown)
    documents, sections, queries = value["documents"], value["sections"], value["queries"]
    changed = [query for query in queries if query["changed"]]
    counts = [
        (len(documents["added"]), "added"),
        (len(documents["removed"]), "removed"),
        (len(documents["changed"]), "changed"),
    ]
    listed = [f"{count:,} {how}" for count, how in counts if count]
    summary = f"documents: {', '.join(listed)}; sections: {len(sections):,}" if listed else "The same documents."
    parts: list[RenderableType] = [Text(summary, style="bold" if listed else "green")]
    if queries:
        verdict = f"{len(changed):,} of {len(queries):,} saved queries change their answer"
        parts.append(Text(verdict, style="bold yellow" if changed else "green"))
    for mark, style, names in (
        ("+", "green", documents["added"]),
        ("-", "red", documents["removed"]),
        ("~", "yellow", documents["changed"]),
    ):
        parts += [Text(f"{mark} {name}", style=style) for name in names]
    for section in sections:
        first, last = section["lines"]
        where = f"    {section['change']:<8} {section['source']}:{first}-{last}  {' › '.join(section['heading'])}"
        parts.append(Text(where, style="dim"))
    for query in changed:
        parts.append(Text(f"  {query['query']}", style="bold"))
        parts += [Text(f"    + {citation}", style="green") for citation in query["added"]]
        parts += [Text(f"    - {citation}", style="red") for citation in query["removed"]]
    return Group(*parts)
