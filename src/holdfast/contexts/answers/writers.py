"""Bodies of the commands that write contexts or their settings: init, regen and config."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

from holdfast.code.analysis.parsers import INSTALL, missing_parsers
from holdfast.contexts.answers import open_project, staged_copy
from holdfast.contexts.freshness import FRESH
from holdfast.contexts.on_disk.agents_file import FILE_NAME as AGENTS_FILE
from holdfast.contexts.on_disk.agents_file import LEFT_ALONE, write_other_sections, write_section
from holdfast.contexts.on_disk.claim_subjects import judge, look_ahead
from holdfast.contexts.on_disk.directory_view import CONTEXT_FILE
from holdfast.contexts.on_disk.generation import FAILED, RENEWED, UNCHANGED, WRITTEN, generate, rehash_one
from holdfast.contexts.on_disk.listing import judge_all
from holdfast.contexts.on_disk.project import check_root, place_of, scan, with_place
from holdfast.contexts.on_disk.settings_file import change_setting
from holdfast.contexts.source_kinds import unread_languages
from holdfast.core.confined_paths import printable
from holdfast.core.errors import (
    ContextCorrupt,
    ContextMissing,
    IoError,
    UnknownName,
    UnsupportedVersion,
    UsageError,
)
from holdfast.operation import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from holdfast.contexts.arguments import ConfigArguments, InitArguments, RegenArguments
    from holdfast.contexts.on_disk.directory_view import DirectoryView
    from holdfast.contexts.on_disk.generation import Made
    from holdfast.contexts.on_disk.project import Found, Project
    from holdfast.contexts.shapes import (
        ConfigAnswer,
        Counts,
        InitAnswer,
        MadeContext,
        RegenAnswer,
        RehashAnswer,
        Setting,
        Settings,
    )
    from holdfast.workspace import Workspace

Written = TypeVar("Written")


def _counts(made: list[Made]) -> Counts:
    """How many contexts each action was taken on, and the action on every one that changed or failed."""
    counted = {action: sum([one.action == action for one in made]) for action in (WRITTEN, RENEWED, UNCHANGED, FAILED)}
    return {
        "written": counted[WRITTEN],
        "renewed": counted[RENEWED],
        "unchanged": counted[UNCHANGED],
        "failed": counted[FAILED],
        "contexts": [_made_context(one) for one in made if one.action != UNCHANGED or one.reason],
    }


def _made_context(one: Made) -> MadeContext:
    entry: MadeContext = {"scope": one.scope, "action": one.action}
    if one.reason:
        entry["reason"] = one.reason
    return entry


def _exit_code(made: list[Made]) -> int:
    """The exit code of the gravest failure: a file that cannot be written, then one that cannot be used."""
    if any(one.is_refused for one in made):
        return IoError.exit_code
    return ContextCorrupt.exit_code if any(one.action == FAILED for one in made) else 0


def init(workspace: Workspace, arguments: InitArguments) -> Outcome[InitAnswer]:
    """AGENTS.md comes first: it is a file of the root, so the root's fingerprint must see it."""
    project = open_project(workspace, arguments)
    dry_run = arguments.get("dry_run", False)
    check_root(project)
    agents, others = LEFT_ALONE, {}
    if not arguments.get("no_agents", False):
        agents = write_section(project.root, dry_run=dry_run)
        others = write_other_sections(project.root, dry_run=dry_run)
    found = scan(project)
    full = arguments.get("full", False) or project.settings.mode == "full"
    unread: list[tuple[str, str]] = []
    made = generate(
        *(project, found, None),
        now=workspace.timestamp(),
        full=full,
        every=full or arguments.get("all", False),
        dry_run=dry_run,
        progress=workspace.progress,
        unread=unread,
    )
    counts = _counts(made)
    value: InitAnswer = {
        "root": printable(project.root),
        "dry_run": dry_run,
        "agents": agents,
        "skipped_directories": sum([not item.kept for item in found]),
        **counts,  # type: ignore[typeddict-item]  # it has no other key
    }
    if others:
        value["other_agents"] = others
    note, code = _notes(project, found, unread), _exit_code(made)
    if closed := [name for name, action in {AGENTS_FILE: agents, **others}.items() if action == FAILED]:
        why = "not written, being no regular file or closed to this user (--no-agents leaves it alone)"
        note, code = f"{note}\n{why}: {', '.join(closed)}".strip("\n"), code or IoError.exit_code
    return Outcome(value, code, is_error=bool(code), note=note)


def regen(workspace: Workspace, arguments: RegenArguments) -> Outcome[RegenAnswer]:
    """One directory, all directories, or all that are not fresh."""
    return _on_copy(workspace, arguments, lambda project: _regenerated(project, workspace, arguments))


def _on_copy(
    workspace: Workspace, arguments: RegenArguments, write: Callable[[Project], Outcome[Written]]
) -> Outcome[Written]:
    """What a body does in the project, or with `staged` in a copy of git's index, which takes what it wrote."""
    project = open_project(workspace, arguments)
    if not arguments.get("staged", False):
        return write(project)
    with staged_copy(project, workspace, arguments) as copy:
        outcome = write(copy.project)
        copy.stage()
    return outcome


