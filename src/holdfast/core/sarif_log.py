"""A log of findings in SARIF 2.1.0, which code hosts and editors show beside the lines they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.core.canonical_json import JsonValue

    Level = Literal["error", "warning", "note"]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


class LogRule(NamedTuple):
    """One thing that may be wrong, and what to do about it."""

    id: str
    level: Level
    meaning: str
    help: str


class LogResult(NamedTuple):
    """One thing that is wrong at one place; `path` is the file's from the project."""

    rule: str
    level: Level
    message: str
    path: str
    line: int  # from 1


def one_run(rules: Sequence[LogRule], results: Sequence[LogResult], version: str) -> dict[str, JsonValue]:
    """One run of this tool with its rules and results."""
    from urllib.parse import quote  # the gate in words does without

    ids = [rule.id for rule in rules]
    described_rules: list[JsonValue] = [
        {
            "id": rule.id,
            "shortDescription": {"text": rule.meaning},
            "help": {"text": rule.help},
            "defaultConfiguration": {"level": rule.level},
        }
        for rule in rules
    ]
    found: list[JsonValue] = [
        {
            "ruleId": result.rule,
            "ruleIndex": ids.index(result.rule),
            "level": result.level,
            "message": {"text": result.message},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": quote(result.path, errors="replace"), "uriBaseId": "%SRCROOT%"},
                        "region": {"startLine": result.line},
                    }
                }
            ],
        }
        for result in results
    ]
    driver: JsonValue = {"name": "holdfast", "version": version, "rules": described_rules}
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": found}],
    }
