"""A change on disk: its files before and now, the symbols that differ, their users, and the claims that name them.

Users are known by how names are bound (`bindings`) and by what imports lead to; no index is kept.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from holdfast.code.analysis.analyser import analyse, code_language, source_code
from holdfast.code.analysis.facts import MAX_ANALYSED, FileFacts
from holdfast.code.analysis.references import References, hashes_in, word_hash
from holdfast.code.code_sections import cut_source
from holdfast.code.declarations import declarations, parts_of
from holdfast.code.languages import LANGUAGES, language_of, listed
from holdfast.code.on_disk.source_workers import worked
from holdfast.code.test_files import is_test
from holdfast.contexts.bindings import binding
from holdfast.contexts.change_impact import BODY, REMOVED, ChangedSymbol, Reach, Side, changed_symbols, public_names
from holdfast.contexts.claims import WHOLE, claims_of, named_subjects, recorded_claims
from holdfast.contexts.context_text import machine_fields
from holdfast.contexts.dependencies import dependencies
from holdfast.contexts.import_rules import RULES, Importer
from holdfast.contexts.on_disk.claim_subjects import Subjects
from holdfast.contexts.on_disk.directory_view import parse_context, read_context_bytes
from holdfast.contexts.on_disk.disk_failure import read_beneath
from holdfast.contexts.on_disk.git import files_changed_since, read_objects
from holdfast.contexts.on_disk.import_index import import_index
from holdfast.contexts.on_disk.source_facts import gather_facts
from holdfast.contexts.project_map import is_below
from holdfast.contexts.symbol_ranks import MapFile, bound_users
from holdfast.core.confined_paths import printable
from holdfast.core.errors import ContextCorrupt, ContextMissing, UnsupportedVersion
from holdfast.core.unicode_text import lower_case

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from holdfast.contexts.on_disk.project import Found, Project
    from holdfast.contexts.project_index import Index
    from holdfast.contexts.shapes import ConcernedClaim, ConcernedTask, UserOfSymbols

    Compared = tuple[str, str, str, "Touched"]
    Looked = tuple[str, str, str, tuple[str, ...], tuple[str, ...]]  # root, place, name, names used, what is imported
    Symbols = list[ChangedSymbol]

_WORD = re.compile(rb"[\w$\x80-\xff]++")
_IMPORT = re.compile(
    rb"^\s*+(?:#\s*+include|(?:pub\s++)?+(?:use|mod)|import|from|using|require|require_relative|alias)\b"
)
_JOINTS = str.maketrans(".\\:", "///")
_TEST_ENDINGS = ("_test", "_tests", "_spec", "-test", "-spec", "Test", "Tests", "TestCase", "Spec", "IT")
# Files that others import by the name of their directory.
_INDEXES = frozenset(("__init__", "index", "mod", "lib", "main"))


class Touched(NamedTuple):
    """A file of a change: its content before, and now; None where there is none, or none that is source."""

    path: str
    before: bytes | None
    now: bytes | None

    @property
    def place(self) -> str:
        """The directory it is in."""
        return self.path.rpartition("/")[0]

    @property
    def name(self) -> str:
        """Its name there."""
        return self.path.rpartition("/")[2]

    @property
    def is_whole(self) -> bool:
        """Whether all of it counts as changed: it is about to change, or gone."""
        return self.before == self.now or self.now is None

    @property
    def stem(self) -> str:
        """What imports call it."""
        stem = self.name.partition(".")[0]
        return self.place.rpartition("/")[2] if stem in _INDEXES else stem


class Comparison(NamedTuple):
    """The facts of a file before and now, and its public symbols that differ; all there are where nothing does."""

    before: FileFacts
    now: FileFacts
    symbols: Symbols


def touched_since(project: Project, since: str, *, staged: bool = False) -> list[Touched]:
    """The files that differ from a commit, by path; UsageError where git does not know it."""
    changed = files_changed_since(project, since, staged=staged)
    ids = [one for file in changed if language_of(file.path) for one in (file.before, file.now) if one]
    contents = dict(zip(ids, read_objects(project.root, ids), strict=True)) if ids else {}
    return [
        Touched(
            file.path,
            contents.get(file.before),
            None if file.is_gone else contents[file.now] if file.now in contents else _source(project, file.path),
        )
        for file in changed
    ]


def touched_below(project: Project, found: Iterable[Found], places: Sequence[str]) -> list[Touched]:
    """The files at or below some paths as they are, as if all of each were about to change."""
    paths = [
        path
        for item in found
        if item.view is not None
        for file in item.view.files
        if any(is_below(path := f"{item.place}/{file.name}" if item.place else file.name, place) for place in places)
    ]
    return [Touched(path, content, content) for path in sorted(paths) for content in [_source(project, path)]]


def _source(project: Project, path: str) -> bytes | None:
    """The content of a source file; None for another file, or one that cannot be read or is too large."""
    return read_beneath(project.root, *_parted(path), MAX_ANALYSED) if language_of(path) else None


def reach_of(
    project: Project,
    found: Sequence[Found],
    touched: Sequence[Touched],
    tasks: Sequence[ConcernedTask],
    progress: Callable[[int, int], None] | None = None,
) -> Reach:
    """What depends on the files and what was written about them."""
    compared = _compared(project, touched)
    gathered = gather_facts(project, found, progress=progress)
    index = import_index(project, found, gathered.facts())
    files = []
    for place, named in gathered.places.items():
        for name, one in named.items():
            path = f"{place}/{name}" if place else name
            both = compared.get(path)
            bound = binding(place, one.facts, index)
            if both is None:
                files.append(MapFile(path, one.facts, one.uses, is_test(place, name), bound))
            else:  # what went is looked for as if it were still there, and what tests share as if it were no test
                merged = both.now._replace(exports=both.now.exports + both.before.exports)
                files.append(MapFile(path, merged, one.uses, is_test=False, binding=bound))
    there = {file.path for file in files}
    files += [MapFile(path, both.before, References()) for path, both in compared.items() if path not in there]
    symbols = [symbol for both in compared.values() for symbol in both.symbols]
    using = _users(files, symbols, compared)
    used_in = Counter([symbol for used in using.values() for symbol in used])
    imported = _importers(gathered.facts(), [one for one in touched if one.path in compared], index)
    for path, modules in imported.items():
        if any(one.is_whole and one.path in modules for one in touched):
            using.setdefault(path, [])
    changed = {one.path for one in touched}
    users = _with_lines(project, {path: using[path] for path in using if path not in changed}, imported)
    return Reach(
        [
            {
                "path": printable(one.path),
                "name": one.shown,
                "line": one.line,
                "change": one.change,
                "used_in": used_in[one],
            }
            for one in symbols
            if used_in[one] or not is_test(*_parted(one.path))
        ],
        [user for user in users if not is_test(*_parted(user["path"]))],
        _tests(touched, users, gathered.facts(), index),
        _claims_about(project, found, changed, symbols),
        tasks,
        [printable(path) for path, both in compared.items() if both.now.unread or both.before.unread],
    )


def _parted(path: str) -> tuple[str, str]:
    place, _, name = path.rpartition("/")
    return place, name


def _compared(project: Project, touched: Iterable[Touched]) -> dict[str, Comparison]:
    """The comparison of each source file of a change, by path; one that a grammar is lost with has no symbols."""
    items: list[Compared] = [
        (project.root, one.place, one.name, one) for one in touched if language_of(one.name) and one[1:] != (None, None)
    ]
    size = sum([len(one.before or b"") + len(one.now or b"") for *_, one in items])
    lost = FileFacts("", unread="not parsed")
    made = dict(worked(items, compare_file, size))
    return {item[3].path: made.get(number) or Comparison(lost, lost, []) for number, item in enumerate(items)}


def compare_file(item: Compared) -> Comparison:
    """What differs in a file."""
    _, _, name, one = item
    before, now = _side(name, one.before), _side(name, one.now)
    if one.is_whole and one.now is not None:
        symbols = [
            ChangedSymbol(one.path, symbol, owner, _line(now, symbol, owner), "")
            for symbol, owner in public_names(now.facts)
        ]
    else:
        symbols = changed_symbols(one.path, before, now)
    return Comparison(before.facts, now.facts, symbols)


def _side(name: str, data: bytes | None) -> Side:
    if data is None:
        return Side(FileFacts(name, language_of(name)), (), {})
    facts = analyse(name, data)
    lines = {one.name: one.line for one in facts.exports}
    symbols = list(reversed(cut_source(data, code_language(name, data)).symbols))
    lines.update({".".join(one.name.split(".")[-2:]): one.line for one in symbols})  # namespaces may be before it
    lines.update({one.name: one.line for one in symbols})
    return Side(facts, declarations(name, data) or (), lines)


def _line(side: Side, name: str, owner: str) -> int:
    return side.lines.get(f"{owner}.{name}" if owner else name, side.lines.get(owner, 0))


def _users(
    files: Sequence[MapFile], symbols: Sequence[ChangedSymbol], compared: Mapping[str, Comparison]
) -> dict[str, Symbols]:
    """The symbols that each file uses. A name that nothing is bound to counts as a word where it is the only one."""
    bound = bound_users(files, compared)
    definitions: dict[str, int] = {}
    for file in files:
        for name, _ in public_names(file.facts):
            definitions[name] = definitions.get(name, 0) + 1
    found: dict[str, Symbols] = {}
    for symbol in symbols:
        users = bound.get((symbol.path, symbol.owner, symbol.name), [])
        if not users and symbol.change == REMOVED and not symbol.owner and definitions.get(symbol.name) == 1:
            asked = word_hash(symbol.name)
            users = [file.path for file in files if file.path != symbol.path and asked in hashes_in(file.uses.names)]
        for path in users:
            found.setdefault(path, []).append(symbol)
    return found


def _importers(
    facts: Mapping[str, Iterable[FileFacts]], touched: Sequence[Touched], index: Index
) -> dict[str, dict[str, list[str]]]:
    """The files that import a changed file itself: by path, then by its path the words that the import consists of."""
    found: dict[str, dict[str, list[str]]] = {}
    by_stem: dict[str, list[str]] = {}
    for one in touched:
        by_stem.setdefault(one.stem, []).append(one.path)
    for place, files in facts.items():
        for file in files:
            if not file.imports:
                continue
            record = LANGUAGES[file.language]
            rule, standard = RULES[record.imports], listed(record.standard)
            for name in file.imports:
                segments = (name.partition(" ")[2] or name).translate(_JOINTS).split("/")
                meant = [(stem, path) for stem in segments for path in by_stem.get(stem, ())]
                inside = rule(Importer(place, file.name), name, index, standard)[0] if meant else []
                for stem, path in meant:
                    if _parted(path)[0] in inside:
                        own = found.setdefault(f"{place}/{file.name}" if place else file.name, {})
                        own.setdefault(path, []).extend([name, stem])
    return found


def _with_lines(
    project: Project, using: Mapping[str, Symbols], imported: Mapping[str, Mapping[str, Sequence[str]]]
) -> list[UserOfSymbols]:
    """Users with the lines of their uses: first what uses most of what may break, then by path."""
    paths = sorted(using)
    items: list[Looked] = []
    for path in paths:
        names = {one.name for one in using[path]}
        wanted = {one.path for one in using[path]}
        modules = [words for module, words in imported.get(path, {}).items() if not wanted or module in wanted]
        items.append((project.root, *_parted(path), tuple(names), tuple({word for words in modules for word in words})))
    lines = dict(worked(items, lines_in_file, len(items) * (16 << 10)))
    risks = [-sum([1 if one.change == BODY else 4 for one in using[path]]) for path in paths]
    return [
        {
            "path": printable(path),
            "lines": lines.get(number) or [],
            "symbols": sorted({one.shown for one in using[path]}),
        }
        for _, path, number in sorted(zip(risks, paths, range(len(paths)), strict=True))
    ]


def lines_in_file(item: Looked) -> list[int]:
    """The lines of a file that import or use some names, comments and strings left out."""
    root, place, name, words, imports = item
    data = read_beneath(root, place, name, MAX_ANALYSED) or b""
    code = source_code(code_language(name, data), data).split(b"\n")
    uses = {word.encode("utf-8", "replace") for word in words}
    modules = {word.encode("utf-8", "replace") for word in imports}
    found = []
    for number, (line, raw) in enumerate(zip(code, data.split(b"\n"), strict=False), 1):
        named = _WORD.findall(line)
        if not uses.isdisjoint(named) or (
            modules
            and (
                (not modules.isdisjoint(named) and _IMPORT.match(line))
                or any(b'"%b"' % one in raw or b"'%b'" % one in raw for one in modules)
            )
        ):
            found.append(number)
    return found


def _tests(
    touched: Sequence[Touched],
    users: Iterable[UserOfSymbols],
    facts: Mapping[str, Sequence[FileFacts]],
    index: Index,
) -> list[str]:
    """Changed tests, those that use what changed, those named after a changed file; else all that import its place."""
    found = [one.path for one in touched if one.now is not None and is_test(one.place, one.name)]
    found += [user["path"] for user in users if is_test(*_parted(user["path"]))]
    stems = {
        lower_case(one.stem.strip("_")) for one in touched if language_of(one.name) and not is_test(one.place, one.name)
    }
    every = [(place, file) for place, files in facts.items() for file in files if is_test(place, file.name)]
    named = [(place, file) for place, file in every if _tested(file.name) in stems]
    if not found and not named and stems:
        places = {one.place or "." for one in touched}
        named = [one for one in every if not places.isdisjoint(dependencies(one[0], [one[1]], index).internal)]
    found += [printable(f"{place}/{file.name}" if place else file.name) for place, file in named]
    return list(dict.fromkeys(found))


def _tested(name: str) -> str:
    """What a test may be named after: `test_a.py`, `a.spec.ts` and `ATests.java` are tests of `a`."""
    stem = name.partition(".")[0].removeprefix("test_")
    for ending in _TEST_ENDINGS:
        stem = stem.removesuffix(ending)
    return lower_case(stem.strip("_"))


def _claims_about(
    project: Project, found: Iterable[Found], paths: set[str], symbols: Sequence[ChangedSymbol]
) -> list[ConcernedClaim]:
    """The claims that have a changed file or symbol among their subjects, by scope."""
    claims: list[ConcernedClaim] = []
    for item in sorted(found, key=lambda item: item.scope):
        if item.view is None or not item.view.has_context:
            continue
        try:
            data = read_context_bytes(item.view.path)
            context = parse_context(data)
        except (ContextMissing, ContextCorrupt, UnsupportedVersion):
            continue
        text = data.decode("utf-8", "replace")
        subjects, recorded = Subjects(project, item.place, item.view), recorded_claims(text) or {}
        for claim in claims_of(context, machine_fields(context, text)):
            names = recorded.get(claim.digest) or claim.about or named_subjects(claim.text, subjects.find) or [WHOLE]
            subject = next((name for name in names if _touches(name, item.place, paths, symbols)), None)
            if subject is not None:
                claims.append({"scope": item.scope, "field": claim.field, "text": claim.text, "subject": subject})
    return claims


def _touches(subject: str, place: str, paths: set[str], symbols: Sequence[ChangedSymbol]) -> bool:
    """Whether a change touches a subject of a claim in a directory."""
    if subject == WHOLE:
        return any(_parted(one.path)[0] == place and one.change != BODY for one in symbols)
    path, colon, symbol = subject.partition(":")
    is_file = bool(colon) and not symbol.startswith(":")
    for base in (place, ""):
        at = posixpath.normpath(posixpath.join(base, path))
        if at in paths:
            return not is_file or any(one.path == at and _means(symbol, one) for one in symbols)
        if "/" in subject and any(_parted(one)[0] == at for one in paths):
            return True
    return any(_parted(one.path)[0] == place and _means(subject, one) for one in symbols)


def _means(name: str, symbol: ChangedSymbol) -> bool:
    """Whether a name is that of a symbol, or of the type it is a member of; its module's name may stand before it."""
    asked, stem = parts_of(name), _parted(symbol.path)[1].partition(".")[0]
    whole = [stem, *parts_of(symbol.owner), *parts_of(symbol.name)]
    return any(bool(asked) and whole[:end][-len(asked) :] == asked for end in range(2, len(whole) + 1))
