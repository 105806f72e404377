"""Caches as their sources are now: before a search or a read answers, what changed since the build is built.

A process keeps the stamps of every path that decided a build; while none differs, a cache is current. Otherwise it is
synced as `context sync` does, except that no file which git tracks is written and nothing waits for the disk. Of each
cache one refresh runs at a time. A call that comes while one runs waits for it, and for at most one more, which began
after the call.
"""

from __future__ import annotations

import itertools
import os
from _thread import allocate_lock, get_ident, start_new_thread
from time import monotonic, time_ns

from holdfast.caches.build.machine_state import read_state
from holdfast.core.errors import CacheBuilding, CacheMissing, CacheStale, ContextError
from holdfast.core.file_identity import are_settled, identity
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.caches.build.project_directory import Project
    from holdfast.caches.build.source_state import SourceState
    from holdfast.caches.project.project_file import DeclaredCache, ProjectFile
    from holdfast.core.file_identity import Identity
    from holdfast.workspace import Workspace

_MANIFEST = "manifest.json"


# Threads in which no call may wait.
HASTY: set[int] = set()


# By the id of a waiting thread, its callback: takes the seconds waited and the progress of the refresh.
WATCHERS: dict[int, Callable[[float, str], None]] = {}
_BETWEEN = 1.0  # seconds


class RefreshDue(BaseException):
    """A call in such a thread found that a cache has to be refreshed: it is to be run in another one."""


class _Watch(NamedTuple):
    """The stamps of paths, the manifest of the built cache among them."""

    paths: list[str]
    stamps: list[Identity]

    def holds(self) -> bool:
        """Whether nothing changed: a `stat` for every path."""
        try:
            return list(map(identity, map(os.stat, self.paths))) == self.stamps
        except OSError:
            return False


def _watch(cache: str, paths: Sequence[str], started: int) -> _Watch | None:
    """What to compare from now on; None where a change since `started`, or a later one, could leave stamps equal.

    For a path that leads to nothing it is the nearest folder above it, which changes when something appears there.
    """
    try:
        found = _stamps(paths)
        if are_settled(found.values(), started):
            manifest = os.path.join(cache, _MANIFEST)
            found[manifest] = identity(os.stat(manifest))
            return _Watch(list(found), list(found.values()))
    except OSError:
        pass
    return None


def _stamps(paths: Sequence[str]) -> dict[str, Identity]:
    """By path its stamps; for a path that leads to nothing those of the nearest folder above it."""
    known: dict[str, Identity | None] = {}
    waiting = list(paths)

    def is_there(path: str) -> bool:
        if path not in known:
            try:
                known[path] = identity(os.stat(path))
            except OSError:
                known[path] = None
                if os.path.islink(path):  # what it misses may appear where it leads
                    waiting.append(os.path.realpath(path))
        return known[path] is not None

    nearest: dict[str, str] = {}  # of folders that are not there
    found: dict[str, Identity] = {}
    for path in waiting:
        place = above = os.path.dirname(path)
        if is_there(above):
            place = path if is_there(path) else above
        elif not (place := nearest.get(above, "")):
            # From the top, since a text may name folders without end that are not there.
            ends = (at for at, letter in enumerate(above) if letter == os.sep)
            for folder in itertools.takewhile(is_there, (above[: max(end, 1)] for end in ends)):
                place = nearest[above] = folder
        if (stamp := known.get(place)) is not None:
            found[place] = stamp
    return found


class Run:
    """One refresh: when it began, how far it is, and how it ended."""

    def __init__(self) -> None:
        self.started = monotonic()
        self.progress = ""
        self.error: BaseException | None = None
        self._running = allocate_lock()
        self._running.acquire()

    def phase(self, phase: str, done: int, total: int) -> None:
        self.progress = f"{phase} {done:,} of {total:,}" if total else f"{phase} {done:,}"

    def end(self) -> None:
        self._running.release()

    def wait(self, until: float | None) -> bool:
        """Whether it ended by this time; None waits for the end. Reports progress to this thread's watcher."""
        began, tell = monotonic(), WATCHERS.get(get_ident())
        while True:
            left = -1 if until is None else max(until - monotonic(), 0)
            if self._running.acquire(True, left if tell is None or 0 <= left < _BETWEEN else _BETWEEN):
                self._running.release()
                return True
            if until is not None and monotonic() >= until:
                return False
            if tell is not None:
                tell(round(monotonic() - began, 3), self.progress or "waiting")


class Runs:
    """Work that calls wait for: under each name one run at a time."""

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._runs: dict[str, Run] = {}

    def wait_for(
        self, name: str, is_current: Callable[[], bool], work: Callable[[Run], None], patience: float | None
    ) -> None:
        """Return once what is named is current, or was made so since the call; raises what its run raised.

        CacheBuilding where that takes longer than `patience` seconds: it goes on meanwhile.
        """
        arrived = monotonic()
        while not is_current():
            if get_ident() in HASTY:
                raise RefreshDue
            with self._lock:
                run = self._runs.get(name)
                if is_own := run is None:
                    run = self._runs[name] = Run()
            if is_own and patience is None:
                self._carry_out(name, run, work)
            elif is_own:
                try:
                    start_new_thread(self._carry_out, (name, run, work))
                except RuntimeError:  # no more threads here
                    self._carry_out(name, run, work)
            if not run.wait(None if patience is None else arrived + patience):
                raise CacheBuilding(os.path.basename(name), run.progress)
            if run.started >= arrived:
                if run.error is not None:
                    raise run.error
                return

    def _carry_out(self, name: str, run: Run, work: Callable[[Run], None]) -> None:
        try:
            work(run)
        except BaseException as error:
            run.error = error
        finally:
            with self._lock:
                del self._runs[name]
            run.end()


