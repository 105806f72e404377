"""Tags of JSX in a text: where one ends, whatever its attributes hold, and the words it says itself. Pure."""

from __future__ import annotations

from typing import NamedTuple

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_IN_NAME = _LETTERS | frozenset("0123456789-_.$")
# Characters: what is longer is no tag, or none that anyone could read.
_LONGEST = 20_000
# Attributes that say something of a component: its title, by what comes first, where it leads, what kind it is.
_TITLES = ("title", "label", "summary", "header", "heading", "question", "caption", "file-name")
_NAMED = ("path", "query", "body", "name", "param")  # of the fields of an API
_KEPT = frozenset([*_TITLES, *_NAMED, "href", "to", "type", "file", "alt", "kind", "number"])
_QUOTES = "\"'"


class Tag(NamedTuple):
    """A tag: where it ends, whether it closes one (`</a>`) or itself (`<a/>`), its name and what its attributes say."""

    end: int
    closes: bool
    is_empty: bool
    name: str
    said: dict[str, str]

    @property
    def title(self) -> str:
        """The words that it says itself."""
        for key in (*_TITLES, *(_NAMED if self.name.endswith("Field") else ())):
            if found := self.said.get(key):
                return f"`{found}`" if key in _NAMED or key == "file-name" else found
        return ""


def tag_at(text: str, at: int) -> Tag | None:
    """The tag that begins at a `<`; None where none does."""
    place = at + 1
    closes = text[place : place + 1] == "/"
    place += closes
    if text[place : place + 1] == ">":
        return Tag(place + 1, closes, is_empty=False, name="", said={})
    if text[place : place + 1] not in _LETTERS or place >= len(text):
        return None
    while text[place : place + 1] in _IN_NAME and place < len(text):
        place += 1
    if text[place : place + 1] not in ("", " ", "\t", "\n", "/", ">", "{"):
        return None  # an address, or nothing
    own = text[at + 1 + closes : place]
    said: dict[str, str] = {}
    until = min(len(text), at + _LONGEST)
    name = ""
    while place < until:
        one = text[place]
        if one == ">":
            return Tag(place + 1, closes, text[place - 1] == "/", own, said)
        if one in _QUOTES:
            end = text.find(one, place + 1, until)
            if end < 0:
                return None
            if name in _KEPT:
                said.setdefault(name, " ".join(text[place + 1 : end].split("\n")).strip(" "))
            place = end + 1
        elif one == "{":
            end = braces_end(text, place, until)
            if end < 0:
                return None
            place = end
        elif one in ("<", "`"):
            return None
        else:
            if one in _LETTERS:
                begin = place
                while place < until and text[place] in _IN_NAME:
                    place += 1
                name = text[begin:place]
                continue
            place += 1
    return None


def braces_end(text: str, at: int, until: int) -> int:
    """Where the braces that open at a place are closed, strings and comments passed over; -1 where they are not."""
    depth = 0
    place = at
    while place < until:
        one = text[place]
        if one == "{":
            depth += 1
        elif one == "}":
            depth -= 1
            if not depth:
                return place + 1
        elif one in "\"'`":
            end = text.find(one, place + 1, until)
            if end < 0:
                return -1
            place = end
        elif one == "/" and text[place + 1 : place + 2] == "*":
            end = text.find("*/", place + 2, until)
            if end < 0:
                return -1
            place = end + 1
        place += 1
    return -1
