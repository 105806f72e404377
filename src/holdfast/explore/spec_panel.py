"""Specs as a board, and everything that is wrong with them. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.core.page_shell import counted, folded, shown, stacked
from holdfast.explore.cache_panel import command, note
from holdfast.specs.board_page import board

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.explore.project_look import Found
    from holdfast.specs.shapes import FindingData


def specs_panel(found: Found, approvals: Found, findings: Found) -> str:
    """The board, then what is not approved and why, then the findings by file."""
    if found.value is None:
        return note(found.problem)
    if not found.value["specs"]:
        return note("There is no spec yet.", f"{command('context spec init NAME')} starts one from templates.")
    return board(found.value) + _approvals(approvals) + _findings(findings)


def _approvals(found: Found) -> str:
    if found.value is None:
        return note(found.problem)
    documents = found.value["documents"]
    lacking = [each for each in documents if not each["approved"]]
    parts = [("approved as they are", len(documents) - len(lacking), "good"), ("not approved", len(lacking), "near")]
    rows = [
        f"<li><p><b>{shown(each['name'])}</b></p><p>{shown(each['phase'])}</p><p>{shown(each['why'] or '')}</p></li>"
        for each in lacking
    ]
    why = folded("What is not approved, and why", f'<ol class="rows">{"".join(rows)}</ol>', mark="lacking")
    return f"<h2>Approvals</h2>{stacked(parts)}{why if rows else ''}"


def _findings(found: Found) -> str:
    if found.value is None:
        return note(found.problem)
    by_file: dict[str, list[FindingData]] = {}
    for finding in found.value["findings"]:
        by_file.setdefault(finding["file"], []).append(finding)
    if not by_file:
        return "<h2>Findings</h2><p>None: <code>context spec check</code> has nothing to say.</p>"
    parts = [
        folded(f"<h3>{shown(file)}</h3> {counted(len(each), 'finding')}", _rows(each), mark=f"findings-{file}")
        for file, each in by_file.items()
    ]
    return f"<h2>{counted(len(found.value['findings']), 'finding')}</h2>{''.join(parts)}"


def _rows(findings: Sequence[FindingData]) -> str:
    colours = {"error": "bad", "warning": "near"}
    rows = [
        f'<li><p><span class="state {colours[each["level"]]}">{each["level"]}</span> line {each["line"]:,}</p>'
        f"<p><code>{shown(each['rule'])}</code></p><p>{shown(each['text'])}<br><small>{shown(each['fix'])}</small></p></li>"
        for each in findings
    ]
    return f'<ol class="rows">{"".join(rows)}</ol>'
