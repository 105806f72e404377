"""What changed between two caches, or between an answer and its receipt. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from holdfast.caches.audit_shapes import RecordDifference
from holdfast.caches.cache_format import Document
from holdfast.caches.search.sections import document_outline
from holdfast.caches.shapes import ChangedSection, CitationChanges, DocumentChanges, Record, RecordedSection


def compare_documents(
    before: Iterable[Document], after: Iterable[Document]
) -> tuple[DocumentChanges, list[ChangedSection]]:
    """What was added, removed and changed: documents by id, then the sections of those by heading.

    A document is named by its file. The lines of a section are those in the cache that has it, of two in the second.
    """
    old = {document.id: document for document in before}
    new = {document.id: document for document in after}
    changed = [id_ for id_ in old.keys() & new.keys() if old[id_].version != new[id_].version]
    found = {"added": new.keys() - old.keys(), "removed": old.keys() - new.keys(), "changed": changed}
    sections: list[ChangedSection] = []
    for id_ in sorted([id_ for ids in found.values() for id_ in ids]):
        sections += _section_changes(old.get(id_), new.get(id_))
    added, removed, altered = ([(new.get(id_) or old[id_]).name for id_ in sorted(ids)] for ids in found.values())
    return {"added": added, "removed": removed, "changed": altered}, sections


def _section_changes(before: Document | None, after: Document | None) -> list[ChangedSection]:
    document = after or before
    name = document.name if document else ""
    old, new = _sections(before), _sections(after)
    changes: list[ChangedSection] = []
    for key in {**old, **new}:
        if old.get(key, ("", ""))[1] != new.get(key, ("", ""))[1]:
            change = "removed" if key not in new else "changed" if key in old else "added"
            lines = (new.get(key) or old[key])[0]
            changes.append({"source": name, "heading": key[0], "change": change, "lines": lines})
    return sorted(changes, key=lambda change: (change["lines"], change["change"]))


def _sections(document: Document | None) -> dict[tuple[tuple[str, ...], int], tuple[tuple[int, int], str]]:
    """(heading, how many had it before) -> lines and hash."""
    found: dict[tuple[tuple[str, ...], int], tuple[tuple[int, int], str]] = {}
    seen: dict[tuple[str, ...], int] = {}
    for section in document_outline(document).sections if document else ():
        count = seen[section.heading] = seen.get(section.heading, 0) + 1
        text = document.content[section.start : section.end] if document else ""
        found[section.heading, count] = section.cited_lines, sha256(text.encode()).hexdigest()
    return found


def compare_records(recorded: Record, now: Record) -> list[RecordDifference]:
    """Where a record run again differs from the recorded one: one entry a difference, in the order of a record.

    A section is named by its place; `order` is reported when sections that both have are in another order.
    """
    # One of several caches, or of some parts of one, has members that others do not.
    members_before: Mapping[str, object] = recorded
    members: Mapping[str, object] = now
    differences: list[RecordDifference] = [
        {"what": name, "recorded": members_before.get(name), "now": members.get(name)}
        for name in {**members_before, **members}
        if name not in ("sections", "named") and members_before.get(name) != members.get(name)
    ]
    old, new = _by_place(recorded), _by_place(now)
    differences += [
        {"what": place, "recorded": old.get(place), "now": new.get(place)}
        for place in {**old, **new}
        if old.get(place) != new.get(place)
    ]
    if recorded["named"] != now["named"]:
        differences.append({"what": "named", "recorded": recorded["named"], "now": now["named"]})
    before, after = [place for place in old if place in new], [place for place in new if place in old]
    if before != after:
        differences.append({"what": "order", "recorded": before, "now": after})
    return differences


def _by_place(record: Record) -> dict[str, RecordedSection]:
    """The sections of a record by their citations without the hash.

    Of several places with the same lines, the second is distinguished from the first by its hash, too.
    """
    found: dict[str, RecordedSection] = {}
    for section in record["sections"]:
        place = section["citation"].rpartition("@")[0]
        found[section["citation"] if place in found else place] = section
    return found


def compare_citations(before: Sequence[str], after: Sequence[str]) -> CitationChanges:
    """Citations that two answers do not share."""
    return {
        "changed": list(before) != list(after),
        "added": [citation for citation in after if citation not in before],
        "removed": [citation for citation in before if citation not in after],
    }
