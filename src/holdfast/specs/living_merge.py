"""A delta applied to the requirements that hold now: bytes are moved, never reworded, and nothing that changed since is
written over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from holdfast.specs.requirement_blocks import (
    HEADING,
    KINDS,
    Block,
    Change,
    bare_lines,
    blocks,
    delta_of,
    same,
    same_but_for_case,
    scenarios_of,
    section_end,
)
from holdfast.specs.shapes import ChangeKind, ConflictCode
from holdfast.specs.white_space import trimmed

# Which lines are replaced, from and up to, and by what.
Edit = tuple[int, int, Sequence[str]]

_SECTION = "Requirements"


class Conflict(NamedTuple):
    """Why a delta cannot be applied, with its line and, where there is one, the line it meets; both from 1."""

    code: ConflictCode
    message: str
    line: int
    living_line: int | None = None


class Merged(NamedTuple):
    """What a delta makes of a text: the new text and how many changes of each kind, or why it cannot."""

    text: str
    counts: dict[ChangeKind, int]
    conflicts: tuple[Conflict, ...] = ()

    @property
    def changes(self) -> int:
        """How many changes there are to make."""
        return sum(self.counts.values())


class _Refused(Exception):
    def __init__(self, code: ConflictCode, change: Change, words: str, block: Block | None = None) -> None:
        super().__init__(words)
        self.conflict = Conflict(code, words, change.line + 1, None if block is None else block.start + 1)


def merge(living: str | None, delta: str, start: str, *, needs_base: bool = True) -> Merged:
    """A living text with a delta applied; None is a file that is still to be made, from the text `start`. What is
    applied already changes nothing."""
    asked = delta_of(delta)
    conflicts = [Conflict("delta_misplaced", "a requirement outside of its section", at + 1) for at in asked.misplaced]
    conflicts += [*_named_twice(asked.changes), *_living_twice(living or "")]
    counts: dict[ChangeKind, int] = {"ADDED": 0, "MODIFIED": 0, "REMOVED": 0, "RENAMED": 0}
    text = _Text(living if living is not None else start)
    if conflicts or _is_applied(text, asked.changes):
        return Merged(living or "", counts, tuple(conflicts))
    for kind in KINDS:
        of_kind = [change for change in asked.changes if change.kind == kind]
        # A title may be freed by one and taken by the next; all other changes are of blocks of their own.
        for together in [[change] for change in of_kind] if kind == "RENAMED" else [of_kind]:
            edits, count, refused = _edits(text, together, needs_base) if together else ([], 0, [])
            counts[kind] += count
            conflicts += refused
            for edit in sorted(edits, key=lambda edit: edit[0], reverse=True):
                text.replace(*edit)
    if conflicts:
        return Merged(living or "", dict.fromkeys(counts, 0), tuple(conflicts))
    return Merged(text.joined(), counts)


def _edits(text: _Text, changes: Sequence[Change], needs_base: bool) -> tuple[list[Edit], int, list[Conflict]]:
    """What changes of one kind replace by what; how many do; and what cannot be done."""
    edits: list[Edit] = []
    refused: list[Conflict] = []
    page = _Page(text)
    for change in changes:
        try:
            edit = _PLANS[change.kind](page, change, needs_base)
        except _Refused as error:
            refused.append(error.conflict)
        else:
            edits += [edit] if edit is not None else []
    # Added requirements go to one place, in the order they are written.
    count = len(edits)
    if count and changes[0].kind == "ADDED":
        lines = [line for _, _, block in edits for line in block]
        edits = [(page.end_of_section, page.end_of_section, [*page.heading, *lines])]
    return edits, count, refused


class _Text:
    """Lines that are changed one block at a time, each with its own line end."""

    def __init__(self, text: str) -> None:
        self.raw = text.split("\n")
        self.end = "\r" if 2 * text.count("\r\n") > text.count("\n") else ""

    def replace(self, start: int, end: int, lines: Sequence[str]) -> None:
        added = [line + self.end for line in lines]
        if end == len(self.raw) and added:
            added[-1] = added[-1].removesuffix("\r")  # the last line has no end
        if start == len(self.raw):
            self.raw[-1] = self.raw[-1].removesuffix("\r") + self.end
        self.raw[start:end] = added

    def joined(self) -> str:
        return "\n".join(self.raw)


class _Page:
    """The requirements of a text as it is now, by title."""

    def __init__(self, text: _Text) -> None:
        self.lines = [line.removesuffix("\r") for line in text.raw]
        self.blocks = blocks(self.lines)
        self._titles = {same(block.title): block for block in self.blocks}
        self._cases = {same_but_for_case(block.title): block for block in self.blocks}
        at = section_end(self.lines, _SECTION)
        self.heading: list[str] = [] if at is not None or self.blocks else ["", f"## {_SECTION}"]
        if at is None:
            at = self.blocks[-1].end if self.blocks else len(self.lines) - (self.lines[-1] == "")
        self.end_of_section = at

    def find(self, title: str, change: Change) -> Block | None:
        """The block of a title; _Refused when it differs in case only."""
        block = self._titles.get(same(title))
        like = self._cases.get(same_but_for_case(title))
        if block is None and like is not None:
            raise _Refused("title_case", change, f"'{title}' and '{like.title}' differ in case only", like)
        return block


def _is_applied(text: _Text, changes: Sequence[Change]) -> bool:
    """Whether every change is in place: then a title that was freed and taken again is no conflict."""
    there = {same(block.title): block.lines for block in _Page(text).blocks}
    freed = {same(change.title) for change in changes if change.kind == "ADDED"}
    return all(_is_in_place(change, there, freed) for change in changes)


def _is_in_place(change: Change, there: Mapping[str, tuple[str, ...]], freed: set[str]) -> bool:
    if change.kind in ("ADDED", "MODIFIED"):
        return there.get(same(change.title)) == change.block
    gone = same(change.title if change.kind == "REMOVED" else change.renamed_from)
    is_there = change.kind == "REMOVED" or same(change.title) in there
    return is_there and (gone not in there or gone in freed)


def _rename(page: _Page, change: Change, _needs_base: bool) -> Edit | None:
    old, new = page.find(change.renamed_from, change), page.find(change.title, change) if _differs(change) else None
    if old is None and new is not None:
        return None
    if old is None:
        raise _Refused("title_missing", change, f"there is no requirement '{change.renamed_from}'")
    if new is not None:
        words = f"'{change.renamed_from}' cannot be called '{change.title}': there is one of that title"
        raise _Refused("title_exists", change, words, new)
    return old.start, old.start + 1, [f"{HEADING} {change.title}"]


def _differs(change: Change) -> bool:
    return same_but_for_case(change.title) != same_but_for_case(change.renamed_from)


def _remove(page: _Page, change: Change, needs_base: bool) -> Edit | None:
    block = page.find(change.title, change)
    if block is None:
        return None
    _check_base(block, change, needs_base)
    end = block.end
    while end < len(page.lines) - 1 and not trimmed(page.lines[end]):
        end += 1
    return block.start, end, []


def _modify(page: _Page, change: Change, needs_base: bool) -> Edit | None:
    block = page.find(change.title, change)
    if block is None:
        raise _Refused("title_missing", change, f"there is no requirement '{change.title}'")
    if block.lines == change.block:
        return None
    _check_base(block, change, needs_base)
    kept = scenarios_of(change.block)
    if lost := [title for title in scenarios_of(block.lines) if title not in kept]:
        words = f"the change of '{change.title}' loses its scenario '{lost[0]}': write that one too"
        raise _Refused("scenario_lost", change, words, block)
    return block.start, block.end, change.block


def _add(page: _Page, change: Change, _needs_base: bool) -> Edit | None:
    block = page.find(change.title, change)
    if block is not None and block.lines == change.block:
        return None
    if block is not None:
        raise _Refused("title_exists", change, f"'{change.title}' is there already and says something else", block)
    return page.end_of_section, page.end_of_section, ["", *change.block]


_PLANS: dict[ChangeKind, Callable[[_Page, Change, bool], Edit | None]] = {
    "RENAMED": _rename,
    "REMOVED": _remove,
    "MODIFIED": _modify,
    "ADDED": _add,
}


def _check_base(block: Block, change: Change, needs_base: bool) -> None:
    if not change.base and needs_base:
        words = f"the change of '{change.title}' does not say what it was made from: `context spec delta` writes that"
        raise _Refused("base_missing", change, words, block)
    if change.base and change.base != block.digest:
        place = f"lines {block.start + 1} to {block.end}"
        words = f"'{change.title}' changed since: {place} are not what this was made from"
        raise _Refused("base_changed", change, words, block)


def _named_twice(changes: Sequence[Change]) -> Iterator[Conflict]:
    """Two changes of one block: which of them is meant nobody can tell."""
    seen: dict[str, Change] = {}
    for change in changes:
        title = same_but_for_case(change.renamed_from or change.title)
        earlier = seen.setdefault(title, change)
        if earlier is not change and (earlier.kind, change.kind) not in (("REMOVED", "ADDED"), ("RENAMED", "ADDED")):
            words = f"'{change.title}' is changed twice here, in lines {earlier.line + 1} and {change.line + 1}"
            yield Conflict("block_twice", words, change.line + 1)
    new = [change for change in changes if change.kind == "RENAMED"]
    titles = [same_but_for_case(change.title) for change in new]
    for place, change in enumerate(new):
        if titles[place] in titles[:place]:
            yield Conflict("block_twice", f"two requirements are to be called '{change.title}'", change.line + 1)


def _living_twice(living: str) -> Iterator[Conflict]:
    seen: dict[str, Block] = {}
    for block in blocks(bare_lines(living)):
        earlier = seen.setdefault(same(block.title), block)
        if earlier is not block:
            words = f"'{block.title}' is there twice, in lines {earlier.start + 1} and {block.start + 1}"
            yield Conflict("title_twice", words, 1, block.start + 1)
