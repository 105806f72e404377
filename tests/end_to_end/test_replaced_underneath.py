"""What a reader does when the thing it reads is replaced between two of its steps."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from holdfast import build_cache
from holdfast.caches.on_disk.directory import CacheDirectory
from holdfast.catalog import CATALOG
from holdfast.operation import answer
from holdfast.specs import on_disk as specs_on_disk
from holdfast.workspace import Workspace

if TYPE_CHECKING:
    from holdfast.specs.on_disk import Project
    from holdfast.specs.tasks import TaskList

CREATED_AT = "2026-01-02T03:04:05Z"
QUESTIONS: dict[str, dict[str, Any]] = {
    "resolve": {"query": "one two", "budget": 100},
    "inspect": {},
    "verify": {},
}


def sources(folder: Path, word: str) -> Path:
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.md").write_text(f"{word} {number}", encoding="utf-8")
    return folder


def ask(command: str, cache: Path) -> str:
    operation = next(one for one in CATALOG if one.command == (command,))
    return answer(operation, {"cache": str(cache), **QUESTIONS[command]}, Workspace()).text


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "plain"])
@pytest.mark.parametrize("command", QUESTIONS)
def test_a_cache_replaced_while_it_is_opened_is_answered_as_the_new_one(
    command: str, compiled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, cache = sources(tmp_path / "first", "one"), sources(tmp_path / "second", "two"), tmp_path / "cache"
    build_cache(second, cache, created_at=CREATED_AT)
    expected = ask(command, cache)
    build_cache(first, cache, created_at=CREATED_AT, force=True)
    if not compiled:
        (cache / "index" / "words.idx").unlink()
    really_read = CacheDirectory.read
    replaced: list[str] = []

    def read(self: CacheDirectory, file: str, *, limit: int | None = None) -> bytes:
        if not replaced:
            replaced.append(file)
            build_cache(second, cache, created_at=CREATED_AT, force=True)
        return really_read(self, file, limit=limit)

    monkeypatch.setattr(CacheDirectory, "read", read)
    assert (ask(command, cache), len(replaced)) == (expected, 1)


def test_the_time_of_a_task_list_and_its_progress_are_of_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ".spec-context" / "specs" / "login"
    folder.mkdir(parents=True)

    def save(text: str, second: int) -> None:
        (tmp_path / "beside").write_text(text, encoding="utf-8")
        os.utime(tmp_path / "beside", (second, second))
        (tmp_path / "beside").replace(folder / "tasks.md")

    save("- [ ] 1. a\n", 10**9)
    really_list = specs_on_disk.task_list
    saved: list[str] = []

    def task_list(project: Project, name: str) -> TaskList | None:
        if not saved:
            saved.append(name)
            save("- [x] 1. a\n", 10**9 + 1)
        return really_list(project, name)

    monkeypatch.setattr(specs_on_disk, "task_list", task_list)
    operation = next(one for one in CATALOG if one.tool == "spec-status")
    data = json.loads(answer(operation, {"specName": "login"}, Workspace(str(tmp_path))).text)["data"]
    assert (data["taskProgress"]["completed"], data["phases"][2]["lastModified"]) == (1, "2001-09-09T01:46:41.000Z")
