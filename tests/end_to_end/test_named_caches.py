"""Caches are found and named as `context list` prints them, from any folder of the project, by both doors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.doors import StdioServer, run_context


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two caches in the default place, one built with the project itself as its sources."""
    project = tmp_path_factory.mktemp("project")
    (project / "docs").mkdir()
    (project / "docs" / "cors.md").write_text("# CORS\n\nHow to allow origins.\n", encoding="utf-8")
    for sources, name in (("docs", "fastapi"), (".", "everything")):
        words = ["build", "--sources", sources, "--cache", f".context/caches/{name}"]
        done = run_context(*words, cwd=project)
        assert done.returncode == 0, done.stderr
    (project / ".context" / "notes.md").write_text("not a source", encoding="utf-8")
    return project


def test_sources_of_a_dot_leave_out_what_the_project_keeps_of_its_own(project: Path) -> None:
    words = ["build", "--sources", ".", "--cache", ".context/caches/everything", "--force"]
    assert json.loads(run_context(*words, cwd=project).stdout)["document_count"] == 1
    done = run_context("build", "--sources", ".", "--cache", "docs/cache", cwd=project)
    assert (done.returncode, b"lies inside --sources" in done.stderr) == (1, True)


@pytest.mark.parametrize(
    "words",
    [
        ["inspect", "fastapi"],
        ["verify", "fastapi"],
        ["inspect", "--cache", "fastapi"],
        ["search", "allow origins", "--cache", "fastapi"],
        ["resolve", "allow origins", "--cache", "fastapi", "--budget", "100"],
        ["read", "--id", "cors.md", "--cache", "fastapi"],
        ["diff", "fastapi", "everything"],
    ],
    ids=" ".join,
)
def test_every_command_takes_a_name_from_any_folder(words: list[str], project: Path) -> None:
    done = run_context(*words, cwd=project / "docs")
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_path_where_a_cache_stands_is_meant_before_a_name(project: Path, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    run_context("build", "--sources", "docs", "--cache", "fastapi", cwd=tmp_path)
    run_context("build", "--sources", str(project / "docs"), "--cache", ".context/caches/fastapi", cwd=tmp_path)
    assert json.loads(run_context("inspect", "fastapi", cwd=tmp_path).stdout)["document_count"] == 0


def test_an_unknown_name_gets_the_nearest_one_and_the_frozen_tools_say_what_they_always_did(project: Path) -> None:
    done = run_context("inspect", "FastApi", cwd=project)
    assert done.returncode == 4
    assert done.stderr.decode().endswith("did you mean 'fastapi'?\n")
    server = StdioServer(project, cache_root=".context/caches")
    answers = [
        json.loads(server.call(tool, {"cache": "fastap", "query": "x", "budget": 9}).text)
        for tool in ("context.search", "context.resolve")
    ]
    read = json.loads(server.call("context.read", {"cache": "fastap", "id": "x"}).text)
    far = json.loads(server.call("context.search", {"cache": "zzz", "query": "x"}).text)
    server.close()
    hinted = {"error": {"code": "cache_missing", "message": "Cache does not exist: did you mean 'fastapi'?"}}
    plain = {"error": {"code": "cache_missing", "message": "Cache does not exist"}}
    listed = {"error": {"code": "cache_missing", "message": "Cache does not exist: caches here: everything, fastapi"}}
    assert [*answers, read, far] == [hinted, plain, hinted, listed]
