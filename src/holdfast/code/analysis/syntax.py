"""Declarations and imports by node types, for every language that the table alone describes; and what all share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from holdfast.code.analysis.facts import MAX_COMMENT, Export, compact
from holdfast.code.analysis.source_text import without_words, words_of
from holdfast.code.languages import Grammar, listed

Node = Any  # tree_sitter.Node
Finding = tuple[Node, str]  # a declaration and the comment above it

_NAMED = frozenset("variable_declarator const_element property_element variable_declaration".split())
_WORDS = frozenset("identifier simple_identifier name type_identifier constant".split())


def text_of(node: Node | None) -> str:
    """The source of a node; nothing of none."""
    text: str = node.text.decode("utf-8", "replace") if node is not None else ""
    return text


def declarations(node: Node) -> Iterator[Finding]:
    """The named children, each with the comment right above it."""
    comment = ""
    for child in node.named_children:
        if child.type.endswith("comment"):
            if len(comment) < MAX_COMMENT:  # of a longer one nobody reads more
                comment = comment + "\n" + text_of(child) if comment else text_of(child)
        else:
            yield child, comment[:MAX_COMMENT]
            if not child.type.startswith("attribute"):
                comment = ""


def line_of(node: Node) -> int:
    """The line that a node begins on, counted from one."""
    line: int = node.start_point[0] + 1
    return line


def header(node: Node, bodies: frozenset[str] = frozenset()) -> str:
    """A declaration up to its body."""
    return _header_bytes(node, bodies).decode("utf-8", "replace")


def _header_bytes(node: Node, bodies: frozenset[str]) -> bytes:
    body = node.child_by_field_name("body")
    if body is None and bodies:
        body = next((child for child in node.children if child.type in bodies), None)
    text: bytes = node.text
    return text if body is None else text[: body.start_byte - node.start_byte]


def name_of(node: Node) -> str:
    """The name a declaration gives."""
    name = node.child_by_field_name("name") or node.child_by_field_name("type")
    return text_of(name)


def exports(root: Node, grammar: Grammar) -> Iterator[Export]:
    """Public declarations, by the node types of the language's table."""
    items, containers = listed(grammar.items), listed(grammar.containers) | {"ERROR"}
    for node, comment in declarations(root):
        if node.type in containers:
            yield from exports(node, grammar)
        elif not _is_public(node, grammar):
            continue
        elif node.type in items:
            yield from _seen(node, _declared(node, comment, grammar), grammar)
        elif node.type in listed(grammar.values):
            yield from _seen(node, _values(node, comment, grammar, ""), grammar)


def _seen(node: Node, found: Iterable[Export], grammar: Grammar) -> Iterator[Export]:
    """What a declaration gives, marked where only its own module sees it."""
    is_inner = bool(grammar.inner) and not listed(grammar.inner).isdisjoint(modifier_words(node))
    for export in found:
        yield export._replace(is_inner=True) if is_inner else export


def _declared(node: Node, comment: str, grammar: Grammar, owner: str = "") -> Iterator[Export]:
    name = name_of(node)
    yield Export(_signature(node, grammar), comment, name, owner, line=line_of(node))
    if node.type in listed(grammar.owners):
        yield from _members(node, grammar, name)


def _members(owner: Node, grammar: Grammar, name: str) -> Iterator[Export]:
    members, containers = listed(grammar.members), listed(grammar.containers)
    for node, comment in _body(owner, grammar):
        if not _is_public(node, grammar):
            continue
        if node.type in containers:
            yield from _members(node, grammar, name)
        elif node.type in listed(grammar.owners):
            yield from _seen(node, _declared(node, comment, grammar, name), grammar)
        elif node.type in members:
            signature = compact(f"{name}{grammar.joint}{_signature(node, grammar)}")
            export = Export(signature, comment, name_of(node), name, line=line_of(node))
            yield from _seen(node, [export], grammar)
        elif node.type in listed(grammar.values) and _is_constant(node, grammar):
            yield from _seen(node, _values(node, comment, grammar, name), grammar)


