"""Every spec as a card of a page. Pure."""

from __future__ import annotations

from holdfast.core.page_shell import counted, meter, shown
from holdfast.specs.shapes import BoardData, BoardSpec

_COLOURS = {"approved": "good", "changed": "near", "created": "", "missing": "soft"}


def board(data: BoardData) -> str:
    """A card for each spec: how far it is, what was approved, what was found."""
    count = counted(len(data["specs"]), "specification")
    cards = "\n".join([_card(spec) for spec in data["specs"]])
    return f'<h2>{count}</h2>\n<ul class="cards">\n{cards}\n</ul>\n<p class="soft">{shown(data["folder"])}</p>'


def _card(spec: BoardSpec) -> str:
    progress = spec["taskProgress"]
    total, completed = progress["total"], progress["completed"]
    label = f"{completed:,} of {counted(total, 'task')}"
    states = spec["documents"].items()
    documents = "\n".join([f'<li><span class="{_COLOURS[at]}">{phase}: {at}</span></li>' for phase, at in states])
    colours = {"errors": "bad", "warnings": "near"}
    found = [
        f'<span class="{colours[level]}">{counted(count, level[:-1])}</span>'
        for level, count in spec["findings"].items()
        if count
    ]
    parts = [
        f"<h3>{shown(spec['name'])}</h3>",
        f'<p><span class="state">{shown(spec["overallStatus"])}</span></p>',
        meter(completed, total, label),
        f'<p class="number">{label}</p>',
        f'<ul class="legend">{documents}</ul>',
        f"<p>Findings: {', '.join(found) or 'none'}</p>",
    ]
    if spec["next"]:
        parts.append(f'<p class="soft">Next: {shown(spec["next"])}</p>')
    return f'<li class="card">{"".join(parts)}</li>'
