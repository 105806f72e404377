"""C and C++: what other translation units can see."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from holdfast.code.analysis.facts import Export, compact
from holdfast.code.analysis.syntax import Finding, Node, declarations, header, line_of, name_of, text_of
from holdfast.code.languages import Grammar, listed

_TYPES = {
    "struct_specifier": "struct",
    "class_specifier": "class",
    "enum_specifier": "enum",
    "union_specifier": "union",
}


# Words that no declaration begins with, nor is called: what error recovery takes for a type or a name.
_STATEMENTS = frozenset(
    "else if for while do switch case default return throw try catch goto break continue delete new sizeof".split()
)
_COMPLETE = frozenset({*_TYPES, "function_definition", "template_declaration"})


def exports(root: Node, grammar: Grammar) -> Iterator[Export]:
    """Functions that are not static, types with a body, typedefs, macros and extern variables."""
    guard = text_of(root.child_by_field_name("name")) if root.type == "preproc_ifdef" else ""
    for node, comment in declarations(root):
        if node.type != "preproc_def" or name_of(node) != guard:
            yield from _exported(node, comment, grammar)


def _exported(node: Node, doc: str, grammar: Grammar) -> Iterator[Export]:
    if node.type == "namespace_definition":
        body = node.child_by_field_name("body")
        if name_of(node) and body is not None:  # what has no name is seen by nobody else
            yield from exports(body, grammar)
    elif node.type in listed(grammar.containers):
        yield from exports(node, grammar)
    elif node.type == "ERROR":  # of what could not be parsed only what is complete in itself is a declaration
        for child, above in declarations(node):
            if child.type in _COMPLETE and not is_recovered(child):
                yield from _exported(child, above, grammar)
    elif not is_recovered(node):
        yield from _declared(node, doc)


def _declared(node: Node, doc: str) -> Iterator[Export]:
    if node.type in _TYPES:
        if node.child_by_field_name("body") is not None and name_of(node):
            yield Export(compact(header(node)).rstrip(" {"), doc, _plain(name_of(node)), line=line_of(node))
            yield from _methods(node)
    elif node.type == "alias_declaration":
        yield Export(compact(text_of(node)).rstrip(" ;"), doc, name_of(node), line=line_of(node))
    elif node.type == "type_definition":
        name = node.child_by_field_name("declarator")
        if name is not None:
            yield Export(compact(f"typedef {text_of(name)}"), doc, declared_name(name), line=line_of(node))
    elif node.type in ("function_definition", "declaration") and _is_function(node):
        text = compact(header(node)).rstrip(" ;{")
        if not text.startswith("static ") and not _is_qualified(node):
            yield Export(text, doc, declared_name(node.child_by_field_name("declarator")), line=line_of(node))
    elif node.type in ("preproc_def", "preproc_function_def"):
        parameters = text_of(node.child_by_field_name("parameters"))
        if not name_of(node).startswith("_"):
            yield Export(compact(f"#define {name_of(node)}{parameters}"), doc, name_of(node), line=line_of(node))
    elif node.type == "declaration" and text_of(node).startswith("extern "):
        for declarator in node.children_by_field_name("declarator"):
            yield Export(compact(text_of(node)).rstrip(" ;"), doc, declared_name(declarator), line=line_of(node))


def declared_name(declarator: Node | None) -> str:
    """The name inside pointers, arrays and parameter lists."""
    while declarator is not None and declarator.type not in ("identifier", "type_identifier", "field_identifier"):
        declarator = declarator.child_by_field_name("declarator") or (
            declarator.named_children[-1] if declarator.named_children else None
        )
    return text_of(declarator)


def is_recovered(node: Node) -> bool:
    """Whether error recovery made a declaration: its head has an error in it or begins as a statement does."""
    body = node.child_by_field_name("body")
    if node.text.partition(b" ")[0].partition(b"(")[0].decode("utf-8", "replace") in _STATEMENTS:
        return True
    return any(_is_broken(part) for part in node.children if part != body)


def _is_broken(node: Node) -> bool:
    """Whether a node holds an error; a value without a type, `= {}`, is one to the grammar and to nobody else."""
    if node.is_missing:
        return str(node.type) != "type_identifier"
    return bool(node.has_error) and (node.type == "ERROR" or any(_is_broken(child) for child in node.children))


def dropped(root: Node, grammar: Grammar) -> int:
    """How many declarations could not be read: what the parser gave up on, or made up."""
    count = 0
    for node in root.named_children:
        if node.type in listed(grammar.containers):
            count += dropped(node.child_by_field_name("body") or node, grammar)
        elif node.type == "ERROR" or (node.type in ("function_definition", "declaration") and is_recovered(node)):
            count += 1
    return count


def _is_qualified(node: Node) -> bool:
    """Whether a function is defined outside the class or namespace that declares it."""
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "qualified_identifier":
        declarator = declarator.child_by_field_name("declarator")
    return declarator is not None


# A word in capitals is a macro; these stand where a name or a declaration follows, or end a head.
_MACRO = re.compile(rb"(?<![\w#])[A-Z][A-Z0-9]*+_[A-Z0-9_]++(?!\w)")
_CONSTRAINTS = (b"ENABLE_IF", b"REQUIRES")
_CONDITION = re.compile(rb"^[ \t]*+#[ \t]*+(if|ifdef|ifndef|elif|else|endif)\b(?:[^\\\n]|\\\r?\n|\\)*+", re.MULTILINE)
_TYPE_WORDS = (b"const", b"struct", b"enum", b"class", b"unsigned", b"return", b"typename", b"case", b"operator")


def parsed(reader: Any, data: bytes, grammar: Grammar) -> Node:
    """The tree of a source: where the parser meets errors, that of the source without macros, unless it loses more."""
    root = reader.parse(data).root_node
    if root.has_error:
        again = reader.parse(without_macros(data)).root_node
        try:
            return again if dropped(again, grammar) <= dropped(root, grammar) else root
        except RecursionError:
            pass  # nested without end: the first is as good
    return root


def without_macros(data: bytes) -> bytes:
    """The source, as long as before, without what keeps a parser that knows no macros from its declarations.

    Blank are macros between declarations and before names, and the conditions of the preprocessor: with all branches
    but those whose braces do not match.
    """
    text = bytearray(data.replace(b"unsigned(", b"u_signed("))  # a cast that the grammar does not know
    branch = 0  # where the branch began that is not the first, after its condition
    for found in _CONDITION.finditer(data):
        if branch and data.count(b"{", branch, found.start()) != data.count(b"}", branch, found.start()):
            _blank(text, branch, found.start())
        branch = found.end() if found[1] in (b"else", b"elif") else 0
        _blank(text, *found.span())
    for found in _MACRO.finditer(bytes(text)):
        start, end = found.span()
        line = data.rfind(b"\n", 0, start) + 1
        if data[line:start].lstrip().startswith((b"#", b"//", b"*")):
            continue
        after = _arguments_end(data, end)
        if after > end and found[0].endswith(_CONSTRAINTS):
            text[start:after] = b"int".ljust(after - start)
        elif _is_apart(data[line:start], data[max(0, start - 80) : start].rstrip(), data[after : after + 200]):
            _blank(text, start, after)
        elif data[max(0, start - 9) : start].rstrip().endswith((b"if", b"operator")):
            _blank(text, start, end)
    return bytes(text)


def _is_apart(on_line: bytes, before: bytes, after: bytes) -> bool:
    """Whether a macro stands between declarations, before a name, behind the parameters or behind a parameter."""
    following = after.lstrip()[:1]
    if following.isalpha() or following in (b"_", b"~"):
        return True
    if not on_line.strip():  # alone on its line, or a statement of its own
        return following == b";" or (not after.partition(b"\n")[0].strip() and following != b"(")
    if before.endswith(b")"):
        return following in (b"{", b";", b"-")
    return before[-1:].isalnum() and following in (b",", b")") and not before.endswith(_TYPE_WORDS)


def _blank(text: bytearray, start: int, end: int) -> None:
    text[start:end] = bytes([code if code in b"\r\n" else 0x20 for code in text[start:end]])


def _arguments_end(data: bytes, at: int) -> int:
    """Where the parenthesis ends that begins at a place; the place itself without one."""
    if data[at : at + 1] != b"(":
        return at
    depth = 0
    for end in range(at, min(len(data), at + 400)):
        depth += (data[end] == 0x28) - (data[end] == 0x29)
        if not depth:
            return end + 1
    return at


def _plain(name: str) -> str:
    """The name of a type without the arguments that it is specialised for."""
    return name.partition("<")[0].strip()


def _is_function(node: Node) -> bool:
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type in ("pointer_declarator", "reference_declarator"):
        declarator = declarator.child_by_field_name("declarator") or (
            declarator.named_children[-1] if declarator.named_children else None
        )
    return declarator is not None and declarator.type == "function_declarator"


def _methods(node: Node) -> Iterator[Export]:
    body = node.child_by_field_name("body")
    is_public = node.type != "class_specifier"
    owner = _plain(name_of(node))
    for member, comment in _unwrapped(body):
        if member.type == "access_specifier":
            is_public = text_of(member) == "public"
        elif is_public and _is_function(member) and not is_recovered(member):
            text = compact(header(member).partition(") :")[0]).rstrip(" ;{")
            name = declared_name(member.child_by_field_name("declarator"))
            yield Export(compact(f"{owner}: {text}"), comment, name, owner, line=line_of(member))


def _unwrapped(body: Node) -> Iterator[Finding]:
    """The members of a class, those included that are templates or stand behind a condition of the preprocessor."""
    for member, comment in declarations(body):
        if member.type == "template_declaration" or member.type.startswith("preproc_if"):
            yield from [(inner, comment if inner.type != "comment" else "") for inner, _ in _unwrapped(member)]
        else:
            yield member, comment


def imports(root: Node, grammar: Grammar) -> Iterator[str]:
    """Included files; those of the system keep their brackets."""
    for node in root.named_children:
        if node.type == "preproc_include":
            path = node.child_by_field_name("path")
            if path is not None:
                yield text_of(path).strip('"')
        elif node.type in listed(grammar.containers):
            yield from imports(node, grammar)
