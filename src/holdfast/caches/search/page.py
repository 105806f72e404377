"""A page that explains an answer: every section that matched, what each term gave, what just missed. Pure."""

from __future__ import annotations

from html import escape

from holdfast.caches.search.section_choice import BELOW, CRUMB, EQUAL, GIVEN, KNOWN, LIMIT, TOO_LONG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.caches.search.search_result import Candidate, SearchResult

# More rows than anyone reads make a page no browser opens; the rest is counted.
MOST_ROWS = 2000


def render_page(template: str, result: SearchResult, candidates: Sequence[Candidate], considered: int) -> str:
    """The page: one file, no script, nothing fetched. `considered` is how many match, the candidates being the best."""
    highest = candidates[0].score if candidates else 1
    rows = [_row(place, candidate, highest) for place, candidate in enumerate(candidates, 1)]
    more = considered - len(rows)
    budget = result.request.budget
    values = {
        "query": escape(result.request.query),
        "percent": str(100 * result.tokens_used // budget if budget else 0),
        "used": f"{result.tokens_used:,}",
        "budget": f"{budget:,}",
        "selected": f"{sum([hit.sections for hit in result.sections]):,}",
        "considered": f"{considered:,}",
        "excluded": f"{result.sections_excluded_by_budget:,}",
        "meets": f"{result.meets / 100:.2f}",
        "tokenizer": escape(result.tokenizer),
        "cache_version": escape(result.cache_version),
        "receipt": result.receipt,
        "rows": "\n".join(rows),
        "more": f"<p>and {more:,} more that match less</p>" if more else "",
        "contents": "\n".join([_content(hit.citation, hit.heading, hit.content or "") for hit in result.sections]),
    }
    # Filled from the left, each mark once and in the order of the template: no value is searched for marks.
    parts = []
    rest = template
    for name, value in values.items():
        before, _, rest = rest.partition(f"@{name}@")
        parts += [before, value]
    return "".join([*parts, rest])


# Of what became of a section: how its row looks, and what it says, the number it goes with in it.
_VERDICTS = {
    GIVEN: ("taken", "taken"),
    EQUAL: ("cut", "says the same as one that is given"),
    KNOWN: ("cut", "known to the asker"),
    TOO_LONG: ("missed", "did not fit by {:,} tokens"),
    CRUMB: ("cut", "too short to be worth its name, the budget being used up"),
    LIMIT: ("cut", "beyond the limit"),
    BELOW: ("cut", "below 0.4 of the best score"),
    "": ("missed", "after the budget was used up"),
}


def _row(place: int, candidate: Candidate, highest: int) -> str:
    terms = " ".join(
        [f'<span class="term">{escape(term)} <i>{field}</i> {value:,}</span>' for term, field, value in candidate.why]
    )
    state, verdict = _VERDICTS[candidate.verdict]
    verdict = verdict.format(candidate.detail)
    heading = escape(" › ".join(candidate.heading) or candidate.id)
    width = 100 * candidate.score // highest
    return (
        f'<tr class="{state}"><td>{place}</td><td><b>{heading}</b><br>'
        f"<code>{escape(candidate.id)}:{candidate.first}-{candidate.last}</code></td>"
        f'<td class="number">{candidate.score:,}<div class="bar" style="width:{width}%"></div></td>'
        f'<td class="number">{candidate.tokens:,}</td><td>{verdict}</td><td>{terms}</td></tr>'
    )


def _content(citation: str, heading: Sequence[str], content: str) -> str:
    summary = escape(" › ".join(heading) or citation)
    return (
        f"<details><summary>{summary} <code>{escape(citation)}</code></summary>"
        f'<pre dir="auto">{escape(content)}</pre></details>'
    )
