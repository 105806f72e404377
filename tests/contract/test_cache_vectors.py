"""Every cache vector, through the library, the command and the server, compared as raw bytes."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast import ContextError, build_cache, open_cache, verify_cache
from holdfast.caches.selection import as_json
from holdfast.core.canonical_json import encode, encode_pretty
from support.doors import EXIT_CODES, StdioServer, run_context
from support.vectors import cache_vectors, lay_out_sources, load

VECTORS = cache_vectors()
CREATED_AT = re.compile(rb'"created_at": "[^"]*"')


def name(path: Path) -> str:
    return path.stem


def with_large_apart(paths: list[Path]) -> list[Any]:
    """The largest takes as long as all others: the library always reads it, other doors in CI alone."""
    large = {"07-f32-tiny-generated"}
    return [pytest.param(path, marks=[pytest.mark.rough] if path.stem in large else []) for path in paths]


def same_text(text: str, query: dict[str, Any]) -> bool:
    """Whether a text is what the vector recorded, or has its hash and length where only those were recorded."""
    data = text.encode()
    if "stdout" in query:
        return data == str(query["stdout"]).encode()
    return hashlib.sha256(data).hexdigest() == str(query["stdout_sha256"]) and len(data) == int(query["stdout_len"])


def files_of(cache: Path) -> dict[str, dict[str, object]]:
    documents = sorted((cache / "documents").iterdir())
    return {
        file.name: {"size": file.stat().st_size, "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
        for file in documents
    }


def check_what_is_on_disk(cache: Path, vector: dict[str, Any]) -> None:
    if "cache" not in vector:
        return
    manifest = CREATED_AT.sub(b'"created_at": "@CREATED_AT@"', (cache / "manifest.json").read_bytes())
    assert manifest == vector["cache"]["manifest_json"].encode()
    assert (cache / "index.json").read_bytes() == vector["cache"]["index_json"].encode()
    assert files_of(cache) == vector["cache"]["documents"]


@pytest.mark.parametrize("path", VECTORS, ids=name)
def test_the_library_builds_and_resolves_what_the_vector_recorded(path: Path, tmp_path: Path) -> None:
    vector = load(path)
    lay_out_sources(vector, tmp_path / "sources")
    cache = tmp_path / "cache"
    if vector["build"]["exit_code"]:
        with pytest.raises(ContextError) as caught:
            build_cache(tmp_path / "sources", cache)
        assert caught.value.exit_code == vector["build"]["exit_code"]
        assert os.listdir(tmp_path) == ["sources"]
        return
    report = build_cache(tmp_path / "sources", cache)
    assert report.cache_version == vector["build"].get("cache_version", report.cache_version)
    check_what_is_on_disk(cache, vector)
    assert verify_cache(cache).problems == []
    with open_cache(cache) as opened:
        for query in vector.get("queries", []):
            if query["exit_code"]:
                continue  # refused before a cache is opened: the doors below show it
            write = encode_pretty if query.get("format") == "pretty" else encode
            text = write(as_json(opened.resolve(query["query"], query["budget"]))) + "\n"
            assert same_text(text, query), query["query"]


@pytest.mark.parametrize("path", with_large_apart(VECTORS), ids=name)
def test_the_command_line_builds_and_resolves_what_the_vector_recorded(
    path: Path, built_vector: Callable[[Path], Path], tmp_path: Path
) -> None:
    vector = load(path)
    if "files_generated" in vector:
        cache = built_vector(path)  # a build of these takes seconds
    else:
        cache = tmp_path / "cache"
        lay_out_sources(vector, tmp_path / "sources")
        built = run_context("build", "--sources", "sources", "--cache", "cache", cwd=tmp_path)
        assert built.returncode == vector["build"]["exit_code"], built.stderr
        if built.returncode:
            assert built.stdout == b""
            assert built.stderr.startswith(b"error: Cache was not built\nreason: ")
            return
    check_what_is_on_disk(cache, vector)
    # A process a query would take minutes over all vectors: the first, the last and the failing ones speak for the
    # rest, which the other doors run in full.
    queries = vector.get("queries", [])
    for query in [*queries[:2], *queries[-1:], *(query for query in queries if query["exit_code"])]:
        words = ["--cache", cache.name, "--query", query["query"], "--budget", str(query["budget"])]
        if "format" in query:
            words += ["--format", query["format"]]
        done = run_context("resolve", *words, cwd=cache.parent)
        assert done.returncode == query["exit_code"], done.stderr
        assert same_text(done.stdout.decode(), query), query["query"]


@pytest.mark.parametrize(
    "path", with_large_apart([path for path in VECTORS if load(path)["build"]["exit_code"] == 0]), ids=name
)
def test_the_server_resolves_what_the_vector_recorded(path: Path, built_vector: Callable[[Path], Path]) -> None:
    vector = load(path)
    cache = built_vector(path)
    with StdioServer(cache.parent) as server:
        for query in vector.get("queries", []):
            if query.get("format") == "pretty":
                continue  # the command line's own spelling of the same value
            arguments = {"cache": cache.name, "query": query["query"], "budget": query["budget"]}
            answer = server.call("context.resolve", arguments)
            if query["query"].startswith("-"):
                # What the vector recorded is how a command line takes words apart; no other door refuses such a query.
                assert not answer.is_error
            elif query["exit_code"]:
                code = json.loads(answer.text)["error"]["code"]
                assert (answer.is_error, EXIT_CODES[code]) == (True, query["exit_code"])
            else:
                assert not answer.is_error
                assert same_text(answer.text, query), query["query"]


CASES: list[tuple[str, dict[str, Any]]] = [
    ("context.resolve", {"cache": "docs", "query": "alpha", "budget": 100}),
    ("context.resolve", {"cache": "docs", "query": "", "budget": 0}),
    ("context.resolve", {"cache": "none", "query": "alpha", "budget": 100}),
    ("context.resolve", {"cache": "docs", "query": "alpha", "budget": -1}),
    ("context.resolve", {"cache": "docs", "query": "-alpha", "budget": 1}),
    ("context.resolve", {"cache": "broken", "query": "alpha", "budget": 100}),
    ("context.list_caches", {}),
    ("context.list_caches", {"root": "docs"}),
    ("context.list_caches", {"root": "none"}),
    ("context.inspect_cache", {"cache": "docs"}),
    ("context.inspect_cache", {"cache": "broken"}),
    ("context.inspect_cache", {"cache": "none"}),
    ("context.inspect_cache", {"cache": "../docs"}),
]
COMMANDS = {"context.resolve": "resolve", "context.list_caches": "list", "context.inspect_cache": "inspect"}


@pytest.fixture
def caches(tmp_path: Path, make_cache: Any) -> Path:
    """A sound cache called docs and one called broken, whose manifest is cut short."""
    make_cache({"a.md": "alpha beta", "b.md": "gamma"})
    make_cache({"a.md": "alpha"}, "broken")
    manifest = tmp_path / "broken" / "manifest.json"
    manifest.write_bytes(manifest.read_bytes()[:40])
    return tmp_path


@pytest.mark.parametrize(("tool", "arguments"), CASES, ids=str)
def test_a_command_writes_what_its_tool_answers_or_nothing_when_it_fails(
    tool: str, arguments: dict[str, Any], caches: Path
) -> None:
    with StdioServer(caches) as server:
        answer = server.call(tool, arguments)
    words = [f"--{name}={value}" for name, value in arguments.items()]
    done = run_context(COMMANDS[tool], *words, cwd=caches, env={"CONTEXT_CACHE_ROOT": str(caches)})
    if answer.is_error and arguments.get("cache") != "../docs":
        error = json.loads(answer.text)["error"]
        assert done.stdout == b""
        assert done.returncode == EXIT_CODES[error["code"]]
        assert done.stderr.decode().splitlines()[0] == f"error: {error['message']}"
    elif arguments.get("cache") == "../docs":
        # By name the server never leaves its root; on the command line the same words are a path that does not exist.
        assert (answer.is_error, done.returncode) == (True, 4)
    else:
        assert done.stdout.decode() == answer.text
