"""Whether everything that contexts rely on is in order."""

from __future__ import annotations

import os
from collections.abc import Iterator
from shlex import quote
from typing import Literal, NamedTuple

from holdfast.code.analysis.parsers import INSTALL, missing_parsers
from holdfast.code.languages import language_of
from holdfast.contexts.freshness import STALE, STATES
from holdfast.contexts.on_disk.agents_file import write_section
from holdfast.contexts.on_disk.directory_view import CONTEXT_FILE, read_context_beneath
from holdfast.contexts.on_disk.listing import list_project
from holdfast.contexts.on_disk.project import Found, Project, scan
from holdfast.contexts.schema import METADATA
from holdfast.contexts.settings import FILE_NAME as SETTINGS_FILE
from holdfast.contexts.settings import check
from holdfast.core.confined_paths import printable
from holdfast.core.errors import ContextCorrupt, ContextMissing, IoError, UnsupportedVersion
from holdfast.core.regular_files import read_regular

# A `problem` needs doing, `advice` would improve something that works.
Level = Literal["ok", "advice", "problem"]


_SAYS_NOTHING = frozenset({*METADATA, "maintenance", "derived_fields"})
_NAMED = 5  # files named where many are concerned


class Finding(NamedTuple):
    """What one check found, and the command that mends it, where one does."""

    check: str
    level: Level
    detail: str
    run: str = ""


def findings(project: Project) -> list[Finding]:
    """What every check found, in the order of the checks."""
    return [Finding(*found) for found in _checks(project, scan(project))]


def _checks(project: Project, found: list[Found]) -> Iterator[tuple[str, Level, str] | tuple[str, Level, str, str]]:
    yield _settings(project)
    yield _grammars(found)
    yield _parser()
    closed = [item.scope for item in found if item.view is None]
    yield (
        "directories",
        "problem" if closed else "ok",
        f"cannot be read: {', '.join(closed)}" if closed else "all readable",
    )
    yield _contexts(project)
    yield _empty(project, found)
    if any(item.view is not None and item.view.has_context for item in found):
        yield _agents(project)
    yield _git(project)


def _git(project: Project) -> tuple[str, Level, str]:
    if project.index_problem:
        return "git", "problem", f"{project.note}; `git status` says more"
    if project.repository is None:
        return "git", "ok", "no repository here; --since cannot be used"
    counted = "every file counts: git tracks none yet" if project.counts_untracked else "tracked files count"
    return "git", "ok", f"{counted}; `context status --since REF` can be used"


def _settings(project: Project) -> tuple[str, Level, str]:
    from holdfast.core.yaml_text import MAX_BYTES, YamlError, parse

    try:
        problems = check(parse(read_regular(os.path.join(project.root, SETTINGS_FILE), limit=MAX_BYTES)))
    except FileNotFoundError:
        return "settings", "ok", f"no {SETTINGS_FILE}: the defaults hold"
    except (OSError, YamlError) as error:
        return "settings", "problem", f"{SETTINGS_FILE} cannot be read, so the defaults hold: {error}"
    if problems:
        return "settings", "problem", f"{SETTINGS_FILE}: {'; '.join(problems)}"
    return "settings", "ok", f"{SETTINGS_FILE} is valid"


def _grammars(found: list[Found]) -> tuple[str, Level, str]:
    sources = [name for item in found if item.view is not None for name in item.view.sources]
    used = {language_of(name) for name in sources} - {""}
    missing = missing_parsers(sources)
    if missing:
        return "grammars", "advice", f"none for {', '.join(missing)}: {INSTALL}"
    return "grammars", "ok", f"there for {', '.join(sorted(used))}" if used else "none needed"


def _parser() -> tuple[str, Level, str]:
    from holdfast.core.yaml_text import IS_FAST

    return (
        "yaml",
        "ok" if IS_FAST else "advice",
        "libyaml" if IS_FAST else "PyYAML lacks libyaml: reading is several times slower",
    )


def _contexts(project: Project) -> tuple[str, Level, str, str]:
    try:
        entries = list_project(project).entries
    except OSError as error:
        raise IoError(f"the project cannot be read: {error.strerror}") from None
    counts = {state: sum([entry.state == state for entry in entries]) for state in STATES}
    text = ", ".join([f"{count} {state}" for state, count in counts.items()])
    if unusable := [entry.scope for entry in entries if entry.problem]:
        return "contexts", "problem", f"{text}; cannot be used: {', '.join(unusable[:_NAMED])}", "context validate"
    stale = [entry for entry in entries if entry.state == STALE]
    # A claim whose subject changed is for a person to read; everything else is made anew.
    mend = "context status --check" if stale and all(entry.changes for entry in stale) else "context regen"
    return ("contexts", "problem", text, mend) if stale else ("contexts", "ok", text, "")


def _empty(project: Project, found: list[Found]) -> tuple[str, Level, str, str]:
    """Files that say nothing which is not computed."""
    places = [
        item.place
        for item in sorted(found, key=lambda item: item.place)
        if item.view is not None and item.view.has_context and not _says_something(project, item.place)
    ]
    if not places:
        return "files without content", "ok", "none", ""
    files = [printable(f"{place}/{CONTEXT_FILE}" if place else CONTEXT_FILE) for place in places]
    named = ", ".join(files[:_NAMED]) + (f" and {len(files) - _NAMED} more" if len(files) > _NAMED else "")
    return "files without content", "advice", f"{len(files)}: {named}", f"rm -- {' '.join(map(quote, files))}"


def _says_something(project: Project, place: str) -> bool:
    try:
        context = read_context_beneath(project.root, place)
    except (OSError, ContextMissing, ContextCorrupt, UnsupportedVersion):
        return True  # another check says what is wrong with it
    return any(value for name, value in context.items() if name not in _SAYS_NOTHING)


def _agents(project: Project) -> tuple[str, Level, str, str]:
    is_current = write_section(project.root, dry_run=True) == "unchanged"
    return (
        "AGENTS.md",
        "ok" if is_current else "advice",
        "tells of contexts" if is_current else "does not tell of contexts as this release would",
        "" if is_current else "context init",
    )
