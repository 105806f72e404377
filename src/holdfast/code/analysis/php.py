"""PHP: declarations by the table; imports with their groups taken apart."""

from __future__ import annotations

import re
from collections.abc import Iterator

from holdfast.code.analysis.syntax import Node, exports, package, text_of
from holdfast.code.languages import Grammar, listed

__all__ = ["exports", "imports", "package"]  # what an analyser of a language has; two are by the table

_INCLUDED = re.compile(r"""(?a)^(?:require|include)(?:_once)?+\s*+\(?+\s*+(?:__DIR__\s*+\.\s*+)?+(["'][^"']++)""")


def imports(root: Node, grammar: Grammar) -> Iterator[str]:
    """Names of `use`, and files that are included by names that are written out."""
    for node in root.named_children:
        if node.type == "namespace_use_declaration":
            yield from _used(node)
        elif node.type == "expression_statement":
            if found := _INCLUDED.match(text_of(node)):
                yield found[1]
        elif node.type in listed(grammar.containers):
            yield from imports(node, grammar)


def _used(node: Node) -> Iterator[str]:
    """`use A\\B, C` and `use A\\{B, C as D}`."""
    before = next((text_of(child) + "\\" for child in node.named_children if child.type == "namespace_name"), "")
    clauses = node.child_by_field_name("body") or node
    for clause in clauses.named_children:
        if clause.type == "namespace_use_clause":
            name = next((child for child in clause.named_children if child.type in ("qualified_name", "name")), None)
            yield before + text_of(name).lstrip("\\")
