"""Elixir: modules with their public functions and macros."""

from __future__ import annotations

import re
from collections.abc import Iterator

from holdfast.code.analysis.facts import Export, compact
from holdfast.code.analysis.parsers import without_prose
from holdfast.code.analysis.syntax import Node, declarations, line_of, text_of
from holdfast.code.languages import Grammar

_MODULES = ("defmodule", "defprotocol")
_PUBLIC = ("def", "defmacro", "defguard", "defdelegate")
_NEEDS = ("alias", "import", "use", "require")


def exports(root: Node, _grammar: Grammar, outer: str = "") -> Iterator[Export]:
    """Each module, and each of its functions once, however many clauses it has."""
    seen: set[str] = set()
    for node, comment in declarations(root):
        if node.type != "call":
            continue
        word, given = text_of(node.child_by_field_name("target")), _arguments(node)
        if word in _MODULES and given:
            name = f"{outer}.{text_of(given[0])}" if outer else text_of(given[0])
            yield Export(f"{word} {name}", comment, name.rpartition(".")[2], line=line_of(node))
            block = next((child for child in node.named_children if child.type == "do_block"), None)
            if block is not None:
                yield from exports(block, _grammar, name)
        elif word in _PUBLIC and given and outer:
            call = given[0].child_by_field_name("left") if given[0].type == "binary_operator" else given[0]
            name = text_of(call.child_by_field_name("target") or call) if call is not None else ""
            if name and name not in seen:
                seen.add(name)
                owner = outer.rpartition(".")[2]
                yield Export(compact(f"{owner}.{text_of(call)}"), comment, name, owner, line=line_of(node))


def _arguments(node: Node) -> list[Node]:
    found = next((child for child in node.named_children if child.type == "arguments"), None)
    return list(found.named_children) if found is not None else []


_QUALIFIED = re.compile(rb"(?<![\w.])[A-Z]\w*+(?:\.[A-Z]\w*+)++")


def imports(root: Node, grammar: Grammar) -> Iterator[str]:
    """Modules that `alias`, `import`, `use` and `require` name, and those that are named in full anywhere."""
    yield from _stated(root, grammar)
    for name in _QUALIFIED.findall(without_prose(root, "Elixir", root.text)):
        yield name.decode()


def _stated(root: Node, _grammar: Grammar) -> Iterator[str]:
    for node in root.named_children:
        if node.type != "call":
            continue
        word, given = text_of(node.child_by_field_name("target")), _arguments(node)
        if word in _MODULES:
            for block in node.named_children:
                if block.type == "do_block":
                    yield from _stated(block, _grammar)
        elif word in _NEEDS and given and given[0].type in ("alias", "dot"):
            base, brace, rest = text_of(given[0]).partition(".{")
            for name in rest.rstrip("}").split(",") if brace else [""]:
                yield f"{base}.{name.strip()}" if brace else base


def package(root: Node, _grammar: Grammar) -> str:
    """The first module: what others know the file by."""
    for node in root.named_children:
        if node.type == "call" and text_of(node.child_by_field_name("target")) in _MODULES and _arguments(node):
            return text_of(_arguments(node)[0])
    return ""
