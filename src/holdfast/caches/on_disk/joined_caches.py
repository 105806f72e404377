"""Several caches of a project, open at once and searched as one."""

from __future__ import annotations

from holdfast.caches.search.joined_search import JoinedSource, PartFailed
from holdfast.caches.search.search_request import LeftOut
from holdfast.core.confined_paths import printable
from holdfast.core.errors import CacheInvalid, CacheMissing, ContextError, IoError, UsageError
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from holdfast.caches.on_disk.kept_caches import OpenCaches, TakenCache
    from holdfast.caches.search.code_source import CodeSource
    from holdfast.caches.search.search_request import SearchRequest
    from holdfast.caches.search.search_source import SearchSource

    Result = TypeVar("Result")

# Each holds five descriptors while it is asked; most systems give a process 1,024, some 256.
MOST_JOINED = 100


class NamedCache(NamedTuple):
    """A cache by what it is called, and where it is."""

    name: str
    path: str


def ask_as_one(
    pool: OpenCaches,
    caches: Sequence[NamedCache],
    request: SearchRequest,
    ask: Callable[[SearchSource, SearchRequest], Result],
    code: CodeSource | None = None,
    *,
    as_one: bool = True,
) -> tuple[Result, list[ContextError]]:
    """Ask several caches as one. Returns the result and the errors of caches that could not be asked.

    One call asks at a time: together they would hold too many descriptors, and be no sooner done.
    A cache whose index cannot be used is asked by its documents; one that was replaced underneath is asked again. The
    failure of the first is raised where none can be asked.
    """
    if len(caches) > MOST_JOINED:
        raise CacheMissing(f"{len(caches)} caches are more than the {MOST_JOINED} that can be asked as one: name one")
    with pool.joining:
        return _asked(pool, caches, request, ask, code, as_one)


def _asked(
    pool: OpenCaches,
    caches: Sequence[NamedCache],
    request: SearchRequest,
    ask: Callable[[SearchSource, SearchRequest], Result],
    code: CodeSource | None,
    as_one: bool,
) -> tuple[Result, list[ContextError]]:
    session = _Session(pool, caches, code)
    of_code = "" if code is None else code.name
    plain = (of_code,) if as_one else (of_code, *[cache.name for cache in caches])
    try:
        while True:
            try:
                source = JoinedSource(session.sources(), plain)
                left_out = tuple(dict.fromkeys((*session.still_out(request), *session.left_out)))
                asked = request._replace(cache="", caches=source.caches, left_out=left_out)
                return ask(source, asked), session.failures
            except PartFailed as failure:
                if failure.name == of_code:
                    raise failure.error from None
                session.doubt(failure.name, failure.error)
    finally:
        session.end()


class _Session:
    """The caches that one search holds open, and which of them turned out not to hold."""

    def __init__(self, pool: OpenCaches, caches: Sequence[NamedCache], code: CodeSource | None) -> None:
        self._pool, self._caches, self._code = pool, caches, code
        self._taken: dict[str, TakenCache] = {}
        self._plain: set[str] = set()  # asked by their documents, since their index was of no use
        self.left_out: list[LeftOut] = []
        self.failures: list[ContextError] = []

    def sources(self) -> dict[str, SearchSource]:
        """The search source of each cache that can be asked."""
        found: dict[str, SearchSource] = {} if self._code is None else {self._code.name: self._code}
        for name, path in self._caches:
            while name not in found and not any(left.name == name for left in self.left_out):
                try:
                    if name not in self._taken:
                        self._taken[name] = self._pool.take(path)
                        self._check_room()
                    found[name] = self._taken[name].cache.search_source(plain=name in self._plain)
                except (CacheInvalid, CacheMissing, IoError) as error:
                    self._fail(name, error)
        if not found:
            raise self.failures[0] if self.failures else CacheMissing("there is no cache")
        return found

    def still_out(self, request: SearchRequest) -> list[LeftOut]:
        """The request's left-out caches, without parts of caches that are asked: those are looked for again."""
        asked = {name for name, _ in self._caches}
        return [left for left in request.left_out if left.name.rpartition("/")[0] not in asked]

    def doubt(self, name: str, error: Exception) -> None:
        """Take note of what a cache raised: it is asked by its documents next, and left out after that."""
        if name not in self._plain:
            self._plain.add(name)
        else:
            self._fail(name, error if isinstance(error, ContextError) else IoError(f"cannot be read: {error}"))

    def _check_room(self) -> None:
        held = sum([taken.cache.weight for taken in self._taken.values()])
        if held > MOST_JOINED:
            raise UsageError("the caches are larger than can be asked as one: name one")

    def end(self) -> None:
        """Give back what is open."""
        for taken in self._taken.values():
            self._pool.put_back(taken)

    def _fail(self, name: str, error: ContextError) -> None:
        """Leave a cache out, unless another is in its place by now."""
        taken = self._taken.pop(name, None)
        if taken is not None and not taken.give_up():
            self._plain.discard(name)
            return
        why = {CacheMissing.code: "gone", IoError.code: "unreadable"}.get(error.code, "damaged")
        self.left_out.append(LeftOut(name, why))
        error.reason = f"cache '{printable(name)}': {error.reason}"
        self.failures.append(error)
