"""The savings page: tokens of answers, and of the sources behind them. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.core.page_shell import counted, meter, shown
from holdfast.explore.cache_panel import note

if TYPE_CHECKING:
    from holdfast.explore.project_look import Found
    from holdfast.survey.shapes import SavingsAnswer


def savings_panel(found: Found) -> str:
    """Pairs of bars of one measure, and what the numbers leave out."""
    if found.value is None:
        return note(found.problem)
    value: SavingsAnswer = found.value
    searches, contexts = value["searches"], value["contexts"]
    cards = [
        _pair(
            f"{counted(searches['counted'], 'search', 'searches')} by receipt",
            ("tokens given", searches["answer_tokens"]),
            ("tokens of the documents they are from", searches["document_tokens"]),
        ),
        _pair(
            f"{counted(contexts['contexts'], 'directory', 'directories')} with a context",
            ("tokens of the contexts", contexts["context_tokens"]),
            ("tokens of the sources they stand for", contexts["source_tokens"]),
        ),
    ]
    cards += [
        _pair(
            f"{tool['tool']}: {counted(tool['answers'], 'answer')}",
            ("tokens given", tool["answer_tokens"]),
            ("tokens behind them", tool["behind_tokens"]),
        )
        for tool in value["tools"]
        if tool["behind_tokens"] is not None
    ]
    lead = "Nothing was observed yet."
    if value["percent_saved"] is not None:
        lead = (
            f"{value['given_tokens']:,} tokens were given for {value['behind_tokens']:,}: "
            f"{value['percent_saved']} % were not sent."
        )
    known = f"<p>{value['known_tokens']:,} tokens were known already and not sent again.</p>"
    unseen = "".join([f"<li>{shown(line)}</li>" for line in value["not_observed"]])
    heading = "<h2>Given, and behind it</h2>"
    return (
        f'<p class="lead">{lead}</p>{known if value["known_tokens"] else ""}'
        f'{heading}<ul class="cards">{"".join(cards)}</ul>'
        f"<h2>What the numbers leave out</h2><ul>{unseen}</ul>"
    )


def _pair(title: str, given: tuple[str, int], behind: tuple[str, int]) -> str:
    most = max(given[1], behind[1])
    rows = [f"<p>{count:,} {name}</p>{meter(count, most, f'{count:,} {name}')}" for name, count in (given, behind)]
    return f'<li class="card"><h3>{shown(title)}</h3>{"".join(rows)}</li>'
