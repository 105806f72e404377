"""Every context against the schema, and with `--strict` against the source it describes."""

from __future__ import annotations

import os
import re

from holdfast.contexts import schema
from holdfast.contexts.on_disk.directory import ContextCorrupt, ContextMissing, DirectoryView, read_context_bytes
from holdfast.contexts.on_disk.keeping import UNUSABLE, scan
from holdfast.contexts.on_disk.project import Project
from holdfast.contexts.yaml_text import YamlError, parse_document
from holdfast.core.confined_paths import printable
from holdfast.core.record import NamedTuple
from holdfast.core.regular_files import read_regular
from holdfast.operation import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from holdfast.core.canonical_json import Json

    Context = dict[str, Any]

_MAX_SOURCE = 4 << 20
_MANIFESTS = ("pyproject.toml", "requirements.txt", "package.json", "Cargo.toml", "go.mod", "composer.json", "Gemfile")


class Problem(NamedTuple):
    """What is wrong with a context, and where; a line of 0 means the whole file."""

    scope: str
    line: int
    field: str
    problem: str


def validate_project(project: Project, *, strict: bool) -> Outcome[Json]:
    """Check every context there is, those of skipped directories included."""
    problems: list[Problem] = []
    checked = 0
    for found in sorted(scan(project), key=lambda found: found.scope):
        if found.view is not None and found.view.has_context:
            checked += 1
            problems.extend(_problems(project, found.scope, found.place, found.view, strict=strict))
    value = {
        "root": printable(project.root),
        "valid": not problems,
        "checked": checked,
        "problems": [problem._asdict() for problem in problems],
    }
    return Outcome(value, UNUSABLE if problems else 0, is_error=bool(problems))


def _problems(project: Project, scope: str, place: str, view: DirectoryView, *, strict: bool) -> Iterator[Problem]:
    try:
        document = parse_document(read_context_bytes(view.path))
        found = schema.check(document.value)
    except (ContextMissing, ContextCorrupt) as error:
        yield Problem(scope, 0, "", str(error) or "has vanished")
        return
    except YamlError as error:
        yield Problem(scope, error.line, "", error.reason)
        return
    except schema.UnsupportedVersion as error:
        yield Problem(scope, 0, "version", f"{error.version} is not supported")
        return
    for field, text in found:
        yield Problem(scope, document.lines.get(field.partition(".")[0], -1) + 1, field, text)
    if found:
        return
    if document.value["scope"] != scope:
        yield Problem(scope, document.lines["scope"] + 1, "scope", f"says '{document.value['scope']}'")
    if strict:
        for field, text in _against_source(project, place, view, document.value):
            yield Problem(scope, document.lines[field.partition(".")[0]] + 1, field, text)


def _against_source(project: Project, place: str, view: DirectoryView, context: Context) -> Iterator[tuple[str, str]]:
    """What the context names and the directory no longer has."""
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
    for at, export in enumerate(context.get("exports", ())):
        name = exported_name(export)
        if name and name not in words:
            yield f"exports.{at}", f"'{name}' does not occur in the source"
    needs = context.get("dependencies", {})
    for at, scope in enumerate(needs.get("internal", ())):
        if not os.path.isdir(os.path.join(project.root, scope)):
            yield f"dependencies.internal.{at}", f"'{scope}' does not exist"
    if needs.get("external"):
        known = {_plain(word) for word in words | _words(project.root, _MANIFESTS)}
        known |= {_plain(word) for word in _words(view.path, view.sources)}
        for at, package in enumerate(needs["external"]):
            if not all(_plain(word) in known for word in re.findall(r"[\w$-]+", package.split()[0])):
                yield f"dependencies.external.{at}", f"'{package}' is neither imported here nor in a manifest"


_KEYWORDS = re.compile(
    r"^(?:export|default|abstract|async|class|interface|type|enum|struct|trait|record|const|var|let|static|mod|module|object|"
    r"protocol|extension|typedef|data|sealed|union|def|fn|func|function)\s+"
)


_OWNER = re.compile(
    r"(?:export |default |abstract |data |sealed )*(?:class|interface|struct|record|object|trait|enum)\b"
)


def exported_name(export: str) -> str:
    """The name a signature is about: what stands before its parameters, else its first word after the keywords."""
    text = export
    while found := _KEYWORDS.match(text):
        text = text[found.end() :]
    text = text.partition(")")[2].strip() if text.startswith("(") else text  # Go: the receiver
    head, is_call, _ = text.partition("(")
    names: list[str] = re.findall(r"[^\W\d]\w*", re.sub(r"<[^<>]*>", "", head))
    if not names:
        return ""
    return names[-1] if is_call and not _OWNER.match(export) else names[0]


def _words(path: str, names: list[str] | tuple[str, ...]) -> set[str]:
    words: set[str] = set()
    for name in names:
        try:
            data = read_regular(os.path.join(path, name), limit=_MAX_SOURCE)
        except OSError:
            continue
        words.update(re.findall(r"[\w$-]+|\w+", data.decode("utf-8", "replace")))
        words.update(re.findall(r"\w+", data.decode("utf-8", "replace")))
    return words


def _plain(word: str) -> str:
    return word.lower().replace("-", "_")
