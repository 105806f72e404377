"""Where imports lead: only where something declares the name, or a file of that name lies."""

from __future__ import annotations

import pytest

from holdfast.code.analysis.facts import Export, FileFacts
from holdfast.contexts.dependencies import Dependencies, dependencies, dependents
from holdfast.contexts.manifests import crate_roots, package_entry, script_config
from holdfast.contexts.project_index import Index, ScriptPaths, Workspace, declared_packages

FILES = {
    "": ["go.mod"],
    "src/app": ["__init__.py", "main.py"],
    "src/app/db": ["__init__.py", "store.py"],
    "tests/forms": ["__init__.py", "test_a.py"],
    "tests/forms/jinja2": ["a.html"],
    "tools": ["helper.py"],
    "web/ui": ["button.tsx", "index.ts"],
    "web/lib": ["dates.ts", "package.json"],
    "web/lib/src": ["index.ts", "deep.ts"],
    "cmd/tool": ["main.go"],
    "engine/src": ["lib.rs", "disk.rs", "net.rs"],
    "engine/src/net": ["peer.rs"],
    "engine/src/old": ["mod.rs"],
    "native/include/shop": ["store.h"],
    "native/vector": ["vector.c"],
    "lib/shop": ["book.rb"],
    "lua/db": ["store.lua"],
}


def _declares(name: str, language: str, package: str) -> list[FileFacts]:
    return [FileFacts(f"{name}.x", language, exports=(Export("", name=name),), package=package)]


JVM = {
    "core/src/main/java/org/shop/db": _declares("Store", "Java", "org.shop.db"),
    "core/src/main/java/org/shop": _declares("App", "Java", "org.shop"),
    "a/src/commonMain/kotlin/okio": _declares("Buffer", "Kotlin", "okio"),
    "b/src/jvmMain/kotlin/okio": _declares("Zip", "Kotlin", "okio"),
    "src/Clean.Core": _declares("A", "C#", "Clean.Core"),
    "src/Clean.Core/Models": _declares("M", "C#", "Clean.Core.Models"),
    "php/Db": _declares("Store", "PHP", "App\\Db"),
    "php/Fun": _declares("go", "PHP", "App\\Fun"),
    "ex": [FileFacts("book.ex", "Elixir", package="Shop.Book")],
}  # fmt: skip
INDEX = Index(
    {**FILES, **{place: [file.name for file in files] for place, files in JVM.items()}},
    {"example.com/shop": "", "@shop/lib": Workspace("web/lib", "src/index.ts")},
    packages=declared_packages(JVM),
    scripts={"web/ui": ScriptPaths(None, (("@lib/*", ("web/lib/*",)), ("app", ("web/ui/index",))))},
    crates={"engine": "engine/src/lib.rs"},
)
# language, file that imports, imports: the directories and packages they lead to
CASES = [
    ("Python", "src/app/x.py", ["app.db.store", "os", "numpy.linalg", ".db.store.Store"], ["src/app/db"], ["numpy"]),
    ("Python", "src/app/db/x.py", ["..main.run", "app", "...nowhere"], ["src/app"], []),
    ("Python", "tests/forms/test_a.py", ["jinja2", "jinja2.loaders", "app.db"], ["src/app/db"], ["jinja2"]),
    ("Python", "tools/x.py", ["helper", "app.gone.thing"], [], ["app"]),
    ("TypeScript", "web/ui/x.ts", ["../lib/dates", "@scope/pkg/x", "node:fs", "fs"], ["web/lib"], ["@scope/pkg"]),
    ("TSX", "web/ui/x.tsx", ["./index", "../lib/dates.js", "@shop/lib"], ["web/lib", "web/lib/src"], []),
    ("TypeScript", "web/ui/x.ts", ["@lib/dates", "app"], ["web/lib"], []),
    ("TypeScript", "cmd/x.ts", ["@shop/lib/deep", "@shop/library", "../web"], ["web/lib/src"], ["@shop/library"]),
    ("Go", "cmd/tool/x.go", ["example.com/shop/web/lib", "fmt", "github.com/x/y", "example.com/shop/no"],
     ["web/lib"], ["github.com/x/y"]),
    ("Rust", "engine/src/net/peer.rs", ["crate::disk::Disk", "std::fmt", "serde::De"], ["engine/src"], ["serde"]),
    ("Rust", "engine/src/lib.rs", ["mod net", "mod old", "self::old::Thing", "net::peer::Peer"],
     ["engine/src/net", "engine/src/old"], []),
    ("Rust", "engine/src/net.rs", ["mod peer", "super::disk::Disk"], ["engine/src/net"], []),
    ("Rust", "cmd/tool/main.rs", ["engine::net::peer::Peer"], ["engine/src/net"], []),
    ("Java", "x/A.java", ["org.shop.db.Store", "java.util.List", "org.springframework.stereotype.Component"],
     ["core/src/main/java/org/shop/db"], ["org.springframework"]),
    ("Java", "x/A.java", ["static org.shop.db.Store.MAX", "org.shop.*", "org.shop.other.Thing"],
     ["core/src/main/java/org/shop", "core/src/main/java/org/shop/db"], ["org.shop"]),
    ("Kotlin", "b/src/jvmTest/kotlin/okio/A.kt", ["okio.Buffer", "okio.Zip", "okio.unknown"],
     ["a/src/commonMain/kotlin/okio", "b/src/jvmMain/kotlin/okio"], []),
    ("Scala", "x/A.scala", ["org.shop.{App, db}", "scala.util.Try"], ["core/src/main/java/org/shop"], []),
    ("C#", "src/Web/A.cs",
     ["System.Text", "Clean.Core", "Clean.Core.Gone", "static Clean.Core.Models.M", "X = Clean.Core.A"],
     ["src/Clean.Core", "src/Clean.Core/Models"], ["Clean.Core"]),
    ("PHP", "php/x.php", ["App\\Db\\Store", "App\\Fun\\go", "Other\\Thing", "Closure"],
     ["php/Db", "php/Fun"], ["Other.Thing"]),
    ("C", "native/a.c", ["shop/store.h", "<stdio.h>", "<vector>"], ["native/include/shop"], []),
    ("Ruby", "bin2/a.rb", ["require 'shop/book", "require 'json", "require 'rails"], ["lib/shop"], ["rails"]),
    ("Ruby", "lib/a.rb", ["require_relative './shop/book"], ["lib/shop"], []),
    ("Lua", "x/a.lua", ["db.store", "string", "cjson"], ["lua/db"], ["cjson"]),
    ("Elixir", "x/a.ex", ["Shop.Book", "GenServer"], ["ex"], []),
    ("Bash", "x/a.sh", ["../tools/helper.py", "./gone.sh"], ["tools"], []),
]  # fmt: skip


