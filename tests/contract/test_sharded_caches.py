"""A cache in shards is asked as one cache; parts that are not here are told, never passed over."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.caches.on_disk.cache_listing import inspect_cache
from support.doors import Library, StdioServer, run_context
from support.sharded import build_both

if TYPE_CHECKING:
    from pathlib import Path

    from support.doors import Door

QUESTION = "how do I roll back the zebra deploy"
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("context.search", {"query": QUESTION}),
    ("context.search", {"query": QUESTION, "cache": "docs", "format": "json", "explain": True, "budget": 700}),
    ("context.search", {"query": "rol bakc the zebar", "under": "guide", "limit": 3}),
    ("context.read", {"id": "guide/p07.md"}),
    ("context.resolve", {"cache": "docs", "query": QUESTION, "budget": 120}),
    ("context.list_caches", {}),
]


@pytest.fixture
def one(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root of the one cache; below `tmp_path` the same is in three parts."""
    home = tmp_path_factory.mktemp("one")
    (tmp_path / "kept").mkdir()  # what is taken out of the cache
    (home / "root" / "kept").mkdir(parents=True)
    build_both(home / "sources", home / "root" / "docs", tmp_path / "docs")
    return home / "root"


def test_every_answer_is_that_of_one_cache(one: Path, door: Door) -> None:
    for tool, arguments in CALLS:
        expected = Library(one).call(tool, arguments)
        found = door.call(tool, arguments)
        assert (found.text.rstrip("\n"), found.is_error) == (expected.text.rstrip("\n"), expected.is_error)
    asked = json.loads(door.call("context.inspect_cache", {"cache": "docs"}).text)
    assert (asked["valid"], asked["document_count"]) == (True, 12)
    assert asked["cache_version"] == inspect_cache(one / "docs").cache_version


def test_a_part_that_is_not_here_is_told_in_the_answer_and_asked_again_once_it_is(one: Path, tmp_path: Path) -> None:
    whole = Library(one).call("context.search", {"query": QUESTION}).text
    with StdioServer(tmp_path) as server:
        assert server.call("context.search", {"query": QUESTION}).text.rstrip("\n") == whole.rstrip("\n")
        (tmp_path / "docs" / "part-01").rename(tmp_path / "kept" / "away")
        text = server.call("context.search", {"query": QUESTION}).text
        assert "\nLeft out: docs/part-01 (not here).\n" in text
        assert "guide/p00.md" in text
        value = json.loads(server.call("context.search", {"query": QUESTION, "format": "json"}).text)
        assert value["selection"]["left_out"] == [{"name": "docs/part-01", "why": "not here"}]
        for tool, arguments in (
            ("context.resolve", {"cache": "docs", "query": QUESTION, "budget": 100}),
            ("context.read", {"id": "guide/p05.md"}),
        ):
            refused = server.call(tool, arguments)
            assert refused.is_error
            assert "cache_missing" in refused.text
        assert not server.call("context.read", {"id": "guide/p00.md"}).is_error
        assert json.loads(server.call("context.inspect_cache", {"cache": "docs"}).text)["valid"] is False
        (tmp_path / "kept" / "away").rename(tmp_path / "docs" / "part-01")
        assert server.call("context.search", {"query": QUESTION}).text.rstrip("\n") == whole.rstrip("\n")


def test_a_receipt_of_some_parts_says_so_and_comes_back_from_the_same_parts(one: Path, tmp_path: Path) -> None:
    def command(*words: str) -> tuple[int, str]:
        done = run_context(*words, cwd=tmp_path, env={"CONTEXT_CACHE_ROOT": str(tmp_path)})
        return done.returncode, (done.stdout + done.stderr).decode()

    assert command("search", QUESTION, "--receipt", "whole.json")[0] == 0
    shutil.move(tmp_path / "docs" / "part-02", tmp_path / "kept" / "away")
    assert command("search", QUESTION, "--receipt", "some.json")[0] == 0
    assert json.loads((tmp_path / "some.json").read_bytes())["record"]["left_out"][0]["name"] == "docs/part-02"
    assert command("replay", "some.json")[0] == 0
    assert command("replay", "whole.json")[0] == 9
    shutil.move(tmp_path / "kept" / "away", tmp_path / "docs" / "part-02")
    assert command("replay", "whole.json")[0] == 0
    assert command("replay", "some.json")[0] == 9
    (tmp_path / "answer.txt").write_text("see guide/p07.md#L1-L1@000000000000", encoding="utf-8")
    code, told = command("cite", "verify", "answer.txt")
    assert (code, "changed" in told) == (9, True)
    assert Library(one).call("context.list_caches", {}).text == Library(tmp_path).call("context.list_caches", {}).text


