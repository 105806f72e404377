"""The bodies of what looks at all families at once."""

from __future__ import annotations

import os

from holdfast.caches.meant_caches import cache_roots
from holdfast.caches.on_disk.receipt_replay import ReceiptCosts, receipt_files
from holdfast.contexts.answers import open_project
from holdfast.contexts.answers.health import token_counts
from holdfast.contexts.answers.mapping import place_in
from holdfast.contexts.arguments import ImpactArguments
from holdfast.contexts.change_impact import DEFAULT_BUDGET, impact_answer
from holdfast.contexts.on_disk.changed_files import reach_of, touched_below, touched_since
from holdfast.contexts.on_disk.project import scan
from holdfast.contexts.project_map import is_below
from holdfast.contexts.shapes import ImpactAnswer
from holdfast.core.canonical_json import JsonError, decode
from holdfast.core.confined_paths import printable
from holdfast.core.errors import CacheMissing, ContextError, IoError, OutOfDate, UsageError
from holdfast.core.regular_files import read_regular
from holdfast.operation import Outcome
from holdfast.specs.answers import project_of
from holdfast.specs.on_disk.spec_files import spec_names, task_list
from holdfast.survey.arguments import DoctorArguments, SavingsArguments
from holdfast.survey.savings import RECEIPTS, Counted, GivenAnswer, counts_of, searches, tool_counts, unseen
from holdfast.survey.savings import savings as added_up
from holdfast.survey.shapes import DoctorAnswer, SavingsAnswer, StandingContexts
from holdfast.survey.spec_tasks import tasks_naming
from holdfast.workspace import Workspace

_MOST_RECEIPTS = 1000
_MOST_BYTES = 64 << 20


def savings(workspace: Workspace, arguments: SavingsArguments) -> Outcome[SavingsAnswer]:
    """Numbers of what was seen, and words for what was not."""
    given, receipts, passed_over, gone, unreadable = _receipts(workspace, arguments)
    counts = _counts(arguments["telemetry"]) if "telemetry" in arguments else []
    rows = token_counts(open_project(workspace, {}))
    found = searches(given, receipts)
    tools = tool_counts(counts, {row.scope: row.source_tokens for row in rows})
    said = unseen(
        *(found, tools),
        passed_over=passed_over,
        gone=gone,
        unreadable=unreadable,
        has_counts="telemetry" in arguments,
    )
    standing: StandingContexts = {
        "contexts": len(rows),
        "context_tokens": sum([row.context_tokens for row in rows]),
        "source_tokens": sum([row.source_tokens for row in rows]),
    }
    return Outcome(added_up(found, tools, standing, said))


def impact(workspace: Workspace, arguments: ImpactArguments) -> Outcome[ImpactAnswer]:
    """Of a diff; or of whole files, where only their paths are given."""
    project = open_project(workspace, arguments)
    places = [place_in(project, path) for path in arguments.get("paths", ())]
    found, staged, since = scan(project, deep=True), arguments.get("staged", False), ""
    if places and not staged and "since" not in arguments:
        touched = touched_below(project, found, places)
    elif workspace.confined_to:
        raise UsageError("a confined server starts no git: name files by paths")
    else:
        since = arguments.get("since", "HEAD")
        touched = touched_since(project, since, staged=staged)
        touched = [one for one in touched if not places or any(is_below(one.path, place) for place in places)]
    with_specs = project_of(workspace, arguments.get("path", ""))
    lists = {name: task_list(with_specs, name) for name in spec_names(with_specs)}
    specs = {printable(name): held.tasks for name, held in lists.items() if held is not None}
    tasks = tasks_naming(specs, [printable(one.path) for one in touched])
    reach = reach_of(project, found, touched, tasks, workspace.progress)
    return Outcome(impact_answer(since, len(touched), reach, arguments.get("budget", DEFAULT_BUDGET)))


def doctor(workspace: Workspace, arguments: DoctorArguments) -> Outcome[DoctorAnswer]:
    """Every check with what it found; exit code 8 where one needs doing, advice does not."""
    # It loads what `sync` asks registries with, which a confined server cannot load, and no tool needs.
    from holdfast.survey.examinations import checkup, examine

    if "path" in arguments:
        if not os.path.isdir(workspace.directory(arguments["path"])):
            raise UsageError(f"there is no directory '{printable(arguments['path'])}'")
        workspace = workspace._replace(project=arguments["path"])
    value = checkup(
        printable(os.path.realpath(workspace.project)), examine(workspace, untracked=arguments.get("untracked", False))
    )
    return Outcome(value, exit_code=0 if value["healthy"] else OutOfDate.exit_code)


def _receipts(workspace: Workspace, arguments: SavingsArguments) -> tuple[list[GivenAnswer], int, int, int, int]:
    """The answers of receipts, how many of these there are, were passed over, lost their cache, and are none."""
    directory = arguments.get("receipts", os.path.join(workspace.project, RECEIPTS))
    try:
        paths = receipt_files(directory)
    except OSError as error:
        if "receipts" in arguments:
            raise IoError(f"'{printable(directory)}' cannot be listed: {error.strerror}") from None
        paths = []
    looked_at = paths[: arguments.get("limit", _MOST_RECEIPTS)]
    costs, given, gone, unreadable = ReceiptCosts(cache_roots(workspace)), [], 0, 0
    for done, path in enumerate(looked_at):
        if workspace.progress is not None:
            workspace.progress(done, len(looked_at))
        try:
            given.append(GivenAnswer(*costs.of_file(path)))
        except CacheMissing:
            gone += 1
        except ContextError:
            unreadable += 1
    costs.close()
    return given, len(paths), len(paths) - len(looked_at), gone, unreadable


def _counts(path: str) -> list[Counted]:
    """What the lines of a file count that are telemetry; UsageError where none is."""
    try:
        data = read_regular(os.path.realpath(path), limit=_MOST_BYTES)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise IoError(f"'{printable(path)}' cannot be read: {reason}") from None
    counts, is_telemetry = [], False
    for line in data.split(b"\n"):
        if line.startswith(b'{"'):
            try:
                value = decode(line)
            except JsonError:
                continue  # a log holds other lines, too
            is_telemetry = is_telemetry or (isinstance(value, dict) and "calls" in value)
            counts += counts_of(value)
    if not is_telemetry:
        raise UsageError(f"'{printable(path)}' holds no line that 'context serve --telemetry' wrote")
    return counts
