"""The fields of a context that can be made from the source of its directory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from holdfast.code.analysis.facts import Export, FileFacts, compact, first_sentence
from holdfast.code.languages import LANGUAGES, language_of
from holdfast.code.test_files import is_test, is_test_name

if TYPE_CHECKING:
    from holdfast.contexts.dependencies import Dependencies  # the gate needs no rules of imports

Value = Any
Offered = list[tuple[FileFacts, Export]]

# A field that would be longer is cut, and its last item says how much of it there is more.
MAX_EXPORTS = 500
MAX_INTERFACES = 100
MAX_TESTS = 100
MAX_UNREAD = 20
# The file that speaks for its directory, the best spokesman first.
ENTRIES = [
    name for rank, name in sorted((rank, name) for language in LANGUAGES.values() for name, rank in language.entries)
]
ALWAYS = ("version", "scope", "fingerprint", "last_updated")
# What a lean context is made of; everything else is computed when it is asked for.
LEAN = ("summary", "maintenance")
# What only the directory's own files decide: it is true as long as the fingerprint holds.
FULL = ("files", "interfaces", "exports", "dependencies.external", "project")
# What other directories decide as well: it is never written anew, since a fingerprint could not vouch for it.
OUTSIDE = ("dependencies.internal", "subdirectories", "structure")


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


def summary(about: About, files: Sequence[FileFacts]) -> str:
    """What a directory is for, in the words of its manifest, its package comment or its README; else nothing."""
    if about.description:
        return about.description
    docs = {file.name: file.doc for file in files if file.doc and not is_test_name(file.name)}
    for entry in ENTRIES:
        if entry in docs:
            return _without_tags(docs[entry])
    for file in files:  # Go: any file of a package may hold its comment
        if file.language == "Go" and file.name in docs and docs[file.name].startswith(("Package ", "Command ")):
            return docs[file.name]
    return about.readme


_INLINE_TAG = re.compile(r"(?a)\{@(?:link|linkplain|code|literal|value)\s++([^{}]*+)\}")


def _without_tags(text: str) -> str:
    """The text with what Javadoc's inline tags hold in their place: `{@link A}` is `A`."""
    return _INLINE_TAG.sub(lambda found: found[1], text)


def main_language(names: Sequence[str]) -> str:
    """The language most files are in; nothing when none is in a language."""
    counts: dict[str, int] = {}
    for name in names:
        if language := language_of(name):
            counts[language] = counts.get(language, 0) + 1
    return min(counts, key=lambda language: (-counts[language], language)) if counts else ""


def maintenance(scope: str) -> str:
    """The note in a context on how to keep it current."""
    return f"`context regen {scope}` renews the fingerprint and what is in derived_fields; everything else is yours."


def public_exports(place: str, files: Iterable[FileFacts]) -> Offered:
    """What the files of a place offer, file by file, tests and generated files left out."""
    return [
        (file, export)
        for file in files
        if not is_test(place, file.name) and not file.generated
        for export in file.exports
        if not export.is_inner
    ]


def exports(place: str, files: Sequence[FileFacts], offered: Offered) -> list[str]:
    """Public names as `file: signature`; then, each behind an ellipsis, how many more there are, and files not read."""
    found = list(dict.fromkeys([f"{file.name}: {_signature(export)}" for file, export in offered]))
    unread = [f"… {file.name}: {file.unread}" for file in files if file.unread and not is_test(place, file.name)]
    return cut(found, MAX_EXPORTS, "project_map with this scope has the rest") + cut(unread, MAX_UNREAD, "not read")


def _signature(export: Export) -> str:
    """The signature; that of an interface of Go with the methods in it, which are its meaning."""
    if not export.members or not export.signature.endswith(" interface"):
        return export.signature
    return compact(f"{export.signature}: {', '.join([f'{member}()' for member in export.members])}")


def cut(found: list[str], most: int, where: str) -> list[str]:
    """At most `most` items; the last says how many more there are, and where."""
    if len(found) <= most:
        return found
    return [*found[: most - 1], f"… {len(found) - most + 1} more: {where}"]


def interfaces(offered: Offered) -> list[dict[str, str]]:
    """What is offered and has a comment, with the first sentence of it."""
    described = [
        {"name": f"{file.name}: {export.signature}", "description": _without_tags(sentence)}
        for file, export in offered
        if export.doc and (sentence := first_sentence(export.doc))
    ]
    if len(described) > MAX_INTERFACES:
        more = len(described) - MAX_INTERFACES + 1
        described[MAX_INTERFACES - 1 :] = [{"name": "…", "description": f"{more} more"}]
    return described


def file_list(files: Sequence[FileFacts], names: Sequence[str]) -> list[dict[str, str]]:
    """Every source file, with what it says of itself or of the one thing it is named after."""
    facts = {file.name: file for file in files}
    return [_file(name, facts.get(name), names) for name in names]


def _file(name: str, facts: FileFacts | None, names: Sequence[str]) -> dict[str, str]:
    entry = {"name": name, "purpose": _purpose(facts) or "No description"}
    stem, _, extension = name.rpartition(".")
    for test in (f"test_{name}", f"{stem}_test.{extension}", f"{stem}.test.{extension}", f"{stem}.spec.{extension}"):
        if test in names and test != name:
            entry["test_file"] = test
            break
    return entry


def _purpose(facts: FileFacts | None) -> str:
    if facts is None:
        return ""
    stem = facts.name.rpartition(".")[0]
    named = [export for export in facts.exports if export.name == stem and export.doc]
    named = named or [export for export in facts.exports[:1] if len(facts.exports) == 1]
    source = f"{facts.language} source" + (f", {facts.unread}" if facts.unread else "")
    return _without_tags(facts.doc or (first_sentence(named[0].doc) if named else "")) or source


def project_field(about: About, text: str, names: Sequence[str]) -> dict[str, str]:
    """The project as a whole."""
    project = {"name": about.name, "description": text, "language": main_language(names) or "unknown"}
    if about.manager:
        project["package_manager"] = about.manager
    return project


def fields(
    scope: str,
    place: str,
    about: About,
    files: Sequence[FileFacts],
    names: Sequence[str],
    needs: Dependencies,
    children: Sequence[Child],
) -> dict[str, Value]:
    """Every field that may stand in a file; empty ones are left out, but for the summary, which must be there."""
    text = summary(about, files)
    offered = public_exports(place, files)
    made: dict[str, Value] = {
        "files": file_list(files, names),
        "interfaces": interfaces(offered),
        "dependencies": {
            part: value for part, value in (("internal", needs.internal), ("external", needs.external)) if value
        },
        "subdirectories": [{"name": child.name + "/", "summary": child.summary} for child in children],
        "exports": exports(place, files, offered),
    }
    if not place:
        made["project"] = project_field(about, text, names)
        made["structure"] = [{"path": child.path, "summary": child.summary} for child in children]
    return {
        "summary": text,
        "maintenance": maintenance(scope),
        **{name: value for name, value in made.items() if value},
    }
