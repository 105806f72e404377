"""The lines of AsciiDoc after conditions and includes, as its preprocessor gives them. Pure, and linear in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from operator import eq, ge, gt, le, lt, ne

from holdfast.caches.readers.asciidoc_inline import substituted
from holdfast.caches.readers.included_text import DEEPEST, IncludedText, chosen_lines, number_of
from holdfast.caches.readers.page_text import Row

_CONDITIONS = ("ifdef::", "ifndef::", "ifeval::")
_LONGEST_SPEC = 2000
_COMPARISON = re.compile(r"^([^=!<>]*)([=!<>]=|[<>])(.*)")
_OPERATORS = {"==": eq, "!=": ne, "<=": le, ">=": ge, "<": lt, ">": gt}
_OPTION = re.compile(r"""[ ]*([^=,]*)(?:=[ ]*(?:"([^"]*)"|([^,]*)))?[^,]*,?""")
# Antora's families of files, and the folders of a module that hold them.
_FAMILIES = {"partial": "partials", "example": "examples", "page": "pages", "attachment": "attachments"}
# Where the code of `include-code::` lies, seen from a folder above the page: (language, ending, folders).
_CODE = (
    ("java", ".java", ("examples/java", "src/main/java/org/springframework/boot/docs", "src/main/java")),
    ("kotlin", ".kt", ("examples/kotlin", "src/main/kotlin/org/springframework/boot/docs", "src/main/kotlin")),
    ("xml", ".xml", ("examples/xml", "src/main/resources/org/springframework/boot/docs")),
)


class AsciidocLines:
    """Evaluates conditions and includes files; `attributes` are those of the page, set while its lines are read.

    `section` is the id of the section that the reader is in, which says where `include-code::` finds its files.
    """

    def __init__(self, included: IncludedText, attributes: dict[str, str]) -> None:
        self._included, self._attributes = included, attributes
        self._conditions: list[bool] = []  # of each condition that is open, whether its lines count
        self._hidden = 0  # how many of them say no
        self.section = ""

    def rows(self, rows: Sequence[Row], depth: int = 0, folder: str = "", shift: int = 0) -> Iterator[Row]:
        """Lines with those of the files that they include, which stand for the line that does.

        `folder` is the folder of these lines, seen from the page's; titles in them are `shift` levels deeper.
        """
        for text, source in rows:
            if "::" in text and (
                text[:2] in ("if", "en") and (counted := self._condition(text.rstrip(" "))) is not None
            ):
                if counted:
                    yield counted, source
            elif self._hidden:
                continue
            elif text.startswith(("include::", "include-code::")) and text.rstrip(" ").endswith("]"):
                yield from self._include(text, source, depth, folder, shift)
            elif text.startswith(("\\include::", "\\if", "\\endif::")):
                yield text[1:], source
            else:
                yield "=" * shift + text if shift and text[0:1] == "=" and text.lstrip("=")[:1] == " " else text, source

    def _condition(self, line: str) -> str | None:
        """None where a line is of no condition; else the text that it makes count."""
        if line.startswith("endif::"):
            if self._conditions:
                self._hidden -= not self._conditions.pop()
            return ""
        if not line.startswith(_CONDITIONS) or not line.endswith("]"):
            return None
        kind, _, rest = line.partition("::")
        names, _, spec = rest[:-1].partition("[")
        if kind == "ifeval":
            holds = self._compares(spec)
        else:
            held = [name in self._attributes for name in names.replace("+", ",").split(",")]
            holds = (all(held) if "+" in names else any(held)) == (kind == "ifdef")
            if spec:
                return spec if holds and not self._hidden else ""
        self._conditions.append(holds)
        self._hidden += not holds
        return ""

    def _compares(self, spec: str) -> bool:
        """Whether a comparison such as `"{a}" >= 2` holds; an attribute that is not set is empty."""
        parts = _COMPARISON.match(spec)
        if parts is None:
            return True
        values = [substituted(part.strip(" \"'"), self._attributes) for part in parts.group(1, 3)]
        values = ["" if value[:1] == "{" else value for value in values]
        numbers = [number_of(value, -1) for value in values]
        compared: bool = _OPERATORS[parts[2]](*(values if -1 in numbers else numbers))
        return compared

    def _include(self, text: str, source: int, depth: int, folder: str, shift: int) -> Iterator[Row]:
        path, _, spec = text.partition("::")[2].rstrip(" ")[:-1].partition("[")
        path = substituted(path, self._attributes).removeprefix("./")
        options = _options(spec)
        if text.startswith("include-code"):
            yield from [(line, source) for line in self._code(path, options)]
            return
        lines = None
        if depth < DEEPEST and "://" not in path:
            lines = self._included.lines(_place(path), (folder, "") if folder else ("",))
            if lines is None and "example$" in path:  # where a build copies examples from
                lines = self._included.lines(path.partition("$")[2], ("src/main", "src/test"))
        if lines is None:
            if options.get("opts") != "optional":
                self._included.missing(path)
            return
        offset = options.get("leveloffset", "")
        shift += number_of(offset.removeprefix("+"), 0) if offset[:1] == "+" else 0
        inner = "/".join([part for part in (folder, path.rpartition("/")[0]) if part])
        rows = [(line, source) for line in _chosen(lines, options)]
        yield from self.rows(rows, depth + 1, inner if "$" not in path else folder, min(shift, 5))

    def _code(self, name: str, options: dict[str, str]) -> list[str]:
        """A source block of the file that an example is in, by the id of its section; empty where there is none."""
        place = "/".join([self.section.replace(".", "/").replace("-", ""), name]).lstrip("/")
        for language, ending, folders in _CODE:
            lines = self._included.lines(place + ending, folders)
            if lines is not None:
                lines = _without_notice(_chosen(lines, options))
                mark = "-" * max([4, *[len(line) + 1 for line in lines if line and not line.strip("-")]])
                return [f"[source,{language}]", mark, *lines, mark]
        self._included.missing(f"{name} (of include-code)")
        return []


