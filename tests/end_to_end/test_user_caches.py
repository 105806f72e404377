"""A cache that a user declares once answers in every project that names it; no file of a project says where it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.doors import StdioServer, run_context

NAMED = '[project]\nuser = ["wiki"]\n'


def run(folder: Path, *words: str, code: int = 0) -> str:
    done = run_context(*words, cwd=folder)
    assert done.returncode == code, (words, done.stderr)
    return (done.stdout if not code else done.stdout + done.stderr).decode()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's machine: a wiki outside of projects, and two projects that name it."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "wiki").mkdir()
    (tmp_path / "wiki" / "a.md").write_text("# Coffee\n\nThe kettle boils.\n", encoding="utf-8")
    (tmp_path / "secret.md").write_text("# Secret\n\nThe kettle of keys.\n", encoding="utf-8")
    (tmp_path / "wiki" / "link.md").symlink_to("../secret.md")
    for name in ("one", "two"):
        (tmp_path / name / "docs").mkdir(parents=True)
        (tmp_path / name / ".git").mkdir()
        (tmp_path / name / "docs" / "b.md").write_text(f"# Project {name}\n\nIt brews.\n", encoding="utf-8")
        (tmp_path / name / "context.toml").write_text(f'[caches.docs]\nsources = ["docs"]\n\n{NAMED}', encoding="utf-8")
    return tmp_path


def test_every_project_that_names_it_is_answered_from_the_folder_as_it_is(place: Path) -> None:
    before = sorted(place.joinpath("wiki").iterdir())
    told = json.loads(run(place / "one", "add", "--user", "wiki", "../wiki"))
    assert (told["cache"]["documents"], '[project] user = ["wiki"]' in told["next"]) == (1, True)
    for name in ("one", "two"):
        run(place / name, "sync")
        assert json.loads((place / name / "context.lock").read_bytes())["caches"].keys() == {"docs", "wiki"}
        assert json.loads(run(place / name, "sync", "--check"))["in_step"]
        assert "wiki:a.md#L" in run(place / name, "search", "kettle")
        assert not (place / name / ".context" / "caches" / "wiki").exists()
    with StdioServer(place / "two", "--receipts", "kept", cache_root=None) as server:
        for cache in ({}, {"cache": "wiki"}):
            server.call("context.search", {"query": "kettle", **cache})
    for receipt in (place / "two" / "kept").glob("*.json"):
        assert json.loads(run(place / "two", "replay", str(receipt)))["same"]
    assert json.loads(run(place / "two", "replay", "--receipts", "kept"))["same"] == 2
    (place / "wiki" / "a.md").write_text("# Coffee\n\nThe walrus boils.\n", encoding="utf-8")
    assert "sources: 1 changed" in run(place / "two", "search", "walrus", "--frozen", code=8)
    with StdioServer(place / "two", cache_root=None) as server:
        assert "a.md#L" in server.call("context.search", {"query": "walrus", "cache": "wiki"}).text
        assert "a.md#L" in server.call("context.search", {"query": "walrus"}).text
    assert "a.md#L" in run(place / "one", "search", "walrus")
    assert "lock: other sources" in run(place / "one", "sync", "--check", code=8)
    assert sorted(place.joinpath("wiki").iterdir()) == before
    run(place / "one", "sync")
    run(place / "one", "bundle", "../carry.tar")
    (place / "far").mkdir()
    run(place / "far", "unbundle", "../carry.tar")
    (place / "config" / "holdfast" / "context.toml").unlink()
    assert "a.md#L" in run(place / "far", "search", "walrus", "--cache", "wiki")


def test_where_the_user_declared_none_the_failure_says_what_does(place: Path) -> None:
    for words in (("search", "kettle", "--cache", "wiki"), ("sync",)):
        assert "'context add --user wiki PATH' declares it" in run(place / "one", *words, code=4)
    asked = run(place / "one", "search", "brews")
    assert ("b.md#L" in asked, "wiki (not built)" in asked) == (True, True)


def test_no_file_of_a_project_can_name_a_place_outside_of_it(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = f'[caches.wiki]\nroot = "{place / "wiki"}"\n'
    (place / "one" / "context.toml").write_text(hostile, encoding="utf-8")
    assert "there is no key 'caches.wiki.root'" in run(place / "one", "sync", code=5)
    config = place / "two" / "config"
    (config / "holdfast").mkdir(parents=True)
    (config / "holdfast" / "context.toml").write_text(hostile, encoding="utf-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(config))
    assert "which is not declared on this machine" in run(place / "two", "sync", code=4)
    assert "outside of the project" in run(place / "two", "add", "--user", "more", "../wiki", code=1)


def test_what_leads_out_of_the_folder_is_not_read_and_a_second_declaration_is_refused(place: Path) -> None:
    run(place / "one", "add", "--user", "wiki", "../wiki")
    run(place / "one", "sync")
    assert "Secret" not in run(place / "one", "search", "kettle of keys")
    assert "is declared already" in run(place / "one", "add", "--user", "wiki", "../wiki", code=1)
    assert "there is no folder" in run(place / "one", "add", "--user", "other", "../none", code=1)
    assert "one folder" in run(place / "one", "add", "--user", "other", "../wiki", "docs", code=1)
