"""What `project_map` answers: the project's files with their public symbols, within a budget."""

from __future__ import annotations

from os.path import lexists

from holdfast.code.test_files import is_test
from holdfast.contexts.answers import open_project
from holdfast.contexts.arguments import MapArguments, SymbolArguments
from holdfast.contexts.bindings import binding
from holdfast.contexts.on_disk.import_index import import_index
from holdfast.contexts.on_disk.project import Found, Project, place_of, scan
from holdfast.contexts.on_disk.source_facts import gather_facts
from holdfast.contexts.on_disk.symbol_files import look_up
from holdfast.contexts.project_map import DEFAULT_BUDGET, MapRequest, is_below
from holdfast.contexts.project_map import project_map as made_map
from holdfast.contexts.shapes import MapAnswer, SymbolAnswer
from holdfast.contexts.source_kinds import unread_languages
from holdfast.contexts.symbol_lookup import DEFAULT_BUDGET as SYMBOL_BUDGET
from holdfast.contexts.symbol_lookup import exported_names, nearest_names, parts_of, symbol_answer
from holdfast.contexts.symbol_ranks import MapFile
from holdfast.core.confined_paths import printable
from holdfast.core.errors import UsageError
from holdfast.operation import Outcome
from holdfast.workspace import Workspace


def project_map(workspace: Workspace, arguments: MapArguments) -> Outcome[MapAnswer]:
    """References are counted over the whole project, whatever part of it is shown."""
    project = open_project(workspace, arguments)
    scopes = [place_in(project, scope) for scope in arguments.get("scopes", ())]
    focus = [place_in(project, path) for path in arguments.get("focus", ())]
    asked = [*scopes, *focus]
    found = scan(project, deep=True)
    gathered = gather_facts(
        project,
        found,
        first=lambda place, name: any(is_below(_path(place, name), one) for one in asked),
        progress=workspace.progress,
    )
    index = import_index(project, found, gathered.facts())
    files = [
        MapFile(_path(place, name), one.facts, one.uses, is_test(place, name), binding(place, one.facts, index))
        for place, named in gathered.places.items()
        for name, one in named.items()
    ]
    unknown = unread_languages([_name_in(item, name, scopes) for item in found for name in _sources(item)])
    request = MapRequest(arguments.get("budget", DEFAULT_BUDGET), scopes, focus)
    return Outcome(made_map(files, request, left=gathered.left, unknown=unknown))


def symbol(workspace: Workspace, arguments: SymbolArguments) -> Outcome[SymbolAnswer]:
    """What the files say at the time of the call; the nearest names where nothing is called so."""
    project, name = open_project(workspace, arguments), arguments["name"].strip()
    found = scan(project, deep=True)
    parts = parts_of(name)
    looked = look_up(project, found, parts) if parts else []
    nearest: list[str] = []
    if not any(one.look.definitions for one in looked):
        facts = gather_facts(project, found, progress=workspace.progress).facts()
        nearest = nearest_names(name, exported_names(one for files in facts.values() for one in files))
        if not parts and nearest:  # words: the best name is looked up
            looked = look_up(project, found, parts_of(nearest[0]))
            name, nearest = nearest[0], nearest[1:]
    return Outcome(symbol_answer(name, looked, nearest, arguments.get("budget", SYMBOL_BUDGET)))


def _sources(item: Found) -> list[str]:
    return item.view.sources if item.view is not None else []


def _name_in(item: Found, name: str, scopes: list[str]) -> str:
    """The name of a file that is mapped; nothing for one outside the scopes."""
    path = _path(item.place, name)
    return name if not scopes or any(is_below(path, scope) for scope in scopes) else ""


def _path(place: str, name: str) -> str:
    return printable(f"{place}/{name}" if place else name)


def place_in(project: Project, scope: str) -> str:
    """Where a scope or path leads; UsageError when that is outside the project, or nowhere."""
    place = place_of(project, scope)
    if not lexists(project.path(place)):
        raise UsageError(f"there is no '{scope}' in this project")
    return printable(place)