def _body(owner: Node, grammar: Grammar) -> Iterator[Finding]:
    body = owner.child_by_field_name("body")
    if body is None:
        body = next((child for child in owner.children if child.type in listed(grammar.bodies)), None)
    if body is not None:
        yield from declarations(body)


def _values(node: Node, comment: str, grammar: Grammar, owner: str) -> Iterator[Export]:
    """Constants, variables and properties: one export a name."""
    names = list(value_names(node))
    for name in names:
        text = name
        if len(names) == 1:
            text = _signature(node, grammar).partition("=")[0].partition("\n")[0].partition("{")[0].strip(" ;")
        lead = f"{owner}{grammar.joint}" if owner else ""
        yield Export(compact(f"{lead}{text}"), comment, name.lstrip("$"), owner, line=line_of(node))


def value_names(node: Node) -> Iterator[str]:
    """The names that a declaration of values gives."""
    given = [*node.children_by_field_name("declarator"), *node.children_by_field_name("pattern")]
    given = given or [child for child in node.named_children if child.type in _NAMED]
    if not given and (name := node.child_by_field_name("name")) is not None:
        given = [name]
    if not given:
        given = [child for child in node.named_children if child.type in _WORDS][:1]
    for one in given:
        if one.type in _WORDS:
            yield text_of(one)
        elif one.type in ("pattern", *_NAMED):
            inner = one.child_by_field_name("name") or one.child_by_field_name("bound_identifier")
            inner = inner or next((child for child in one.named_children if child.type in _WORDS), None)
            if inner is not None:
                yield text_of(inner)
            else:
                yield from value_names(one)


def _signature(node: Node, grammar: Grammar) -> str:
    bodies = listed(grammar.bodies)
    text = _header_bytes(node, bodies)
    cut = listed(grammar.cut)
    for child in reversed(list(_cut_nodes(node, cut)) if cut else []):
        start, end = child.start_byte - node.start_byte, child.end_byte - node.start_byte
        if end <= len(text):
            text = text[:start] + text[end:]
    shown = text.decode("utf-8", "replace")
    if grammar.noise:
        head, joint, rest = shown.partition("(")
        shown = without_words(head, listed(grammar.noise)) + joint + rest
    return compact(shown).strip(" ;{=")


def _cut_nodes(node: Node, cut: frozenset[str]) -> Iterator[Node]:
    for child in node.named_children:
        if child.type in cut:
            yield child
        elif child.type == "modifiers":
            yield from _cut_nodes(child, cut)


def modifier_words(node: Node) -> set[str]:
    """The words among a declaration's modifiers, annotations left out."""
    words: set[str] = set()
    for child in node.children:
        if child.type == "modifiers":
            words.update(words_of(" ".join([text_of(part) for part in child.children if "annot" not in part.type])))
        elif child.type.endswith("modifier"):
            words.update(words_of(text_of(child)))
    return words


def _is_public(node: Node, grammar: Grammar) -> bool:
    return not grammar.hidden or listed(grammar.hidden).isdisjoint(modifier_words(node))


def _is_constant(node: Node, grammar: Grammar) -> bool:
    """Whether a value among members is exported: all are, unless the grammar names words that mark a constant."""
    return (
        not grammar.constants
        or node.type.startswith("const")
        or not listed(grammar.constants).isdisjoint(modifier_words(node))
    )


def imports(root: Node, grammar: Grammar) -> Iterator[str]:
    """The names that imports give, by the pattern of the language's table."""
    wanted, containers = listed(grammar.import_nodes), listed(grammar.containers)
    find = re.compile(grammar.imports).finditer
    for node in root.named_children:
        if node.type in wanted:
            for found in find(text_of(node)):
                yield next(group for group in found.groups() if group)
        elif node.type in containers:
            yield from imports(node, grammar)


def package(root: Node, grammar: Grammar) -> str:
    """The package or namespace that a file declares first; nothing without one."""
    wanted = listed(grammar.package_nodes)
    for node in root.named_children:
        if node.type in wanted:
            name = node.child_by_field_name("name") or next(
                (child for child in node.named_children if "identifier" in child.type or "name" in child.type), None
            )
            return "".join(text_of(name).split())
    return ""