def _regenerated(project: Project, workspace: Workspace, arguments: RegenArguments) -> Outcome[RegenAnswer]:
    found, wanted = _chosen(project, arguments)
    lean = arguments.get("lean", False)
    if lean and arguments.get("full", False):
        raise UsageError("give one of --full and --lean")
    full = not lean and (arguments.get("full", False) or project.settings.mode == "full")
    unread: list[tuple[str, str]] = []
    made = generate(
        *(project, found, wanted),
        now=workspace.timestamp(),
        full=full,
        lean=lean,
        every="scope" in arguments or full,
        vouch="scope" in arguments,
        progress=workspace.progress,
        unread=unread,
    )
    counts = _counts(made)
    value: RegenAnswer = {"root": project.shown, **counts}
    note = (_notes(project, found, unread) + _left(made)).strip("\n")
    return Outcome(value, _exit_code(made), is_error=bool(counts["failed"]), note=note)


def _chosen(project: Project, arguments: RegenArguments) -> tuple[list[Found], set[str] | None]:
    """The directories there are, and which of them are meant; None means all that are kept."""
    scope, every = arguments.get("scope"), arguments.get("all", False)
    if sum([scope is not None, every, arguments.get("stale", False)]) > 1:
        raise UsageError("give one of SCOPE, --all and --stale")
    found = scan(project)
    if scope is not None:
        place = place_of(project, scope)
        return with_place(project, found, place, scope), {place}
    look_ahead(project, found)
    if every or (arguments.get("lean", False) and not arguments.get("stale", False)):
        return found, None
    kept = {item.place: item.view for item in found if item.kept and item.view is not None}
    judge_all(list(kept.values()))
    return found, {place for place, view in kept.items() if view.has_context and _wants_work(project, place, view)}


def _wants_work(project: Project, place: str, view: DirectoryView) -> bool:
    """Whether a context is not fresh, cannot be used, or claims something that it does not record."""
    try:
        written = view.headline().written
        if judge(project, place, view).state != FRESH:
            return True
    except (ContextMissing, ContextCorrupt, UnsupportedVersion):
        return True
    recorded = written.recorded or {} if written is not None else {}
    return written is not None and any(claim.digest not in recorded for claim in written.claims)


_FEW = 5


def _notes(project: Project, found: list[Found], unread: list[tuple[str, str]]) -> str:
    return "\n".join([note for note in (project.note, *_not_read(found), *_not_parsed(unread)) if note])


def _left(made: list[Made]) -> str:
    """A line for each context whose claims someone has to read."""
    return "".join([f"\n{one.scope}: {one.reason}" for one in made if one.reason and one.action != FAILED])


def _not_read(found: list[Found]) -> Iterator[str]:
    """Sentences about the files that no grammar here reads."""
    sources = [name for item in found if item.view is not None for name in item.view.sources]
    if missing := missing_parsers(sources):
        yield f"not read: {_files(missing)}; {INSTALL} reads them"
    if unknown := unread_languages(sources):
        yield f"not read, since there is no grammar for them: {_files(unknown)}"


def _files(counts: dict[str, int]) -> str:
    return ", ".join([f"{count} {language} file{'s'[: count != 1]}" for language, count in counts.items()])


def _not_parsed(unread: list[tuple[str, str]]) -> Iterator[str]:
    """A sentence about the files that were given up, the first few by name."""
    if unread:
        shown = ", ".join([f"{path} ({reason})" for path, reason in unread[:_FEW]])
        more = f" and {len(unread) - _FEW} more" if len(unread) > _FEW else ""
        yield f"given up: {shown}{more}"


def rehash(workspace: Workspace, arguments: RegenArguments) -> Outcome[RehashAnswer]:
    """One directory's context, or every one there is."""
    return _on_copy(workspace, arguments, lambda project: _rehashed(project, arguments))


def _rehashed(project: Project, arguments: RegenArguments) -> Outcome[RehashAnswer]:
    scope = arguments.get("scope")
    found = scan(project)
    if scope is not None:
        place = place_of(project, scope)
        found = [item for item in with_place(project, found, place, scope) if item.place == place]
        if found[0].view is None or not found[0].view.has_context:
            raise UsageError(f"there is no {CONTEXT_FILE} in '{scope}': `context regen {scope}` makes one")
    look_ahead(project, found)
    made = [rehash_one(project, item) for item in found if item.view is not None and item.view.has_context]
    counts = _counts(made)
    return Outcome(counts, _exit_code(made), is_error=bool(counts["failed"]))


def config(workspace: Workspace, arguments: ConfigArguments) -> Outcome[ConfigAnswer]:
    """Every setting, one setting, or one after it was changed."""
    project = open_project(workspace, arguments)
    one: dict[str, Setting] = project.settings._asdict()
    key = arguments.get("key")
    if key is None:
        return Outcome(cast("Settings", one))
    if key not in one:
        raise UnknownName("setting", key, list(one))
    if "value" not in arguments:
        return Outcome({"key": key, "value": one[key]})
    return Outcome({"key": key, "value": change_setting(project, key, arguments["value"])})
