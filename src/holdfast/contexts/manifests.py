"""Descriptions of a directory from its package manifests and README."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from holdfast.code.analysis.facts import compact, first_sentence
from holdfast.code.analysis.source_text import without_links
from holdfast.contexts.description import About
from holdfast.core.canonical_json import JsonError, decode

READMES = ("README.md", "Readme.md", "readme.md", "README.rst", "README.txt", "README")
_MAX_SUMMARY = 300


def toml_table(text: str) -> dict[str, Any]:
    """The table of a TOML file; empty where it is none."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def json_table(text: str) -> dict[str, Any]:
    """The object of a JSON file; empty where it is none."""
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
    data = toml_table(text)
    table = _table(data, "project") or _table(data, "tool", "poetry")
    return About(_text(table, "name"), _text(table, "description"), manager="pip")


def _package_json(text: str) -> About:
    table = json_table(text)
    name = _text(table, "name")
    return About(name, _text(table, "description"), name, manager="npm")


def _cargo(text: str) -> About:
    table = _table(toml_table(text), "package")
    name = _text(table, "name")
    return About(name, _text(table, "description"), name.replace("-", "_"), manager="cargo")


_MODULE = re.compile(r"^module\s++(\S++)", re.MULTILINE)


def _go_mod(text: str) -> About:
    found = _MODULE.search(text)
    module = found[1].strip('"') if found else ""
    return About(module.rpartition("/")[2], "", module, manager="go")


def _composer(text: str) -> About:
    table = json_table(text)
    return About(_text(table, "name"), _text(table, "description"), manager="composer")


_MIX_APP = re.compile(r"(?a)\bapp:\s*+:(\w++)")
_MIX_DESCRIPTION = re.compile(r'(?a)\bdescription:\s*+"([^"\n]++)"')


def _mix(text: str) -> About:
    name, said = _MIX_APP.search(text), _MIX_DESCRIPTION.search(text)
    return About(name[1] if name else "", compact(said[1], _MAX_SUMMARY) if said else "", manager="mix")


# The languages whose packages a manifest describes: what another one says is not about the source beside it.
_LANGUAGES = {
    "pyproject.toml": ("Python",),
    "package.json": ("JavaScript", "TypeScript", "TSX", "Vue", "Svelte"),
    "Cargo.toml": ("Rust",),
    "go.mod": ("Go",),
    "composer.json": ("PHP",),
    "mix.exs": ("Elixir",),
}
# The first that exists in the directory and has a description wins, one of the directory's own language before others.
MANIFESTS: Mapping[str, Callable[[str], About]] = {
    "pyproject.toml": _pyproject,
    "package.json": _package_json,
    "Cargo.toml": _cargo,
    "go.mod": _go_mod,
    "composer.json": _composer,
    "mix.exs": _mix,
}


def about(texts: Mapping[str, str], language: str = "") -> About:
    """What the manifests and the README among some files say together; `language` is that of the source beside them."""
    result = About()
    for name, read in sorted(MANIFESTS.items(), key=lambda item: language not in _LANGUAGES[item[0]]):
        if name in texts:
            found = read(texts[name])
            if language and language not in _LANGUAGES[name]:
                found = found._replace(description="")
            result = About(*[earlier or later for earlier, later in zip(result, found, strict=True)])
    for name in READMES:
        if name in texts:
            return result._replace(readme=readme_summary(texts[name]))
    return result


def says_something(text: str) -> bool:
    """Whether a text is a whole sentence or phrase, and no name, address or beginning of one."""
    words = text.split()
    return (
        len(words) >= (2 if text.endswith(".") else 3)
        and not text.endswith(("…", ":", ",", "such as", "e.g.", "i.e."))
        and words[0].isascii()
        and words[0][0] not in "<[!|#@"
        and not any("://" in word for word in words[:2])
        and not _NAME_ALONE.fullmatch(text)
    )


_NAME_ALONE = re.compile(r"(?ai)(?:the|this|a) [\w`-]++ (?:module|package|crate|library|folder|directory)\.?")


# Headings, badges, rules, directives, tables, lists and definitions of links: lines that are no prose.
_NO_PROSE = re.compile(
    r"(?a)^\s*+(?:[#<>=~|+-]|\*(?!\*)|_{3}|\[?!\[|\.\. |\[![\w\x80-\U0010ffff]|\[[^\]\n]*+\]:|:[\w-]++:|\d++[.)] )"
)
_BLANK_LINES = re.compile(r"\n\s*\n")
_FENCE = re.compile(r"^(?:```|~~~)[^\n]*+\n(?:(?!```|~~~)[^\n]*+\n)*+(?:(?:```|~~~)[^\n]*+)?+", re.MULTILINE)
_HTML_COMMENT = re.compile(r"<!--(?:(?!-->)[\s\S])*+(?:-->)?+")
_UNDERLINED_TITLE = re.compile(r"^[^\n]++\n={3,}+[ \t]*+$", re.MULTILINE)
_SECOND_HEADING = re.compile(r"^(?:##++ |[^\n]++\n-{3,}+$)", re.MULTILINE)
# Beginnings of paragraphs that lead elsewhere or say what to do, instead of what something is.
_NOT_ABOUT = (
    *("See ", "To ", "Note", "Warning", "This is a work in progress", "Click ", "Please ", "You can ", "Read "),
    *("There is ", "There are ", "This guide "),
)
_MAX_README = 64 << 10


