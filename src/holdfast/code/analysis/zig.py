"""Zig: what is `pub`, and the public functions of a public container."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.code.analysis.facts import Export, compact
from holdfast.code.analysis.syntax import Node, declarations, header, line_of, name_of, text_of
from holdfast.code.languages import Grammar

_CONTAINERS = frozenset({"struct_declaration", "enum_declaration", "union_declaration", "opaque_declaration"})


def exports(root: Node, _grammar: Grammar, owner: str = "") -> Iterator[Export]:
    """Functions, constants, variables and types."""
    lead = f"{owner}." if owner else ""
    for node, comment in declarations(root):
        if not node.text.startswith((b"pub ", b"export ")):
            continue
        if node.type == "function_declaration":
            text = header(node).replace("pub ", "", 1).replace("fn ", "", 1)
            yield Export(compact(lead + text).rstrip(" {;"), comment, name_of(node), owner, line=line_of(node))
        elif node.type == "variable_declaration" and node.named_child_count:
            name = text_of(node.named_children[0])
            value = node.named_children[-1]
            kind = value.type.partition("_")[0] if value.type in _CONTAINERS else ""
            word = "var" if node.text.startswith(b"pub var ") else "const"
            yield Export(
                f"{word} {lead}{name}" + (f" {kind}" if kind else ""), comment, name, owner, line=line_of(node)
            )
            if kind:
                yield from exports(value, _grammar, name)


def imports(root: Node, _grammar: Grammar) -> Iterator[str]:
    """What `@import` names."""
    for node in root.named_children:
        if node.type == "variable_declaration" and b"@import" in node.text:
            _, quote, rest = text_of(node).partition('@import("')
            if quote:
                yield rest.partition('"')[0]
