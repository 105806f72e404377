"""A server keeps caches open between calls, and never answers from one that is no longer what stands there."""

from __future__ import annotations

import gc
import json
import os
import shutil
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from holdfast import CacheInvalid, CacheMissing, build_cache
from holdfast.caches.on_disk import section_index_reader
from holdfast.caches.on_disk.cache_directory import CacheDirectory
from holdfast.caches.on_disk.joined_caches import NamedCache, ask_as_one
from holdfast.caches.on_disk.kept_caches import MOST, MOST_DISTINCT, OpenCaches, TakenCache
from holdfast.caches.on_disk.open_caches import WATCHED, Cache
from holdfast.caches.search.search_request import SearchRequest
from holdfast.caches.search.search_result import make_result
from holdfast.catalog import find_tool
from holdfast.operation import answer
from holdfast.workspace import Workspace
from support.doors import StdioServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from holdfast.caches.cache_format import Document, Entry

CREATED_AT = "2026-01-02T03:04:05Z"


class Kept:
    """One way to ask a process that goes on living: what it selects, or the code of its error."""

    def __init__(self, root: Path, ask: Callable[[str], Any]) -> None:
        self.root = root
        self.ask = ask


def in_process(root: Path) -> Iterator[Kept]:
    # A clock a minute ahead: files just written are old enough to be kept.
    caches = OpenCaches(lambda: time.time_ns() + 60_000_000_000)

    def ask(name: str) -> Any:
        try:
            selection = caches.use(str(root / name), lambda cache: cache.resolve("alpha", 1000))
        except (CacheInvalid, CacheMissing) as error:
            return error.code
        return [hit.content for hit in selection.documents]

    yield Kept(root, ask)
    caches.close()


def in_a_server(root: Path) -> Iterator[Kept]:
    with StdioServer(root) as server:

        def ask(name: str) -> Any:
            arguments = {"cache": name, "query": "alpha", "budget": 1000}
            value = json.loads(server.call("context.resolve", arguments).text)
            return value["error"]["code"] if "error" in value else [one["content"] for one in value["documents"]]

        yield Kept(root, ask)


