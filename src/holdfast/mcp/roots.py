"""The projects of a client that says where it works (`roots` of the legacy era): asked for once, and when they change.

The first root is the project that is meant; further roots, and the project that the server was started in, are chosen
by a tool's `cache`: a name that only they have, or the name of the project's folder, a slash and the cache's name.
"""

from __future__ import annotations

import os
from _thread import allocate_lock
from typing import TYPE_CHECKING

from holdfast.core.canonical_json import encode
from holdfast.workspace import project_root

if TYPE_CHECKING:
    from holdfast.core.canonical_json import JsonValue
    from holdfast.workspace import Workspace

# Seconds that a call waits for a client that was asked for its roots and has not answered.
PATIENCE = 2.0
MOST_ROOTS = 64
_SCHEME = "file://"


class Roots:
    """What a client answered; calls in several threads may ask, one thread takes the answers."""

    def __init__(self, workspace: Workspace) -> None:
        self._given = workspace
        self._known = {os.path.realpath(workspace.project): workspace}
        self._projects = [workspace]
        self._number = 0
        self._answered = allocate_lock()

    def question(self) -> bytes:
        """The request that asks for the roots; calls wait for its answer from now on."""
        self._number += 1
        self._answered.acquire(False)
        request: JsonValue = {"jsonrpc": "2.0", "id": f"roots-{self._number}", "method": "roots/list"}
        return f"{encode(request)}\n".encode()

    def take(self, message: dict[str, JsonValue]) -> Workspace:
        """Take the client's response; the project that is meant from now on."""
        if message.get("id") == f"roots-{self._number}":
            result = message.get("result")
            listed = result.get("roots") if isinstance(result, dict) else None
            if isinstance(listed, list):
                places = dict.fromkeys([place for root in listed[:MOST_ROOTS] if (place := self._place(root))])
                self._projects = list({id(each): each for each in [*map(self._project, places), self._given]}.values())
            self._let_go()
        return self._projects[0]

    def chosen(self, arguments: dict[str, JsonValue]) -> tuple[Workspace, dict[str, JsonValue]]:
        """The project that a call means, and the arguments as it knows them."""
        self._answered.acquire(True, PATIENCE)
        self._let_go()  # where it did not answer, later calls do not wait
        name, projects = arguments.get("cache"), self._projects
        if not isinstance(name, str) or len(projects) == 1:
            return projects[0], arguments
        folder, slash, rest = name.rpartition("/")
        for project in projects if slash else ():
            if folder == os.path.basename(os.path.realpath(project.project)):
                return project, {**arguments, "cache": rest}
        from holdfast.caches.meant_caches import has_cache

        return next((project for project in projects if has_cache(project, name)), projects[0]), arguments

    def _let_go(self) -> None:
        try:
            self._answered.release()
        except RuntimeError:
            pass  # another call that waited did it

    def _place(self, root: JsonValue) -> str:
        """The top of the project that a root is in; empty where it names no directory of this machine."""
        uri = root.get("uri") if isinstance(root, dict) else None
        if not isinstance(uri, str) or not uri.startswith(_SCHEME):
            return ""
        from urllib.parse import unquote

        host, slash, path = uri.removeprefix(_SCHEME).partition("/")
        path = unquote(slash + path, errors="surrogateescape")
        if host not in ("", "localhost") or "\0" in path or not os.path.isdir(path):
            return ""
        return os.path.realpath(project_root(path, self._given.environment.get("HOME", "")))

    def _project(self, place: str) -> Workspace:
        if place not in self._known:
            self._known[place] = self._given._replace(project=place)
        return self._known[place]
