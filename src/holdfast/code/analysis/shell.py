"""Shell scripts: functions and what is exported or read-only."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.code.analysis.facts import Export
from holdfast.code.analysis.syntax import Node, declarations, line_of, name_of, text_of
from holdfast.code.languages import Grammar


def exports(root: Node, _grammar: Grammar) -> Iterator[Export]:
    """Functions whose name begins with no underscore, and variables others see."""
    for node, comment in declarations(root):
        if node.type == "function_definition" and not name_of(node).startswith("_"):
            yield Export(f"{name_of(node)}()", comment, name_of(node), line=line_of(node))
        elif node.type == "declaration_command" and node.text.startswith((b"export", b"readonly", b"declare -r")):
            for part in node.named_children:
                name = name_of(part) if part.type == "variable_assignment" else text_of(part)
                if part.type in ("variable_assignment", "variable_name") and name:
                    yield Export(name, comment, name, line=line_of(node))


def imports(root: Node, _grammar: Grammar) -> Iterator[str]:
    """Files that are sourced, where their names are written out."""
    for node in root.named_children:
        if node.type == "command" and text_of(node.child_by_field_name("name")) in ("source", "."):
            given = node.child_by_field_name("argument")
            if given is not None and "$" not in text_of(given):
                yield text_of(given).strip("\"'")
