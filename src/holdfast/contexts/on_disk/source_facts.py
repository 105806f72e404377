"""The facts of source files: analysed in processes of their own, and remembered while a file stays as it is.

A grammar is compiled code that reads whatever lies in a repository. One that crashes or never ends on a file takes a
worker with it and no more: that file is reported as not parsed, and the rest goes on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from time import time_ns
from typing import Generic, NamedTuple, TypeVar

from holdfast.code.analysis.analyser import analyse_with_references, code_language
from holdfast.code.analysis.facts import MAX_ANALYSED, NO_GRAMMAR, NOT_PARSED, TOO_LARGE, UNREADABLE, Export, FileFacts
from holdfast.code.analysis.references import References
from holdfast.code.languages import language_of
from holdfast.code.on_disk.fact_store import fact_key
from holdfast.code.on_disk.source_workers import worked
from holdfast.contexts.on_disk.disk_failure import check_disk
from holdfast.contexts.on_disk.project import Found, Project
from holdfast.core.canonical_json import decode, encode
from holdfast.core.confined_paths import open_beneath, read_confined
from holdfast.core.file_identity import Identity, identity, is_settled
from holdfast.core.regular_files import TooLarge, close_quietly, read_regular

SourcePath = tuple[str, str, str]  # the project's root, a place and a file's name
SizedFile = tuple[str, str, int]  # a place, a file's name and about its size
Made = TypeVar("Made")

# Facts are gathered from this many files; the caller reports how many were left.
MAX_FILES = 20_000
_MEMBERS = Export._fields.index("members")
_MAX_REMEMBERED = 48 << 20  # bytes, about


class SourceFacts(NamedTuple):
    """What a file offers and needs, and the names it refers to."""

    facts: FileFacts
    uses: References = References()


class Gathered(NamedTuple):
    """The facts of the files of each place, by name; and how many files were left for being too many."""

    places: dict[str, dict[str, SourceFacts]]
    left: int

    def facts(self) -> dict[str, tuple[FileFacts, ...]]:
        """The facts alone."""
        return {place: tuple([one.facts for one in files.values()]) for place, files in self.places.items()}


def gather_facts(
    project: Project,
    found: Iterable[Found],
    *,
    first: Callable[[str, str], bool] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Gathered:
    """The facts of every source file in a known language below these directories, the `first` ones first."""
    wanted = [
        (item.place, file.name, file.size)
        for item in found
        if item.view is not None
        for file in item.view.files
        if language_of(file.name)
    ]
    wanted.sort(key=lambda file: (first is not None and not first(file[0], file[1]), file[0].count("/"), file[:2]))
    results = facts_of(project, wanted[:MAX_FILES], progress)
    places: dict[str, dict[str, SourceFacts]] = {}
    for (place, name), one in sorted(results.items()):
        places.setdefault(place, {})[name] = one
    return Gathered(places, len(wanted[MAX_FILES:]))


class Kind(NamedTuple, Generic[Made]):
    """Something that is made of one source file: by which function of a module, and how it is kept and weighed."""

    name: str  # with the version of its rules: what other rules made is not believed
    read: Callable[[SourcePath], Made]
    lost: Callable[[str], Made]  # for a file that its grammar was lost with
    is_complete: Callable[[Made], bool]
    packed: Callable[[Made], bytes]
    unpacked: Callable[[str, bytes], Made]
    weight: Callable[[Made], int]  # bytes in memory, about


def facts_of(
    project: Project, wanted: Sequence[SizedFile], progress: Callable[[int, int], None] | None = None
) -> dict[tuple[str, str], SourceFacts]:
    """The facts of some files."""
    kind = Kind(
        name="facts 2",
        read=analyse_file,
        lost=lambda name: SourceFacts(_unread(name, NOT_PARSED)),
        is_complete=lambda one: one.facts.unread in ("", NO_GRAMMAR),
        packed=_packed,
        unpacked=_unpacked,
        weight=_weight,
    )
    return remembered(project, kind, wanted, progress)


def _weight(one: SourceFacts) -> int:
    exports = sum([300 + len(export.signature) for export in one.facts.exports])
    return 400 + len(one.uses.names) + len(one.uses.joined) + exports


def remembered(
    project: Project,
    kind: Kind[Made],
    files: Sequence[SizedFile],
    progress: Callable[[int, int], None] | None = None,
) -> dict[tuple[str, str], Made]:
    """What is made of each file, remembered while it stays as it is."""
    key = (kind.name, project.root)
    recalled = project.contents.recall(key, namespace="context")
    weight: int = 0
    before: dict[tuple[str, str], tuple[Identity, Made]] = {}
    if isinstance(recalled, tuple):
        weight, before = recalled
    seen: dict[tuple[str, str], Identity] = {}
    started = time_ns()
    for place, name, _ in files:
        try:
            seen[place, name] = identity(os.stat(f"{project.root}/{place}/{name}", follow_symlinks=False))
        except OSError:
            pass  # it is made as one that is gone
    known = {at: before[at][1] for at, now in seen.items() if at in before and before[at][0] == now}
    made = _made(project, kind, [file for file in files if file[:2] not in known], progress)
    new = {at: (seen[at], one) for at, one in made.items() if at in seen and is_settled(seen[at], started)}
    kept = {**before} if new else before
    for at, entry in new.items():
        added = kind.weight(entry[1]) - (kind.weight(before[at][1]) if at in before else 0)
        if weight + added <= _MAX_REMEMBERED:  # beyond, what is there stays, so that part of a project is remembered
            kept[at] = entry
            weight += added
    if new:
        project.contents.memo(key, (), lambda: (weight, kept), namespace="context", variant=object())
    return {file[:2]: known[file[:2]] if file[:2] in known else made[file[:2]] for file in files}


def _made(
    project: Project, kind: Kind[Made], files: Sequence[SizedFile], progress: Callable[[int, int], None] | None
) -> dict[tuple[str, str], Made]:
    """The same of files that are not remembered: kept by what the files hold, or made now and kept."""
    if not files or not project.user_cache:
        return _read(project.root, kind, files, progress)
    store = project.kept_facts
    store.load()
    keys = _keys(project.root, kind, files)
    made = {at: kind.unpacked(at[1], kept) for at, key in keys.items() if (kept := store.get(key)) is not None}
    new = _read(project.root, kind, [file for file in files if file[:2] not in made], progress)
    complete = [(*at, 0) for at, one in new.items() if at in keys and kind.is_complete(one)]
    # A file that was written to between the two looks would have the facts of other content.
    still = [at for at, key in _keys(project.root, kind, complete).items() if key == keys[at]]
    if still:
        store.add({keys[at]: kind.packed(new[at]) for at in still}, None)
    return {**made, **new}


def _keys(root: str, kind: Kind[Made], files: Sequence[SizedFile]) -> dict[tuple[str, str], bytes]:
    """The keys of what is made of those files that can be read."""
    keys: dict[tuple[str, str], bytes] = {}
    versions: dict[str, str] = {}
    for place, name, data in _contents(root, files):
        if (language := code_language(name, data)) not in versions:
            from holdfast.code.code_sections import cutter_version  # where nothing is analysed, the gate does without

            versions[language] = cutter_version(language)
        keys[place, name] = fact_key(f"{kind.name} {versions[language]} {name!a}", sha256(data).digest())
    return keys


def _contents(root: str, files: Sequence[SizedFile]) -> Iterator[tuple[str, str, bytes]]:
    """The files that can be read, each with its place; files of one place in a row have their directory opened once."""
    for place, group in groupby(files, key=itemgetter(0)):
        try:
            directory = open_beneath(root, place)
        except OSError as error:
            check_disk(error, f"{root}/{place}")
            continue
        try:
            for _, name, _ in group:
                try:
                    data = read_regular(name, dir_fd=directory, limit=MAX_ANALYSED)
                except OSError as error:
                    check_disk(error, f"{root}/{place}/{name}" if place else f"{root}/{name}")
                else:
                    yield place, name, data
        finally:
            close_quietly(directory)


def _packed(one: SourceFacts) -> bytes:
    exports = [[list(part) if isinstance(part, tuple) else part for part in export] for export in one.facts.exports]
    facts = one.facts._asdict() | {"name": "", "exports": exports, "imports": list(one.facts.imports)}
    return encode([facts, one.uses.names.hex(), one.uses.joined.hex()]).encode()


def _unpacked(name: str, data: bytes) -> SourceFacts:
    facts, names, joined = decode(data)
    listed = [(*each[:_MEMBERS], tuple(each[_MEMBERS]), *each[_MEMBERS + 1 :]) for each in facts["exports"]]
    exports = tuple(map(Export._make, listed))
    facts |= {"name": name, "exports": exports, "imports": tuple(facts["imports"])}
    return SourceFacts(FileFacts(**facts), References(bytes.fromhex(names), bytes.fromhex(joined)))


def _read(
    root: str, kind: Kind[Made], files: Sequence[SizedFile], progress: Callable[[int, int], None] | None
) -> dict[tuple[str, str], Made]:
    items: list[SourcePath] = [(root, place, name) for place, name, _ in files]
    made: dict[tuple[str, str], Made] = {}
    for number, one in worked(items, kind.read, sum([size for _, _, size in files])):
        _, place, name = items[number]
        made[place, name] = one if one is not None else kind.lost(name)
        if progress is not None:
            progress(len(made), len(items))
    return made


def analyse_file(file: SourcePath) -> SourceFacts:
    """The facts of a file; no path to it may lead through a link."""
    root, place, name = file
    path = f"{place}/{name}" if place else name
    try:
        data = read_confined(root, path, MAX_ANALYSED)
    except TooLarge:
        return SourceFacts(_unread(name, TOO_LARGE))
    except (OSError, ValueError) as error:
        check_disk(error, f"{root}/{path}")
        return SourceFacts(_unread(name, UNREADABLE))
    return SourceFacts(*analyse_with_references(name, data))


def _unread(name: str, reason: str) -> FileFacts:
    return FileFacts(name, language_of(name), unread=reason)
