"""What a directory relies on, and what relies on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holdfast.contexts.import_rules import RULES, Importer
from holdfast.contexts.languages import LANGUAGES, listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from holdfast.contexts.analysis.facts import FileFacts
    from holdfast.contexts.project_index import Index


class Dependencies(NamedTuple):
    """What a directory relies on, each list sorted."""

    internal: list[str]
    external: list[str]


def dependencies(place: str, files: Iterable[FileFacts], index: Index) -> Dependencies:
    """What the files of a place need, itself left out."""
    internal: set[str] = set()
    external: set[str] = set()
    for file in files:
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


def dependents(place: str, facts: Mapping[str, Iterable[FileFacts]], index: Index) -> list[str]:
    """The places whose files need a place, sorted: the reverse of `dependencies`."""
    scope = place or "."
    return sorted(
        other or "."
        for other, files in facts.items()
        if other != place and scope in dependencies(other, files, index).internal
    )
