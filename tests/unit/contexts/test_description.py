"""From facts to the fields of a context."""

from __future__ import annotations

import pytest

from holdfast.contexts.analysis.facts import Export, FileFacts
from holdfast.contexts.dependencies import Dependencies, Index, dependencies
from holdfast.contexts.description import About, Child, fields, summary
from holdfast.contexts.manifests import about, readme_summary
from holdfast.contexts.source_kinds import is_source
from holdfast.core.tokens import tokens_of_bytes

INDEX = Index(
    {
        "": ["go.mod"],
        "src/app": ["__init__.py", "main.py"],
        "src/app/db": ["store.py"],
        "web/ui": ["button.tsx", "index.ts"],
        "web/lib": ["dates.ts"],
        "cmd/tool": ["main.go"],
        "engine/src": ["lib.rs", "disk.rs"],
        "engine/src/net": ["mod.rs"],
        "java/src/main/java/com/shop/db": ["Store.java"],
        "native/include/shop": ["store.h"],
        "lib/shop": ["book.rb"],
    },
    {"example.com/shop": "", "@shop/lib": "web/lib"},
)


@pytest.mark.parametrize(
    ("place", "language", "imports", "expected"),
    [
        ("src/app", "Python", ["app.db.store", "os", "numpy.linalg", ".db.store.Store"], (["src/app/db"], ["numpy"])),
        ("src/app/db", "Python", ["..main.run", "app"], (["src/app"], [])),
        ("web/ui", "TypeScript", ["../lib/dates", "@scope/pkg/x", "node:fs", "fs"], (["web/lib"], ["@scope/pkg"])),
        ("web/ui", "TSX", ["./index", "../lib/dates.js", "@shop/lib"], (["web/lib"], [])),
        ("cmd/tool", "Go", ["example.com/shop/web/lib", "fmt", "github.com/x/y"], (["web/lib"], ["github.com/x/y"])),
        ("engine/src/net", "Rust", ["crate::disk::Disk", "std::fmt", "serde::Serialize"], (["engine/src"], ["serde"])),
        ("engine/src", "Rust", ["net", "self::net::Peer"], (["engine/src/net"], [])),
        ("other", "Java", ["com.shop.db.Store", "java.util.List"], (["java/src/main/java/com/shop/db"], [])),
        ("native", "C", ["shop/store.h", "<stdio.h>"], (["native/include/shop"], [])),
        ("bin2", "Ruby", ["require 'shop/book", "require 'json", "require 'rails"], (["lib/shop"], ["rails"])),
        ("lib", "Ruby", ["require_relative './shop/book"], (["lib/shop"], [])),
    ],
)  # fmt: skip
def test_an_import_leads_to_a_directory_or_a_package(
    place: str, language: str, imports: list[str], expected: tuple[list[str], list[str]]
) -> None:
    files = [FileFacts("x", language, imports=tuple(imports))]
    assert dependencies(place, files, INDEX) == Dependencies(*expected)


def test_the_summary_comes_from_the_best_source_there_is() -> None:
    entry = FileFacts("__init__.py", "Python", "From the entry file.")
    other = FileFacts("a.py", "Python", "From a file.")
    names = ["__init__.py", "a.py"]
    assert [
        summary("lib", About(description="From the manifest.", readme="From the README."), [entry], names, []),
        summary("lib", About(readme="From the README."), [other, entry], names, []),
        summary("lib", About(readme="From the README."), [other], names, []),
        summary("lib", About(), [other], ["a.py"], []),
        summary("my_lib", About(), [other], names, ["x", "y"]),
        summary("lib", About(), [], ["a.py", "b.py", "c.md"], []),
        summary("lib", About(), [], ["a.py", "b.go", "c.md", "d.md"], []),
        summary("lib", About(), [], [], ["x"]),
        summary("", About(), [], [], []),
    ] == [
        "From the manifest.",
        "From the entry file.",
        "From the README.",
        "From a file.",
        "My lib: 2 Python files (__init__.py, a.py) and 2 folders (x, y).",
        "Lib: 3 files, mostly Python (a.py, b.py, c.md).",
        "Lib: 4 files (a.py, b.go, c.md, d.md).",
        "Lib: 1 folder (x).",
        "Project root: no source files.",
    ]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"pyproject.toml": '[project]\nname = "a"\ndescription = "D."\n'}, About("a", "D.", manager="pip")),
        ({"pyproject.toml": '[tool.poetry]\nname = "a"\ndescription = "D."\n'}, About("a", "D.", manager="pip")),
        ({"package.json": '{"name": "a", "description": "D."}'}, About("a", "D.", "a", manager="npm")),
        ({"Cargo.toml": '[package]\nname = "a-b"\ndescription = "D."\n'}, About("a-b", "D.", "a_b", manager="cargo")),
        ({"go.mod": "module example.com/x\n\ngo 1.22\n"}, About("x", "", "example.com/x", manager="go")),
        ({"composer.json": '{"name": "v/a", "description": "D."}'}, About("v/a", "D.", manager="composer")),
        ({"package.json": "not json", "pyproject.toml": "= broken"}, About(manager="pip")),
        ({"README.md": "# T\n\n[![b](x)](y)\n\nIt does [one](u) thing. More.\n"}, About(readme="It does one thing.")),
    ],
)  # fmt: skip
def test_manifests_and_readmes_tell_name_and_description(files: dict[str, str], expected: About) -> None:
    assert about(files) == expected


def test_a_readme_without_prose_tells_nothing() -> None:
    assert readme_summary("# Title\n\n---\n\n- a\n- b\n") == ""


def test_lean_and_full_contexts_hold_what_they_should() -> None:
    files = [FileFacts("a.py", "Python", "Does a.", (Export("go()", "Go there. Now."), Export("LIMIT")), ())]
    needs = Dependencies(["lib"], ["numpy"])
    children = [Child("sub", "sub", "Below.")]
    names = ["a.py", "test_a.py"]
    lean = fields(".", "", About("shop"), files, names, ["sub"], needs, children, full=False)
    full = fields(".", "", About("shop"), files, names, ["sub"], needs, children, full=True)
    told = "Project root: 2 Python files (a.py, test_a.py) and 1 folder (sub)."
    maintenance = "When files here change, `context regen .` renews the derived fields; edit the rest."
    assert lean == {
        "summary": told,
        "dependencies": {"internal": ["lib"]},
        "maintenance": maintenance,
        "exports": ["go()", "LIMIT"],
    }
    assert full == {
        **lean,
        "dependencies": {"internal": ["lib"], "external": ["numpy"]},
        "files": [
            {"name": "a.py", "purpose": "Does a.", "test_file": "test_a.py"},
            {"name": "test_a.py", "purpose": "No description"},
        ],
        "interfaces": [{"name": "go()", "description": "Go there."}],
        "subdirectories": [{"name": "sub/", "summary": "Below."}],
        "project": {"name": "shop", "description": told, "language": "Python"},
        "structure": [{"path": "sub", "summary": "Below."}],
    }


def test_source_files_are_told_by_their_names() -> None:
    names = ["a.py", "A.PY", "Makefile", "go.mod", "a.png", "LICENSE", ".context.yaml", ".context.config.yaml", ".env"]
    assert [name for name in names if is_source(name)] == ["a.py", "A.PY", "Makefile", "go.mod"]


def test_four_bytes_are_a_token_and_what_is_left_is_one_more() -> None:
    assert [tokens_of_bytes(size) for size in (0, 1, 4, 5)] == [0, 1, 1, 2]