@pytest.fixture(params=[in_process, in_a_server], ids=["in process", "server"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Kept]:
    yield from request.param(tmp_path)


def build(root: Path, text: str, *, force: bool = False) -> Path:
    (root / "sources").mkdir(exist_ok=True)
    (root / "sources" / "a.md").write_text(text, encoding="utf-8")
    build_cache(root / "sources", root / "docs", created_at=CREATED_AT, force=force)
    return root / "docs"


def test_a_cache_swapped_by_a_forced_build_is_seen_by_the_next_call(kept: Kept) -> None:
    build(kept.root, "alpha one")
    first = kept.ask("docs"), kept.ask("docs")
    build(kept.root, "alpha two", force=True)
    assert (first, kept.ask("docs")) == ((["alpha one"], ["alpha one"]), ["alpha two"])


def test_a_folder_deleted_is_missing_and_restored_is_found(kept: Kept) -> None:
    cache = build(kept.root, "alpha one")
    shutil.copytree(cache, kept.root / "copy")
    first = kept.ask("docs")
    shutil.rmtree(cache)
    second = kept.ask("docs")
    (kept.root / "copy").rename(cache)
    assert (first, second, kept.ask("docs")) == (["alpha one"], "cache_missing", ["alpha one"])


def test_a_manifest_replaced_or_rewritten_in_place_is_seen_by_the_next_call(kept: Kept) -> None:
    cache = build(kept.root, "alpha one")
    manifest = (cache / "manifest.json").read_bytes()
    answers = [kept.ask("docs")]
    (cache / "new").write_bytes(b"{}")
    os.replace(cache / "new", cache / "manifest.json")
    answers.append(kept.ask("docs"))
    (cache / "manifest.json").write_bytes(manifest)
    answers.append(kept.ask("docs"))
    (cache / "manifest.json").write_bytes(manifest.replace(b'"document_count": 1', b'"document_count": 2'))
    answers.append(kept.ask("docs"))
    assert answers == [["alpha one"], "cache_invalid", ["alpha one"], "cache_invalid"]


def test_a_document_altered_in_place_is_noticed_when_it_is_returned(kept: Kept) -> None:
    cache = build(kept.root, "alpha one")
    (document,) = (cache / "documents").iterdir()
    data = document.read_bytes()
    answers = [kept.ask("docs"), kept.ask("docs")]
    document.write_bytes(data.replace(b"one", b"two"))
    answers.append(kept.ask("docs"))
    document.write_bytes(data)
    answers.append(kept.ask("docs"))
    assert answers == [["alpha one"], ["alpha one"], "cache_invalid", ["alpha one"]]


def test_an_index_removed_damaged_or_swapped_under_a_kept_cache_changes_no_answer(kept: Kept) -> None:
    cache = build(kept.root, "alpha one")
    (file,) = (cache / "index").glob("*.seg")
    data = file.read_bytes()
    answers = [kept.ask("docs")]
    file.write_bytes(data[: len(data) // 2])
    answers.append(kept.ask("docs"))
    shutil.rmtree(cache / "index")
    answers.append(kept.ask("docs"))
    assert answers == [["alpha one"]] * 3


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="no /proc here to count descriptors by")
def test_few_caches_are_kept_and_every_descriptor_is_given_back(tmp_path: Path) -> None:
    build(tmp_path, "alpha")
    for number in range(MOST_DISTINCT + MOST):
        shutil.copytree(tmp_path / "docs", tmp_path / f"copy-{number}")
    before = descriptors()
    caches = OpenCaches(lambda: time.time_ns() + 60_000_000_000)
    for number in range(MOST_DISTINCT + MOST):
        caches.use(str(tmp_path / f"copy-{number}"), lambda cache: cache.resolve("alpha", 10))
    held = descriptors() - before
    caches.close()
    assert (0 < held <= 4 * MOST_DISTINCT, descriptors()) == (True, before)


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="no /proc here to count descriptors by")
def test_of_one_cache_few_are_kept_however_many_callers_used_it_at_once(tmp_path: Path) -> None:
    build(tmp_path, "alpha")
    shutil.copytree(tmp_path / "docs", tmp_path / "other")
    before = descriptors()
    caches = OpenCaches(lambda: time.time_ns() + 60_000_000_000)
    taken = [caches.take(str(tmp_path / name)) for name in ["other", *["docs"] * (3 * MOST)]]
    for each in taken:
        caches.put_back(each)
    kept = [path for path, _, _ in caches._idle]
    caches.close()
    assert (len(kept), kept.count(str(tmp_path / "other")), descriptors()) == (MOST, 1, before)


def test_a_cache_is_kept_and_used_again(tmp_path: Path) -> None:
    path = str(build(tmp_path, "alpha"))
    caches = OpenCaches(lambda: time.time_ns() + 60_000_000_000)
    seen: list[Cache] = []
    for _ in range(3):
        caches.use(path, seen.append)
    caches.close()
    assert seen[0] is seen[1] is seen[2]
    assert caches.telemetry() == {"cache": {"hits": 2, "misses": 1, "uncached": 0}}


def test_a_cache_changed_a_moment_ago_is_not_kept(tmp_path: Path) -> None:
    path = str(build(tmp_path, "alpha"))
    caches = OpenCaches(lambda: 0)
    seen: list[Cache] = []
    for _ in range(2):
        caches.use(path, seen.append)
    assert seen[0] is not seen[1]
    assert caches.telemetry() == {"cache": {"hits": 0, "misses": 0, "uncached": 2}}


@pytest.mark.parametrize(("age", "kept"), [(2_100_000_000, False), (2_100_000_001, True)])
def test_stamps_in_whole_seconds_count_as_young_for_two_of_them(
    age: int, kept: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stamp = 1_700_000_000_000_000_000
    monkeypatch.setattr(
        CacheDirectory, "identity", lambda _self, files: ((stamp - 10**9, 1, 1, stamp, 1),) * len(files)
    )
    monkeypatch.setattr(Cache, "opened", ())  # the stamps of segments are those of now
    monkeypatch.setattr(Cache, "watched", WATCHED)
    caches = OpenCaches(lambda: stamp + age)
    path = str(build(tmp_path, "alpha"))
    seen: list[Cache] = []
    for _ in range(2):
        caches.use(path, seen.append)
    caches.close()
    assert (seen[0] is seen[1]) is kept


def test_many_threads_ask_one_cache_while_it_is_rebuilt_and_each_gets_one_whole_answer(tmp_path: Path) -> None:
    build(tmp_path, "alpha 0")
    caches = OpenCaches(lambda: time.time_ns() + 60_000_000_000)
    answers: list[list[str]] = []
    failures: list[BaseException] = []

    def ask() -> None:
        try:
            for _ in range(60):
                found = caches.use(str(tmp_path / "docs"), lambda cache: cache.resolve("alpha", 1000))
                answers.append([hit.content for hit in found.documents])
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(1, 8):
        build(tmp_path, f"alpha {number}", force=True)
    for thread in threads:
        thread.join()
    caches.close()
    assert (failures, len(answers)) == ([], 240)
    assert {tuple(answer) for answer in answers} <= {(f"alpha {number}",) for number in range(8)}


def test_a_remembered_document_is_read_again_once_its_file_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ahead() -> int:
        return time.time_ns() + 60_000_000_000

    monkeypatch.setattr(section_index_reader, "time_ns", ahead)
    cache, caches = build(tmp_path, "# Alpha\n\nalpha one"), OpenCaches(ahead)
    reads = []
    read = CacheDirectory.document

    def reading(self: CacheDirectory, entry: Entry) -> Document:
        reads.append(entry.id)
        return read(self, entry)

    monkeypatch.setattr(CacheDirectory, "document", reading)

    def ask() -> str:
        return caches.use(str(cache), lambda kept: kept.search("alpha", 1000)).text

    first = ask()
    assert (ask(), reads) == (first, ["a.md"])
    (document,) = (cache / "documents").iterdir()
    whole = document.read_bytes()
    document.write_bytes(whole.replace(b"alpha one", b"alpha two"))
    with pytest.raises(CacheInvalid):
        ask()
    document.write_bytes(whole)
    assert ask() == first
    caches.close()


def test_calls_at_the_same_time_hold_each_of_several_caches_once(tmp_path: Path) -> None:
    build(tmp_path, "alpha")
    root = tmp_path / "root"
    for number in range(12):
        shutil.copytree(tmp_path / "docs", root / f"copy-{number:02}")
    out, most = [0], [0]

    class Counted(OpenCaches):
        def take(self, path: str) -> TakenCache:
            out[0] += 1
            most[0] = max(most[0], out[0])
            return super().take(path)

        def put_back(self, taken: TakenCache) -> None:
            out[0] -= 1
            super().put_back(taken)

    pool = Counted()
    named = [NamedCache(path.name, str(path)) for path in sorted(root.iterdir())]
    answers: list[str] = []

    def ask() -> None:
        answers.append(ask_as_one(pool, named, SearchRequest("alpha", 2000), make_result)[0].text)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pool.close()
    assert (len(answers), len(set(answers)), out[0], most[0]) == (8, 1, 0, 12)


def test_a_cache_is_let_go_with_its_workspace_and_waits_for_no_collector(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "a.md").write_text("# Alpha\n\nalpha beta\n", encoding="utf-8")
    build_cache(tmp_path / "sources", tmp_path / "caches" / "docs")
    asked = {"query": "alpha", "cache": "docs", "explain": True}
    gc.collect()
    gc.disable()
    try:
        text = answer(find_tool("context.search"), asked, Workspace(cache_root=str(tmp_path / "caches"))).text
        held = [each for each in gc.get_objects() if isinstance(each, section_index_reader.SectionIndex)]
    finally:
        gc.enable()
    assert ("alpha" in text, held) == (True, [])