@pytest.mark.parametrize(("language", "path", "imports", "internal", "external"), CASES)
def test_an_import_leads_to_a_directory_or_a_package(
    language: str, path: str, imports: list[str], internal: list[str], external: list[str]
) -> None:
    place, _, name = path.rpartition("/")
    files = [FileFacts(name, language, imports=tuple(imports))]
    assert dependencies(place, files, INDEX) == Dependencies(internal, external)


def test_dependents_are_the_reverse_of_dependencies() -> None:
    facts = {
        "src/app": (FileFacts("main.py", "Python", imports=("app.db.store",)),),
        "src/app/db": (FileFacts("store.py", "Python", imports=("app.main",)),),
        "tools": (FileFacts("helper.py", "Python", imports=("app.db",)),),
        "": (),
    }
    assert {place: dependents(place, facts, INDEX) for place in facts} == {
        "src/app": ["src/app/db"],
        "src/app/db": ["src/app", "tools"],
        "tools": [],
        "": [],
    }


def test_a_tsconfig_is_read_with_its_comments_and_trailing_commas() -> None:
    paths = '"paths": {"@/*": ["./*"], "@/a": ["b//c"],}'
    config = script_config(
        '{ // here\n"extends": "../base", "compilerOptions": {"baseUrl": "src", /* x */ ' + paths + ", },}"
    )
    assert (config.extends, config.base, config.paths) == (
        ("../base",),
        "src",
        (("@/a", ("b//c",)), ("@/*", ("./*",))),
    )
    assert script_config("[]") == script_config("{") == ((), None, ())


def test_manifests_name_entries_and_crates() -> None:
    assert package_entry('{"main": "dist/index.js", "types": "src/index.ts"}') == "src/index.ts"
    assert package_entry('{"exports": {".": "./lib/a.js"}}') == "./lib/a.js"
    assert package_entry("{}") == ""
    assert crate_roots('[package]\nname = "grep-x"\n') == {"grep_x": "src/lib.rs"}
    assert crate_roots(
        '[package]\nname = "r"\n[lib]\nname = "l"\npath = "a/l.rs"\n[[bin]]\nname = "rg"\npath = "m.rs"\n'
    ) == {
        "l": "a/l.rs",
        "rg": "m.rs",
    }
    assert crate_roots("[workspace]\n") == {}
