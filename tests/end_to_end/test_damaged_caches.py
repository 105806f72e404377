"""A cache one of whose files was altered or lost is reported by the gates, mended by a sync and never pushed."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.doors import run_context

FIXED = {"SOURCE_DATE_EPOCH": "1767323045"}


def answer(*words: str, cwd: Path, code: int = 0) -> Any:
    done = run_context(*words, cwd=cwd, env=FIXED)
    assert done.returncode == code, done.stderr.decode()
    return json.loads(done.stdout)


def every_file(cache: Path) -> dict[str, bytes]:
    return {str(path.relative_to(cache)): path.read_bytes() for path in sorted(cache.rglob("*")) if path.is_file()}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / "docs").mkdir()
    for number in range(3):
        (project / "docs" / f"page-{number}.md").write_text(f"# Page {number}\n\nDeploy it {number} times.\n")
    (project / "context.toml").write_text('[caches.docs]\nsources = ["docs"]\n')
    answer("sync", cwd=project)
    return project


def alter(file: Path) -> None:
    """One byte becomes another, and the time of the file stays."""
    status, data = file.stat(), bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def link_elsewhere(file: Path) -> None:
    file.rename(file.parents[3] / "moved")
    file.symlink_to(file.parents[3] / "moved")


@pytest.mark.parametrize(
    ("pattern", "damage"),
    [
        ("documents/*", alter),
        ("documents/*", Path.unlink),
        ("documents/*", link_elsewhere),
        ("index/segments.idx", alter),
        ("index/*.seg", alter),
        ("index.json", alter),
        ("manifest.json", alter),
        ("manifest.json", Path.unlink),
        ("index", shutil.rmtree),
    ],
)
@pytest.mark.parametrize("is_remembered", [True, False])
def test_damage_is_reported_by_the_gates_and_mended_by_a_sync(
    project: Path, user_cache: Path, pattern: str, damage: Callable[[Path], None], is_remembered: bool
) -> None:
    cache = project / ".context" / "caches" / "docs"
    whole = every_file(cache)
    file = min(cache.glob(pattern))
    damage(file)
    if not is_remembered:
        shutil.rmtree(user_cache / "holdfast")
    (behind,) = answer("sync", "--check", cwd=project, code=8)["caches"]
    assert [reason.partition(": ")[2].partition(":")[0] for reason in behind["reasons"]] == ["damaged"]
    checks = answer("doctor", cwd=project, code=8)["checks"]
    assert [each["run"] for each in checks if (each["area"], each["check"]) == ("caches", "docs")] == ["context sync"]
    if not is_remembered and (pattern, damage) in (("manifest.json", Path.unlink), ("documents/*", link_elsewhere)):
        # Nothing says that everything there was built: as any other folder it is not replaced.
        refused = run_context("sync", cwd=project)
        assert (refused.returncode, b"left alone" in refused.stderr) == (6, True)
        return
    assert answer("sync", cwd=project)["caches"][0]["state"] == "built"
    assert every_file(cache) == whole
    assert answer("sync", "--check", cwd=project)["in_step"] is True
    assert answer("sync", cwd=project)["caches"][0]["state"] == "unchanged"


def test_a_file_whose_stamps_alone_changed_is_no_damage(project: Path) -> None:
    document = min((project / ".context" / "caches" / "docs" / "documents").iterdir())
    document.touch()
    assert answer("sync", "--check", cwd=project)["in_step"] is True
    assert answer("sync", cwd=project)["caches"][0]["state"] == "unchanged"


def test_inspect_takes_a_cache_with_a_lost_document_for_invalid_and_leaves_what_documents_hold_to_verify(
    project: Path,
) -> None:
    document = min((project / ".context" / "caches" / "docs" / "documents").iterdir())
    good = answer("inspect", "docs", cwd=project)
    assert good["valid"] is True
    alter(document)
    assert answer("inspect", "docs", cwd=project) == good
    assert answer("verify", "docs", cwd=project, code=5)["valid"] is False
    document.unlink()
    assert answer("inspect", "docs", cwd=project, code=5) == {**good, "valid": False}
