"""A source file cut at its symbols: what is declared, on which lines, and the pieces that a search looks at. Pure.

A symbol has all lines of its declaration, with the comment, the decorators and the attributes above it. Pieces are
disjoint and hold every line but blank ones at their ends: each belongs to the innermost symbol of its lines, or to none
where it lies between symbols. A grammar knows declarations and not what a name refers to. Where there is no grammar,
declarations are found by a pattern; where none is found, a file is cut into windows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from holdfast.code.analysis.c_family import declared_name, parsed
from holdfast.code.analysis.doc_comment import docstring
from holdfast.code.analysis.facts import MAX_ANALYSED, NO_GRAMMAR, TOO_LARGE, compact, first_sentence
from holdfast.code.analysis.go import receiver_type
from holdfast.code.analysis.parsers import parser
from holdfast.code.analysis.ruby import ATTRIBUTES, symbol_names
from holdfast.code.analysis.source_text import is_capital, is_constant_name, word_end
from holdfast.code.analysis.syntax import Node, name_of, text_of, value_names
from holdfast.code.languages import KINDS, LANGUAGES, listed

# Of records made by other rules nothing is believed; grammars change them too (`cutter_version`).
CUTTER = "code-5"
# Lines of a piece at most, and of a window where nothing says what belongs together.
LONGEST_PIECE, WINDOW = 70, 40
# A file with more symbols than this was made by a program: the others lie between the symbols.
MOST_SYMBOLS = 4_000
_LONGEST_NAME, _LONGEST_HEADER = 200, 2_000
_SHORTEST_OWN = 4  # lines less one: a smaller value among members, or part of a function, has no piece
_MOST_DEPTH, _MOST_AROUND = 3, 32  # macros inside macros; declarations inside declarations
_DOC_LINES = 40
MINIFIED = "minified"
BINARY = "binary"
_LONG_LINE = 5_000
_USUAL_LINE = 300


class Symbol(NamedTuple):
    """A declaration. `line` is the one with its name, `first` and `last` those of all that belongs to it, from 1."""

    kind: str  # fn, class, type, const, …
    name: str  # below what it is a member of: `Credentials.from_netrc`
    line: int
    first: int
    last: int
    signature: str  # what follows the name: `(self, path) -> Credentials`
    doc: str  # the first sentence of its comment
    is_public: bool

    @property
    def shown(self) -> str:
        """The declaration on one line."""
        signs = (":", "") if self.kind in ("const", "var") else ("(", "<", "[", ":", "")
        joint = "" if self.signature[:1] in signs and self.signature[:2] != "< " else " "
        return compact(f"{self.kind} {self.name}{joint}{self.signature}")


class Piece(NamedTuple):
    """Lines that are found and cited together; `symbol` is the index of theirs, -1 for none."""

    symbol: int
    first: int
    last: int


class CutFile(NamedTuple):
    """The symbols of a file in order of their lines, and its pieces; `unread` is why there are none by a grammar."""

    symbols: list[Symbol]
    pieces: list[Piece]
    unread: str = ""


def cutter_version(language: str) -> str:
    """What decides how files of a language are cut, beside their bytes."""
    reader = parser(language) if language in LANGUAGES else None
    return CUTTER if reader is None else f"{CUTTER} {reader.language.abi_version} {_version(language)}"


def _version(language: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(LANGUAGES[language].grammar.module.replace("_", "-"))
    except PackageNotFoundError:
        return ""


def cut_source(data: bytes, language: str) -> CutFile:
    """The symbols and pieces of a file; one that no person wrote, or that is too large, has no more than its name."""
    if len(data) > MAX_ANALYSED:
        return CutFile([], [], TOO_LARGE)
    if b"\0" in data[:8192]:
        return CutFile([], [], BINARY)
    lines = data.split(b"\n")
    if is_minified(data, lines):
        return CutFile([], [], MINIFIED)
    reader = parser(language) if language in LANGUAGES else None
    unread = ""
    if reader is None:
        symbols, unread = _by_pattern(lines), NO_GRAMMAR
    else:
        symbols = _Cut(data, lines, language, reader).symbols()
    return CutFile(symbols, _pieces(symbols, lines), unread)


def is_minified(data: bytes, lines: Sequence[bytes]) -> bool:
    """Whether a file has lines that no person reads."""
    return len(data) > _LONG_LINE and (len(data) > _USUAL_LINE * len(lines) or max(map(len, lines)) > 4 * _LONG_LINE)


class _Open(NamedTuple):
    """A node around those that follow: where it ends, its kind, its name for members, and its symbol's number."""

    end: int
    kind: str
    name: str
    symbol: int
    first: int  # its first and last line
    last: int
    column: int = 0


