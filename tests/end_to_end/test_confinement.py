"""`context serve --confine`: nothing outside the project and the cache root can be read, listed or probed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast import build_cache
from holdfast.catalog import find_tool, tools
from holdfast.core.landlock import LandlockUnavailable, restrict_to
from holdfast.operation import answer
from holdfast.workspace import Workspace
from support.doors import StdioServer, run_context

SECRET = "the-secret-outside"


def has_landlock() -> bool:
    """Tried in a child, since it cannot be undone."""
    child = os.fork()
    if child == 0:
        try:
            restrict_to(["/"])
        except LandlockUnavailable:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


if not has_landlock():
    pytest.skip("this kernel has no Landlock, without which --confine refuses", allow_module_level=True)


def make_project(folder: Path, word: str) -> None:
    """A project with something for every family to find."""
    steering = folder / ".spec-context" / "steering"
    steering.mkdir(parents=True)
    for name in ("tech", "principles", "product", "structure"):
        (steering / f"{name}.md").write_text(f"{word} {name}", encoding="utf-8")
    spec = folder / ".spec-context" / "specs" / "login"
    spec.mkdir(parents=True)
    for name in ("requirements", "design", "tasks"):
        (spec / f"{name}.md").write_text(f"- [ ] 1. {word}\n", encoding="utf-8")
    sources = folder / "docs"
    sources.mkdir()
    (sources / "a.md").write_text(word, encoding="utf-8")
    (sources / "a.py").write_text(f'"""{word}"""\n', encoding="utf-8")
    (folder / ".context.config.yaml").write_text("min_tokens: 0\n", encoding="utf-8")
    assert run_context("init", "--all", "--full", "--path", str(folder), "--no-agents").returncode == 0
    build_cache(sources, folder / ".context" / "caches" / "docs")


@pytest.fixture(scope="module")
def laid_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`inside` is the project that is served; `outside` is one like it, with a secret. To be read only."""
    folder = tmp_path_factory.mktemp("world")
    for name, word in (("inside", "harmless"), ("outside", SECRET)):
        (folder / name).mkdir()
        make_project(folder / name, word)
    return folder


@pytest.fixture
def world(laid_out: Path, tmp_path: Path) -> Path:
    """The same, for a test of its own."""
    return Path(shutil.copytree(laid_out, tmp_path, dirs_exist_ok=True))


@pytest.fixture
def server(world: Path) -> Iterator[StdioServer]:
    with StdioServer(world / "inside", "--confine", cache_root=None) as running:
        yield running


@pytest.fixture(scope="module")
def linked(laid_out: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, StdioServer]]:
    """The same with links that lead out, and a server of it."""
    world = Path(shutil.copytree(laid_out, tmp_path_factory.mktemp("linked"), dirs_exist_ok=True))
    (world / "inside" / "deep" / "er").mkdir(parents=True)
    for link in ("link", "deep/er/link"):
        (world / "inside" / link).symlink_to(world / "outside")
    with StdioServer(world / "inside", "--confine", cache_root=None) as running:
        yield world, running


def said(server: StdioServer, tool: str, arguments: dict[str, Any]) -> str:
    """Everything the server answers to a call."""
    response = server.request("tools/call", {"name": tool, "arguments": arguments})
    return json.dumps(response.get("result", response.get("error")))


def test_the_confined_server_answers_what_lies_inside(server: StdioServer) -> None:
    assert "harmless" in said(server, "context.resolve", {"cache": "docs", "query": "x", "budget": 99})
    assert "docs" in said(server, "context.list_caches", {})
    assert "docs" in said(server, "context.list_caches", {"root": ".context/caches"})
    assert "implementing" in said(server, "spec-status", {"specName": "login"})
    assert "fresh" in said(server, "list_contexts", {})
    assert "true" in said(server, "query_context", {"scope": "."})
    assert "harmless" in said(server, "get-implementer-guide", {})
    read = server.request("resources/read", {"uri": "context://steering/tech"})
    assert "harmless" in json.dumps(read)


def test_every_tool_can_be_loaded_by_a_confined_server_and_none_loads_the_network(server: StdioServer) -> None:
    for tool in tools():
        assert "Internal error" not in said(server, tool.tool, {})
    assert "name files by paths" in said(server, "project_impact", {})
    assert "# 1 file" in said(server, "project_impact", {"paths": ["docs/a.py"]})
    code = "import sys; from holdfast.catalog import tools; from holdfast.operation import load\n"
    code += "for tool in tools(): load(tool.run)\nassert not {'ssl', 'http.client'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


