"""What a reader does when the thing it reads is replaced between two of its steps."""

from __future__ import annotations

import itertools
import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from holdfast import build_cache
from holdfast.caches.on_disk.cache_directory import CacheDirectory
from holdfast.catalog import CATALOG
from holdfast.core.file_contents import SystemFiles
from holdfast.operation import answer
from holdfast.specs.on_disk import spec_files as specs_on_disk
from holdfast.workspace import Workspace

if TYPE_CHECKING:
    pass

pytestmark = pytest.mark.rough

CREATED_AT = "2026-01-02T03:04:05Z"
QUESTIONS: dict[str, dict[str, Any]] = {
    "resolve": {"query": "one two", "budget": 100},
    "search": {"query": "one two", "budget": 400},
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
def test_a_cache_replaced_at_any_step_of_reading_it_is_answered_as_the_old_one_or_the_new(
    command: str, compiled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    made = []
    for name, word in (("first", "one"), ("second", "two")):
        built = tmp_path / name / "cache"  # an answer may call a cache by its name
        build_cache(sources(tmp_path / f"{name}-sources", word), built, created_at=CREATED_AT)
        if not compiled:
            shutil.rmtree(built / "index")
        made.append(ask(command, built))
    assert not [text for text in made if '"error"' in text]
    really_read, really_open = CacheDirectory.read, CacheDirectory.open
    steps_left = 0

    def step() -> None:
        nonlocal steps_left
        steps_left -= 1
        if steps_left == 0:
            shutil.rmtree(cache)
            shutil.copytree(tmp_path / "second" / "cache", cache)

    def read(self: CacheDirectory, file: str, *, limit: int | None = None) -> bytes:
        step()
        return really_read(self, file, limit=limit)

    def open_(self: CacheDirectory, file: str) -> int:
        step()
        return really_open(self, file)

    monkeypatch.setattr(CacheDirectory, "read", read)
    monkeypatch.setattr(CacheDirectory, "open", open_)
    steps, answers = 0, []
    while steps_left <= 0:
        steps += 1
        shutil.rmtree(cache, ignore_errors=True)
        shutil.copytree(tmp_path / "first" / "cache", cache)
        steps_left = steps
        answers.append(ask(command, cache))
    assert (set(answers) <= set(made), made[1] in answers, steps > 2) == (True, True, True)


def test_a_task_list_replaced_at_every_look_has_the_time_of_the_text_it_was_counted_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = tmp_path / ".spec-context" / "specs" / "login"
    spec.mkdir(parents=True)
    tasks = spec / "tasks.md"
    states = itertools.cycle([("- [ ] 1. a\n", 10**9), ("- [x] 1. a\n", 10**9 + 1)])

    def save() -> None:
        text, second = next(states)
        (tmp_path / "beside").write_text(text, encoding="utf-8")
        os.utime(tmp_path / "beside", (second, second))
        (tmp_path / "beside").replace(tasks)

    def looked_at(really: Any) -> Any:
        def look(*given: Any, **options: Any) -> Any:
            save()
            return really(*given, **options)

        return look

    save()
    monkeypatch.setattr(specs_on_disk, "_regular", looked_at(specs_on_disk._regular))
    monkeypatch.setattr(SystemFiles, "stat", staticmethod(looked_at(os.stat)))
    monkeypatch.setattr(SystemFiles, "open", staticmethod(looked_at(SystemFiles.open)))
    operation = next(one for one in CATALOG if one.tool == "spec-status")
    seen = set()
    for _ in range(8):
        data = json.loads(answer(operation, {"specName": "login"}, Workspace(str(tmp_path))).text)["data"]
        seen.add((data["taskProgress"]["completed"], data["phases"][2]["lastModified"]))
        save()
    assert seen == {(0, "2001-09-09T01:46:40.000Z"), (1, "2001-09-09T01:46:41.000Z")}


def test_a_cache_replaced_while_caches_are_listed_has_its_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, beside = tmp_path / "caches", tmp_path / "beside"
    build_cache(sources(tmp_path / "sources", "one"), root / "moving", created_at=CREATED_AT)
    really_stat = os.stat
    replaced: list[Any] = []

    def stat(path: Any, **options: Any) -> os.stat_result:
        if path == "manifest.json" and not replaced:
            replaced.append(path)
            shutil.copytree(root / "moving", beside)
            shutil.rmtree(root / "moving")
            beside.rename(root / "moving")
        return really_stat(path, **options)

    monkeypatch.setattr(os, "stat", stat)
    operation = next(one for one in CATALOG if one.command == ("list",))
    listed = answer(operation, {}, Workspace(cache_root=str(root))).text
    assert (replaced, listed) == (["manifest.json"], '{"caches":[{"path":"moving","has_manifest":true}]}\n')
