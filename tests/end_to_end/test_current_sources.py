"""Search and read answer from the sources as they are at the call, at every door; no file that git tracks changes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.caches.build import refresh, sync
from holdfast.catalog import find_tool
from holdfast.mcp.roots import Roots
from holdfast.mcp.server import Call, Server
from holdfast.operation import answer
from holdfast.workspace import Workspace
from support.doors import StdioServer, run_context
from support.http_server import HttpServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Ask = Callable[[str], str]

MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
PAGE = "# Page {0}\n\nThe kettle number {0} boils water.\n"


class ProjectServer(HttpServer):
    """The HTTP door as `context serve --http` opens it in a project."""

    def new_server(self, workspace: Workspace) -> Server:
        cache = os.environ["XDG_CACHE_HOME"]
        return Server(Workspace(workspace.project, door="tool", user_cache=cache, patience=20.0))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with twenty pages that declares and has built them."""
    project = tmp_path / "project"
    (project / "docs").mkdir(parents=True)
    (project / ".git").mkdir()
    for number in range(20):
        (project / "docs" / f"{number}.md").write_text(PAGE.format(number), encoding="utf-8")
    assert run_context("add", "docs", "docs", cwd=project).returncode == 0
    return project


@pytest.fixture(params=["command", "stdio", "http"])
def ask(request: pytest.FixtureRequest, project: Path) -> Iterator[Ask]:
    """What a door answers to a query, of the server that runs since the test began."""
    if request.param == "command":
        yield lambda query: (done := run_context("search", query, cwd=project)).stdout.decode() or done.stderr.decode()
    elif request.param == "stdio":
        with StdioServer(project, cache_root=None) as server:
            yield lambda query: server.call("context.search", {"query": query}).text
    else:
        with ProjectServer(project) as server:
            yield lambda query: server.call("context.search", {"query": query}).text


def tracked(project: Path) -> dict[str, bytes]:
    """Every file of a project that git would track."""
    files = [path for path in project.rglob("*") if path.is_file() and ".context" not in path.parts]
    return {str(path.relative_to(project)): path.read_bytes() for path in files}


def edits(project: Path) -> Iterator[tuple[str, str]]:
    """Edits that a stamp alone would miss: after each, the word to look for and the page that has it."""
    page, other = project / "docs" / "3.md", project / "docs" / "4.md"
    old = page.stat()
    page.write_text(PAGE.format(3).replace("kettle", "walrus"), encoding="utf-8")
    os.utime(page, ns=(old.st_atime_ns, old.st_mtime_ns))  # the same size, and the mtime of before
    yield "walrus", "3.md"
    aside = project / "aside"
    aside.write_text(PAGE.format(3).replace("kettle", "iguana"), encoding="utf-8")
    os.utime(aside, ns=(old.st_atime_ns, old.st_mtime_ns))
    aside.replace(page)
    yield "iguana", "3.md"
    other.unlink()
    (project / "docs" / "hidden").mkdir()
    (project / "docs" / "hidden" / "a.md").write_text("# A\n\nThe first osprey.\n", encoding="utf-8")
    (project / "docs" / "hidden" / "b.md").write_text("# B\n\nThe first badger.\n", encoding="utf-8")
    link = project / "docs" / "link.md"
    link.symlink_to("hidden/a.md")
    yield "osprey", "link.md"
    link.unlink()
    link.symlink_to("hidden/b.md")
    yield "badger", "link.md"
    (project / "docs" / ".contextignore").write_text("hidden/\nlink.md\n", encoding="utf-8")
    with (project / "docs" / "5.md").open("r+", encoding="utf-8") as file:
        file.write("# Page 5\n\nThe meerka")
    yield "meerka", "5.md"
    (project / "docs" / "new.md").write_text("A fresh pangolin.\n", encoding="utf-8")
    yield "pangolin", "new.md"
    for title in ("Narwhal", "Ocelots"):  # the page stays as it is, its title comes from another file
        (project / "mkdocs.yml").write_text(f"site_name: x\nnav:\n  - {title}: new.md\n", encoding="utf-8")
        yield title, "new.md"


