"""Whether everything that contexts rely on is in order."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from holdfast.contexts.analysis.parsers import INSTALL, missing_parsers
from holdfast.contexts.freshness import FRESH, MISSING, STALE, STATES
from holdfast.contexts.languages import language_of
from holdfast.contexts.on_disk.agents_file import write_section
from holdfast.contexts.on_disk.listing import list_project
from holdfast.contexts.on_disk.project import Project, scan
from holdfast.contexts.settings import FILE_NAME as SETTINGS_FILE
from holdfast.contexts.settings import check
from holdfast.core.check_level import ADVICE, OK, PROBLEM
from holdfast.core.errors import IoError
from holdfast.core.regular_files import read_regular

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.contexts.on_disk.project import Found
    from holdfast.core.check_level import Level


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
    yield "directories", PROBLEM if closed else OK, f"cannot be read: {', '.join(closed)}" if closed else "all readable"
    yield _contexts(project)
    if any(item.view is not None and item.view.has_context for item in found):
        yield _agents(project)
    yield _git(project)


def _git(project: Project) -> tuple[str, Level, str]:
    if project.index_problem:
        return "git", PROBLEM, f"{project.note}; `git status` says more"
    if project.repository is None:
        return "git", OK, "no repository here; --since cannot be used"
    counted = "every file counts: git tracks none yet" if project.counts_untracked else "tracked files count"
    return "git", OK, f"{counted}; `context status --since REF` can be used"


def _settings(project: Project) -> tuple[str, Level, str]:
    from holdfast.contexts.yaml_text import MAX_BYTES, YamlError, parse

    try:
        problems = check(parse(read_regular(os.path.join(project.root, SETTINGS_FILE), limit=MAX_BYTES)))
    except FileNotFoundError:
        return "settings", OK, f"no {SETTINGS_FILE}: the defaults hold"
    except (OSError, YamlError) as error:
        return "settings", PROBLEM, f"{SETTINGS_FILE} cannot be read, so the defaults hold: {error}"
    if problems:
        return "settings", PROBLEM, f"{SETTINGS_FILE}: {'; '.join(problems)}"
    return "settings", OK, f"{SETTINGS_FILE} is valid"


def _grammars(found: list[Found]) -> tuple[str, Level, str]:
    sources = [name for item in found if item.view is not None for name in item.view.sources]
    used = {language_of(name) for name in sources} - {""}
    missing = missing_parsers(sources)
    if missing:
        return "grammars", ADVICE, f"none for {', '.join(missing)}: {INSTALL}"
    return "grammars", OK, f"there for {', '.join(sorted(used))}" if used else "none needed"


def _parser() -> tuple[str, Level, str]:
    from holdfast.contexts.yaml_text import IS_FAST

    return (
        "yaml",
        OK if IS_FAST else ADVICE,
        "libyaml" if IS_FAST else "PyYAML lacks libyaml: reading is several times slower",
    )


def _contexts(project: Project) -> tuple[str, Level, str, str]:
    try:
        entries = list_project(project).entries
    except OSError as error:
        raise IoError(f"the project cannot be read: {error.strerror}") from None
    counts = {state: sum([entry.state == state for entry in entries]) for state in STATES}
    text = ", ".join([f"{count} {state}" for state, count in counts.items()])
    if not counts[STALE] + counts[MISSING]:
        return "contexts", OK, text, ""
    if not counts[STALE] + counts[FRESH]:
        return "contexts", ADVICE, f"none yet; {counts[MISSING]:,} could be written", "context init"
    return "contexts", PROBLEM, text, "context regen"


def _agents(project: Project) -> tuple[str, Level, str, str]:
    is_current = write_section(project.root, dry_run=True) == "unchanged"
    return (
        "AGENTS.md",
        OK if is_current else ADVICE,
        "tells of contexts" if is_current else "does not tell of contexts as this release would",
        "" if is_current else "context init",
    )
