"""The map of a project within a budget: files with their public symbols, most used first, and what was left out.

The budget bounds the whole text (`map_text`), final newline included, as `estimate-1` counts it. The number of symbols
is the largest whose text fits, taken from the top of the ranking.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from holdfast.code.analysis.facts import UNKNOWN
from holdfast.contexts.map_text import as_text
from holdfast.contexts.symbol_ranks import MapFile, Symbol, ranked_symbols
from holdfast.core.largest_fit import counted, fitted

if TYPE_CHECKING:
    from holdfast.contexts.shapes import MapAnswer, MapCounts, MappedFile, MappedSymbol

DEFAULT_BUDGET = 2000


class MapRequest(NamedTuple):
    """What a map should show: the files below some paths (all without), near some others, within a budget of tokens."""

    budget: int
    scopes: Collection[str] = ()
    focus: Collection[str] = ()


def project_map(
    files: Sequence[MapFile], request: MapRequest, *, left: int = 0, unknown: Mapping[str, int] | None = None
) -> MapAnswer:
    """The map; BudgetTooSmall when not even its counts fit.

    `left` is how many files were not looked at, being too many; `unknown` how many are in languages nothing reads.
    """
    focused = {file.path for file in files if any(is_below(file.path, place) for place in request.focus)}
    in_scope = {
        file.path for file in files if not request.scopes or any(is_below(file.path, scope) for scope in request.scopes)
    }
    symbols = [one for one in ranked_symbols(files, focused) if one.path in in_scope]
    shown = [file for file in files if file.path in in_scope]
    counts = _counts(shown, symbols, left, unknown or {})

    def answer(count: int) -> MapAnswer:
        value: MapAnswer = {
            "budget": request.budget,
            "tokens_used": 0,
            "symbols_shown": count,
            "files": _grouped(symbols[:count]),
            **counts,
        }
        return counted(value, as_text)

    return fitted(len(symbols), answer, request.budget, "map")


def is_below(path: str, scope: str) -> bool:
    """Whether a path is a scope or lies below it; an empty scope is the whole project."""
    return not scope or path == scope or path.startswith(scope + "/")


def _counts(shown: Sequence[MapFile], symbols: Sequence[Symbol], left: int, unknown: Mapping[str, int]) -> MapCounts:
    unread = {f"{language}: {UNKNOWN}": count for language, count in unknown.items()}
    for file in shown:
        if file.facts.unread:
            key = f"{file.facts.language}: {file.facts.unread}"
            unread[key] = unread.get(key, 0) + 1
    return {
        "file_count": len({one.path for one in symbols}),
        "symbol_count": len(symbols),
        "left_out": {
            "tests": sum([file.is_test for file in shown]),
            "generated": sum([file.facts.generated and not file.is_test for file in shown]),
            "beyond_limit": left,
        },
        "not_read": {key: unread[key] for key in sorted(unread)},
    }


def _grouped(symbols: Sequence[Symbol]) -> list[MappedFile]:
    """The files in the order of their best symbols, each with its symbols in theirs; members stand with their owner."""
    files: dict[str, dict[str, MappedSymbol]] = {}
    for one in symbols:
        groups = files.setdefault(one.path, {})
        name = one.owner or one.name
        group = groups.setdefault(name, {"name": name, "line": one.line})
        if one.owner:
            group.setdefault("members", []).append(one.name)
        else:
            group["line"] = one.line
    return [{"path": path, "symbols": list(groups.values())} for path, groups in files.items()]