def test_every_edit_is_in_the_next_answer_and_no_tracked_file_is_written(ask: Ask, project: Path) -> None:
    assert "3.md#L" in ask("kettle number 3")
    for word, page in edits(project):
        before = tracked(project)
        assert f"{page}#L" in ask(word)
        assert tracked(project) == before
    for gone in ("osprey", "narwhal"):
        assert ask(gone).startswith("Nothing here matches.")


def test_a_fresh_clone_answers_the_first_query(ask: Ask, project: Path) -> None:
    shutil.rmtree(project / ".context")
    assert "7.md#L" in ask("kettle number 7")
    assert (project / ".context" / "caches" / ".gitignore").read_bytes() == b"*\n"
    next((project / ".context" / "caches" / "docs" / "documents").iterdir()).write_text("{}", encoding="utf-8")
    for number in range(20):
        assert f"{number}.md#L" in ask(f"kettle number {number}")


def test_git_sees_nothing_of_what_lies_below_context(project: Path) -> None:
    with StdioServer(project, "--receipts", ".context/receipts", cache_root=None) as server:
        assert "7.md#L" in server.call("context.search", {"query": "kettle number 7"}).text
    assert len(list((project / ".context" / "receipts").glob("*.json"))) == 1
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    shown = subprocess.run(["git", "status", "--short", "-uall"], cwd=project, capture_output=True, check=True).stdout
    assert (b"context.toml" in shown, b".context/" in shown) == (True, False)


def test_where_declared_sources_cannot_be_told_no_old_text_is_given(ask: Ask, project: Path) -> None:
    assert "3.md#L" in ask("kettle number 3")
    declared = (project / "context.toml").read_bytes()
    (project / "context.toml").write_bytes(declared + b"\n<<<<<<< HEAD\n")
    assert "#L" not in ask("kettle number 3")
    (project / "context.toml").write_bytes(declared)
    (project / "docs").rename(project / "renamed")
    assert "#L" not in ask("kettle number 3")
    (project / "renamed").rename(project / "docs")
    assert "3.md#L" in ask("kettle number 3")


def test_a_cache_that_cannot_be_built_here_is_missed_with_what_to_do(project: Path) -> None:
    declared = (
        '[caches.pulled]\nsources = { oci = "localhost:1/a/b:1" }\n[caches.gone]\nsources = ["nowhere"]\n'
        '[caches.package]\npackages = ["nosuch"]\n[project]\nuser = ["wiki"]\n'
    )
    (project / "context.toml").write_text(declared, encoding="utf-8")
    step = {
        "pulled": "Cache does not exist: 'context sync pulled' pulls it",
        "gone": "context.toml cannot be used: caches.gone.sources: there is no 'nowhere' in the project",
        "package": "install it in one, or name one as `python`",
        "wiki": "Cache does not exist: 'context add --user wiki PATH' declares it",
    }
    with StdioServer(project, cache_root=None) as server:
        for name, says in step.items():
            text = server.call("context.search", {"query": "kettle", "cache": name}).text
            assert says in json.loads(text)["error"]["message"]


def test_a_frozen_answer_is_that_of_the_lock_or_says_that_the_sources_changed(project: Path) -> None:
    asked = run_context("search", "kettle number 3", "--frozen", cwd=project)
    assert (asked.returncode, asked.stdout) == (0, run_context("search", "kettle number 3", cwd=project).stdout)
    (project / "docs" / "3.md").write_text("# Other\n", encoding="utf-8")
    stale = run_context("search", "kettle number 3", "--frozen", cwd=project)
    assert (stale.returncode, stale.stdout) == (8, b"")
    assert stale.stderr == (
        b"error: Cache is behind its sources: run 'context sync', or ask without --frozen\n"
        b"reason: cache 'docs': sources: 1 changed\n"
    )
    with (project / "context.toml").open("a", encoding="utf-8") as file:
        file.write("\n[project]\nfrozen = true\n")
    with StdioServer(project, cache_root=None) as server:
        told = json.loads(server.call("context.read", {"id": "3.md"}).text)
    message = "Cache is behind its sources: run 'context sync', or ask without --frozen"
    assert told == {"error": {"code": "cache_stale", "message": message}}


