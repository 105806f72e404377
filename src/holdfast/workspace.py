"""The world as one value: roots, clock and whatever else a process holds, passed to every operation."""

from __future__ import annotations

import os
from _thread import allocate_lock

from holdfast.core import posix_calls
from holdfast.core.confined_paths import beneath, lies_inside, link_out, printable, status_inside
from holdfast.core.errors import CacheMissing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Final, Literal, Protocol, TypeVar

    from holdfast.core.file_contents import FileContents

    Door = Literal["command", "tool"]

    class Counted(Protocol):
        """Counters of its use, as `FileContents.telemetry` has them."""

        def telemetry(self) -> dict[str, dict[str, int]]: ...

    Kept = TypeVar("Kept", bound=Counted)

DEFAULT_CACHE_ROOT = ".context/caches"

# What a project has at its top: its settings, its caches, its specs, its repository.
MARKERS = (
    *("context.toml", ".context", ".spec-context", ".spec-workflow", ".kiro", ".specify"),
    *("openspec/changes", "openspec/specs", "openspec/project.md", "openspec/config.yaml", ".git"),
)
_PACKAGE = os.path.dirname(os.path.realpath(__file__))  # the templates are read like any other file
_NOWHERE = os.devnull + "/nowhere"  # below what is no directory, so nothing can exist there


def user_cache_of(environment: Mapping[str, str]) -> str:
    """The directory where programs of this user keep what may be lost; empty where none is named."""
    named, home = environment.get("XDG_CACHE_HOME", ""), environment.get("HOME", "")
    if os.path.isabs(named):
        return named
    return os.path.join(home, ".cache") if os.path.isabs(home) else ""


def system_clock() -> float:
    """Seconds since 1970, from the system."""
    from time import time

    return time()


def _confinement(project: str, cache_root: str | None) -> tuple[str, ...]:
    root = cache_root if cache_root is not None else os.path.join(project, DEFAULT_CACHE_ROOT)
    led_out = cache_root is None and link_out(project, root)
    return (os.path.realpath(project), *(() if led_out else (os.path.realpath(root),)))


