"""What package manifests and READMEs say of the directory they stand in."""

from __future__ import annotations

import re
import tomllib

from holdfast.contexts.analysis.facts import compact, first_sentence
from holdfast.contexts.analysis.source_text import without_links
from holdfast.contexts.description import About
from holdfast.core.canonical_json import JsonError, decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

READMES = ("README.md", "Readme.md", "readme.md", "README.rst", "README.txt", "README")
_MAX_SUMMARY = 300


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _json(text: str) -> dict[str, Any]:
    try:
        value = decode(text)
    except JsonError:
        return {}
    return value if isinstance(value, dict) else {}


def _table(value: object, *keys: str) -> dict[str, Any]:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _text(table: Mapping[str, object], key: str) -> str:
    value = table.get(key)
    return compact(value, _MAX_SUMMARY) if isinstance(value, str) else ""


def _pyproject(text: str) -> About:
    data = _toml(text)
    table = _table(data, "project") or _table(data, "tool", "poetry")
    return About(_text(table, "name"), _text(table, "description"), manager="pip")


def _package_json(text: str) -> About:
    table = _json(text)
    name = _text(table, "name")
    return About(name, _text(table, "description"), name, manager="npm")


def _cargo(text: str) -> About:
    table = _table(_toml(text), "package")
    name = _text(table, "name")
    return About(name, _text(table, "description"), name.replace("-", "_"), manager="cargo")


_MODULE = re.compile(r"^module\s++(\S++)", re.MULTILINE)


def _go_mod(text: str) -> About:
    found = _MODULE.search(text)
    module = found[1].strip('"') if found else ""
    return About(module.rpartition("/")[2], "", module, manager="go")


def _composer(text: str) -> About:
    table = _json(text)
    return About(_text(table, "name"), _text(table, "description"), manager="composer")


# The first that stands in the directory and says something wins.
MANIFESTS: Mapping[str, Callable[[str], About]] = {
    "pyproject.toml": _pyproject,
    "package.json": _package_json,
    "Cargo.toml": _cargo,
    "go.mod": _go_mod,
    "composer.json": _composer,
}


def about(texts: Mapping[str, str]) -> About:
    """What the manifests and the README among some files say together."""
    result = About()
    for name, read in MANIFESTS.items():
        if name in texts:
            found = read(texts[name])
            result = About(*[earlier or later for earlier, later in zip(result, found, strict=True)])
    for name in READMES:
        if name in texts:
            return result._replace(readme=readme_summary(texts[name]))
    return result


# Headings, badges, rules, directives and fences: lines that are no prose.
_NO_PROSE = re.compile(r"(?a)^\s*+(?:[#<>=~*_|-]|\[?!\[|\.\. |```|\[![\w\x80-\U0010ffff])")
_BLANK_LINES = re.compile(r"\n\s*\n")


def readme_summary(text: str) -> str:
    """The first sentence of the first paragraph of prose."""
    for paragraph in _BLANK_LINES.split(text.replace("\r\n", "\n")):
        lines = [line for line in paragraph.splitlines() if not _NO_PROSE.match(line)]
        prose = without_links(" ".join(lines)).replace("**", "").strip()
        if len(prose.split()) >= 3:
            return first_sentence(prose)
    return ""