def _without_notice(lines: list[str]) -> list[str]:
    """Code without the licence and the package line at its top."""
    at = 0
    if lines and lines[0].startswith(("/*", "<!--")):
        at = next((number for number, line in enumerate(lines, 1) if line.rstrip(" \t").endswith(("*/", "-->"))), 0)
    rest = [line for line in lines[at : at + 3] if line and not line.startswith("package ")]
    return [*rest, *lines[at + 3 :]]


def _place(path: str) -> str:
    """The path that an include means: Antora's `module:partial$name` is in a folder of a module."""
    head, dollar, rest = path.partition("$")
    if not dollar:
        return path
    *modules, family = head.rpartition("@")[2].split(":")
    folder = _FAMILIES.get(family, family)
    return f"modules/{modules[-1] or 'ROOT'}/{folder}/{rest}" if modules else f"{folder}/{rest}"


def _options(spec: str) -> dict[str, str]:
    """The options in the brackets of an include, by name; a value in quotes may hold commas."""
    return {
        name.strip(" "): (quoted or plain).strip("\"' ")
        for name, quoted, plain in _OPTION.findall(spec[:_LONGEST_SPEC])
    }


def _chosen(lines: list[str], options: dict[str, str]) -> list[str]:
    """The lines of an included file that are asked for: by number, or between the marks of tags; without marks."""
    if "lines" in options:
        return chosen_lines(lines, options["lines"].replace("..", ":").replace(";", ","))
    tags = [tag for tag in (options.get("tag") or options.get("tags") or "").replace(",", ";").split(";") if tag]
    wanted = {tag for tag in tags if tag[0] != "!"}
    refused = {tag[1:] for tag in tags if tag[0] == "!"}
    found = []
    inside: list[str] = []
    for line in lines:
        if "tag::" in line or "end::" in line:
            mark = "tag::" if "tag::" in line else "end::"
            name = line.partition(mark)[2].partition("[")[0]
            if mark == "tag::" and len(inside) < 100:
                inside.append(name)
            elif mark == "end::" and name in inside:
                inside.remove(name)
            continue
        takes = not wanted or "**" in wanted or not wanted.isdisjoint(inside) or ("*" in wanted and bool(inside))
        if takes and refused.isdisjoint(inside):
            found.append(line)
    return found
