"""A page that explains an answer: every section that matched, what each term gave, what just missed. Pure."""

from __future__ import annotations

from html import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.caches.search.search_result import Candidate, SearchResult

# More rows than anyone reads make a page no browser opens; the rest is counted.
MOST_ROWS = 2000


def render_page(template: str, result: SearchResult, candidates: Sequence[Candidate]) -> str:
    """The page: one file, no script, nothing fetched."""
    taken = {(hit.id, hit.first) for hit in result.sections}
    left = result.budget - result.tokens_used
    highest = candidates[0].score if candidates else 1
    rows = [
        _row(place, candidate, highest, None if (candidate.id, candidate.first) in taken else candidate.tokens - left)
        for place, candidate in enumerate(candidates[:MOST_ROWS], 1)
    ]
    more = len(candidates) - len(rows)
    values = {
        "query": escape(result.query),
        "percent": str(100 * result.tokens_used // result.budget if result.budget else 0),
        "used": f"{result.tokens_used:,}",
        "budget": f"{result.budget:,}",
        "selected": f"{len(result.sections):,}",
        "considered": f"{len(candidates):,}",
        "excluded": f"{result.sections_excluded_by_budget:,}",
        "tokenizer": escape(result.tokenizer),
        "cache_version": escape(result.cache_version),
        "receipt": result.receipt,
        "rows": "\n".join(rows),
        "more": f"<p>and {more:,} more that match less</p>" if more else "",
        "contents": "\n".join([_content(hit.citation, hit.heading, hit.content) for hit in result.sections]),
    }
    # Filled from the left, each mark once and in the order of the template: no value is searched for marks.
    parts = []
    rest = template
    for name, value in values.items():
        before, _, rest = rest.partition(f"@{name}@")
        parts += [before, value]
    return "".join([*parts, rest])


def _row(place: int, candidate: Candidate, highest: int, over: int | None) -> str:
    terms = " ".join(
        [f'<span class="term">{escape(term)} <i>{field}</i> {value:,}</span>' for term, field, value in candidate.why]
    )
    if over is None:
        state, verdict = "taken", "taken"
    elif over > 0:
        state, verdict = "missed", f"missed by {over:,} tokens"
    else:
        state, verdict = "cut", "beyond the limit"
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
