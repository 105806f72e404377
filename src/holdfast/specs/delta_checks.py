"""What is wrong with the deltas of a change, where a layout keeps its requirements in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from holdfast.specs.living_merge import merge
from holdfast.specs.requirement_blocks import delta_of, scenarios_of
from holdfast.specs.requirement_references import MUSTS, lowered
from holdfast.specs.visible_lines import visible_lines


class DeltaFile(NamedTuple):
    """A delta and what it is about; a text is None where there is no file, or none that is UTF-8."""

    capability: str
    file: str  # below the project, as it is shown
    text: str | None
    living_file: str
    living: str | None
    living_is_there: bool


class Deltas(NamedTuple):
    """The deltas of a spec by capability, files that look like one and lie elsewhere, and who else changes what."""

    files: tuple[DeltaFile, ...]
    misplaced: tuple[str, ...] = ()
    # By capability and title, the other open changes of it.
    others: Mapping[tuple[str, str], tuple[str, ...]] = {}


def in_deltas(found: Deltas, proposal: str) -> Iterator[tuple[str, int, str, str]]:
    """The findings of a change: the file, its line, the rule and what it is about."""
    if not any(delta_of(delta.text or "").changes for delta in found.files):
        yield proposal, 0, "delta-missing", ""
    for file in found.misplaced:
        yield file, 0, "delta-misplaced", "no delta of a capability lies here"
    for delta in found.files:
        for line, rule, text in _in_delta(delta, found):
            yield delta.file, line, rule, text


def changed_titles(text: str) -> list[str]:
    """The requirements that a delta changes or removes."""
    return [change.renamed_from or change.title for change in delta_of(text).changes if change.kind != "ADDED"]


def _in_delta(delta: DeltaFile, found: Deltas) -> Iterator[tuple[int, str, str]]:
    text = delta.text or ""
    asked = delta_of(text)
    for line in asked.misplaced:
        yield line, "delta-misplaced", "a requirement outside of `## ADDED Requirements` and the like"
    for change in asked.changes:
        for other in found.others.get((delta.capability, change.renamed_from or change.title), ()):
            yield change.line, "delta-overlap", f"{change.title}: {other} changes it too"
        if change.kind not in ("ADDED", "MODIFIED"):
            continue
        body = [line for _, line in visible_lines(change.block)]
        if not MUSTS(lowered("\n".join([line for line in body[1:] if not line.startswith("#")]))):
            yield change.line, "delta-no-shall", change.title
        if not scenarios_of(change.block):
            yield change.line, "delta-no-scenario", change.title
    for conflict in merge(delta.living, text, "", needs_base=False).conflicts:
        if conflict.code != "delta_misplaced":
            yield conflict.line - 1, "delta-conflict", conflict.message
