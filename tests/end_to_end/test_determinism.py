"""The same bytes whatever surrounds the process."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast import build_cache
from support.doors import run_context
from support.new_characters import new_character_queries
from support.odd_corpora import write_odd_corpora

pytestmark = pytest.mark.rough

QUERIES = ["", "deploy", "İSTANBUL ΟΔΟΣ straße", "the guide a b c x y", " ".join(new_character_queries())]
SOURCE = Path(__file__).parent.parent.parent / "src"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources of several vectors in one folder, with everything odd they have."""
    return write_odd_corpora(tmp_path_factory.mktemp("corpus"))


def fingerprint(python: str, home: Path, cwd: Path, env: dict[str, str]) -> str:
    """One hash over a build and its answers, made by another process."""
    cache = home / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    env = {"SOURCE_DATE_EPOCH": "1767323045", "PYTHONPATH": str(SOURCE), **env}
    words = ["build", "--sources", str(home / "all"), "--cache", str(cache)]
    built = run_context(*words, cwd=cwd, env=env, python=python)
    assert built.returncode == 0, built.stderr
    digest = hashlib.sha256(built.stdout)
    for file in sorted(cache.rglob("*")):
        if file.is_file():
            digest.update(str(file.relative_to(cache)).encode() + file.read_bytes())
    words = ["serve", "--only", "caches", "--cache-root", str(home)]
    done = run_context(*words, cwd=cwd, env=env, python=python, stdin="".join(_requests()))
    assert (done.returncode, done.stderr) == (0, b"")
    told = sorted([json.loads(line) for line in done.stdout.splitlines()], key=lambda line: int(line["id"]))
    answers = [line["result"] for line in told]
    assert [answer["isError"] for answer in answers[1:]] == [False] * 2 * len(QUERIES)
    digest.update(repr([answer["content"] for answer in answers[1:]]).encode())
    shutil.rmtree(cache / "index")  # as others build caches: the documents are cut by whoever reads them
    words = ["search", "--cache", str(cache), "--query", QUERIES[-1], "--budget", "9000"]
    digest.update(run_context(*words, cwd=cwd, env=env, python=python).stdout)
    return digest.hexdigest() + synced(python, home / "project", env)


def _requests() -> Iterator[str]:
    """What one process is asked: every query of both tools."""
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tests", "version": "0"}}
    calls = [
        ("tools/call", {"name": tool, "arguments": {"cache": "cache", "query": query, "budget": 3000}})
        for tool, query in itertools.product(("context.resolve", "context.search"), QUERIES)
    ]
    for number, (method, params) in enumerate([("initialize", client), *calls]):
        yield json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"


def synced(python: str, project: Path, env: dict[str, str]) -> str:
    """One hash over the lock and every byte of a cache that `sync` makes of a source of every format."""
    shutil.rmtree(project / ".context", ignore_errors=True)
    (project / "context.lock").unlink(missing_ok=True)
    done = run_context("sync", "--quiet", cwd=project, env=env, python=python)
    assert done.returncode == 0, done.stderr
    digest = hashlib.sha256((project / "context.lock").read_bytes())
    for file in sorted((project / ".context" / "caches" / "docs").rglob("*")):
        if file.is_file():
            digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()


def test_hash_seeds_locales_and_working_directories_do_not_move_a_byte(corpus: Path, tmp_path: Path) -> None:
    seeds = ["0", "1", "4242"]
    locales = ["C", "de_DE.UTF-8", "tr_TR.UTF-8"]
    folders = [tmp_path, Path("/")]
    surroundings = itertools.islice(zip(itertools.cycle(seeds), itertools.cycle(locales), itertools.cycle(folders)), 6)
    hashes = {
        fingerprint(sys.executable, corpus, folder, {"PYTHONHASHSEED": seed, "LC_ALL": locale, "LANG": locale})
        for seed, locale, folder in surroundings
    }
    assert len(hashes) == 1


def other_pythons() -> list[str]:
    """Every other supported interpreter that can be found."""
    found = {}
    for minor in range(11, 16):
        homes = [shutil.which(f"python3.{minor}")]
        homes += [str(path) for path in Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python3")]
        for python in homes:
            if python is None or f"3.{minor}" in found:
                continue
            asked = [python, "-c", "import sys; print(f'{sys.version_info[0]}.{sys.version_info[1]}')"]
            done = subprocess.run(asked, capture_output=True, cwd="/")
            if done.returncode == 0 and done.stdout.decode().strip() == f"3.{minor}":
                found[f"3.{minor}"] = python
    found.pop(f"{sys.version_info[0]}.{sys.version_info[1]}", None)
    return list(found.values())


def test_every_supported_python_writes_the_same_bytes(corpus: Path, tmp_path: Path) -> None:
    others = other_pythons()
    if not others:
        pytest.skip("no other supported Python is installed here")
    expected = fingerprint(sys.executable, corpus, tmp_path, {})
    assert {python: fingerprint(python, corpus, tmp_path, {}) for python in others} == dict.fromkeys(others, expected)


def test_the_clock_is_the_only_thing_two_builds_differ_in(corpus: Path, tmp_path: Path) -> None:
    build_cache(corpus / "all", tmp_path / "one", created_at="2026-01-01T00:00:00Z")
    build_cache(corpus / "all", tmp_path / "two", created_at="2027-01-01T00:00:00Z")
    differing = [
        file.relative_to(tmp_path / "one")
        for file in sorted((tmp_path / "one").rglob("*"))
        if file.is_file() and file.read_bytes() != (tmp_path / "two" / file.relative_to(tmp_path / "one")).read_bytes()
    ]
    assert [str(path) for path in differing if path.parts[0] != "index"] == ["manifest.json"]


def test_the_time_zone_does_not_reach_the_manifest(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    for zone in ("UTC", "Asia/Kathmandu"):
        env = {"TZ": zone, "SOURCE_DATE_EPOCH": "1767323045"}
        words = ["build", "--sources", "sources", "--cache", "cache", "--force"]
        assert run_context(*words, cwd=tmp_path, env=env).returncode == 0
        assert b'"created_at": "2026-01-02T03:04:05Z"' in (tmp_path / "cache" / "manifest.json").read_bytes()
    assert os.listdir(tmp_path / "cache" / "documents") == []
