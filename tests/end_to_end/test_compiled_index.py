"""The compiled index on disk: same answers without it, same bytes however it was made, damage never believed."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from holdfast import CacheInvalid, IoError, UsageError, build_cache, open_cache, resolve, verify_cache
from holdfast.caches.build import build, document_files, source_files
from holdfast.caches.build.build_order import READING, BuildOrder
from holdfast.caches.cache_format import make_document
from holdfast.caches.index_format import Summary, encode_header, parse_header
from holdfast.caches.on_disk.cache_directory import CacheDirectory
from holdfast.caches.on_disk.index_reader import listing_digests
from holdfast.caches.segments import segment_table
from holdfast.caches.segments.make import SegmentDocument, count_segment, postings_of
from holdfast.caches.segments.segment_list import encode_list, listed
from holdfast.caches.selection import as_json
from holdfast.core import worker_pool
from holdfast.core.canonical_json import encode
from support.vectors import cache_vectors, load

if TYPE_CHECKING:
    from collections.abc import Callable

LIST_FILE = "index/segments.idx"
CREATED_AT = "2026-01-02T03:04:05Z"
BUILDABLE = [path for path in cache_vectors() if load(path)["build"]["exit_code"] == 0]
TEXTS = {
    "zero.md": "",
    "a.md": "alpha beta alpha gamma",
    "b.md": "beta " * 70 + "alpha",
    "Deep/C.md": "Gamma alpha\u2003delta",
    "same.md": "alpha beta alpha gamma",
    "long.md": "x" * 5000 + " alpha",
    "odd/one.md": "alpha\x1cbeta alpha",  # what Python takes for a blank here, Unicode does not
    "odd/two.md": "\x1c",
    **{f"many/{number}.md": f"alpha common{number % 7} only{number}" * (1 + number % 3) for number in range(40)},
}
QUESTIONS = [
    ("alpha", 100),
    ("alpha beta gamma", 10_000_000),
    ("alpha alpha alpha alpha alpha beta", 60),
    ("", 30),
    ("nowhere", 4000),
    ("only7 common3 " + "x" * 5000, 2**53 - 1),
    ("alpha", 0),
]


def answers(cache: Path) -> list[str]:
    return [encode(as_json(resolve(cache, query, budget))) for query, budget in QUESTIONS]


def index_bytes(cache: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (cache / "index").iterdir()}


def is_compiled(cache: Path) -> bool:
    with open_cache(cache) as opened:
        return opened.is_compiled


@pytest.mark.parametrize("path", BUILDABLE, ids=lambda path: path.stem)
def test_every_vector_has_the_same_answers_without_its_index(
    path: Path, built_vector: Callable[[Path], Path], tmp_path: Path
) -> None:
    vector, cache = load(path), built_vector(path)
    recorded = [(query["query"], query["budget"]) for query in vector.get("queries", []) if query["exit_code"] == 0]
    questions = [*recorded, ("hello world", 4000), ("", 10_000_000)]
    assert is_compiled(cache)
    with_index = [resolve(cache, query, budget) for query, budget in questions]
    without = shutil.copytree(cache, tmp_path / "cache", ignore=shutil.ignore_patterns("index"))
    assert not is_compiled(without)
    assert with_index == [resolve(without, query, budget) for query, budget in questions]


def test_every_question_has_the_same_answer_without_the_index(make_cache: Callable[..., Path]) -> None:
    cache = make_cache(TEXTS)
    with_index = answers(cache)
    shutil.rmtree(cache / "index")
    assert with_index == answers(cache)


def test_an_empty_cache_has_an_index_too(make_cache: Callable[..., Path]) -> None:
    cache = make_cache({})
    assert (is_compiled(cache), resolve(cache, "a", 10).documents, verify_cache(cache).problems) == (True, [], [])


def test_the_same_sources_give_the_same_index_whatever_the_workers_the_order_and_the_time(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, names in ((first, list(TEXTS)), (second, list(reversed(TEXTS)))):
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(TEXTS[name].encode())
    build_cache(first, tmp_path / "one", created_at=CREATED_AT)
    expected = index_bytes(tmp_path / "one")
    documents = {path.name: path.read_bytes() for path in (tmp_path / "one" / "documents").iterdir()}
    for number, workers in enumerate((1, 2, 3)):
        cache = tmp_path / f"workers-{number}"
        build.build_cache(second, cache, BuildOrder("2027-12-31T23:59:59Z", workers=workers))
        assert index_bytes(cache) == expected
        assert {path.name: path.read_bytes() for path in (cache / "documents").iterdir()} == documents
    script = "import sys; from holdfast import build_cache; build_cache(*sys.argv[1:])"
    for seed in ("0", "1", "4242"):
        command = [sys.executable, "-c", script, str(first), str(tmp_path / f"seed-{seed}")]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": seed})
        assert index_bytes(tmp_path / f"seed-{seed}") == expected


def test_documents_handed_over_few_at_a_time_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in TEXTS.items():
        (tmp_path / "sources" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "sources" / name).write_bytes(text.encode())
    build_cache(tmp_path / "sources", tmp_path / "once")
    monkeypatch.setattr(document_files, "_BATCH", 2)
    for workers in (1, 2):
        often = tmp_path / f"often-{workers}"
        build.build_cache(tmp_path / "sources", often, BuildOrder(CREATED_AT, workers=workers))
        assert index_bytes(often) == index_bytes(tmp_path / "once")


def test_no_documents_are_shared_among_workers_too(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    report = build.build_cache(tmp_path / "sources", tmp_path / "cache", BuildOrder(CREATED_AT, workers=2))
    assert (report.document_count, verify_cache(tmp_path / "cache").problems) == (0, [])


def test_equal_contents_are_named_in_id_order_whichever_worker_was_first(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    for number in range(200):
        (tmp_path / "sources" / f"{number:03}.md").write_text(f"text {number % 3}", encoding="utf-8")
    build_cache(tmp_path / "sources", tmp_path / "alone", created_at=CREATED_AT)
    build.build_cache(tmp_path / "sources", tmp_path / "shared", BuildOrder(CREATED_AT, workers=3))
    listing = (tmp_path / "alone" / "manifest.json").read_bytes()
    assert (tmp_path / "shared" / "manifest.json").read_bytes() == listing
    assert verify_cache(tmp_path / "shared").problems == []


def test_the_first_bad_source_in_id_order_is_the_one_reported(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    for number in range(200):
        content = b"\xff" if number in (50, 120, 199) else b"fine"
        (tmp_path / "sources" / f"{number:03}.md").write_bytes(content)
    for workers in (1, 3):
        with pytest.raises(CacheInvalid, match=r"'050\.md' is not UTF-8"):
            build.build_cache(tmp_path / "sources", tmp_path / "cache", BuildOrder(CREATED_AT, workers=workers))
    assert os.listdir(tmp_path) == ["sources"]


def test_a_worker_that_dies_ends_the_build_with_an_error_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sources").mkdir()
    for number in range(100):
        (tmp_path / "sources" / f"{number}.md").write_text("text", encoding="utf-8")
    monkeypatch.setattr(worker_pool, "_MAIN", "import os; os.kill(os.getpid(), 9)  # {path}")
    with pytest.raises(IoError, match="worker process ended"):
        build.build_cache(tmp_path / "sources", tmp_path / "cache", BuildOrder(CREATED_AT, workers=2))
    assert os.listdir(tmp_path) == ["sources"]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The workers that were started, as they are."""
    started: list[subprocess.Popen[bytes]] = []
    start = worker_pool._start

    def start_and_note() -> subprocess.Popen[bytes]:
        started.append(start())
        return started[-1]

    monkeypatch.setattr(worker_pool, "_start", start_and_note)
    return started


