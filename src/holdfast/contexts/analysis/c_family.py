"""C and C++: what other translation units can see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.contexts.analysis.facts import MAX_COMMENT, Export, compact
from holdfast.contexts.analysis.syntax import declarations, header, name_of, text_of
from holdfast.contexts.languages import listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.contexts.languages import Grammar

    Node = Any

_TYPES = {
    "struct_specifier": "struct",
    "class_specifier": "class",
    "enum_specifier": "enum",
    "union_specifier": "union",
}


def exports(root: Node, grammar: Grammar) -> Iterator[Export]:
    """Functions that are not static, types with a body, typedefs, macros and extern variables."""
    guard = text_of(root.child_by_field_name("name")) if root.type == "preproc_ifdef" else ""
    for node, comment in declarations(root):
        if node.type != "preproc_def" or name_of(node) != guard:
            yield from _exported(node, comment[:MAX_COMMENT], grammar)


def _exported(node: Node, doc: str, grammar: Grammar) -> Iterator[Export]:
    if node.type == "namespace_definition":
        body = node.child_by_field_name("body")
        if name_of(node) and body is not None:  # what has no name is seen by nobody else
            yield from exports(body, grammar)
    elif node.type in listed(grammar.containers) or node.type == "ERROR":
        yield from exports(node, grammar)
    elif node.type in _TYPES:
        if node.child_by_field_name("body") is not None and name_of(node):
            yield Export(compact(header(node)).rstrip(" {"), doc, name_of(node))
            yield from _methods(node)
    elif node.type == "type_definition":
        name = node.child_by_field_name("declarator")
        if name is not None:
            yield Export(compact(f"typedef {text_of(name)}"), doc, declared_name(name))
    elif node.type in ("function_definition", "declaration") and _is_function(node):
        text = compact(header(node)).rstrip(" ;{")
        if not text.startswith("static ") and "::" not in text.partition("(")[0]:
            yield Export(text, doc, declared_name(node.child_by_field_name("declarator")))
    elif node.type in ("preproc_def", "preproc_function_def"):
        parameters = text_of(node.child_by_field_name("parameters"))
        if not name_of(node).startswith("_"):
            yield Export(compact(f"#define {name_of(node)}{parameters}"), doc, name_of(node))
    elif node.type == "declaration" and text_of(node).startswith("extern "):
        for declarator in node.children_by_field_name("declarator"):
            yield Export(compact(text_of(node)).rstrip(" ;"), doc, declared_name(declarator))


def declared_name(declarator: Node | None) -> str:
    """The name inside pointers, arrays and parameter lists."""
    while declarator is not None and declarator.type not in ("identifier", "type_identifier", "field_identifier"):
        declarator = declarator.child_by_field_name("declarator") or (
            declarator.named_children[-1] if declarator.named_children else None
        )
    return text_of(declarator)


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
    owner = name_of(node)
    for member, comment in declarations(body):
        if member.type == "access_specifier":
            is_public = text_of(member) == "public"
        elif is_public and _is_function(member):
            text = compact(header(member)).rstrip(" ;{")
            name = declared_name(member.child_by_field_name("declarator"))
            yield Export(compact(f"{owner}: {text}"), comment[:MAX_COMMENT], name, owner)


def imports(root: Node, grammar: Grammar) -> Iterator[str]:
    """Included files; those of the system keep their brackets."""
    for node in root.named_children:
        if node.type == "preproc_include":
            path = node.child_by_field_name("path")
            if path is not None:
                yield text_of(path).strip('"')
        elif node.type in listed(grammar.containers):
            yield from imports(node, grammar)
