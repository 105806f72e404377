"""Builds on one Ray, started by this program and ended with it, as a table in JSON of what came of each.

A program of its own: Ray takes over what pytest watches (signals, warnings, standard error), and one Ray serves all.

    python tests/support/ray_session.py FOLDER     which holds sources: the folders in `corpora`, `longer`, `listed`
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

from holdfast.caches.build import build, engines, ray_cluster, ray_engine, sharded_build
from holdfast.caches.build.engine_tasks import compile_range, count_stretch
from holdfast.caches.build.source_item import SourceItem
from holdfast.caches.readers.reader_table import reader_of
from holdfast.core.errors import ContextError

CREATED_AT = "2026-01-02T03:04:05Z"
WORKERS = 2


class Session:
    """The folder, and the engines that builds opened."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.opened: list[Any] = []
        self._number = 0

    def target(self) -> Path:
        """Where a cache may be put, in a folder of its own."""
        self._number += 1
        folder = self.home / "built" / str(self._number)
        folder.mkdir(parents=True)
        return folder / "cache"

    def open_engine(self, wanted: str | None, workers: int | None) -> Any:
        """As the build's own, and remembered."""
        self.opened.append(engines.open_engine(wanted, workers))
        return self.opened[-1]

    def built(self, sources: Path, engine: str = "ray") -> dict[str, str]:
        """The digest of every file of a cache."""
        cache = self.target()
        build.build_cache(sources, cache, created_at=CREATED_AT, engine=engine, workers=1)
        return digests(cache)

    def is_same(self, sources: Path) -> bool:
        """Whether both engines give the same bytes."""
        return self.built(sources) == self.built(sources, "local")

    def refusal(self, sources: Path) -> list[object]:
        """What a build that fails says, with its exit code, and what it leaves."""
        cache = self.target()
        try:
            build.build_cache(sources, cache, created_at=CREATED_AT, engine="ray")
        except ContextError as error:
            return [error.code, error.exit_code, error.reason, os.listdir(cache.parent)]
        return ["it was built"]


@contextmanager
def put_in_place(module: ModuleType, name: str, value: object) -> Iterator[None]:
    """Something else under a name of a module, for a while."""
    usual = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, usual)


def digests(cache: Path) -> dict[str, str]:
    """Every file of a cache by its path."""
    files = sorted(file for file in cache.rglob("*") if file.is_file())
    return {str(file.relative_to(cache)): sha256(file.read_bytes()).hexdigest() for file in files}


def corpora(session: Session) -> dict[str, bool]:
    return {folder.name: session.is_same(folder) for folder in sorted((session.home / "corpora").iterdir())}


def listed(session: Session) -> bool:
    """A source of every format, each read by its reader."""
    docs = session.home / "listed"
    readers = {path: reader_of(path.name) for path in sorted(docs.iterdir())}
    items = [
        SourceItem(path.name, str(path), reader.name, str(docs), str(docs))
        for path, reader in readers.items()
        if reader
    ]
    found = []
    for engine in ("local", "ray"):
        cache = session.target()
        report = build.build_documents(items, cache, created_at=CREATED_AT, engine=engine, workers=1)
        found.append((digests(cache), report))
    return len(items) > 5 and found[0] == found[1]


def sharded(session: Session) -> bool:
    """A cache in shards, whose parts are all counted before the first is compiled, and the last of them is empty."""
    folder = session.home / "corpora" / "long"
    items = [SourceItem(f"p{n}.md", str(folder / f"p{n}.md"), "markdown-2", str(folder), str(folder)) for n in range(5)]
    broken = session.home / "broken.ipynb"
    broken.write_text("{")
    items += [SourceItem(f"{n}.ipynb", str(broken), "notebook-2", str(folder), str(folder)) for n in ("y", "z")]
    found = []
    for engine in ("local", "ray"):
        cache = session.target()
        report = sharded_build.build_shards(items, str(cache), len(items), created_at=CREATED_AT, engine=engine)
        found.append((digests(cache), report))
    return len(found[0][0]) == 5 * 5 + 1 and found[0] == found[1]


def killed_once(session: Session) -> list[bool]:
    """A worker that is killed in the middle of a task, of either half, changes nothing."""
    sources = session.home / "corpora" / "long"
    expected, found = session.built(sources, "local"), []
    for name, task in (("count_stretch", count_stretch), ("compile_range", compile_range)):
        marker = session.home / f"killed-{name}"
        with put_in_place(ray_engine, name, dying(task, str(marker))):
            found.append(session.built(sources) == expected and marker.exists())
    return found