class Workspace:
    """Where the project and its caches are, how names lead to them, and what time it is.

    Its fields never change; `_replace` returns another workspace. `door` is the caller: a tool knows a cache by its
    name under the cache root and can reach nothing else; on the command line a cache is any path.
    """

    def __init__(
        self,
        project: str = ".",
        *,
        cache_root: str | None = None,
        door: Door = "command",
        clock: Callable[[], float] = system_clock,
        progress: Callable[[int, int], None] | None = None,
        phases: Callable[[str, int, int], None] | None = None,
        announce: Callable[[str], None] | None = None,
        confirm: Callable[[str, str], bool] | None = None,
        file_contents: FileContents | None = None,
        confine: bool = False,
        receipts: str | None = None,
        receipts_bytes: int | None = None,
        receipts_days: int | None = None,
        git_index: str = "",
        environment: Mapping[str, str] | None = None,
        user_cache: str = "",
        patience: float | None = None,
    ) -> None:
        self._given: Final = {name: value for name, value in locals().items() if name != "self"}
        self.project: Final = project
        self._named_root: Final = cache_root
        self.door: Final = door
        self.clock: Final = clock
        self.progress: Final = progress
        self.phases: Final = phases  # gets a phase, how much of it is done and how much there is to do (0: unknown)
        self.announce: Final = announce  # shows a line before the work it announces begins; None: nobody reads it
        self.confirm: Final = confirm  # shows a text and asks a yes-or-no question; None: nobody can answer
        self.receipts: Final = receipts  # the directory that takes a receipt of every search that is answered
        # How much that directory may hold, and how old a receipt may grow; None: the default size, and any age.
        self.receipts_bytes: Final = receipts_bytes
        self.receipts_days: Final = receipts_days
        self.user_cache: Final = user_cache  # the directory for what this machine remembers; empty: nowhere
        self.patience: Final = patience  # seconds that a call waits for a cache to be built; None: to its end
        self.environment: Final = environment or {}  # the variables of the caller
        self.git_index: Final = git_index  # the index that git named to a hook, where it is not the usual one
        # The real directories that nothing leads out of; empty when there is no such promise.
        self.confined_to: Final = _confinement(project, cache_root) if confine else ()
        self._file_contents = file_contents
        self._kept: Final[dict[object, Counted]] = {}
        self._making: Final = allocate_lock()

    def _replace(self, **changes: Any) -> Workspace:
        """The same world with these arguments changed, and nothing remembered yet."""
        return Workspace(**{**self._given, **changes})

    @property
    def cache_root(self) -> str:
        """The directory that holds the caches. CacheMissing where it was not named, and a link at its usual place leads
        out of the project: a clone may bring one, and what is there is none of the project's."""
        if self._named_root is not None:
            return self._named_root
        root = os.path.join(self.project, DEFAULT_CACHE_ROOT)
        if link := link_out(self.project, root):
            raise CacheMissing(
                f"'{printable(link)}' is a symbolic link that leads out of the project: remove it, or name the place "
                "that it leads to as --cache-root or $CONTEXT_CACHE_ROOT"
            )
        return root

    @property
    def user_config(self) -> str:
        """The directory of the user's own settings; empty where there is none, or nothing outside may be read."""
        named, home = self.environment.get("XDG_CONFIG_HOME", ""), self.environment.get("HOME", "")
        above = named if os.path.isabs(named) else os.path.join(home, ".config") if os.path.isabs(home) else ""
        return os.path.join(above, "holdfast") if above and not self.confined_to else ""

    @property
    def names_root(self) -> bool:
        """Whether the caller named the cache root."""
        return self._named_root is not None

    @property
    def written_root(self) -> str:
        """The cache root for a command that writes there; UnsafePath where a link leads out of the project."""
        if self._named_root is not None:
            return self._named_root
        return self.written(os.path.join(self.project, DEFAULT_CACHE_ROOT))

    def written(self, path: str) -> str:
        """A path that a command is about to write to; UnsafePath where a link in the project leads it out of there."""
        from holdfast.core.own_folder import check_stays

        check_stays(self.project, path)
        return path

    @property
    def file_contents(self) -> FileContents:
        """What this process remembers of the files it read; made when first asked for."""
        if self._file_contents is None:
            from holdfast.core.file_contents import ConfinedFiles, RememberedFiles

            files = None
            if self.confined_to:
                files = ConfinedFiles((*self.confined_to, _PACKAGE))
            with self._making:
                if self._file_contents is None:
                    self._file_contents = RememberedFiles(files)
        return self._file_contents

    def keep(self, kind: Callable[[], Kept]) -> Kept:
        """The one object of a kind that lives as long as the workspace, made when first asked for; it is counted."""
        with self._making:
            if kind not in self._kept:
                self._kept[kind] = kind()
            kept: Kept = self._kept[kind]  # type: ignore[assignment]  # it was made by `kind`
            return kept

    def telemetry(self) -> dict[str, dict[str, int]]:
        """For each namespace asked for so far, by name: how often what is remembered or kept could be used."""
        files, kept = self.looks()
        counters = {**files, **kept}
        return {namespace: counters[namespace] for namespace in sorted(counters)}

    def looks(self) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, int]]]:
        """Counters as (file reads, kept objects)."""
        files = {} if self._file_contents is None else self._file_contents.telemetry()
        kept: dict[str, dict[str, int]] = {}
        with self._making:
            objects = list(self._kept.values())
        for one in objects:
            kept.update(one.telemetry())
        return files, kept

    def stale(self) -> dict[str, int]:
        """How often what was remembered of a file, or a cache that was kept open, had changed and was not used."""
        with self._making:
            objects = list(self._kept.values())
        return {
            "file": getattr(self._file_contents, "stale", 0),
            "cache": sum([getattr(one, "stale", 0) for one in objects]),
        }

    def cache_directory(self, cache: str) -> str:
        """The path of a cache; CacheMissing when its name says that it leads out of the cache root.

        A person may give a path or a name below the cache root, and means the path where a cache is there. A tool's
        path is opened beneath the cache root, so a name that leads out by links leads nowhere then.
        """
        if self.door == "command":
            if not cache or "/" in cache or "\0" in cache or os.path.lexists(os.path.join(cache, "manifest.json")):
                return cache
            named = os.path.join(self.cache_root, cache)
            return named if os.path.isdir(named) or not os.path.lexists(cache) else cache
        path = beneath(self.cache_root, cache)
        if path is None:
            raise CacheMissing("a cache is a name below the cache root")
        return path

    def directory(self, path: str) -> str:
        """A directory argument, relative to the project; what leads out of a confined workspace leads nowhere."""
        named = self.named(path)
        return named if self.admits(named) else _NOWHERE

    def named(self, path: str) -> str:
        """What such an argument says, wherever it leads: for answers that repeat it.

        What a person types is meant from where they are, which may be below the project.
        """
        return path if path and self.door == "command" else os.path.join(self.project, path)

    def admits(self, path: str) -> bool:
        """Whether a path may be looked at: without confinement any, else what really lies inside the roots."""
        if not self.confined_to:
            return True
        if "\0" in path:
            return False
        real = os.path.realpath(path)
        return any(lies_inside(real, root) for root in self.confined_to)

    def status(self, path: str, *, dir_fd: int | None = None) -> os.stat_result:
        """`stat` of what may be looked at; OSError for everything else."""
        return (
            status_inside(path, self.confined_to, dir_fd=dir_fd)
            if self.confined_to
            else posix_calls.stat(path, dir_fd=dir_fd)
        )

    def timestamp(self) -> str:
        """Now, as RFC 3339 in UTC, to the second."""
        from time import gmtime, strftime

        return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(self.clock()))


def project_root(start: str, home: str = "") -> str:
    """The nearest directory from `start` upwards that has a marker; `start` itself when there is none.

    The home directory and the file system's root are never reached by walking: tools keep folders of their own there.
    """
    start = os.path.abspath(start)
    homes = (os.path.abspath(home), os.path.realpath(home)) if home else ()
    directory = start
    while not any(os.path.lexists(os.path.join(directory, marker)) for marker in MARKERS):
        directory = os.path.dirname(directory)
        if directory in homes or directory == os.path.dirname(directory):
            return start
    return directory
