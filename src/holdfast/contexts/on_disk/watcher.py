"""Telling of contexts that change state while files do."""

from __future__ import annotations

from time import monotonic, sleep
from typing import TYPE_CHECKING

from holdfast.contexts.freshness import FRESH, GONE
from holdfast.contexts.on_disk.listing import list_project
from holdfast.contexts.on_disk.project import Project
from holdfast.core.errors import IoError

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.contexts.freshness import State
    from holdfast.contexts.shapes import StateChange
    from holdfast.core.file_contents import FileContents

_INTERVAL = 0.5
# A look costs little once the files are remembered; a project where it does not is looked at less often.
_SHARE = 5


def _wait(seconds: float) -> bool:
    sleep(seconds)
    return True


def watch_project(
    contents: FileContents,
    root: str,
    *,
    tell: Callable[[StateChange], None],
    wait: Callable[[float], bool] = _wait,
    untracked: bool = False,
) -> int:
    """Report every directory whose state changes, one event each, until interrupted; returns how many.

    The first look reports every directory that is not fresh. `wait` pauses between two looks; False ends the watch.
    """
    known: dict[str, State] = {}
    reported = 0
    try:
        while True:
            started = monotonic()
            now = _states(contents, root, untracked=untracked)
            for scope in sorted(known.keys() | now.keys()):
                state = now.get(scope, GONE)
                if state != known.get(scope, FRESH):
                    tell({"scope": scope, "state": state})
                    reported += 1
            known = now
            if not wait(max(_INTERVAL, _SHARE * (monotonic() - started))):
                break
    except KeyboardInterrupt:
        pass  # that is how a watch ends
    return reported


def _states(contents: FileContents, root: str, *, untracked: bool) -> dict[str, State]:
    try:
        project = Project(contents, root, untracked=untracked)
        return {entry.scope: entry.state for entry in list_project(project).entries}
    except OSError as error:
        raise IoError(f"the project cannot be read: {error.strerror}") from None
