"""From nothing to a finished, archived spec of two tasks in three layouts: calls, tokens of the answers, dead ends.

python -m benchmarks.spec_walks [--openspec PROGRAM] [--spec-kit CHECKOUT]

The walk writes what the guide's templates ask for, each placeholder replaced, and does what the answers say comes next.
A dead end is an answer without success. With `--openspec` that program's `validate --strict` judges the change as
well; with `--spec-kit` the walk uses the templates of that checkout, and its `check-prerequisites.sh` judges the
feature. Tokens are bytes by four.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from pathlib import Path
from shutil import copytree
from typing import Any

from holdfast.catalog import CATALOG, find_tool
from holdfast.core.file_contents import RememberedFiles
from holdfast.operation import answer
from holdfast.workspace import Workspace

COMMANDS = {operation.command: operation for operation in CATALOG if operation.family == "specs"}
TASK_LINES = {
    "openspec": "- [ ] 1.{n} Part {n}\n",
    "spec-kit": "- [ ] T00{n} [US1] Part {n} in src/part.py\n",
    "own": "- [ ] {n}. Part {n}\n  - _Requirements: 1.1, 1.2_\n",
}
STARTS = {
    "own": {},
    "spec-kit": {".specify/memory/constitution.md": "# Constitution\n\nEvery change has a test.\n"},
    "openspec": {
        "openspec/config.yaml": "schema: spec-driven\ncontext: |\n  Rust only\n",
        "openspec/specs/.gitkeep": "",
    },
}


def filled(template: str, name: str) -> str:
    """A template with everything that is to be replaced replaced: prose in parentheses, questions, brackets."""
    text = template.replace("{{name}}", name)
    text = re.sub(r"\n### 2\. \(The next one\)\n\n1\. …\n", "", text)
    text = re.sub(
        r"\(For a new capability alone:[^)]*\)", "Notes that people add to a page, and who may read them.", text
    )
    text = re.sub(r"\([^)]*\)|…|\[[A-Z][^\]]*\]", "a note of one person", text).replace("`capability`", "`notes`")
    # What a template says of its own sections is rewritten too.
    return re.sub(
        r"^((?:- )?[A-Z`].*(?:[?.]|for us))$",
        "The system SHALL keep notes, and that is decided.",
        text,
        flags=re.MULTILINE,
    )


class Walk:
    """One walk: what was asked, and what it cost."""

    def __init__(self, layout: str, root: Path, openspec: str, spec_kit: str) -> None:
        self.layout, self.root, self.openspec, self.spec_kit = layout, root, openspec, spec_kit
        self.calls = self.bytes = 0
        self.dead_ends: list[str] = []
        self.contents = RememberedFiles()

    def reply(self, operation: Any, arguments: dict[str, object], door: Any) -> Any:
        """What an operation answers, counted."""
        reply = answer(operation, arguments, Workspace(str(self.root), door=door, file_contents=self.contents))
        self.calls += 1
        self.bytes += len(reply.text.encode())
        value = json.loads(reply.text)
        is_gate = operation.command[1:] in (("check",), ("merge",)) or arguments.get("check")
        if not value["success"] and not is_gate:
            self.dead_ends.append(f"{' '.join(operation.command)}: {value['message']}")
        return value

    def tool(self, name: str, **arguments: object) -> Any:
        """What a tool answers."""
        return self.reply(find_tool(name), arguments, "tool")

    def command(self, *words: str, **arguments: object) -> Any:
        """What a command answers."""
        return self.reply(COMMANDS[words], arguments, "command")

    def write(self, path: str, text: str) -> None:
        """Write a file of the project."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def check(self, name: str) -> None:
        """The gates that the guide names."""
        for finding in self.command("spec", "check", specNames=[name])["data"]["findings"]:
            print(f"   {finding['file']}:{finding['line']} {finding['rule']} {finding['text'][:90]}")
        if self.layout == "openspec" and self.openspec:
            self.judge([self.openspec, "validate", name, "--strict", "--no-interactive"], OPENSPEC_TELEMETRY="0")
        if self.layout == "spec-kit" and self.spec_kit:
            script = f"{self.spec_kit}/scripts/bash/check-prerequisites.sh"
            words = ["bash", script, "--json", "--require-tasks", "--include-tasks"]
            self.judge(words, SPECIFY_FEATURE=name, SPECIFY_FEATURE_DIRECTORY=f"specs/{name}")

    def judge(self, words: list[str], **environment: str) -> None:
        """What the layout's own tool says."""
        around = {**os.environ, **environment}
        done = subprocess.run(words, cwd=self.root, capture_output=True, text=True, env=around, check=False)
        print(f"   {Path(words[-4]).name}: exit {done.returncode}  {(done.stdout + done.stderr).strip()[:500]}")

    def go(self) -> None:
        """The whole walk."""
        name = "001-notes" if self.layout == "spec-kit" else "notes"
        listing = self.tool("list-specs")
        where = re.search(
            r"A new spec is (\S+?)NAME/ with (\S+), (\S+)(?: \(optional\))? and ([^ ;]+)", listing["nextSteps"][-1]
        )
        assert where is not None, listing["nextSteps"]
        folder, *documents = where.groups()
        guide = self.tool("spec-workflow-guide")["data"]
        for path, template in re.findall(r"`(\S+)`:\n\n````md\n(.*?)\n````", guide["guide"], re.DOTALL):
            self.write(path, filled(template, name) + "\nMore.\n")
        for phase, template in guide["templates"].items():
            place = dict(zip(("requirements", "design", "tasks"), documents, strict=True))
            path = f"{folder}{name}/{place.get(phase, 'specs/notes/spec.md')}"
            text = filled(template, name)
            if phase == "tasks":
                text = "# Tasks\n\n## 1. Phase 1: User Story 1\n\n" + "".join(
                    TASK_LINES[self.layout].format(n=n) for n in (1, 2)
                )
            self.write(path, text)
            if phase in place:
                self.tool("spec-status", specName=name)
                self.command("spec", "approve", specName=name, phase=phase, by="ann")
        self.check(name)
        self.command("spec", "approve", specName=name, check=True)
        tasks = self.root / folder / name / documents[2]
        for number in (1, 2):
            for role in ("implementer", "reviewer"):
                self.tool(f"get-{role}-guide", mode="full" if number == 1 else "compact", runId="r")
            tasks.write_text(tasks.read_text(encoding="utf-8").replace("[ ]", "[x]", 1), encoding="utf-8")
            self.write("src/part.py", "")
            self.tool("spec-status", specName=name)
        if self.layout != "spec-kit":
            self.command("spec", "merge", specName=name, check=True)
            self.command("spec", "merge", specName=name, archive=True)
        print(f"{self.layout}: {self.calls} calls, {self.bytes // 4:,} tokens, {len(self.dead_ends)} dead ends")
        for each in self.dead_ends:
            print(f"   {each}")


def main() -> int:
    """Walk in each layout."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--openspec", default="")
    parser.add_argument("--spec-kit", default="")
    given = parser.parse_args()
    ends = 0
    for layout, files in STARTS.items():
        with tempfile.TemporaryDirectory() as root:
            walk = Walk(layout, Path(root), given.openspec, given.spec_kit)
            if layout == "spec-kit" and given.spec_kit:
                copytree(f"{given.spec_kit}/templates", f"{root}/.specify/templates")
            for path, text in files.items():
                walk.write(path, text)
            walk.go()
            ends += len(walk.dead_ends)
    return 1 if ends else 0


if __name__ == "__main__":
    sys.exit(main())
