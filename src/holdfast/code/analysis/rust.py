"""Rust: what is `pub` for everybody, what `pub use` passes on, and macros that are exported."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.code.analysis.facts import Export, compact
from holdfast.code.analysis.parsers import parser
from holdfast.code.analysis.source_text import without_visibility
from holdfast.code.analysis.syntax import Finding, Node, declarations, header, line_of, name_of, text_of
from holdfast.code.languages import Grammar

_ITEMS = frozenset(
    "function_item struct_item enum_item trait_item type_item const_item static_item union_item mod_item".split()
)
_MEMBERS = frozenset({"function_item", "function_signature_item", "const_item", "associated_type"})


# Macros inside macros are read again so deep and no deeper, since each level is parsed once more.
_DEEPEST = 4


def _items(root: Node, depth: int = 0) -> Iterator[Finding]:
    """The declarations, those included that a macro with braces passes on as they are: `cfg_net! { pub mod tcp; }`."""
    for node, comment in declarations(root):
        inner = node.named_children[0] if node.type == "expression_statement" and node.named_child_count else node
        if inner.type != "macro_invocation":
            yield node, comment
        elif depth < _DEEPEST and (body := inner.named_children[-1]).text.startswith(b"{"):
            row, column = body.start_point
            again = parser("Rust").parse(b"\n" * row + b" " * (column + 1) + body.text[1:-1]).root_node
            yield from [(item, above) for item, above in _items(again, depth + 1) if not item.has_error]


def exports(root: Node, grammar: Grammar) -> Iterator[Export]:
    """Public items, the public members of types, all members of public traits."""
    attributes: list[str] = []
    for node, comment in _items(root):
        if node.type == "attribute_item":
            attributes.append(text_of(node))
            continue
        is_test = any("cfg(test)" in text for text in attributes)
        if node.type == "macro_definition":
            if any("macro_export" in text for text in attributes):
                yield Export(f"macro {name_of(node)}!", comment, name_of(node), line=line_of(node))
        elif node.type == "impl_item" and not is_test:
            if node.child_by_field_name("trait") is None:
                yield from _members(node, _type_name(node.child_by_field_name("type")), public_only=True)
        elif node.type == "use_declaration" and _is_public(node):
            yield from _passed_on(node)
        elif node.type in ("foreign_mod_item", "ERROR"):
            yield from exports(node.child_by_field_name("body") or node, grammar)
        elif node.type in _ITEMS and _visibility(node) and not is_test:
            is_inner = not _is_public(node)
            yield Export(_signature(node), comment, name_of(node), is_inner=is_inner, line=line_of(node))
            body = node.child_by_field_name("body")
            if node.type == "trait_item":
                for member in _members(node, name_of(node), public_only=False):
                    yield member._replace(is_inner=is_inner)
            elif node.type == "mod_item" and body is not None:
                for export in exports(body, grammar):
                    yield export._replace(is_inner=is_inner or export.is_inner)
        attributes = []


def _visibility(node: Node) -> str:
    """`pub`, `pub(crate)` or the like, or nothing."""
    return next((text_of(child) for child in node.named_children if child.type == "visibility_modifier"), "")


def _is_public(node: Node) -> bool:
    return _visibility(node) == "pub"


def _type_name(node: Node | None) -> str:
    inner = node.child_by_field_name("type") if node is not None else None
    return text_of(inner if inner is not None else node)


def _signature(node: Node) -> str:
    text = header(node)
    if node.type in ("const_item", "static_item", "type_item"):
        text = text.partition("=")[0]
    return compact(without_visibility(text)).rstrip(" ;{=")


def _members(owner: Node, name: str, *, public_only: bool) -> Iterator[Export]:
    body = owner.child_by_field_name("body")
    for node, comment in declarations(body) if body is not None else ():
        if node.type in _MEMBERS and (not public_only or _visibility(node)):
            is_inner = public_only and not _is_public(node)
            signature = compact(f"{name}::{_signature(node)}")
            yield Export(signature, comment, name_of(node), name, is_inner=is_inner, line=line_of(node))


def _passed_on(node: Node) -> Iterator[Export]:
    for path in use_paths(node.child_by_field_name("argument")):
        target, _, alias = path.partition(" as ")
        name = alias or target.rpartition("::")[2]
        if name == "self":
            name = target.split("::")[-2]
        yield Export(f"use {path}", "", "" if name == "*" else name, origin=target.rpartition("::")[0] or target)


def use_paths(node: Node | None, before: str = "") -> Iterator[str]:
    """Every path that a `use` names, its braces taken apart: `a::b`, `a::c as d`, `a::*`."""
    if node is None:
        return
    if node.type == "scoped_use_list":
        path = node.child_by_field_name("path")
        inner = f"{before}{_path(path)}::" if path is not None else before
        yield from use_paths(node.child_by_field_name("list"), inner)
    elif node.type == "use_list":
        for child in node.named_children:
            yield from use_paths(child, before)
    elif node.type == "use_as_clause":
        alias = text_of(node.child_by_field_name("alias"))
        yield f"{before}{_path(node.child_by_field_name('path'))} as {alias}"
    elif not node.type.endswith("comment"):
        yield before + _path(node)


def _path(node: Node | None) -> str:
    return "".join(text_of(node).split())


def imports(root: Node, _grammar: Grammar) -> Iterator[str]:
    """Paths of `use`, and modules that lie in files of their own, as `mod name`."""
    for node, _ in _items(root):
        if node.type == "use_declaration":
            for path in use_paths(node.child_by_field_name("argument")):
                yield path.partition(" as ")[0]
        elif node.type == "mod_item" and node.child_by_field_name("body") is None:
            yield f"mod {name_of(node)}"
        elif node.type == "mod_item":
            # What a module inside the file names is relative to that module; absolute paths are not.
            for path in imports(node.child_by_field_name("body"), _grammar):
                if not path.startswith(("self::", "super::", "mod ")):
                    yield path
        elif node.type == "extern_crate_declaration":
            yield name_of(node)
