"""The fields of a context that can be made from the source of its directory."""

from __future__ import annotations

from holdfast.contexts.analysis.facts import first_sentence
from holdfast.contexts.analysis.source_text import capitalised
from holdfast.contexts.languages import LANGUAGES, language_of
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from holdfast.contexts.analysis.facts import FileFacts
    from holdfast.contexts.dependencies import Dependencies

    Value = Any

MAX_EXPORTS = 200
MAX_INTERFACES = 60
_MAX_NAMES = 6
# The file that speaks for its directory, the best spokesman first.
_ENTRIES = [
    name for rank, name in sorted((rank, name) for language in LANGUAGES.values() for name, rank in language.entries)
]
ALWAYS = ("version", "scope", "fingerprint", "last_updated")
FULL_ONLY = ("files", "interfaces", "dependencies.external", "subdirectories", "project", "structure")


class About(NamedTuple):
    """What manifests and the README say of a directory."""

    name: str = ""
    description: str = ""
    module: str = ""  # the name others import it by
    readme: str = ""
    manager: str = ""


class Child(NamedTuple):
    """A directory below, as its parent tells of it."""

    name: str
    path: str
    summary: str


def summary(place: str, about: About, files: Sequence[FileFacts], names: Sequence[str], folders: Sequence[str]) -> str:
    """What a directory is for: from its manifest, its entry file or its README, else from its name and contents."""
    if about.description:
        return about.description
    docs = {file.name: file.doc for file in files if file.doc}
    for entry in _ENTRIES:
        if entry in docs:
            return docs[entry]
    if place:
        package = f"{place.rpartition('/')[2]}."
        for name, doc in docs.items():
            if name.startswith(package):
                return doc
    if about.readme:
        return about.readme
    if len(docs) == 1 and len(names) == 1:
        return next(iter(docs.values()))
    return _by_contents(place, names, folders)


def _by_contents(place: str, names: Sequence[str], folders: Sequence[str]) -> str:
    title = capitalised(place.rpartition("/")[2].replace("_", " ").replace("-", " ").strip()) or "Project root"
    parts = []
    if names:
        language = main_language(names)
        share = sum([language_of(name) == language for name in names]) if language else 0
        kind = f"{language} file" if share == len(names) else "file"
        mostly = f", mostly {language}" if len(names) > share > len(names) // 2 else ""
        parts.append(f"{len(names)} {kind}{'s' if len(names) > 1 else ''}{mostly} ({_some(names)})")
    if folders:
        parts.append(f"{len(folders)} folder{'s' if len(folders) > 1 else ''} ({_some(folders)})")
    return f"{title}: {' and '.join(parts) if parts else 'no source files'}."


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MAX_NAMES])
    return f"{shown}, …" if len(names) > _MAX_NAMES else shown


def main_language(names: Sequence[str]) -> str:
    """The language most files are in; nothing when none is in a language."""
    counts: dict[str, int] = {}
    for name in names:
        if language := language_of(name):
            counts[language] = counts.get(language, 0) + 1
    return min(counts, key=lambda language: (-counts[language], language)) if counts else ""


def fields(
    scope: str,
    place: str,
    about: About,
    files: Sequence[FileFacts],
    names: Sequence[str],
    folders: Sequence[str],
    needs: Dependencies,
    children: Sequence[Child],
    *,
    full: bool,
) -> dict[str, Value]:
    """Every field the machine can make; empty ones are left out."""
    exports = list(dict.fromkeys(export.signature for file in files for export in file.exports))
    made: dict[str, Value] = {
        "summary": summary(place, about, files, names, folders),
        "dependencies": {"internal": needs.internal} if needs.internal else {},
        "maintenance": f"When files here change, `context regen {scope}` renews the derived fields; edit the rest.",
        "exports": exports[:MAX_EXPORTS],
    }
    if full:
        described = [
            (export.signature, sentence)
            for file in files
            for export in file.exports
            if export.doc and (sentence := first_sentence(export.doc))
        ]
        facts = {file.name: file for file in files}
        made["files"] = [_file(name, facts.get(name), names) for name in names]
        made["interfaces"] = [
            {"name": signature, "description": sentence} for signature, sentence in described[:MAX_INTERFACES]
        ]
        if needs.external:
            made["dependencies"] = {**made["dependencies"], "external": needs.external}
        made["subdirectories"] = [{"name": child.name + "/", "summary": child.summary} for child in children]
        if not place:
            made["project"] = _project(about, made["summary"], names)
            made["structure"] = [{"path": child.path, "summary": child.summary} for child in children]
    return {name: value for name, value in made.items() if value}


def _file(name: str, facts: FileFacts | None, names: Sequence[str]) -> dict[str, str]:
    language = facts.language if facts else ""
    purpose = facts.doc if facts and facts.doc else (f"{language} source" if language else "No description")
    entry = {"name": name, "purpose": purpose}
    stem, _, extension = name.rpartition(".")
    for test in (f"test_{name}", f"{stem}_test.{extension}", f"{stem}.test.{extension}", f"{stem}.spec.{extension}"):
        if test in names and test != name:
            entry["test_file"] = test
            break
    return entry


def _project(about: About, text: str, names: Sequence[str]) -> dict[str, str]:
    project = {"name": about.name, "description": text, "language": main_language(names) or "unknown"}
    if about.manager:
        project["package_manager"] = about.manager
    return project
