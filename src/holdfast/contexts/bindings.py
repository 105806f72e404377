"""What the names in a file may stand for, by its imports, its package and the modules that it is part of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from holdfast.code.analysis.facts import FileFacts
from holdfast.code.analysis.references import word_hash
from holdfast.code.languages import LANGUAGES, listed
from holdfast.contexts.import_rules import RULES, Importer
from holdfast.contexts.project_index import Index

# Languages whose imports end in the name that they bind. Those of others open a file or a namespace as a whole.
_NAMING = frozenset({"python", "rust", "jvm", "php", "go", "elixir"})
_WORDS = re.compile(r"(?a)[\w$\x80-\U0010ffff]++")
_RUST_HEADS = frozenset({"crate", "self", "super"})


class Binding(NamedTuple):
    """How names of a file are bound; names are hashes (`references.word_hash`), places are directories."""

    named: Mapping[int, frozenset[str]] = {}  # a name that an import binds, and the places that it leads to
    opened: frozenset[str] = frozenset()  # places whose names need nothing before them
    heads: frozenset[int] = frozenset()  # names that lead into the project from anywhere
    enclosing: frozenset[int] = frozenset()  # modules that the file itself is part of


def binding(place: str, file: FileFacts, index: Index) -> Binding:
    """The binding of a file in a place."""
    if not file.language:
        return Binding()
    record = LANGUAGES[file.language]
    rule, standard = RULES[record.imports], listed(record.standard)
    importer = Importer(place, file.name)
    named: dict[int, set[str]] = {}
    opened: set[str] = set()
    for name in file.imports:
        inside, _ = rule(importer, name, index, standard)
        words = _WORDS.findall(name) if inside else ()
        if words and record.imports in _NAMING and not name.endswith(("*", "._", ".given")):
            named.setdefault(word_hash(words[-1]), set()).update(inside)
        else:
            opened.update(inside)
    heads: set[str] = set()
    enclosing: set[str] = set()
    if file.language == "Rust":
        heads = {*_RUST_HEADS, *index.crates}
    elif file.language == "Elixir":
        heads = {package.partition(".")[0] for package in index.packages}
    elif file.language == "Ruby":
        enclosing = {part for export in file.exports for part in (export.name, export.owner) if part}
    elif file.language == "Go":
        opened.add(place)
    if file.package:
        opened.update([one.place for one in index.packages.get(file.package.replace("\\", "."), ())])
    return Binding(
        {name: frozenset(places) for name, places in named.items()},
        frozenset(opened),
        frozenset(map(word_hash, heads)),
        frozenset(map(word_hash, enclosing)),
    )
