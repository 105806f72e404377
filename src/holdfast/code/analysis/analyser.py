"""A source file's bytes to its facts: by the grammar of its language, and never failing the run."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import import_module

from holdfast.code.analysis.doc_comment import file_doc
from holdfast.code.analysis.facts import MAX_ANALYSED, NO_GRAMMAR, NOT_PARSED, TOO_LARGE, Export, FileFacts
from holdfast.code.analysis.parsers import keywords, parser, without_prose
from holdfast.code.analysis.references import References, references
from holdfast.code.languages import LANGUAGES, language_of

# Who writes source with a program says so at its beginning.
_HEAD = 2048
_GENERATED = re.compile(rb"code generated|@generated(?![a-z])|auto-?generated|automatically generated")
# What no C header says outside its comments, at the beginning of a line.
_IS_CPP = re.compile(rb"^[ \t]*+(?:namespace\s|template\s*+<|class\s++\w++\s*+[:{]|using\s++\w)", re.MULTILINE)
_GENERATED_NAMES = (
    ".pb.go",
    "_pb2.py",
    "_pb2_grpc.py",
    ".min.js",
    ".g.dart",
    ".Designer.cs",
    ".g.cs",
    ".pb.h",
    ".pb.cc",
)


def analyse(name: str, data: bytes) -> FileFacts:
    """The facts of a file. One that is huge, nested without end or in a language without a grammar here has fewer."""
    return analyse_with_references(name, data)[0]


def analyse_with_references(name: str, data: bytes) -> tuple[FileFacts, References]:
    """The same, and the names that the file refers to."""
    language = language_of(name)
    if not language:
        return FileFacts(name), References()
    if len(data) > MAX_ANALYSED:
        return FileFacts(name, language, unread=TOO_LARGE), References()
    reader = parser(language)
    if reader is None:
        return FileFacts(name, language, unread=NO_GRAMMAR), references(data)
    if (spoken := code_language(name, data)) != language and parser(spoken) is not None:
        language, reader = spoken, parser(spoken)
    record = LANGUAGES[language]
    # A language that the table of node types cannot describe has a module of its own.
    module = import_module(f"holdfast.code.analysis.{record.analyser}")
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        parsed = getattr(module, "parsed", None)
        root = parsed(reader, data, record.grammar) if parsed is not None else reader.parse(data).root_node
        facts = FileFacts(
            name,
            language,
            file_doc(root, language),
            _once(module.exports(root, record.grammar)),
            tuple(dict.fromkeys(module.imports(root, record.grammar))),
            module.package(root, record.grammar) if hasattr(module, "package") else "",
            generated=is_generated(name, data),
            dropped=module.dropped(root, record.grammar) if hasattr(module, "dropped") else 0,
        )
    except (RecursionError, MemoryError):
        return FileFacts(name, language, unread=NOT_PARSED), references(data)
    return facts, references(without_prose(root, language, data), keywords(language))


def code_language(name: str, data: bytes) -> str:
    """The language of a file by its name, and where that says C by what stands in it: an `.h` may be either."""
    language = language_of(name)
    return "C++" if language == "C" and _IS_CPP.search(data) else language


def source_code(language: str, data: bytes) -> bytes:
    """The bytes of a file with blanks for its comments and the insides of its strings, as far as a grammar says."""
    reader = parser(language) if language in LANGUAGES else None
    return data if reader is None else without_prose(reader.parse(data).root_node, language, data)


def _once(exports: Iterable[Export]) -> tuple[Export, ...]:
    """The exports without those that a file declares again."""
    found: dict[Export, Export] = {}
    for export in exports:
        found.setdefault(export._replace(line=0), export)
    return tuple(found.values())


def is_generated(name: str, data: bytes) -> bool:
    """Whether a program wrote a file, by its name or by what it says at its beginning."""
    if name.endswith(_GENERATED_NAMES) or name.startswith("zz_generated"):
        return True
    head = data[:_HEAD].lower()
    return _GENERATED.search(head) is not None or (b"do not edit" in head and b"generated" in head)
