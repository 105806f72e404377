"""From an empty project to a finished, reviewed spec of three tasks, by what the tools of a real server answer alone.

Whoever walks here has no shell: it calls tools, and writes files where an answer says they belong.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from support.doors import StdioServer

if TYPE_CHECKING:
    from pathlib import Path


class Walker:
    """An agent that knows the tools and the project's root, and nothing else."""

    def __init__(self, server: StdioServer, root: Path) -> None:
        self.server, self.root, self.statuses = server, root, list[str]()

    def ask(self, tool: str, **arguments: str) -> Any:
        return json.loads(self.server.call(tool, arguments).text)

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def status(self) -> Any:
        found = self.ask("spec-status", specName="todo")
        self.statuses.append(found["data"]["overallStatus"] if found["success"] else "not found")
        return found


def filled_in(template: str) -> str:
    """A template with every placeholder replaced by something of our own."""
    return re.sub(r"\([^)]*\)|…", "adding a note", template).replace("{{name}}", "todo") + "\nSaid by a person.\n"


def test_tools_alone_lead_from_nothing_to_a_finished_spec(tmp_path: Path) -> None:
    with StdioServer(tmp_path) as server:
        walker = Walker(server, tmp_path)
        assert walker.ask("list-specs")["data"]["specs"] == []

        # Where a spec belongs, and what its documents look like.
        where = re.search(r"A new spec is (\S+) with (\S+), (\S+) and ([^ ;]+)", walker.status()["nextSteps"][1])
        assert where is not None
        guide = walker.ask("spec-workflow-guide")["data"]
        folder, *names = where.groups()
        assert folder in guide["guide"]

        # What holds for every spec, from the templates in the guide.
        for path, template in re.findall(r"`(\S+)`:\n\n````md\n(.*?)\n````", guide["guide"], re.DOTALL):
            walker.write(path, filled_in(template))
        assert walker.ask("spec-workflow-guide")["data"]["steering"].keys() == {
            *("product", "tech", "structure", "principles")
        }

        # The three documents, each when its phase asks for it.
        for phase, name in zip(guide["templates"], names, strict=True):
            text = guide["templates"][phase]
            if phase == "tasks":
                text = "# Tasks\n\n" + "".join(f"- [ ] {n}. Part {n}\n  - _Requirements: 1.1_\n" for n in (1, 2, 3))
            walker.write(folder.replace("NAME", "todo") + name, filled_in(text))
            walker.status()
        (listed,) = walker.ask("list-specs")["data"]["specs"]

        # The tasks, one after the other: begun, carried out by the guide, reviewed, done.
        tasks = tmp_path / folder.replace("NAME", "todo") / names[2]
        modes, seen = [], [listed["next"]]
        for number in (1, 2, 3):
            text = tasks.read_text(encoding="utf-8")
            tasks.write_text(text.replace(f"[ ] {number}.", f"[-] {number}."), encoding="utf-8")
            for role in ("implementer", "reviewer"):
                mode = "full" if number == 1 else "compact"
                modes.append(walker.ask(f"get-{role}-guide", mode=mode, runId="r")["data"]["guideMode"])
            seen.append(walker.ask("list-specs")["data"]["specs"][0]["next"])
            text = tasks.read_text(encoding="utf-8")
            tasks.write_text(text.replace(f"[-] {number}.", f"[x] {number}."), encoding="utf-8")
        final = walker.status()
    assert seen == ["task 1: Part 1", "task 1: Part 1", "task 2: Part 2", "task 3: Part 3"]
    assert modes == ["full", "full", *["compact"] * 4]
    assert walker.statuses == ["not found", "design-needed", "tasks-needed", "implementing", "completed"]
    assert final["data"]["taskProgress"] == {"total": 3, "completed": 3, "pending": 0}
