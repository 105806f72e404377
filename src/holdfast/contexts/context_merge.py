"""Two versions of a `.context.yaml` made one: the machine's fields are settled, and no word of a person is lost.

Both sides' lists are kept; a field that one side alone wrote is taken; where a person wrote a text on one side and the
machine on the other, the person's stays. Only a text that two people wrote differently is a conflict.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from holdfast.contexts.claims import (
    PREFIX,
    claim_lines,
    claims_fingerprint,
    claims_of,
    merged_records,
    recorded_claims,
    with_claim_lines,
)
from holdfast.contexts.conflict_markers import marked
from holdfast.contexts.context_text import (
    digested,
    edited,
    field_digest,
    field_rows,
    machine_fields,
    recorded_digests,
    undigested,
    with_field_rows,
)
from holdfast.contexts.schema import FIELDS, METADATA
from holdfast.core.canonical_json import encode
from holdfast.core.yaml_text import YamlError, parse

Value = Any
Context = dict[str, Any]

# Comparing takes time that grows with the square of the lines in the worst case.
MAX_LINES = 4000


class _Region(NamedTuple):
    """Lines that all three have: where they begin in each, and how many they are."""

    base: int
    ours: int
    theirs: int
    length: int


def merge_lines(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """The lines of all three; where both sides changed the same lines, ours come first and theirs follow."""
    merged: list[str] = []
    at_base = at_ours = at_theirs = 0
    for base_start, ours_start, theirs_start, length in _common(base, ours, theirs):
        was = base[at_base:base_start]
        mine, other = ours[at_ours:ours_start], theirs[at_theirs:theirs_start]
        if mine == was:
            merged += other
        elif other in (was, mine):
            merged += mine
        else:
            merged += [*mine, *other]
        merged += base[base_start : base_start + length]
        at_base, at_ours, at_theirs = base_start + length, ours_start + length, theirs_start + length
    return merged


def _common(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> Iterator[_Region]:
    """The runs of lines that are the same in all three, in order, and an empty one at the end."""
    left = SequenceMatcher(None, base, ours, autojunk=False).get_matching_blocks()
    right = SequenceMatcher(None, base, theirs, autojunk=False).get_matching_blocks()
    at_left = at_right = 0
    while at_left < len(left) and at_right < len(right):
        one, other = left[at_left], right[at_right]
        start, end = max(one.a, other.a), min(one.a + one.size, other.a + other.size)
        if start < end:
            yield _Region(start, one.b + start - one.a, other.b + start - other.a, end - start)
        if one.a + one.size < other.a + other.size:
            at_left += 1
        else:
            at_right += 1
    yield _Region(len(base), len(ours), len(theirs), 0)


_ABSENT = object()
_DERIVED = "derived_fields"


class Merged(NamedTuple):
    """The text that came out, and the fields, by dotted name, that two people wrote differently.

    With conflicts the text holds both versions of those fields between markers, and nothing else is left open.
    """

    text: str
    conflicts: tuple[str, ...]


class _Side(NamedTuple):
    """One version: its text, its fields, and which of them the machine made."""

    text: str
    context: Context
    machine: set[str]


class _Merge:
    """The fields of three versions on their way to one."""

    def __init__(self, base: Context, ours: _Side, theirs: _Side) -> None:
        self.base, self.ours, self.theirs = base, ours, theirs
        self.conflicts: list[str] = []
        self.machine: set[str] = set()  # what is the machine's in the end
        later = (theirs.context.get("last_updated", ""), theirs.text) > (
            ours.context.get("last_updated", ""),
            ours.text,
        )
        self._later_is_theirs = later

    def context(self) -> Context:
        ours, theirs = self.ours.context, self.theirs.context
        names = [*ours, *[name for name in theirs if name not in ours]]
        merged = {}
        for name in names:
            was, mine, other = [side.get(name, _ABSENT) for side in (self.base, ours, theirs)]
            value = self._field(name, was, mine, other)
            if value is not _ABSENT:
                merged[name] = value
        derived = self._derived_fields(merged)
        if derived or _DERIVED in merged:
            merged[_DERIVED] = derived
        return merged

    def _derived_fields(self, merged: Context) -> list[str]:
        ours, theirs = [side.context.get(_DERIVED, []) for side in (self.ours, self.theirs)]
        named = [*ours, *[name for name in theirs if name not in ours]]
        return [
            name for name in named if name in METADATA or (name in self.machine and _part(merged, name) is not _ABSENT)
        ]

    def _field(self, name: str, was: Value, mine: Value, other: Value) -> Value:
        if name == "fingerprint":
            return other if mine in (was, _ABSENT) else mine  # whichever: the files decide whether it holds
        if name == "last_updated":
            return max([value for value in (mine, other) if value is not _ABSENT])
        if name in (_DERIVED, "version"):
            return mine if mine is not _ABSENT else other
        return self._value(name, was, mine, other)

    def _value(self, name: str, was: Value, mine: Value, other: Value) -> Value:
        if type(mine) is dict and type(other) is dict:
            known = was if type(was) is dict else {}
            parts = {}
            for key in [*mine, *[key for key in other if key not in mine]]:
                found = [side.get(key, _ABSENT) for side in (known, mine, other)]
                part = self._value(f"{name}.{key}", *found)
                if part is not _ABSENT:
                    parts[key] = part
            return parts
        is_ours, is_theirs = name in self.ours.machine, name in self.theirs.machine
        by_machine = (is_ours or mine is _ABSENT) and (is_theirs or other is _ABSENT)
        if by_machine:
            self.machine.add(name)
        if mine == other:
            return mine
        if is_ours != is_theirs and not by_machine:
            if _ABSENT not in (mine, other):
                return other if is_ours else mine  # a person's
        elif mine == was:
            return other
        elif other == was:
            return mine
        if _ABSENT in (mine, other):
            # What one side took out and the other changed stays if a person wrote it.
            return _ABSENT if by_machine and was is not _ABSENT else (other if mine is _ABSENT else mine)
        if type(mine) is list and type(other) is list:
            return merged_lists(was if type(was) is list else [], mine, other)
        if not by_machine and name != "evidence":
            self.conflicts.append(name)
        return other if by_machine and self._later_is_theirs else mine


def _part(context: Context, name: str) -> Value:
    """The value in a context under a dotted name."""
    field, _, part = name.partition(".")
    value = context.get(field, _ABSENT)
    return value.get(part, _ABSENT) if part and type(value) is dict else value


def merged_lists(base: list[Value], ours: list[Value], theirs: list[Value]) -> list[Value]:
    """Our items without those they removed, and theirs that are new, each after its predecessor there."""
    was, mine, other = [{encode(item) for item in items} for items in (base, ours, theirs)]
    result = [item for item in ours if encode(item) in other or encode(item) not in was]
    before: Value = _ABSENT
    for item in theirs:
        word = encode(item)
        if word not in was and word not in mine:
            at = result.index(before) + 1 if before is not _ABSENT and before in result else len(result)
            while at < len(result) and encode(result[at]) not in was:
                at += 1  # behind what we added there
            result.insert(at, item)
            mine.add(word)
        before = item
    return result


def merge(base: str, ours: str, theirs: str) -> Merged:
    """One text of two valid contexts that began as `base`, which may be empty or no YAML; YamlError for a bad side."""
    records = merged_records(*[recorded_claims(version) or {} for version in (base, ours, theirs)])
    base, ours, theirs = [with_claim_lines(version, "") for version in (base, ours, theirs)]
    try:
        known = parse(base.encode())
    except YamlError:
        known = None
    known = known if type(known) is dict else {}
    made: dict[str, set[str]] = {}
    for version in (base, ours, theirs):
        for name, digest in (recorded_digests(version) or {}).items():
            made.setdefault(name, set()).add(digest)
    sides = [_side(text, made) for text in (ours, theirs)]
    work = _Merge(known, *sides)
    context = work.context()
    conflicts = tuple(work.conflicts)
    claims = claims_of(context, context.get(_DERIVED, ()))
    if any(side.context.get("fingerprint", "").startswith(PREFIX) for side in sides):
        there = {claim.digest for claim in claims}
        context["fingerprint"] = claims_fingerprint(
            context["scope"], {digest: one for digest, one in records.items() if digest in there}
        )
    lines = claim_lines(records, claims)
    if not conflicts and context == sides[0].context:
        return Merged(with_claim_lines(_with_their_comments(ours, theirs, base), lines), ())
    open_fields = {name.partition(".")[0] for name in conflicts}
    text = _by_lines(base, sides, context, open_fields)
    if text is None:
        changes = {name: context.get(name) for name in {*sides[0].context, *context}}
        text = _with_their_comments(edited(ours, changes), theirs, base)
    text = digested(text, context)
    left_open = {name: marked(field_rows(ours, name), field_rows(theirs, name)) for name in open_fields}
    return Merged(with_claim_lines(with_field_rows(text, left_open) if left_open else text, lines), conflicts)


def _side(text: str, made: Mapping[str, set[str]]) -> _Side:
    """A side; what any version recorded as the machine's is so, for lines may have moved between the versions."""
    context = parse(text.encode())
    if type(context) is not dict:
        raise YamlError("must be a mapping of fields")
    machine = machine_fields(context, text)
    for name, digests in made.items():
        value = _part(context, name)
        if value is not _ABSENT and field_digest(value) in digests:
            machine.add(name)
    return _Side(text, context, machine)