def test_a_bad_source_found_after_workers_were_started_ends_them_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: list[subprocess.Popen[bytes]]
) -> None:
    (tmp_path / "sources" / "folder").mkdir(parents=True)
    for number in range(30):
        (tmp_path / "sources" / f"{number}.md").write_text("text", encoding="utf-8")
    (tmp_path / "sources" / "folder" / "outside.md").symlink_to(tmp_path)
    monkeypatch.setattr(source_files, "_WORTH_A_WORKER", 10)
    monkeypatch.setattr(source_files, "core_count", lambda: 2)
    with pytest.raises(CacheInvalid, match="leads outside"):
        build.build_cache(tmp_path / "sources", tmp_path / "cache", BuildOrder(CREATED_AT))
    assert ([process.returncode is None for process in started], os.listdir(tmp_path)) == ([False] * 2, ["sources"])


def test_an_interrupt_ends_the_workers_and_leaves_nothing(
    tmp_path: Path, started: list[subprocess.Popen[bytes]]
) -> None:
    (tmp_path / "sources").mkdir()
    for number in range(200):
        (tmp_path / "sources" / f"{number}.md").write_text(f"text {number}", encoding="utf-8")

    def interrupt(_phase: str, done: int, _total: int) -> None:
        if done:
            raise KeyboardInterrupt

    sources, cache = tmp_path / "sources", tmp_path / "cache"
    with pytest.raises(KeyboardInterrupt):
        build.build_cache(sources, cache, BuildOrder(CREATED_AT, workers=2, progress=interrupt))
    assert ([process.returncode is None for process in started], os.listdir(tmp_path)) == ([False] * 2, ["sources"])


