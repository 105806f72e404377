"""What contexts save, and whether everything they rely on is in order: `context stats` and `context doctor`."""

from __future__ import annotations

import os

from holdfast.contexts.languages import LANGUAGES, language_of
from holdfast.contexts.on_disk.directory import CONTEXT_FILE
from holdfast.contexts.on_disk.keeping import UNUSABLE, scan
from holdfast.contexts.on_disk.listing import list_project
from holdfast.contexts.on_disk.project import Project
from holdfast.contexts.settings import FILE_NAME as SETTINGS_FILE
from holdfast.contexts.settings import check
from holdfast.core.confined_paths import printable
from holdfast.core.errors import IoError
from holdfast.core.regular_files import read_regular
from holdfast.core.tokens import tokens_of_bytes
from holdfast.operation import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.contexts.on_disk.project import Found
    from holdfast.core.canonical_json import Json

OK, ADVICE, PROBLEM = "ok", "advice", "problem"


def statistics(project: Project) -> Outcome[Json]:
    """Tokens of contexts against tokens of the sources they stand for."""
    rows: list[Json] = []
    for found in sorted(scan(project), key=lambda found: found.scope):
        view = found.view
        if not found.kept or view is None or not view.has_context:
            continue
        try:
            size = os.lstat(os.path.join(view.path, CONTEXT_FILE)).st_size
        except OSError:
            continue
        rows.append(
            {
                "scope": found.scope,
                "context_tokens": tokens_of_bytes(size),
                "source_tokens": tokens_of_bytes(view.source_bytes),
            }
        )
    contexts, sources = (sum([row[name] for row in rows]) for name in ("context_tokens", "source_tokens"))
    value: Json = {
        "root": printable(project.root),
        "contexts": len(rows),
        "context_tokens": contexts,
        "source_tokens": sources,
        "percent_saved": max(0, 100 - 100 * contexts // sources) if sources else 0,
        "directories": rows,
    }
    return Outcome(value)


def diagnose(project: Project) -> Outcome[Json]:
    """Every check with its finding; a problem gives exit code 5, advice does not."""
    checks: list[Json] = [
        {"check": name, "level": level, "detail": detail} for name, level, detail in _checks(project, scan(project))
    ]
    healthy = all(one["level"] != PROBLEM for one in checks)
    return Outcome({"root": printable(project.root), "healthy": healthy, "checks": checks}, 0 if healthy else UNUSABLE)


def _checks(project: Project, found: list[Found]) -> Iterator[tuple[str, str, str]]:
    yield _settings(project)
    yield _grammars(found)
    yield _parser()
    closed = [item.scope for item in found if item.view is None]
    yield "directories", PROBLEM if closed else OK, f"cannot be read: {', '.join(closed)}" if closed else "all readable"
    yield _contexts(project)
    yield _agents(project)
    is_git = os.path.lexists(os.path.join(project.root, ".git"))
    yield (
        "git",
        OK,
        "`context status --since REF` can be used" if is_git else "no repository here; --since cannot be used",
    )


def _settings(project: Project) -> tuple[str, str, str]:
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


def _grammars(found: list[Found]) -> tuple[str, str, str]:
    from holdfast.contexts.analysis.syntax import INSTALL, parser

    used = {language_of(name) for item in found if item.view is not None for name in item.view.sources} - {""}
    used = {language for language in used if LANGUAGES[language].grammar is not None}
    missing = sorted(language for language in used if parser(language) is None)
    if missing:
        return "grammars", ADVICE, f"none for {', '.join(missing)}: {INSTALL}"
    return "grammars", OK, f"there for {', '.join(sorted(used))}" if used else "none needed"


def _parser() -> tuple[str, str, str]:
    from holdfast.contexts.yaml_text import IS_FAST

    return (
        "yaml",
        OK if IS_FAST else ADVICE,
        "libyaml" if IS_FAST else "PyYAML lacks libyaml: reading is several times slower",
    )


def _contexts(project: Project) -> tuple[str, str, str]:
    try:
        entries = list_project(project).entries
    except OSError as error:
        raise IoError(f"the project cannot be read: {error.strerror}") from None
    counts = {state: sum([entry.state == state for entry in entries]) for state in ("fresh", "stale", "missing")}
    text = ", ".join([f"{count} {state}" for state, count in counts.items()])
    outdated = counts["stale"] + counts["missing"]
    return "contexts", ADVICE if outdated else OK, f"{text}: `context regen` renews them" if outdated else text


def _agents(project: Project) -> tuple[str, str, str]:
    from holdfast.contexts.on_disk.guiding import write_guide

    told = write_guide(project.root, dry_run=True) == "unchanged"
    return (
        "AGENTS.md",
        OK if told else ADVICE,
        "tells of contexts" if told else "`context init` adds the current section",
    )
