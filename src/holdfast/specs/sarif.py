"""Findings as SARIF 2.1.0, which code hosts and editors show beside the lines they are about."""

from __future__ import annotations

from holdfast.offers import quote
from holdfast.specs.checks import RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.core.canonical_json import JsonValue
    from holdfast.specs.checks import Finding

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_log(findings: Sequence[Finding], version: str) -> dict[str, JsonValue]:
    """One run of this tool with its rules, and a result for each finding."""
    ids = list(RULES)
    rules: list[JsonValue] = [
        {
            "id": rule.id,
            "shortDescription": {"text": rule.meaning},
            "help": {"text": f"To mend it: {rule.fix}."},
            "defaultConfiguration": {"level": rule.level},
        }
        for rule in RULES.values()
    ]
    results: list[JsonValue] = [
        {
            "ruleId": finding.rule,
            "ruleIndex": ids.index(finding.rule),
            "level": finding.level,
            "message": {"text": _message(finding)},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {
                            "uri": "/".join(map(quote, finding.file.split("/"))),
                            "uriBaseId": "%SRCROOT%",
                        },
                        "region": {"startLine": finding.line},
                    }
                }
            ],
        }
        for finding in findings
    ]
    driver: JsonValue = {"name": "holdfast", "version": version, "rules": rules}
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
    }


def _message(finding: Finding) -> str:
    rule = RULES[finding.rule]
    about = f": {finding.text}" if finding.text else ""
    return f"{rule.meaning}{about}. To mend it: {rule.fix}."
