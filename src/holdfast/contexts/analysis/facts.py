"""The facts about one source file, and which language it is in."""

from __future__ import annotations

import re

from holdfast.core.record import NamedTuple

# A file beyond this is generated more often than written; its name and size have to do.
MAX_ANALYSED = 1 << 20
_LONGEST_SIGNATURE = 160
_LONGEST_SENTENCE = 200
MAX_COMMENT = 500


class Export(NamedTuple):
    """A public name as a compact signature, and how the comment on it begins; `first_sentence` makes that readable."""

    signature: str
    doc: str = ""


class FileFacts(NamedTuple):
    """What was found in a file; what could not be found is empty."""

    name: str
    language: str = ""
    doc: str = ""
    exports: tuple[Export, ...] = ()
    imports: tuple[str, ...] = ()


LANGUAGES = {
    extension: language
    for language, extensions in {
        "Python": "py pyi",
        "TypeScript": "ts mts cts",
        "TSX": "tsx",
        "JavaScript": "js jsx mjs cjs",
        "Go": "go",
        "Rust": "rs",
        "Java": "java",
        "C": "c h",
        "C++": "cc cpp cxx hpp hh hxx",
        "C#": "cs",
        "Ruby": "rb",
        "PHP": "php",
        "Kotlin": "kt kts",
        "Swift": "swift",
    }.items()
    for extension in extensions.split()
}


def language_of(name: str) -> str:
    """The language of a file by its name, or nothing."""
    return LANGUAGES.get(name.rpartition(".")[2].lower(), "") if "." in name else ""


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


_MARKERS = re.compile(r"^\s*(?:/\*+!?|\*+/|\*(?!/)|//[/!]?|#+!?|--+|;+|<!--|-->)?[ \t]*", re.MULTILINE)
_TAGS = re.compile(r"</?[a-zA-Z][^>]*>")
_NOT_ABOUT = re.compile(
    r"copyright|licen[cs]e|spdx-|eslint|@ts-|prettier|generated|coding[:=]|^!|frozen_string", re.IGNORECASE
)


def first_sentence(comment: str) -> str:
    """The first sentence of a comment or docstring, without its markers; nothing for a licence or a directive."""
    text = _TAGS.sub("", _MARKERS.sub("", comment.replace("*/", ""))).strip()
    paragraph = re.split(r"\n\s*\n|\n\s*@|\n\s*[-=~]{3,}", text, maxsplit=1)[0]
    if not paragraph or _NOT_ABOUT.search(paragraph):
        return ""
    line = " ".join(paragraph.split())
    end = re.search(r"[.!?](?=\s+[A-Z`\"'(]|$)", line)
    return compact(line[: end.end()] if end else line, _LONGEST_SENTENCE)
