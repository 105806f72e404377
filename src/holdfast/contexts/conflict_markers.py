"""A file as git leaves it when two sides changed the same lines: the markers in it, and the versions between them."""

from __future__ import annotations

from typing import NamedTuple

OURS, BASE, BETWEEN, THEIRS = "<<<<<<<", "|||||||", "=======", ">>>>>>>"


class Versions(NamedTuple):
    """What each side had; `base` is what they had in common as far as the file shows it."""

    base: str
    ours: str
    theirs: str


def has_markers(text: str) -> bool:
    """Whether a text holds a conflict."""
    rows = text.splitlines()
    return any(_is(row, OURS) for row in rows) and any(_is(row, THEIRS) for row in rows)


def _is(row: str, marker: str) -> bool:
    return row.startswith(marker) and row[len(marker) : len(marker) + 1] in ("", " ")


def versions(text: str) -> Versions | None:
    """The versions in a text with markers; None where they do not come in the order that git writes them."""
    sides: dict[str, list[str]] = {OURS: [], BASE: [], THEIRS: []}
    inside = ""
    for row in text.splitlines(keepends=True):
        bare = row.rstrip("\r\n")
        if _is(bare, OURS):
            if inside:
                return None
            inside = OURS
        elif inside == OURS and _is(bare, BASE):
            inside = BASE
        elif inside in (OURS, BASE) and inside and _is(bare, BETWEEN):
            inside = THEIRS
        elif inside == THEIRS and _is(bare, THEIRS):
            inside = ""
        elif inside:
            sides[inside].append(row)
        else:
            for side in sides.values():
                side.append(row)
    if inside:
        return None
    return Versions("".join(sides[BASE]), "".join(sides[OURS]), "".join(sides[THEIRS]))


def marked(ours: str, theirs: str) -> str:
    """Two versions of the same lines between markers."""
    return f"{OURS} ours\n{ours}{BETWEEN}\n{theirs}{THEIRS} theirs\n"
