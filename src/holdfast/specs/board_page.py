"""Every spec on one page: a file of its own, no script, nothing fetched. Pure."""

from __future__ import annotations

from html import escape

from holdfast.core.display_text import display_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.specs.shapes import BoardData, BoardSpec


def board_page(template: str, data: BoardData) -> str:
    """The page. Whatever a name holds is shown as text, on its own line and in its own direction."""
    count = len(data["specs"])
    values = {
        "title": f"{count} specification{'' if count == 1 else 's'}",
        "rows": "\n".join([_row(spec) for spec in data["specs"]]),
        "folder": _shown(data["folder"]),
    }
    # Filled from the left, each mark once and in the order of the template: no value is searched for marks.
    parts = []
    rest = template
    for name, value in values.items():
        before, _, rest = rest.partition(f"@{name}@")
        parts += [before, value]
    return "".join([*parts, rest])


def _row(spec: BoardSpec) -> str:
    progress = spec["taskProgress"]
    total, completed = progress["total"], progress["completed"]
    documents = " ".join(
        [f'<span class="{state}">{phase}: {state}</span>' for phase, state in spec["documents"].items()]
    )
    findings = " ".join(
        [f'<span class="{level}">{count} {level}</span>' for level, count in spec["findings"].items() if count]
    )
    cells = [
        f"<b>{_shown(spec['name'])}</b>",
        spec["overallStatus"],
        f'<progress max="{total or 1}" value="{completed}"></progress> {completed:,} of {total:,}',
        documents,
        findings or "none",
        _shown(spec["next"] or ""),
    ]
    return f"<tr>{''.join([f'<td>{cell}</td>' for cell in cells])}</tr>"


def _shown(text: str) -> str:
    return f"<bdi>{escape(display_line(text))}</bdi>"