# Every way to say "the world outside" in an argument; {outside} is a folder that exists, {nothing} one that does not.
WAYS = [
    "{outside}",
    "../outside",
    "./../outside",
    ".context/../../outside",
    "link",
    "link/",
    "deep/er/link",
    "LINK",
    "/proc/self/root{outside}",
    "/proc/self/cwd/../outside",
    "..\\\\outside",
    "\\u202e../outside",
    "..\\uff0foutside",
    "{outside}/.",
    "//{outside}",
    "/usr/..",
    "/etc",
    "/dev/null",
    "..",
    "../..",
]
# (tool, arguments with the way put in); what a nonexistent place answers is what an outside one must answer.
ASKED: list[tuple[str, dict[str, Any]]] = [
    ("context.list_caches", {"root": "WAY"}),
    ("context.list_caches", {"root": "WAY/.context/caches"}),
    ("context.inspect_cache", {"cache": "WAY"}),
    ("context.inspect_cache", {"cache": "WAY/.context/caches/docs"}),
    ("context.resolve", {"cache": "WAY/.context/caches/docs", "query": "x", "budget": 99}),
    ("list_contexts", {"path": "WAY"}),
    ("check_freshness", {"scope": ".", "path": "WAY"}),
    ("query_context", {"scope": ".", "path": "WAY"}),
    ("query_context", {"scope": "docs", "path": "WAY"}),
    ("spec-status", {"specName": "login", "projectPath": "WAY"}),
    ("spec-status", {"specName": "WAY"}),
    ("spec-status", {"specName": "WAY/.spec-context/specs/login"}),
]


ASKED_MEANWHILE: list[tuple[str, dict[str, Any]]] = [
    ("get-implementer-guide", {}),
    ("spec-status", {"specName": "login"}),
    ("query_context", {"scope": "docs"}),
    ("check_freshness", {"scope": "docs"}),
    ("list_contexts", {}),
    ("context.resolve", {"cache": "docs", "query": "x", "budget": 99}),
    ("context.inspect_cache", {"cache": "docs"}),
    ("context.list_caches", {}),
]
# Folders that a link takes the place of during calls, and whether `--confine` is needed for that to tell nothing:
# without it links below the project are followed as an editor would, but for those that names lead through.
SWAPPED = [
    (".spec-context", True),
    (".spec-context/steering", True),
    (".spec-context/specs/login", True),
    (".spec-context/specs/login", False),
    (".context/caches/docs", True),
    (".context/caches/docs", False),
    ("docs", True),
    ("docs", False),
]


def filled(arguments: dict[str, Any], way: str) -> dict[str, Any]:
    return {name: value.replace("WAY", way) if isinstance(value, str) else value for name, value in arguments.items()}


@pytest.mark.parametrize("asked", range(len(ASKED)), ids=lambda at: f"{ASKED[at][0]} {list(ASKED[at][1])}")
def test_an_outside_place_answers_exactly_as_one_that_does_not_exist(
    asked: int, linked: tuple[Path, StdioServer]
) -> None:
    world, server = linked
    tool, arguments = ASKED[asked]
    for way in WAYS:
        outside = way.format(outside=world / "outside")
        nothing = outside.replace("outside", "nowhere").replace("link", "nolink")
        if nothing == outside:
            nothing = "/nowhere/at/all"
        answers = []
        for place in (outside, nothing):
            given = filled(arguments, place)
            answers.append(without(given, said(server, tool, given)))
        assert SECRET not in answers[0], way
        assert answers[0] == answers[1], way


def without(arguments: dict[str, Any], text: str) -> str:
    """A text with the arguments it echoes taken out, however they were escaped."""
    for value in arguments.values():
        if isinstance(value, str) and len(value) > 1:
            once = json.dumps(value, ensure_ascii=False)[1:-1]
            for spelling in (json.dumps(once)[1:-1], once, json.dumps(value)[1:-1], value):
                text = text.replace(spelling, "GIVEN")
    # A listing repeats the place in full, before its counts and in its error.
    text = re.sub(r'\\"root\\":.*?,\\"total', "ROOT", text)
    return re.sub(r"(Failed to scan project at).*?\}", r"\1", text)


