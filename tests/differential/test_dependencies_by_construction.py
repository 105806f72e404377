"""Dependencies against projects whose imports were made by who knows where they lead: none wrong, none missed.

Each project has packages in directories of the language's own layout, each with one file that imports some of the
others by random choice, something from elsewhere, and decoys: folders named like the packages from elsewhere.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from holdfast.contexts.dependencies import dependencies, dependents
from holdfast.contexts.on_disk.import_index import import_index
from holdfast.contexts.on_disk.project import Project, scan
from holdfast.contexts.on_disk.source_facts import gather_facts
from holdfast.core.file_contents import RememberedFiles

NAMES = ("alpha", "beta", "gamma", "delta", "eps")


class Layout(NamedTuple):
    """How a language lays out a package, imports one, and what its decoys are."""

    path: Callable[[str], str]  # the file of a package
    source: Callable[[str, list[str]], str]  # its text: the package, and the ones it imports
    outside: str  # an import of something from elsewhere
    decoys: tuple[str, ...] = ()
    manifests: tuple[tuple[str, str], ...] = ()


def _lines(*lines: str) -> str:
    return "\n".join(lines) + "\n"


def _java(name: str, needs: list[str]) -> str:
    imports = [f"import org.shop.{one}.{one.title()};" for one in needs]
    return _lines(f"package org.shop.{name};", *imports, f"public class {name.title()} {{}}")


def _kotlin(name: str, needs: list[str]) -> str:
    imports = [f"import shop.{one}.make{one.title()}" for one in needs]
    return _lines(f"package shop.{name}", *imports, f"internal fun make{name.title()}() = 1")


def _csharp(name: str, needs: list[str]) -> str:
    imports = [f"using Shop.{one.title()};" for one in needs]
    return _lines(*imports, f"namespace Shop.{name.title()};", f"public class {name.title()}Thing {{}}")


def _php(name: str, needs: list[str]) -> str:
    used = ", ".join([f"{one.title()}\\{one.title()}" for one in needs])
    group = [f"use Shop\\{{{used}}};"] if needs else []
    return _lines("<?php", f"namespace Shop\\{name.title()};", *group, f"class {name.title()} {{}}")


def _python(name: str, needs: list[str]) -> str:
    imports = [
        f"from shop.{one}.core import go" if at % 2 else f"from ..{one} import core as {one}_core"
        for at, one in enumerate(needs)
    ]
    return _lines(*imports, "def go(): ...")


def _go(name: str, needs: list[str]) -> str:
    return _lines(f"package {name}", *[f'import "example.com/shop/pkg/{one}"' for one in needs], "func Go() {}")


def _rust(name: str, needs: list[str]) -> str:
    return _lines(*[f"use crate::{one}::{{self, Thing}};" for one in needs], "pub struct Thing;")


def _relative(name: str, needs: list[str]) -> str:
    return _lines(*[f'import {{ go }} from "../{one}";' for one in needs], "export function go() {}")


def _aliased(name: str, needs: list[str]) -> str:
    return _lines(*[f'import {{ go }} from "~lib/{one}/index.js";' for one in needs], "export function go() {}")


def _workspace(name: str, needs: list[str]) -> str:
    return _lines(*[f'import {{ go }} from "@shop/{one}";' for one in needs], "export function go() {}")


LAYOUTS = {
    "Java": Layout(
        lambda name: f"core/src/main/java/org/shop/{name}/{name.title()}.java",
        _java,
        "import org.springframework.stereotype.Component;",
        ("core/src/main/java/org/springframework/README.md", "core/src/main/java/org/README.md"),
    ),
    "Kotlin": Layout(
        lambda name: f"{name}/src/commonMain/kotlin/shop/{name}/{name}.kt",
        _kotlin,
        "import okio.internal.commonThing",
        ("other/src/wasmMain/kotlin/okio/internal/A.kt", "okio/internal/README.md"),
    ),
    "C#": Layout(
        lambda name: f"src/Shop.{name.title()}/A.cs", _csharp, "using Serilog.Core;", ("src/Serilog/Core/A.md",)
    ),
    "PHP": Layout(lambda name: f"src/{name.title()}/{name.title()}.php", _php, "", ("src/Psr/Log/README.md",)),
    "Python": Layout(
        lambda name: f"src/shop/{name}/core.py", _python, "import jinja2.loaders", ("src/shop/alpha/jinja2/a.html",)
    ),
    "Go": Layout(
        lambda name: f"pkg/{name}/{name}.go",
        _go,
        'import "github.com/x/alpha"',
        ("vendor2/github.com/x/alpha/README.md",),
        (("go.mod", "module example.com/shop\n"),),
    ),
    "Rust": Layout(
        lambda name: f"engine/src/{name}/mod.rs",
        _rust,
        "use serde::Deserialize;",
        ("serde/README.md",),
        (("engine/Cargo.toml", '[package]\nname = "engine"\n'), ("engine/src/lib.rs", "mod alpha;\n")),
    ),
    "TypeScript, relative": Layout(
        lambda name: f"web/{name}/index.ts", _relative, 'import x from "react";', ("react/a.md",)
    ),
    "TypeScript, paths": Layout(
        lambda name: f"web/{name}/index.ts",
        _aliased,
        'import x from "~libs/alpha";',
        ("libs/alpha/README.md",),
        (
            ("tsconfig.base.json", '{"compilerOptions": {"paths": {"~lib/*": ["./web/*"]}}} // x'),
            ("web/tsconfig.json", '{"extends": "../tsconfig.base.json",}'),
        ),
    ),
    "TypeScript, workspaces": Layout(
        lambda name: f"packages/{name}/index.ts",
        _workspace,
        'import x from "@shop/other";',
        ("other/README.md",),
        tuple((f"packages/{name}/package.json", f'{{"name": "@shop/{name}"}}') for name in NAMES),
    ),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("language", LAYOUTS)
def test_every_dependency_is_found_and_none_is_made_up(tmp_path: Path, language: str, seed: int) -> None:
    layout, chance = LAYOUTS[language], random.Random(seed)
    needs = {
        name: sorted(chance.sample([other for other in NAMES if other != name], chance.randint(0, 3))) for name in NAMES
    }
    files = {layout.path(name): layout.source(name, needs[name]) for name in NAMES}
    if language != "PHP":
        head = 1 if language in ("Java", "Kotlin", "Go") else 0
        for path, text in files.items():
            lines = text.split("\n")
            files[path] = "\n".join([*lines[:head], layout.outside, *lines[head:]])
    if language == "Python":
        files.update({f"src/shop/{place}__init__.py": "" for place in ("", *[f"{name}/" for name in NAMES])})
    files.update(dict(layout.manifests))
    files.update(dict.fromkeys(layout.decoys, "# A decoy\n"))
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)

    project = Project(RememberedFiles(), str(tmp_path))
    found = scan(project)
    facts = gather_facts(project, found).facts()
    index = import_index(project, found, facts)
    place = {name: layout.path(name).rpartition("/")[0] for name in NAMES}
    assert {name: dependencies(place[name], facts[place[name]], index).internal for name in NAMES} == {
        name: sorted(place[other] for other in needs[name]) for name in NAMES
    }
    mine = set(place.values())
    assert {name: [one for one in dependents(place[name], facts, index) if one in mine] for name in NAMES} == {
        name: sorted(place[other] for other in NAMES if name in needs[other]) for name in NAMES
    }
