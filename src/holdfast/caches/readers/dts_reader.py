"""npm packages: what a file of TypeScript declarations exports, with its comments. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from holdfast.caches.readers.decoded_text import decoded
from holdfast.caches.readers.doc_comments import write_comment
from holdfast.caches.readers.page_text import PageText
from holdfast.caches.readers.python_exports import text_of
from holdfast.caches.readers.source_reader import Page, SourceFiles, Unreadable
from holdfast.core.grammars import load_parser

_EXPORTED = re.compile(
    rb"\bexport[ \t\r\n]{1,9}(?:type[ \t\r\n]{1,9})?(?:\*[^;'\"{}]{0,99}|\{[^{}]*+\})[ \t\r\n]{0,9}"
    rb"from[ \t\r\n]{0,9}['\"](\.{1,2}(?:/[^'\"\n]{0,300})?)['\"]"
)
_IMPORTED = re.compile(
    rb"\bimport[ \t\r\n]{1,9}(?:type[ \t\r\n]{1,9})?(?:[a-zA-Z_$][^;'\"{}]{0,99})?(?:\*[^;'\"{}]{0,99}|\{[^{}]*+\})?"
    rb"[ \t\r\n]{0,9}from[ \t\r\n]{0,9}['\"](\.{1,2}(?:/[^'\"\n]{0,300})?)['\"]"
)
_REFERENCE = re.compile(rb"///[ \t]{0,9}<reference[ \t]{1,9}path=['\"]([^'\"\n]{1,300})['\"]")
_LIST = re.compile(rb"\bexport[ \t\r\n]{0,9}(?:type[ \t\r\n]{1,9})?\{[ \t\r\n]{0,9}[a-zA-Z_$]")
Node = Any  # tree_sitter.Node

_LARGEST = 4 << 20
_SHORT = 3  # characters of the names that bundlers make up
_DEEPEST = 4  # namespaces within namespaces
_KINDS = {
    "function_signature": "function",
    "function_declaration": "function",
    "generator_function_declaration": "function",
    "class_declaration": "class",
    "abstract_class_declaration": "class",
    "interface_declaration": "interface",
    "type_alias_declaration": "type",
    "enum_declaration": "enum",
    "lexical_declaration": "const",
    "variable_declaration": "const",
}
_NAMESPACES = frozenset(("internal_module", "module"))


@lru_cache(maxsize=1)
def _parser() -> Any:
    return load_parser("tree_sitter_typescript", "language_typescript")


def read_declarations(data: bytes, name: str, files: SourceFiles) -> Page:  # noqa: ARG001 - what every reader takes
    """The page of a file of declarations. Raises Unreadable."""
    if _parser() is None:
        raise Unreadable("needs the extra 'analysis': pip install 'holdfast-context[analysis]'")
    if len(data) > _LARGEST:
        raise Unreadable(f"has more than {_LARGEST >> 20} MB")
    data = decoded(data).encode()
    if data.rfind(b"/*") > data.rfind(b"*/") and not _is_in_line_comment(data):
        # The grammar takes a time that grows with the square of what such a comment swallows.
        raise Unreadable("has a comment that is not closed")
    root = _parser().parse(data).root_node
    page = PageText()
    stem = name.partition(".d.")[0].removesuffix("/index")
    page.line(f"# {stem}", 1)
    before = ""
    for node, kind, title, comment in _declared(root, "", 0, _exports(root)):
        heading = f"## {kind} {title}"
        if heading != before:
            page.block([heading], (comment or node).start_point[0] + 1)
        before = heading
        if comment is not None:
            write_comment(page, text_of(comment), comment.start_point[0] + 1)
        lines = text_of(node).split("\n")
        page.fence([(line, node.start_point[0] + 1 + at) for at, line in enumerate(lines)], "ts")
    return page.page()


def _is_in_line_comment(data: bytes) -> bool:
    """Whether the last `/*` is inside a comment that ends with its line."""
    at = data.rfind(b"/*")
    return b"//" in data[data.rfind(b"\n", 0, at) + 1 : at]


def _declared(
    node: Node, prefix: str, depth: int, names: dict[str, str] | None
) -> Iterator[tuple[Node, str, str, Node]]:
    """The exported declarations below a node, in order: each with its kind, its name and the comment above it."""
    comment = None
    for child in node.named_children:
        if child.type == "comment":
            text = text_of(child)
            comment = child if text.startswith("/**") and not text.startswith("/***") else comment
            continue
        above, comment = comment, None
        inner, is_exported = _inner(child)
        if inner is None:
            continue
        if inner.type in _NAMESPACES or inner.type == "statement_block":
            yield from _namespace(inner, prefix, depth, names, is_exported=is_exported)
            continue
        if inner.type not in _KINDS:
            continue
        for name in _names(inner):
            shown = name if is_exported or names is None else names.get(name, "")
            if shown:
                yield child, _KINDS[inner.type], prefix + shown, above
                break


def _namespace(
    node: Node, prefix: str, depth: int, names: dict[str, str] | None, *, is_exported: bool
) -> Iterator[tuple[Node, str, str, Node]]:
    body = node if node.type == "statement_block" else node.child_by_field_name("body")
    title = node.child_by_field_name("name") if node.type != "statement_block" else None
    if body is None or depth >= _DEEPEST:
        return
    if title is None or title.type == "string":  # `declare global`, or a module by its path
        yield from _declared(body, prefix, depth + 1, _exports(body))
        return
    name = text_of(title)
    shown = name if is_exported or names is None else names.get(name, "")
    if shown:
        yield from _declared(body, f"{prefix}{shown}.", depth + 1, _exports(body))


def _inner(node: Node) -> tuple[Node | None, bool]:
    """The declaration in a statement, and whether the statement exports it."""
    is_exported = False
    for _ in range(4):
        if node.type == "export_statement":
            is_exported = True
            inner = node.child_by_field_name("declaration") or next(
                (child for child in node.named_children if child.type in _KINDS), None
            )
        elif node.type in ("ambient_declaration", "expression_statement"):
            inner = next((child for child in node.named_children if child.type != "comment"), None)
        else:
            return node, is_exported
        if inner is None:
            return None, is_exported
        node = inner
    return node, is_exported


def _exports(root: Node) -> dict[str, str] | None:
    """The names that `export { a as b }`, `export = a` and `export default a` export: each with the name outside.

    None where nothing is exported so: then every declaration is seen, as the language has it for declarations. Names
    that only tie the parts of a bundle together (`Query as $t`) are none that anybody writes.
    """
    found: dict[str, str] = {}
    has_exports = False
    for node in root.named_children:
        if node.type != "export_statement" or node.child_by_field_name("source") is not None:
            continue
        for child in node.named_children:
            if child.type == "export_clause":
                has_exports = True
                for one in child.named_children:
                    name, alias = text_of(one.child_by_field_name("name")), text_of(one.child_by_field_name("alias"))
                    found[name] = alias if len(alias) > _SHORT and alias != "default" else name
            elif child.type == "identifier":
                has_exports = True
                found[text_of(child)] = text_of(child)
    return found if has_exports else None


def _names(node: Node) -> list[str]:
    is_named = node.child_by_field_name("name") is not None
    named = [node] if is_named else [one for one in node.named_children if one.type == "variable_declarator"]
    return [text_of(one.child_by_field_name("name")) for one in named]


def exported_modules(data: bytes) -> list[str]:
    """The relative paths that a file exports from or refers to, as it spells them, in order.

    Where it has a list of exports, what it imports counts too: bundlers write the two apart.
    """
    found = [one[1].decode("utf-8", "replace") for one in _EXPORTED.finditer(data)]
    found += [one[1].decode("utf-8", "replace") for one in _REFERENCE.finditer(data)]
    if _LIST.search(data) is not None:
        found += [one[1].decode("utf-8", "replace") for one in _IMPORTED.finditer(data)]
    return list(dict.fromkeys(found))
