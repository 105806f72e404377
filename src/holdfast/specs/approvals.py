"""Approvals of a spec's documents, bound to their bytes: what the files below `approvals/` say, and whether it holds.

Each approval is a file of its own, named after the document, its digest and the person, so that two branches merge and
two approvers both count. A revocation is a file as well; nothing is ever removed, so git shows a removal.
`approvals.json` of earlier releases, a list whose entries carry a check over the one before them, is still read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from hashlib import sha256
from posixpath import commonprefix  # of any two lists
from typing import NamedTuple

from holdfast.core.canonical_json import JsonError, decode, encode
from holdfast.core.unicode_text import lower_case
from holdfast.specs.checkbox_lines import emptied
from holdfast.specs.layouts import PHASES, TaskForm

FILE = "approvals.json"  # of earlier releases
FOLDER = "approvals"
_KEYS = ("phase", "sha256", "upstream", "by", "at", "note", "lines", "check")
_REVOKED_KEYS = ("phase", "revoked", "by", "at", "note", "check")
_HEX = frozenset("0123456789abcdef")
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789._-")
_LONGEST_NAME = 40
_OF_A_LINE = 6  # hex digits that stand for a line: enough to tell which lines changed
_MOST_COMPARED = 2000


class ApprovalsBroken(ValueError):
    """A file cannot be relied on; the text says why."""


class Approval(NamedTuple):
    """A document that was approved, or, where `is_revoked`, an approval of it that was taken back."""

    phase: str
    sha256: str
    upstream: Mapping[str, str]
    by: str
    at: str
    note: str = ""
    lines: str = ""
    is_revoked: bool = False
    after: tuple[str, ...] = ()  # the files of the revocations that came before it
    doubt: str = ""  # why it does not count

    @property
    def file(self) -> str:
        """The name of its file: letters that not every file system keeps apart are replaced, and a digest is added."""
        who = "".join([character if character in _PLAIN else "-" for character in lower_case(self.by)[:_LONGEST_NAME]])
        if who != self.by:
            who += f"-{digest(self.by)[:6]}"
        return f"{self.phase}-{self.sha256[:12]}-{who}{'.revoked' * self.is_revoked}.json"


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
    return "".join([digest(line)[:_OF_A_LINE] for line in approved.split("\n")])


def written(entry: Approval) -> bytes:
    """The file of an approval, canonical."""
    values: dict[str, object] = {"phase": entry.phase, "sha256": entry.sha256, "by": entry.by, "at": entry.at}
    values |= {"note": entry.note} if entry.note else {}
    values |= {"revoked": True} if entry.is_revoked else {"upstream": entry.upstream, "lines": entry.lines}
    values |= {"after": list(entry.after)} if entry.after else {}
    return (encode(values) + "\n").encode()


def read(data: bytes, file: str) -> Approval:
    """The approval in a file; ApprovalsBroken unless it is one, and the file has the name that belongs to it."""
    value = _decoded(data)
    if not isinstance(value, dict):
        raise ApprovalsBroken(f"{file} is no object")
    entry = _entry({**value, "check": ""}, file)
    if entry.file != file or written(entry) != data.replace(b"\r\n", b"\n"):
        raise ApprovalsBroken(f"{file} was renamed or edited")
    return entry


def read_list(data: bytes) -> list[Approval]:
    """The latest entry of each phase in an `approvals.json`; ApprovalsBroken when it was changed by hand."""
    values = _decoded(data)
    if not isinstance(values, list):
        raise ApprovalsBroken("it is no list")
    latest: dict[str, Approval] = {}
    check = ""
    for number, value in enumerate(values, 1):
        entry = _entry(value, f"entry {number}")
        said = {key: each for key, each in value.items() if key != "check"}
        check = digest(f"{check}{encode(said)}")[:16]
        if value.get("check") != check:
            raise ApprovalsBroken(f"entry {number} was edited, or the one before it is gone")
        before = latest.get(entry.phase)
        if before is not None and (before.sha256, before.upstream) == (entry.sha256, entry.upstream):
            raise ApprovalsBroken(f"entry {number} names {entry.phase} a second time")
        latest[entry.phase] = entry
    return list(latest.values())


def approve(
    phase: str, approved: Mapping[str, str], by: str, at: str, note: str, entries: Sequence[Approval] = ()
) -> Approval:
    """A new approval of a document; `approved` is what would be approved of each document there is."""
    above = PHASES[: PHASES.index(phase)]
    upstream = {name: digest(approved[name]) for name in above if name in approved}
    own = digest(approved[phase])
    after = tuple(sorted([each.file for each in _revocations(entries, phase) if each.sha256 == own]))
    return Approval(phase, own, upstream, by, at, note, line_digests(approved[phase]), after=after)


def standing(
    entries: Sequence[Approval],
    phase: str,
    approved: Mapping[str, str],
    names: Mapping[str, str],
    needed: int = 1,
) -> Standing:
    """Whether as many people as needed approved a document as it is now; `names` is what the documents are called."""
    revocations = _revocations(entries, phase)
    given = [each for each in entries if each.phase == phase and each.sha256 and not each.is_revoked]
    valid: dict[str, str] = {}  # by who, empty or why it does not hold
    for entry in sorted(given, key=lambda each: (each.at, each.by)):
        valid[entry.by] = _why_void(entry, revocations) or _why_changed(entry, approved, names)
    holding = [by for by, why in valid.items() if not why]
    if len(holding) >= max(needed, 1):
        return Standing(True, ", ".join(holding))
    if holding:
        why = f"{names[phase]} is approved by {', '.join(holding)}, and {needed} people have to"
        return Standing(False, ", ".join(holding), why)
    if valid:
        by = list(valid)[-1]
        return Standing(False, by, valid[by].replace("{document}", names[phase]))
    if revocations:
        by = revocations[-1].by
        return Standing(False, by, f"{by} took the approval of {names[phase]} back")
    return Standing(False, why_not=f"{names[phase]} is not approved")


def holds_still(entry: Approval, entries: Sequence[Approval]) -> bool:
    """Whether an approval was not taken back."""
    return not _why_void(entry._replace(doubt=""), _revocations(entries, entry.phase))


def _revocations(entries: Sequence[Approval], phase: str) -> list[Approval]:
    return [each for each in entries if each.phase == phase and each.is_revoked]


def _why_void(entry: Approval, revocations: Sequence[Approval]) -> str:
    for revocation in revocations:
        if revocation.sha256 == entry.sha256 and revocation.file not in entry.after:
            return f"{revocation.by} took the approval of {{document}} back"
    return entry.doubt


def _why_changed(entry: Approval, approved: Mapping[str, str], names: Mapping[str, str]) -> str:
    if entry.sha256 != digest(approved[entry.phase]):
        where = changed_lines(entry.lines, line_digests(approved[entry.phase]))
        return f"{names[entry.phase]} changed since {entry.by} approved it ({where})"
    for above in PHASES[: PHASES.index(entry.phase)]:
        now = digest(approved[above]) if above in approved else None
        if entry.upstream.get(above) != now:
            return f"{names[above]} changed since {entry.by} approved {names[entry.phase]}"
    return ""


def changed_lines(before: str, after: str) -> str:
    """Which lines of a document differ from what was approved, in words."""
    old = [before[at : at + _OF_A_LINE] for at in range(0, len(before), _OF_A_LINE)]
    new = [after[at : at + _OF_A_LINE] for at in range(0, len(after), _OF_A_LINE)]
    start = len(commonprefix([old, new]))
    end = len(commonprefix([old[start:][::-1], new[start:][::-1]]))
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


def _decoded(data: bytes) -> object:
    try:
        return decode(data.removeprefix(b"\xef\xbb\xbf"))
    except JsonError as error:
        raise ApprovalsBroken(f"it is not JSON: {error}") from None


def _entry(value: object, place: str) -> Approval:
    if not isinstance(value, dict):
        raise ApprovalsBroken(f"{place} is no object")
    known = _REVOKED_KEYS if "revoked" in value else _KEYS
    more = ("after", "sha256") if place.endswith(".json") else ()
    wrong = [key for key in value if key not in (*known, *more)]
    wrong += [key for key in known if key not in value and key != "note"]
    if wrong:
        raise ApprovalsBroken(f"{place} has an unknown key, or lacks one: {wrong[0]}")
    phase, is_revoked = value["phase"], "revoked" in value
    if phase not in PHASES:
        raise ApprovalsBroken(f"{place} names a phase that does not exist")
    by, at, note = (value.get(key, "") for key in ("by", "at", "note"))
    if not all(isinstance(text, str) for text in (by, at, note)) or not by:
        raise ApprovalsBroken(f"{place} does not say who approved when")
    after = value.get("after", [])
    if not isinstance(after, list) or not all(isinstance(each, str) for each in after):
        raise ApprovalsBroken(f"{place} names revocations that are none")
    upstream, lines = value.get("upstream", {}), value.get("lines", "")
    own = value.get("sha256", "" if is_revoked and not more else None)
    digests = [*(upstream.values() if isinstance(upstream, dict) else [None]), *([own] if own != "" else [])]
    is_known = isinstance(upstream, dict) and set(upstream) <= set(PHASES[: PHASES.index(phase)])
    if not all(_is_hex(each, 64) for each in digests) or not is_known or not _is_hex(lines):
        raise ApprovalsBroken(f"{place} has a digest that is none")
    return Approval(phase, str(own), upstream, by, at, note, lines, is_revoked=is_revoked, after=tuple(after))


def _is_hex(value: object, length: int | None = None) -> bool:
    return isinstance(value, str) and (length is None or len(value) == length) and _HEX.issuperset(value)
