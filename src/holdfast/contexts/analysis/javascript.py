"""TypeScript, TSX and JavaScript: what is exported, in either module system."""

from __future__ import annotations

import re

from holdfast.contexts.analysis.facts import MAX_COMMENT, Export, compact
from holdfast.contexts.analysis.source_text import word_end
from holdfast.contexts.analysis.syntax import declarations, header, name_of, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from holdfast.contexts.languages import Grammar

    Node = Any

_FUNCTIONS = frozenset({"arrow_function", "function_expression", "function", "generator_function"})
_MAX_MEMBERS = 20


def exports(root: Node, _grammar: Grammar) -> Iterator[Export]:
    """Every export as a compact signature."""
    local = {name: export for node, comment in declarations(root) for name, export in _declared(node, comment)}
    for node, comment in declarations(root):
        if node.type == "export_statement":
            yield from _exported(node, comment, local)
        elif node.type == "expression_statement":
            yield from _assigned(node, local)


def _exported(node: Node, comment: str, local: dict[str, Export]) -> Iterator[Export]:
    declaration = node.child_by_field_name("declaration")
    if declaration is not None:
        for _, export in _declared(declaration, comment):
            yield export
        return
    for child in node.named_children:
        if child.type == "export_clause":
            for part in child.named_children:
                alias = part.child_by_field_name("alias")
                name = name_of(part)
                yield local.get(name, Export(name)) if alias is None else Export(text_of(alias))
    value = node.child_by_field_name("value")
    if value is not None:
        name = text_of(value) if value.type == "identifier" else ""
        yield local.get(name, Export(compact(f"default {name}") if name else _function("default", value)))


def _declared(node: Node, comment: str) -> Iterator[tuple[str, Export]]:
    """The names a declaration gives, with their signatures."""
    doc = comment[:MAX_COMMENT]
    kind = node.type
    if kind in ("function_declaration", "generator_function_declaration", "function_signature"):
        yield name_of(node), Export(_function(name_of(node), node), doc)
    elif kind in ("class_declaration", "abstract_class_declaration"):
        yield name_of(node), Export(compact(header(node)).rstrip(" {"), doc)
        yield from _methods(node)
    elif kind in ("interface_declaration", "enum_declaration"):
        yield name_of(node), Export(compact(header(node)).rstrip(" {"), doc)
    elif kind == "type_alias_declaration":
        yield name_of(node), Export(f"type {name_of(node)}", doc)
    elif kind in ("lexical_declaration", "variable_declaration"):
        for part in node.named_children:
            if part.type == "variable_declarator":
                yield name_of(part), Export(_variable(part), doc)


def _methods(node: Node) -> Iterator[tuple[str, Export]]:
    body = node.child_by_field_name("body")
    shown = 0
    for member, comment in declarations(body) if body is not None else ():
        name = name_of(member)
        text = text_of(member)
        is_hidden = name.startswith(("#", "_")) or text[: word_end(text, 0)] in ("private", "protected")
        if member.type == "method_definition" and name != "constructor" and not is_hidden and shown < _MAX_MEMBERS:
            shown += 1
            owner = name_of(node)
            yield f"{owner}.{name}", Export(_function(f"{owner}.{name}", member), comment[:MAX_COMMENT])


def _function(name: str, node: Node) -> str:
    parameters, returns = node.child_by_field_name("parameters"), node.child_by_field_name("return_type")
    if parameters is None:
        single = node.child_by_field_name("parameter")
        listed = f"({text_of(single)})" if single is not None else ""
    else:
        listed = text_of(parameters)
    return compact(f"{name}{listed}{text_of(returns) if returns is not None else ''}")


def _variable(node: Node) -> str:
    name, value, annotation = name_of(node), node.child_by_field_name("value"), node.child_by_field_name("type")
    if value is not None and value.type in _FUNCTIONS:
        return _function(name, value)
    return compact(f"const {name}{text_of(annotation) if annotation is not None else ''}")


def _assigned(statement: Node, local: dict[str, Export]) -> Iterator[Export]:
    """`module.exports = …` and `exports.name = …`."""
    assignment = statement.named_children[0] if statement.named_children else None
    if assignment is None or assignment.type != "assignment_expression":
        return
    left, right = assignment.child_by_field_name("left"), assignment.child_by_field_name("right")
    target = text_of(left)
    if target == "module.exports" and right.type == "object":
        for part in right.named_children:
            name = text_of(part.child_by_field_name("key") or part) if part.type != "spread_element" else ""
            if name:
                yield local.get(name, Export(name))
    elif target == "module.exports":
        yield local.get(text_of(right), Export(_function("module.exports", right)))
    elif target.startswith(("exports.", "module.exports.")):
        name = target.rpartition(".")[2]
        yield Export(_function(name, right)) if right.type in _FUNCTIONS else Export(name)


_REQUIRED = re.compile(r"""(?a)(?<![\w\x80-\U0010ffff])(?:require|import)\(\s*+["']([^"']++)["']\s*+\)""")


def imports(root: Node, _grammar: Grammar) -> Iterator[str]:
    """Module specifiers of imports, re-exports and top-level requires."""
    for node in root.named_children:
        source = node.child_by_field_name("source")
        if source is not None and node.type in ("import_statement", "export_statement"):
            yield text_of(source).strip("\"'`")
        elif node.type in ("lexical_declaration", "variable_declaration", "expression_statement"):
            for found in _REQUIRED.finditer(text_of(node)):
                yield found[1]
