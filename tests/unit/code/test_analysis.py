"""What is found in a source file of each language."""

from __future__ import annotations

import pytest

from holdfast.code.analysis import parsers
from holdfast.code.analysis.analyser import analyse
from holdfast.code.analysis.facts import MAX_ANALYSED, NO_GRAMMAR, TOO_LARGE, FileFacts, first_sentence

# name: (source, what the file says of itself, exports, imports)
SAMPLES = {
    "orders.ts": (
        """\
/** Holds orders. */
import { Store } from "./db/store";
import fs from "node:fs";
export function formatDate(date: Date, n = 3): string { return ""; }
export async function load<T>(x: T): Promise<T> { return x; }
export class OrderBook extends Base implements Named {
  constructor(a: number) {}
  find(id: number): User | null { return null; }
  private hid() {}
  static make(): OrderBook { return null as any } }
export abstract class Ab {}
export interface Named { name: string }
export type Alias = string | number;
export enum E { A }
export const MAX: number = 3;
export const arrow = async (a: number): Promise<void> => {};
const local = 1, other = 2;
export { local, other as renamed };
export * from "./more";
export default function main() {}
declare function amb(x: string): void;
""",
        "Holds orders.",
        [
            "formatDate(date: Date, n = 3): string",
            "load(x: T): Promise<T>",
            "class OrderBook extends Base implements Named",
            "OrderBook.find(id: number): User | null",
            "OrderBook.make(): OrderBook",
            "abstract class Ab",
            "interface Named",
            "type Alias",
            "enum E",
            "const MAX: number",
            "arrow(a: number): Promise<void>",
            "const local",
            "renamed",
            "* from ./more",
            "main()",
            "amb(x: string): void",
        ],
        ["./db/store", "node:fs", "./more"],
    ),
    "orders.js": (
        """\
// Holds orders.
const fs = require("fs");
const { x } = require("./db/store");
function top(a, b = 1) {}
class R { go() {} }
module.exports = { top, R, y: 3 };
exports.extra = function (z) {};
""",
        "",  # a line above a declaration is about that
        ["top(a, b = 1)", "class R", "R.go()", "y", "extra(z)"],
        ["fs", "./db/store"],
    ),
    "orders.go": (
        """\
// Package app holds orders.
package app
import (
	"fmt"
	db "example.com/x/db"
)
import "strings"
// Repo is a repo.
type Repo struct { A int }
type named interface { Name() string }
// Find finds.
func (r *Repo) Find(id int) (*User, error) { return nil, nil }
func (r *Repo) hid() {}
func Top(a int, b ...string) []string { return nil }
const Max = 3
var Global, other = 1, 2
""",
        "Package app holds orders.",
        [
            "type Repo struct",
            "(r *Repo) Find(id int) (*User, error)",
            "Top(a int, b ...string) []string",
            "const Max",
            "var Global",
        ],
        ["fmt", "example.com/x/db", "strings"],
    ),
    "orders.rs": (
        """\
//! Holds orders.
use crate::db::Store;
use std::fmt;
mod inner;
pub mod api;
/// A repo.
pub struct OrderBook { a: u8 }
pub enum E { A }
pub trait Named { fn name(&self) -> String; }
impl OrderBook { pub fn find(&self, id: u32) -> Option<User> { None } fn hid(&self) {} }
pub fn top<T: Clone>(a: T, b: &str) -> Vec<T> { vec![] }
fn no() {}
pub const MAX: u8 = 3;
pub type Alias = u8;
""",
        "Holds orders.",
        [
            "mod api",
            "struct OrderBook",
            "enum E",
            "trait Named",
            "Named::name(&self) -> String",
            "OrderBook::find(&self, id: u32) -> Option<User>",
            "top<T: Clone>(a: T, b: &str) -> Vec<T>",
            "const MAX: u8",
            "type Alias",
        ],
        ["crate::db::Store", "std::fmt", "mod inner", "mod api"],
    ),
    "Orders.java": (
        """\
package com.x.app;
import com.x.db.Store;
import static java.util.List.of;
/** Holds orders. */
public class OrderBook extends Base implements Named {
  public OrderBook(int a) {}
  public Optional<User> find(int id) throws IOException { return null; }
  private void hid() {}
  public static final int MAX = 3;
}
interface Named { String name(); }
record P(int a) {}
enum E { A }
""",
        "",
        [
            "class OrderBook extends Base implements Named",
            "OrderBook: OrderBook(int a)",
            "OrderBook: Optional<User> find(int id) throws IOException",
            "OrderBook: int MAX",
            "interface Named",
            "Named: String name()",
            "record P(int a)",
            "enum E",
        ],
        ["com.x.db.Store", "static java.util.List.of"],
    ),
    "orders.c": (
        """\
/* Holds orders. */
#include "db/store.h"
#define MAX 3
typedef struct user { int id; } user_t;
struct repo { int a; };
enum kind { A };
int find(struct repo *r, int id);
static int no(void) { return 0; }
char *top(int a, const char *b) { return 0; }
extern int global_count;
""",
        "Holds orders.",
        [
            "#define MAX",
            "typedef user_t",
            "struct repo",
            "enum kind",
            "int find(struct repo *r, int id)",
            "char *top(int a, const char *b)",
            "extern int global_count",
        ],
        ["db/store.h"],
    ),
    "orders.cpp": (
        """\
// Holds orders.
#include "db/store.h"
#include <vector>
namespace app {
class OrderBook : public Base {
 public:
  OrderBook(int a);
  std::vector<int> find(int id) const;
 private:
  void hid();
};
struct P { int x; };
enum class E { A };
template <typename T> T top(T a, int b = 3) { return a; }
static void no() {}
int decl(const char *s);
}
""",
        "Holds orders.",
        [
            "class OrderBook : public Base",
            "OrderBook: OrderBook(int a)",
            "OrderBook: std::vector<int> find(int id) const",
            "struct P",
            "enum class E",
            "T top(T a, int b = 3)",
            "int decl(const char *s)",
        ],
        ["db/store.h", "<vector>"],
    ),
    "Orders.cs": (
        """\
using System.Text;
using App.Db;
namespace App.Core {
/// <summary>Holds orders.</summary>
public class OrderBook : Base, INamed {
    public OrderBook(int a) {}
    public async Task<User> Find(int id) { return null; }
    private void Hid() {}
    public int Count { get; set; }
}
public interface INamed { string Name(); }
public record P(int A);
public enum E { A }
internal class Hidden {}
}
""",
        "",
        [
            "class OrderBook : Base, INamed",
            "OrderBook: OrderBook(int a)",
            "OrderBook: Task<User> Find(int id)",
            "OrderBook: int Count",
            "interface INamed",
            "INamed: string Name()",
            "record P(int A)",
            "enum E",
        ],
        ["System.Text", "App.Db"],
    ),
    "orders.rb": (
        """\
# Holds orders.
require 'json'
require_relative './db/store'
module App
  class OrderBook < Base
    def find(id, limit: 3)
    end
    def self.make; end
    private
    def hid; end
  end
  def self.top(a, b = 1); end
end
def main(x)
end
""",
        "Holds orders.",
        [
            "module App",
            "class OrderBook < Base",
            "OrderBook.find(id, limit: 3)",
            "OrderBook.make",
            "App.top(a, b = 1)",
            "main(x)",
        ],
        ["require 'json", "require_relative './db/store"],
    ),
    "orders.php": (
        """\
<?php
namespace App\\Core;
use App\\Db\\Store;
use function App\\f;
require_once 'x/y.php';
/** Holds orders. */
class OrderBook extends Base implements Named {
    public function find(int $id): ?User { return null; }
    private function hid() {}
    function dflt($a = 1) {}
}
interface Named { public function name(): string; }
trait T {}
function top(int $a, string $b = "x"): array { return []; }
""",
        "",
        [
            "class OrderBook extends Base implements Named",
            "OrderBook::find(int $id): ?User",
            "OrderBook::dflt($a = 1)",
            "interface Named",
            "Named::name(): string",
            "trait T",
            'top(int $a, string $b = "x"): array',
        ],
        ["App\\Db\\Store", "App\\f", "'x/y.php"],
    ),
    "Orders.kt": (
        """\
package com.x.app
import com.x.db.Store
/** Holds orders. */
class OrderBook(val store: Store) : Base() {
    fun find(id: Int): User? { return null }
    private fun hid() {}
    val count: Int = 0
}
interface Named {
    fun name(): String
}
object Single { fun go() = 1 }
fun top(a: Int, b: String = "x"): List<String> = listOf()
private fun no() {}
data class P(val a: Int)
const val MAX = 3
""",
        "",
        [
            "class OrderBook(val store: Store) : Base()",
            "OrderBook.find(id: Int): User?",
            "OrderBook.val count: Int",
            "interface Named",
            "Named.name(): String",
            "object Single",
            "Single.go()",
            'top(a: Int, b: String = "x"): List<String>',
            "data class P(val a: Int)",
            "const val MAX",
        ],
        ["com.x.db.Store"],
    ),
    "Orders.swift": (
        """\
import Foundation
import Core
/// Holds orders.
public class OrderBook: Base {
    public func find(id: Int) -> User? { return nil }
    private func hid() {}
    init(a: Int) {}
}
struct P { var x: Int }
protocol Named { func name() -> String }
enum E { case a }
func top(_ a: Int, b: String = "x") throws -> [String] { return [] }
private func no() {}
extension P { func more() {} }
""",
        "",
        [
            "class OrderBook: Base",
            "OrderBook.find(id: Int) -> User?",
            "OrderBook.init(a: Int)",
            "struct P",
            "P.var x: Int",
            "protocol Named",
            "Named.name() -> String",
            "enum E",
            'top(_ a: Int, b: String = "x") throws -> [String]',
            "extension P",
            "P.more()",
        ],
        ["Foundation", "Core"],
    ),
}

