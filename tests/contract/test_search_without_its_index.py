"""A cache whose index is damaged answers `context.search` with the same bytes as before, or not at all."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from errno import EIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from holdfast import CacheInvalid, IoError, build_cache, open_cache, resolve, search, verify_cache
from holdfast.caches.index_format import parse_header
from holdfast.caches.on_disk.cache_directory import CacheDirectory
from holdfast.caches.on_disk.counted_by import recorded_tokenizer, tokenizer_of_documents
from holdfast.caches.on_disk.kept_caches import OpenCaches
from support.doors import Door, run_context

QUESTION: dict[str, Any] = {"cache": "docs", "query": "deploy größe", "budget": 200}
INVALID = "cache_invalid"


def lose(*names: str) -> Callable[[Path], None]:
    def damage(index: Path) -> None:
        for name in names:
            for file in index.glob(name):
                file.unlink()

    return damage


def cut_short(*names: str) -> Callable[[Path], None]:
    def damage(index: Path) -> None:
        for name in names:
            for file in index.glob(name):
                os.truncate(file, file.stat().st_size // 2)

    return damage


def flip_the_summary(name: str) -> Callable[[Path], None]:
    def damage(index: Path) -> None:
        data = (index / name).read_bytes()
        kind = data[16:32].rstrip(b"\0").decode()
        header = parse_header(lambda offset, length: data[offset : offset + length], kind=kind, file_length=len(data))
        at = header.sections["summary"].offset + 5
        (index / name).write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])

    return damage


def both(*damages: Callable[[Path], None]) -> Callable[[Path], None]:
    def damage(index: Path) -> None:
        for one in damages:
            one(index)

    return damage


class Accident(NamedTuple):
    """What happens to `index/`, and how a cache counted without a tokenizer is answered then: as before, or not."""

    damage: Callable[[Path], None]
    as_before: bool


SEGMENT, LIST = "*.seg", "segments.idx"
ACCIDENTS = {
    "no segment": Accident(lose(SEGMENT), True),
    "half a segment": Accident(cut_short(SEGMENT), True),
    "no list": Accident(lose(LIST), False),
    "half the list": Accident(cut_short(LIST), False),
    "a summary that does not hold": Accident(flip_the_summary(LIST), False),
    "no segment, and a summary that does not hold": Accident(both(lose(SEGMENT), flip_the_summary(LIST)), False),
    "half of both": Accident(cut_short(SEGMENT, LIST), False),
    "an empty folder": Accident(lose(SEGMENT, LIST), False),
}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A function that gives the cache counted by a tokenizer, made once; `build` copies it."""
    home = tmp_path_factory.mktemp("shelf")
    sources = home / "sources"
    sources.mkdir()
    (sources / "deploy.md").write_text(
        "# Deploy\n\nTo deploy, push.\n\n## Größe\n\nZahlen, größe, 日本語 😀.\n", "utf-8"
    )
    (sources / "long.md").write_text("# Long\n\n" + "deploy and more " * 12 + "\n", "utf-8")

    def cache(tokenizer: str) -> Path:
        made = home / tokenizer.replace("/", "-")
        if not made.exists():
            build_cache(sources, made, tokenizer=tokenizer, created_at="2026-01-02T03:04:05Z")
        return made

    return cache


@pytest.fixture
def build(tmp_path: Path, shelf: Callable[[str], Path]) -> Callable[[str], Path]:
    def make(tokenizer: str) -> Path:
        return Path(shutil.copytree(shelf(tokenizer), tmp_path / "docs"))

    return make


def outcome(door: Door) -> tuple[bool, str]:
    """Whether it is an error, and the text; a command says its errors elsewhere."""
    found = door.call("context.search", QUESTION)
    return found.is_error, found.text


