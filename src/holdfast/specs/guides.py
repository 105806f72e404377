"""Guides for implementers and reviewers, put together from templates and steering documents."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

from holdfast.core.tokens import tokens_of_bytes
from holdfast.core.unicode_text import WHITE_SPACE
from holdfast.specs.shapes import Discipline

# Which parts of a guide a discipline leaves out: a template marks them `<!-- tests -->` … `<!-- /tests -->`.
_LEFT_OUT: dict[Discipline, tuple[str, ...]] = {"full": (), "standard": ("tests",), "minimal": ("tests", "reviews")}
_LONGEST_FRONT = 100
_MAX_HEADINGS = 160


def for_discipline(template: str, discipline: Discipline, left_out: tuple[str, ...] = ()) -> str:
    """A template with the parts its discipline asks for, their marks removed; other parts may be left out too."""
    unwanted = (*_LEFT_OUT[discipline], *left_out)
    for part in ("tests", "reviews", "unwritten"):
        opening, closing = f"<!-- {part} -->\n", f"<!-- /{part} -->\n"
        while opening in template:
            before, _, rest = template.partition(opening)
            inside, _, after = rest.partition(closing)
            template = before + ("" if part in unwanted else inside) + after
    return template


def parts_of(text: str) -> dict[str, str]:
    """The parts of a text that begin with `<!-- NAME -->`, by name."""
    parts = [part.partition(" -->\n") for part in text.split("<!-- ")[1:]]
    return {name: body.rstrip("\n") for name, _, body in parts}


def filled(template: str, values: Mapping[str, str]) -> str:
    """A template with each `{{name}}` replaced; values are not looked into, whatever they contain."""
    parts = template.split("{{")
    text = [parts[0]]
    for part in parts[1:]:
        name, _, rest = part.partition("}}")
        text.append(values[name] + rest)
    return "".join(text)


def inclusion_of(text: str) -> str:
    """When Kiro includes a steering document: what its front matter says, `always` without."""
    lines = text.removeprefix("\ufeff").split("\n")
    if lines[0].rstrip("\r") != "---":
        return "always"
    for line in lines[1:_LONGEST_FRONT]:
        key, _, value = line.rstrip("\r").partition(":")
        if key == "---":
            break
        if key == "inclusion":
            return value.strip(" \"'")
    return "always"


def file_name(document: str) -> str:
    """What the file of a steering document is called."""
    return document if "." in document else f"{document}.md"


def quoted(documents: Mapping[str, str]) -> str:
    """Steering documents one after the other, each below its name."""
    return "\n\n".join([f"## {file_name(name)}\n\n{text.strip(WHITE_SPACE)}" for name, text in documents.items()])


def templates_to_fill(templates: Mapping[str, str]) -> str:
    """Steering documents that are still to be written, each as a fenced template below the path it belongs at."""
    return "\n\n".join([f"`{path}`:\n\n````md\n{text.strip(WHITE_SPACE)}\n````" for path, text in templates.items()])


def digest_line(name: str, data: bytes) -> str:
    """A steering document in a line: enough to notice a change and to remember what it is about."""
    lines = data.decode("utf-8", "replace").split("\n")
    headings = [line.strip("# \r") for line in lines if line.startswith("#")]
    listed = " · ".join([heading for heading in headings if heading])[:_MAX_HEADINGS]
    about = f": {listed}" if listed else ""
    return f"- {file_name(name)}, sha256 {sha256(data).hexdigest()[:12]}, {tokens_of_bytes(len(data))} tokens{about}"