@pytest.mark.parametrize("tool", ["check_freshness", "query_context"])
def test_a_scope_that_leads_out_is_refused_whether_or_not_something_is_there(
    tool: str, world: Path, server: StdioServer
) -> None:
    (world / "inside" / "link").symlink_to(world / "outside")
    scopes = ["../outside", "../nowhere", "link", "link/docs", "link/nope", "link/docs/a.md", str(world / "outside")]
    scopes += ["/nowhere/at/all", "..\\outside", "docs/../../outside", "/proc/self/root/etc"]
    told = {without({"scope": scope}, said(server, tool, {"scope": scope})) for scope in scopes}
    assert len(told) == 1
    assert "Invalid scope: path traversal detected" in told.pop()


def test_links_inside_the_project_that_lead_out_are_as_good_as_absent(world: Path, server: StdioServer) -> None:
    inside, outside = world / "inside", world / "outside"
    steering = inside / ".spec-context" / "steering"
    for name in ("tech", "principles"):
        (steering / f"{name}.md").unlink()
        (steering / f"{name}.md").symlink_to(outside / ".spec-context" / "steering" / f"{name}.md")
    spec = inside / ".spec-context" / "specs" / "login"
    (spec / "design.md").unlink()
    (spec / "design.md").symlink_to(outside / ".spec-context" / "specs" / "login" / "design.md")
    assert "Required steering docs missing: tech.md, principles.md" in said(server, "get-implementer-guide", {})
    assert "design-needed" in said(server, "spec-status", {"specName": "login"})
    (spec.parent / "other").symlink_to(outside / ".spec-context" / "specs" / "login")
    assert "not found" in said(server, "spec-status", {"specName": "other"})
    read = server.request("resources/read", {"uri": "context://spec/login/design"})
    assert SECRET not in json.dumps(read)
    (inside / ".context" / "caches" / "other").symlink_to(outside / ".context" / "caches" / "docs")
    assert "cache_missing" in said(server, "context.resolve", {"cache": "other", "query": "x", "budget": 99})


@pytest.mark.rough
@pytest.mark.parametrize(("swapped", "confine"), SWAPPED)
def test_links_swapped_in_during_the_call_tell_nothing(swapped: str, confine: bool, world: Path) -> None:
    """A thread swaps the real folder and a link to the one outside while the server is asked again and again."""
    outside = Workspace(str(world / "outside"), door="tool")
    version = json.loads(answer(find_tool("context.inspect_cache"), {"cache": "docs"}, outside).text)["cache_version"]
    computed = json.loads(answer(find_tool("check_freshness"), {"scope": "docs"}, outside).text)["fingerprint"]
    real, link = world / "inside" / swapped, world / "link-to-outside"
    aside = world / "inside" / "aside"
    link.symlink_to(world / "outside" / swapped)
    done = threading.Event()

    def swap() -> None:
        while not done.is_set():
            os.rename(real, aside)
            os.rename(link, real)
            os.rename(real, link)
            os.rename(aside, real)

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        with StdioServer(world / "inside", *(("--confine",) if confine else ()), cache_root=None) as server:
            answers = [said(server, tool, arguments) for _ in range(60) for tool, arguments in ASKED_MEANWHILE]
    finally:
        done.set()
        swapper.join()
    told = (SECRET, version, computed["computed"], computed["stored"])
    assert [text for text in answers if any(value in text for value in told)] == []
    assert not any("internal_error" in text for text in answers)
    assert any("harmless" in text for text in answers)


def test_without_the_flag_a_project_elsewhere_can_be_named(world: Path) -> None:
    with StdioServer(world / "inside", cache_root=None) as server:
        text = said(server, "spec-status", {"specName": "login", "projectPath": str(world / "outside")})
    assert "implementing" in text


def test_the_confined_server_writes_nothing_and_starts_nothing(world: Path) -> None:
    """Rights given up are given up for good: a bug could not write either."""
    script = world / "inside" / "probe.py"
    script.write_text(
        "import os, sys\n"
        "from holdfast.mcp import rights\n"
        "from holdfast.workspace import Workspace\n"
        "rights.give_up_rights(Workspace(sys.argv[1], confine=True))\n"
        "for attempt in (lambda: open('written', 'w'), lambda: os.mkdir('made'), lambda: os.listdir('/'),\n"
        "                lambda: open('/etc/passwd'), lambda: os.execv('/bin/true', ['true'])):\n"
        "    try:\n"
        "        attempt()\n"
        "        print('allowed')\n"
        "    except PermissionError:\n"
        "        print('refused')\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, script, world / "inside"], capture_output=True, cwd=world / "inside")
    assert done.stdout.decode().split() == ["refused"] * 5, done.stderr
    assert run_context("serve", "--confine", "--path", str(world / "inside"), cwd=world).returncode == 0
