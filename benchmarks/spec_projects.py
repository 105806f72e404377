"""What the commands for specs make of real projects: crashes, boxes that are tasks, phases, findings by rule.

python -m benchmarks.spec_projects DIR [DIR …] [--sample 60] [--seed 7]

Nothing is written in the projects. Boxes are counted by a plain reading of its own; one counts as read if it is a task,
or reported as none. A phase is suspect where the boxes contradict it. `--sample` prints so many findings, spread over
the rules, with their lines, to be judged by eye.
"""

from __future__ import annotations

import random
import re
import sys
from argparse import ArgumentParser
from collections import Counter, defaultdict
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from holdfast.catalog import CATALOG, prompts
from holdfast.core.errors import OfferError
from holdfast.core.file_contents import RememberedFiles
from holdfast.operation import answer, load
from holdfast.specs.layouts import LAYOUTS
from holdfast.workspace import Workspace

if TYPE_CHECKING:
    from holdfast.specs.layouts import Layout

COMMANDS = {operation.command: operation for operation in CATALOG if operation.family == "specs"}
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
FENCE = re.compile(r"^\s*(?:[-*+] )?(?:```+|~~~+)")
BOX = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[([ xX~-])\](?:\\?\*)?[ \t]")
NOT_COUNTED = re.compile(r"(\d+) (?:checkbox line|optional task)")


def boxes(text: str) -> list[bool]:
    """Whether each checkbox item is done, read plainly: fences and whole comments are left out."""
    found, fenced = [], False
    for line in COMMENT.sub("", text).split("\n"):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced and (box := BOX.match(line)):
            found.append(box[1] in "xX")
    return found


class Survey:
    """What was seen in all projects."""

    def __init__(self) -> None:
        self.calls = self.specs = self.boxes = self.tasks = self.reported = self.suspect = 0
        self.rules: Counter[str] = Counter()
        self.findings: dict[str, list[tuple[Path, dict[str, Any]]]] = defaultdict(list)

    def ask(self, workspace: Workspace, *command: str, **arguments: object) -> Any:
        """The answer of a command, which is also drawn as a terminal shows it."""
        self.calls += 1
        operation = COMMANDS[command]
        value = answer(operation, arguments, workspace).value
        Console(file=StringIO()).print(load(operation.variant_for(arguments).view)(value, 0.0))
        return value

    def project(self, root: Path) -> None:
        """Every command in one project."""
        workspace = Workspace(str(root), file_contents=RememberedFiles())
        listing = self.ask(workspace, "spec", "list", limit=1000)
        layout = next(one for one in LAYOUTS if one.name == listing["data"]["layout"])
        names = [each["name"] for each in listing["data"]["specs"]] + listing["data"]["finished"]
        print(f"{root.name}: {layout.name}, {len(names)} specs; {listing['nextSteps'][0]}")
        for role in ("workflow", "implementer", "reviewer"):
            guide = self.ask(workspace, "guide", role)
            if not guide["success"]:
                print(f"  guide {role}: {guide['message']}")
        for name in names:
            self.spec(workspace, root, layout, name)
        counts: Counter[str] = Counter()
        for finding in self.ask(workspace, "spec", "check")["data"]["findings"]:
            counts[finding["rule"]] += finding["count"]
            self.findings[finding["rule"]].append((root, finding))
        self.rules += counts
        print("  " + (", ".join(f"{rule} {count}" for rule, count in counts.most_common()) or "no findings"))

    def spec(self, workspace: Workspace, root: Path, layout: Layout, name: str) -> None:
        """Every command of one spec, and whether its boxes were read."""
        self.specs += 1
        status = self.ask(workspace, "spec", "status", specName=name)
        self.ask(workspace, "spec", "next", specName=name)
        self.ask(workspace, "spec", "check", specNames=[name], trace=True)
        self.ask(workspace, "spec", "approve", specName=name, check=True)
        self.ask(workspace, "spec", "merge", specName=name, check=True)
        for prompt in prompts():
            try:
                prompt.render(workspace, {"name": name, "spec": name})
            except OfferError:
                continue
        file = root / layout.specs / name / layout.document("tasks")
        seen = boxes(file.read_text(encoding="utf-8", errors="replace")) if file.is_file() else []
        total, said = status["data"]["taskProgress"]["total"], status["data"]["overallStatus"]
        reported = sum(int(found[1]) for step in status["nextSteps"] if (found := NOT_COUNTED.match(step)))
        self.boxes += len(seen)
        self.tasks += total
        self.reported += reported
        is_done = bool(seen) and all(seen)
        contradicts = (is_done and said != "completed") or (said == "completed" and len(seen) - sum(seen) > reported)
        if contradicts or total + reported != len(seen):
            self.suspect += contradicts
            print(f"  {name}: {said}, {total} tasks, {reported} reported; {sum(seen)} of {len(seen)} boxes are done")

    def sample(self, count: int, seed: int) -> None:
        """Findings spread over the rules, each with the line it is on."""
        chosen = random.Random(seed)
        for found in self.findings.values():
            chosen.shuffle(found)
        longest = max(map(len, self.findings.values()), default=0)
        spread = [(rule, n) for n in range(longest) for rule in sorted(self.findings) if n < len(self.findings[rule])]
        for rule, n in spread[:count]:
            root, each = self.findings[rule][n]
            path = root / each["file"]
            line = path.read_text("utf-8", "replace").split("\n")[each["line"] - 1] if path.is_file() else ""
            print(f"{rule} | {root.name}/{each['file']}:{each['line']}\n   text {each['text']}\n   line {line[:240]}")


def main() -> int:
    """Survey the projects that are named."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("projects", nargs="+", type=Path)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    survey = Survey()
    for root in given.projects:
        survey.project(root.resolve())
    share = 100 * (survey.tasks + survey.reported) / max(survey.boxes, 1)
    print(f"{survey.calls} calls, {survey.specs} specs, {survey.suspect} suspect phases")
    print(f"{survey.boxes} boxes: {survey.tasks} tasks, {survey.reported} reported as none, {share:.1f} %")
    print(f"{survey.rules.total()} findings: {', '.join(f'{rule} {n}' for rule, n in survey.rules.most_common())}")
    survey.sample(given.sample, given.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
