"""Go: names with a capital letter are exported."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.code.analysis.facts import Export, compact
from holdfast.code.analysis.source_text import is_capital
from holdfast.code.analysis.syntax import Node, declarations, header, line_of, name_of, text_of
from holdfast.code.languages import Grammar


def exports(root: Node, _grammar: Grammar) -> Iterator[Export]:
    """Functions, methods, types, constants and variables that others may use."""
    for node, comment in declarations(root):
        if node.type in ("function_declaration", "method_declaration"):
            if is_capital(name_of(node)[:1]):
                owner = receiver_type(node)
                yield Export(
                    compact(header(node)).removeprefix("func ").rstrip(" {"),
                    comment,
                    name_of(node),
                    owner,
                    line=line_of(node),
                )
        elif node.type == "type_declaration":
            for part in node.named_children:
                if is_capital(name_of(part)[:1]):
                    kind = part.child_by_field_name("type")
                    word = {"struct_type": " struct", "interface_type": " interface"}.get(kind.type if kind else "", "")
                    members = tuple(_inner_names(kind))
                    yield Export(
                        f"type {name_of(part)}{word}", comment, name_of(part), members=members, line=line_of(part)
                    )
        elif node.type in ("const_declaration", "var_declaration"):
            for name in _specified_names(node):
                if is_capital(name[:1]):
                    yield Export(f"{node.type.partition('_')[0]} {name}", comment, name, line=line_of(node))


def receiver_type(node: Node) -> str:
    """The type that a method belongs to."""
    receiver = node.child_by_field_name("receiver")
    for part in receiver.named_children if receiver is not None else ():
        return text_of(part.child_by_field_name("type")).lstrip("*").partition("[")[0]
    return ""


def _inner_names(kind: Node | None) -> Iterator[str]:
    """The methods of an interface and the fields of a struct that others may use."""
    if kind is None or kind.type not in ("interface_type", "struct_type"):
        return
    parts = kind.named_children if kind.type == "interface_type" else kind.named_children[0].named_children
    for part in parts:
        for name in part.children_by_field_name("name") if part.type in ("method_elem", "field_declaration") else ():
            if is_capital(text_of(name)[:1]):
                yield text_of(name)


def _specified_names(node: Node) -> Iterator[str]:
    for part in node.named_children:
        if part.type in ("const_spec", "var_spec"):
            for name in part.children_by_field_name("name"):
                yield text_of(name)
        elif part.type == "var_spec_list":
            yield from _specified_names(part)


def imports(root: Node, _grammar: Grammar) -> Iterator[str]:
    """Import paths."""
    for node in root.named_children:
        if node.type == "import_declaration":
            for part in node.named_children:
                for spec in part.named_children if part.type == "import_spec_list" else [part]:
                    path = spec.child_by_field_name("path")
                    if path is not None:
                        yield text_of(path).strip('"`')


def package(root: Node, _grammar: Grammar) -> str:
    """The name in the package clause."""
    for node in root.named_children:
        if node.type == "package_clause" and node.named_child_count:
            return text_of(node.named_children[0])
    return ""