def test_a_time_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    with pytest.raises(UsageError, match="is no time"):
        build_cache(tmp_path / "sources", tmp_path / "cache", created_at="yesterday")


def test_progress_counts_up_to_the_end_with_workers_too(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    for number in range(100):
        (tmp_path / "sources" / f"{number}.md").write_text("text", encoding="utf-8")
    for workers in (1, 2):
        told: list[tuple[str, int, int]] = []
        order = BuildOrder(CREATED_AT, workers=workers, progress=lambda *done, told=told: told.append(done))
        build.build_cache(tmp_path / "sources", tmp_path / f"cache-{workers}", order)
        seen = [(done, total) for phase, done, total in told if phase == READING]
        assert seen == sorted(seen)
        assert (seen[0], seen[-1]) == ((0, 100), (100, 100))


def test_the_index_of_another_cache_is_ignored(make_cache: Callable[..., Path]) -> None:
    cache, other = make_cache(TEXTS, "docs"), make_cache({"a.md": "beta beta"}, "other")
    expected = answers(cache)
    shutil.copy(other / LIST_FILE, cache / LIST_FILE)
    assert (is_compiled(cache), answers(cache)) == (False, expected)
    assert {problem.file for problem in verify_cache(cache).problems} >= {"manifest.json"}


@pytest.mark.parametrize(
    ("offset", "what"), [(8, "another format version"), (16, "another kind"), (32, "other word rules"), (0, "no index")]
)
def test_an_index_that_says_it_is_something_else_is_ignored(
    offset: int, what: str, make_cache: Callable[..., Path]
) -> None:
    cache = make_cache(TEXTS)
    expected = answers(cache)
    data = bytearray((cache / LIST_FILE).read_bytes())
    data[offset] ^= 2
    (cache / LIST_FILE).write_bytes(data)
    assert (is_compiled(cache), answers(cache)) == (False, expected)
    assert [problem.file for problem in verify_cache(cache).problems] == [LIST_FILE]


def test_an_index_reached_through_a_link_is_ignored(make_cache: Callable[..., Path], tmp_path: Path) -> None:
    cache = make_cache(TEXTS)
    expected = answers(cache)
    (cache / LIST_FILE).rename(tmp_path / "elsewhere")
    (cache / LIST_FILE).symlink_to(tmp_path / "elsewhere")
    assert (is_compiled(cache), answers(cache)) == (False, expected)


def test_verify_names_what_the_plain_format_cannot_tell(make_cache: Callable[..., Path]) -> None:
    cache = make_cache({"Read/Me.md": "alpha"})
    (document,) = (cache / "documents").iterdir()
    document.write_bytes(document.read_bytes().replace(b"Read/Me.md", b"read/Me.md"))
    assert [problem.file for problem in verify_cache(cache).problems] == [f"documents/{document.name}"]


def test_verify_names_a_missing_index_file_and_one_that_does_not_belong(make_cache: Callable[..., Path]) -> None:
    cache = make_cache(TEXTS)
    (cache / "index" / "notes").write_text("mine", encoding="utf-8")
    (cache / LIST_FILE).unlink()
    assert [problem.file for problem in verify_cache(cache).problems] == [LIST_FILE]
    cache = make_cache(TEXTS, "other")
    (cache / "index" / "notes").write_text("mine", encoding="utf-8")
    assert [problem.file for problem in verify_cache(cache).problems] == ["index/notes"]


@pytest.mark.rough
@pytest.mark.parametrize("seed", range(4))
def test_damage_anywhere_is_named_by_verify_and_never_changes_an_answer(
    seed: int, make_cache: Callable[..., Path]
) -> None:
    cache = make_cache(TEXTS)
    expected = answers(cache)
    chance = random.Random(seed)
    files = sorted(path for path in cache.rglob("*") if path.is_file())
    sizes = [path.stat().st_size or 1 for path in files]
    unnamed, wrong = [], []
    for _ in range(60):
        # Half of the damage falls on the index, the rest anywhere.
        file = (
            chance.choice(sorted((cache / "index").iterdir()))
            if chance.random() < 0.5
            else chance.choices(files, weights=sizes)[0]
        )
        data = file.read_bytes()
        at = chance.randrange(len(data))
        kind = chance.choice(["flip", "flip", "flip", "truncate", "extend", "delete"])
        damaged = {
            "flip": data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :],
            "truncate": data[:at],
            "extend": data + bytes([at % 256]),
            "delete": b"",
        }[kind]
        if kind == "delete":
            file.unlink()
        else:
            file.write_bytes(damaged)
        place = (file.relative_to(cache).as_posix(), kind, at)
        # Another valid time is the one change that nothing in a cache can tell (docs/formats/index.md).
        if verify_cache(cache).valid and b"created_at" not in data[max(0, at - 40) : at]:
            unnamed.append(place)
        for (query, budget), right in zip(QUESTIONS, expected, strict=True):
            try:
                if encode(as_json(resolve(cache, query, budget))) != right:
                    wrong.append(place)
            except CacheInvalid:
                pass
        file.write_bytes(data)
    assert (unnamed, wrong) == ([], [])