def test_a_frozen_project_says_at_every_door_that_its_sources_changed(ask: Ask, project: Path) -> None:
    declared = (project / "context.toml").read_bytes()
    (project / "context.toml").write_bytes(declared + b"\n[project]\nfrozen = true\n")
    assert "3.md#L" in ask("kettle number 3")
    before = (project / "docs" / "3.md").read_bytes()
    (project / "docs" / "3.md").write_text("# Other\n", encoding="utf-8")
    assert "Cache is behind its sources: run 'context sync'" in ask("kettle number 3")
    (project / "docs" / "3.md").write_bytes(before)
    assert "3.md#L" in ask("kettle number 3")
    shutil.rmtree(project / ".context")
    assert "Cache is behind its sources: run 'context sync'" in ask("kettle number 3")


def test_a_cache_of_another_release_and_one_whose_folder_is_damaged_are_built_again(ask: Ask, project: Path) -> None:
    cache = project / ".context" / "caches" / "docs"
    for file, change in (("index/segments.idx", b"holdfast of long ago"), ("manifest.json", b"{"), ("index.json", b"")):
        assert "7.md#L" in ask("kettle number 7")
        (cache / file).write_bytes(change)
    shutil.rmtree(cache / "index")
    assert "7.md#L" in ask("kettle number 7")
    assert (cache / "index" / "segments.idx").is_file()


def test_where_nothing_may_be_written_a_cache_that_is_not_built_is_missed_with_what_to_do(project: Path) -> None:
    shutil.rmtree(project / ".context")
    workspace = Workspace(str(project), door="tool", confine=True)
    error = json.loads(answer(find_tool("context.search"), {"query": "kettle"}, workspace).text)["error"]
    assert error["code"] == "cache_missing"
    assert error["message"].startswith("Cache does not exist: 'context sync docs' builds it")
    assert not (project / ".context").exists()


def test_an_ignore_file_in_a_folder_that_is_not_listed_is_compared(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refresh, "time_ns", lambda: time.time_ns() + 60_000_000_000)  # every file is old
    (project / "docs" / ".parts").mkdir()
    (project / "docs" / ".parts" / "c.md").write_text("# C\n\nThe first lemur.\n", encoding="utf-8")
    (project / "docs" / "part.md").symlink_to(".parts/c.md")
    workspace = Workspace(str(project), door="tool", user_cache=str(project.parent / "user"))
    for ignored, is_there in (("", True), ("c.md\n", False), ("", True)):
        (project / "docs" / ".parts" / ".contextignore").write_text(ignored, encoding="utf-8")
        reply = answer(find_tool("context.search"), {"query": "lemur"}, workspace)
        assert ("part.md#L" in reply.text) == is_there


def test_what_went_while_a_cache_was_built_is_looked_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page, included = tmp_path / "page.md", tmp_path / "parts" / "included.py"
    included.parent.mkdir()
    for file in (page, included, tmp_path / "manifest.json"):
        file.touch()
    later, looked = time.time_ns() + 60_000_000_000, list[bool]()
    monkeypatch.setattr(refresh, "time_ns", lambda: later)  # every file is older than the clock's grain

    def sync_once(_: object) -> list[str]:
        looked.append(included.exists())
        if included.exists():
            included.unlink()
            os.utime(included.parent, ns=(later, later))
        else:
            os.utime(included.parent, ns=(0, 0))
        return [str(page), str(included)]

    refreshes = refresh.Refreshes()
    for _ in range(4):
        refreshes.bring_up(str(tmp_path), sync_once, None)
    assert looked == [True, False]


