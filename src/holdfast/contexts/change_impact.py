"""What a change of some files reaches, within a budget: public symbols, their users, tests, claims and tasks. Pure.

The budget bounds the whole text. Every section gives its most important items first, and the sections take turns, so a
smaller answer has the beginnings of the sections of a larger one.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from holdfast.core.display_text import display_line
from holdfast.core.largest_fit import counted, fitted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from holdfast.code.analysis.facts import FileFacts
    from holdfast.code.declarations import Declared
    from holdfast.contexts.shapes import (
        ConcernedClaim,
        ConcernedTask,
        DependentDirectory,
        ImpactAnswer,
        TouchedSymbol,
        UserOfSymbols,
    )

DEFAULT_BUDGET = 1000
REMOVED, SIGNATURE, BODY, ADDED = "removed", "signature changed", "body changed", "added"
# What breaks users first; a symbol of a file that is asked about before it changes has no change.
_ORDER = (REMOVED, SIGNATURE, "", BODY, ADDED)
_MOST_LINES = 10  # of a file in the text
# Items of each section before the next section has its turn, in the order of turns.
_TURNS = {"users": 6, "symbols": 4, "claims": 2, "tests": 4, "tasks": 2, "directories": 4}


class Side(NamedTuple):
    """A file before or after a change."""

    facts: FileFacts
    declared: Sequence[Declared]
    lines: Mapping[str, int]  # of the symbols, below their owners


class ChangedSymbol(NamedTuple):
    """A public symbol that a change touches, and the type it is a member of."""

    path: str
    name: str
    owner: str
    line: int  # 0 where it is gone
    change: str

    @property
    def shown(self) -> str:
        """Its name below its owner's."""
        return f"{self.owner}.{self.name}" if self.owner else self.name


class Reach(NamedTuple):
    """What depends on changed files, and what was written about them."""

    symbols: Sequence[TouchedSymbol]
    users: Sequence[UserOfSymbols]
    tests: Sequence[str]
    claims: Sequence[ConcernedClaim]
    tasks: Sequence[ConcernedTask]
    not_read: Sequence[str] = ()  # changed files in languages that cannot be read here


def public_names(facts: FileFacts) -> dict[tuple[str, str], str]:
    """The (name, owner) of each public symbol that a file defines, with its signature where it has one of its own."""
    found: dict[tuple[str, str], str] = {}
    for export in facts.exports:
        if export.name and not export.origin:
            found.setdefault((export.name, export.owner), export.signature)
            for member in export.members:
                found.setdefault((member, export.name), "")
    return found


def changed_symbols(path: str, before: Side, now: Side) -> list[ChangedSymbol]:
    """The public symbols of a file that differ; not a type whose members tell it all, nor members of one that went."""
    old_names, new_names = public_names(before.facts), public_names(now.facts)
    found = []
    for key in {**new_names, **old_names}:
        name, owner = key
        old = _digests(before, name, owner, old_names[key]) if key in old_names else []
        new = _digests(now, name, owner, new_names[key]) if key in new_names else []
        if old == new:
            continue
        is_kept = [one for one, _ in old] == [one for one, _ in new]
        change = REMOVED if not new else ADDED if not old else BODY if is_kept else SIGNATURE
        line = now.lines.get(f"{owner}.{name}" if owner else name, 0) if new else 0
        found.append(ChangedSymbol(path, name, owner, line, change))
    told = {one.owner for one in found}
    whole = {one.name for one in found if not one.owner and one.change in (REMOVED, ADDED)}
    return [one for one in found if one.owner not in whole and not (one.change == BODY and one.name in told)]


def _digests(side: Side, name: str, owner: str, signature: str) -> list[tuple[str, str]]:
    """(signature, body) of each declaration that a name means; the signature alone where none is found."""
    called = f"{owner}.{name}" if owner else name
    return sorted([(one.signature, one.body) for one in side.declared if one.is_called(called)]) or [(signature, "")]