PYTHON = '''\
"""Holds orders. And more."""

import json
import os.path as p
from . import near
from ..far import thing, other
from pkg.mod import *

if TYPE_CHECKING:
    from hints import Hint

LIMIT: int = 3
lower = 4
_hidden = 5


def top(a: int, *rest: str, key: str = "x", **more: object) -> list[str]:
    """Return it. Now."""


async def later(
    first: int,
    second: str = "b",
) -> None: ...


def commented(
    a,  # why
    b,
): ...


def _private(): ...


class OrderBook(Base, metaclass=Meta):
    """A book."""

    def find(self): ...
    def _hid(self): ...


class Empty: ...
'''


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_of_each_language_gives_its_exports_imports_and_first_sentence(name: str) -> None:
    source, doc, exports, imports = SAMPLES[name]
    facts = analyse(name, source.encode())
    public = [export.signature for export in facts.exports if not export.is_inner]
    assert (facts.doc, public, list(facts.imports)) == (doc, exports, imports)


def test_a_python_file_gives_its_exports_imports_and_first_sentence() -> None:
    facts = analyse("orders.py", PYTHON.encode())
    assert (facts.doc, [export.signature for export in facts.exports], list(facts.imports)) == (
        "Holds orders.",
        [
            "LIMIT: int",
            'top(a: int, *rest: str, key: str = "x", **more: object) -> list[str]',
            'later(first: int, second: str = "b") -> None',
            "commented(a, b)",
            "class OrderBook(Base): find()",
            "class Empty",
        ],
        ["json", "os.path", ".near", "..far.thing", "..far.other", "pkg.mod", "hints.Hint"],
    )


