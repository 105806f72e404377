"""What the three tools answer."""

from __future__ import annotations

from holdfast.contexts import schema
from holdfast.contexts.freshness import MISSING as STATE_MISSING
from holdfast.contexts.on_disk.directory import ContextCorrupt, ContextMissing, read_context_beneath
from holdfast.contexts.on_disk.listing import Entry, list_project
from holdfast.contexts.on_disk.project import Project, ScopeOutside
from holdfast.operation import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.core.canonical_json import Json
    from holdfast.operation import Arguments

# A failure is an answer here, told on stdout like any other; a shell still sees that it was one.
OUTSIDE, MISSING, UNUSABLE, UNREADABLE, OUT_OF_DATE = 2, 4, 5, 6, 8

_FAILURES = (ScopeOutside, ContextMissing, ContextCorrupt, schema.UnsupportedVersion)


def _failure(error: Exception, scope: str) -> tuple[str, int]:
    """What went wrong, in the words the tools use, and the exit code."""
    if isinstance(error, ScopeOutside):
        return "Invalid scope: path traversal detected", OUTSIDE
    if isinstance(error, schema.UnsupportedVersion):
        supported = f"(this tool supports version {schema.VERSION})"
        return (
            f"Unsupported schema version {error.version} {supported}. Upgrade dotcontext to read this file.",
            UNUSABLE,
        )
    if isinstance(error, ContextCorrupt):
        return f'Invalid or corrupt {schema.FILE_NAME} at scope "{scope}"', UNUSABLE
    hint = "This scope may be below the min_tokens threshold; use list_contexts to see eligible scopes."
    return f'No {schema.FILE_NAME} found at scope "{scope}". {hint}', MISSING


def content(project: Project, scope: str, names: list[str] | None) -> Outcome[Json]:
    """The answer of `query_context`."""
    try:
        try:
            context = project.reach(scope, lambda place: read_context_beneath(project.root, place))
        except FileNotFoundError:
            raise ContextMissing from None
        except OSError as error:
            raise ContextCorrupt(error.strerror) from None
    except _FAILURES as error:
        message, exit_code = _failure(error, scope)
        return Outcome({"found": False, "scope": scope, "error": message}, exit_code, is_error=True)
    fields = schema.filtered(context, names) if names else schema.whole(context)
    return Outcome({"found": True, "scope": scope, "context": fields})


def verdict(project: Project, scope: str) -> Outcome[Json]:
    """The answer of `check_freshness`."""
    try:
        try:
            view = project.reach(scope, project.view)
        except OSError:
            raise ContextMissing from None
        headline = view.headline()
    except _FAILURES as error:
        message, exit_code = _failure(error, scope)
        return Outcome({"scope": scope, "state": STATE_MISSING, "error": message}, exit_code, is_error=True)
    found = view.freshness()
    value: Json = {
        "scope": scope,
        "state": found.state,
        "fingerprint": {"stored": headline.fingerprint, "computed": found.computed},
        "last_updated": headline.last_updated,
    }
    return Outcome(value)


def listing(project: Project, arguments: Arguments, progress: Callable[[int, int], None] | None) -> Outcome[Json]:
    """The answer of `list_contexts`."""
    root = project.shown
    try:
        found = list_project(project, progress)
    except OSError:
        nothing: Json = {"root": root, "total_directories": 0, "skipped_directories": 0, "tracked": 0, "entries": []}
        return Outcome({**nothing, "error": f'Failed to scan project at "{root}"'}, UNREADABLE, is_error=True)
    chosen = found.entries
    if "since" in arguments:
        from holdfast.contexts.on_disk.git import places_changed_since

        changed = places_changed_since(project, arguments["since"])
        chosen = [entry for entry in chosen if entry.place in changed]
    if "under" in arguments:
        chosen = [entry for entry in chosen if _is_under(project, entry, arguments["under"])]
    if arguments.get("states"):
        chosen = [entry for entry in chosen if entry.state in arguments["states"]]
    value: Json = {
        "root": root,
        "total_directories": len(found.entries),
        "skipped_directories": found.skipped,
        "tracked": sum([entry.headline is not None for entry in found.entries]),
        "entries": [_described(entry) for entry in chosen],
    }
    outdated = arguments.get("check") and any(entry.state != "fresh" for entry in chosen)
    return Outcome(value, OUT_OF_DATE if outdated else 0)


def _is_under(project: Project, entry: Entry, scope: str) -> bool:
    place = scope.replace("\\", "/").strip("/").removeprefix("./")
    return place in ("", ".", entry.scope) or entry.scope.startswith(place + "/")


def _described(entry: Entry) -> Json:
    described: Json = {"scope": entry.scope, "state": entry.state, "has_context": entry.headline is not None}
    if entry.headline is not None:
        described["last_updated"] = entry.headline.last_updated
        described["summary"] = entry.headline.summary
    return described