def test_beside_other_caches_its_citations_have_its_name_alone(one: Path, tmp_path: Path) -> None:
    shutil.copytree(one / "docs", tmp_path / "again")
    shutil.copytree(one / "docs", one / "again")
    expected = Library(one).call("context.search", {"query": QUESTION}).text
    assert Library(tmp_path).call("context.search", {"query": QUESTION}).text == expected
    shutil.rmtree(tmp_path / "docs" / "part-00")
    told = Library(tmp_path).call("context.search", {"query": QUESTION}).text
    assert "Left out: docs/part-00 (not here)." in told
    assert "again:guide/" in told


def test_where_the_index_of_a_part_is_damaged_the_documents_give_the_same_answer(one: Path, tmp_path: Path) -> None:
    sections = tmp_path / "docs" / "part-01" / "index" / "sections.idx"
    sections.write_bytes(sections.read_bytes()[:-40])
    for tool, arguments in CALLS:
        assert Library(tmp_path).call(tool, arguments).text == Library(one).call(tool, arguments).text
    words = tmp_path / "docs" / "part-02" / "index" / "words.idx"
    words.write_bytes(b"")
    for tool, arguments in CALLS:
        assert Library(tmp_path).call(tool, arguments).text == Library(one).call(tool, arguments).text


@pytest.mark.usefixtures("one")
def test_a_damaged_document_an_altered_list_and_a_part_of_another_cache_are_refused(tmp_path: Path) -> None:
    cache = tmp_path / "docs"

    def refused(said: str, tool: str = "context.search") -> None:
        words = ["search", QUESTION] if tool == "context.search" else ["inspect", "docs"]
        done = run_context(*words, cwd=tmp_path, env={"CONTEXT_CACHE_ROOT": str(tmp_path)})
        assert (done.returncode, said in done.stderr.decode()) == (5, True), done.stderr.decode()

    kept = (cache / "shards.json").read_bytes()
    for changed, said in (
        (kept.replace(b'"document_count": 12', b'"document_count": 13'), "is not as a build writes it"),
        (kept.replace(b'"shards_version": "1"', b'"shards_version": "2"'), "is of version '2'"),
        (b"{", "is not JSON"),
        (b"[]", "is not an object"),
        (kept.replace(b"part-00", b"../part"), "is not as a build writes it"),
    ):
        (cache / "shards.json").write_bytes(changed)
        refused(said)
    (cache / "shards.json").write_bytes(kept)
    (cache / "part-00").rename(tmp_path / "kept" / "away")
    shutil.copytree(cache / "part-01", cache / "part-00")
    refused("'part-00' is of another version")
    shutil.rmtree(cache / "part-00")
    (tmp_path / "kept" / "away").rename(cache / "part-00")
    for file in (cache / "part-00" / "documents").iterdir():
        file.write_bytes(file.read_bytes().replace(b"deploy", b"deploi"))
    refused("its content was altered")


@pytest.mark.usefixtures("one")
def test_verify_names_the_part_and_knows_links_between_parts(tmp_path: Path) -> None:
    cache = tmp_path / "docs"

    def verified(code: int) -> list[dict[str, str]]:
        done = run_context("verify", "docs", cwd=tmp_path, env={"CONTEXT_CACHE_ROOT": str(tmp_path)})
        assert done.returncode == code, done.stderr.decode()
        found: list[dict[str, str]] = json.loads(done.stdout)["problems"]
        return found

    assert verified(0) == []
    (cache / "stray").write_bytes(b"")
    assert verified(5) == [{"file": "stray", "problem": "does not belong to the cache"}]
    (cache / "stray").unlink()
    sections = cache / "part-01" / "index" / "sections.idx"
    sections.write_bytes(sections.read_bytes()[:-1] + b"\xff")
    assert [each["file"] for each in verified(5)] == ["part-01/index/sections.idx"]
    shutil.rmtree(cache / "part-01")
    assert verified(5) == [{"file": "part-01", "problem": "is not here"}]
    alone = run_context("verify", "docs/part-00", cwd=tmp_path, env={"CONTEXT_CACHE_ROOT": str(tmp_path)})
    assert (alone.returncode, b"is a part of 'docs': verify that" in alone.stderr) == (1, True)