def readme_summary(text: str) -> str:
    """The first sentence of the first paragraph of prose below the title; nothing when there is none that says much."""
    text = text[:_MAX_README].removeprefix("\ufeff").replace("\r\n", "\n")
    text = _UNDERLINED_TITLE.sub("", _HTML_COMMENT.sub("", _FENCE.sub("", text)))
    second = _SECOND_HEADING.search(text)
    for paragraph in _BLANK_LINES.split(text[: second.start()] if second else text):
        lines = [line for line in paragraph.splitlines() if not _NO_PROSE.match(line) and not line.startswith("    ")]
        prose = without_links(" ".join(lines)).replace("**", "").replace("`", "").strip()
        if len(prose.split()) >= 3 and prose[0].isascii() and not prose.startswith(_NOT_ABOUT):
            return first_sentence(prose)
    return ""


class ScriptConfig(NamedTuple):
    """What a tsconfig.json says, before what it extends is known."""

    extends: tuple[str, ...]
    base: str | None
    paths: tuple[tuple[str, tuple[str, ...]], ...]


_COMMENT_OR_TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*+"?+|//[^\n]*+|/\*(?:(?!\*/)[\s\S])*+(?:\*/)?+')
_TRAILING_COMMA = re.compile(r",(?=\s*+[\]}])")


def script_config(text: str) -> ScriptConfig:
    """A tsconfig.json or jsconfig.json, which may hold comments and trailing commas."""
    plain = _COMMENT_OR_TEXT.sub(lambda found: found[0] if found[0][0] == '"' else " ", text)
    data = json_table(_TRAILING_COMMA.sub("", plain))
    options = _table(data, "compilerOptions")
    extends = data.get("extends")
    base = options.get("baseUrl")
    paths = [
        (pattern, tuple([target for target in targets if isinstance(target, str)]))
        for pattern, targets in _table(options, "paths").items()
        if isinstance(targets, list)
    ]
    # A name is looked for by the longest pattern first, one without a star before all.
    paths.sort(key=lambda item: ("*" in item[0], -len(item[0].partition("*")[0]), item[0]))
    return ScriptConfig(
        tuple([extends] if isinstance(extends, str) else [one for one in extends if isinstance(one, str)])
        if isinstance(extends, str | list)
        else (),
        base if isinstance(base, str) else None,
        tuple(paths),
    )


def package_entry(text: str) -> str:
    """The entry file that a package.json names, as a path from it; the source rather than what is built from it."""
    table = json_table(text)
    exports = table.get("exports")
    here = exports.get(".", exports) if isinstance(exports, dict) else exports
    candidates = [table.get(key) for key in ("source", "types", "module", "main")]
    candidates += list(here.values()) if isinstance(here, dict) else [here]
    return next((one for one in candidates if isinstance(one, str) and "dist/" not in one), "")


def crate_roots(text: str) -> dict[str, str]:
    """The crates that a Cargo.toml declares, by the names they are used by, with the paths of their root files."""
    data = toml_table(text)
    name = _text(_table(data, "package"), "name")
    if not name:
        return {}
    library = _table(data, "lib")
    named = _text(library, "name") or name
    roots = {named.replace("-", "_"): _text(library, "path") or "src/lib.rs"}
    programs = data.get("bin")
    for one in programs if isinstance(programs, list) else ():
        if isinstance(one, dict) and _text(one, "name") and _text(one, "path"):
            roots.setdefault(_text(one, "name").replace("-", "_"), _text(one, "path"))
    return roots


def declared_programs(texts: Mapping[str, str]) -> list[str]:
    """The commands that manifests give to functions or files, as `name = where (manifest)`."""
    found: list[str] = []
    if "pyproject.toml" in texts:
        data = toml_table(texts["pyproject.toml"])
        scripts = {**_table(data, "project", "scripts"), **_table(data, "tool", "poetry", "scripts")}
        found += [f"{name} = {where} (pyproject.toml)" for name, where in scripts.items() if isinstance(where, str)]
    if "package.json" in texts:
        table = json_table(texts["package.json"])
        programs = table.get("bin")
        if isinstance(programs, str):
            programs = {_text(table, "name"): programs}
        if isinstance(programs, dict):
            found += [f"{name} = {where} (package.json)" for name, where in programs.items() if isinstance(where, str)]
        if main := _text(table, "main"):
            found.append(f"main = {main} (package.json)")
    if "Cargo.toml" in texts:
        data = toml_table(texts["Cargo.toml"])
        programs = data.get("bin")
        for one in programs if isinstance(programs, list) else ():
            if isinstance(one, dict) and _text(one, "name"):
                found.append(f"{_text(one, 'name')} = {_text(one, 'path') or 'src/main.rs'} (Cargo.toml)")
    return found
