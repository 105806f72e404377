"""Approvals of a spec's documents, bound to their bytes: what `approvals.json` says, and whether it still holds.

The file is a list, one entry a line, only ever added to. Each entry carries a check over itself and the one before it,
so that an entry that was edited, removed or put in by hand is noticed; it is no signature.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from holdfast.core.canonical_json import JsonError, decode, encode
from holdfast.specs.checkbox_lines import emptied
from holdfast.specs.layouts import PHASES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.specs.layouts import TaskForm

FILE = "approvals.json"
_KEYS = ("phase", "sha256", "upstream", "by", "at", "note", "lines", "check")
_REVOKED_KEYS = ("phase", "revoked", "by", "at", "note", "check")
_HEX = frozenset("0123456789abcdef")
_OF_A_LINE = 6  # hex digits that stand for a line: enough to tell which lines changed
_MOST_COMPARED = 2000


class ApprovalsBroken(ValueError):
    """The file cannot be relied on; the text says why."""


class Approval(NamedTuple):
    """One entry: a document that was approved, or, without a digest, an approval that was taken back."""

    phase: str
    sha256: str
    upstream: Mapping[str, str]
    by: str
    at: str
    note: str = ""
    lines: str = ""

    @property
    def is_revoked(self) -> bool:
        """Whether it takes an approval back."""
        return not self.sha256


class Standing(NamedTuple):
    """Whether the approval of a document holds, and in words why not."""

    holds: bool
    by: str = ""
    why_not: str = ""


def normalized(text: str, phase: str, form: TaskForm) -> str:
    """What is approved of a document: its text with LF line ends; of tasks, with every box empty."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return emptied(text, form) if phase == "tasks" else text


def digest(approved: str) -> str:
    """The digest of what is approved."""
    return sha256(approved.encode("utf-8", "surrogatepass")).hexdigest()


def line_digests(approved: str) -> str:
    """A few digits for each line."""
    lines = approved.split("\n")
    return "".join([sha256(line.encode("utf-8", "surrogatepass")).hexdigest()[:_OF_A_LINE] for line in lines])


def read(data: bytes) -> list[Approval]:
    """The entries of a file; ApprovalsBroken when it was not written by this program or was changed since."""
    try:
        values = decode(data.removeprefix(b"\xef\xbb\xbf"))
    except JsonError as error:
        raise ApprovalsBroken(f"it is not JSON: {error}") from None
    if not isinstance(values, list):
        raise ApprovalsBroken("it is no list")
    entries: list[Approval] = []
    check = ""
    for number, value in enumerate(values, 1):
        entry = _entry(value, number)
        check = _check(entry, check)
        if isinstance(value, dict) and value.get("check") != check:
            raise ApprovalsBroken(f"entry {number} was edited, or the one before it is gone")
        last = latest(entries, entry.phase)
        if last is not None and (last.sha256, last.upstream) == (entry.sha256, entry.upstream):
            raise ApprovalsBroken(f"entry {number} names {entry.phase} a second time")
        entries.append(entry)
    return entries


def written(entries: Sequence[Approval]) -> bytes:
    """The entries as a file, canonical, a line each."""
    lines, check = [], ""
    for entry in entries:
        check = _check(entry, check)
        lines.append(encode({**_values(entry), "check": check}))
    return ("[\n" + ",\n".join(lines) + "\n]\n").encode()


def latest(entries: Sequence[Approval], phase: str) -> Approval | None:
    """What was last said of a phase."""
    return next((entry for entry in reversed(entries) if entry.phase == phase), None)


def approve(phase: str, approved: Mapping[str, str], by: str, at: str, note: str) -> Approval:
    """A new entry for a document; `approved` is what would be approved of each document there is."""
    above = PHASES[: PHASES.index(phase)]
    upstream = {name: digest(approved[name]) for name in above if name in approved}
    return Approval(phase, digest(approved[phase]), upstream, by, at, note, line_digests(approved[phase]))


