"""Lua: global functions, and what is put into the table that a module returns."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.code.analysis.facts import Export, compact
from holdfast.code.analysis.syntax import Node, declarations, line_of, text_of
from holdfast.code.languages import Grammar


def exports(root: Node, _grammar: Grammar) -> Iterator[Export]:
    """Functions that are not local, and fields of a table that are assigned at the top."""
    for node, comment in declarations(root):
        if node.type == "function_declaration" and not node.text.startswith(b"local"):
            name = text_of(node.child_by_field_name("name"))
            yield _export(name, text_of(node.child_by_field_name("parameters")), comment, line_of(node))
        elif node.type == "assignment_statement":
            targets, values = node.named_children[0], node.named_children[-1].named_children
            for at, target in enumerate(targets.named_children):
                value = values[at] if at < len(values) else None
                parameters = value.child_by_field_name("parameters") if value is not None else None
                if target.type == "dot_index_expression":
                    yield _export(text_of(target), text_of(parameters), comment, line_of(node))


def _export(path: str, parameters: str, doc: str, line: int) -> Export:
    owner, _, name = path.replace(":", ".").rpartition(".")
    return Export(compact(f"{path}{parameters}"), doc, name, owner if len(owner) > 1 else "", line=line)


def imports(root: Node, _grammar: Grammar) -> Iterator[str]:
    """What `require` at the top names."""
    for node in root.named_children:
        if node.type in ("variable_declaration", "assignment_statement", "function_call") and b"require" in node.text:
            rest = text_of(node).partition("require")[2].lstrip(" (")
            if rest[:1] in ("'", '"'):
                yield rest[1:].partition(rest[0])[0]
