"""The map and derived fields on real processes: odd names, links, a confined server, and Python's own source."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.core.landlock import LandlockUnavailable, kernel_abi
from support.doors import run_context
from support.wire import Wire, call, initialize

Run = Callable[..., Any]


def test_names_with_newlines_controls_and_bytes_that_are_no_text_are_shown_and_never_obeyed(tmp_path: Path) -> None:
    (tmp_path / "odd\n\x1b[31m").mkdir()
    (tmp_path / "odd\n\x1b[31m" / "a\rb.py").write_text("class Engine: ...\n")
    with open(os.fsencode(tmp_path) + b"/bad\xff.py", "w") as file:
        file.write("from odd import Engine\nclass Other: ...\n")
    done = run_context("map", cwd=tmp_path)
    assert done.stdout.decode().split("\n")[1:] == ["odd␊␛[31m/a␍b.py:1 Engine", "bad�.py:2 Other", ""]
    found = json.loads(run_context("map", "--format", "json", cwd=tmp_path).stdout)
    assert [file["path"] for file in found["files"]] == ["odd\n\x1b[31m/a\rb.py", "bad�.py"]


def test_a_link_out_of_the_project_is_on_no_map(tmp_path: Path) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    project.mkdir()
    outside.mkdir()
    (outside / "secret.py").write_text("class Secret: ...\n")
    (project / "mine.py").write_text("class Mine: ...\n")
    (project / "file.py").symlink_to(outside / "secret.py")
    (project / "folder").symlink_to(outside)
    assert b"Secret" not in (answer := run_context("map", cwd=project).stdout)
    assert b"mine.py:1 Mine" in answer
    done = run_context("map", "folder", cwd=project)
    assert (done.returncode, done.stdout) == (1, b"")


def test_a_confined_server_computes_the_same(project: Path, context: Run) -> None:
    try:
        kernel_abi()
    except LandlockUnavailable:
        pytest.skip("this kernel has no Landlock")
    context("init")
    arguments = {"scope": "src/shop", "filter": ["exports", "dependencies", "dependents", "commands"]}
    calls = (call(1, "project_map", {"budget": 300}), call(2, "query_context", arguments))
    told = []
    for options in ((), ("--confine",)):
        with Wire(project, "--path", str(project), *options) as wire:
            wire.send(initialize(), *calls)
            answers = {answer["id"]: answer["result"] for answer in (wire.read(), wire.read(), wire.read())}
            told.append((answers[1]["content"][0]["text"], answers[2]["content"][0]["text"]))
    assert told[0] == told[1]
    assert "src/shop/db/store.py:6 Store{get}" in told[0][0]


def test_init_tells_which_files_of_which_languages_it_could_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.hs").write_text("main = 1\n")
    (tmp_path / "b.hs").write_text("main = 1\n")
    (tmp_path / "c.jl").write_text("x = 1\n")
    (tmp_path / "index.ts").write_text("export const a = 1;\n" * 60_000)
    done = run_context("init", "--no-agents", cwd=tmp_path)
    assert done.stderr.decode().splitlines() == [
        "note: not read, since there is no grammar for them: 2 Haskell files, 1 Julia file",
        "note: given up: index.ts (too large)",
    ]


def test_without_its_grammar_a_summary_that_was_read_with_one_stays(tmp_path: Path) -> None:
    project, fake = tmp_path / "project", tmp_path / "fake" / "tree_sitter_rust"
    project.mkdir()
    fake.mkdir(parents=True)
    (fake / "__init__.py").write_text("raise ImportError\n")
    (project / "lib.rs").write_text("//! Finds things.\npub fn find() {}\n")
    run_context("init", "--no-agents", "--full", cwd=project)
    before = (project / ".context.yaml").read_text()
    assert "Finds things." in before
    (project / "lib.rs").write_text("//! Finds all things.\npub fn find_all() {}\n")
    run_context("regen", cwd=project, env={"PYTHONPATH": str(fake.parent)})
    after = (project / ".context.yaml").read_text()
    assert [line for line in after.splitlines() if "fingerprint" not in line] == [
        line for line in before.splitlines() if "fingerprint" not in line
    ]
    run_context("regen", "--all", cwd=project)
    assert "Finds all things." in (project / ".context.yaml").read_text()


def test_every_source_file_of_this_package_is_read(context: Run) -> None:
    import holdfast

    root = Path(holdfast.__file__).parent
    found = json.loads(
        run_context("map", "--format", "json", "--budget", "100000", "--path", str(root), cwd=root).stdout
    )
    assert found["not_read"] == {"Zsh: no grammar": 1}  # completions, beside those of Bash
    symbols = {file["path"]: [one["name"] for one in file["symbols"]] for file in found["files"]}
    assert {"answer", "Operation", "Outcome"} <= set(symbols["operation.py"])


def test_source_below_every_directory_that_may_have_a_context_is_known(tmp_path: Path) -> None:
    deep = "app/module/src/main/java/org/example/a/b/c/d/e"
    (tmp_path / deep).mkdir(parents=True)
    (tmp_path / deep / "Engine.java").write_text("package org.example;\n\npublic class Engine {}\n")
    (tmp_path / "App.java").write_text("import org.example.Engine;\n\nclass App { Engine engine; }\n")
    assert f"{deep}/Engine.java:3 Engine" in run_context("map", cwd=tmp_path).stdout.decode()
    found = run_context("symbol", "Engine", cwd=tmp_path).stdout.decode()
    assert found.startswith("# Engine: 1 definition, 2 lines in 1 file use it")
    assert f"{deep}/Engine.java#L3-L3" in found
    reached = run_context("impact", "--file", f"{deep}/Engine.java", cwd=tmp_path).stdout.decode()
    assert "App.java:1,3" in reached
    assert json.loads(run_context("status", cwd=tmp_path).stdout)["total_directories"] == 1
