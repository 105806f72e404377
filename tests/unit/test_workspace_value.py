"""A workspace is a value: nothing is set after it is made, and a copy drops nothing."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from holdfast.core.file_contents import RememberedFiles
from holdfast.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path


def test_a_copy_with_another_project_keeps_every_other_argument(tmp_path: Path) -> None:
    given = {
        "cache_root": "caches",
        "door": "tool",
        "clock": lambda: 1.0,
        "progress": print,
        "phases": print,
        "announce": print,
        "confirm": bool,
        "file_contents": RememberedFiles(),
        "receipts": "receipts",
        "receipts_bytes": 1,
        "receipts_days": 2,
        "git_index": "index",
        "environment": {"A": "B"},
        "user_cache": "user",
        "patience": 3.0,
        "confine": False,
    }
    assert [*given, "project"] == sorted(inspect.signature(Workspace).parameters, key=[*given, "project"].index)

    there = Workspace(str(tmp_path), **given)._replace(project="there")  # type: ignore[arg-type]
    kept = {name: getattr(there, name) for name in given if name not in ("cache_root", "confine")}
    assert (there.project, there.cache_root, there.confined_to) == ("there", "caches", ())
    assert kept == {name: given[name] for name in kept}


def test_a_copy_of_a_confined_workspace_is_confined_to_its_own_project(tmp_path: Path) -> None:
    there = Workspace(str(tmp_path / "here"), confine=True)._replace(project=str(tmp_path / "there"))
    assert there.confined_to == (str(tmp_path / "there"), str(tmp_path / "there" / ".context" / "caches"))