def dying(task: Callable[..., Any], marker: str) -> Callable[..., Any]:
    """The task, whose worker is killed the first time; without a marker each time."""

    def die(*arguments: Any) -> Any:
        try:
            if marker:
                open(marker, "x").close()
        except FileExistsError:
            pass  # one was killed before, or is at this moment
        else:
            os.kill(os.getpid(), signal.SIGKILL)
        return task(*arguments)

    return die


def killed_always(session: Session) -> list[object]:
    with put_in_place(ray_engine, "count_stretch", dying(count_stretch, "")):
        return session.refusal(session.home / "corpora" / "all")


def other_release(session: Session) -> list[list[object]]:
    """Told by the first worker that is asked, and by each task."""
    found = []
    for module in (ray_cluster, ray_engine):
        with put_in_place(module, "__version__", "9.9.9"):
            found.append(session.refusal(session.home / "corpora" / "all"))
    return found


def no_holdfast(session: Session) -> list[object]:
    """Workers that cannot import the package: something stands before it on their path."""
    import ray

    hidden = session.home / "hidden"
    hidden.mkdir()
    (hidden / "holdfast.py").write_text("raise ModuleNotFoundError(\"No module named 'holdfast'\")\n")
    remote = ray.remote(runtime_env={"env_vars": {"PYTHONPATH": str(hidden)}})
    with put_in_place(ray, "remote", remote):
        return session.refusal(session.home / "corpora" / "all")


def bug(session: Session) -> list[object]:
    def broken(*_arguments: Any) -> Any:
        raise LookupError("the key")

    with put_in_place(ray_engine, "count_stretch", broken):
        return session.refusal(session.home / "corpora" / "all")


def memory(session: Session) -> list[int]:
    """KiB that workers held for a corpus, and how many more for one ten times as long."""
    found = []
    for name in ("corpora/long", "longer"):
        session.built(session.home / name)
        found.append(max(session.opened[-1].peaks.values()))
    return [found[0], found[1] - found[0]]


def by_client(session: Session) -> list[object]:
    """The command, which reaches the same Ray by its client."""
    import ray

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = ray.get_runtime_context().gcs_address
    server = subprocess.Popen(
        [sys.executable, "-m", "ray.util.client.server", f"--address={address}", "--host=127.0.0.1", f"--port={port}"],
        stderr=subprocess.DEVNULL,
    )
    try:
        while server.poll() is None:
            with socket.socket() as asked:
                if not asked.connect_ex(("127.0.0.1", port)):
                    break
        cache = session.target()
        sources = str(session.home / "corpora" / "all")
        words = ["build", "--sources", sources, "--cache", str(cache), "--engine", f"ray://127.0.0.1:{port}"]
        done = subprocess.run(
            [sys.executable, "-m", "holdfast", *words],
            capture_output=True,
            env={**os.environ, "SOURCE_DATE_EPOCH": "1767323045"},
        )
        is_same = cache.exists() and digests(cache) == session.built(Path(sources), "local")
        return [done.returncode, done.stderr.decode(), is_same]
    finally:
        server.kill()
        server.wait()


SCENES: tuple[Callable[[Session], object], ...] = (
    *(corpora, listed, sharded, memory, killed_once, killed_always, other_release, no_holdfast, bug, by_client),
)


def main(home: Path) -> None:
    ray_engine.STRETCH_BYTES = ray_engine._LEAST_BYTES = 256 << 10
    ray_engine.RANGE_BYTES = 512 << 10
    session = Session(home)
    vars(build)["open_engine"] = session.open_engine
    own = ray_cluster.RayCluster("", WORKERS)
    told: dict[str, object] = {}
    try:
        try:
            own.connect()
        except ContextError as error:
            print(json.dumps({"not started": error.reason}))
            return
        for scene in SCENES:
            try:
                told[scene.__name__] = scene(session)
            except Exception:
                told[scene.__name__] = traceback.format_exc()
        import ray  # not before there is one: a Ray that is loaded earlier asks for a token of its own

        told["still connected"] = ray.is_initialized()
    finally:
        own.leave()
    print(json.dumps(told))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