_queries: dict[str, Any] = {}


def _captured(language: str, reader: Any, root: Node) -> list[tuple[int, int, Node, str]]:
    """(start, -end, node, kind) of every node in the table of kinds, in order, the outer ones first."""
    tree_sitter = import_module("tree_sitter")
    query = _queries.get(language)
    if query is None:
        known = reader.language.id_for_node_kind
        patterns = [f"({node}) @{kind}" for node, kind in KINDS.items() if known(node, True)]
        query = _queries[language] = tree_sitter.Query(reader.language, "\n".join(patterns))
    captures = tree_sitter.QueryCursor(query).captures(root)
    found = [
        (node.start_byte, -node.end_byte, kind, node)
        for kind, nodes in captures.items()
        for node in nodes
        if KINDS.get(node.type) == kind  # some grammars have a word for all kinds of declarations
    ]
    found.sort(key=lambda each: each[:2])
    return [(start, end, node, kind) for start, end, kind, node in found]


class _Cut:
    """The symbols of one parsed file."""

    def __init__(self, data: bytes, lines: list[bytes], language: str, reader: Any) -> None:
        self._data, self._lines, self._language, self._reader = data, lines, language, reader
        self._bodies = listed(LANGUAGES[language].grammar.bodies)
        self._hidden = listed(LANGUAGES[language].grammar.hidden)
        self._comments: dict[int, int] = {}  # the last line of what lies above a declaration -> its first
        self._found: list[Symbol] = []

    def symbols(self) -> list[Symbol]:
        """All of them, in order of their lines."""
        self._read(self._data, 0, 0)
        self._found.sort(key=lambda symbol: (symbol.first, -symbol.last, symbol.line))
        return self._found

    def _read(self, data: bytes, line: int, depth: int, owner: str = "") -> None:
        """Find what is declared in some bytes that begin on a line of the file."""
        if self._language in ("C", "C++"):
            root = parsed(self._reader, data, LANGUAGES[self._language].grammar)
        else:
            root = self._reader.parse(data).root_node
        captured = _captured(self._language, self._reader, root)
        for _, _, node, kind in captured:
            if kind in ("comment", "attribute"):
                first, last = line + node.start_point[0], line + node.end_point[0]
                if node.end_point[1] == 0:  # some grammars count the line's end to a comment
                    last -= 1
                if not self._lines[first][: node.start_point[1]].strip():
                    self._comments[last] = first
        around: list[_Open] = []
        for start, end, node, kind in captured:
            if len(self._found) >= MOST_SYMBOLS:
                return
            while around and around[-1].end <= start:
                around.pop()
            if len(around) >= _MOST_AROUND:
                continue
            if kind == "items":
                self._read_macro(node, line, depth, around[-1].name if around else owner)
            elif kind not in ("comment", "attribute"):
                opened = self._opened(data, node, kind, line, around, owner)
                if opened is not None:
                    around.append(opened._replace(end=-end))

    def _read_macro(self, node: Node, line: int, depth: int, owner: str) -> None:
        """Items in a call of a macro, as of Rust's `cfg_rt! { pub fn spawn() … }`, which the grammar leaves unread."""
        body = node.named_children[-1] if node.named_children else None
        row = node.start_point[0]
        if depth >= _MOST_DEPTH or body is None or body.type != "token_tree" or node.end_point[0] < row + 2:
            return
        inner = body.text[1:-1]
        if b"fn " in inner or b"struct " in inner or b"mod " in inner:
            self._read(inner, line + body.start_point[0], depth + 1, owner)

    def _opened(self, data: bytes, node: Node, kind: str, line: int, around: list[_Open], owner: str) -> _Open | None:
        first, last = line + node.start_point[0] + 1, line + node.end_point[0] + 1
        outer = around[-1] if around else None
        if kind == "wrapper":
            column = outer.column if outer is not None and outer.kind == kind else node.start_point[1]
            return _Open(0, kind, outer.name if outer else owner, -1, first, last, column)
        above = next((each for each in reversed(around) if each.kind != "wrapper"), None)
        before = above.name if above else owner
        if kind == "holder":
            name = _holder_name(node)
            return _Open(0, kind, _joined(before, name), -1, first, last)
        is_inside = above is not None and above.kind in ("fn", "const", "var")
        if node.type == "enumerator":  # of C: seen outside of what the enumeration is the type of
            is_inside = any(each.kind == "fn" for each in around)
        if kind == "value" and node.type in _LOCALS and not is_inside:
            # Functions without a name are not captured: what they declare is indented.
            lead = outer if outer is not None and outer.kind == "wrapper" else None
            column = node.start_point[1] if lead is None else lead.column
            is_inside = column > 0 and (above is None or above.kind != "holder")
        named = _named(node, kind, is_inside, self._language)
        if named is None or not named[1] or len(named[1]) > _LONGEST_NAME:
            return None
        kind, name, value = named
        wholes = [_joined(before, each) for each in name.split("\n")]
        if outer is not None and outer.kind == "wrapper" and (outer.first == first or node.type not in _PARTS):
            first, last = outer.first, max(outer.last, last)
        at = first
        while at - 2 in self._comments:  # lines of the file count from 0 there
            first = at = self._comments[at - 2] + 1
        body = _body(value, self._bodies)
        name_line = line + self._name_row(node) + 1
        doc = self._doc(node, body, first, at=name_line)
        end = body.start_byte if body is not None else node.end_byte
        if self._language == "Python" and body is not None:  # a comment may come before the body
            fields = map(node.child_by_field_name, ("name", "parameters", "superclasses", "return_type"))
            end = max([part.end_byte for part in fields if part is not None], default=end)
        header = data[node.start_byte : min(end, node.start_byte + _LONGEST_HEADER)]
        text = header.decode("utf-8", "replace")
        signature = _signature(node, text, name, kind, has_body=body is not None)
        is_public = self._is_public(text, name, outer)
        for whole in wholes:
            self._found.append(Symbol(kind, whole, name_line, first, max(last, name_line), signature, doc, is_public))
        return _Open(0, kind, wholes[0], len(self._found) - 1, first, last)

    def _name_row(self, node: Node) -> Any:
        for field in ("name", "declarator", "pattern", "left"):
            named = node.child_by_field_name(field)
            if named is not None:
                return named.start_point[0]
        return node.start_point[0]

    def _doc(self, node: Node, body: Node | None, first: int, *, at: int) -> str:
        if self._language == "Python":
            return first_sentence(docstring(body)) if body is not None else ""
        row = node.start_point[0]
        if at - first <= 0 or row < 0:
            return ""
        lines = self._lines[first - 1 : min(at - 1, first - 1 + _DOC_LINES)]
        kept = [text for text in lines if not text.lstrip().startswith((b"@", b"#[", b"["))]
        text = b"\n".join(kept).decode("utf-8", "replace").strip()
        return first_sentence(text) if text[:1] in ("/", "*", "#", "-", "(", ";") else ""

    def _is_public(self, text: str, name: str, outer: _Open | None) -> bool:
        words = text.partition("(")[0].split()
        if self._language == "Go":
            return is_capital(name.rpartition(".")[2][:1])
        if self._language == "Rust":
            return bool(words) and words[0].startswith("pub")
        if self._language in ("C", "C++"):
            return "static" not in words
        if self._language in ("JavaScript", "TypeScript", "TSX") and outer is None:
            return "exports" in text
        return not name.rpartition(".")[2].startswith(("_", "#")) and self._hidden.isdisjoint(words)


