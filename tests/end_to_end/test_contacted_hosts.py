"""Who is contacted: by `sync`, `pull` and `push` the hosts that were named first, by everything else nobody."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from holdfast import build_cache
from holdfast.caches.project_answers import sync
from holdfast.catalog import CATALOG
from holdfast.cli import main
from holdfast.core.errors import HostNotAgreed
from holdfast.explore.explorer import Explorer
from holdfast.explore.project_look import ProjectLook
from holdfast.operation import Operation, answer
from holdfast.workspace import Workspace
from support.doors import run_context
from support.projects import git
from support.registry import PROGRAM, LyingRegistry, Registry, ServedArtifact

TYPED = [("sync",), ("pull",), ("push",)]
FLAGS = {each.name for operation in CATALOG for each in operation.parameters if each.kind == "flag"}
OTHERS = [operation for operation in CATALOG if operation.command not in TYPED]
# What is given for a parameter that is required or positional, by its name; `docs` for any other text.
GIVEN: dict[str, Any] = {
    "query": "deploy",
    "budget": 900,
    "paths": ["pages"],
    "sources": "pages",
    "scope": "",
    "pattern": "*.tmp",
    "directory": ".",
    "by": "me",
}
MORE: dict[str, dict[str, Any]] = {
    "add": {"name": "more"},
    "build": {"cache": ".context/caches/built"},
    "diff": {"since": "HEAD"},
    "watch": {"path": "none"},  # which ends it
}
EVENTS = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto")

_seen: list[list[str]] = []


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if _seen and event in EVENTS:
        _seen[-1].append(f"{event} {arguments[1:]}")


sys.addaudithook(_note)  # for the life of the process; it keeps what happens while a test watches


@contextmanager
def watched() -> Iterator[list[str]]:
    """Every name that is looked up and every address that is contacted meanwhile."""
    _seen.append([])
    try:
        yield _seen[-1]
    finally:
        _seen.pop()


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[ServedArtifact]:
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "one.md").write_text("# One\n\nTo deploy, push.\n")
    build_cache(tmp_path / "text", tmp_path / "built", created_at="2026-01-02T03:04:05Z")
    running = ServedArtifact()
    running.hold_cache(tmp_path / "built")
    yield running
    running.close()


@pytest.fixture
def project(tmp_path: Path, registry: ServedArtifact) -> Path:
    """A project with a cache of the registry, which is not here yet, and one of its own."""
    project = tmp_path / "project"
    (project / "pages").mkdir(parents=True)
    (project / "pages" / "two.md").write_text("# Two\n\nTo roll back, pull.\n")
    (project / "context.toml").write_text(
        f'[caches.docs]\nsources = {{ oci = "{registry.host}/a/b:1" }}\n[caches.own]\nsources = ["pages"]\n'
    )
    git(project, "init", "--quiet")
    git(project, "add", ".")
    git(project, "commit", "--quiet", "--message", "first")
    return project


def in_project(project: Path, **given: Any) -> Workspace:
    return Workspace(str(project), announce=lambda _: None, **given)


def asked_for(operation: Operation) -> dict[str, Any]:
    """Arguments for an operation, or one of its variants, as many as it needs to do its work on the cache `docs`."""
    given: dict[str, Any] = {}
    for parameter in operation.parameters:
        if parameter.required or (parameter.positional and parameter.name in ("paths", "scope")):
            given[parameter.name] = GIVEN.get(parameter.name, "docs")
    return {**given, **MORE.get(" ".join(operation.command), {})}


def variants_of(operation: Operation) -> Iterator[tuple[str, dict[str, Any]]]:
    """The name of each variant with arguments that ask for it."""
    for variant in operation.variants:
        value = True if variant.given in FLAGS else "."
        given = {name: GIVEN.get(name, "docs") for name in variant.needs}
        yield variant.given, {variant.given: value, **given, **MORE.get(variant.given, {})}


def test_no_command_but_sync_pull_and_push_contacts_anybody(
    project: Path, registry: ServedArtifact, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync(in_project(project), {"yes": True})
    registry.manifest = b"moved"  # so that nothing that is here answers for what the tag means
    registry.asked.clear()
    monkeypatch.chdir(project)
    codes: dict[str, int] = {}
    with watched() as contacted:
        for operation in OTHERS:
            for door in ("command", "tool") if operation.tool else ("command",):
                workspace, name = Workspace(str(project), door=door), " ".join(operation.command)
                codes[f"{door} {name}"] = answer(operation, asked_for(operation), workspace).exit_code
            for variant, given in variants_of(operation):
                codes[f"{name} {variant}"] = answer(operation, given, Workspace(str(project))).exit_code
        for more in ({"check": True}, {"check": True, "lock_only": True}):
            assert sync(in_project(project), more).value["caches"]  # type: ignore[arg-type]  # flags of it
        Explorer(ProjectLook(Workspace(str(project)))).snapshot(0.0)
    assert (registry.asked, contacted) == ([], [])
    done = [name for name, code in codes.items() if code in (0, 8)]
    assert {"command doctor", "command search", "tool search", "command verify"} <= set(done)
    assert len(done) > len(codes) // 2  # most of them had something to do
    assert not [name for name, code in codes.items() if code == 7]


def test_no_tool_is_a_command_that_contacts_anybody() -> None:
    assert [operation.tool for operation in CATALOG if operation.command in TYPED] == ["", "", ""]


def test_what_a_tag_means_now_is_left_to_pull(
    project: Path, registry: ServedArtifact, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    sync(in_project(project), {"yes": True})
    monkeypatch.chdir(project)
    capfd.readouterr()
    asked = len(registry.asked)
    assert main(["sync", "--check"], {}, progress=False) == 0
    assert capfd.readouterr().out.startswith('{"in_step":true,')
    assert len(registry.asked) == asked


def test_sync_names_each_host_before_the_first_byte_and_asks_for_one_that_the_lock_does_not_name(
    project: Path, registry: ServedArtifact
) -> None:
    events: list[str] = []

    def announce(line: str) -> None:
        events.append(f"{line} ({len(registry.asked)} requests)")

    def confirm(shown: str, question: str) -> bool:
        events.append(f"{shown}. {question} ({len(registry.asked)} requests)")
        return agrees

    workspace = Workspace(str(project), announce=announce, confirm=confirm)
    contacts = f"contacts {registry.host} for docs (0 requests)"
    new = f"context.toml has caches at {registry.host}, which context.lock does not name yet"
    agrees = False
    with pytest.raises(HostNotAgreed, match="add --yes; nothing was fetched or built"), watched() as contacted:
        sync(workspace, {})
    assert (events, contacted, (project / ".context").exists()) == (
        [contacts, f"{new}. Contact it? (0 requests)"],
        [],
        False,
    )
    agrees = True
    events.clear()
    assert [cache["state"] for cache in sync(workspace, {}).value["caches"]] == ["pulled", "built"]  # type: ignore[typeddict-item]  # as `check` is not given
    assert events == [contacts, f"{new}. Contact it? (0 requests)"]
    events.clear()
    sync(workspace, {})
    assert events == []  # it is here
    shutil.rmtree(project / ".context")
    registry.asked.clear()
    sync(workspace, {})
    assert events == [contacts]  # the lock names the host


def test_where_nobody_can_be_asked_sync_needs_yes(
    project: Path, registry: ServedArtifact, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project)
    assert main(["sync"], {}, progress=False) == 1
    assert capfd.readouterr().err.split("\n") == [
        contacts := f"note: contacts {registry.host} for docs",
        "error: A host that context.lock does not name is not contacted",
        (
            f"reason: context.toml has caches at {registry.host}, which context.lock does not name yet: "
            "where you trust it, add --yes; nothing was fetched or built"
        ),
        "hint: 'context sync --yes' agrees to it",
        "",
    ]
    assert (registry.asked, sorted(path.name for path in project.iterdir())) == ([], [".git", "context.toml", "pages"])
    assert main(["sync", "--yes"], {}, progress=False) == 0
    assert capfd.readouterr().err.split("\n")[0] == contacts
    shutil.rmtree(project / ".context")
    assert main(["sync", "own"], {}, progress=False) == 0
    assert main(["sync", "--quiet"], {}, progress=False) == 0
    assert "contacts" not in capfd.readouterr().err


def test_another_host_than_that_of_the_lock_is_asked_about_again(project: Path, registry: ServedArtifact) -> None:
    sync(in_project(project), {"yes": True})
    other = LyingRegistry(registry.respond)
    try:
        declared = project / "context.toml"
        declared.write_text(declared.read_text().replace(registry.host, other.host))
        before = (project / "context.lock").read_bytes()
        with pytest.raises(HostNotAgreed, match=f"has caches at {other.host}, which"):
            sync(in_project(project), {})
        assert (other.asked, (project / "context.lock").read_bytes()) == ([], before)
        sync(in_project(project), {"yes": True})
        assert json.loads((project / "context.lock").read_text())["caches"]["docs"]["oci"] == f"{other.host}/a/b:1"
    finally:
        other.close()


@pytest.mark.skipif(PROGRAM is None, reason="docker-registry is not installed")
def test_of_a_real_registry_sync_contacts_its_host_and_no_other(project: Path, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    real = Registry(tmp_path / "real")
    try:
        assert run_context("push", str(tmp_path / "built"), f"oci://{real.host}/a/b:1", cwd=project).returncode == 0
        (project / "context.toml").write_text(f'[caches.docs]\nsources = {{ oci = "{real.host}/a/b:1" }}\n')
        with watched() as contacted:
            sync(in_project(project), {"yes": True})
        port = int(real.host.rpartition(":")[2])
        addresses = {line for line in contacted if line.startswith("socket.connect")}
        assert addresses == {f"socket.connect (('127.0.0.1', {port}),)"}
    finally:
        real.kill()
