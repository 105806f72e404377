"""The commands that write contexts: init, regen and rehash."""

from __future__ import annotations

import os

from holdfast.contexts import schema
from holdfast.contexts.document import edited
from holdfast.contexts.freshness import FRESH
from holdfast.contexts.on_disk.directory import (
    CONTEXT_FILE,
    ContextCorrupt,
    ContextMissing,
    parse_context,
    read_context_bytes,
)
from holdfast.contexts.on_disk.guiding import LEFT_ALONE, write_guide
from holdfast.contexts.on_disk.listing import judge_all
from holdfast.contexts.on_disk.making import FAILED, RENEWED, UNCHANGED, Made, make
from holdfast.contexts.on_disk.project import Found, Project, ScopeOutside
from holdfast.core.atomic_write import write_file
from holdfast.core.confined_paths import printable
from holdfast.core.errors import IoError, UsageError
from holdfast.operation import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.core.canonical_json import Json

    Progress = Callable[[int, int], None]

UNUSABLE = 5


def scan(project: Project) -> list[Found]:
    """The directories that count; IoError when the root cannot be read."""
    try:
        return project.directories()
    except OSError as error:
        raise IoError(f"'{printable(project.root)}' cannot be read: {error.strerror}") from None


def place_of(project: Project, scope: str) -> str:
    """Where a scope leads; UsageError when it leaves the project."""
    try:
        return project.place_of(scope)
    except ScopeOutside:
        raise UsageError(f"'{scope}' is outside the project: give a path below its root") from None


def report(made: list[Made], **more: Json) -> Outcome[Json]:
    """What happened, as an answer; the note says which language grammars were missing."""
    counts = {action: sum([one.action == action for one in made]) for action in ("written", "renewed", "unchanged")}
    failed = [one for one in made if one.action == FAILED]
    value: Json = {
        **more,
        **counts,
        "failed": len(failed),
        "contexts": [
            {"scope": one.scope, "action": one.action, **({"reason": one.reason} if one.reason else {})}
            for one in made
            if one.action != UNCHANGED
        ],
    }
    return Outcome(value, UNUSABLE if failed else 0, is_error=bool(failed))


def initialise(
    project: Project, *, now: str, full: bool, dry_run: bool, agents: bool, progress: Progress | None
) -> Outcome[Json]:
    """`context init`. AGENTS.md comes first: it is a file of the root, so the root's fingerprint must see it."""
    found = scan(project)
    guide = write_guide(project.root, dry_run=dry_run) if agents else LEFT_ALONE
    if guide in ("written", "renewed") and not dry_run:
        found = scan(project)
    full = full or project.settings.mode == "full"
    made = make(project, found, None, now=now, full=full, dry_run=dry_run, progress=progress)
    skipped = sum([not item.kept for item in found])
    outcome = report(made, root=printable(project.root), dry_run=dry_run, agents=guide, skipped_directories=skipped)
    return outcome._replace(note=missing_grammars(found))


def regenerate(
    project: Project, scope: str | None, *, every: bool, stale: bool, now: str, full: bool, progress: Progress | None
) -> Outcome[Json]:
    """`context regen`: one directory, all of them, or those that are not fresh."""
    if sum([scope is not None, every, stale]) > 1:
        raise UsageError("give one of SCOPE, --all and --stale")
    found = scan(project)
    wanted: set[str] | None = None
    if scope is not None:
        place = place_of(project, scope)
        found = with_place(project, found, place, scope)
        wanted = {place}
    elif not every:
        kept = [item for item in found if item.kept and item.view is not None]
        judge_all([item.view for item in kept if item.view is not None])
        wanted = {item.place for item in kept if item.view is not None and item.view.freshness().state != FRESH}
    full = full or project.settings.mode == "full"
    made = make(project, found, wanted, now=now, full=full, progress=progress)
    return report(made, root=printable(project.root))._replace(note=missing_grammars(found))


def with_place(project: Project, found: list[Found], place: str, scope: str) -> list[Found]:
    """The directories, that one among the kept: whoever names a directory below the threshold means it."""
    if any(item.place == place and item.kept for item in found):
        return found
    try:
        view = project.view(place)
    except OSError:
        raise UsageError(f"there is no directory '{scope}' that can be read") from None
    return [*[item for item in found if item.place != place], Found(place, view, kept=True)]


def missing_grammars(found: list[Found]) -> str:
    """A sentence about the languages that were described by name only, or nothing."""
    from holdfast.contexts.analysis.syntax import INSTALL, parser
    from holdfast.contexts.languages import LANGUAGES, language_of

    present = {language_of(name) for item in found if item.kept and item.view is not None for name in item.view.sources}
    missing = sorted(
        language for language in present - {""} if LANGUAGES[language].grammar is not None and parser(language) is None
    )
    return f"{', '.join(missing)} files were described by name only; {INSTALL} analyses them" if missing else ""


def rehash(project: Project, scope: str | None, *, now: str) -> Outcome[Json]:
    """`context rehash`: one directory's context, or every one there is."""
    found = scan(project)
    if scope is not None:
        place = place_of(project, scope)
        found = [item for item in with_place(project, found, place, scope) if item.place == place]
        if found[0].view is None or not found[0].view.has_context:
            raise UsageError(f"there is no {CONTEXT_FILE} in '{scope}': `context regen {scope}` makes one")
    return report([rehash_one(item, now) for item in found if item.view is not None and item.view.has_context])


def rehash_one(item: Found, now: str) -> Made:
    """One directory's context with a new fingerprint and time; nothing is written when it is fresh by content."""
    view = item.view
    if view is None:
        return Made(item.scope, FAILED, "cannot be read")
    try:
        data = read_context_bytes(view.path)
        context = parse_context(data)
        if context["fingerprint"] == view.fingerprint():
            return Made(item.scope, UNCHANGED)
        text = edited(data.decode(), {"fingerprint": view.fingerprint(), "last_updated": now})
        write_file(os.path.join(view.path, CONTEXT_FILE), text.encode())
    except (ContextMissing, ContextCorrupt) as error:
        return Made(item.scope, FAILED, f"left as it is: {error}")
    except schema.UnsupportedVersion as error:
        return Made(item.scope, FAILED, f"left as it is: schema version {error.version}")
    return Made(item.scope, RENEWED)
