"""The rules of `spec check`: what may be wrong with a spec, how bad that is, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from holdfast.specs.shapes import Level


class Rule(NamedTuple):
    """One thing that may be wrong. A warning is an error for a caller who asks for strictness.

    In a fix, `{task}` is how the layout writes a task and `{reference}` how a task names a requirement there.
    """

    id: str
    level: Level
    meaning: str
    fix: str


RULES: Mapping[str, Rule] = {
    rule.id: rule
    for rule in (
        # Any document
        Rule("document-empty", "error", "A document has headings and no text", "write it, or delete the file"),
        Rule("document-missing", "warning", "A document before the tasks was never written", "write it"),
        Rule("placeholder-left", "error", "A line of the template is still there", "write what is meant, or delete it"),
        Rule("tbd-left", "warning", "Something is still to be decided", "decide it, or move it to an open question"),
        Rule("fence-unclosed", "error", "A code fence is never closed and hides what follows", "close it"),
        Rule("link-broken", "warning", "A link leads to a file that is not there", "correct the path"),
        Rule("approval-stale", "error", "A document was changed after its approval", "have a person approve it again"),
        # Requirements
        Rule("requirement-duplicate", "error", "Two requirements have one number", "give one another number"),
        Rule("requirement-empty", "error", "A requirement has no criterion", "say what SHALL be, so that it is tested"),
        Rule("criterion-misplaced", "error", "A criterion has the number of another requirement", "correct the number"),
        Rule("criterion-unnamed", "warning", "No task names this criterion", "name it: {reference}"),
        Rule("criterion-untested", "warning", "No test names this criterion, and tests name others", "mark its test"),
        Rule("ears-no-shall", "warning", "A criterion without SHALL or MUST says nothing to test", "say what SHALL be"),
        Rule("ears-no-subject", "warning", "A criterion does not say what SHALL do it", "name the system or part"),
        Rule("ears-many-shalls", "warning", "A criterion has more than one SHALL", "make each a criterion of its own"),
        Rule("criterion-long", "warning", "A criterion has over 60 words", "split it"),
        Rule("vague-word", "warning", "A word that no test decides", "say how much, how long or which"),
        # Design
        Rule("design-ref-unknown", "error", "The design names a requirement that does not exist", "correct the number"),
        Rule("requirement-undesigned", "warning", "The design names other requirements, not this one", "design it"),
        Rule("reused-file-missing", "warning", "A file that is to be reused is not there", "correct the path"),
        # Tasks
        Rule("task-unnumbered", "error", "A checkbox line without a number counts nowhere", "write `{task}`"),
        Rule("task-malformed", "error", "A checkbox line that does not read as a task", "write `{task}`"),
        Rule("task-duplicate-id", "error", "Two tasks have one number", "give one of them another number"),
        Rule("task-orphan", "warning", "A sub-task has no task above it", "correct the number"),
        Rule(
            "task-without-requirement", "warning", "A task names no requirement, and others do", "name it: {reference}"
        ),
        Rule("tasks-in-progress", "warning", "Two tasks are in progress", "finish one first"),
        Rule("dependency-unknown", "error", "A task depends on one that does not exist", "correct the number"),
        Rule("parent-done-child-open", "error", "A task is done and one below it is not", "finish it, or open both"),
        Rule("ref-unknown", "error", "A task names a requirement that does not exist", "correct the number"),
        Rule("done-file-missing", "warning", "A task is done and its file is not there", "correct the path"),
        # Steering
        Rule("steering-path-missing", "warning", "Steering names a file or folder that is not there", "correct it"),
        Rule("steering-command-unknown", "warning", "Steering names a command that no manifest has", "correct it"),
        Rule("steering-version-differs", "warning", "Steering and the manifest name other versions", "correct it"),
        # Changes of living requirements
        Rule("delta-missing", "error", "A change without a delta changes no requirement", "write specs/NAME/spec.md"),
        Rule(
            "delta-misplaced",
            "error",
            "A requirement lies outside of its section",
            "put it under `## ADDED Requirements`",
        ),
        Rule("delta-no-shall", "error", "A changed requirement has no SHALL or MUST", "say what SHALL be"),
        Rule("delta-no-scenario", "error", "A changed requirement has no scenario", "add `#### Scenario: NAME`"),
        Rule("delta-conflict", "error", "A delta does not fit the requirements that hold now", "write it from them"),
        Rule("delta-overlap", "warning", "Two open changes change one requirement", "merge one, rewrite the other"),
    )
}
VAGUE = (
    "adequate|adequately|appropriate|appropriately|as needed|as soon as possible|as soon as practical|easily|"
    "easy to|efficient|efficiently|etc.|fast|high performance|if possible|intuitive|properly|quickly|"
    "reasonable|robust|seamless|seamlessly|sufficient|timely|user friendly|user-friendly"
).split("|")
OPEN_MARK = "[NEEDS CLARIFICATION:"
UNDECIDED = ("TBD", "TODO:", "FIXME", "???")
# Words for a limit, which a number has to follow.
LIMITED = "limit|limits|maximum|minimum|timeout|large|small|many|several|some time|often".split("|")
