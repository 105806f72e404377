"""What a check is limited to: the lines that a change touched, and the findings that are known already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from holdfast.core.canonical_json import JsonError, decode
from holdfast.core.confined_paths import printable
from holdfast.core.errors import SpecFailure, UsageError
from holdfast.core.git_command import git
from holdfast.core.regular_files import read_regular
from holdfast.specs.checks import Finding
from holdfast.specs.on_disk.workflow_folder import Project

_LARGEST_BASELINE = 64 << 20


def _known_findings(path: str) -> Counter[tuple[str, str, str]]:
    """How often each finding, by file, rule and text, is in an earlier answer of `spec check --format json`."""
    try:
        answer = decode(read_regular(path, limit=_LARGEST_BASELINE))
        listed = answer["data"]["findings"]
        return Counter({(each["file"], each["rule"], each["text"]): each["count"] for each in listed})
    except (OSError, JsonError, KeyError, TypeError):
        steps = ["Write one with `context spec check --format json > FILE`"]
        raise SpecFailure(f"'{printable(path)}' is no answer of `context spec check`", steps) from None


def without_known(findings: Sequence[Finding], path: str) -> list[Finding]:
    """The findings that an earlier answer does not have, whatever their lines were; SpecFailure for another file.

    Of findings that it has as one with a count, that many are left out.
    """
    left = _known_findings(path)
    merged = Counter({(file, rule): count for (file, rule, _), count in left.items() if count > 1})
    found = []
    for finding in findings:
        key, alike = (finding.file, finding.rule, finding.text), (finding.file, finding.rule)
        if left[key] > 0:
            left[key] -= 1
        elif merged[alike] > 0:
            merged[alike] -= 1
        else:
            found.append(finding)
    return found


def changed_lines(project: Project, since: str, steering: Sequence[str] = ()) -> dict[str, frozenset[int] | None]:
    """By file below the project, the lines from 1 that differ from a commit; None for a file that is new.

    SpecFailure where git does not know the commit, or there is no repository.
    """
    places = (project.layout.specs, *steering)
    try:
        commit = git(project.path, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{since}^{{commit}}")
        base = commit.decode().rstrip("\n")
        diff = ("diff", "--no-ext-diff", "--no-textconv", "--relative")
        shown = git(project.path, *diff, "-U0", base, "--", *places)
        added = git(project.path, *diff, "--name-only", "--diff-filter=A", "-z", base, "--", *places)
        others = git(project.path, "ls-files", "-z", "--others", "--exclude-standard", "--", *places)
    except UsageError as error:
        reason = f"What changed since '{since}' cannot be found: {error.reason}"
        raise SpecFailure(reason, ["Name a commit, branch or tag of this repository"]) from None
    found: dict[str, frozenset[int] | None] = dict(_hunks(shown.decode("utf-8", "replace")))
    for name in (added + others).split(b"\0"):
        if name:
            found[name.decode("utf-8", "replace")] = None
    return found


def _hunks(diff: str) -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    file = ""
    for line in diff.split("\n"):
        if line.startswith("+++ b/"):
            file = line[6:].rstrip("\t")
        elif line.startswith("@@ ") and file:
            start, _, count = line.split(" ")[2][1:].partition(",")
            first = int(start)
            found.setdefault(file, set()).update(range(first, first + max(int(count or "1"), 1)))
    return {name: frozenset(lines) for name, lines in found.items()}
