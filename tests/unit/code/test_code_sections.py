"""Source files are cut at what they declare, in every language of the table."""

# ruff: noqa: E501  # samples are written as one string each
from __future__ import annotations

import pytest

from holdfast.code.code_sections import MINIFIED, MOST_SYMBOLS, WINDOW, cut_source, symbol_at

SAMPLES = {
    "Python": (
        (
            '@cached\ndef read(path: str) -> bytes:  # note\n    """Read a file. More."""\n\nclass Store(dict):\n    LIMIT = 3\n'
            "    def _drop(self): pass\n    async def keep(self): pass\n"
        ),
        [
            "fn read(path: str) -> bytes",
            "class Store(dict)",
            "const Store.LIMIT = 3",
            "fn Store._drop(self)",
            "fn Store.keep(self)",
        ],
    ),
    "JavaScript": (
        (
            "function Parser () {}\n\nParser.prototype.run = function (body) {\n  return 1\n}\nconst max = 3\n"
            "module.exports = { parse: (text) => text, close () {} }\nexports.open = async () => {}\n"
        ),
        [
            "fn Parser()",
            "fn Parser.run = function (body)",
            "var max = 3",
            "fn parse: (text)",
            "fn close()",
            "fn open = async ()",
        ],
    ),
    "TypeScript": (
        (
            "/** One plugin. */\nexport interface Plugin<T> extends Base {\n  name: string\n  resolve(id: string): T\n}\n"
            "export namespace ns {\n  export const limit = 1\n}\ntype Id = string | number\n"
            "export abstract class Box {\n  abstract open(): void\n}\ndescribe('x', () => {\n  const hidden = 1\n})\n"
        ),
        [
            "interface Plugin<T> extends Base",
            "fn Plugin.resolve(id: string): T",
            "var ns.limit = 1",
            "type Id = string | number",
            "class Box",
            "fn Box.open(): void",
        ],
    ),
    "Go": (
        (
            "package x\n\n// Limit is the most.\nconst Limit = 128 * 1024\n\ntype Server struct {\n\tName string\n}\n\n"
            "func (s *Server) Serve(port int) error {\n\tvar inner int\n\treturn nil\n}\n"
        ),
        ["const Limit = 128 * 1024", "struct Server", "var Server.Name string", "fn Server.Serve(port int) error"],
    ),
    "Rust": (
        (
            "cfg_rt! {\n    /// Start it.\n    pub fn spawn(x: u8) -> u8 {\n        x\n    }\n}\n\nimpl<T> Queue<T> {\n"
            "    pub(crate) fn push(&self) {}\n}\n\n#[macro_export]\nmacro_rules! join { () => {} }\npub const MAX: usize = 3;\n"
        ),
        ["fn spawn(x: u8) -> u8", "fn Queue.push(&self)", "macro join", "const MAX: usize = 3"],
    ),
    "Java": (
        (
            "class Check extends Base {\n  private static final int MAX = 3;\n  @Override\n  public int run(int a) { return a; }\n"
            "  Check() {}\n  enum Kind { A { boolean valid() { return true; } } }\n}\n"
        ),
        [
            "class Check extends Base",
            "const Check.MAX = 3",
            "fn Check.run(int a) -> int",
            "fn Check.Check()",
            "enum Check.Kind",
            "const Check.Kind.A",
            "fn Check.Kind.A.valid() -> boolean",
        ],
    ),
    "C": (
        (
            "#define LIMIT 3\n#define MAX(a, b) ((a) > (b))\nstruct point { int x; };\ntypedef struct { int a; } pair_t;\n"
            "static int *find(struct point *p)\n{\n  return 0;\n}\n"
        ),
        ["macro LIMIT 3", "macro MAX(a, b)", "struct point", "type pair_t", "fn find(struct point *p) -> int"],
    ),
    "C++": (
        "namespace net {\nclass Socket {\n public:\n  void open() {}\n};\ntemplate <typename T>\nT Socket::read(int n) { return n; }\n}\n",
        ["class net.Socket", "fn net.Socket.open() -> void", "fn net.Socket.read(int n) -> T"],
    ),
    "C#": (
        "namespace A.B;\npublic class Store {\n  public int Limit { get; set; }\n  internal void Put(string key) { }\n}\n",
        ["class Store", "var Store.Limit", "fn Store.Put(string key)"],
    ),
    "Ruby": (
        "module Net\n  LIMIT = 3\n  class Http < Base\n    # Get it.\n    def get(path)\n      1\n    end\n    def self.open; end\n  end\nend\n",
        ["module Net", "const Net.LIMIT = 3", "class Net.Http < Base", "fn Net.Http.get(path)", "fn Net.Http.open"],
    ),
    "PHP": (
        "<?php\ninterface Reader {}\nclass File implements Reader {\n  const MAX = 1;\n  private function read($a): string { return ''; }\n}\nfunction open() {}\n",
        [
            "interface Reader",
            "class File implements Reader",
            "const File.MAX = 1",
            "fn File.read($a): string",
            "fn open()",
        ],
    ),
    "Kotlin": (
        "class Store(val a: Int) : Base() {\n  fun put(key: String): Int = 1\n  companion object { fun of() = 1 }\n}\nobject One\nval LIMIT = 3\n",
        [
            "class Store(val a: Int) : Base()",
            "fn Store.put(key: String): Int",
            "fn Store.of()",
            "object One",
            "const LIMIT = 3",
        ],
    ),
    "Swift": (
        "struct Point: Codable {\n  let x = 1\n  func move(by: Int) -> Int { 1 }\n}\nprotocol Shape { func area() -> Int }\n",
        [
            "class Point: Codable",
            "var Point.x = 1",
            "fn Point.move(by: Int) -> Int",
            "interface Shape",
            "fn Shape.area() -> Int",
        ],
    ),
    "Scala": (
        "object Main {\n  val limit = 3\n  def run(a: Int): Int = { a }\n}\ntrait Shape\ncase class Box(a: Int)\n",
        ["object Main", "var Main.limit = 3", "fn Main.run(a: Int): Int", "trait Shape", "class Box(a: Int)"],
    ),
    "Zig": ("const limit = 3;\npub fn add(a: i32) i32 {\n    return a;\n}\n", ["var limit", "fn add(a: i32) i32"]),
    "Lua": ("local function hidden(a)\nend\nfunction M.open(path)\nend\n", ["fn hidden(a)", "fn M.open(path)"]),
    "Bash": ("set -e\nbuild() {\n  echo\n}\n", ["fn build()"]),
    "Elixir": (
        "defmodule App.Web do\n  def start(port) do\n    port\n  end\n  defp hidden, do: 1\nend\n",
        ["module App.Web", "fn App.Web.start", "fn App.Web.hidden"],
    ),
    "OCaml": ("let limit = 3\nlet add a b = a + b\ntype t = int\n", ["fn limit", "fn add", "type t"]),
    "Haskell": ("module A where\ndata Tree = Leaf\nclass Shape a where\n", ["module A", "data Tree", "class Shape"]),
    "Dart": ("class Box {\n}\nenum Kind { a }\n", ["class Box", "enum Kind"]),
}