def impact_answer(since: str, file_count: int, reach: Reach, budget: int) -> ImpactAnswer:
    """As much as fits; BudgetTooSmall when not even the counts do. Without `since`, unused symbols are only counted."""
    ordered = sorted(
        [one for one in reach.symbols if since or one["used_in"]],
        key=lambda one: (_ORDER.index(one["change"]), -one["used_in"], one["path"], one["line"], one["name"]),
    )
    sections: dict[str, Sequence[object]] = {
        "users": reach.users,
        "symbols": ordered,
        "claims": reach.claims,
        "tests": reach.tests,
        "tasks": reach.tasks,
        "directories": _directories([one["path"] for one in reach.users]),
    }
    turns = sorted(
        (at // _TURNS[name], number) for number, name in enumerate(sections) for at in range(len(sections[name]))
    )
    names = list(sections)

    def answer(count: int) -> ImpactAnswer:
        taken = Counter([names[number] for _, number in turns[:count]])
        value: ImpactAnswer = {
            "since": since,
            "budget": budget,
            "tokens_used": 0,
            "file_count": file_count,
            "symbol_count": len(reach.symbols),
            "user_count": len(reach.users),
            "directory_count": len(sections["directories"]),
            "test_count": len(reach.tests),
            "claim_count": len(reach.claims),
            "task_count": len(reach.tasks),
            "not_read": list(reach.not_read),
            **{name: list(items[: taken[name]]) for name, items in sections.items()},  # type: ignore[typeddict-item]
        }
        return counted(value, as_text)

    return fitted(len(turns), answer, budget)


def _directories(paths: Iterable[str]) -> list[DependentDirectory]:
    """The directories of some files with their numbers, those with most first."""
    counted = Counter([path.rpartition("/")[0] or "." for path in paths])
    return [
        {"scope": scope, "files": files} for scope, files in sorted(counted.items(), key=lambda one: (-one[1], one))
    ]


def as_text(value: ImpactAnswer) -> str:
    """The answer as a model reads it, without its final newline."""
    files = f"{value['file_count']} {'file' if value['file_count'] == 1 else 'files'}"
    what = f"{files} changed since {value['since']}" if value["since"] else files
    counts = f"{value['symbol_count']} public symbols, used in {value['user_count']} files"
    lines = [f"# {what}: {counts} · {value['tokens_used']:,} of {value['budget']:,} tokens"]
    sections: list[tuple[str, list[str], int]] = [
        ("", _symbol_lines(value["symbols"]), 0),
        ("used by", [_user_line(one) for one in value["users"]], value["user_count"] - len(value["users"])),
        ("tests to run", value["tests"], value["test_count"] - len(value["tests"])),
        (
            "dependent directories",
            [f"{one['scope']} ({one['files']})" for one in value["directories"]],
            value["directory_count"] - len(value["directories"]),
        ),
        (
            "claims about it",
            [f"{one['scope']} {one['field']}: {one['text']} ({one['subject']})" for one in value["claims"]],
            value["claim_count"] - len(value["claims"]),
        ),
        (
            "tasks of specs that name it",
            [f"{one['spec']} {one['id']} [{one['status']}] {one['description']}" for one in value["tasks"]],
            value["task_count"] - len(value["tasks"]),
        ),
    ]
    for title, rows, left in sections:
        if title in ("tests to run", "dependent directories") and rows:
            rows = [" ".join(rows)]
        lines += [title] if title and rows else []
        lines += rows
        lines += [f"… {left} more: raise budget"] if left and rows else []
    if value["not_read"]:
        lines.append("not read: " + ", ".join(value["not_read"]))
    return "\n".join([display_line(line) for line in lines])


def _symbol_lines(symbols: Sequence[TouchedSymbol]) -> list[str]:
    """A line for each file, in the order of its first symbol."""
    by_path: dict[str, list[str]] = {}
    for one in symbols:
        words = [f":{one['line']}" if one["line"] else "", one["name"], one["change"]]
        words += [f"(in {one['used_in']})"] if one["used_in"] else []
        by_path.setdefault(one["path"], []).append(" ".join([word for word in words if word]))
    return [f"{path} {' · '.join(named)}" for path, named in by_path.items()]


def _user_line(one: UserOfSymbols) -> str:
    shown = ",".join(map(str, one["lines"][:_MOST_LINES])) + (",…" if len(one["lines"]) > _MOST_LINES else "")
    members: dict[str, list[str]] = {}
    for symbol in one["symbols"]:
        owner, _, member = symbol.partition(".")
        members.setdefault(owner, []).extend([member] if member else [])
    named = [f"{owner}{{{' '.join(names)}}}" if names else owner for owner, names in members.items()]
    return f"{one['path']}:{shown} {' '.join(named)}"
