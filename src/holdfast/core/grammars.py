"""Parsers of programming languages: tree-sitter with Python's grammar is always there, other grammars are an extra."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def load_parser(module: str, function: str = "language") -> Any:
    """The parser of the grammar that a function of a module gives; None where it is not installed."""
    try:
        tree_sitter = import_module("tree_sitter")
        source = getattr(import_module(module), function)
        return tree_sitter.Parser(tree_sitter.Language(source()))
    except (ImportError, AttributeError, ValueError):
        return None