def standing(
    entries: Sequence[Approval], phase: str, approved: Mapping[str, str], names: Mapping[str, str]
) -> Standing:
    """Whether a document is approved as it is now; `names` is what the documents are called."""
    entry = latest(entries, phase)
    if entry is None:
        return Standing(False, why_not=f"{names[phase]} is not approved")
    if entry.is_revoked:
        return Standing(False, entry.by, f"{entry.by} took the approval of {names[phase]} back")
    if entry.sha256 != digest(approved[phase]):
        where = changed_lines(entry.lines, line_digests(approved[phase]))
        return Standing(False, entry.by, f"{names[phase]} changed since {entry.by} approved it ({where})")
    for above in PHASES[: PHASES.index(phase)]:
        now = digest(approved[above]) if above in approved else None
        if entry.upstream.get(above) != now:
            return Standing(False, entry.by, f"{names[above]} changed since {entry.by} approved {names[phase]}")
    return Standing(True, entry.by)


def changed_lines(before: str, after: str) -> str:
    """Which lines of a document differ from what was approved, in words."""
    old = [before[at : at + _OF_A_LINE] for at in range(0, len(before), _OF_A_LINE)]
    new = [after[at : at + _OF_A_LINE] for at in range(0, len(after), _OF_A_LINE)]
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[len(old) - 1 - end] == new[len(new) - 1 - end]:
        end += 1
    ranges = [(start, len(new) - end)]
    if 0 < max(len(old), len(new)) - start - end <= _MOST_COMPARED:
        matcher = SequenceMatcher(None, old[start : len(old) - end], new[start : len(new) - end], autojunk=False)
        ranges = [(start + j1, start + j2) for tag, _, _, j1, j2 in matcher.get_opcodes() if tag != "equal"]
    shown = [_range(first, last) for first, last in ranges[:5]]
    return ", ".join(shown) + (" and more" if len(ranges) > 5 else "")


def _range(first: int, last: int) -> str:
    if last <= first:
        return f"lines removed after L{first}"
    return f"L{first + 1}" if last == first + 1 else f"L{first + 1}-L{last}"


def _values(entry: Approval) -> dict[str, object]:
    if entry.is_revoked:
        values: dict[str, object] = {"phase": entry.phase, "revoked": True, "by": entry.by, "at": entry.at}
    else:
        values = {"phase": entry.phase, "sha256": entry.sha256, "upstream": entry.upstream}
        values.update({"by": entry.by, "at": entry.at})
    values.update({"note": entry.note} if entry.note else {})
    values.update({} if entry.is_revoked else {"lines": entry.lines})
    return values


def _check(entry: Approval, before: str) -> str:
    return sha256(f"{before}{encode(_values(entry))}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _entry(value: object, number: int) -> Approval:
    if not isinstance(value, dict):
        raise ApprovalsBroken(f"entry {number} is no object")
    known = _REVOKED_KEYS if "revoked" in value else _KEYS
    wrong = [key for key in value if key not in known] + [key for key in known if key not in value and key != "note"]
    if wrong:
        raise ApprovalsBroken(f"entry {number} has an unknown key, or lacks one: {wrong[0]}")
    if value["phase"] not in PHASES:
        raise ApprovalsBroken(f"entry {number} names a phase that does not exist")
    texts = {key: value.get(key, "") for key in ("phase", "by", "at", "note")}
    if not all(isinstance(text, str) for text in texts.values()) or not value["by"]:
        raise ApprovalsBroken(f"entry {number} does not say who approved when")
    if "revoked" in value:
        return Approval(texts["phase"], "", {}, texts["by"], texts["at"], texts["note"])
    upstream, lines = value["upstream"], value["lines"]
    above = PHASES[: PHASES.index(texts["phase"])]
    digests = [value["sha256"], *(upstream.values() if isinstance(upstream, dict) else [None])]
    if not all(_is_hex(each, 64) for each in digests) or not set(upstream) <= set(above) or not _is_hex(lines):
        raise ApprovalsBroken(f"entry {number} has a digest that is none")
    return Approval(texts["phase"], value["sha256"], upstream, texts["by"], texts["at"], texts["note"], lines)


def _is_hex(value: object, length: int | None = None) -> bool:
    return isinstance(value, str) and (length is None or len(value) == length) and _HEX.issuperset(value)