@pytest.mark.parametrize("language", SAMPLES)
def test_the_declarations_of_every_language_are_found_with_their_owners(language: str) -> None:
    source, expected = SAMPLES[language]
    found = [symbol.shown for symbol in cut_source(source.encode(), language).symbols]
    missing = [each for each in expected if not any(shown.startswith(each) for shown in found)]
    assert not missing, found


@pytest.mark.parametrize(
    ("language", "source", "names"),
    [
        ("Python", "RED, GREEN = range(2)\n", ["RED", "GREEN"]),
        (
            "Go",
            "package x\ntype Box struct {\n\ttop, left int\n}\ntype Run interface {\n\tRun() error\n}\n",
            ["Box", "Box.top", "Box.left", "Run", "Run.Run"],
        ),
        (
            "TypeScript",
            "interface Env {\n  DEV: boolean\n}\nenum Side { Left = 1 }\n",
            ["Env", "Env.DEV", "Side", "Side.Left"],
        ),
        (
            "C++",
            (
                "const int limit = 3;\nusing mode = int;\nenum Kind { plain };\nint later(int);\n"
                "class Box {\n  int size_;\n  void open(int);\n};\nvoid f() { int local = 1; }\n"
            ),
            ["limit", "mode", "Kind", "Kind.plain", "Box", "Box.size_", "Box.open", "f"],
        ),
        (
            "C",
            "static enum {\n\tOFF,\n} mode;\ntypedef enum { P_A } P;\nint f(void)\n{\n\tenum { IN } x;\n\treturn 0;\n}\n",
            ["mode", "mode.OFF", "P", "P.P_A", "f"],
        ),
        ("Rust", "enum Kind {\n    Plain,\n}\n", ["Kind", "Kind.Plain"]),
        (
            "Ruby",
            "class Column\n  attr_reader :kind, :size\n  puts :hidden\nend\n",
            ["Column", "Column.kind", "Column.size"],
        ),
    ],
)
def test_fields_members_and_several_names_at_once_are_found_and_no_locals(
    language: str, source: str, names: list[str]
) -> None:
    assert [symbol.name for symbol in cut_source(source.encode(), language).symbols] == names


