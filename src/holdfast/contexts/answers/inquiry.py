"""What the three tools answer: which contexts there are, whether one is fresh, and what one says."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from holdfast.contexts import schema
from holdfast.contexts.answers import open_project, staged_copy
from holdfast.contexts.freshness import MISSING, STALE
from holdfast.contexts.on_disk.claim_subjects import judge
from holdfast.contexts.on_disk.directory_view import read_context_beneath
from holdfast.contexts.on_disk.listing import list_project
from holdfast.contexts.roll_up import BUDGET, RollUp, within_budget
from holdfast.core.confined_paths import printable
from holdfast.core.errors import (
    BudgetTooSmall,
    ContextCorrupt,
    ContextError,
    ContextMissing,
    ListingFailed,
    OutOfDate,
    ScopeOutside,
    UnsupportedVersion,
    UsageError,
)
from holdfast.operation import Outcome, Words

if TYPE_CHECKING:
    from holdfast.contexts.arguments import CheckArguments, ListArguments, QueryArguments
    from holdfast.contexts.on_disk.listing import Entry
    from holdfast.contexts.on_disk.project import Project
    from holdfast.contexts.shapes import (
        CheckAnswer,
        CheckFailure,
        Field,
        ListAnswer,
        ListedContext,
        QueryAnswer,
        QueryFailure,
        StatusAnswer,
    )
    from holdfast.workspace import Workspace

# A failure is an answer here, printed on stdout like any other; its exit code still marks it.
_FAILURES = (ScopeOutside, ContextMissing, ContextCorrupt, UnsupportedVersion)
_HINT = "This scope may be below the min_tokens threshold; use list_contexts to see eligible scopes."


def _sentence(error: ContextError, scope: str) -> str:
    """A failure as these tools report it."""
    if isinstance(error, UnsupportedVersion):
        supported = f"(this tool supports version {schema.VERSION})"
        return f"Unsupported schema version {error.version} {supported}. Upgrade dotcontext to read this file."
    if isinstance(error, ContextCorrupt):
        return f'Invalid or corrupt {schema.FILE_NAME} at scope "{scope}"'
    if isinstance(error, ContextMissing):
        return f'No {schema.FILE_NAME} found at scope "{scope}". {_HINT}'
    return error.message


def _check_scope(scope: str) -> None:
    if "\0" in scope:
        raise UsageError("scope must be a path: it cannot hold a NUL character")


def query_context(workspace: Workspace, arguments: QueryArguments) -> Outcome[QueryAnswer]:
    project, scope = open_project(workspace, arguments), arguments["scope"]
    _check_scope(scope)
    try:
        try:
            context = project.reach(scope, lambda place: read_context_beneath(project.root, place))
        except FileNotFoundError:
            raise ContextMissing from None
        except OSError as error:
            raise ContextCorrupt(error.strerror or "cannot be read") from None
    except _FAILURES as error:
        if isinstance(error, ContextMissing) and (bare := _computed(project, scope, arguments.get("filter", []))):
            return Outcome({"found": True, "scope": scope, "context": bare})
        failure: QueryFailure = {"found": False, "scope": scope, "error": _sentence(error, scope)}
        return Outcome(failure, error.exit_code, is_error=True, note=error.remedy, code=error.code)
    names = arguments.get("filter")
    if not names:
        return Outcome({"found": True, "scope": scope, "context": schema.whole(context)})
    return Outcome({"found": True, "scope": scope, "context": _filtered(project, scope, context, names)})


def _computed(project: Project, scope: str, names: list[str]) -> dict[str, Field]:
    """Metadata and requested computed fields of a directory without a context; nothing where none is requested."""
    from holdfast.contexts.on_disk.derivation import COMPUTED, Derivation

    wanted = list(dict.fromkeys([name for name in names if name in COMPUTED]))
    try:
        if not wanted:
            return {}
        place = project.place_of(scope)
        one = Derivation(project, place)
        fields = one.fields(wanted)
        metadata: dict[str, Field] = {
            "version": schema.VERSION,
            "scope": printable(place) or ".",
            "fingerprint": one.view.fingerprint(),
            "last_updated": None,
        }
    except OSError:
        return {}
    return {**metadata, **{name: fields[name] for name in wanted}}


def _filtered(project: Project, scope: str, context: dict[str, Field], names: list[str]) -> dict[str, Field]:
    """The requested fields as they stand in the file; derived ones that it does not hold as the files are now."""
    from holdfast.contexts.on_disk.derivation import COMPUTED, Derivation

    absent = [name for name in names if name in COMPUTED and name not in context]
    computed: dict[str, Field] = {}
    if absent:
        try:
            computed = Derivation(project, project.place_of(scope)).fields(absent)
        except OSError:
            pass  # the directory went while it was looked at: what the file says is left
    held = schema.filtered(context, names)
    asked = {name: held[name] if name in held else computed[name] for name in names if name in held or name in computed}
    return {**{name: held[name] for name in schema.METADATA}, **asked}


def check_freshness(workspace: Workspace, arguments: CheckArguments) -> Outcome[CheckAnswer]:
    project, scope = open_project(workspace, arguments), arguments["scope"]
    _check_scope(scope)
    try:
        try:
            view = project.reach(scope, project.view)
        except OSError:
            raise ContextMissing from None
        headline = view.headline()
    except _FAILURES as error:
        failure: CheckFailure = {"scope": scope, "state": MISSING, "error": _sentence(error, scope)}
        return Outcome(failure, error.exit_code, is_error=True, note=error.remedy, code=error.code)
    place = project.place_of(scope)
    found = judge(project, place, view)
    verdict: CheckAnswer = {
        "scope": scope,
        "state": found.state,
        "fingerprint": {"stored": headline.fingerprint, "computed": found.computed},
        "last_updated": headline.last_updated,
    }
    return Outcome(verdict, note="\n".join(map(str, found.changes)))


def list_contexts(workspace: Workspace, arguments: ListArguments) -> Outcome[StatusAnswer]:
    project = open_project(workspace, arguments)
    root = project.shown
    try:
        if arguments.get("staged", False):
            with staged_copy(project, workspace, arguments) as copy:
                found = list_project(copy.project, workspace.progress)
        else:
            found = list_project(project, workspace.progress)
    except OSError:
        failure = _empty_listing(root, f'Failed to scan project at "{root}"')
        return Outcome(failure, ListingFailed.exit_code, is_error=True, code=ListingFailed.code)
    chosen = found.entries
    under = arguments.get("under", ".").replace("\\", "/").strip("/").removeprefix("./") or "."
    if "since" in arguments:
        from holdfast.contexts.on_disk.git import places_changed_since

        changed = places_changed_since(project, arguments["since"], staged=arguments.get("staged", False))
        chosen = [entry for entry in chosen if entry.place in changed]
    if under != ".":
        chosen = [entry for entry in chosen if entry.scope == under or entry.scope.startswith(under + "/")]
    if states := arguments.get("states"):
        chosen = [entry for entry in chosen if entry.state in states]
    outdated = arguments.get("check") and any(entry.state == STALE or entry.problem for entry in chosen)
    code = OutOfDate.exit_code if outdated else 0
    chosen_format = arguments.get("format", "text" if arguments.get("check") else "json")
    if chosen_format != "json":
        return _gate(project, arguments, chosen, code)
    value: ListAnswer = {
        "root": root,
        "total_directories": len(found.entries),
        "skipped_directories": found.skipped,
        "tracked": sum([entry.headline is not None for entry in found.entries]),
        "entries": [_listed(entry) for entry in chosen],
    }
    if arguments.get("check") and not arguments.keys() & {"depth", "budget"}:
        return Outcome(value, code, note=project.note)  # a program that asks for a verdict asks for all of it
    known = {entry.scope: _listed(entry) for entry in found.entries}
    roll_up = RollUp(value["entries"], known, under)
    rolled = within_budget(value, roll_up, depth=arguments.get("depth"), budget=arguments.get("budget", BUDGET))
    if rolled is None:
        raise BudgetTooSmall(500, "a single directory does not fit")
    return Outcome(rolled, code, note=project.note)


def _gate(project: Project, arguments: ListArguments, chosen: list[Entry], code: int) -> Outcome[StatusAnswer]:
    """The verdict in words, or as SARIF."""
    from shlex import quote

    from holdfast.contexts.gate_report import Judged, gate_log, report

    judged = [
        Judged(entry.scope, entry.state, entry.problem, tuple(map(str, entry.changes)))
        for entry in chosen
        if entry.state != MISSING or entry.problem
    ]
    if arguments.get("format") == "sarif":
        from holdfast.version import __version__

        return Outcome(gate_log(judged, __version__), code, note=project.note)
    which = f" --path {quote(arguments['path'])}" if "path" in arguments else ""
    staged = " --staged" if arguments.get("staged", False) else ""
    adding = ", then `git add` what it renewed" if project.repository is not None and not staged else ""
    mend = f"context regen{which}{staged}"
    more = f"context status{which}{staged} --state stale"
    return Outcome(Words(report(judged, mend=mend, more=more, adding=adding)), code, note=project.note)


def _listed(entry: Entry) -> ListedContext:
    listed: ListedContext = {"scope": entry.scope, "state": entry.state, "has_context": entry.headline is not None}
    if entry.headline is not None:
        listed["last_updated"] = entry.headline.last_updated
        listed["summary"] = entry.headline.summary
    return listed


def _empty_listing(root: str, error: str) -> ListAnswer:
    counts = {"total_directories": 0, "skipped_directories": 0, "tracked": 0}
    return cast("ListAnswer", {"root": root, **counts, "entries": [], "error": error})


def query_failure(error: ContextError) -> QueryFailure:
    """An argument that cannot be used, in the shape of `query_context`."""
    return {"found": False, "scope": "", "error": error.reason or error.message}


def check_failure(error: ContextError) -> CheckFailure:
    """An argument that cannot be used, in the shape of `check_freshness`."""
    return {"scope": "", "state": MISSING, "error": error.reason or error.message}


def list_failure(error: ContextError) -> ListAnswer:
    """An argument that cannot be used, in the shape of `list_contexts`."""
    return _empty_listing("", error.reason or error.message)
