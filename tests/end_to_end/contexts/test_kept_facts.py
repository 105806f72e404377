"""Facts that an earlier process found: the same answers, and nothing of a file that was changed since."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.doors import run_context

STORE = "class Store:\n    def get(self): ...\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    (root / "store.py").write_text(STORE)
    (root / "front.py").write_text("from store import Store\n\n\ndef show():\n    return Store().get()\n")
    for file in root.iterdir():  # long ago, so that their stamps are settled
        os.utime(file, (1, 1))
    return root


def shown(root: Path, cache: Path | None) -> bytes:
    environment = {**os.environ, "XDG_CACHE_HOME": "" if cache is None else str(cache), "HOME": ""}
    done = run_context("map", cwd=root, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def kept(cache: Path) -> list[Path]:
    return sorted((cache / "holdfast" / "facts").iterdir())


def test_a_second_process_answers_alike_and_writes_nothing(shop: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first = shown(shop, None)
    assert shown(shop, cache) == first
    before = [(file.name, file.stat().st_mtime_ns, file.read_bytes()) for file in kept(cache)]
    assert before
    assert shown(shop, cache) == first
    assert [(file.name, file.stat().st_mtime_ns, file.read_bytes()) for file in kept(cache)] == before


def test_a_file_that_was_changed_is_read_again_whatever_its_stamps_say_of_its_size(shop: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    shown(shop, cache)
    (shop / "store.py").write_text(STORE.replace("Store", "Shelf"))
    os.utime(shop / "store.py", (1, 1))

    assert b"store.py:1 Shelf" in shown(shop, cache)
    (shop / "store.py").write_text(STORE)
    assert b"store.py:1 Store" in shown(shop, cache)


@pytest.mark.parametrize("damage", [b"", b"holdfast facts 1", b"\xff" * 500])
def test_damage_costs_time_and_changes_no_answer(shop: Path, tmp_path: Path, damage: bytes) -> None:
    cache = tmp_path / "cache"
    first = shown(shop, cache)
    for file in kept(cache):
        whole = file.read_bytes()
        for text in (damage, whole[: len(whole) // 2], whole[:-40] + damage):
            file.write_bytes(text)
            assert shown(shop, cache) == first
