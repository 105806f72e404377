"""Every other language, by tree-sitter grammars. They are an extra: without them a file keeps its name and language."""

from __future__ import annotations

import re
from importlib import import_module

from holdfast.contexts.analysis.facts import MAX_COMMENT, Export, FileFacts, compact, first_sentence
from holdfast.contexts.analysis.source_text import without_words, words_of
from holdfast.contexts.languages import LANGUAGES, Grammar, language_of, listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    Node = Any  # tree_sitter.Node: an optional dependency
    Finding = tuple[Node, str]  # a declaration and the comment above it

INSTALL = "pip install 'holdfast[analysis]'"
_MAX_MEMBERS = 20
_parsers: dict[str, Any] = {}


def parser(language: str) -> Any:
    """The parser of a language, or None where its grammar is not installed."""
    if language not in _parsers:
        grammar = LANGUAGES[language].grammar
        try:
            if grammar is None:
                raise ImportError
            tree_sitter = import_module("tree_sitter")
            source = getattr(import_module(grammar.module), grammar.function)
            _parsers[language] = tree_sitter.Parser(tree_sitter.Language(source()))
        except (ImportError, AttributeError, ValueError):
            _parsers[language] = None
    return _parsers[language]


def missing_parsers(names: Iterable[str]) -> list[str]:
    """The languages of these files whose grammars are not installed, sorted."""
    used = {language_of(name) for name in names} - {""}
    return sorted(used_one for used_one in used if LANGUAGES[used_one].grammar is not None and parser(used_one) is None)


def analyse(name: str, language: str, data: bytes) -> FileFacts:
    """The facts of a file; only its language where the grammar is missing."""
    reader = parser(language)
    grammar = LANGUAGES[language].grammar
    if reader is None or grammar is None:
        return FileFacts(name, language)
    root = reader.parse(data).root_node
    # A language that the table of node types cannot describe has a module of its own.
    module = import_module(f"holdfast.contexts.analysis.{LANGUAGES[language].analyser}")
    found: Iterator[Export] = module.exports(root, grammar)
    needs: Iterator[str] = module.imports(root, grammar)
    return FileFacts(name, language, _file_doc(root), tuple(dict.fromkeys(found)), tuple(dict.fromkeys(needs)))


def text_of(node: Node) -> str:
    """The source of a node."""
    text: str = node.text.decode("utf-8", "replace")
    return text


def declarations(node: Node) -> Iterator[Finding]:
    """The named children, each with the comment that stands right above it."""
    comment = ""
    for child in node.named_children:
        if child.type.endswith("comment"):
            if len(comment) < MAX_COMMENT:  # of a longer one nobody reads more
                comment = comment + "\n" + text_of(child) if comment else text_of(child)
        else:
            yield child, comment
            if not child.type.startswith("attribute"):
                comment = ""


def header(node: Node, bodies: frozenset[str] = frozenset()) -> str:
    """A declaration up to its body."""
    body = node.child_by_field_name("body")
    if body is None and bodies:
        body = next((child for child in node.children if child.type in bodies), None)
    text = text_of(node)
    if body is not None:
        text = node.text[: body.start_byte - node.start_byte].decode("utf-8", "replace")
    return text


def name_of(node: Node) -> str:
    """The name a declaration gives."""
    name = node.child_by_field_name("name") or node.child_by_field_name("type")
    return text_of(name) if name is not None else ""


def _file_doc(root: Node) -> str:
    """The first comment that says something, if it stands before or at the first declaration."""
    comment = ""
    for child in root.named_children[:8]:
        if child.type.endswith("comment"):
            comment = comment + "\n" + text_of(child) if comment else text_of(child)
        elif comment:
            if sentence := first_sentence(comment):
                return sentence
            comment = ""
    return first_sentence(comment)


def exports(root: Node, grammar: Grammar) -> Iterator[Export]:
    """Public declarations, by the node types of the language's table."""
    items, containers = listed(grammar.items), listed(grammar.containers) | {"ERROR"}
    for node, comment in declarations(root):
        if node.type in containers:
            yield from exports(node, grammar)
        elif node.type in items and _is_public(node, grammar):
            yield from _declared(node, comment, grammar)
        elif node.type == "impl_item":  # Rust: what is public in it hangs on its type
            yield from _members(node, grammar, name_of(node))


def _declared(node: Node, comment: str, grammar: Grammar) -> Iterator[Export]:
    yield Export(_signature(node, grammar), comment[:MAX_COMMENT])
    if node.type in listed(grammar.owners):
        yield from _members(node, grammar, name_of(node))


def _members(owner: Node, grammar: Grammar, name: str) -> Iterator[Export]:
    members, shown = listed(grammar.members), 0
    hidden_from_here = False
    for node, comment in _body(owner, grammar):
        if node.type == "identifier" and text_of(node) in ("private", "protected"):
            hidden_from_here = True  # Ruby: a word on a line of its own
        if node.type not in members or hidden_from_here or not _is_public(node, grammar):
            continue
        if node.type in listed(grammar.owners):
            yield from _declared(node, comment, grammar)
        elif shown < _MAX_MEMBERS:
            shown += 1
            yield Export(compact(f"{name}{grammar.joint}{_signature(node, grammar)}"), comment[:MAX_COMMENT])


def _body(owner: Node, grammar: Grammar) -> Iterator[Finding]:
    body = owner.child_by_field_name("body")
    if body is None:
        body = next((child for child in owner.children if child.type in listed(grammar.bodies)), None)
    if body is not None:
        yield from declarations(body)


def _signature(node: Node, grammar: Grammar) -> str:
    text = header(node, listed(grammar.bodies))
    if node.type.startswith(("const", "static", "type_item")):
        text = text.partition("=")[0]
    if grammar.noise:
        text = without_words(text, listed(grammar.noise))
    if grammar.trim is not None:
        text = grammar.trim(text)
    return compact(text).rstrip(" ;{=")


def _is_public(node: Node, grammar: Grammar) -> bool:
    if not grammar.hidden and not grammar.public:
        return True
    before = header(node, listed(grammar.bodies))
    name = name_of(node)
    modifiers = before.partition(name)[0] if name else before
    words = words_of(modifiers)
    if grammar.public:
        return not listed(grammar.public).isdisjoint(words)
    return listed(grammar.hidden).isdisjoint(words)


def imports(root: Node, grammar: Grammar) -> Iterator[str]:
    """The names that imports give, by the pattern of the language's table."""
    wanted, containers = listed(grammar.import_nodes), listed(grammar.containers)
    name_in = re.compile(grammar.imports).search
    for node in root.named_children:
        if node.type in wanted:
            if found := name_in(text_of(node)):
                yield next(group for group in found.groups() if group)
        elif node.type in containers:
            yield from imports(node, grammar)