# One of several in a list: the whole list is not its declaration.
_PARTS = frozenset("const_spec var_spec type_spec type_alias variable_declarator".split())
_LOCALS = frozenset("variable_declarator variable_declaration assignment_statement".split())
_FUNCTIONS = frozenset("arrow_function function_expression function generator_function class lambda".split())


# Where the name ends in a type, and in the arguments of Elixir's `def`.
_TYPE_END = re.compile(r"[<\[(]")
_NAME_END = re.compile(r"[ \t\n(,]")


def _joined(before: str, name: str) -> str:
    return f"{before}.{name}" if before and name else before or name


def _holder_name(node: Node) -> str:
    inner = node.child_by_field_name("type") if node.type == "impl_item" else node.child_by_field_name("name")
    return _TYPE_END.split(text_of(inner), maxsplit=1)[0].rpartition("::")[2].strip("\"'")


def _named(node: Node, kind: str, is_inside: bool, language: str) -> tuple[str, str, Node] | None:
    """The kind and the name of a declaration, and the node that has its body; None where it declares nothing.

    One that declares several names has them on lines of their own.
    """
    if kind == "value" and language in ("C", "C++"):
        return _c_value(node, is_inside)
    if kind == "value":
        return _value(node, is_inside)
    if kind == "assigned":
        return _assigned(node)
    if kind == "call":
        return _elixir(node) if language == "Elixir" else _attributes(node) if language == "Ruby" else None
    if node.type.endswith("_specifier") and node.child_by_field_name("body") is None:
        return None  # used, not declared
    if node.type == "method_declaration" and language == "Go":
        return kind, _joined(receiver_type(node), name_of(node)), node
    if node.type == "type_spec":
        inner = node.child_by_field_name("type")
        word = {"struct_type": "struct", "interface_type": "interface"}.get(inner.type if inner else "", "type")
        return word, name_of(node), node
    if node.type == "type_definition" and language.startswith("OCaml"):
        return None  # its bindings are the types
    if node.type == "type_definition" and language in ("C", "C++"):
        return kind, declared_name(node.child_by_field_name("declarator")), node
    if node.type == "function_definition" and language in ("C", "C++"):
        name = _declarator_name(node.child_by_field_name("declarator"))
        return kind, name.replace("::", "."), node
    name = name_of(node) if node.child_by_field_name("name") is not None else next(value_names(node), "")
    return kind, (name or ("constructor" if "init" in node.type or "construct" in node.type else "")), node


