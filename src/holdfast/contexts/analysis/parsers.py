"""Parsers by language: tree-sitter with Python's grammar is always there, the other grammars are an extra."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from holdfast.contexts.languages import LANGUAGES, language_of
from holdfast.core.grammars import load_parser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

INSTALL = "pip install 'holdfast[analysis]'"
_parsers: dict[str, Any] = {}


def parser(language: str) -> Any:
    """The parser of a language, or None where its grammar is not installed."""
    if language not in _parsers:
        grammar = LANGUAGES[language].grammar
        _parsers[language] = load_parser(grammar.module, grammar.function)
    return _parsers[language]


# What is prose in the middle of source; the last is Python's docstrings.
_COMMENTS = ("comment", "line_comment", "block_comment", "multiline_comment")
_DOCSTRINGS = "(expression_statement . (string) @prose .)"
_queries: dict[str, Any] = {}


def comments(language: str) -> Callable[[Any], list[Any]] | None:
    """What gives the comments below a node; None where the grammar is not installed."""
    if language not in _queries:
        reader = parser(language)
        if reader is None:
            return None
        tree_sitter = import_module("tree_sitter")
        patterns = [f"({kind}) @prose" for kind in _COMMENTS if reader.language.id_for_node_kind(kind, True)]
        patterns += [_DOCSTRINGS] if language == "Python" else []
        _queries[language] = tree_sitter.Query(reader.language, "\n".join(patterns)) if patterns else None
    query = _queries[language]
    if query is None:
        return None
    cursor = import_module("tree_sitter").QueryCursor(query)
    return lambda root: cursor.captures(root).get("prose", [])


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
