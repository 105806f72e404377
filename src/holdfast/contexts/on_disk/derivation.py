"""The fields that a context need not hold: computed from the files as they are, when they are asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from functools import cached_property
from typing import Any

from holdfast.code.analysis.facts import FileFacts
from holdfast.code.analysis.references import References, hashes_in, word_hash
from holdfast.code.languages import language_of
from holdfast.code.test_files import is_test
from holdfast.contexts import description
from holdfast.contexts.commands import KINDS, commands, is_command_file
from holdfast.contexts.context_text import writable
from holdfast.contexts.dependencies import dependencies, dependents
from holdfast.contexts.description import About, Child, Offered, summary
from holdfast.contexts.manifests import MANIFESTS, READMES, about, declared_programs
from holdfast.contexts.on_disk.directory_view import DirectoryView
from holdfast.contexts.on_disk.import_index import import_index, read_text
from holdfast.contexts.on_disk.project import Found, Project, scan
from holdfast.contexts.on_disk.source_facts import Gathered, SizedFile, SourceFacts, facts_of, gather_facts
from holdfast.contexts.project_index import Index
from holdfast.contexts.symbol_ranks import MapFile, ranked_symbols
from holdfast.core import posix_calls
from holdfast.core.confined_paths import open_beneath, printable
from holdfast.core.errors import ContextCorrupt, ContextError, ContextMissing, UnsupportedVersion
from holdfast.core.regular_files import close_quietly
from holdfast.core.yaml_text import YamlError, parse

Value = Any

_WORKFLOWS = ".github/workflows"
_MAX_WORKFLOWS = 20
_PYTHON_MAIN = word_hash("__main__")


class Derivation:
    """Computes fields of one directory; what several fields need is gathered once."""

    def __init__(self, project: Project, place: str, view: DirectoryView | None = None) -> None:
        """Raises OSError when the directory, without a view of it, cannot be looked at."""
        self.project, self.place = project, place
        self.view = view or project.view(place)

    @property
    def analysable(self) -> list[SizedFile]:
        """Its files in a known language, sorted."""
        return sorted([(self.place, file.name, file.size) for file in self.view.files if language_of(file.name)])

    @cached_property
    def own(self) -> dict[str, SourceFacts]:
        """The facts of its own files, by name."""
        found = facts_of(self.project, self.analysable)
        return {name: one for (_, name), one in found.items()}

    @property
    def files(self) -> list[FileFacts]:
        """The same without the words they use."""
        return [one.facts for one in self.own.values()]

    def offered(self, most: int) -> Offered:
        """Its public exports by files, the most used here first; the `most` best ones come before all others."""
        files = [MapFile(name, one.facts, one.uses, is_test(self.place, name)) for name, one in self.own.items()]
        ranked = {(one.path, one.owner, one.name): at for at, one in enumerate(ranked_symbols(files))}
        found = description.public_exports(self.place, self.files)
        ranks = [ranked.get((file.name, export.owner, export.name), len(ranked)) for file, export in found]
        best = set(sorted(range(len(found)), key=ranks.__getitem__)[: most if len(found) <= most else most - 1])
        first: dict[str, int] = {}
        for rank, (file, _) in zip(ranks, found, strict=True):
            first[file.name] = min(rank, first.get(file.name, rank))
        order = sorted(range(len(found)), key=lambda at: (at not in best, first[found[at][0].name], at))
        return [found[at] for at in order]

    @cached_property
    def about(self) -> About:
        """What its manifests and README say."""
        return about(self._texts([*MANIFESTS, *READMES]), description.main_language(self.view.sources))

    @cached_property
    def found(self) -> list[Found]:
        """The directories of the project."""
        return scan(self.project, deep=True)

    @cached_property
    def _gathered(self) -> Gathered:
        return gather_facts(self.project, self.found, first=lambda place, _: place == self.place)

    @cached_property
    def all_facts(self) -> dict[str, tuple[FileFacts, ...]]:
        """The facts of the whole project, by place."""
        return self._gathered.facts()

    @cached_property
    def used(self) -> dict[tuple[str, str], References]:
        """The names that files in packages refer to."""
        places = self._gathered.places.items()
        return {(at, name): one.uses for at, files in places for name, one in files.items() if one.facts.package}

    @property
    def beyond(self) -> list[str]:
        """The note added to a list that needs the whole project, where that is too large to be analysed."""
        left = self._gathered.left
        return [f"… {left} files beyond the limit were not looked at"] if left else []

    @cached_property
    def index(self) -> Index:
        """What imports lead to."""
        return import_index(self.project, self.found, self.all_facts)

    def _texts(self, names: Collection[str]) -> dict[str, str]:
        there = {file.name for file in self.view.files}.intersection(names)
        texts = {name: read_text(self.project, self.place, name) for name in there}
        return {name: text for name, text in texts.items() if text is not None}

    def fields(self, names: Collection[str]) -> dict[str, Value]:
        """The requested fields that can be computed, in the order of the table."""
        return {name: writable(make(self)) for name, make in COMPUTED.items() if name in names}


def _dependencies(one: Derivation) -> Value:
    needs = dependencies(one.place, one.files, one.index, one.used)
    return {"internal": [printable(place) for place in needs.internal], "external": needs.external}


def _tests(one: Derivation) -> list[str]:
    """Test files of the directory, and those elsewhere that import it."""
    own = [_path(one.place, file.name) for file in one.files if is_test(one.place, file.name)]
    scope = one.place or "."
    others = [
        _path(place, file.name)
        for place, files in one.all_facts.items()
        if place != one.place
        for file in files
        if is_test(place, file.name) and scope in dependencies(place, [file], one.index, one.used).internal
    ]
    return description.cut([*own, *sorted(others)], description.MAX_TESTS, "ask a directory below") + one.beyond


def _entry_points(one: Derivation) -> list[str]:
    """Files that a program starts in, and the commands that manifests give to functions."""
    files = [_path(one.place, name) for name, facts in one.own.items() if _starts(one.place, name, facts)]
    return [*files, *declared_programs(one._texts(list(MANIFESTS)))]


def _starts(place: str, name: str, found: SourceFacts) -> bool:
    facts = found.facts
    if is_test(place, name) or facts.generated:
        return False
    if facts.language == "Python":
        return name == "__main__.py" or _PYTHON_MAIN in hashes_in(found.uses.names)
    if facts.language == "Go":
        return facts.package == "main" and word_hash("main") in hashes_in(found.uses.names) and name != "doc.go"
    if facts.language == "Rust":
        return name in ("main.rs", "build.rs") or place.endswith("src/bin")
    return any(export.name in ("main", "Main") for export in facts.exports)


def _path(place: str, name: str) -> str:
    return printable(f"{place}/{name}" if place else name)


def _children(one: Derivation) -> list[Child]:
    below = [item for item in one.found if item.leads and item.place and item.place.rpartition("/")[0] == one.place]
    return [
        Child(printable(item.place.rpartition("/")[2]), item.scope, _summary_of(one.project, item))
        for item in sorted(below, key=lambda item: item.place)
    ]


def _summary_of(project: Project, item: Found) -> str:
    """The summary in a directory's context; where that has none, what its files say."""
    try:
        if item.view is not None and item.view.has_context and (text := item.view.headline().summary):
            return text
    except (ContextMissing, ContextCorrupt, UnsupportedVersion):
        pass
    try:
        below = Derivation(project, item.place, item.view)
    except (OSError, ContextError):
        return ""
    return summary(below.about, below.files)