def _declarator_name(node: Node | None) -> str:
    """The name in a C declarator, with the class before it as C++ writes it outside of one."""
    while node is not None and node.child_by_field_name("declarator") is not None:
        node = node.child_by_field_name("declarator")
    if node is not None and node.type in ("qualified_identifier", "destructor_name", "operator_name"):
        return "".join(text_of(node).split())
    return declared_name(node)


def _value(node: Node, is_inside: bool) -> tuple[str, str, Node] | None:
    """A constant or a variable outside functions; a function that a variable is given, anywhere."""
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    if value is not None and value.type in _FUNCTIONS:
        name = node.child_by_field_name("name") or node.child_by_field_name("property") or node
        found = text_of(name) if name is not node else next(value_names(node), "")
        return ("class" if value.type == "class" else "fn"), found, value
    if is_inside:
        return None
    if node.type in ("assignment", "assignment_statement"):
        left = node.child_by_field_name("left")
        if left is None or left.type not in ("identifier", "constant", "pattern_list"):
            return None
        names = [text_of(each) for each in left.named_children or [left] if each.type in ("identifier", "constant")]
        name = "\n".join(names)
    elif node.type == "value_definition":
        return "fn", text_of(node.named_children[0].child_by_field_name("pattern")), node
    else:
        names = [text_of(each) for each in node.children_by_field_name("name") if each.is_named]
        name = "\n".join(names) or next(value_names(node), "")
    if not name or name[0] in "{[(":
        return None
    is_constant = is_constant_name(name) or node.type.startswith("const")
    return ("const" if is_constant else "var"), name.lstrip("$"), node


def _c_value(node: Node, is_inside: bool) -> tuple[str, str, Node] | None:
    """A variable outside functions, a field, a constant of an enum, and a method that a class only declares."""
    declarator = node if node.type == "enumerator" else node.child_by_field_name("declarator")
    if declarator is None or is_inside:
        return None
    inner, is_function = declarator, False
    while inner is not None and not is_function:
        is_function, inner = inner.type == "function_declarator", inner.child_by_field_name("declarator")
    if is_function:  # outside classes it is defined elsewhere
        return ("fn", _declarator_name(declarator), node) if node.type == "field_declaration" else None
    name = name_of(node) if node.type == "enumerator" else declared_name(declarator)
    is_constant = node.type == "enumerator" or text_of(node).startswith(("const", "static const"))
    return ("const" if is_constant else "var"), name, node


