"""What a generator's own files say: titles in the navigation, and the values of variables. Pure; nothing is run."""

from __future__ import annotations

import re
from functools import lru_cache

from holdfast.caches.readers.generators import generator_of
from holdfast.caches.readers.source_reader import SourceFiles

_LONGEST_VALUE, _DEEPEST = 300, 16
# `- Title: path.md`, `[Title](path.md)`.
_NAV = re.compile(
    r"""(?a)^[ ]*-[ ]+(?:"([^"\n]+)"|'([^'\n]+)'|([^\s:#'"][^:\n]*)):[ ]+['"]?([^\s'":]+\.(?:md|markdown))\b""",
    re.MULTILINE,
)
_SUMMARY = re.compile(r"(?a)\[([^\[\]\n]{1,200})\]\(([^()\s]{1,300}\.(?:md|markdown))\)")
_VALUE = re.compile(r"""(?a)^([ ]*)(?:- )?["']?([A-Za-z_][\w.-]*)["']?[ ]*[:=][ ]*(.*)$""")
_TABLE = re.compile(r"(?a)^\[([\w.-]+)\]$")


class SiteValues:
    """The titles and variables of the site that a page belongs to; each file is read when it is first asked for."""

    def __init__(self, files: SourceFiles) -> None:
        self._files = files
        self.generator = generator_of(files.site.reader)
        self._texts: dict[str, str] = {}

    def title(self, name: str) -> str:
        """The title of a page in the navigation, by its path below the sources' top; empty where it has none."""
        navigation = self.generator.navigation
        if not navigation:
            return ""
        titles = _titles(self._text(navigation), is_summary=navigation.endswith(".md"))
        # Paths in the navigation are seen from the folder of pages, which a path is below or the sources' top is.
        parts = name.split("/")
        for first in range(min(len(parts), 16)):
            if (found := titles.get("/".join(parts[first:]))) is not None:
                return found
        return ""

    def value(self, name: str) -> str | None:
        """The value of a variable by its dotted name, without the word that says where it is kept; None if unknown."""
        if name.startswith("data.") and self.generator.values:
            file, _, key = name[5:].partition(".")
            return flat_values(self._text(f"_data/{file}.yml")).get(key)
        for path in self.generator.values:
            values = flat_values(self._text(path))
            for prefix in ("", "extra.", "params.", "asciidoc.attributes."):
                if (found := values.get(prefix + name)) is not None:
                    return found
        return None

    def data_value(self, name: str) -> str | None:
        """The value of `variables.file.key`, in the folder of data; None where there is none."""
        folder, _, rest = name.partition(".")
        file, _, key = rest.partition(".")
        if not key or folder != "variables":
            return None
        return flat_values(self._text(f"data/{folder}/{file}.yml")).get(key)

    def attributes(self) -> dict[str, str]:
        """The attributes that a site of Antora gives every page."""
        prefix = "asciidoc.attributes."
        values = [flat_values(self._text(path)) for path in self.generator.values]
        return {name[len(prefix) :]: each[name] for each in values for name in each if name.startswith(prefix)}

    def _text(self, path: str) -> str:
        if path not in self._texts:
            folder = self._files.site.folder
            self._texts[path] = self._files.text(f"{folder}/{path}" if folder else path) or ""
        return self._texts[path]


@lru_cache(maxsize=32)
def _titles(text: str, *, is_summary: bool) -> dict[str, str]:
    """Titles by path; the first of each counts."""
    found: dict[str, str] = {}
    if is_summary:
        for title, path in _SUMMARY.findall(text):
            found.setdefault(path.removeprefix("./"), title.replace("`", "").replace("\\", ""))
        return found
    for double, single, bare, path in _NAV.findall(text):
        found.setdefault(path, (double or single or bare).strip(" "))
    return found


@lru_cache(maxsize=256)
def flat_values(text: str) -> dict[str, str]:
    """The scalars of YAML or TOML by dotted name, as they are written: no anchors, no types, no long texts."""
    found: dict[str, str] = {}
    path: list[tuple[int, str]] = []
    table = block = ""  # the table we are in; the name of the text that goes on, line by line
    for line in text.split("\n"):
        if block:
            if not line.strip(" ") or len(line) - len(line.lstrip(" ")) > path[-1][0]:
                if len(found[block]) < _LONGEST_VALUE:
                    found[block] = f"{found[block]} {line.strip(' ')}".strip(" ")
                continue
            block = ""
        if (named := _TABLE.match(line)) is not None:
            table, path = f"{named[1]}.", []
            continue
        spec = _VALUE.match(line)
        if spec is None:
            continue
        indent, name, value = len(spec[1]), spec[2], spec[3].strip(" \t")
        while path and path[-1][0] >= indent:
            path.pop()
        path.append((indent, name))
        if value[:1] in ("'", '"'):
            end = value.find(value[0], 1)
            value = value[1:end] if end > 0 else value
        else:
            value = value.partition(" #")[0].rstrip(" ")
        name = table + ".".join([part for _, part in path])
        if value in (">-", ">", "|", "|-") and len(path) < _DEEPEST:
            block = name
            found[block] = ""
        elif value and value[0] not in "|>&*[{#" and len(value) < _LONGEST_VALUE and len(path) < _DEEPEST:
            found.setdefault(name, value)
    return found
