"""Every directory that counts, with the state of its context."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holdfast.contexts.freshness import MISSING
from holdfast.contexts.on_disk.claim_subjects import judge, look_ahead
from holdfast.contexts.on_disk.directory_view import DirectoryView, Headline
from holdfast.contexts.on_disk.project import Project
from holdfast.core.errors import ContextCorrupt, ContextMissing, UnsupportedVersion

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.contexts.claims import Change
    from holdfast.contexts.freshness import State
    from holdfast.contexts.on_disk.claim_subjects import OfFiles
    from holdfast.contexts.on_disk.project import Found

# Fewer directories than this are read faster than threads start.
_FEW = 16
# Directories whose files are held at once.
_BATCH = 200


class Entry(NamedTuple):
    """A kept directory in a listing."""

    scope: str
    place: str
    state: State
    headline: Headline | None
    problem: str = ""  # what is wrong with a context that is there and cannot be used
    changes: Sequence[Change] = ()  # what changed of what its claims are about


class Listing(NamedTuple):
    """The kept directories in order of scope, and how many were too small to keep."""

    entries: list[Entry]
    skipped: int


def list_project(project: Project, progress: Callable[[int, int], None] | None = None) -> Listing:
    """Look at the whole project. Raises OSError when its root cannot be read."""
    found = project.directories()
    kept = [directory for directory in found if directory.kept]
    judge_all([directory.view for directory in kept if directory.view is not None], progress)
    entries = []
    for at in range(0, len(kept), _BATCH):
        batch = kept[at : at + _BATCH]
        known = look_ahead(project, batch)
        entries += [Entry(item.scope, item.place, *_verdict(project, item, known)) for item in batch]
    entries.sort(key=lambda entry: (entry.scope, entry.place))
    return Listing(entries, len(found) - len(kept))


def judge_all(views: list[DirectoryView], progress: Callable[[int, int], None] | None = None) -> None:
    """Read and hash what the views need for their verdict, many at a time; those judged before cost nothing."""
    pending = [view for view in views if view.has_context and not view.is_judged and not view.has_claims]
    if len(pending) < _FEW:
        for view in pending:
            view.freshness()
        return
    from concurrent.futures import ThreadPoolExecutor
    from os import cpu_count

    workers = min(32, (cpu_count() or 1) * 2)
    size = max(1, min(64, len(pending) // workers))
    chunks = [pending[at : at + size] for at in range(0, len(pending), size)]
    done = 0
    with ThreadPoolExecutor(workers) as pool:
        for judged in pool.map(_judge, chunks):
            done += judged
            if progress is not None:
                progress(done, len(pending))


def _judge(views: list[DirectoryView]) -> int:
    for view in views:
        view.freshness()
    return len(views)


def _verdict(project: Project, item: Found, known: OfFiles) -> tuple[State, Headline | None, str, Sequence[Change]]:
    view = item.view
    if view is None:
        return MISSING, None, "the directory cannot be read", ()
    if not view.has_context:
        return MISSING, None, "", ()
    try:
        found = judge(project, item.place, view, known)
        return found.state, view.headline(), "", found.changes
    except (ContextMissing, ContextCorrupt, UnsupportedVersion) as error:
        return MISSING, None, error.reason, ()
