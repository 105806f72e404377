"""What counts as public in each language: one case for each way to say it."""

from __future__ import annotations

import pytest

from holdfast.code.analysis.analyser import analyse
from holdfast.code.analysis.facts import Export

# what it shows: (file, source, the signatures)
CASES: dict[str, tuple[str, str, list[str]]] = {
    "a function put on an object": ("a.js", "res.send = function send(body) {};", ["res.send(body)"]),
    "one function under two names": ("a.js", "req.get = req.header = (n) => n;", ["req.get(n)", "req.header(n)"]),
    "a function put on a prototype": ("a.js", "Foo.prototype.bar = function (a) {};", ["Foo.bar(a)"]),
    "nothing inside a function": ("a.js", "function f() { this.x = function () {}; }", []),
    "a module that is a function": (
        "a.js",
        "exports = module.exports = create;\nfunction create(x) {}\n",
        ["create(x)"],
    ),
    "a module that is an object with a name": (
        "a.js",
        "var app = exports = module.exports = {};\napp.init = function init() {};\n",
        ["app.init()"],
    ),
    "a module that is a class": ("a.js", "module.exports = class K { m() {} };", ["class K", "K.m()"]),
    "methods of a module's object": ("a.js", "module.exports = { go(a) {}, f: (b) => b, x };", ["go(a)", "f(b)", "x"]),
    "everything of another module": ("a.ts", 'export * from "./a";', ["* from ./a"]),
    "everything under a name": ("a.ts", 'export * as ns from "./b";', ["* as ns from ./b"]),
    "names with comments between them": ("a.ts", 'export {\n  A,\n  // old\n  B, /* c */\n} from "./q";', ["A", "B"]),
    "some names of another module": ("a.ts", 'export { A, b as C } from "./q";', ["A", "C"]),
    "a namespace": (
        "a.ts",
        "export namespace N { export const x = 1; export function f(): void {} const hid = 1; }",
        ["namespace N", "N.const x", "N.f(): void"],
    ),
    "ambient declarations": (
        "a.d.ts",
        "declare function f(x: string): void;\ndeclare const Y: number;\ndeclare class C { m(): void }\n",
        ["f(x: string): void", "const Y: number", "class C", "C.m(): void"],
    ),
    "a module that is a value": ("a.ts", "class Foo {}\nexport = Foo;", ["class Foo"]),
    "let is not const": ("a.ts", "export let z = 1;", ["let z"]),
    "names taken apart": ("a.ts", "export const { a, b } = make();", ["const a", "const b"]),
    "a class without a name": (
        "a.ts",
        "export default class extends B { go() {} }",
        ["default class extends B", "default.go()"],
    ),
    "pub use": (
        "a.rs",
        "pub use crate::a::{B, c as D, e::*};\nuse crate::hid::X;",
        ["use crate::a::B", "use crate::a::c as D", "use crate::a::e::*"],
    ),
    "an exported macro": (
        "a.rs",
        "#[macro_export]\nmacro_rules! mac { () => {} }\nmacro_rules! hid { () => {} }",
        ["macro mac!"],
    ),
    "methods of a trait": (
        "a.rs",
        "pub trait T { fn a(&self) -> u8; fn b(&self) {} }\ntrait Hid { fn c(&self); }",
        ["trait T", "T::a(&self) -> u8", "T::b(&self)"],
    ),
    "not what only the crate sees": ("a.rs", "pub(crate) fn a() {}\npub(super) struct B;\npub fn c() {}", ["c()"]),
    "members of a generic type": ("a.rs", "impl<T> Foo<T> { pub fn x() {} pub(crate) fn y() {} }", ["Foo::x()"]),
    "not tests inside a file": ("a.rs", "#[cfg(test)]\npub mod tests { pub fn t() {} }\npub fn c() {}", ["c()"]),
    "constants": (
        "A.java",
        "class A { public static final int MAX = 3; private static final int HID = 1; int field; }",
        ["class A", "A: int MAX"],
    ),
    "constants of an interface": ("A.java", "interface I { int C = 1; }", ["interface I", "I: int C"]),
    "nested types": (
        "A.java",
        "class A { static class In { void m() {} } private class Hid {} enum Q { X } }",
        ["class A", "class In", "In: void m()", "enum Q"],
    ),
    "a private method whose name is part of the word": (
        "A.java",
        "class A { private char at(int i) { return 1; } }",
        ["class A"],
    ),
    "an annotation with parentheses in a text": ("A.java", '@Map("/a(b)") class D {}', ["class D"]),
    "top-level values and aliases": (
        "a.kt",
        "val top: Int = 3\nconst val MAX = 3\nprivate val hid = 1\ntypealias T = List<String>\n",
        ["val top: Int", "const val MAX", "typealias T = List<String>"],
    ),
    "members of a companion": (
        "a.kt",
        "class A {\n    companion object {\n        const val K = 1\n        fun make(): A = A()\n    }\n}\n",
        ["class A", "A.const val K", "A.make(): A"],
    ),
    "properties": (
        "a.swift",
        "public let top: Int = 3\nstruct S {\n static let b = 3\n private var c = 1\n var d: Int { 1 }\n}\n",
        ["let top: Int", "struct S", "S.let b", "S.var d: Int"],
    ),
    "constants and attributes": (
        "a.rb",
        "class A\n  MAX = 3\n  H = 1\n  private_constant :H\n  attr_accessor :name, :age\nend\n",
        ["class A", "A::MAX", "A.name", "A.age"],
    ),
    "methods of the class itself": (
        "a.rb",
        "class A\n  class << self\n    def make(a); end\n    private\n    def hid; end\n  end\nend\n",
        ["class A", "A.make(a)"],
    ),
    "what a word before it or a name after it makes private": (
        "b.rb",
        "class A\n  def a; end\n  def b; end\n  private :b\n  private def c; end\n  def d; end\nend\n",
        ["class A", "A.a", "A.d"],
    ),
    "macros and variables": (
        "a.h",
        "#ifndef H\n#define H\n#define MAX 3\n#define SQ(x) ((x)*(x))\nextern int count;\nstatic int hid;\n#endif\n",
        ["#define MAX", "#define SQ(x)", "extern int count"],
    ),
    "a type that is a word": (
        "a.php",
        "<?php class A { public static function make(): static {} }",
        ["class A", "A::make(): static"],
    ),
    "constants in either place": (
        "b.php",
        "<?php class A { const M = 3; private const H = 1; }\nconst B = 2;",
        ["class A", "A::const M", "const B"],
    ),
    "constants of a class": (
        "a.cs",
        "public class C { public const int MAX = 3; public int field; private const int H = 1; }",
        ["class C", "C: const int MAX"],
    ),
    "an attribute with a bracket in a text": ("b.cs", '[Attr("x]y")]\npublic class C {}', ["class C"]),
    "__all__ that grows": (
        "a.py",
        '__all__ = ["a"]\n__all__ += ["b"]\n__all__.extend(["c"])\n__all__.append("d")\n',
        ["a", "b", "c", "d"],
    ),
    "__all__ that is a sum": ("b.py", '__all__ = ["a"] + other.__all__ + ("b",)\n', ["a", "b"]),
    "names imported as themselves": ("c.py", "from .x import Y as Y\nfrom .x import Z\ndef f(): ...\n", ["Y", "f()"]),
    "a package that only passes on": ("__init__.py", "from .x import Y, _z\nfrom os import path\n", ["Y"]),
    "values with a type or a class": (
        "d.py",
        "request: Request = LocalProxy(x)\napp = Flask(__name__)\nlog = getLogger()\nn = 1\n",
        ["request: Request", "app"],
    ),
    "a definition behind a condition": (
        "e.py",
        "try:\n    import a\nexcept E:\n    def a(): ...\nif x:\n    B = 1\n",
        ["a()", "B"],
    ),
    "more methods than are shown": (
        "f.py",
        "class A:\n" + "".join([f"    def m{at:03}(self): ...\n" for at in range(400)]),
        ["class A: " + ", ".join([f"m{at:03}()" for at in range(375)]) + ", … 25 more"],
    ),
    "a Zig file": (
        "a.zig",
        "pub const Max = 3;\npub const B = struct {\n pub fn f(self: *B) void {}\n fn h() void {}\n};\n",
        ["const Max", "const B struct", "B.f(self: *B) void"],
    ),
    "a Scala file": (
        "a.scala",
        "class A(val x: Int) { def f(i: Int) = i; private def h = 1 }\ncase class P(a: Int)\nobject O { val M = 3 }",
        ["class A(val x: Int)", "A.f(i: Int)", "case class P(a: Int)", "object O", "O.val M"],
    ),
    "a Lua file": (
        "a.lua",
        "local M = {}\nfunction M.find(id) end\nfunction M:go() end\nlocal function h() end\nfunction top() end\n",
        ["M.find(id)", "M:go()", "top()"],
    ),
    "a shell script": (
        "a.sh",
        "readonly MAX=3\nfind_it() { :; }\nfunction top { :; }\n_hid() { :; }\nx=1\n",
        ["MAX", "find_it()", "top()"],
    ),
    "an Elixir file": (
        "a.ex",
        "defmodule App.Book do\n  def f(x) when x > 0, do: 1\n  def f(x), do: 2\n  defp h(x), do: x\nend\n",
        ["defmodule App.Book", "Book.f(x)"],
    ),
    "an OCaml file": (
        "a.ml",
        "let max = 3\nlet _h = 1\ntype t = int\nmodule I = struct let x = 1 end\n",
        ["let max", "type t", "module I", "let I.x"],
    ),
    "an OCaml interface": ("a.mli", "val find : int -> int\ntype t\n", ["val find : int -> int", "type t"]),
}


