"""A delta applied to the requirements that hold now: bytes are moved, never reworded, and nothing that changed since is
written over."""

from __future__ import annotations

from holdfast.core.record import NamedTuple
from holdfast.specs.requirement_blocks import (
    HEADING,
    bare_lines,
    blocks,
    delta_of,
    same,
    same_but_for_case,
    section_end,
)
from holdfast.specs.white_space import trimmed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from holdfast.specs.requirement_blocks import Block, Change
    from holdfast.specs.shapes import ChangeKind, ConflictCode

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
    def __init__(self, conflict: Conflict) -> None:
        super().__init__(conflict.message)
        self.conflict = conflict


def merge(living: str | None, delta: str, capability: str, *, needs_base: bool = True) -> Merged:
    """A living text with a delta applied; None is a file that is still to be made. What is applied already changes
    nothing."""
    asked = delta_of(delta)
    conflicts = [Conflict("delta_misplaced", "a requirement outside of its section", at + 1) for at in asked.misplaced]
    conflicts += [*_named_twice(asked.changes), *_living_twice(living or "")]
    counts: dict[ChangeKind, int] = {"ADDED": 0, "MODIFIED": 0, "REMOVED": 0, "RENAMED": 0}
    text = _Text(living if living is not None else f"# {capability}\n\n## {_SECTION}\n")
    if conflicts or _is_applied(text, asked.changes):
        return Merged(living or "", counts, tuple(conflicts))
    for change in asked.changes:
        try:
            counts[change.kind] += _APPLY[change.kind](text, change, needs_base)
        except _Refused as refused:
            conflicts.append(refused.conflict)
    if conflicts:
        return Merged(living or "", dict.fromkeys(counts, 0), tuple(conflicts))
    return Merged(text.joined() if any(counts.values()) else living or "", counts)


class _Text:
    """Lines that are changed one block at a time, each with its own line end."""

    def __init__(self, text: str) -> None:
        self.raw = text.split("\n")
        self.end = "\r" if 2 * text.count("\r\n") > text.count("\n") else ""

    @property
    def lines(self) -> list[str]:
        return [line.removesuffix("\r") for line in self.raw]

    def blocks(self) -> list[Block]:
        return blocks(self.lines)

    def find(self, title: str, change: Change) -> Block | None:
        """The block of a title; _Refused when it differs in case only."""
        found = self.blocks()
        block = next((block for block in found if same(block.title) == same(title)), None)
        if block is None:
            like = next((each for each in found if same_but_for_case(each.title) == same_but_for_case(title)), None)
            if like is not None:
                words = f"'{title}' and '{like.title}' differ in case only"
                raise _Refused(Conflict("title_case", words, change.line + 1, like.start + 1))
        return block

    def replace(self, start: int, end: int, lines: Sequence[str]) -> None:
        added = [line + self.end for line in lines]
        if end == len(self.raw) and added:
            added[-1] = added[-1].removesuffix("\r")  # the last line has no end
        if start == len(self.raw) and start and added:
            self.raw[-1] = self.raw[-1].removesuffix("\r") + self.end
        self.raw[start:end] = added

    def joined(self) -> str:
        return "\n".join(self.raw)


def _is_applied(text: _Text, changes: Sequence[Change]) -> bool:
    """Whether every change is in place: then a title that was freed and taken again is no conflict."""
    there = {same(block.title): block.lines for block in text.blocks()}
    written = {same(change.title) for change in changes if change.kind in ("ADDED", "MODIFIED")}
    for change in changes:
        title = same(change.title)
        gone = {"REMOVED": title, "RENAMED": same(change.renamed_from)}.get(change.kind, "")
        if gone and gone in there and gone not in written:
            return False
        if change.kind in ("ADDED", "MODIFIED") and there.get(title) != change.block:
            return False
        if change.kind == "RENAMED" and title not in there:
            return False
    return True


def _rename(text: _Text, change: Change, _needs_base: bool) -> int:
    old, new = text.find(change.renamed_from, change), text.find(change.title, change) if _differs(change) else None
    if old is None and new is not None:
        return 0
    if old is None:
        raise _Refused(_missing(change.renamed_from, change))
    if new is not None:
        words = f"'{change.renamed_from}' cannot be called '{change.title}': there is one of that title"
        raise _Refused(Conflict("title_exists", words, change.line + 1, new.start + 1))
    text.replace(old.start, old.start + 1, [f"{HEADING} {change.title}"])
    return 1


def _differs(change: Change) -> bool:
    return same_but_for_case(change.title) != same_but_for_case(change.renamed_from)


def _remove(text: _Text, change: Change, needs_base: bool) -> int:
    block = text.find(change.title, change)
    if block is None:
        return 0
    _check_base(block, change, needs_base)
    end, lines = block.end, text.lines
    while end < len(lines) - 1 and not trimmed(lines[end]):
        end += 1
    text.replace(block.start, end, [])
    return 1


def _modify(text: _Text, change: Change, needs_base: bool) -> int:
    block = text.find(change.title, change)
    if block is None:
        raise _Refused(_missing(change.title, change))
    if block.lines == change.block:
        return 0
    _check_base(block, change, needs_base)
    text.replace(block.start, block.end, change.block)
    return 1


def _add(text: _Text, change: Change, _needs_base: bool) -> int:
    block = text.find(change.title, change)
    if block is not None and block.lines == change.block:
        return 0
    if block is not None:
        words = f"'{change.title}' is there already and says something else"
        raise _Refused(Conflict("title_exists", words, change.line + 1, block.start + 1))
    lines = text.lines
    at = section_end(lines, _SECTION)
    heading: list[str] = []
    if at is None:
        found = text.blocks()
        at = found[-1].end if found else len(lines) - (lines[-1] == "")
        heading = [] if found else ["", f"## {_SECTION}"]
    text.replace(at, at, [*heading, "", *change.block])
    return 1


_APPLY: dict[ChangeKind, Callable[[_Text, Change, bool], int]] = {
    "RENAMED": _rename,
    "REMOVED": _remove,
    "MODIFIED": _modify,
    "ADDED": _add,
}


def _check_base(block: Block, change: Change, needs_base: bool) -> None:
    if not change.base and needs_base:
        words = f"the change of '{change.title}' does not say what it was made from: `context spec delta` writes that"
        raise _Refused(Conflict("base_missing", words, change.line + 1, block.start + 1))
    if change.base and change.base != block.digest:
        words = (
            f"'{change.title}' changed since: lines {block.start + 1} to {block.end} are not what this was made from"
        )
        raise _Refused(Conflict("base_changed", words, change.line + 1, block.start + 1))


def _missing(title: str, change: Change) -> Conflict:
    return Conflict("title_missing", f"there is no requirement '{title}'", change.line + 1)


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
            words = f"'{block.title}' stands there twice, in lines {earlier.start + 1} and {block.start + 1}"
            yield Conflict("title_twice", words, 1, block.start + 1)
