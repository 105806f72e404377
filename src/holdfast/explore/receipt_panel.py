"""The calls that servers kept, found by client, query and time; and one of the answers, explained. Pure."""

from __future__ import annotations

from html import escape
from time import gmtime, strftime
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from holdfast.caches.search.audit_page import audit_summary, audited_calls, differences_list, differing_receipts
from holdfast.caches.search.why_page import explained
from holdfast.core.page_shell import shown
from holdfast.explore.cache_panel import command, note

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.explore.project_look import Found

# What calls are found by: the name of a field, and what it is called. And how many are on a page.
FILTERS = {"client": "Client", "query": "Words of the query", "since": "Since, as 2026-11-17"}
A_PAGE = 50
_LINK = "receipt?id="


def receipts_panel(found: Found, directory: str, given: Mapping[str, str], *, with_links: bool = True) -> str:
    """One page of the calls that match, the latest first; a form finds others."""
    form = _form(given) if with_links else ""
    if found.value is None:
        return form + note(found.problem)
    if not found.value["calls"] and not any(given.get(name) for name in FILTERS):
        advice = f"{command('context serve --receipts DIR')} keeps one of every search that is answered."
        return note(f"There are no receipts in {directory}.", advice)
    value = found.value
    if not with_links:
        return audit_summary(value) + differing_receipts(value) + audited_calls(value)
    pages = _pages(given, value["passed_over"], value["calls"])
    return form + audit_summary(value) + audited_calls(value, _LINK) + pages


def receipt_panel(found: Found) -> str:
    """One answer as it is given now, why, and where it is not the one that was recorded."""
    back = '<p><a href="receipts">All calls</a></p>'
    if found.value is None:
        return back + note(found.problem)
    value = found.value
    if value["same"]:
        verdict = '<p><span class="state good">the same answer</span> as was given then, byte for byte:</p>'
    else:
        verdict = '<p><span class="state near">another answer now</span> than was given then:</p>'
    return f"{back}{verdict}{differences_list(value['differences'])}{explained(value['answer'])}"


def utc(seconds: float) -> str:
    """A moment, to the minute."""
    return strftime("%Y-%m-%d %H:%M UTC", gmtime(max(0, seconds)))


def _form(given: Mapping[str, str]) -> str:
    """A form that finds calls; it works without a script."""
    fields = [
        f'<p{" class=" + chr(34) + "wide" + chr(34) if name == "query" else ""}><label for="{name}">{label}</label>'
        f'<input id="{name}" name="{name}" type="search" maxlength="200" '
        f'value="{escape(given.get(name, ""))}"></p>'
        for name, label in FILTERS.items()
    ]
    return (
        f'<form class="ask" action="receipts" method="get" role="search">{"".join(fields)}'
        "<p><button>Find</button></p></form>"
    )


def _pages(given: Mapping[str, str], passed: int, calls: int) -> str:
    """Links to later and earlier calls, where there are some."""
    links = []
    if passed:
        links.append(_page(given, max(0, passed - A_PAGE), "Later calls"))
    if passed + A_PAGE < calls:
        links.append(_page(given, passed + A_PAGE, "Earlier calls"))
    return f'<nav aria-label="Calls"><ul>{"".join(links)}</ul></nav>' if links else ""


def _page(given: Mapping[str, str], skip: int, label: str) -> str:
    fields = {name: given[name] for name in FILTERS if given.get(name)}
    fields |= {"skip": str(skip)} if skip else {}
    asked = urlencode(fields, errors="surrogateescape")
    return f'<li><a href="receipts{escape(f"?{asked}") if asked else ""}">{shown(label)}</a></li>'
