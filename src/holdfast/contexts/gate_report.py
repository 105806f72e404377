"""What a gate says: for a person at most fifteen lines with the one command to run, for machines SARIF. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holdfast.contexts.freshness import FRESH, STALE
from holdfast.contexts.schema import FILE_NAME
from holdfast.core.display_text import display_line
from holdfast.core.sarif_log import LogResult, LogRule, one_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.contexts.freshness import State
    from holdfast.core.canonical_json import JsonValue

MAX_SHOWN = 10
_LONGEST_SCOPE = 200
CONFLICT = "merge conflict"


class Judged(NamedTuple):
    """A directory as the gate found it; `problem` says what is wrong with a context that cannot be used."""

    scope: str
    state: State
    problem: str = ""
    changes: tuple[str, ...] = ()  # of what its claims are about

    @property
    def word(self) -> str:
        """Its state, or the problem that prevents one."""
        if self.problem.startswith(CONFLICT):
            return "conflict"
        return "invalid" if self.problem else self.state


_RULES = {
    STALE: LogRule(
        STALE,
        "error",
        "What the context is about changed since it was written",
        "Read what it says, mend it where it no longer holds, then run `context regen SCOPE`.",
    ),
    "conflict": LogRule(
        "conflict", "error", "The context holds a merge conflict", "Run `context regen`: it keeps both sides' words."
    ),
    "invalid": LogRule("invalid", "error", "The context cannot be used", "`context validate` says where."),
}


def report(judged: Sequence[Judged], *, mend: str, more: str, adding: str = "") -> str:
    """The verdict in words; `mend` is the command that mends it, `adding` what follows it, `more` lists everything."""
    bad = [one for one in judged if one.state != FRESH]
    if not bad:
        return f"All {len(judged):,} contexts are up to date." if judged else "No context had to be checked."
    counts = {word: sum([one.word == word for one in bad]) for word in _RULES}
    listed = ", ".join([f"{count:,} {word}" for word, count in counts.items() if count])
    lines = [f"{len(bad):,} of {len(judged):,} contexts are not up to date: {listed}."]
    for one in bad[:MAX_SHOWN]:
        scope = display_line(one.scope)
        shown = scope if len(scope) <= _LONGEST_SCOPE else scope[:_LONGEST_SCOPE] + "\u2026"
        why = one.problem if one.word == "invalid" else "; ".join(one.changes)
        lines.append(f"  {one.word:<8}  {shown}" + (f": {display_line(why)[:_LONGEST_SCOPE]}" if why else ""))
    if len(bad) > MAX_SHOWN:
        lines.append(f"  and {len(bad) - MAX_SHOWN:,} more; `{more}` lists them")
    if any(one.word != "invalid" and not one.changes for one in bad):
        lines.append(f"Run: {mend}{adding}")
    if any(one.changes for one in bad):
        lines.append(f"Read what these say, mend what no longer holds, then run: {mend} SCOPE{adding}")
    if counts["invalid"]:
        lines.append("Run: context validate (it says what is wrong with those that are invalid)")
    return "\n".join(lines)


def gate_log(judged: Sequence[Judged], version: str) -> dict[str, JsonValue]:
    """The same as SARIF: a result for each directory that is not up to date."""
    results = []
    for one in judged:
        if one.state == FRESH:
            continue
        rule = _RULES[one.word]
        why = one.problem or "; ".join(one.changes)
        about = f": {why}" if why else ""
        path = FILE_NAME if one.scope == "." else f"{one.scope}/{FILE_NAME}"
        results.append(LogResult(rule.id, rule.level, f"{rule.meaning}{about}. {rule.help}", path, 1))
    return one_run(list(_RULES.values()), results, version)
