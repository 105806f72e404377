"""The tokens of answers, and of the sources behind them, added up. Pure.

A number is added only where both sides of it are known; what is not known is said in words instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from holdfast.core.tokens import tokens_of_bytes
from holdfast.survey.shapes import SavedSearches, SavingsAnswer, StandingContexts, ToolCount

RECEIPTS = ".context/receipts"

SEARCH = "context.search"
SUMMARY = "query_context"


class GivenAnswer(NamedTuple):
    """The tokens of an answer, of the documents it is from, and of what was known already and not sent."""

    tokens: int
    documents: Mapping[tuple[str, str], int]
    known: int = 0
    known_tokens: int = 0


class Counted(NamedTuple):
    """One server's counts of a tool: answers, failures, bytes, and how often each directory was asked about."""

    tool: str
    answers: int
    failed: int
    size: int
    directories: Mapping[str, int]


def counts_of(telemetry: object) -> list[Counted]:
    """The counts in a line of telemetry; empty for any other line, or one of a release without these counts."""
    answers = telemetry.get("answers") if isinstance(telemetry, dict) else None
    found = []
    for tool, each in answers.items() if isinstance(answers, dict) else ():
        if not isinstance(each, dict):
            continue
        numbers = {name: value for name, value in each.items() if type(value) is int and value >= 0}
        named = each.get("directories", {})
        directories = named.items() if isinstance(named, dict) else ()
        if numbers.keys() >= {"given", "failed", "bytes"}:
            times = {scope: count for scope, count in directories if type(count) is int and count >= 0}
            found.append(Counted(tool, numbers["given"], numbers["failed"], numbers["bytes"], times))
    return found


def searches(given: Sequence[GivenAnswer], receipts: int) -> SavedSearches:
    """The sums over the answers of `receipts` receipts."""
    distinct = {key: tokens for answer in given for key, tokens in answer.documents.items()}
    return {
        "receipts": receipts,
        "counted": len(given),
        "answer_tokens": sum([answer.tokens for answer in given]),
        "documents": sum([len(answer.documents) for answer in given]),
        "document_tokens": sum([sum(answer.documents.values()) for answer in given]),
        "distinct_documents": len(distinct),
        "distinct_document_tokens": sum(distinct.values()),
        "known": sum([answer.known for answer in given]),
        "known_tokens": sum([answer.known_tokens for answer in given]),
    }


def tool_counts(counts: Iterable[Counted], source_tokens: Mapping[str, int]) -> list[ToolCount]:
    """The sums of every tool, by name; what an answer of a directory's summary stood for are the directory's sources
    as they are now, and of a directory that has none now, or of another tool, nothing is known."""
    rows: dict[str, ToolCount] = {}
    for each in counts:
        row = rows.setdefault(
            each.tool, {"tool": each.tool, "answers": 0, "failed": 0, "answer_tokens": 0, "behind_tokens": None}
        )
        row["answers"] += each.answers
        row["failed"] += each.failed
        row["answer_tokens"] += tokens_of_bytes(each.size)
        if each.tool == SUMMARY:
            behind = sum([source_tokens.get(scope, 0) * times for scope, times in each.directories.items()])
            row["behind_tokens"] = (row["behind_tokens"] or 0) + behind
    return [rows[tool] for tool in sorted(rows)]


def savings(
    found: SavedSearches, tools: list[ToolCount], contexts: StandingContexts, not_observed: Sequence[str]
) -> SavingsAnswer:
    """Everything together. Searches are counted by their receipts, so what a server counted of them is not added."""
    known = [(row["answer_tokens"], row["behind_tokens"]) for row in tools if row["behind_tokens"] is not None]
    given = found["answer_tokens"] + sum([answer for answer, _ in known])
    behind = found["document_tokens"] + sum([behind for _, behind in known])
    return {
        "given_tokens": given,
        "behind_tokens": behind,
        "known_tokens": found["known_tokens"],
        "percent_saved": percent_saved(given, behind) if behind else None,
        "searches": found,
        "tools": tools,
        "contexts": contexts,
        "not_observed": list(not_observed),
    }


def percent_saved(given: int, behind: int) -> int:
    """The percentage by which `given` is below `behind`, rounded down; negative where it is above."""
    return 100 * (behind - given) // behind


def unseen(
    found: SavedSearches, tools: list[ToolCount], *, passed_over: int, gone: int, unreadable: int, has_counts: bool
) -> list[str]:
    """What the numbers leave out, a sentence each, with what would make it known."""
    said = []
    if not found["receipts"]:
        said.append("searches: no receipts here; `context serve --receipts DIR` keeps one for every search answered")
    elif found["counted"]:
        said.append("searches: the same answer given twice leaves one receipt, and is counted once")
    if passed_over:
        said.append(f"searches: {passed_over:,} older receipts were not looked at; --limit takes more")
    if gone:
        said.append(
            f"searches: the caches of {gone:,} receipts were built anew since, so nobody can say what they gave"
        )
    if unreadable:
        said.append(f"searches: {unreadable:,} files are no receipts that this release can run again")
    if not has_counts:
        said.append("other tools: no counts given; --telemetry FILE takes what `context serve --telemetry` wrote")
    asked = [row["tool"] for row in tools if row["answers"] and row["behind_tokens"] is None and row["tool"] != SEARCH]
    if asked:
        said.append(f"what answers of {', '.join(asked)} stood for is not counted")
    said.append("what an agent read by other means, and whether it would have opened these documents whole")
    return said
