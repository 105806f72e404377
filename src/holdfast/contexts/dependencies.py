"""What a directory relies on, and what relies on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from holdfast.code.analysis.facts import FileFacts
from holdfast.code.analysis.references import References, hashes_in, word_hash
from holdfast.code.languages import LANGUAGES, listed
from holdfast.contexts.import_rules import RULES, Importer
from holdfast.contexts.project_index import Index


class Dependencies(NamedTuple):
    """What a directory relies on, each list sorted."""

    internal: list[str]
    external: list[str]


# The names that files refer to, by place and file: what needs no import is known by these alone.
Used = Mapping[tuple[str, str], References]


def dependencies(place: str, files: Iterable[FileFacts], index: Index, used: Used | None = None) -> Dependencies:
    """What the files of a place need, itself left out."""
    internal: set[str] = set()
    external: set[str] = set()
    for file in files:
        if used is not None and file.package and (place, file.name) in used:
            internal.update(_unimported(place, file, index, used[place, file.name]))
        if not file.imports:
            continue
        record = LANGUAGES[file.language]
        rule, standard = RULES[record.imports], listed(record.standard)
        importer = Importer(place, file.name)
        for name in file.imports:
            inside, outside = rule(importer, name, index, standard)
            internal.update(inside)
            if outside and not inside:
                external.add(outside)
    internal.discard(place)
    return Dependencies(sorted(found or "." for found in internal), sorted(external))


def _unimported(place: str, file: FileFacts, index: Index, uses: References) -> list[str]:
    """The other places of a file's package, or for C# of a namespace around its own, whose names the file uses."""
    package = file.package.replace("\\", ".")
    packages = [package] if file.language in ("Java", "Kotlin", "Scala", "C#") else []
    while file.language == "C#" and "." in packages[-1]:
        packages.append(packages[-1].rpartition(".")[0])
    others = [one for name in packages for one in index.packages.get(name, ()) if one.place != place]
    names = frozenset(hashes_in(uses.names)) if others else frozenset()
    return [one.place for one in others if any(word_hash(name) in names for name in one.names)]


def dependents(
    place: str, facts: Mapping[str, Iterable[FileFacts]], index: Index, used: Used | None = None
) -> list[str]:
    """The places whose files need a place, sorted: the reverse of `dependencies`."""
    scope = place or "."
    return sorted(
        other or "."
        for other, files in facts.items()
        if other != place and scope in dependencies(other, files, index, used).internal
    )
