"""What `project_map` answers: the project's files with their public symbols, within a budget."""

from __future__ import annotations

from holdfast.contexts.answers import open_project
from holdfast.contexts.on_disk.project import scan
from holdfast.contexts.on_disk.source_facts import gather_facts
from holdfast.contexts.project_map import DEFAULT_BUDGET, MapRequest, is_below
from holdfast.contexts.project_map import project_map as made_map
from holdfast.contexts.symbol_ranks import MapFile
from holdfast.contexts.test_files import is_test
from holdfast.core.confined_paths import printable
from holdfast.core.errors import ScopeOutside, UsageError
from holdfast.operation import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.contexts.on_disk.project import Project
    from holdfast.contexts.shapes import MapAnswer, MapArguments
    from holdfast.workspace import Workspace


def project_map(workspace: Workspace, arguments: MapArguments) -> Outcome[MapAnswer]:
    """References are counted over the whole project, whatever part of it is shown."""
    project = open_project(workspace, arguments)
    scopes = [_place(project, scope) for scope in arguments.get("scopes", ())]
    focus = [_place(project, path) for path in arguments.get("focus", ())]
    asked = [*scopes, *focus]
    gathered = gather_facts(
        project,
        scan(project),
        first=lambda place, name: any(is_below(_path(place, name), one) for one in asked),
        progress=workspace.progress,
    )
    files = [
        MapFile(_path(place, name), one.facts, one.uses, is_test(place, name))
        for place, found in gathered.places.items()
        for name, one in found.items()
    ]
    request = MapRequest(arguments.get("budget", DEFAULT_BUDGET), scopes, focus)
    return Outcome(made_map(files, request, left=gathered.left))


def _path(place: str, name: str) -> str:
    return printable(f"{place}/{name}" if place else name)


def _place(project: Project, scope: str) -> str:
    """Where a scope or path leads; UsageError when that is outside the project, or nowhere."""
    from os.path import lexists

    try:
        place = project.place_of(scope)
    except ScopeOutside:
        raise UsageError(f"'{scope}' is outside the project: give a path below its root") from None
    if not lexists(project.path(place)):
        raise UsageError(f"there is no '{scope}' in this project")
    return printable(place)
