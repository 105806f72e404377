"""Fixtures shared by all tests: sources, caches, doors and a fixed clock."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from holdfast import build_cache
from support.door_cases import SampledLibrary
from support.examples import load_profile
from support.explored import ExploreServer, lay_out_explored
from support.vectors import lay_out_sources, load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from support.doors import Door

FIXED_TIME = "2026-01-02T03:04:05Z"

load_profile()

# A shell starts a background job with SIGINT and SIGQUIT ignored, and every child process inherits that: a server would
# then ignore the interrupt that a test sends. A started program gets the default action where its parent has a handler.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGQUIT) is signal.SIG_IGN:
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)


@pytest.fixture(scope="session", autouse=True)
def user_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The user's cache directory for every command that a test starts: no test writes into the home of a person."""
    folder = tmp_path_factory.mktemp("user-cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield folder


@pytest.fixture
def make_cache(tmp_path: Path) -> Callable[..., Path]:
    """A function that builds a cache below `tmp_path` from {file name: text} and returns its path."""

    def make(documents: dict[str, str], name: str = "docs") -> Path:
        sources = tmp_path / f"{name}-sources"
        sources.mkdir()
        for file, text in documents.items():
            (sources / file).parent.mkdir(parents=True, exist_ok=True)
            (sources / file).write_bytes(text.encode())
        build_cache(sources, tmp_path / name, created_at=FIXED_TIME)
        return tmp_path / name

    return make


@pytest.fixture(scope="session")
def built_vector(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """A function that gives the cache of a vector: one a worker, to be read only, all in one root and named as it."""
    sources, caches = tmp_path_factory.mktemp("vector-sources"), tmp_path_factory.mktemp("vector-caches")

    def built(path: Path) -> Path:
        cache = caches / path.stem
        if not cache.exists():
            lay_out_sources(load(path), sources / path.stem)
            build_cache(sources / path.stem, cache, created_at=FIXED_TIME)
        return cache

    return built


@pytest.fixture
def door(tmp_path: Path) -> Door:
    """The library, with caches below `tmp_path`; tests/contract/test_doors.py has what the other doors are asked."""
    return SampledLibrary(tmp_path)


@pytest.fixture(scope="session")
def explored_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with something of everything, whose names try to break out of a page; one a worker."""
    return lay_out_explored(tmp_path_factory.mktemp("explored"))


@pytest.fixture(scope="session")
def explore_server(explored_project: Path) -> Iterator[ExploreServer]:
    """A `context explore` that shows it."""
    server = ExploreServer(explored_project, "--no-open")
    yield server
    server.end()
