"""Which clients there are on this machine, by their programs and folders, and how the server is started from each."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping

from holdfast.clients.client_table import CLIENTS, Client, Place, Scope, at

COMMAND = "context"


def found_by(client: Client, roots: Mapping[str, str], environment: Mapping[str, str]) -> str:
    """What shows that a client is there: a program or a folder; empty where nothing does."""
    for program in client.programs or (client.name,):
        found = shutil.which(program, path=environment.get("PATH", ""))
        if found:
            return found
    return next((path for path in (at(folder, roots) for folder in client.own_folders) if os.path.lexists(path)), "")


def found_clients(roots: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """The clients that are there, by name, each with what shows it."""
    shown = {client.name: found_by(client, roots, environment) for client in CLIENTS}
    return {name: what for name, what in shown.items() if what}


def files_of(client: Client, scope: Scope, roots: Mapping[str, str], project: str) -> list[tuple[Place, str]]:
    """The files that a client's entry belongs in: each that is in use, else the first."""
    found = []
    for place in client.places(scope):
        names = [at(name, roots) for name in (place.path, *place.others)]
        if scope == "project":
            names = [os.path.join(project, name) for name in names]
        path = next((name for name in names if os.path.lexists(name)), names[0])
        found.append((place, path))
    in_use = [(place, path) for place, path in found if not place.needs or os.path.isdir(at(place.needs, roots))]
    return in_use or found[:1]


def server_command(environment: Mapping[str, str], *, anywhere: bool) -> list[str]:
    """How this very installation is started: by its name where the search path leads to it, else by its path.

    With `anywhere` always by its path, for programs that have no such search path. A virtual environment that is active
    in this shell alone counts as none. A Python that is started in a project imports nothing from there (`-P`).
    """
    own = os.path.join(os.path.dirname(sys.executable), COMMAND)
    named = shutil.which(COMMAND, path=environment.get("PATH", ""))
    if named is not None and os.path.exists(own) and not _is_same(named, own):
        named = None
    if named is not None and not anywhere and not environment.get("VIRTUAL_ENV"):
        return [COMMAND]
    path = named or (own if os.path.exists(own) else None)
    return [os.path.abspath(path)] if path else [sys.executable, "-P", "-m", "holdfast"]


def _is_same(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False