@pytest.mark.parametrize("what", CASES)
def test_what_is_public_is_found_and_nothing_else(what: str) -> None:
    name, source, expected = CASES[what]
    exports = analyse(name, source.encode()).exports
    assert [export.signature for export in exports if not export.is_inner] == expected


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("a.rs", "pub(crate) fn f() {}"),
        ("a.kt", "internal fun f() {}"),
        ("a.cs", "internal class f {}"),
    ],
)
def test_what_only_its_own_module_sees_is_known_and_no_export(name: str, source: str) -> None:
    assert [(export.name, export.is_inner) for export in analyse(name, source.encode()).exports] == [("f", True)]


def test_an_export_knows_its_name_its_owner_and_where_it_comes_from() -> None:
    found = [
        *analyse("a.go", b"package a\nfunc (e *Engine[T]) Run() {}\ntype I interface { Get() int }\n").exports,
        *analyse("a.ts", b'export { A } from "./q";\n').exports,
        *analyse("a.py", b"class B:\n    def go(self): ...\n").exports,
    ]
    assert found == [
        Export("(e *Engine[T]) Run()", "", "Run", "Engine", line=2),
        Export("type I interface", "", "I", members=("Get",), line=3),
        Export("A", "", "A", origin="./q"),
        Export("class B: go()", "", "B", members=("go",), line=1),
    ]


