"""The facts about one source file."""

from __future__ import annotations

import re
from typing import NamedTuple

from holdfast.code.analysis.source_text import without_tags

# A file beyond this is generated more often than written; its name and size have to do.
MAX_ANALYSED = 1 << 20
_LONGEST_SIGNATURE = 1000
_LONGEST_SENTENCE = 200
MAX_COMMENT = 500


class Export(NamedTuple):
    """A public name as a compact signature, and how the comment on it begins; `first_sentence` makes that readable."""

    signature: str
    doc: str = ""
    name: str = ""
    owner: str = ""  # the type it is a member of
    origin: str = ""  # the module that defines it, where this file only passes it on
    members: tuple[str, ...] = ()  # names of members that have no entry of their own
    is_inner: bool = False  # visible to the rest of its crate only: shown on a map, but no export
    line: int = 0  # where it begins, counted from one


class FileFacts(NamedTuple):
    """What was found in a file; what could not be found is empty."""

    name: str
    language: str = ""
    doc: str = ""  # what the file says of itself, or of its package: never the comment of a declaration
    exports: tuple[Export, ...] = ()
    imports: tuple[str, ...] = ()
    package: str = ""  # the package or namespace that the file declares
    unread: str = ""  # why nothing was found: a reason of the next table
    generated: bool = False  # it says that a program wrote it
    dropped: int = 0  # declarations that could not be parsed


# Why a file has no facts, as reports say it.
NO_GRAMMAR = "needs holdfast-context[analysis]"
UNKNOWN = "no grammar"
TOO_LARGE = "too large"
UNREADABLE = "unreadable"
NOT_PARSED = "not parsed"


def compact(text: str, limit: int = _LONGEST_SIGNATURE) -> str:
    """Text on one line, blanks collapsed, cut with an ellipsis where it is too long."""
    line = text
    if "\n" in text or "  " in text or "\t" in text or text[:1] == " ":
        line = _narrowed(text)
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def _narrowed(text: str) -> str:
    line = " ".join(text.split())
    for wide, narrow in (("( ", "("), (" )", ")"), ("[ ", "["), (" ]", "]"), (",)", ")"), (" ,", ",")):
        line = line.replace(wide, narrow)
    return line


# A comment's marker at the start of a line, with the blanks around it.
_MARKERS = re.compile(r"^\s*+(?:/\*++!?|\*++/|\*(?!/)|//[/!]?|#++!?|--++|;++|<!--|-->)?+[ \t]*+", re.MULTILINE)
_NOT_ABOUT = re.compile(r"(?ai)copyright|licen[cs]e|spdx-|eslint|@ts-|prettier|generated|coding[:=]|^!|frozen_string")
_PARAGRAPH_END = re.compile(r"\n\s*\n|\n\s*@|\n\s*[-=~]{3,}")
_SENTENCE_END = re.compile(r"[.!?](?=\s[A-Z`\"'(]|$)")


def first_sentence(comment: str) -> str:
    """The first sentence of a comment or docstring, without its markers; nothing for a licence or a directive."""
    text = without_tags(_MARKERS.sub("", comment.replace("*/", ""))).strip().removeprefix("\ufeff")
    paragraph = _PARAGRAPH_END.split(text, maxsplit=1)[0]
    if not paragraph or paragraph[0] == "@" or _NOT_ABOUT.search(paragraph):
        return ""
    line = " ".join(paragraph.split())
    end = _SENTENCE_END.search(line)
    return compact(line[: end.end()] if end else line, _LONGEST_SENTENCE)
