"""Fixtures shared by all tests: sources, caches, doors and a fixed clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from holdfast import build_cache
from support.doors import CallCommand, Library, StdioServer
from support.explored import ExploreServer, lay_out_explored
from support.vectors import lay_out_sources, load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from support.doors import Door

FIXED_TIME = "2026-01-02T03:04:05Z"

# No test is about time: on a machine that others use an example takes as long as it takes.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")


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


@pytest.fixture(params=["library", "call command", "server", "http"])
def door(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Door]:
    """Each way in, in turn; caches are found below `tmp_path`."""
    if request.param == "server":
        with StdioServer(tmp_path) as server:
            yield server
    elif request.param == "http":
        from support.http_server import HttpServer  # only these tests wait for the SDK

        with HttpServer(tmp_path) as http:
            yield http
    elif request.param == "library":
        yield Library(tmp_path)
    else:
        yield CallCommand(tmp_path)


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
