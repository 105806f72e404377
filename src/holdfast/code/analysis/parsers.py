"""Parsers by language: tree-sitter with Python's grammar is always there, the other grammars are an extra."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from holdfast.code.languages import LANGUAGES, language_of
from holdfast.core.grammars import load_parser

INSTALL = "pip install 'holdfast-context[analysis]'"
_parsers: dict[str, Any] = {}


def parser(language: str) -> Any:
    """The parser of a language, or None where its grammar is not installed."""
    if language not in _parsers:
        grammar = LANGUAGES[language].grammar
        _parsers[language] = load_parser(grammar.module, grammar.function)
    return _parsers[language]


# Nodes of text that names nothing: comments, and what is inside strings.
_PROSE = frozenset(
    "comment line_comment block_comment multiline_comment string_content string_fragment multiline_string_fragment "
    "interpreted_string_literal_content raw_string_literal_content raw_string_content string_literal_content "
    "verbatim_string_literal heredoc_content nowdoc_string line_str_text multi_line_str_text multiline_string "
    "raw_string quoted_content quoted_string_content xml_text jsx_text text "
    "char_literal character_literal regex_pattern".split()
)
_queries: dict[str, Any] = {}
_keywords: dict[str, frozenset[bytes]] = {}


def prose(language: str) -> Callable[[Any], list[Any]] | None:
    """What gives the comments and the insides of strings below a node; None where the grammar is not installed."""
    if language not in _queries:
        reader = parser(language)
        if reader is None:
            return None
        kinds = sorted(kind for kind in _PROSE if reader.language.id_for_node_kind(kind, True))
        query = import_module("tree_sitter").Query
        _queries[language] = query(reader.language, " ".join([f"({kind}) @prose" for kind in kinds]))
    cursor = import_module("tree_sitter").QueryCursor(_queries[language])
    return lambda root: cursor.captures(root).get("prose", [])


def without_prose(root: Any, language: str, data: bytes) -> bytes:
    """The bytes that a node was parsed from, with blanks for comments and the insides of strings."""
    find = prose(language)
    text = bytearray(data)
    for node in find(root) if find is not None else ():
        if node.text != b"__main__":  # what Python's programs are known by
            text[node.start_byte : node.end_byte] = bytes([code if code == 0x0A else 0x20 for code in node.text])
    return bytes(text)


def keywords(language: str) -> frozenset[bytes]:
    """The words that the grammar of a language, which is installed, knows as keywords."""
    if language not in _keywords:
        grammar = parser(language).language
        kinds = [
            grammar.node_kind_for_id(at) for at in range(grammar.node_kind_count) if not grammar.node_kind_is_named(at)
        ]
        _keywords[language] = frozenset([kind.encode() for kind in kinds if kind.isascii() and kind.isidentifier()])
    return _keywords[language]


def missing_parsers(names: Iterable[str]) -> dict[str, int]:
    """The languages of these files whose grammars are not installed, sorted, and how many files are in each."""
    counts: dict[str, int] = {}
    for name in names:
        if language := language_of(name):
            counts[language] = counts.get(language, 0) + 1
    return {language: counts[language] for language in sorted(counts) if not _is_installed(language)}


def _is_installed(language: str) -> bool:
    """Whether a grammar is there; it is not loaded, since it may be one that takes its process with it."""
    return find_spec("tree_sitter") is not None and find_spec(LANGUAGES[language].grammar.module) is not None
