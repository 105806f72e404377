"""The directories as a tree, with how fresh each one's context is, and what people noted there. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import quote

from holdfast.contexts.shapes import ListAnswer, ListedContext
from holdfast.core.page_shell import command, counted, facts, folded, note, shown, stacked
from holdfast.explore.project_look import Found

COLOURS = {"fresh": "good", "stale": "near", "missing": "none"}
# Fields that every context has and no person wrote; the last lists the fields made from source.
_KEPT_APART = ("version", "scope", "fingerprint", "last_updated", "maintenance", "derived_fields")


def freshness(listing: ListAnswer) -> list[tuple[str, int, str]]:
    """How many directories are in each state, rolled-up ones too."""
    counts = dict.fromkeys(COLOURS, 0)
    for entry in listing["entries"]:
        counts[entry["state"]] += 1
        for state, count in entry.get("below", {}).items():
            if state in counts:
                counts[state] += count
    return [(state, count, COLOURS[state]) for state, count in counts.items()]


def tree_panel(
    found: Found, chosen: str = "", notes: Callable[[str], Found] | None = None, *, with_links: bool = True
) -> str:
    """The tree; `notes` are shown where they stand, else a link leads to each."""
    if found.value is None:
        return note(found.problem)
    listing: ListAnswer = found.value
    if not listing["entries"] and not chosen:
        return note("No directory here should have a context.", f"{command('context init')} writes them from source.")
    filters = ""
    if with_links:
        links = [("", "all"), *[(state, state) for state in COLOURS]]
        items = [
            f'<li><a href="tree{f"?state={state}" if state else ""}"{_current(state == chosen)}>{name}</a></li>'
            for state, name in links
        ]
        filters = f'<nav aria-label="States"><ul>{"".join(items)}</ul></nav>'
    root = _Node()
    for entry in listing["entries"]:
        root.put(entry)
    rows = "".join([root.row(name, notes, with_links=with_links) for name in sorted(root.below)])
    top = root.entry and _Node.leaf(root.entry).row(".", notes, with_links=with_links)
    more = f'<p class="soft">{shown(listing["more"])}</p>' if "more" in listing else ""
    chart = stacked(freshness(listing)) if not chosen else ""
    heading = f"<h2>{counted(len(listing['entries']), 'directory', 'directories')}</h2>"
    return f'{chart}{filters}{heading}<ul class="tree">{top or ""}{rows}</ul>{more}'


def _current(is_current: bool) -> str:
    return ' aria-current="page"' if is_current else ""


class _Node:
    """A directory of the tree, listed itself or on the way to one that is."""

    def __init__(self) -> None:
        self.entry: ListedContext | None = None
        self.below: dict[str, _Node] = {}

    @staticmethod
    def leaf(entry: ListedContext) -> _Node:
        node, parent = _Node(), _Node()
        node.entry = entry
        parent.below["."] = node
        return parent

    def put(self, entry: ListedContext) -> None:
        node = self
        for part in entry["scope"].split("/") if entry["scope"] != "." else ():
            node = node.below.setdefault(part, _Node())
        node.entry = entry

    def row(self, name: str, notes: Callable[[str], Found] | None, *, with_links: bool, path: str = "") -> str:
        node = self.below[name]
        scope = f"{path}{name}"
        inner = "".join([node.row(each, notes, with_links=with_links, path=scope + "/") for each in sorted(node.below)])
        below = f"<ul>{inner}</ul>" if inner else ""
        if node.entry is None:
            return f"<li>{folded(shown(name), below, mark=f'dir-{scope}', is_open=True)}</li>"
        state = node.entry["state"]
        text = node.entry.get("summary", "")
        summary = f'{shown(name)} <span class="state {COLOURS[state]}">{state}</span>'
        summary += f' <span class="soft">{shown(text)}</span>' if text else ""
        rolled = [f"{count:,} {each}" for each, count in node.entry.get("below", {}).items()]
        parts = [f'<p class="soft">and below: {", ".join(rolled)}</p>'] if rolled else []
        if node.entry["has_context"] and with_links:
            parts.append(
                f'<p><a href="directory?scope={quote(scope, errors="surrogateescape")}">Notes of {shown(scope)}</a></p>'
            )
        if node.entry["has_context"] and notes is not None and (found := notes(scope)).value is not None:
            made = found.value["context"].get("derived_fields")
            parts.append(noted_fields(found.value["context"], without=("summary", *_names(made))))
        return f"<li>{folded(summary, ''.join(parts) + below, mark=f'dir-{scope}', is_open=bool(inner))}</li>"


def _names(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list | tuple) else []


def directory_panel(scope: str, found: Found) -> str:
    """Everything that one directory's context says."""
    back = '<p><a href="tree">All directories</a></p>'
    if found.value is None:
        return back + note(found.problem, command(f"context regen {scope}"))
    context = found.value["context"]
    rows = [("as of", shown(str(context.get("last_updated", "?"))))]
    return back + noted_fields(context) + facts(rows)


def noted_fields(context: Mapping[str, object], without: tuple[str, ...] = ()) -> str:
    """The fields of a context, each with its name."""
    rows = [
        (shown(name.replace("_", " ")), _value(value))
        for name, value in context.items()
        if name not in _KEPT_APART and name not in without and value not in (None, [], {}, "")
    ]
    return facts(rows) if rows else ""


def _value(value: object) -> str:
    if isinstance(value, dict):
        return facts([(shown(str(name)), _value(each)) for name, each in value.items() if each not in (None, [], "")])
    if isinstance(value, list | tuple):
        return f"<ul>{''.join([f'<li>{_item(each)}</li>' for each in value])}</ul>"
    return shown(str(value))


def _item(value: object) -> str:
    """A record as one sentence: its first field, then the others by name."""
    if not isinstance(value, dict):
        return _value(value)
    (first, *rest) = [*value.items()] or [("", "")]
    parts = [f"<b>{_value(first[1])}</b>"]
    parts += [f'<span class="soft">{shown(str(name))}:</span> {_value(each)}' for name, each in rest]
    return " · ".join(parts)