@pytest.mark.parametrize(
    ("name", "source", "package"),
    [
        ("A.java", "package com.x.app;\nclass A {}", "com.x.app"),
        ("a.kt", "package com.x\nfun f() {}", "com.x"),
        ("a.scala", "package com.x\nclass A", "com.x"),
        ("a.cs", "namespace App.Core;\nclass A {}", "App.Core"),
        ("b.cs", "using System;\nnamespace App.Core { class A {} }", "App.Core"),
        ("a.php", "<?php\nnamespace App\\Core;\n", "App\\Core"),
        ("a.go", "package gin\n", "gin"),
        ("a.ex", "defmodule App.Book do\nend\n", "App.Book"),
        ("a.py", "x = 1\n", ""),
    ],
)
def test_a_file_says_which_package_it_is_in(name: str, source: str, package: str) -> None:
    assert analyse(name, source.encode()).package == package


@pytest.mark.parametrize(
    ("name", "source", "doc"),
    [
        ("a.go", "// Package a does it.\npackage a\n", "Package a does it."),
        ("b.go", "// Copyright X\n\n// Something apart.\n\npackage a\n\n// Content types.\nconst A = 1\n", ""),
        ("lib.rs", "//! Does it.\n//! Well.\n\n/// A repo.\npub struct A;\n", "Does it."),
        ("b.rs", "// We use this type alias.\npub type A = u8;\n", ""),
        ("index.ts", "/** Does it. */\n\nexport const a = 1;\n", "Does it."),
        ("b.ts", "/** @deprecated - use `parseSync` instead */\nexport const a = 1;\n", ""),
        ("c.ts", "/** @experimental */\n\nexport const a = 1;\n", ""),
        ("d.ts", "/** About a. */\nexport const a = 1;\n", ""),
        ("e.ts", "/**\n * @packageDocumentation\n * Does it.\n */\nexport const a = 1;\n", "Does it."),
        ("f.js", "// this file should re-export only\n\nexport const a = 1;\n", ""),
        ("A.java", "/** About A. */\npublic class A {}\n", ""),
        ("package-info.java", "/** Does it. */\npackage a.b;\n", "Does it."),
        ("a.rb", "# frozen_string_literal: true\n\n# Does it.\n\nmodule A; end\n", "Does it."),
        ("a.sh", "#!/bin/sh\n# Does it.\n\nset -e\n", "Does it."),
        ("a.ex", 'defmodule A do\n  @moduledoc """\n  Does it.\n  """\nend\n', "Does it."),
        ("a.ml", "(** Does it. *)\n\nlet a = 1\n", "Does it."),
        ("bom.py", '\ufeff"""Does it."""\n', "Does it."),
    ],
)
def test_only_what_a_file_says_of_itself_speaks_for_it(name: str, source: str, doc: str) -> None:
    assert analyse(name, source.encode()).doc == doc


@pytest.mark.parametrize(
    ("name", "source", "generated"),
    [
        ("a.go", "// Code generated by x. DO NOT EDIT.\npackage a\n", True),
        ("a.pb.go", "package a\n", True),
        ("a.ts", "/* @generated */\n", True),
        ("A.java", "class A { @GeneratedValue int id; }\n", False),
        ("a.py", '"""Tells which files are generated."""\n', False),
    ],
)
def test_a_file_that_a_program_wrote_is_known(name: str, source: str, generated: bool) -> None:
    assert analyse(name, source.encode()).generated is generated
