"""Ruby: classes, modules, methods, constants and attributes, up to `private`."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.code.analysis.facts import Export, compact
from holdfast.code.analysis.source_text import without_definition
from holdfast.code.analysis.syntax import Node, declarations, header, imports, line_of, name_of, text_of
from holdfast.code.languages import Grammar

__all__ = ["exports", "imports"]  # what an analyser of a language has; imports are by the table

ATTRIBUTES = ("attr_accessor", "attr_reader", "attr_writer")
_HIDDEN = ("private", "protected", "private_class_method", "private_constant")


def exports(root: Node, _grammar: Grammar) -> Iterator[Export]:
    """Everything at the top, and in classes and modules everything before `private`."""
    yield from _in(root, "")


def _in(body: Node, owner: str) -> Iterator[Export]:
    hidden_from_here = False
    named_hidden = _named_hidden(body)
    for node, comment in declarations(body):
        if node.type == "identifier" and text_of(node) in ("private", "protected", "public"):
            hidden_from_here = text_of(node) != "public"
        elif node.type in ("class", "module"):
            outer, _, name = name_of(node).rpartition("::")
            within = outer.rpartition("::")[2] or owner
            yield Export(compact(_header(node)), comment, name, within, line=line_of(node))
            yield from _body(node, name)
        elif node.type == "singleton_class":
            yield from _body(node, owner)
        elif node.type == "assignment":
            left = node.child_by_field_name("left")
            if left is not None and left.type == "constant" and text_of(left) not in named_hidden:
                name = text_of(left)
                yield Export(f"{owner}::{name}" if owner else name, comment, name, owner, line=line_of(node))
        elif hidden_from_here:
            continue
        elif node.type in ("method", "singleton_method"):
            name = name_of(node)
            if name not in named_hidden:
                yield Export(
                    compact(f"{owner}.{_method(node)}" if owner else _method(node)),
                    comment,
                    name,
                    owner,
                    line=line_of(node),
                )
        elif node.type == "call" and text_of(node.child_by_field_name("method")) in ATTRIBUTES:
            for name in symbol_names(node):
                yield Export(compact(f"{owner}.{name}"), comment, name, owner, line=line_of(node))


def _body(node: Node, owner: str) -> Iterator[Export]:
    body = node.child_by_field_name("body")
    if body is not None:
        yield from _in(body, owner)


def _named_hidden(body: Node) -> set[str]:
    """The names that `private :name` and `private_constant :NAME` hide."""
    calls = [node for node in body.named_children if node.type == "call"]
    return {
        name for node in calls if text_of(node.child_by_field_name("method")) in _HIDDEN for name in symbol_names(node)
    }


def symbol_names(call: Node) -> list[str]:
    """The symbols and strings that a call is given."""
    arguments = call.child_by_field_name("arguments")
    given = arguments.named_children if arguments is not None else []
    return [text_of(one).strip(":\"'") for one in given if one.type in ("simple_symbol", "string")]


def _header(node: Node) -> str:
    body = node.child_by_field_name("body")
    return header(node) if body is not None else without_definition(text_of(node).partition("\n")[0])


def _method(node: Node) -> str:
    text = header(node).rstrip("; \t\r\n")
    return compact(without_definition(text))
