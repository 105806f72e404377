"""The caches that a server keeps open between its calls."""

from __future__ import annotations

from _thread import allocate_lock
from time import time_ns

from holdfast.caches.on_disk.cache_directory import CacheDirectory
from holdfast.caches.on_disk.open_caches import WATCHED, usable_cache
from holdfast.core.errors import CacheInvalid, IoError
from holdfast.core.file_identity import are_settled
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar, TypeVarTuple

    from holdfast.caches.on_disk.open_caches import Cache
    from holdfast.core.file_identity import Identity

    Asked = TypeVarTuple("Asked")
    Result = TypeVar("Result")
    Identities = tuple[Identity, ...]

# Four threads on two caches; each holds five descriptors and some 50 bytes a document. Where more caches are asked, as
# one or in turn, one of each is kept, up to the second number.
MOST, MOST_DISTINCT = 8, 32
# A cache of many segments weighs as much as several of one.
_MOST_WEIGHT = 100


class TakenCache(NamedTuple):
    """A cache that one caller uses, and its identity if it may be kept afterwards."""

    path: str
    cache: Cache
    identity: Identities | None

    def give_up(self) -> bool:
        """Close the cache; returns whether it is still the one at its path."""
        current = self.cache.directory.is_current()
        self.cache.close()
        return current


class OpenCaches:
    """Caches that no call uses right now. A call takes one out and puts it back, so that no two share one."""

    def __init__(self, clock_ns: Callable[[], int] = time_ns) -> None:
        self._clock_ns = clock_ns
        self._lock = allocate_lock()
        self.joining = allocate_lock()  # held by who takes many at once: else calls together would take too many
        self._idle: list[tuple[str, Cache, Identities]] = []  # least recently used first
        self._counts = {"hits": 0, "misses": 0, "uncached": 0}
        self.stale = 0  # kept caches that were replaced or changed, and so not used

    def use(self, path: str, ask: Callable[[Cache, *Asked], Result], *asked: *Asked) -> Result:
        """What a method of `Cache` gives, asked of the complete cache at the path now.

        It is begun again when the cache was replaced underneath, as in `with_cache`.
        """
        while True:
            taken = self.take(path)
            try:
                result = ask(taken.cache, *asked)
            except (CacheInvalid, IoError):
                if taken.give_up():
                    raise
            except BaseException:
                taken.give_up()
                raise
            else:
                self.put_back(taken)
                return result

    def take(self, path: str) -> TakenCache:
        """The complete cache at the path now, for one caller, who puts it back or gives it up."""
        kept = self._take(path)
        cache, identity = kept or self._open(path)
        self._count("hits" if kept else "misses" if identity else "uncached")
        return TakenCache(path, cache, identity)

    def telemetry(self) -> dict[str, dict[str, int]]:
        """How often a call found its cache open (a hit), opened it, or opened one that may not be kept (`uncached`)."""
        with self._lock:
            return {"cache": dict(self._counts)} if any(self._counts.values()) else {}

    def close(self) -> None:
        """Let go of everything that is kept."""
        with self._lock:
            idle, self._idle = self._idle, []
        for _, cache, _ in idle:
            cache.close()

    def _take(self, path: str) -> tuple[Cache, Identities | None] | None:
        """A kept cache whose files are still those at the path."""
        while True:
            with self._lock:
                at = next((at for at, kept in enumerate(self._idle) if kept[0] == path), None)
                if at is None:
                    return None
                _, cache, identity = self._idle.pop(at)
            if cache.directory.is_unchanged(cache.watched, identity):
                return cache, identity
            with self._lock:
                self.stale += 1
            cache.close()

    def _open(self, path: str) -> tuple[Cache, Identities | None]:
        """The cache at the path, and its identity if it may be kept: every later change must show in that."""
        while True:
            started = self._clock_ns()
            directory = CacheDirectory(path)
            identity = directory.identity(WATCHED)  # before anything is read: a later change is then seen
            try:
                cache = usable_cache(directory)
            except (CacheInvalid, IoError):
                current = directory.is_current()
                directory.close()
                if current:
                    raise
            except BaseException:
                directory.close()
                raise
            else:
                if identity is None or not cache.is_compiled:
                    return cache, None
                identity += cache.opened
                return cache, identity if are_settled(identity, started) else None

    def put_back(self, taken: TakenCache) -> None:
        """Keep a cache for the next call, if it may be kept; what was used least is let go of for it."""
        path, cache, identity = taken
        if identity is None or not cache.is_compiled:
            cache.close()
            return
        dropped: list[Cache] = []
        with self._lock:
            self._idle.append((path, cache, identity))
            while (at := self._to_be_dropped()) is not None:
                dropped.append(self._idle.pop(at)[1])
        for old in dropped:
            old.close()

    def _to_be_dropped(self) -> int | None:
        """The index of the cache to close when too many are open (LRU, copies of one path first); None within
        bounds."""
        if len(self._idle) > 1 and sum([cache.weight for _, cache, _ in self._idle]) > _MOST_WEIGHT:
            return 0
        if len(self._idle) <= MOST:
            return None
        paths = [path for path, _, _ in self._idle]
        again = next((at for at, path in enumerate(paths) if path in paths[at + 1 :]), None)
        return again if again is not None else 0 if len(paths) > MOST_DISTINCT else None

    def _count(self, outcome: str) -> None:
        with self._lock:
            self._counts[outcome] += 1
