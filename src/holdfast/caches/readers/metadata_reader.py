"""The description of a Python distribution, its README, out of the METADATA file beside what is installed. Pure."""

from __future__ import annotations

from holdfast.caches.line_map import source_line
from holdfast.caches.readers.decoded_text import decoded
from holdfast.caches.readers.markdown_reader import read_markdown_source
from holdfast.caches.readers.page_text import Row, page_of
from holdfast.caches.readers.rst_reader import read_rst
from holdfast.caches.readers.source_reader import Page, Site, SourceFiles
from holdfast.core.unicode_text import WHITE_SPACE, lower_case


class _NoFiles:
    """The files that a description may include: none, it was taken from where it could."""

    site = Site()

    def text(self, path: str) -> str | None:  # noqa: ARG002 - what every table of files takes
        return None

    def missing(self, what: str) -> None:
        """A description is taken without its build: what it lacks is not reported."""


def metadata_fields(text: str) -> tuple[dict[str, str], int]:
    """The fields of METADATA by their names in lower case, the first of each; and the line after them, from 0."""
    fields: dict[str, str] = {}
    last = ""
    number = 0
    for number, line in enumerate(text.split("\n")):  # noqa: B007 - where the fields end
        if not line.strip(WHITE_SPACE):
            break
        if line[0] in " \t":
            if last:
                fields[last] += f"\n{line}"
            continue
        key, _, value = line.partition(":")
        last = lower_case(key)
        if last in fields:
            last = ""
        else:
            fields[last] = value.strip(WHITE_SPACE)
    return fields, number


def read_metadata(data: bytes, name: str, files: SourceFiles) -> Page:  # noqa: ARG001 - what every reader takes
    """The description as a page; its title is the distribution's name and version. Raises Unreadable."""
    text = decoded(data)
    fields, after = metadata_fields(text)
    title = f"{fields.get('name', '')} {fields.get('version', '')}".strip(" ")
    lines = text.split("\n")
    body = "\n".join(lines[after + 1 :])
    is_restructured = "rst" in fields.get("description-content-type", "text/x-rst")
    read = read_rst if is_restructured else read_markdown_source
    inner = read(body.encode(), "README", _NoFiles())
    rows: list[Row] = []
    texts = inner.text.removesuffix("\n").split("\n") if inner.text else []
    if summary := fields.get("summary", ""):
        keys = [lower_case(line.partition(":")[0]) for line in lines]
        rows = [(f"{title}: {summary}", keys.index("summary") + 1)]
        rows += [("", rows[0][1])] if texts else []
    rows += [(text, source_line(inner.lines, number) + after + 1) for number, text in enumerate(texts, 1)]
    return page_of(rows, title)