def _by_lines(base: str, sides: list[_Side], context: Context, open_fields: set[str]) -> str | None:
    """The three texts merged line by line, comments of all included; None where that gives something else."""
    ours, theirs = sides
    settled = {name for name in {*METADATA, _DERIVED} if name in context} | {
        name for name in context if name in FIELDS and (name in ours.machine or name in theirs.machine)
    }
    settled |= open_fields
    changes: Mapping[str, Value] = {name: context[name] for name in settled}
    texts = []
    for text in (base, ours.text, theirs.text):
        try:
            texts.append(undigested(edited(text, changes)) if text.strip() else "")
        except (YamlError, KeyError, IndexError):
            return None  # no block of fields, or the base is not whole
    rows = [text.splitlines(keepends=True) for text in texts]
    if any(len(lines) > MAX_LINES for lines in rows):
        return None
    text = "".join(merge_lines(*rows))
    try:
        found = parse(text.encode())
    except YamlError:
        return None
    return text if _same(found, context) else None


def _same(found: Value, wanted: Value) -> bool:
    """Whether two values say the same, but for the order in lists."""
    if type(found) is dict and type(wanted) is dict:
        return found.keys() == wanted.keys() and all(_same(found[key], wanted[key]) for key in wanted)
    if type(found) is list and type(wanted) is list:
        return sorted(map(encode, found)) == sorted(map(encode, wanted))
    return bool(found == wanted)


def _with_their_comments(text: str, theirs: str, base: str) -> str:
    """The text with the comments of the other side that it lacks, at its end."""
    have = {row.strip() for row in f"{text}\n{base}".splitlines()}
    extra = []
    for row in undigested(theirs).splitlines():
        comment = row.strip()
        if comment.startswith("#") and comment not in have:
            extra.append(comment)
    return text + "".join([f"{comment}\n" for comment in extra])
