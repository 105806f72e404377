"""An answer as a page: what was found comes first, why it ranked is folded, then what is missing and why. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from holdfast.caches.search.candidates import BELOW, FARTHER, LIMIT, PAGE, STOPPED, UNREACHED
from holdfast.caches.search.pointers import pointer_lines
from holdfast.caches.search.section_choice import EQUAL, GIVEN, KNOWN, NAMED, TOO_LONG
from holdfast.caches.search.section_label import headed
from holdfast.caches.shapes import ConsideredSection, FoundSection, SearchAnswer, WordNotHere
from holdfast.core.page_shell import block, counted, facts, folded, meter, shown, whole_page

# More rows than anyone reads make a page no browser opens; the rest is counted.
MOST_ROWS = 2000
# The names of groups of missing sections, the nearest first: singular and plural, used after a number.
_GROUPS = {
    NAMED: ("is named, not given", "are named, not given"),
    TOO_LONG: ("did not fit", "did not fit"),
    PAGE: ("is a later section of one page", "are later sections of one page"),
    LIMIT: ("is beyond the limit", "are beyond the limit"),
    FARTHER: ("is farther than the best", "are farther than the best"),
    STOPPED: ("is after the stop", "are after the stop"),
    UNREACHED: ("was not looked at", "were not looked at"),
    EQUAL: ("says the same as one that is given", "say the same as one that is given"),
    KNOWN: ("is known to the caller", "are known to the caller"),
    BELOW: ("matches too little", "match too little"),
}


def why_page(style: str, answer: SearchAnswer) -> str:
    """The page: one file, no script, nothing fetched."""
    query = answer["selection"]["query"]
    main = f'<h1 dir="auto">{shown(query)}</h1>\n{explained(answer)}'
    return whole_page(style, f"{query} · why these sections", main)


def explained(answer: SearchAnswer) -> str:
    """The answer, what is missing from it, and how it was made."""
    parts = [_summary(answer), _given(answer), _missing(answer), _made(answer)]
    return "\n".join([part for part in parts if part])


def _summary(answer: SearchAnswer) -> str:
    selection, entries = answer["selection"], answer["sections"]
    used, budget = selection["tokens_used"], selection["budget"]
    if not entries:
        lead = "Nothing here matches: try other words."
        if selection["known"]:
            lead = "What matches is known to the caller already."
    elif selection["weak"]:
        lead = "Nothing here answers well. The best section:"
    else:
        lead = f"{counted(selection['sections_selected'], 'section')} in {counted(used, 'token')}."
    notes = [_not_here(each) for each in selection["not_here"]]
    notes += [f"<p>Left out: cache {shown(left['name'])}, {left['why']}.</p>" for left in selection.get("left_out", ())]
    extra = f'<div class="note">{"".join(notes)}</div>' if notes else ""
    label = f"{used:,} of {budget:,} tokens used"
    return (
        f'<p class="lead">{lead}</p>\n{meter(used, budget, label)}\n<p class="soft">{label}; '
        f"{counted(selection['sections_considered'], 'section matches', 'sections match')}; "
        f"strength {selection['strength']:,}.</p>\n{extra}"
    )


def _not_here(absent: WordNotHere) -> str:
    how = "it was read as" if absent["read"] else "the nearest is"
    nearest = f": {how} {shown(absent['nearest'])}" if absent["nearest"] else ""
    return f"<p>{shown(absent['word'])} is not here{nearest}.</p>"


def _given(answer: SearchAnswer) -> str:
    entries = answer["sections"]
    if not entries:
        return ""
    given = [each for each in answer.get("considered", ()) if each["verdict"] == GIVEN]
    highest = max([term["impact"] for each in given for term in each["terms"]], default=1)
    rows = [_entry(place, entry, given, highest) for place, entry in enumerate(entries, 1)]
    named = "\n".join(pointer_lines(answer["more"]))
    more = f"\n<h3>Named after it</h3>\n{block(named)}" if named else ""
    return f'<h2>The answer</h2>\n<ol class="entries">\n{"".join(rows)}</ol>{more}'


def _entry(place: int, entry: FoundSection, given: Sequence[ConsideredSection], highest: int) -> str:
    path = " › ".join(headed(entry["title"], entry["heading"])) or entry["id"]
    reasons = [each for each in given if each["id"] == entry["id"] and _lies_in(each["lines"], entry["lines"])]
    parts = [
        f"<h3>{place}. {shown(path)}</h3>",
        f'<p class="soft"><code>{shown(entry["citation"])}</code> · {counted(entry["tokens"], "token")}</p>',
    ]
    if entry["also"]:
        more = f" and {entry['also_more']:,} more" if entry["also_more"] else ""
        also = ", ".join([f"<code>{shown(citation)}</code>" for citation in entry["also"]])
        parts.append(f'<p class="soft">The same text: {also}{more}</p>')
    parts += [block(text) for text in (entry.get("claim", ""), entry["header"], entry.get("content", "")) if text]
    if reasons:
        listed = "\n".join([_reasons(each, highest, alone=len(reasons) == 1) for each in reasons])
        parts.append(folded(f"Why it ranked here: score {entry['score']:,}", listed, mark=f"why-{place}"))
    return f'<li id="section-{place}">\n' + "\n".join(parts) + "\n</li>\n"


def _lies_in(lines: tuple[int, int], around: tuple[int, int]) -> bool:
    return around[0] <= lines[0] and lines[1] <= around[1]


def _reasons(each: ConsideredSection, highest: int, *, alone: bool) -> str:
    rows = [
        f"<li><span>{shown(term)}</span>{meter(impact, highest, f'{impact:,}')}"
        f'<span class="number">{impact:,} <span class="soft">from the {escape(field)}</span></span></li>'
        for term, field, impact in [(one["term"], one["field"], one["impact"]) for one in each["terms"]]
    ]
    first, last = each["lines"]
    named = "" if alone else f"Lines {first} to {last}: score {each['score']:,}. "
    turn = f"It was {each['cause']}, each keeping 0.95 of the weight of the one before." if each["turn"] else ""
    note = f'<p class="soft">{named}{turn}</p>' if named or turn else ""
    return f'{note}<ul class="terms">{"".join(rows)}</ul>'


def _missing(answer: SearchAnswer) -> str:
    """What matches and is not given, by cause."""
    considered = answer.get("considered")
    if considered is None:
        return ""
    missing = [(place, each) for place, each in enumerate(considered, 1) if each["verdict"] != GIVEN]
    more = answer["selection"]["sections_considered"] - len(considered)
    if not missing:
        return "" if not answer["sections"] else "<h2>What is missing</h2>\n<p>Everything that matches is given.</p>"
    highest = max([each["score"] for each in considered])
    parts = []
    for verdict, (one, many) in _GROUPS.items():
        rows = [_row(place, each, highest) for place, each in missing if each["verdict"] == verdict]
        if rows:
            summary = f"<h3>{len(rows):,} {one if len(rows) == 1 else many}</h3>"
            parts.append(folded(summary, f'<ol class="rows">\n{"".join(rows)}</ol>', mark=f"missing-{verdict}"))
    if more > 0:
        parts.append(f"<p>and {more:,} more that match less.</p>")
    return "<h2>What is missing, and why</h2>\n" + "\n".join(parts)


def _row(place: int, each: ConsideredSection, highest: int) -> str:
    first, last = each["lines"]
    path, place_named = " › ".join(each["heading"]) or each["id"], f"{each['id']}:{first}-{last}"
    terms = " · ".join([f"{term['term']} {term['impact']:,} ({term['field']})" for term in each["terms"]])
    score = f"score {each['score']:,}"
    return (
        f"<li><p><b>{shown(path)}</b><br><code>{shown(place_named)}</code></p>"
        f'<p class="number">{score}{meter(each["score"], highest, score)}'
        f'<span class="soft">rank {place:,} · {counted(each["tokens"], "token")}</span></p>'
        f"<p>{escape(each['cause'])}<br><small>{shown(terms)}</small></p></li>\n"
    )


def _made(answer: SearchAnswer) -> str:
    selection = answer["selection"]
    rows = [
        (shown(each["name"]), f"<code>{shown(each['cache_version'])}</code>") for each in selection.get("caches", ())
    ]
    if not rows:
        rows = [("cache", f"{shown(selection['cache'])} <code>{shown(selection['cache_version'])}</code>")]
    rows += [
        ("tokens by", shown(selection["tokenizer"])),
        ("ranked by", shown(selection["ranking"])),
        ("receipt", f"<code>{shown(answer['receipt'])}</code>"),
    ]
    note = (
        '<p class="soft">A score is the sum of what the terms of the question give; each further section of one page '
        "keeps 0.95 of the weight of the one before. The same question gives these bytes again: "
        "<code>context replay</code> proves it from a receipt.</p>"
    )
    return "<h2>How it was made</h2>\n" + folded("Versions and receipt", facts(rows) + note, mark="made")
