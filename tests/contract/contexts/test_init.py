"""What `context init` does on its way."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.catalog import CATALOG
from holdfast.contexts.on_disk.project import Found, Project
from holdfast.operation import answer
from holdfast.workspace import Workspace

INIT = next(operation for operation in CATALOG if operation.command == ("init",))


def test_init_looks_at_the_project_once_and_its_fingerprint_knows_the_new_agents_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scans = []
    directories = Project.directories

    def counted(self: Project, *, deep: bool = False) -> list[Found]:
        scans.append(self.root)
        return directories(self, deep=deep)

    monkeypatch.setattr(Project, "directories", counted)
    (tmp_path / "a.py").write_text("def go(): ...\n")
    assert answer(INIT, {"full": True}, Workspace(str(tmp_path))).exit_code == 0
    assert scans == [str(tmp_path)]
    view = Project(Workspace(str(tmp_path)).file_contents, str(tmp_path)).view("")
    assert (sorted(file.name for file in view.files), view.freshness().state) == (["AGENTS.md", "a.py"], "fresh")
