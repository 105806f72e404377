"""A source file's bytes to its facts: by the parser of its language, and never failing the run."""

from __future__ import annotations

from holdfast.contexts.analysis.facts import MAX_ANALYSED, FileFacts
from holdfast.contexts.languages import LANGUAGES, language_of


def analyse(name: str, data: bytes) -> FileFacts:
    """The facts of a file. One that is broken, huge or in an unknown language has fewer."""
    language = language_of(name)
    if not language or len(data) > MAX_ANALYSED:
        return FileFacts(name, language)
    try:
        if LANGUAGES[language].grammar is None:
            from holdfast.contexts.analysis.python import analyse as analyse_python

            return analyse_python(name, data)
        from holdfast.contexts.analysis.syntax import analyse as analyse_other

        return analyse_other(name, language, data)
    except (RecursionError, MemoryError, ValueError, AttributeError, IndexError):
        return FileFacts(name, language)
