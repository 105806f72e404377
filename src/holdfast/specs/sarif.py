"""Findings in specs as SARIF."""

from __future__ import annotations

from holdfast.core.sarif_log import LogResult, LogRule, one_run
from holdfast.offers import quote
from holdfast.specs.checks import RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.core.canonical_json import JsonValue
    from holdfast.specs.checks import Finding


def sarif_log(findings: Sequence[Finding], version: str) -> dict[str, JsonValue]:
    """One run of this tool with its rules, and a result for each finding."""
    rules = [LogRule(rule.id, rule.level, rule.meaning, f"To mend it: {rule.fix}.") for rule in RULES.values()]
    results = [
        LogResult(
            finding.rule, finding.level, _message(finding), "/".join(map(quote, finding.file.split("/"))), finding.line
        )
        for finding in findings
    ]
    return one_run(rules, results, version)


def _message(finding: Finding) -> str:
    rule = RULES[finding.rule]
    about = f": {finding.text}" if finding.text else ""
    return f"{rule.meaning}{about}. To mend it: {rule.fix}."