def test_what_all_lists_is_what_is_exported() -> None:
    source = b'from .core import Engine\n__all__ = ["Engine", "run", "_odd"]\ndef run(): ...\ndef other(): ...\n'
    exports = [export.signature for export in analyse("__init__.py", source).exports]
    assert exports == ["Engine", "run()", "_odd"]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("broken.py", b"def ("),
        ("nul.py", b"a = 1\0"),
        ("deep.py", b"(" * 5000 + b")" * 5000),
        ("latin.py", b"# \xe9\na = '\xff'\n"),
    ],
)
def test_a_python_file_that_cannot_be_parsed_keeps_its_name_and_language(name: str, data: bytes) -> None:
    assert analyse(name, data) == FileFacts(name, "Python")


def test_a_file_too_large_to_be_analysed_says_so() -> None:
    data = b"x = 1\n" * (MAX_ANALYSED // 6 + 1)
    assert analyse("huge.py", data) == FileFacts("huge.py", "Python", unread=TOO_LARGE)


def test_what_is_broken_in_a_python_file_does_not_hide_the_rest() -> None:
    source = b"def new[T](x: T) -> T: ...\nmatch x:\n  case 1: pass\nprint 'old'\ndef ok(): ...\n"
    assert [export.signature for export in analyse("m.py", source).exports] == ["new[T](x: T) -> T", "ok()"]


@pytest.mark.parametrize("name", [*SAMPLES, "Orders.tsx"])
@pytest.mark.parametrize(
    "data", [b"", b"\xff\xfe\0", b"{{{{((((", b"}" * 3000, b"(" * 20_000, b"class \n func fn pub export"]
)
def test_nonsense_in_any_language_never_fails(name: str, data: bytes) -> None:
    assert analyse(name, data).name == name


def test_without_its_grammar_a_file_keeps_its_name_and_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(parsers._parsers, "Go", None)
    assert analyse("a.go", b"package a\nfunc Top() {}\n") == FileFacts("a.go", "Go", unread=NO_GRAMMAR)


@pytest.mark.parametrize(
    ("comment", "sentence"),
    [
        ("/**\n * Adds things. Then more.\n * @param a x\n */", "Adds things."),
        ("// one line\n// and its rest", "one line and its rest"),
        ("/// <summary>Adds.</summary>", "Adds."),
        ("# Copyright 2020 Someone", ""),
        ("/* eslint-disable */", ""),
        ("Version 1.2 of it, e.g. this one.\n\nMore.", "Version 1.2 of it, e.g. this one."),
        ("", ""),
    ],
)
def test_the_first_sentence_of_a_comment_is_told_without_its_marks(comment: str, sentence: str) -> None:
    assert first_sentence(comment) == sentence