def test_a_symbol_has_the_lines_of_its_comment_decorators_and_attributes() -> None:
    rust = b"use x;\n\n/// Runs it. Slowly.\n#[inline]\npub fn run() {\n}\n"
    (symbol,) = cut_source(rust, "Rust").symbols
    assert (symbol.first, symbol.line, symbol.last, symbol.doc, symbol.is_public) == (3, 5, 6, "Runs it.", True)
    (symbol,) = cut_source(b"x()\n@cached\ndef run():\n    pass\n", "Python").symbols
    assert (symbol.first, symbol.line, symbol.last) == (2, 3, 4)


@pytest.mark.parametrize("language", SAMPLES)
def test_pieces_hold_every_telling_line_once_and_in_order(language: str) -> None:
    data = (SAMPLES[language][0] * 20).encode()
    cut = cut_source(data, language)
    held = [line for piece in cut.pieces for line in range(piece.first, piece.last + 1)]
    assert held == sorted(set(held))
    telling = {number for number, line in enumerate(data.split(b"\n"), 1) if line.strip()}
    assert telling <= set(held)
    for piece in cut.pieces:
        if piece.symbol >= 0:
            assert cut.symbols[piece.symbol].first <= piece.first <= cut.symbols[piece.symbol].last


def test_a_long_body_is_cut_into_pieces_of_one_symbol() -> None:
    body = "".join([f"    x{n} = {n}\n" + ("\n" if n % 10 == 9 else "") for n in range(200)])
    cut = cut_source(f"def run():\n{body}".encode(), "Python")
    assert [piece.symbol for piece in cut.pieces] == [0] * len(cut.pieces)
    assert len(cut.pieces) > 2
    assert all(piece.last - piece.first < 70 for piece in cut.pieces)


def test_text_without_declarations_is_cut_into_windows() -> None:
    cut = cut_source(b"step one\n" * 100, "Nim")
    assert cut.symbols == []
    assert max(piece.last - piece.first + 1 for piece in cut.pieces) <= WINDOW


def test_the_innermost_symbol_of_a_line_is_found() -> None:
    cut = cut_source(b"class A:\n    def b(self):\n        pass\n    x = 1\n\nz = 1\n", "Python")
    assert [getattr(symbol_at(cut.symbols, line), "name", None) for line in (1, 3, 4, 5, 6)] == [
        *("A", "A.b", "A.x", None, "z"),
    ]


def test_a_file_that_no_person_wrote_has_bounded_parts() -> None:
    assert cut_source(b"var a=1;" * 20_000, "JavaScript").unread == MINIFIED
    many = cut_source(b"x = 1\n" * 100_000, "Python")
    assert len(many.symbols) == MOST_SYMBOLS
    assert cut_source(b"x" * (2 << 20), "Python").pieces == []
    assert cut_source(b"\x00\x01" * 100, "C").pieces == []


def test_bytes_that_are_not_utf_8_are_cut_as_well() -> None:
    (symbol,) = cut_source(b"# caf\xe9\ndef run(a='\xff'):\n    pass\n", "Python").symbols
    assert (symbol.name, symbol.line) == ("run", 2)


def test_a_name_that_is_part_of_another_word_of_its_declaration_is_found_where_it_is_a_word() -> None:
    shown = {
        "Python": ("def f(x):\n    pass\nclass s: ...\n", ["fn f(x)", "class s"]),
        "Go": ("package a\nfunc f(n int) {\n}\n", ["fn f(n int)"]),
        "Java": ("class A { String tr(int a) { return null; } }\n", ["class A", "fn A.tr(int a) -> String"]),
    }
    for language, (source, symbols) in shown.items():
        assert [symbol.shown for symbol in cut_source(source.encode(), language).symbols] == symbols


def test_macros_that_a_grammar_cannot_know_keep_no_symbol_from_its_name() -> None:
    source = (
        b"FMT_BEGIN_NAMESPACE\nnamespace detail {\ntemplate <typename T, FMT_ENABLE_IF(is_big<T>::value)>\n"
        b"FMT_CONSTEXPR20 auto grow(T n) -> T {\n  return n;\n}\n}\n\n"
        b"FMT_EXPORT\ntemplate <typename T>\nclass FMT_API buffer {\n public:\n  FMT_INLINE void clear() { size_ = 0; }\n};\nFMT_END_NAMESPACE\n"
    )
    names = {symbol.name for symbol in cut_source(source, "C++").symbols}
    assert names == {"detail.grow", "buffer", "buffer.clear"}