@pytest.mark.parametrize("tokenizer", ["estimate-1", "bytes/4"])
@pytest.mark.parametrize("name", ACCIDENTS)
def test_a_cache_counted_without_a_tokenizer_is_answered_as_before_while_a_file_says_how(
    name: str, tokenizer: str, build: Callable[[str], Path], door: Door
) -> None:
    cache = build(tokenizer)
    before = outcome(door)
    ACCIDENTS[name].damage(cache / "index")
    is_error, text = outcome(door)
    same = (False, before[1])
    refused = (True, '{"error":{"code":"cache_invalid","message":"Cache exists but is invalid"}}\n')
    expected = same if ACCIDENTS[name].as_before else refused
    assert (before[0], is_error, text or expected[1]) == (False, *expected)


@pytest.mark.parametrize("name", ACCIDENTS)
def test_a_cache_counted_by_a_tokenizer_is_invalid_and_never_counted_otherwise(
    name: str, build: Callable[[str], Path], door: Door
) -> None:
    cache = build("o200k_base")
    before = outcome(door)
    ACCIDENTS[name].damage(cache / "index")
    is_error, text = outcome(door)
    assert (before[0], is_error) == (False, True)
    assert json.loads(text or f'{{"error":{{"code":"{INVALID}"}}}}')["error"]["code"] == INVALID


@pytest.mark.parametrize("tokenizer", ["estimate-1", "bytes/4", "o200k_base"])
@pytest.mark.parametrize("name", ACCIDENTS)
def test_resolve_gives_the_same_documents_and_verify_says_what_is_wrong(
    name: str, tokenizer: str, build: Callable[[str], Path]
) -> None:
    cache = build(tokenizer)
    before = resolve(cache, "deploy", 100)
    ACCIDENTS[name].damage(cache / "index")
    assert (resolve(cache, "deploy", 100), verify_cache(cache).valid) == (before, False)


def test_damage_anywhere_in_a_file_never_gives_another_answer(build: Callable[[str], Path]) -> None:
    cache = build("o200k_base")
    expected = search(cache, "deploy größe", 200)
    outcomes = set()
    for file in (cache / "index").iterdir():
        data = file.read_bytes()
        for at in range(0, len(data), len(data) // 150):
            file.write_bytes(data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :])
            try:
                outcomes.add("right" if search(cache, "deploy größe", 200) == expected else "wrong")
            except CacheInvalid:
                outcomes.add(INVALID)
        file.write_bytes(data)
    assert INVALID in outcomes
    assert outcomes <= {"right", INVALID}


def test_a_cache_without_the_folder_is_one_that_others_built_and_is_counted_as_usual(
    build: Callable[[str], Path],
) -> None:
    cache = build("estimate-1")
    expected = search(cache, "deploy", 200)
    assert expected.tokenizer == "estimate-1"
    shutil.rmtree(cache)
    shutil.rmtree(build("o200k_base") / "index")
    assert search(cache, "deploy", 200) == expected


@pytest.mark.parametrize("tokenizer", ["estimate-1", "bytes/4", "o200k_base"])
def test_a_link_where_the_folder_was_is_not_followed_and_says_nothing(
    tokenizer: str, build: Callable[[str], Path], tmp_path: Path
) -> None:
    index = build(tokenizer) / "index"
    index.rename(tmp_path / "elsewhere")
    index.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CacheInvalid, match="nothing in it says how tokens were counted"):
        search(index.parent, "deploy", 200)


def test_an_index_of_another_cache_does_not_say_how_this_one_was_counted(
    build: Callable[[str], Path], tmp_path: Path
) -> None:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "more.md").write_text("deploy", "utf-8")
    build_cache(tmp_path / "sources", tmp_path / "other", tokenizer="bytes/4")
    cache = build("o200k_base")
    shutil.rmtree(cache / "index")
    shutil.copytree(tmp_path / "other" / "index", cache / "index")
    with CacheDirectory(str(cache)) as directory:
        assert recorded_tokenizer(directory) is None


