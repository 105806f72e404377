"""What a source file declares, each name with digests of its signature and of its body.

Comments, documentation and white space do not count, so a digest changes when the code does. The body of a function is
its statements; the body of a type is the signatures of its members that are not private.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any, NamedTuple

from holdfast.code.analysis.analyser import code_language
from holdfast.code.analysis.facts import MAX_ANALYSED
from holdfast.code.analysis.parsers import parser
from holdfast.code.analysis.source_text import is_capital, words_of
from holdfast.code.analysis.syntax import Node, text_of

DIGITS = 8
# Endings of the node types that declare a name in some grammar, and words in those that do not although they end so.
_DECLARES = tuple(
    "definition declaration _item _spec _specifier declarator signature _def variant enum_constant class module method "
    "singleton_method".split()
)
_NO_DECLARATION = tuple("param import package export using call_sig heritage".split())
_TYPES = tuple(
    "class struct interface trait impl_ mod_item module namespace object protocol extension type_spec".split()
)
_BODIES = frozenset(
    "function_body block class_body enum_class_body do_block struct_type interface_type accessor_list keywords".split()
)
_IDENTIFIERS = frozenset("identifier field_identifier qualified_identifier destructor_name operator_name".split())
_HIDDEN = frozenset("private fileprivate defp defmacrop".split())
_ELIXIR_TYPES = frozenset(("defmodule", "defprotocol", "defimpl"))
_ELIXIR = frozenset("def defp defmacro defmacrop defguard defdelegate defstruct".split()) | _ELIXIR_TYPES


class Declared(NamedTuple):
    """A declared name with the names around it, joined by dots, and its two digests."""

    name: str
    signature: str
    body: str
    is_hidden: bool = False

    def is_called(self, name: str) -> bool:
        """Whether a name means it: its own, or that with as many of the names around it as are given."""
        parts, own = parts_of(name), self.name.split(".")
        return bool(parts) and own[-len(parts) :] == parts


def parts_of(name: str) -> list[str]:
    """The words of a dotted name, whatever joins them."""
    return [part for part in name.removesuffix("()").replace("::", ".").replace("#", ".").split(".") if part]


def digest_of(words: list[str]) -> str:
    """A short digest of some words; a comma before a closing bracket does not count, since formatters add it."""
    kept = [word for at, word in enumerate(words) if word != "," or words[at + 1 : at + 2] not in ([")"], ["]"], ["}"])]
    return sha256("\0".join(kept).encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def declarations(name: str, data: bytes) -> list[Declared] | None:
    """Everything that a file declares outside of functions, in order; None where its language cannot be read here."""
    language = code_language(name, data)
    reader = parser(language) if language and len(data) <= MAX_ANALYSED else None
    if reader is None:
        return None
    try:
        return list(_declared(reader.parse(data.removeprefix(b"\xef\xbb\xbf")).root_node, "", language, reader))
    except (RecursionError, MemoryError):
        return None


def _declared(node: Node, owner: str, language: str, reader: Any) -> Iterator[Declared]:
    for child in node.named_children:
        kind = child.type
        if kind.endswith("comment"):
            continue
        if kind == "macro_invocation":  # Rust: items that a macro passes on
            inner = next((part for part in child.children if part.type == "token_tree"), None)
            if inner is not None and inner.text[:1] == b"{":
                yield from _declared(reader.parse(inner.text[1:-1]).root_node, owner, language, reader)
            continue
        name = _name(child)
        if not name:
            yield from _declared(child, owner, language, reader)
            continue
        whole = child.parent if child.parent is not None and child.parent.type == "decorated_definition" else child
        qualified = f"{owner}.{name}" if owner else name
        body = _body(child)
        head = _words(whole, body)
        hidden = _is_hidden(child, name.rpartition(".")[2], language)
        if _is_type(child):
            members = list(_declared(child if body is None else body, qualified, language, reader))
            shown = sorted([f"{one.name} {one.signature}" for one in members if not one.is_hidden])
            yield Declared(qualified, digest_of(head), digest_of(shown), hidden)
            yield from members
        else:
            yield Declared(qualified, digest_of(head), digest_of(_words(body) if body is not None else []), hidden)


def _is_hidden(node: Node, name: str, language: str) -> bool:
    """Whether the name is private to its type or module, as far as the declaration itself says so."""
    if language == "Go":
        return not is_capital(name[:1])
    if language == "Rust" and node.type in ("function_item", "field_declaration", "const_item"):
        holder = node.parent.parent if node.parent is not None else None
        is_open = holder is not None and (
            holder.type == "trait_item" or holder.child_by_field_name("trait") is not None
        )
        return not is_open and not any(part.type == "visibility_modifier" for part in node.children)
    if node.type.endswith("declarator") and node.parent is not None:
        node = node.parent
    return name.startswith(("_", "#")) or not _HIDDEN.isdisjoint(words_of(text_of(node)[:200].partition(name)[0]))


def _is_type(node: Node) -> bool:
    if node.type == "call":
        return text_of(node.child_by_field_name("target")) in _ELIXIR_TYPES
    if node.type == "type_spec":  # Go
        kind = node.child_by_field_name("type")
        return kind is not None and kind.type in _BODIES
    return any(word in node.type for word in _TYPES)


def _name(node: Node) -> str:
    """The name that a node declares, the type of a method before it; nothing where it declares none."""
    kind = node.type
    if kind == "call":
        return _elixir_name(node)
    if kind == "assignment":
        left = node.child_by_field_name("left")
        return text_of(left) if left is not None and left.type == "identifier" else ""
    if not kind.endswith(_DECLARES) or any(word in kind for word in _NO_DECLARATION):
        return ""
    found = node.child_by_field_name("type" if kind == "impl_item" else "name")
    if found is None and kind == "variable_declaration" and node.named_child_count:
        found = node.named_children[0]  # Kotlin
        return text_of(found) if found.type == "identifier" else ""
    if found is None:
        found = node.child_by_field_name("declarator")
        while found is not None and found.type not in _IDENTIFIERS:
            found = found.child_by_field_name("declarator")
    name = text_of(found).partition("<")[0].strip(" ")
    receiver = node.child_by_field_name("receiver")
    if name and receiver is not None:
        owner = words_of(text_of(receiver).partition("[")[0])
        return f"{owner[-1]}.{name}" if owner else name
    return ".".join(parts_of(name)) if name and " " not in name and "\n" not in name else ""


def _elixir_name(node: Node) -> str:
    if text_of(node.child_by_field_name("target")) not in _ELIXIR:
        return ""
    arguments = next((part for part in node.named_children if part.type == "arguments"), None)
    found = arguments.named_children[0] if arguments is not None and arguments.named_child_count else None
    while found is not None and found.type in ("binary_operator", "call"):
        found = found.child_by_field_name("left" if found.type == "binary_operator" else "target")
    return text_of(found) if found is not None and found.type in ("identifier", "alias") else ""


def _body(node: Node) -> Node | None:
    body = node.child_by_field_name("body")
    if body is None and (value := node.child_by_field_name("value") or node.child_by_field_name("right")) is not None:
        body = value.child_by_field_name("body") or value
    if body is None:
        body = next((child for child in reversed(node.children) if child.type in _BODIES), None)
    if body is None and node.type == "call":  # Elixir: `def name(), do: …`
        inner = next((child for child in node.named_children if child.type == "arguments"), None)
        body = next((child for child in inner.children if child.type in _BODIES), None) if inner is not None else None
    return body


def _words(node: Node, without: Node | None = None) -> list[str]:
    """The tokens of a node, comments and documentation left out, and nothing of one node inside it."""
    words: list[str] = []
    waiting = [node]
    while waiting:
        one = waiting.pop()
        kind = one.type
        if kind.endswith("comment") or "annotation" in kind or (without is not None and one.id == without.id):
            continue
        if kind == "expression_statement" and one.child_count == 1 and one.children[0].type == "string":
            continue  # Python: documentation
        if one.child_count:
            waiting.extend(reversed(one.children))
        else:
            words.append(text_of(one))
    return words
