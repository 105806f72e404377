"""`shards = N` in `context.toml`: built in parts, an edit stays in its part, and nothing is lost whatever happens."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from holdfast import verify_cache
from support.doors import run_context
from support.dying import kill_syncs
from support.sharded import PAGES

FIXED = {"SOURCE_DATE_EPOCH": "1767323045"}
SHARDED = '[caches.guides]\nsources = ["docs"]\nshards = 3\n'


def answer(*words: str, cwd: Path, code: int = 0) -> Any:
    done = run_context(*words, cwd=cwd, env=FIXED)
    assert done.returncode == code, done.stderr.decode()
    return json.loads(done.stdout)


def told(*words: str, cwd: Path, code: int) -> str:
    done = run_context(*words, cwd=cwd, env=FIXED)
    assert done.returncode == code, done.stdout.decode()
    return done.stderr.decode()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Twelve pages below `docs`, declared in three shards and not built."""
    for name, text in PAGES.items():
        (tmp_path / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "docs" / name).write_text(text, encoding="utf-8")
    (tmp_path / ".git").mkdir()
    (tmp_path / "context.toml").write_text(SHARDED, encoding="utf-8")
    return tmp_path


def inodes(cache: Path) -> dict[str, int]:
    """Of each part, the file that its index for search is."""
    return {part.name: (part / "index" / "sections.idx").stat().st_ino for part in sorted(cache.glob("part-*"))}


def test_an_edit_makes_its_own_part_again_and_the_lock_is_that_of_one_cache(project: Path) -> None:
    cache = project / ".context" / "caches" / "guides"
    built = answer("sync", cwd=project)["caches"][0]
    before = inodes(cache)
    assert (built["documents"], list(before)) == (12, ["part-00", "part-01", "part-02"])
    assert answer("sync", cwd=project)["caches"][0]["state"] == "unchanged"
    last = project / "docs" / "guide" / "p11.md"
    last.write_text(last.read_text(encoding="utf-8") + "\none more line\n", encoding="utf-8")
    assert answer("sync", "--check", cwd=project, code=8)["caches"][0]["reasons"] == ["sources: 1 changed"]
    assert answer("sync", cwd=project)["caches"][0]["changed"] == 1
    after = inodes(cache)
    assert [name for name in before if before[name] != after[name]] == ["part-02"]
    # Another name for a page of the first part: that part is made again too, and no other.
    last.write_text(PAGES["guide/p11.md"].replace("p04.md", "p00.md"), encoding="utf-8")
    answer("sync", cwd=project)
    assert [name for name in after if after[name] != inodes(cache)[name]] != []
    assert verify_cache(cache).problems == []
    lock = (project / "context.lock").read_bytes()
    text = run_context("search", "roll back the zebra", cwd=project).stdout
    (project / "context.toml").write_text(SHARDED.replace("shards = 3\n", ""), encoding="utf-8")
    said = answer("sync", "--check", cwd=project, code=8)["caches"][0]["reasons"]
    assert said == ["it was built in other shards"]
    assert answer("sync", cwd=project)["caches"][0]["state"] == "built"
    assert ((project / "context.lock").read_bytes(), (cache / "manifest.json").exists()) == (lock, True)
    assert run_context("search", "roll back the zebra", cwd=project).stdout == text
    (project / "context.toml").write_text(SHARDED.replace("3", "5"), encoding="utf-8")
    answer("sync", cwd=project)
    assert len(inodes(cache)) == 5
    assert run_context("search", "roll back the zebra", cwd=project).stdout == text


@pytest.mark.parametrize("shards", ["0", "1", "65", "2.0", '"4"', "true", "[3]"])
def test_a_number_of_shards_that_is_none_is_told(project: Path, shards: str) -> None:
    (project / "context.toml").write_text(SHARDED.replace("3", shards), encoding="utf-8")
    assert "caches.guides.shards must be a whole number from 2 to 64" in told("sync", cwd=project, code=5)


def test_a_cache_of_a_registry_has_no_shards(project: Path) -> None:
    toml = '[caches.guides]\nsources = { oci = "registry.example/docs:1" }\nshards = 3\n'
    (project / "context.toml").write_text(toml, encoding="utf-8")
    assert "caches.guides.shards is of no use with a cache of a registry" in told("sync", cwd=project, code=5)


def test_commands_that_take_one_cache_say_what_to_do_and_strangers_are_left_alone(project: Path) -> None:
    answer("sync", cwd=project)
    assert "'guides' is in shards, which 'context index' does not take" in told("index", "guides", cwd=project, code=1)
    same = answer("diff", "guides", "guides", cwd=project)
    assert (same["before"], same["documents"]["changed"]) == (same["after"], [])
    cache = project / ".context" / "caches" / "guides"
    (cache / "mine.txt").write_text("mine", encoding="utf-8")
    (project / "docs" / "guide" / "p01.md").write_text("# Other\n", encoding="utf-8")
    assert "holds 'mine.txt', which is no part of a cache" in told("sync", cwd=project, code=6)
    assert (cache / "mine.txt").read_text(encoding="utf-8") == "mine"


def test_fewer_pages_than_shards_and_pages_that_cannot_be_read_leave_no_empty_part(project: Path) -> None:
    for name in PAGES:
        (project / "docs" / name).write_bytes(b"# a\n" if name.endswith(("0.md", "7.md")) else b"\xe9\xff bad")
    built = answer("sync", cwd=project)["caches"][0]
    assert built["documents"] == 3
    cache = project / ".context" / "caches" / "guides"
    assert (verify_cache(cache).problems, inodes(cache) != {}) == ([], True)
    for name in PAGES:
        (project / "docs" / name).write_bytes(b"\xe9\xff bad")
    assert "there is no document" in told("sync", cwd=project, code=5)
    assert verify_cache(cache).document_count == 3


@pytest.mark.rough
def test_killed_at_any_step_a_sync_leaves_the_old_cache_or_the_new_and_no_debris(project: Path) -> None:
    answer("sync", cwd=project)
    cache = project / ".context" / "caches" / "guides"

    def edit(step: int) -> None:
        (project / "docs" / "guide" / "p03.md").write_text(f"# Step {step}\n\nsee [it](p09.md)\n", encoding="utf-8")

    kill_syncs(project, cache, edit, 9)
    answer("sync", cwd=project)
    assert answer("sync", "--check", cwd=project)["in_step"] is True
    assert sorted(os.listdir(cache.parent)) == [".gitignore", "guides"]
    assert sorted(os.listdir(cache)) == ["part-00", "part-01", "part-02", "shards.json"]
