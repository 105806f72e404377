"""One record a language, and nothing of it forgotten elsewhere."""

from __future__ import annotations

import re

import pytest

from holdfast.code.analysis.analyser import analyse
from holdfast.code.analysis.facts import FileFacts
from holdfast.code.analysis.parsers import parser
from holdfast.code.languages import _TABLE, LANGUAGES, UNREAD, language_of
from holdfast.contexts.dependencies import dependencies
from holdfast.contexts.project_index import Index
from holdfast.contexts.source_kinds import is_source, unread_languages

EXTENSIONS = [(extension, one.name) for one in LANGUAGES.values() for extension in one.extensions.split()]


@pytest.mark.parametrize(("extension", "language"), EXTENSIONS)
def test_every_extension_counts_as_source_and_is_analysed(extension: str, language: str) -> None:
    for name in (f"a.{extension}", f"a.{extension.upper()}"):
        assert is_source(name)
        assert language_of(name) == language
        assert analyse(name, b"") == FileFacts(name, language)


def test_no_extension_is_of_two_languages() -> None:
    assert len({extension for extension, _ in EXTENSIONS}) == len(EXTENSIONS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_record_names_a_grammar_and_a_rule_that_exist(language: str) -> None:
    record = LANGUAGES[language]
    assert parser(language) is not None
    assert re.compile(record.grammar.imports).groups >= (1 if record.grammar.imports else 0)
    assert set(record.types.split()) <= set(record.keywords.split())
    assert all(language_of(entry) == language for entry, _ in record.entries)
    facts = FileFacts("a", language, imports=("one.two",))
    assert dependencies("", [facts], Index({"": []}, {})).internal == []


def test_what_comes_with_python_is_no_dependency_whichever_python_looks() -> None:
    facts = FileFacts("a.py", "Python", imports=("asyncore", "annotationlib.x", "_thread", "os.path", "numpy.linalg"))
    assert dependencies("", [facts], Index({"": []}, {})).external == ["numpy"]


def test_a_language_has_one_row_so_one_with_a_grammar_is_never_reported_as_unread() -> None:
    names = [language.name for language in _TABLE]
    assert sorted(names) == sorted({*LANGUAGES, *UNREAD.values()})


def test_no_extension_belongs_to_two_languages() -> None:
    assert set(UNREAD) & {extension for extension, _ in EXTENSIONS} == set()
    assert unread_languages(["a.jl", "b.jl", "c.py", "d"]) == {"Julia": 2}
