"""One name in a project: where it is defined and where it is used, grouped by file and enclosing symbol. Pure.

A grammar knows declarations and words, not what a word refers to: different symbols of one name are listed apart, and a
use is any whole word outside comments and strings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from holdfast.code.analysis.analyser import code_language, source_code
from holdfast.code.analysis.facts import FileFacts, compact
from holdfast.code.code_sections import cut_source, symbol_at
from holdfast.code.test_files import is_example
from holdfast.core.display_text import display_line
from holdfast.core.largest_fit import counted, fitted, largest_fit
from holdfast.core.token_estimate import estimate_tokens

if TYPE_CHECKING:
    from holdfast.contexts.shapes import FoundDefinition, SymbolAnswer, UsingFile

DEFAULT_BUDGET = 1000
_BODY = 400  # tokens that a body takes at most
_MOST_NAMED = 20
_LONGEST_SIGNATURE = 200  # characters of the text; JSON has it whole
_AFTER_NAME = re.compile(r"[(<\[:]| = ")
_PARTS = re.compile(r"(?a)[\w$\x80-\U0010ffff]++")
_WORDS = re.compile(r"[A-Z]++(?![a-z])|[A-Z]?+[a-z]++|[0-9]++")
_IMPORT = re.compile(rb"^\s*+(?:#\s*+include|(?:pub\s++)?+use|import|from|using|require|require_relative|alias)(?!\w)")


class Definition(NamedTuple):
    """A declaration of the name."""

    name: str  # below what it is a member of
    line: int
    last: int
    shown: str  # kind, name and signature on one line
    doc: str
    body: str


class Look(NamedTuple):
    """What one file says about a name; `uses` are (enclosing symbol, whether it imports, lines)."""

    definitions: tuple[Definition, ...] = ()
    uses: tuple[tuple[str, bool, tuple[int, ...]], ...] = ()


class Looked(NamedTuple):
    """The same with the file's path."""

    path: str
    is_test: bool
    look: Look


def parts_of(query: str) -> list[str]:
    """The names of a path as `Class.method` or `a::b`; several words that are no path give none."""
    return [] if len(query.split()) > 1 else _PARTS.findall(query)


def look(name: str, data: bytes, parts: Sequence[str]) -> Look:
    """What a file defines and uses of the last of some names, below the others."""
    word = parts[-1]
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    language = code_language(name, data)
    cut = cut_source(data, language)
    lines = data.split(b"\n")
    named = [symbol for symbol in cut.symbols if _PARTS.findall(symbol.name)[-1:] == [word]]
    meant = [one for one in named if _PARTS.findall(one.name)[-len(parts) :] == list(parts)]
    definitions = [
        Definition(
            one.name,
            one.line,
            one.last,
            one.shown,
            one.doc,
            b"\n".join(lines[one.first - 1 : one.last]).decode("utf-8", "replace"),
        )
        for one in meant
    ]
    declared = {one.line for one in named}
    whole = re.compile(rb"(?<![\w$\x80-\xff])" + re.escape(word.encode("utf-8", "replace")) + rb"(?![\w$\x80-\xff])")
    groups: dict[tuple[str, bool], list[int]] = {}
    for number, line in enumerate(source_code(language, data).split(b"\n"), 1):
        if number in declared or not whole.search(line):
            continue
        around = symbol_at(cut.symbols, number)
        groups.setdefault((around.name if around else "", bool(_IMPORT.match(line))), []).append(number)
    uses = [(symbol, imports, tuple(at)) for (symbol, imports), at in groups.items()]
    return Look(tuple(definitions), tuple(uses))


def exported_names(files: Iterable[FileFacts]) -> list[str]:
    """The public names of files, members below their owners."""
    found: dict[str, None] = {}
    for file in files:
        for export in file.exports:
            if export.name and not export.origin:
                found[f"{export.owner}.{export.name}" if export.owner else export.name] = None
                found.update(dict.fromkeys([f"{export.name}.{member}" for member in export.members]))
    return list(found)


def nearest_names(query: str, names: Iterable[str]) -> list[str]:
    """The names that share most of a query's words, else those that are spelled most like it."""
    asked = set(_words(query))
    scored = [(len(asked.intersection(_words(name))), name) for name in sorted(set(names))]
    best = sorted([one for one in scored if one[0]], key=lambda one: (-one[0], len(_words(one[1])), one[1]))
    if best and (best[0][0] > 1 or len(asked) == 1):
        return [name for _, name in best[:_MOST_NAMED]]
    close = get_close_matches(query, [name for _, name in scored], 5, 0.6)
    return [*close, *[name for _, name in best if name not in close]][:_MOST_NAMED]


