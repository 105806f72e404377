"""Every context against the schema, and with `--strict` against the source it describes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from holdfast.code.analysis.source_text import blanks_end, package_words, word_end, words_of
from holdfast.code.languages import LANGUAGES, language_of, listed
from holdfast.contexts import schema
from holdfast.contexts.conflict_markers import has_markers
from holdfast.contexts.on_disk.directory_view import DirectoryView, read_context_bytes
from holdfast.contexts.on_disk.project import Project, scan
from holdfast.core.errors import ContextCorrupt, ContextMissing, UnsupportedVersion
from holdfast.core.regular_files import read_regular
from holdfast.core.unicode_text import lower_case
from holdfast.core.yaml_text import YamlError, parse_document

Context = dict[str, Any]

_MAX_SOURCE = 4 << 20
_MANIFESTS = ("pyproject.toml", "requirements.txt", "package.json", "Cargo.toml", "go.mod", "composer.json", "Gemfile")


class Problem(NamedTuple):
    """What is wrong with a context, and where; a line of 0 means the whole file."""

    scope: str
    line: int
    field: str
    problem: str


def validate_project(project: Project, *, strict: bool) -> tuple[int, list[Problem]]:
    """Check every context there is, those of skipped directories included; how many, and what is wrong with them."""
    problems: list[Problem] = []
    checked = 0
    for found in sorted(scan(project), key=lambda found: found.scope):
        if found.view is not None and found.view.has_context:
            checked += 1
            problems.extend(_problems(project, found.scope, found.view, strict=strict))
    return checked, problems


def _problems(project: Project, scope: str, view: DirectoryView, *, strict: bool) -> Iterator[Problem]:
    try:
        data = read_context_bytes(view.path)
        document = parse_document(data)
        found = schema.check(document.value)
    except (ContextMissing, ContextCorrupt) as error:
        yield Problem(scope, 0, "", error.reason or "has vanished")
        return
    except YamlError as error:
        is_conflict = has_markers(data.decode("utf-8", "replace"))
        yield Problem(scope, error.line, "", "merge conflict" if is_conflict else error.reason)
        return
    except UnsupportedVersion as error:
        yield Problem(scope, 0, "version", f"{error.version} is not supported")
        return
    for field, text in found:
        yield Problem(scope, document.lines.get(field.partition(".")[0], -1) + 1, field, text)
    if found:
        return
    if document.value["scope"] != scope:
        yield Problem(scope, document.lines["scope"] + 1, "scope", f"says '{document.value['scope']}'")
    if strict:
        for field, text in _against_source(project, view, document.value):
            yield Problem(scope, document.lines[field.partition(".")[0]] + 1, field, text)


def _against_source(project: Project, view: DirectoryView, context: Context) -> Iterator[tuple[str, str]]:
    """Problems for names in the context that the directory no longer has."""
    for at, file in enumerate(context.get("files", ())):
        if not os.path.lexists(os.path.join(view.path, file["name"])):
            yield f"files.{at}", f"'{file['name']}' does not exist"
    for at, child in enumerate(context.get("subdirectories", ())):
        if not os.path.isdir(os.path.join(view.path, child["name"])):
            yield f"subdirectories.{at}", f"'{child['name']}' does not exist"
    for at, part in enumerate(context.get("structure", ())):
        if not os.path.isdir(os.path.join(project.root, part["path"])):
            yield f"structure.{at}", f"'{part['path']}' does not exist"
    words = _words(view.path, [file.name for file in view.files]) if context.get("exports") else set()
    yield from _exports_gone(view, context, words)
    needs = context.get("dependencies", {})
    for at, scope in enumerate(needs.get("internal", ())):
        if not os.path.isdir(os.path.join(project.root, scope)):
            yield f"dependencies.internal.{at}", f"'{scope}' does not exist"
    if needs.get("external"):
        known = {_plain(word) for word in words | _words(project.root, _MANIFESTS)}
        known |= {_plain(word) for word in _words(view.path, view.sources)}
        for at, package in enumerate(needs["external"]):
            name = " ".join(package.split()[:1])
            if not all(_plain(word) in known for word in package_words(name)):
                yield f"dependencies.external.{at}", f"'{package}' is neither imported here nor in a manifest"


def _exports_gone(view: DirectoryView, context: Context, words: set[str]) -> Iterator[tuple[str, str]]:
    for at, export in enumerate(context.get("exports", ())):
        if export.startswith("… "):
            continue  # how many more there are
        file, joint, rest = export.partition(": ")
        is_named = bool(joint and language_of(file))
        name = exported_name(rest if is_named else export)
        if is_named and not os.path.lexists(os.path.join(view.path, file)):
            yield f"exports.{at}", f"'{file}' does not exist"
        elif name and name not in words:
            yield f"exports.{at}", f"'{name}' does not occur in the source"


_KEYWORDS = frozenset(word for language in LANGUAGES.values() for word in listed(language.keywords))
_TYPES = frozenset(word for language in LANGUAGES.values() for word in listed(language.types))
_TYPE_ARGUMENTS = re.compile("<[^<>]*+>")


def exported_name(export: str) -> str:
    """The name that a signature declares: the word before its parameters, else the first one after the keywords."""
    at, declares_type = 0, False
    while (end := word_end(export, at)) > at and export[at:end] in _KEYWORDS and blanks_end(export, end) > end:
        declares_type = declares_type or export[at:end] in _TYPES
        at = blanks_end(export, end)
    text = export[at:]
    text = text.partition(")")[2].strip() if text.startswith("(") else text  # Go: the receiver
    head, is_call, _ = text.partition("(")
    names = [name for word in words_of(_TYPE_ARGUMENTS.sub("", head)) if (name := word.lstrip("0123456789"))]
    if not names:
        return ""
    return names[-1] if is_call and not declares_type else names[0]


def _words(path: str, names: list[str] | tuple[str, ...]) -> set[str]:
    words: set[str] = set()
    for name in names:
        try:
            data = read_regular(os.path.join(path, name), limit=_MAX_SOURCE)
        except OSError:
            continue
        text = data.decode("utf-8", "replace")
        words.update(package_words(text))
        words.update(words_of(text))
    return words


def _plain(word: str) -> str:
    return lower_case(word).replace("-", "_")
