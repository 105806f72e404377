"""The project in one look: a small chart for each part, which leads to its page. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.caches.search.audit_page import replay_states
from holdfast.core.page_shell import counted, meter, stacked
from holdfast.explore.cache_panel import search_box
from holdfast.explore.tree_panel import freshness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.explore.project_look import Found


def overview_panel(
    caches: Sequence[tuple[str, Found]], tree: Found, board: Found, audit: Found, savings: Found | None
) -> str:
    """A card for each part, and the box that asks the caches; of savings nothing while they are being added up."""
    cards = [_caches(caches), _tree(tree), _specs(board), _receipts(audit), _savings(savings)]
    box = search_box([name for name, _ in caches]) if caches else ""
    return f'{box}<h2>At a glance</h2><ul class="cards">{"".join(cards)}</ul>'


def _card(page: str, title: str, content: str) -> str:
    return f'<li class="card"><h3><a href="{page}">{title}</a></h3>{content}</li>'


def _figure(number: int, noun: str, chart: str = "") -> str:
    return f'<p class="big">{number:,}</p><p class="soft">{noun}</p>{chart}'


def _caches(caches: Sequence[tuple[str, Found]]) -> str:
    if not caches:
        return _card("caches", "Caches", '<p class="soft">None yet: <code>context add NAME PATH</code></p>')
    found = [each.value for _, each in caches if each.value]
    documents = sum([each["document_count"] for each in found])
    whole = sum([each["valid"] for each in found])
    chart = stacked([("whole", whole, "good"), ("damaged", len(caches) - whole, "bad")])
    noun = f"document{'' if documents == 1 else 's'} in {counted(len(caches), 'cache')}"
    return _card("caches", "Caches", _figure(documents, noun, chart))


def _tree(tree: Found) -> str:
    if tree.value is None or not tree.value["entries"]:
        return _card("tree", "Directories", '<p class="soft">None that should have a context.</p>')
    parts = freshness(tree.value)
    total = sum([count for _, count, _ in parts])
    return _card("tree", "Directories", _figure(total, "that should have a context", stacked(parts)))


def _specs(board: Found) -> str:
    specs = board.value["specs"] if board.value else []
    if not specs:
        return _card("specs", "Specs", '<p class="soft">None yet: <code>context spec init NAME</code></p>')
    total = sum([spec["taskProgress"]["total"] for spec in specs])
    done = sum([spec["taskProgress"]["completed"] for spec in specs])
    errors = sum([spec["findings"]["errors"] for spec in specs])
    label = f"{done:,} of {counted(total, 'task')} done"
    found = f'<p class="bad">{counted(errors, "error")} found</p>' if errors else '<p class="good">no errors found</p>'
    noun = "specification" if len(specs) == 1 else "specifications"
    return _card("specs", "Specs", _figure(len(specs), noun, f"{meter(done, total, label)}<p>{label}</p>{found}"))


def _receipts(audit: Found) -> str:
    value = audit.value
    if value is None or not value["calls"]:
        return _card("receipts", "Receipts", '<p class="soft">None here.</p>')
    noun = f"{'call' if value['calls'] == 1 else 'calls'} answered, {counted(value['receipts'], 'receipt')}"
    if value["replayed"] < value["receipts"]:
        noun += f", {value['replayed']:,} of them run again"
    return _card("receipts", "Receipts", _figure(value["calls"], noun, stacked(replay_states(value))))


def _savings(savings: Found | None) -> str:
    if savings is None:
        return _card("savings", "Savings", '<p class="soft">Being added up.</p>')
    value = savings.value
    if value is None or value["percent_saved"] is None:
        text = '<p class="soft">What answers cost in tokens, and what they stood for: nothing was observed yet.</p>'
        return _card("savings", "Savings", text)
    given, behind = value["given_tokens"], value["behind_tokens"]
    label = f"{given:,} tokens were given for {behind:,}"
    chart = f"{meter(given, behind, label)}<p>{label}</p>"
    figure = f'<p class="big">{value["percent_saved"]} %</p><p class="soft">of the tokens behind answers not sent</p>'
    return _card("savings", "Savings", figure + chart)