def _words(name: str) -> list[str]:
    """The words that a name is made of: `apply_async`, `applyAsync` and `apply async` are two."""
    return [word if not word.isascii() else word.lower() for word in _WORDS.findall(name)]


def symbol_answer(name: str, found: Sequence[Looked], nearest: Sequence[str], budget: int) -> SymbolAnswer:
    """All definitions and as many files with uses as fit, those with most uses first, then examples and tests;
    BudgetTooSmall for none."""
    defined = [(one, each) for one in found for each in one.look.definitions]
    defined.sort(key=lambda pair: (pair[0].is_test, len(_PARTS.findall(pair[1].name)), pair[0].path, pair[1].line))
    using = [one for one in found if one.look.uses]
    counts = {one.path: sum([len(lines) for _, _, lines in one.look.uses]) for one in using}
    using.sort(key=lambda one: (one.is_test, is_example(one.path), -counts[one.path], one.path))

    def answer(definitions: int, files: int) -> SymbolAnswer:
        value: SymbolAnswer = {
            "name": name,
            "budget": budget,
            "tokens_used": 0,
            "definitions": [_definition(one, each, body=has_body) for one, each in defined[:definitions]],
            "definition_count": len(defined),
            "uses": [_using(one) for one in using[:files]],
            "using_file_count": len(using),
            "use_count": sum(counts.values()),
            "nearest": list(nearest),
        }
        return counted(value, as_text)

    has_body = len(defined) == 1 and estimate_tokens(defined[0][1].body) <= min(_BODY, budget // 2)
    # Of many definitions as many as half of the budget holds, so that uses are there as well.
    half = budget // 2 if using else budget
    definitions = largest_fit(len(defined), lambda some: answer(some, 0)["tokens_used"] <= half)
    definitions = max(definitions, min(1, len(defined)))
    return fitted(len(using), lambda some: answer(definitions, some), budget)


def _definition(one: Looked, each: Definition, *, body: bool) -> FoundDefinition:
    value: FoundDefinition = {
        "path": one.path,
        "line": each.line,
        "last": each.last,
        "signature": each.shown,
        "doc": each.doc,
    }
    if body:
        value["body"] = each.body
    return value


def _using(one: Looked) -> UsingFile:
    return {
        "path": one.path,
        "is_test": one.is_test,
        "imports": [line for _, imports, lines in one.look.uses if imports for line in lines],
        "within": [{"symbol": symbol, "lines": list(lines)} for symbol, imports, lines in one.look.uses if not imports],
    }


def as_text(value: SymbolAnswer) -> str:
    """The answer as a model reads it, without its final newline."""
    definitions, using = value["definitions"], value["uses"]
    files = f"{_count(value['use_count'], 'line')} in {_count(value['using_file_count'], 'file')} use it"
    counts = f"{_count(value['definition_count'], 'definition')}, {files}"
    lines = [f"# {value['name']}: {counts} · {value['tokens_used']:,} of {value['budget']:,} tokens"]
    for one in definitions:
        place = f"{one['path']}#L{one['line']}-L{one['last']}"
        if "body" in one:  # which says the rest
            lines += [f"{place}  {_AFTER_NAME.split(one['signature'], maxsplit=1)[0]}", *one["body"].split("\n")]
        else:
            lines.append(f"{place}  {compact(one['signature'], _LONGEST_SIGNATURE)}")
            lines += [f"  {one['doc']}"] if one["doc"] else []
    if len(definitions) < value["definition_count"]:
        lines.append(
            f"… {value['definition_count'] - len(definitions)} more definitions: raise budget or give Class.name"
        )
    if value["definition_count"] > 1 and using:
        lines.append("Several symbols have this name; a grammar cannot tell which one a use means.")
    for is_test, title in ((False, "used in"), (True, "used in tests")):
        some = [one for one in using if one["is_test"] == is_test]
        lines += [title, *map(_file_line, some)] if some else []
    if (more := value["using_file_count"] - len(using)) > 0:
        lines.append(f"… {more} more files use it: raise budget")
    lines += [] if value["definition_count"] else [f"Nothing here defines '{value['name']}'."]
    lines += ["Nearest names: " + " ".join(value["nearest"])] if value["nearest"] else []
    return "\n".join([display_line(line) for line in lines])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _file_line(one: UsingFile) -> str:
    parts = ["import " + " ".join(map(str, one["imports"]))] if one["imports"] else []
    parts += [
        " ".join([*([each["symbol"]] if each["symbol"] else []), *map(str, each["lines"])]) for each in one["within"]
    ]
    return f"{one['path']}: {' · '.join(parts)}"
