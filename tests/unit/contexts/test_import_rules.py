"""Each rule by itself: one import, the places it leads to and the package it comes from."""

from __future__ import annotations

import pytest

from holdfast.contexts.import_rules import RULES, Importer
from holdfast.contexts.project_index import Declared, Index, ScriptPaths, Workspace


def declared(place: str, *names: str) -> Declared:
    return Declared(place, frozenset(names))


INDEX = Index(
    {
        "": ["top.py", "index.ts", "main.rs", "util.rs", "root.php"],
        "pkg": ["__init__.py", "mod.py"],
        "pkg/sub": ["__init__.py", "leaf.py"],
        "pkg/data": ["a.txt"],
        "ui": ["app.ts", "index.ts"],
        "ui/deep": ["x.ts"],
        "plain/src": ["a.ts"],
        "src/kit": ["index.ts"],
        "kit2": ["index.ts"],
        "lib/pack": ["main.ts"],
        "lib/pack/src": ["inner.ts"],
        "lib/bare": ["other.ts"],
        "crates/one/src": ["lib.rs", "a.rs", "b.rs"],
        "crates/one/src/a": ["deep.rs"],
        "crates/one/src/a/low": ["mod.rs"],
        "crates/one/src/b": ["c.rs"],
        "loose/x": ["y.rs"],
        "go/mod": ["a.go"],
        "php/inc": ["f.php"],
        "c/include": ["a.h"],
        "c/deep": ["b.c"],
        "rb/lib/shop": ["book.rb"],
        "lua/db": ["init.lua", "store.lua"],
        "ml": ["store.ml"],
        "sh": ["run.sh"],
        **{place: ["x"] for place in ["j/near/db", "j/far/db", "j/db/inner", "cs/A", "cs/B", "ex/one"]},
    },
    {"example.com/m": "go", "@my/pack": Workspace("lib/pack", "main.ts"), "bare": Workspace("lib/bare")},
    packages={
        "org.db": [declared("j/far/db", "Store", "Far"), declared("j/near/db", "Store", "Near")],
        "org.db.inner": [declared("j/db/inner", "Deep")],
        "Corp.A": [declared("cs/A", "T"), declared("cs/B", "U")],
        "App.Db": [declared("cs/A", "Store")],
        "Shop.Book": [declared("ex/one")],
    },
    scripts={
        "ui": ScriptPaths(None, (("@/*", ("ui/*",)), ("exact", ("ui/app",)), ("a-*-z", ("ui/*/x",)))),
        "plain": ScriptPaths("plain/src"),
    },
    crates={"one": "crates/one/src/lib.rs"},
)
NOWHERE: list[str] = []
# rule, file that imports, import: the places and the package
CASES = [
    ("python", "pkg/x.py", ".", ["pkg"], ""),  # from . import x
    ("python", "pkg/x.py", ".mod", ["pkg"], ""),
    ("python", "pkg/x.py", ".gone", ["pkg"], ""),  # a name of the package itself
    ("python", "pkg/x.py", ".gone.more", NOWHERE, ""),
    ("python", "pkg/x.py", ".sub.leaf.Name", ["pkg/sub"], ""),
    ("python", "pkg/sub/x.py", "..mod.run", ["pkg"], ""),
    ("python", "pkg/sub/x.py", "..", ["pkg"], ""),
    ("python", "pkg/sub/x.py", "...top", [""], ""),
    ("python", "pkg/sub/x.py", "....top", NOWHERE, ""),
    ("python", "x.py", ".top", [""], ""),
    ("python", "x.py", "..top", NOWHERE, ""),
    ("python", "sh/x.py", "pkg", ["pkg"], ""),
    ("python", "sh/x.py", "pkg.sub.leaf", ["pkg/sub"], ""),
    ("python", "sh/x.py", "pkg.mod.Name", ["pkg"], ""),
    ("python", "sh/x.py", "pkg.mod.Name.member", NOWHERE, "pkg"),
    ("python", "sh/x.py", "std.x", NOWHERE, ""),
    ("python", "sh/x.py", "numpy.linalg", NOWHERE, "numpy"),
    ("jvm", "j/near/A.java", "org.db.Store", ["j/near/db"], ""),
    ("jvm", "j/far/A.java", "org.db.Store", ["j/far/db"], ""),
    ("jvm", "z/A.java", "org.db.Store", ["j/far/db"], ""),  # neither is nearer: the first
    ("jvm", "j/far/A.java", "org.db.Near", ["j/near/db"], ""),
    ("jvm", "z/A.java", "org.db.unknown", ["j/far/db"], ""),
    ("jvm", "z/A.java", "org.db.unknown.More", NOWHERE, "org.db"),
    ("jvm", "z/A.java", "org.db.inner.Deep.MAX", ["j/db/inner"], ""),
    ("jvm", "z/A.java", "static  org.db.Near.MAX", ["j/near/db"], ""),
    ("jvm", "j/near/A.java", "org.db.*", ["j/near/db"], ""),
    ("jvm", "z/A.scala", "org.db.Near._", ["j/near/db"], ""),
    ("jvm", "z/A.scala", "org.db.{Near => N, Far as F, }", ["j/near/db", "j/far/db"], ""),
    ("jvm", "z/A.scala", "other.thing.{A, B}", NOWHERE, "other.thing"),
    ("jvm", "z/A.scala", "org.db.given", ["j/far/db"], ""),
    ("jvm", "z/A.java", "std.util.List", NOWHERE, ""),
    ("jvm", "z/A.java", "org.other.a.B", NOWHERE, "org.other"),
    ("csharp", "cs/x.cs", "Corp.A", ["cs/A", "cs/B"], ""),
    ("csharp", "cs/x.cs", "static Corp.A.U", ["cs/B"], ""),
    ("csharp", "cs/x.cs", "X = Corp.A.T", ["cs/A"], ""),
    ("csharp", "cs/x.cs", "Corp.A.T", NOWHERE, "Corp.A"),
    ("csharp", "cs/x.cs", "std.Text", NOWHERE, ""),
    ("csharp", "cs/x.cs", "One.Two.Three", NOWHERE, "One.Two"),
    ("php", "cs/x.php", "App\\Db\\Store", ["cs/A"], ""),
    ("php", "cs/x.php", "\\App\\Db", ["cs/A"], ""),
    ("php", "cs/x.php", "App\\Db\\Store\\More", ["cs/A"], ""),
    ("php", "cs/x.php", "Other\\Thing\\More", NOWHERE, "Other.Thing"),
    ("php", "cs/x.php", "Closure", NOWHERE, ""),
    ("php", "cs/x.php", "std\\Thing", NOWHERE, ""),
    ("php", "php/x.php", "'inc/f.php'", ["php/inc"], ""),
    ("php", "php/x.php", "'/inc/f.php'", ["php/inc"], ""),
    ("php", "cs/x.php", '"php/inc/f.php"', ["php/inc"], ""),
    ("php", "cs/x.php", "'root.php'", [""], ""),
    ("php", "cs/x.php", "'gone.php'", NOWHERE, ""),
    ("go", "x.go", "example.com/m/mod", ["go/mod"], ""),
    ("go", "x.go", "example.com/m/gone", NOWHERE, ""),
    ("go", "x.go", "github.com/a/b", NOWHERE, "github.com/a/b"),
    ("go", "x.go", "net/http.v2", NOWHERE, ""),
    ("javascript", "ui/x.ts", "./app?raw", ["ui"], ""),
    ("javascript", "ui/x.ts", "./gone", NOWHERE, ""),
    ("javascript", "ui/deep/x.ts", "..", ["ui"], ""),
    ("javascript", "ui/deep/x.ts", "@/deep/x", ["ui/deep"], ""),
    ("javascript", "ui/x.ts", "exact", ["ui"], ""),
    ("javascript", "ui/x.ts", "exactly", NOWHERE, "exactly"),
    ("javascript", "ui/x.ts", "a-deep-z", ["ui/deep"], ""),
    ("javascript", "ui/x.ts", "a-deep-y", NOWHERE, "a-deep-y"),
    ("javascript", "ui/x.ts", "b-deep-z", NOWHERE, "b-deep-z"),
    ("javascript", "plain/x.ts", "a", ["plain/src"], ""),
    ("javascript", "kit2/x.ts", "@/kit", ["src/kit"], ""),
    ("javascript", "kit2/x.ts", "~/kit2", ["kit2"], ""),
    ("javascript", "kit2/x.ts", "@/gone", NOWHERE, ""),
    ("javascript", "kit2/x.ts", "#gone", NOWHERE, ""),
    ("javascript", "kit2/x.ts", "@my/pack", ["lib/pack"], ""),
    ("javascript", "kit2/x.ts", "@my/pack/inner", ["lib/pack/src"], ""),
    ("javascript", "kit2/x.ts", "@my/pack/gone", ["lib/pack"], ""),
    ("javascript", "kit2/x.ts", "bare", ["lib/bare"], ""),
    ("javascript", "kit2/x.ts", "bare/other", ["lib/bare"], ""),
    ("javascript", "kit2/x.ts", "node:fs", NOWHERE, ""),
    ("javascript", "kit2/x.ts", "std/promises", NOWHERE, ""),
    ("javascript", "kit2/x.ts", "@scope/pkg/deep/x", NOWHERE, "@scope/pkg"),
    ("javascript", "kit2/x.ts", "lodash/fp", NOWHERE, "lodash"),
    ("rust", "crates/one/src/lib.rs", "mod a", ["crates/one/src"], ""),
    ("rust", "crates/one/src/a.rs", "mod deep", ["crates/one/src/a"], ""),
    ("rust", "crates/one/src/a.rs", "mod low", ["crates/one/src/a/low"], ""),
    ("rust", "crates/one/src/a/deep.rs", "crate::b::c::D", ["crates/one/src/b"], ""),
    ("rust", "crates/one/src/a/deep.rs", "super::low::X", ["crates/one/src/a/low"], ""),
    ("rust", "crates/one/src/a/deep.rs", "super::super::b::c", ["crates/one/src/b"], ""),
    ("rust", "crates/one/src/a/low/mod.rs", "super::deep::X", ["crates/one/src/a"], ""),
    ("rust", "crates/one/src/a.rs", "self::low::X", ["crates/one/src/a/low"], ""),
    ("rust", "crates/one/src/lib.rs", "a::low::X", ["crates/one/src/a/low"], ""),
    ("rust", "crates/one/src/lib.rs", "a::gone::X", ["crates/one/src"], ""),
    ("rust", "crates/one/src/a.rs", "low::X", ["crates/one/src/a/low"], ""),
    ("rust", "sh/x.rs", "one::a::low::X", ["crates/one/src/a/low"], ""),
    ("rust", "sh/x.rs", "crate::util::X", [""], ""),
    ("rust", "util.rs", "crate::util::X", [""], ""),
    ("rust", "main.rs", "util::X", [""], ""),
    ("rust", "sh/x.rs", "std::fmt", NOWHERE, ""),
    ("rust", "sh/x.rs", "serde::De", NOWHERE, "serde"),
    ("rust", "sh/x.rs", "::", NOWHERE, ""),
    ("include", "c/deep/b.c", "a.h", ["c/include"], ""),
    ("include", "c/deep/b.c", "<a.h>", ["c/include"], ""),
    ("include", "c/deep/b.c", "<stdio.h>", NOWHERE, ""),
    ("ruby", "rb/bin/a.rb", "require 'shop/book", ["rb/lib/shop"], ""),
    ("ruby", "rb/bin/a.rb", 'require "shop/book.rb', ["rb/lib/shop"], ""),
    ("ruby", "rb/lib/a.rb", "require_relative 'shop/book", ["rb/lib/shop"], ""),
    ("ruby", "rb/bin/a.rb", "require_relative 'shop/book", NOWHERE, ""),
    ("ruby", "rb/bin/a.rb", "require 'rails/all", NOWHERE, "rails"),
    ("ruby", "rb/bin/a.rb", "require 'std/x", NOWHERE, ""),
    ("file", "sh/a.sh", "run.sh", ["sh"], ""),
    ("file", "sh/a.sh", "../sh/run.sh", ["sh"], ""),
    ("file", "sh/a.sh", "gone.sh", NOWHERE, ""),
    ("file", "sh/a.sh", "some/gone", NOWHERE, ""),
    ("package", "sh/a.swift", "Alamofire", NOWHERE, "Alamofire"),
    ("package", "sh/a.swift", "std", NOWHERE, ""),
    ("lua", "x/a.lua", "db.store", ["lua/db"], ""),
    ("lua", "x/a.lua", "db", ["lua/db"], ""),
    ("lua", "x/a.lua", "cjson.safe", NOWHERE, "cjson"),
    ("lua", "x/a.lua", "std", NOWHERE, ""),
    ("elixir", "x/a.ex", "Shop.Book", ["ex/one"], ""),
    ("elixir", "x/a.ex", "Shop", NOWHERE, ""),
    ("swift", "x/a.swift", "Alamofire", NOWHERE, "Alamofire"),
    ("swift", "x/a.swift", "std", NOWHERE, ""),
    ("ocaml", "ml/a.ml", "Store.find", ["ml"], ""),
    ("ocaml", "ml/a.ml", "Lwt.bind", NOWHERE, "Lwt"),
    ("ocaml", "ml/a.ml", "std", NOWHERE, ""),
]


@pytest.mark.parametrize(("rule", "path", "name", "places", "package"), CASES)
def test_an_import_leads_to_places_or_comes_from_a_package(
    rule: str, path: str, name: str, places: list[str], package: str
) -> None:
    place, _, file = path.rpartition("/")
    assert RULES[rule](Importer(place, file), name, INDEX, frozenset(["std"])) == (places, package)


def test_every_rule_has_a_case() -> None:
    assert {case[0] for case in CASES} == set(RULES)
