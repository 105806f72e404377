"""Claims: what people wrote about a directory, the subjects of each, and the fingerprint over these.

A claim is a summary, a decision, a constraint or an interface that a person wrote. Its subjects are the files, symbols
and directories that it is about; the state of each was recorded, in a comment of the file, when the claim was. The
fingerprint covers nothing else, so it changes when a claim may have become false. Pure: digests come from the caller.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any, NamedTuple

from holdfast.contexts.context_text import field_digest

Context = Mapping[str, Any]

PREFIX = "claims-"  # no other form of a fingerprint begins so
GONE = "gone"  # the digest of a subject that is no longer there
ABOUT = "x-about"  # subjects of a summary or of constraints, by field
WHOLE = "."  # the directory itself, as a subject
UNKNOWN = "?"  # the state of a subject whose file could not be read: it is compared with nothing
_FIELDS = ("summary", "decisions", "constraints", "interfaces")
_LINE = "# claim "
_MOST_SUBJECTS = 12
_QUOTED = re.compile(r"`([^`\n]++)`")
_WORD = re.compile(r"(?a)[\w$./:#\x80-\U0010ffff-]++(?:\(\))?+")
# A word of prose that only a name in source looks like: `a_b`, `a.b`, `a/b`, `aB`, `ABc`, `a()`.
_NAME = re.compile(r"(?a)[a-z0-9][A-Z]|[A-Z][A-Z][a-z]|\w_\w|\w(?:\.|::|/|#)\w|\(\)$")
_ESCAPED = re.compile(r"[%=\x00-\x20]")
_ESCAPE = re.compile(r"%([0-9A-F]{2})")


class Claim(NamedTuple):
    """One claim: its field, its text on one line, the subjects that it names itself, and a digest of all that."""

    field: str
    text: str
    about: tuple[str, ...]
    digest: str


class Change(NamedTuple):
    """A subject that is not as it was when a claim was recorded, and how it differs."""

    claim: Claim
    subject: str
    change: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.change} ({self.claim.field}: {self.claim.text})"


# By the digest of a claim: its subjects with their digests.
Recorded = dict[str, dict[str, str]]


def claims_of(context: Context, machine: Iterable[str]) -> list[Claim]:
    """What people wrote; `machine` names the fields that were generated, which claim nothing."""
    given = context.get(ABOUT)
    shared = given if isinstance(given, dict) else {}
    found = []
    for field in _FIELDS:
        value = context.get(field)
        if not value or field in machine:
            continue
        for item in value if isinstance(value, list) else [value]:
            own = item.get("about") if isinstance(item, dict) else None
            about = own if isinstance(own, list) else shared.get(field, ())
            names = tuple([name for name in about if isinstance(name, str)]) if isinstance(about, list) else ()
            words = [part for name, part in item.items() if name != "about"] if isinstance(item, dict) else [item]
            text = " ".join(" — ".join(map(str, words)).split())
            found.append(Claim(field, text, names, field_digest([item, list(names)])))
    return found


def named_subjects(text: str, find: Callable[[str], str]) -> list[str]:
    """The subjects that a text names; `find` gives the subject that a word means, or nothing.

    A word between backquotes is looked for whatever it looks like, another one where it cannot be a word of prose.
    """
    words = [word for span in _QUOTED.findall(text) for word in _WORD.findall(span)]
    rest = _QUOTED.sub(" ", text)
    words += [word for word in _WORD.findall(rest) if _NAME.search(word.strip(".:#-"))]
    found = [find(word.strip(".:#-").removesuffix("()")) for word in words]
    return list(dict.fromkeys([subject for subject in found if subject]))[:_MOST_SUBJECTS]


def recorded_claims(text: str) -> Recorded | None:
    """What a file records of its claims; None where it records nothing."""
    found: Recorded = {}
    for row in text.splitlines():
        if row.startswith(_LINE):
            digest, _, rest = row[len(_LINE) :].partition(":")
            pairs = [word.rpartition("=") for word in rest.split()]
            found[digest] = {_unquoted(subject): state for subject, _, state in pairs if subject}
    return found or None


def merged_records(base: Recorded, ours: Recorded, theirs: Recorded) -> Recorded:
    """What two sides record together: of a claim that one side recorded anew, that side's record; else ours."""
    merged = {}
    for digest in [*ours, *[digest for digest in theirs if digest not in ours]]:
        mine, other = ours.get(digest), theirs.get(digest)
        merged[digest] = other if mine in (None, base.get(digest)) and other is not None else mine or {}
    return merged


def claim_lines(recorded: Recorded, claims: Iterable[Claim]) -> str:
    """The comments that record the claims of a file, in their order."""
    rows = [
        f"{_LINE}{claim.digest}: " + " ".join([f"{_quoted(one)}={state}" for one, state in subjects.items()])
        for claim in claims
        if (subjects := recorded.get(claim.digest))
    ]
    return "".join([f"{row}\n" for row in dict.fromkeys(rows)])


def with_claim_lines(text: str, lines: str) -> str:
    """A text with these comments at its end, in place of those it has."""
    rows = [row for row in text.splitlines(keepends=True) if not row.startswith(_LINE)]
    if not lines:
        return "".join(rows)
    newline = "\r\n" if rows and rows[0].endswith("\r\n") else "\n"
    if rows and not rows[-1].endswith(("\n", "\r")):
        rows[-1] += newline
    return "".join(rows) + lines.replace("\n", newline)


def claims_fingerprint(scope: str, recorded: Recorded) -> str:
    """The fingerprint over the subjects of all claims, and over the scope, which a renamed directory has no longer."""
    pairs = sorted({f"{_quoted(subject)}={state}" for one in recorded.values() for subject, state in one.items()})
    return PREFIX + sha256("\n".join([scope, *pairs]).encode("utf-8", "replace")).hexdigest()[:8]


def changes(claims: Iterable[Claim], recorded: Recorded, now: Recorded) -> list[Change]:
    """The subjects that differ, claim by claim."""
    found = []
    for claim in claims:
        before, after = recorded.get(claim.digest, {}), now.get(claim.digest, {})
        for subject, state in before.items():
            if after.get(subject, state) not in (state, UNKNOWN) and state != UNKNOWN:
                found.append(Change(claim, subject, _change(state, after[subject])))
    return found


def _change(before: str, after: str) -> str:
    if after == GONE:
        return "gone"
    if before == GONE:
        return "there again"
    one, other = before.split("."), after.split(".")
    if len(one) == len(other) == 2:
        return "signature changed" if one[0] != other[0] else "body changed"
    return "public symbols changed" if before[:1] == after[:1] == "p" else "content changed"


def _quoted(subject: str) -> str:
    return _ESCAPED.sub(lambda found: f"%{ord(found[0]):02X}", subject)


def _unquoted(word: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), word)