def test_what_a_link_misses_is_waited_for_where_it_leads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    later, looked = time.time_ns() + 60_000_000_000, list[int]()
    monkeypatch.setattr(refresh, "time_ns", lambda: later)  # every file is older than the clock's grain
    for name in ("cache", "docs", "parts"):
        (tmp_path / name).mkdir()
    (tmp_path / "cache" / "manifest.json").touch()
    asked = [tmp_path / "docs" / "page.md", tmp_path / "docs" / "loop.md", tmp_path / "docs" / "folder" / "b" / "c.md"]
    for link, target in zip((*asked[:2], tmp_path / "docs" / "folder"), ("page.md", "loop.md", "new"), strict=True):
        link.symlink_to(f"../parts/{target}" if link.name != "loop.md" else target)

    def sync_once(_: object) -> list[str]:
        looked.append(sum(path.exists() for path in asked))
        return [*map(str, asked), f"{tmp_path}{'/deep' * 700}"]

    def page() -> None:
        (tmp_path / "parts" / "page.md").touch()

    def folder() -> None:
        (tmp_path / "parts" / "new" / "b").mkdir(parents=True)
        (tmp_path / "parts" / "new" / "b" / "c.md").touch()

    refreshes = refresh.Refreshes()
    for make in (page, folder):
        for _ in range(2):
            refreshes.bring_up(str(tmp_path / "cache"), sync_once, None)
        make()
    refreshes.bring_up(str(tmp_path / "cache"), sync_once, None)
    assert looked == [0, 1, 2]


def test_a_project_that_declares_nothing_has_a_cache_outside_of_it(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / "README.md").write_text("# Tool\n\nIt grinds coffee.\n", encoding="utf-8")
    (tmp_path / "docs" / "use.txt").write_text("Turn the crank.\n", encoding="utf-8")
    (tmp_path / "data.txt").write_text("coffee coffee\n", encoding="utf-8")
    before = tracked(tmp_path)
    asked: list[dict[str, Any]] = [{"query": "coffee"}, {"query": "crank", "cache": "project"}, {"query": ""}]
    kept = tmp_path.parent / f"{tmp_path.name}-kept"
    with StdioServer(tmp_path, "--receipts", str(kept), cache_root=None) as server:
        coffee, crank, overview = [server.call("context.search", each).text for each in asked]
        listed = json.loads(server.call("context.list_caches", {}).text)
    replayed = json.loads(run_context("replay", "--receipts", str(kept), cwd=tmp_path).stdout)
    assert (replayed["replayed"], replayed["cache_gone"]) == (replayed["receipts"], 0)
    assert ("README.md#L" in coffee, "data.txt" in coffee, "docs/use.txt#L" in crank) == (True, False, True)
    assert overview.endswith(
        "project · 2 documents · documentation found in this project\n- ./: readme.md\n- docs/: use.txt\n"
    )
    assert listed == {"error": {"code": "cache_missing", "message": "Cache does not exist"}}
    missed = run_context("search", "coffee", "--cache", "other", cwd=tmp_path)
    assert b"without a cache the documentation that is here is asked; 'context add NAME PATH' makes" in missed.stderr
    assert (tracked(tmp_path), (tmp_path / ".context").exists()) == (before, False)


def test_a_declared_cache_is_meant_where_a_folder_of_its_name_is_no_cache(project: Path) -> None:
    shutil.rmtree(project / ".context")
    asked = run_context("search", "kettle number 7", "--cache", "docs", cwd=project)
    assert (asked.returncode, b"7.md#L" in asked.stdout) == (0, True)