def _attributes(node: Node) -> tuple[str, str, Node] | None:
    """What Ruby's `attr_reader :a, :b` and its like declare."""
    if text_of(node.child_by_field_name("method")) not in ATTRIBUTES:
        return None
    return "var", "\n".join(symbol_names(node)), node


def _assigned(node: Node) -> tuple[str, str, Node] | None:
    """A function that JavaScript puts on an object: `X.prototype.f = function …`, `exports.f = …`, `f: () => …`."""
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    if value is None or value.type not in _FUNCTIONS:
        return None
    key = text_of(node.child_by_field_name("key") or node.child_by_field_name("left"))
    for lead in ("module.exports.", "exports.", "this.", "module.exports"):
        key = key.removeprefix(lead)
    name = key.replace(".prototype.", ".").strip("\"'` ") or text_of(value.child_by_field_name("name")) or "exports"
    if not name or any(sign in name for sign in "([{ \n"):
        return None
    return ("class" if value.type == "class" else "fn"), name, value


def _elixir(node: Node) -> tuple[str, str, Node] | None:
    target = text_of(node.child_by_field_name("target"))
    if target not in ("def", "defp", "defmodule", "defmacro", "defmacrop", "defprotocol", "defimpl"):
        return None
    arguments = next((child for child in node.named_children if child.type == "arguments"), None)
    text = text_of(arguments)
    name = _NAME_END.split(text, maxsplit=1)[0]
    return ("module" if target in ("defmodule", "defprotocol", "defimpl") else "fn"), name, node


def _body(node: Node, bodies: frozenset[str]) -> Node | None:
    body = node.child_by_field_name("body")
    if body is None and node.type == "type_spec":
        inner = node.child_by_field_name("type")
        if inner is not None and inner.type in ("struct_type", "interface_type") and inner.named_children:
            return inner.named_children[0]
    if body is None:
        wanted = bodies | {"do_block", "body_statement", "field_declaration_list"}
        body = next((child for child in node.children if child.type in wanted), None)
    return body


def _signature(node: Node, text: str, name: str, kind: str, *, has_body: bool) -> str:
    """What follows the name in a declaration, and the type that some languages write before it."""
    own = name.rpartition(".")[2]
    start = text.rfind(own) if node.type == "type_definition" else _word_start(text, own, _after_receiver(node))
    after = text[start + len(own) :] if start >= 0 else ""
    if "\n" in after and node.type in ("class", "module", "method", "singleton_method", "call"):
        after = after.partition("\n")[0]  # Ruby and Elixir: no sign opens the body
    if not has_body:
        after = after.partition("\n")[0] if kind in ("const", "var", "macro") else after
        after = after.removesuffix(";")
    after = compact(after.strip()).rstrip(" {([:;=").removesuffix("=>").rstrip()
    after = after.removeprefix(kind).lstrip() if node.type == "type_spec" else after
    result = node.child_by_field_name("type") if kind == "fn" and "->" not in after else None
    if result is not None and result.start_byte < node.start_byte + len(text[: max(start, 0)].encode()):
        after = f"{after} -> {compact(text_of(result), 60)}"
    return after


def _word_start(text: str, name: str, at: int) -> int:
    """Where a name is a word of its own (`f` in `func f()`), else where it is at all; -1 where it is not."""
    first = start = text.find(name, at)
    while start >= 0 and (word_end(text[start - 1 : start], 0) or word_end(text[start + len(name) :][:1], 0)):
        start = text.find(name, start + 1)
    return first if start < 0 else start


def _after_receiver(node: Node) -> int:
    receiver = node.child_by_field_name("receiver")
    return receiver.end_byte - node.start_byte if receiver is not None else 0