def _workflows(one: Derivation) -> dict[str, tuple[Value, str]]:
    """The project's CI files, parsed and as text; what cannot be read or parsed is passed over."""
    names: list[str] = []
    try:
        directory = open_beneath(one.project.root, _WORKFLOWS, listed=True)
    except OSError:
        pass  # none here
    else:
        try:
            names = sorted([name for name in posix_calls.listdir(directory) if name.endswith((".yml", ".yaml"))])
        except OSError:
            pass  # closed to us: none either
        finally:
            close_quietly(directory)
    places = [(_WORKFLOWS, name) for name in names[:_MAX_WORKFLOWS]] + [("", ".gitlab-ci.yml")]
    parsed = {}
    for place, name in places:
        text = read_text(one.project, place, name)
        try:
            if text is not None:
                parsed[f"{place}/{name}"] = parse(text.encode("utf-8", "replace")), text
        except YamlError:
            continue
    return parsed


def _commands(one: Derivation) -> dict[str, list[str]]:
    found = commands(
        one._texts([file.name for file in one.view.files if is_command_file(file.name)]),
        _workflows(one) if not one.place else {},
    )
    return {kind: found[kind] for kind in KINDS if kind in found}


def _project(one: Derivation) -> Value:
    field = description.project_field(one.about, summary(one.about, one.files), one.view.sources)
    field["name"] = field["name"] or printable(os.path.basename(one.view.path))
    return field


# How each field is computed, in the order of answers.
COMPUTED: dict[str, Callable[[Derivation], Value]] = {
    "files": lambda one: description.file_list(one.files, one.view.sources),
    "interfaces": lambda one: description.interfaces(one.offered(description.MAX_INTERFACES)),
    "dependencies": _dependencies,
    "dependents": lambda one: [
        *[printable(place) for place in dependents(one.place, one.all_facts, one.index, one.used)],
        *one.beyond,
    ],
    "subdirectories": lambda one: [{"name": child.name + "/", "summary": child.summary} for child in _children(one)],
    "project": _project,
    "structure": lambda one: [{"path": child.path, "summary": child.summary} for child in _children(one)],
    "exports": lambda one: description.exports(one.place, one.files, one.offered(description.MAX_EXPORTS)),
    "tests": _tests,
    "entry_points": _entry_points,
    "commands": _commands,
}
