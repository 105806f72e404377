"""Caches as cards of one measure, and the box that asks them. Pure."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from holdfast.caches.search.why_page import explained
from holdfast.core.page_shell import counted, facts, folded, meter, shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.explore.project_look import Found

MOST_BUDGET = 1_000_000


def note(problem: str, advice: str = "") -> str:
    """Something that is wrong or not there, and what to do about it; the advice is HTML already."""
    text = f"<p>{shown(problem)}</p>" if problem else ""
    return f'<div class="note">{text}{f"<p>{advice}</p>" if advice else ""}</div>'


def command(words: str) -> str:
    """Words to type."""
    return f"<code>{escape(words)}</code>"


def search_box(names: Sequence[str], query: str = "", cache: str = "", budget: str = "") -> str:
    """A form that works without a script; without a budget an answer is as long as it needs to be."""
    options = [
        f'<option value="{escape(name)}"{" selected" if name == cache else ""}>{escape(label)}</option>'
        for name, label in [("", "all caches"), *[(name, name) for name in names]]
    ]
    return (
        '<form class="ask" action="search" method="get" role="search">'
        '<p class="wide"><label for="q">Question, in the words of the documentation</label>'
        f'<input id="q" name="q" type="search" maxlength="2000" required value="{escape(query)}"></p>'
        f'<p><label for="cache">Cache</label><select id="cache" name="cache">{"".join(options)}</select></p>'
        f'<p><label for="budget">Tokens at most</label><input id="budget" name="budget" type="number" min="100" '
        f'max="{MOST_BUDGET}" step="100" value="{escape(budget)}"></p><p><button>Search</button></p></form>'
    )


def search_panel(names: Sequence[str], query: str, cache: str, budget: str, found: Found | None) -> str:
    """The box, and the answer with its reasons where something was asked."""
    box = search_box(names, query, cache, budget)
    if found is None:
        return box
    if found.value is None:
        return box + note(found.problem)
    return box + explained(found.value)


def caches_panel(
    caches: Sequence[tuple[str, Found]], about: Mapping[str, str], sync: Found, *, with_box: bool = True
) -> str:
    """A card for each cache, bars of one measure; above them the box that asks."""
    if not caches:
        return note("There is no cache yet.", f"{command('context add NAME PATH')} builds one from documentation.")
    names = [name for name, _ in caches]
    most = max([found.value["document_count"] for _, found in caches if found.value], default=0)
    states = {cache["name"]: cache for cache in sync.value["caches"]} if sync.value else {}
    cards = [_card(name, found, about.get(name, ""), states.get(name), most) for name, found in caches]
    missing = [each for name, each in states.items() if name not in names]
    notes = [note(f"{each['name']}: {'; '.join(each['reasons'])}", command("context sync")) for each in missing]
    box = search_box(names) if with_box else ""
    heading = f"<h2>{counted(len(caches), 'cache')}</h2>"
    return f'{box}{heading}<ul class="cards">{"".join(cards)}</ul>{"".join(notes)}'


def _card(name: str, found: Found, about: str, sync: Mapping[str, object] | None, most: int) -> str:
    notes = f'<p class="soft">{shown(about)}</p>' if about else ""
    if found.value is None:
        return f'<li class="card"><h3>{shown(name)}</h3>{notes}{note(found.problem)}</li>'
    value = found.value
    documents = value["document_count"]
    if not value["valid"]:
        state = '<span class="state bad">damaged</span>'
        advice = f"{command('context verify ' + name)} says what, {command('context sync')} builds it anew."
        notes += note("", advice)
    elif sync is None:
        state = '<span class="state good">whole</span>'
    elif sync["in_step"]:
        state = '<span class="state good">in step with its sources</span>'
    else:
        state = '<span class="state near">behind its sources</span>'
        reasons = sync["reasons"]
        listed = [f"<li>{shown(str(reason))}</li>" for reason in reasons] if isinstance(reasons, list | tuple) else []
        notes += folded("What moved", f"<ul>{''.join(listed)}</ul>", mark=f"moved-{name}")
    rows = [
        ("version", f"<code>{shown(value['cache_version'][7:19] or '?')}</code>"),
        ("manifest and index", f"{value['total_bytes']:,} bytes"),
    ]
    count = counted(documents, "document")
    return (
        f'<li class="card"><h3>{shown(name)}</h3><p>{state}</p>{notes}<p class="big">{documents:,}</p>'
        f'<p class="soft">{count.partition(" ")[2]}</p>{meter(documents, most, count)}{facts(rows)}</li>'
    )
