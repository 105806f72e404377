"""What a generator's own files say: titles in the navigation, and the values of variables. Pure; nothing is run."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from holdfast.caches.readers.generators import generator_of
from holdfast.caches.readers.lined_values import Lined, read_yaml
from holdfast.caches.readers.source_reader import SourceFiles, Unreadable

# Values in a file that are looked at, the names that one may have, and its characters.
_MOST, _DEEPEST, _LONGEST_VALUE = 20_000, 16, 2000
_PAGE = (".md", ".markdown")
# `[Title](path.md)`.
_SUMMARY = re.compile(r"(?a)\[([^\[\]\n]{1,200})\]\(([^()\s]{1,300}\.(?:md|markdown))\)")


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
        titles = _titles(self._text(navigation), navigation)
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
            return self._values(f"_data/{file}.yml").get(key)
        for path in self.generator.values:
            values = self._values(path)
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
        return self._values(f"data/{folder}/{file}.yml").get(key)

    def attributes(self) -> dict[str, str]:
        """The attributes that a site of Antora gives every page."""
        prefix = "asciidoc.attributes."
        values = [self._values(path) for path in self.generator.values]
        return {name[len(prefix) :]: each[name] for each in values for name in each if name.startswith(prefix)}

    def _values(self, path: str) -> dict[str, str]:
        return _flat_values(self._text(path), is_toml=path.endswith(".toml"))

    def _text(self, path: str) -> str:
        if path not in self._texts:
            folder = self._files.site.folder
            self._texts[path] = self._files.text(f"{folder}/{path}" if folder else path) or ""
        return self._texts[path]


@lru_cache(maxsize=32)
def _titles(text: str, path: str) -> dict[str, str]:
    """Titles by path, out of a list of links or the `nav` of YAML; the first of each counts."""
    found: dict[str, str] = {}
    if path.endswith(".md"):
        for title, target in _SUMMARY.findall(text):
            found.setdefault(target.removeprefix("./"), title.replace("`", "").replace("\\", ""))
        return found
    for names, value in _scalars(text, is_toml=False):
        if len(names) > 1 and names[0] == "nav" and value.endswith(_PAGE):
            found.setdefault(value, names[-1].strip(" "))
    return found


@lru_cache(maxsize=256)
def _flat_values(text: str, *, is_toml: bool) -> dict[str, str]:
    """The scalars of YAML or TOML by dotted name, each as one line; of those with one name the first."""
    found: dict[str, str] = {}
    for names, value in _scalars(text, is_toml=is_toml):
        if value and len(value) < _LONGEST_VALUE:
            found.setdefault(".".join(names), " ".join(value.split("\n")).strip(" "))
    return found


def _scalars(text: str, *, is_toml: bool) -> Iterator[tuple[tuple[str, ...], str]]:
    """The scalars of a file in order, each with the names that lead to it; of a file that cannot be read none.

    Aliases may make few lines many values: only the first ones are seen.
    """
    try:
        top: Any = tomllib.loads(text) if is_toml else read_yaml(text)
    except (tomllib.TOMLDecodeError, RecursionError, Unreadable):
        return
    left: list[tuple[tuple[str, ...], Any]] = [((), top)]
    for _ in range(_MOST):
        if not left:
            break
        names, value = left.pop()
        value = value.value if isinstance(value, Lined) else value
        if isinstance(value, dict) and len(names) < _DEEPEST:
            left += [((*names, key), one) for key, one in reversed(value.items())]
        elif isinstance(value, list):
            left += [(names, one) for one in reversed(value)]
        elif not isinstance(value, dict):
            yield names, ("false", "true")[value] if isinstance(value, bool) else str(value)