class Refreshes(Runs):
    """What a process knows of the caches it refreshes; one for a workspace."""

    def __init__(self) -> None:
        super().__init__()
        self._watched: dict[str, _Watch | None] = {}
        self.memory: dict[str, SourceState] = {}

    def telemetry(self) -> dict[str, dict[str, int]]:
        """Nothing is counted."""
        return {}

    def forget(self, cache: str) -> bool:
        """Look at everything again at the next call; whether the cache at the path is one that is refreshed."""
        is_known = cache in self._watched
        self._watched[cache] = None
        return is_known

    def bring_up(self, cache: str, sync: Callable[[Run], Sequence[str]], patience: float | None) -> None:
        """Return once the cache at a path is current (see `wait_for`); `sync` returns the paths to watch."""

        def is_current() -> bool:
            watch = self._watched.get(cache)
            return watch is not None and watch.holds()

        def work(run: Run) -> None:
            started = time_ns()
            self._watched[cache] = None
            self._watched[cache] = _watch(cache, sync(run), started)

        self.wait_for(cache, is_current, work, patience)


def refresh(
    workspace: Workspace, project: Project, file: ProjectFile, caches: Sequence[DeclaredCache], *, frozen: bool
) -> dict[str, ContextError]:
    """Bring caches up to their sources, or with `frozen` check them against those; what failed, by cache.

    Caches of registries, packages and git checkouts stay at what was pulled or built; one that is not there is built.
    """
    failures: dict[str, ContextError] = {}
    for cache in caches:
        try:
            home, own = (project, cache) if not cache.is_user else _of_user(project, cache)
            if frozen:
                _check(project, file, cache)
            elif home is not None and _is_due(workspace, home, own):
                _bring_up(workspace, home, file, own)
        except ContextError as error:
            failures[cache.name] = error
    return failures


def _of_user(project: Project, cache: DeclaredCache) -> tuple[Project | None, DeclaredCache]:
    """Where a cache of the user is built; None where the user declared none, and the project has a copy of it."""
    from holdfast.caches.build.user_caches import located

    try:
        return located(project, cache)
    except CacheMissing:
        if os.path.lexists(os.path.join(project.cache(cache.name), _MANIFEST)):
            return None, cache
        raise


def _is_due(workspace: Workspace, project: Project, cache: DeclaredCache) -> bool:
    """Whether a cache is to be compared with its sources, or built."""
    place = project.cache_root
    while not os.path.exists(place):
        place = os.path.dirname(place)
    can_write = not workspace.confined_to and os.access(place, os.W_OK)
    if not os.path.lexists(os.path.join(project.cache(cache.name), _MANIFEST)):
        if cache.oci:
            pulls = f"'context sync {cache.name}' pulls it"
            raise CacheMissing(f"the cache '{cache.name}' lies in a registry and is not here yet", next_step=pulls)
        if not can_write:
            builds = f"'context sync {cache.name}' builds it, where its folder can be written and without --confine"
            raise CacheMissing(f"the cache '{cache.name}' is not built and cannot be built here", next_step=builds)
        return True
    folders = [os.path.join(project.path, source.path) for source in cache.sources if not source.is_git]
    # A cache can be served from a disk that cannot be written.
    if cache.oci or not folders or not can_write:
        return False
    # It can be carried to a machine without its sources; where this one built it, they are gone.
    return any(map(os.path.exists, folders)) or bool(read_state(project, cache.name).cache_version)


def _bring_up(workspace: Workspace, project: Project, file: ProjectFile, cache: DeclaredCache) -> None:
    refreshes, path = workspace.keep(Refreshes), project.cache(cache.name)
    if not project.user_cache:
        project.memory = refreshes.memory
    is_first = not os.path.lexists(path)

    def sync(run: Run) -> Sequence[str]:
        from holdfast.caches.build.build_order import BuildOrder
        from holdfast.caches.build.project_directory import check_tokenizer
        from holdfast.caches.build.sync import sync_cache

        def show(phase: str, done: int, total: int) -> None:
            run.phase(phase, done, total)
            if is_first and workspace.phases is not None:
                workspace.phases(phase, done, total)

        order = BuildOrder(workspace.timestamp(), tokenizer=check_tokenizer(file), progress=show, flushes=False)
        return sync_cache(project, cache, order).watched

    refreshes.bring_up(path, sync, workspace.patience)


def _check(project: Project, file: ProjectFile, cache: DeclaredCache) -> None:
    """CacheStale where a cache is not what the lock names, or its sources have changed."""
    from holdfast.caches.build.cache_check import check_cache
    from holdfast.caches.build.project_directory import check_tokenizer

    reasons = check_cache(project, cache, project.lock(), check_tokenizer(file), lock_only=False)
    if reasons:
        raise CacheStale(f"cache '{cache.name}': {'; '.join(reasons)}")
