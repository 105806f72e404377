"""`context build --index`: a cache that another builder wrote gets the index that ours would have."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from holdfast import build_cache, verify_cache
from support.doors import run_context


def files(cache: Path) -> dict[str, bytes]:
    return {str(path.relative_to(cache)): path.read_bytes() for path in cache.rglob("*") if path.is_file()}


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache of some pages, two of them equal."""
    sources = tmp_path / "sources"
    sources.mkdir()
    for number in range(6):
        (sources / f"{number}.md").write_text(f"# Page {number % 5}\n\nWords of {number % 5}.\n", encoding="utf-8")
    build_cache(sources, tmp_path / "cache")
    return tmp_path / "cache"


def test_an_index_that_is_not_there_or_damaged_comes_again_byte_for_byte(cache: Path) -> None:
    whole = files(cache)
    shutil.rmtree(cache / "index")
    for damage in (b"", b"broken"):
        if damage:
            (cache / "index" / "segments.idx").write_bytes(damage)
        done = run_context("build", "--index", "cache", cwd=cache.parent)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["document_count"] == 6
        assert files(cache) == whole
    assert sorted(os.listdir(cache.parent)) == ["cache", "sources"]


def test_other_names_of_files_and_spellings_of_the_manifest_stay(cache: Path) -> None:
    shutil.rmtree(cache / "index")
    manifest = json.loads((cache / "manifest.json").read_bytes())
    for number, document in enumerate(manifest["documents"]):
        os.rename(cache / document["file"], cache / f"documents/{number}.json")
        document["file"] = f"documents/{number}.json"
    listing = {document["id"]: document["file"] for document in manifest["documents"]}
    (cache / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    (cache / "index.json").write_text(json.dumps(listing), encoding="utf-8")
    before = files(cache)
    assert run_context("build", "--index", "cache", cwd=cache.parent).stderr == b""
    assert {name: data for name, data in files(cache).items() if not name.startswith("index/")} == before
    assert {problem.problem for problem in verify_cache(cache).problems} == {"is not in canonical form"}
    assert b"page 3" in run_context("search", "page 3", "--cache", "cache", cwd=cache.parent).stdout.lower()


def test_a_cache_that_does_not_hold_together_gets_none(cache: Path) -> None:
    shutil.rmtree(cache / "index")
    document = next((cache / "documents").iterdir())
    document.write_bytes(document.read_bytes().replace(b"Words", b"Sword"))
    done = run_context("build", "--index", "cache", cwd=cache.parent)
    assert (done.returncode, (cache / "index").exists()) == (5, False)
    assert sorted(os.listdir(cache.parent)) == ["cache", "sources"]