def test_a_client_that_waits_is_told_how_far_the_build_is_and_then_that_it_goes_on(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(project / ".context")
    may_build, lines = threading.Event(), list[dict[str, Any]]()
    real = sync.sync_cache

    def slow(project: Any, cache: Any, order: Any) -> Any:
        order.progress("reading", 7, 20)
        assert may_build.wait(60)
        return real(project, cache, order)

    monkeypatch.setattr(refresh, "_BETWEEN", 0.001)
    monkeypatch.setattr(sync, "sync_cache", slow)
    server = Server(Workspace(str(project), door="tool", user_cache=str(project.parent / "user"), patience=0.2))
    server.send = lambda line: lines.append(json.loads(line))

    def ask(token: str) -> dict[str, Any]:
        params: dict[str, Any] = {"name": "context.search", "arguments": {"query": "kettle number 7"}}
        params["_meta"] = {**MODERN, "progressToken": token}
        call = server.receive(
            json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode(), lambda _: None
        )
        assert isinstance(call, Call)
        result: dict[str, Any] = json.loads(call.run())["result"]
        return result

    error = json.loads(ask("a")["content"][0]["text"])["error"]
    assert (error["code"], "reading 7 of 20" in error["message"]) == ("cache_building", True)
    told = [line["params"] for line in lines if line["method"] == "notifications/progress"]
    assert {each["progressToken"] for each in told} == {"a"}
    assert told[-1]["message"] == "reading 7 of 20"
    assert [each["progress"] for each in told] == sorted({each["progress"] for each in told})
    may_build.set()
    for _ in range(100):
        if not (result := ask("b"))["isError"]:
            break
    assert "7.md#L" in result["content"][0]["text"]


def test_a_client_that_has_roots_is_asked_for_them_and_they_choose_the_project(project: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    other = tmp_path / "other project"
    (other / "docs").mkdir(parents=True)
    (other / ".git").mkdir()
    (other / "docs" / "a.md").write_text("# Quokka\n\nIt smiles.\n", encoding="utf-8")
    assert run_context("add", "docs", "docs", cwd=other).returncode == 0
    assert run_context("add", "extra", "docs", cwd=other).returncode == 0
    with StdioServer(tmp_path / "elsewhere", cache_root=None, capabilities={"roots": {"listChanged": True}}) as server:

        def answer_with(*roots: Path) -> None:
            question = server.read()
            assert question["method"] == "roots/list"
            result = {"roots": [{"uri": root.as_uri()} for root in roots]}
            server.write(json.dumps({"jsonrpc": "2.0", "id": question["id"], "result": result}).encode() + b"\n")

        answer_with(project / "docs")
        assert "7.md#L" in server.call("context.search", {"query": "kettle number 7"}).text
        server.notify("notifications/roots/list_changed")
        answer_with(project, other)
        asked = [
            server.call("context.search", {"query": "quokka", **cache}).text
            for cache in ({}, {"cache": "docs"}, {"cache": "extra"}, {"cache": "other project/docs"})
        ]
        assert ["a.md#L" in text for text in asked] == [False, False, True, True]
        server.notify("notifications/roots/list_changed")
        answer_with(other)
        assert "a.md#L" in server.call("context.search", {"query": "quokka"}).text


def test_calls_that_no_longer_wait_for_a_client_that_names_no_roots_all_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.mcp.roots.PATIENCE", 0.01)
    workspace, interval = Workspace(str(tmp_path)), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            for _ in range(60):
                roots = Roots(workspace)
                roots.question()
                assert {each[0] for each in threads.map(roots.chosen, [{}] * 8)} == {workspace}
    finally:
        sys.setswitchinterval(interval)


@pytest.mark.parametrize(
    "words",
    [
        *[("search", "x"), ("read", "--id", "x"), ("list",), ("push", "docs", "oci://h/r:t"), ("inspect", "docs")],
        *[("resolve", "--cache", "docs", "--query", "x", "--budget", "9"), ("verify", "docs"), ("sign", "docs")],
    ],
)
def test_where_there_is_no_cache_a_command_names_the_next_step(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    done = run_context(*words, *(["--key", "x"] if words[0] == "sign" else []), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (4, b"")
    assert b"'context add NAME PATH' makes one" in done.stderr