# Declarations as most languages write them, for those without a grammar here.
_DECLARATION = re.compile(
    r"(?a)^(?P<margin>[ \t]*+)"
    r"(?:(?:export|default|pub|public|private|protected|internal|static|final|abstract|async|override|"
    r"inline|sealed|open|local|partial|extern|unsafe|virtual|external)\b[ \t]*+)*+"
    r"(?P<kind>def|defn|defn-|defmacro|fn|fun|func|function|sub|proc|procedure|class|module|interface|struct|enum|trait|"
    r"type|object|record|namespace|package|contract|library|instance|data|newtype|macro|impl|extension|"
    r"mixin|protocol)[ \t]++"
    r"(?P<name>[A-Za-z_$][\w$.:'-]*+)(?P<rest>[^\n{]*+)"
)
_KIND_OF = {"def": "fn", "defn": "fn", "defn-": "fn", "fun": "fn", "func": "fn", "function": "fn", "sub": "fn"}


def _by_pattern(lines: list[bytes]) -> list[Symbol]:
    """Declarations that a pattern finds; each ends before the next that is indented no more."""
    found: list[tuple[int, int, str, str, str]] = []
    for number, line in enumerate(lines, 1):
        text = line[:400].decode("utf-8", "replace")
        match = _DECLARATION.match(text)
        if match and len(found) < MOST_SYMBOLS:
            kind = _KIND_OF.get(match["kind"], match["kind"])
            name = match["name"].rstrip(":.'-")
            found.append((number, len(match["margin"].expandtabs(8)), kind, name, match["rest"].strip(" ;:=")))
    symbols: list[Symbol] = []
    ends = _ends([(number, margin) for number, margin, *_ in found], len(lines))
    around: list[tuple[int, str]] = []  # margin and name of what is around
    for (number, margin, kind, name, rest), end in zip(found, ends, strict=True):
        while around and around[-1][0] >= margin:
            around.pop()
        whole = _joined(around[-1][1] if around else "", name)
        around.append((margin, whole))
        symbols.append(Symbol(kind, whole[-_LONGEST_NAME:], number, number, end, compact(rest), "", True))
    return symbols


def _ends(starts: Sequence[tuple[int, int]], count: int) -> list[int]:
    ends = [count] * len(starts)
    waiting: list[int] = []
    for at, (number, margin) in enumerate(starts):
        while waiting and starts[waiting[-1]][1] >= margin:
            ends[waiting.pop()] = number - 1
        waiting.append(at)
    return ends


def _pieces(symbols: Sequence[Symbol], lines: Sequence[bytes]) -> list[Piece]:
    """Runs of lines with one innermost symbol, long ones cut; lines of closing brackets go with those before them."""
    owner = [-1] * (len(lines) + 1)
    for at, symbol in enumerate(symbols):  # outer ones come first
        around = owner[symbol.first]
        is_small = around >= 0 and (symbol.kind in ("const", "var", "type") or symbols[around].kind == "fn")
        if not (is_small and symbol.last - symbol.first < _SHORTEST_OWN):
            owner[symbol.first : symbol.last + 1] = [at] * (symbol.last + 1 - symbol.first)
    runs: list[list[int]] = []  # symbol, first, last
    for number, line in enumerate(lines, 1):
        bare = line.strip()
        if not bare:
            continue
        if runs and (owner[number] == runs[-1][0] or not bare.strip(b"})]; ,end")):
            runs[-1][2] = number
        else:
            runs.append([owner[number], number, number])
    pieces: list[Piece] = []
    for at, first, last in runs:
        longest = LONGEST_PIECE if symbols else WINDOW
        while last - first >= longest:
            cut = _best_cut(lines, first, longest)
            pieces.append(Piece(at, first, cut - 1))
            first = cut
        pieces.append(Piece(at, first, last))
    return pieces


def _best_cut(lines: Sequence[bytes], first: int, longest: int) -> int:
    """The line that the next piece begins with: after a blank one if it can be, else the one indented least."""
    best = (2, 0, 0)
    for number in range(first + longest // 2, first + longest):
        line = lines[number - 1]
        bare = line.lstrip()
        if bare:
            after_blank = not lines[number - 2].strip()
            best = min(best, (0 if after_blank else 1, min(len(line) - len(bare), 40), -number))
    return -best[2] if best[2] else first + longest


def symbol_at(symbols: Iterable[Symbol], line: int) -> Symbol | None:
    """The innermost symbol that has a line, of equal ones the last; None where it lies between symbols."""
    around = [symbol for symbol in symbols if symbol.first <= line <= symbol.last]
    return min(reversed(around), key=lambda symbol: symbol.last - symbol.first, default=None)