def forge(cache: Path, chance: random.Random) -> None:
    """An index whose every checksum and digest is right and whose every statement may be a lie."""
    with open_cache(cache) as opened:
        entries = opened.manifest.entries
    lied = [
        entry._replace(file=chance.choice(entries).file, version=chance.choice(entries).version) for entry in entries
    ]
    documents = []
    for entry in chance.choice([entries, lied]):
        text = " ".join(chance.choices(["alpha", "beta", "common3", "nowhere"], k=chance.randrange(300)))
        documents.append(SegmentDocument(entry, make_document("a.md", text.encode()), bytes(32), []))
    table, text_of_all = count_segment(documents, "bytes/4")
    for place in range(len(entries)):
        table.words[place] = chance.choice([0, 1, 7, 2**32 - 1])
        table.tokens[place] = chance.choice([0, 1, 5, 2**32 - 1])
    data = segment_table.encode_segment(table, postings_of(text_of_all, 0), 0)
    with CacheDirectory(str(cache)) as directory:
        _, manifest, index = listing_digests(directory)
    assert manifest is not None
    shutil.rmtree(cache / "index")
    (cache / "index").mkdir()
    (cache / "index" / listed(data).name).write_bytes(data)
    summary = Summary("sha256:" + "0" * 64, "bytes/4")
    (cache / LIST_FILE).write_bytes(encode_list([listed(data)], summary, manifest, index))


@pytest.mark.parametrize("seed", range(8))
def test_a_forged_index_reaches_nothing_but_proven_documents_and_is_named_by_verify(
    seed: int, make_cache: Callable[..., Path]
) -> None:
    cache = make_cache(TEXTS)
    forge(cache, random.Random(seed))
    genuine = set(TEXTS.values())
    foreign = set()
    for query, budget in QUESTIONS:
        try:
            foreign |= {hit.content for hit in resolve(cache, query, budget).documents} - genuine
        except CacheInvalid:
            pass  # a document is not what the forger said it is
    assert (foreign, verify_cache(cache).valid) == (set(), False)


@pytest.mark.parametrize(
    ("pattern", "section"), [("segments.idx", "segments"), ("*.seg", "columns"), ("*.seg", "sums")]
)
def test_an_index_that_claims_to_be_huge_is_ignored_before_any_of_it_is_held(
    pattern: str, section: str, make_cache: Callable[..., Path]
) -> None:
    cache = make_cache(TEXTS)
    expected = answers(cache)
    (file,) = (cache / "index").glob(pattern)
    with file.open("rb") as opened:
        header = parse_header(
            lambda offset, length: os.pread(opened.fileno(), length, offset),
            kind="",
            file_length=file.stat().st_size,
        )
    size = 1 << 40
    found = header.sections[section]
    sections = {**header.sections, section: found._replace(length=size - found.offset)}
    with file.open("r+b") as opened:
        opened.write(encode_header(header._replace(file_length=size, sections=sections)))
        opened.truncate(size)
    assert (is_compiled(cache), answers(cache)) == (False, expected)


@pytest.mark.rough
@pytest.mark.parametrize("heading", ["h", "{number} words of its own"])
def test_the_index_of_long_headings_above_many_short_sections_is_a_small_multiple_of_the_text(
    heading: str, tmp_path: Path
) -> None:
    words = " ".join(f"w{number:03}" for number in range(79))
    above = "".join(f"{'#' * level} {level}{words}\n" for level in range(1, 6))
    text = above + "".join(f"###### {heading.format(number=number)}\nx\n" for number in range(20_000))
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "a.md").write_text(text, encoding="utf-8")
    build_cache(tmp_path / "sources", tmp_path / "cache", tokenizer="bytes/4")
    size = sum(path.stat().st_size for path in (tmp_path / "cache" / "index").iterdir())
    assert size < 12 * len(text)
    assert verify_cache(tmp_path / "cache").problems == []
