"""Keep caches open between the calls of a server, each proven to be the one the path leads to before it is used."""

from __future__ import annotations

from _thread import allocate_lock
from time import time_ns

from holdfast.caches.on_disk.compiled import WORDS_FILE
from holdfast.caches.on_disk.directory import DOCUMENTS, INDEX, MANIFEST, SECTIONS_FILE, CacheDirectory
from holdfast.caches.on_disk.reading import Cache
from holdfast.core.errors import CacheInvalid, IoError
from holdfast.core.file_identity import are_settled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar, TypeVarTuple

    from holdfast.core.file_identity import Identity

    Asked = TypeVarTuple("Asked")
    Result = TypeVar("Result")
    Identities = tuple[Identity, ...]

# Four threads on two caches; each holds five descriptors and some 50 bytes a document.
MOST = 8
_WATCHED = (MANIFEST, INDEX, WORDS_FILE, SECTIONS_FILE, DOCUMENTS)


class OpenCaches:
    """Caches that no call uses right now. A call takes one out and puts it back, so that no two share one."""

    def __init__(self, clock_ns: Callable[[], int] = time_ns) -> None:
        self._clock_ns = clock_ns
        self._lock = allocate_lock()
        self._idle: list[tuple[str, Cache, Identities]] = []  # least recently used first
        self._counts = {"hits": 0, "misses": 0, "uncached": 0}

    def use(self, path: str, ask: Callable[[Cache, *Asked], Result], *asked: *Asked) -> Result:
        """What a method of `Cache` gives, asked of the complete cache that stands at the path now.

        It is begun again when the cache was replaced underneath, as in `reading.with_cache`.
        """
        while True:
            kept = self._take(path)
            cache, identity = kept or self._open(path)
            self._count("hits" if kept else "misses" if identity else "uncached")
            try:
                result = ask(cache, *asked)
            except (CacheInvalid, IoError):
                current = cache.directory.is_current()
                cache.close()
                if current:
                    raise
            except BaseException:
                cache.close()
                raise
            else:
                self._put_back(path, cache, identity)
                return result

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
        """A kept cache that is still, in every file that counts, what stands at the path."""
        while True:
            with self._lock:
                at = next((at for at, kept in enumerate(self._idle) if kept[0] == path), None)
                if at is None:
                    return None
                _, cache, identity = self._idle.pop(at)
            if cache.directory.is_current() and cache.directory.identity(_WATCHED) == identity:
                return cache, identity
            cache.close()

    def _open(self, path: str) -> tuple[Cache, Identities | None]:
        """The cache at the path, and its identity if it may be kept: every later change must show in that."""
        while True:
            started = self._clock_ns()
            directory = CacheDirectory(path)
            identity = directory.identity(_WATCHED)  # before anything is read: a later change is then seen as one
            try:
                cache = Cache(directory)
            except (CacheInvalid, IoError):
                current = directory.is_current()
                directory.close()
                if current:
                    raise
            except BaseException:
                directory.close()
                raise
            else:
                may_be_kept = identity is not None and cache.is_compiled and are_settled(identity, started)
                return cache, identity if may_be_kept else None

    def _put_back(self, path: str, cache: Cache, identity: Identities | None) -> None:
        if identity is None or not cache.is_compiled:
            cache.close()
            return
        with self._lock:
            self._idle.append((path, cache, identity))
            dropped = self._idle[:-MOST]
            del self._idle[:-MOST]
        for _, old, _ in dropped:
            old.close()

    def _count(self, outcome: str) -> None:
        with self._lock:
            self._counts[outcome] += 1
