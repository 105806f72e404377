"""A project is found from anywhere inside it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from holdfast.specs.layouts import LAYOUTS
from holdfast.workspace import MARKERS, project_root
from support.doors import run_context
from support.specs import SpecProject

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("marker", MARKERS)
def test_the_nearest_directory_with_a_marker_is_the_project(tmp_path: Path, marker: str) -> None:
    inner = tmp_path / "outer" / "inner" / "src" / "deep"
    inner.mkdir(parents=True)
    (tmp_path / "outer" / ".git").mkdir()
    (tmp_path / "outer" / "inner" / marker).mkdir(parents=True)
    found = [project_root(str(path)) for path in (inner, inner.parent.parent, tmp_path / "outer")]
    assert found == [str(tmp_path / "outer" / "inner")] * 2 + [str(tmp_path / "outer")]


def test_every_layout_of_specs_has_a_marker() -> None:
    assert {shown for layout in LAYOUTS for shown in layout.shown_by or (layout.root,)} <= set(MARKERS)


def test_without_a_marker_it_is_where_one_is(tmp_path: Path) -> None:
    assert project_root(str(tmp_path)) == str(tmp_path)


def test_the_home_directory_is_not_reached_by_walking_but_may_be_worked_in(tmp_path: Path) -> None:
    (tmp_path / ".kiro").mkdir()
    (tmp_path / "work").mkdir()
    found = [project_root(str(path), str(tmp_path)) for path in (tmp_path / "work", tmp_path)]
    assert found == [str(tmp_path / "work"), str(tmp_path)]


def test_specs_are_found_from_a_subdirectory_and_no_second_folder_is_started_there(tmp_path: Path) -> None:
    SpecProject(tmp_path, ".kiro").spec("demo")
    below = tmp_path / "packages" / "a"
    below.mkdir(parents=True)
    listed = json.loads(run_context("spec", "list", cwd=below).stdout)
    made = json.loads(run_context("spec", "init", "more", cwd=below).stdout)
    assert ([spec["name"] for spec in listed["data"]["specs"]], made["data"]["folder"], list(below.iterdir())) == (
        ["demo"],
        ".kiro/specs/more",
        [],
    )


def test_a_package_of_a_monorepo_with_specs_of_its_own_is_a_project(tmp_path: Path) -> None:
    SpecProject(tmp_path, ".kiro").spec("whole")
    SpecProject(tmp_path / "packages" / "a").spec("part")
    (tmp_path / "packages" / "a" / "src").mkdir()
    names = []
    for cwd, words in (
        (tmp_path / "packages" / "a" / "src", ()),
        (tmp_path / "packages", ()),
        (tmp_path / "packages", ("--path", "a")),
    ):
        done = run_context("spec", "list", *words, cwd=cwd)
        names.append([spec["name"] for spec in json.loads(done.stdout)["data"]["specs"]])
    assert names == [["part"], ["whole"], ["part"]]