def test_the_commands_say_to_build_again_and_those_that_count_nothing_go_on(
    build: Callable[[str], Path], tmp_path: Path
) -> None:
    cache = build("o200k_base")
    asked = ["search", "--cache", "docs", "--query", "deploy", "--budget", "200", "--format", "json"]
    answer = json.loads(run_context(*asked, "--receipt", "r.json", cwd=tmp_path).stdout)
    (tmp_path / "cited.md").write_text(f"See {answer['sections'][0]['citation']}.\n", "utf-8")
    (tmp_path / "queries.txt").write_text("deploy\n", "utf-8")
    lose(SEGMENT)(cache / "index")
    said = {}
    for words in (
        asked,
        [*asked, "--html", "page.html"],
        ["replay", "r.json", "--cache", "docs"],
        ["diff", "docs", "docs", "--queries", "queries.txt"],
        ["diff", "docs", "docs"],
        ["verify", "--citations", "cited.md", "--cache", "docs"],
    ):
        done = run_context(*words, cwd=tmp_path)
        said[" ".join(words)] = (done.returncode, done.stderr.decode().splitlines()[1:])
    reason = "reason: 'index/' is damaged, and its tokens were counted by a tokenizer: build the cache again"
    hint = "hint: 'context verify CACHE' names each problem, 'context sync' builds declared caches again"
    assert list(said.values()) == [(5, [reason, hint])] * 4 + [(0, [])] * 2
    assert not (tmp_path / "page.html").exists()


def test_an_altered_document_is_what_is_told_of_and_not_how_it_was_counted(build: Callable[[str], Path]) -> None:
    cache = build("o200k_base")
    for file in (cache / "documents").iterdir():
        file.write_bytes(file.read_bytes().replace(b"deploy", b"delete"))
    with pytest.raises(CacheInvalid, match=r"documents|version|content|hash"):
        search(cache, "deploy", 200)


def test_a_kept_cache_sees_its_index_damaged_and_put_right(build: Callable[[str], Path]) -> None:
    cache = build("o200k_base")
    caches = OpenCaches(lambda: 1 << 62)

    def ask() -> Any:
        try:
            return caches.use(str(cache), lambda opened: opened.search("deploy", 200))
        except CacheInvalid:
            return INVALID

    (file,) = (cache / "index").glob(SEGMENT)
    data = file.read_bytes()
    right = [ask(), ask()]
    file.write_bytes(data[: len(data) // 2])
    damaged = [ask(), ask()]
    file.write_bytes(data)
    restored = ask()
    caches.close()
    assert (right[0] == right[1] == restored, right[0].tokenizer, damaged) == (True, "o200k_base", [INVALID, INVALID])


def test_a_folder_that_a_rebuild_is_removing_is_not_taken_for_one_that_never_was(build: Callable[[str], Path]) -> None:
    cache = build("o200k_base")
    with CacheDirectory(str(cache)) as directory:
        cache.rename(cache.parent / "replaced")
        shutil.rmtree(cache.parent / "replaced" / "index")
        with pytest.raises(CacheInvalid, match="replaced while it was read"):
            tokenizer_of_documents(directory)


def test_a_cache_opened_by_a_relative_path_is_searched_from_anywhere(
    build: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = build("estimate-1")
    expected = search(cache, "deploy", 200)
    shutil.rmtree(cache / "index")
    monkeypatch.chdir(tmp_path)
    with open_cache("docs") as opened:
        monkeypatch.chdir("/")
        assert opened.search("deploy", 200) == expected


def test_a_disk_that_will_not_say_how_tokens_were_counted_is_an_io_error(
    build: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = build("o200k_base")
    lose(SEGMENT)(cache / "index")

    def refuse(*_: object) -> bytes:
        raise OSError(EIO, "Input/output error")

    monkeypatch.setattr(os, "pread", refuse)
    with pytest.raises(IoError, match="'index/' cannot be read: Input/output error"):
        search(cache, "deploy", 200)
