"""Bad input: each kind gets its typed error, leaves nothing behind and prints no traceback."""

from __future__ import annotations

import errno
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast import CacheInvalid, ContextError, IoError, build_cache, resolve
from holdfast.cli import main
from support.doors import Answer, CallCommand, Door, Library, StdioServer, run_context

Make = Callable[..., Path]
CANONICAL = {
    "cache_missing": "Cache does not exist",
    "cache_invalid": "Cache exists but is invalid",
    "invalid_query": "Query is invalid",
    "invalid_budget": "Budget is invalid",
    "io_error": "I/O error occurred",
}
GOOD = {"cache": "docs", "query": "alpha", "budget": 100}


def error_code(answer: Answer) -> str:
    assert answer.is_error
    assert "Traceback" not in answer.stderr
    message = json.loads(answer.text)
    assert list(message) == ["error"]
    assert list(message["error"]) == ["code", "message"]
    code: str = message["error"]["code"]
    assert message["error"]["message"] == CANONICAL[code]
    return code


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"budget": -1}, "invalid_budget"),
        ({"budget": True}, "invalid_budget"),
        ({"budget": 4000.0}, "invalid_budget"),
        ({"budget": 1e3}, "invalid_budget"),
        ({"budget": "5"}, "invalid_budget"),
        ({"budget": 2**53}, "invalid_budget"),
        ({"budget": 2**64}, "invalid_budget"),
        ({"budget": None}, "invalid_budget"),
        ({"budget": [1]}, "invalid_budget"),
        ({"query": None}, "invalid_query"),
        ({"query": 7}, "invalid_query"),
        ({"query": "\ud800"}, "invalid_query"),
        ({"query": "a \udfff b"}, "invalid_query"),
        ({"query": "x" * (16384 + 1)}, "invalid_query"),
        ({"query": "\u00e9" * 8192 + "x"}, "invalid_query"),
        ({"cache": None}, "cache_missing"),
        ({"cache": 1}, "cache_missing"),
        ({"cache": ""}, "cache_missing"),
        ({"cache": "."}, "cache_missing"),
        ({"cache": ".."}, "cache_missing"),
        ({"cache": "../docs"}, "cache_missing"),
        ({"cache": "docs/../docs"}, "cache_missing"),
        ({"cache": "docs\\..\\docs"}, "cache_missing"),
        ({"cache": "/etc"}, "cache_missing"),
        ({"cache": "a\0b"}, "cache_missing"),
        ({"cache": "\udcff"}, "cache_missing"),
        ({"cache": "x" * 5000}, "cache_missing"),
        ({"cache": "outside"}, "cache_missing"),
        ({"cache": "loop"}, "cache_missing"),
        ({"cache": "file"}, "cache_missing"),
        ({"cache": "empty"}, "cache_invalid"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_an_unfit_argument_is_answered_with_its_error(
    changed: dict[str, Any], code: str, door: Door, make_cache: Make, tmp_path: Path
) -> None:
    make_cache({"a.md": "alpha"})
    (tmp_path / "outside").symlink_to("/")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "empty").mkdir()
    assert error_code(door.call("context.resolve", {**GOOD, **changed})) == code


def test_arguments_are_checked_in_the_order_query_budget_cache(door: Door) -> None:
    assert error_code(door.call("context.resolve", {})) == "invalid_query"
    assert error_code(door.call("context.resolve", {"query": "x"})) == "invalid_budget"
    assert error_code(door.call("context.resolve", {"query": "x", "budget": 1})) == "cache_missing"


@pytest.mark.parametrize(
    "query", ["a\0b", "x" * 16384, "\u00e9" * 8192, "\u202e\ufffe", "-", "-x", "--flag"], ids=lambda q: q[:4]
)
def test_an_odd_but_valid_query_is_answered_and_echoed(query: str, door: Door, make_cache: Make) -> None:
    make_cache({"a.md": "alpha"})
    answer = door.call("context.resolve", {**GOOD, "query": query})
    assert not answer.is_error
    assert json.loads(answer.text)["selection"]["query"] == query


def test_an_absolute_path_is_a_name_only_when_it_lies_inside_the_root(
    door: Door, make_cache: Make, tmp_path: Path
) -> None:
    cache = make_cache({"a.md": "alpha"})
    answer = door.call("context.resolve", {**GOOD, "cache": str(cache)})
    assert json.loads(answer.text)["selection"]["documents_selected"] == 1
    assert error_code(door.call("context.resolve", {**GOOD, "cache": str(tmp_path)})) == "cache_missing"


def edit_manifest(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], object]:
    def edit(cache: Path) -> None:
        file = cache / "manifest.json"
        manifest = json.loads(file.read_bytes())
        change(manifest)
        file.write_text(json.dumps(manifest, indent=2), encoding="utf-8")

    return edit


def set_file(name: str) -> Callable[[Path], object]:
    def change(cache: Path) -> None:
        edit_manifest(lambda manifest: manifest["documents"][0].update(file=name))(cache)
        index = json.loads((cache / "index.json").read_bytes())
        index["a.md"] = name
        (cache / "index.json").write_text(json.dumps(index, indent=2), encoding="utf-8")

    return change


def first_document(cache: Path) -> Path:
    manifest = json.loads((cache / "manifest.json").read_bytes())
    return cache / str(manifest["documents"][0]["file"])


def flip_a_letter(cache: Path) -> None:
    document = first_document(cache)
    document.write_bytes(document.read_bytes().replace(b"alpha", b"alphb"))


def document_as_directory(cache: Path) -> None:
    first_document(cache).unlink()
    first_document(cache).mkdir()


def document_as_fifo(cache: Path) -> None:
    first_document(cache).unlink()
    os.mkfifo(first_document(cache))


def document_as_link(cache: Path) -> None:
    target = cache.parent / "elsewhere.json"
    target.write_bytes(first_document(cache).read_bytes())
    first_document(cache).unlink()
    first_document(cache).symlink_to(target)


def documents_as_link(cache: Path) -> None:
    (cache / "documents").rename(cache.parent / "moved")
    (cache / "documents").symlink_to(cache.parent / "moved")


def manifest_as_directory(cache: Path) -> None:
    (cache / "manifest.json").unlink()
    (cache / "manifest.json").mkdir()


def manifest_as_socket(cache: Path) -> None:
    (cache / "manifest.json").unlink()
    here = os.getcwd()
    os.chdir(cache)  # a socket's path is short
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("manifest.json")
    finally:
        os.chdir(here)


BROKEN: dict[str, Callable[[Path], object]] = {
    "manifest missing": lambda cache: (cache / "manifest.json").unlink(),
    "manifest empty": lambda cache: (cache / "manifest.json").write_bytes(b""),
    "manifest truncated": lambda cache: (cache / "manifest.json").write_bytes(
        (cache / "manifest.json").read_bytes()[:-9]
    ),
    "manifest not JSON": lambda cache: (cache / "manifest.json").write_bytes(b"{'a': 1}"),
    "manifest not UTF-8": lambda cache: (cache / "manifest.json").write_bytes(b'{"a": "\xff"}'),
    "manifest not an object": lambda cache: (cache / "manifest.json").write_bytes(b"[]"),
    "manifest nested deep": lambda cache: (cache / "manifest.json").write_bytes(b"[" * 200_000),
    "manifest of 100 MB": lambda cache: os.truncate(cache / "manifest.json", 100_000_000),
    "manifest crowded": lambda cache: (cache / "manifest.json").write_bytes(
        b'{"documents": [' + b"[]," * 20_000_000 + b"[]]}"
    ),
    "manifest a directory": manifest_as_directory,
    "manifest a socket": manifest_as_socket,
    "no cache_version": edit_manifest(lambda manifest: manifest.pop("cache_version")),
    "no build_config": edit_manifest(lambda manifest: manifest.pop("build_config")),
    "build_config a list": edit_manifest(lambda manifest: manifest.update(build_config=[])),
    "no created_at": edit_manifest(lambda manifest: manifest.pop("created_at")),
    "documents a string": edit_manifest(lambda manifest: manifest.update(documents="all")),
    "document a string": edit_manifest(lambda manifest: manifest.update(documents=["a.md"])),
    "document without a file": edit_manifest(lambda manifest: manifest["documents"][0].pop("file")),
    "document_count wrong": edit_manifest(lambda manifest: manifest.update(document_count=7)),
    "document_count true": edit_manifest(lambda manifest: manifest.update(document_count=True)),
    "document_count text": edit_manifest(lambda manifest: manifest.update(document_count="1")),
    "document_count negative": edit_manifest(lambda manifest: manifest.update(document_count=-1)),
    "document_count of 2^64": edit_manifest(lambda manifest: manifest.update(document_count=2**64)),
    "document listed twice": edit_manifest(lambda manifest: manifest["documents"].append(manifest["documents"][0])),
    "cache_version wrong": edit_manifest(lambda manifest: manifest.update(cache_version="sha256:" + "0" * 64)),
    "a future version": edit_manifest(lambda manifest: manifest["build_config"].update(version="2")),
    "another hash": edit_manifest(lambda manifest: manifest["build_config"].update(hash_algorithm="md5")),
    "version no hash": edit_manifest(lambda manifest: manifest["documents"][0].update(version="1.0")),
    "id a lone surrogate": edit_manifest(lambda manifest: manifest["documents"][0].update(id="\ud800")),
    "file absolute": set_file("/etc/passwd"),
    "file climbs out": set_file("../elsewhere.json"),
    "file climbs inside": set_file("documents/../../elsewhere.json"),
    "file with a backslash": set_file("documents\\x.json"),
    "file with a NUL": set_file("documents/\0.json"),
    "file is the cache": set_file("."),
    "index missing": lambda cache: (cache / "index.json").unlink(),
    "index not JSON": lambda cache: (cache / "index.json").write_bytes(b"{"),
    "index a list": lambda cache: (cache / "index.json").write_bytes(b"[]"),
    "index empty": lambda cache: (cache / "index.json").write_bytes(b"{}"),
    "index disagrees": lambda cache: (cache / "index.json").write_bytes(b'{"a.md": "documents/other.json"}'),
    "document missing": lambda cache: first_document(cache).unlink(),
    "document altered by one byte": flip_a_letter,
    "document of 6 GiB": lambda cache: os.truncate(first_document(cache), 6 << 30),
    "document whose source is no Unicode": lambda cache: first_document(cache).write_bytes(
        first_document(cache).read_bytes().replace(b'"source":"a.md"', b'"source":"\\ud800a.md"')
    ),
    "document a directory": document_as_directory,
    "document a FIFO": document_as_fifo,
    "document a link that leaves": document_as_link,
    "documents a link that leaves": documents_as_link,
    "document not JSON": lambda cache: first_document(cache).write_bytes(b"nothing"),
    "document a number": lambda cache: first_document(cache).write_bytes(b"7"),
    "document without content": lambda cache: first_document(cache).write_bytes(b'{"id": "a.md"}'),
}


@pytest.fixture
def make_broken(make_cache: Make, tmp_path: Path) -> Callable[[str], Path]:
    """A function that breaks a cache in a way of its own, in a folder of its own: `KIND/docs`."""
    sound = make_cache({"a.md": "alpha"}, name="sound")

    def make(kind: str) -> Path:
        cache = tmp_path / kind.replace(" ", "-") / "docs"
        shutil.copytree(sound, cache)
        BROKEN[kind](cache)
        return cache

    return make


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_cache_is_invalid_and_verify_names_it(
    kind: str, make_broken: Callable[[str], Path], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    cache = make_broken(kind)
    assert error_code(Library(cache.parent).call("context.resolve", GOOD)) == "cache_invalid"
    exit_code = main(["verify", "--cache", str(cache)], {}, progress=False)
    printed = capfdbinary.readouterr()
    assert (exit_code, printed.err) == (5, b"")
    assert json.loads(printed.out)["valid"] is False
    assert json.loads(printed.out)["problems"] != []


def test_a_server_that_lives_on_calls_every_broken_cache_invalid(
    make_broken: Callable[[str], Path], tmp_path: Path
) -> None:
    caches = {kind: make_broken(kind).relative_to(tmp_path) for kind in BROKEN}
    with StdioServer(tmp_path) as server:
        found = {
            kind: error_code(server.call("context.resolve", {**GOOD, "cache": str(cache)}))
            for kind, cache in caches.items()
        }
    assert found == dict.fromkeys(BROKEN, "cache_invalid")


@pytest.mark.parametrize("kind", ["manifest nested deep", "index a list", "document a FIFO", "document not JSON"])
def test_a_process_of_its_own_calls_a_broken_cache_invalid(kind: str, make_broken: Callable[[str], Path]) -> None:
    cache = make_broken(kind)
    assert error_code(CallCommand(cache.parent).call("context.resolve", GOOD)) == "cache_invalid"
    report = run_context("verify", "--cache", str(cache))
    assert (report.returncode, report.stderr, json.loads(report.stdout)["valid"]) == (5, b"", False)


# Inspect reads the manifest and the index; what is wrong with documents is for verify and resolve to find.
SEEN_BY_INSPECT = [kind for kind in BROKEN if not kind.startswith(("document ", "documents a link"))] + [
    kind for kind in BROKEN if kind in ("document a string", "document without a file", "document listed twice")
]


@pytest.mark.parametrize("kind", SEEN_BY_INSPECT)
def test_inspect_calls_no_cache_valid_whose_manifest_or_index_is_not(
    kind: str, make_broken: Callable[[str], Path], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    exit_code = main(["inspect", "--cache", str(make_broken(kind))], {}, progress=False)
    value = json.loads(capfdbinary.readouterr().out)
    assert (exit_code, value["valid"]) == (5, False)
    assert list(value) == ["cache_version", "document_count", "total_bytes", "valid"]


@pytest.mark.parametrize("refused", ["docs", "manifest.json", "index.json", "documents"])
@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM, errno.EIO])
def test_what_the_system_refuses_to_read_is_an_io_error(
    refused: str, number: int, make_cache: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = make_cache({"a.md": "alpha"})
    really_open = os.open

    def refusing_open(path: str, *arguments: Any, **options: Any) -> int:
        if os.path.basename(path) == refused:
            raise OSError(number, os.strerror(number))
        return really_open(path, *arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refusing_open)
        code = error_code(Library(cache.parent).call("context.resolve", GOOD))
    assert code == "io_error"


def refused_build(tmp_path: Path, exit_code: int, reason: str, *words: str) -> None:
    before = sorted(os.listdir(tmp_path))
    done = run_context("build", "--sources", "sources", "--cache", "cache", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (exit_code, b"")
    assert reason in done.stderr.decode("utf-8", "replace")
    assert "Traceback" not in done.stderr.decode("utf-8", "replace")
    assert sorted(os.listdir(tmp_path)) == before


def test_missing_sources_are_an_io_error(tmp_path: Path) -> None:
    refused_build(tmp_path, 6, "cannot be read")


def test_a_file_where_sources_belong_is_an_io_error(tmp_path: Path) -> None:
    (tmp_path / "sources").write_bytes(b"")
    refused_build(tmp_path, 6, "cannot be read")


def test_content_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "latin.md").write_bytes(b"caf\xe9")
    refused_build(tmp_path, 5, "'latin.md' is not UTF-8 (byte 3)")


def test_a_source_larger_than_a_document_may_be_is_named_before_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "sparse.md").write_bytes(b"")
    os.truncate(tmp_path / "sources" / "sparse.md", 6 << 30)
    refused_build(tmp_path, 5, "'sparse.md' is larger than 268435456 bytes")


def test_a_name_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    Path(os.fsdecode(os.fsencode(tmp_path / "sources") + b"/bad\xff.md")).write_bytes(b"x")
    refused_build(tmp_path, 5, "'bad\\xff.md' is not UTF-8")


def test_two_files_with_one_id_are_both_named(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "A.md").write_bytes(b"1")
    (tmp_path / "sources" / "a.md").write_bytes(b"2")
    refused_build(tmp_path, 5, "'A.md' and 'a.md' have the same id 'a.md'")


def test_a_link_that_leads_outside_ends_the_build(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    (tmp_path / "secret").write_bytes(b"x")
    (tmp_path / "sources" / "a.md").symlink_to("../secret")
    refused_build(tmp_path, 5, "'a.md' is a link that leads outside the sources")


def test_what_is_no_regular_file_is_skipped_and_told(tmp_path: Path) -> None:
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "a.md").write_bytes(b"one")
    (sources / "gone.md").symlink_to("nowhere.md")
    (sources / "itself.md").symlink_to("itself.md")
    os.mkfifo(sources / "pipe.md")
    (sources / "to-pipe.md").symlink_to("pipe.md")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(sources / "socket.md"))
    done = run_context("build", "--sources", "sources", "--cache", "cache", cwd=tmp_path)
    assert (done.returncode, json.loads(done.stdout)["document_count"]) == (0, 1)
    assert done.stderr.decode() == (
        "note: skipped: 'gone.md' is a link that leads to no file, 'itself.md' is a link that leads to no file, "
        "'pipe.md' is not a regular file, 'socket.md' is not a regular file, 'to-pipe.md' is a link that leads to no "
        "file\n"
    )


def test_a_build_that_fails_does_not_say_that_a_cache_exists(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "latin.md").write_bytes(b"caf\xe9")
    done = run_context("build", "--sources", "sources", "--cache", "cache", cwd=tmp_path)
    assert (done.returncode, b"exists" in done.stderr) == (5, False)


def test_a_target_that_exists_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    (tmp_path / "cache").mkdir()
    refused_build(tmp_path, 6, "already exists")


def test_a_target_inside_the_sources_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    done = run_context("build", "--sources", "sources", "--cache", "sources/cache", cwd=tmp_path)
    assert (done.returncode, done.stdout, os.listdir(tmp_path / "sources")) == (1, b"", [])


@pytest.mark.parametrize("kind", ["file", "link", "other files"])
def test_force_replaces_a_cache_and_nothing_else(kind: str, tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    target = tmp_path / "cache"
    if kind == "file":
        target.write_bytes(b"notes")
    elif kind == "link":
        (tmp_path / "elsewhere").mkdir()
        target.symlink_to("elsewhere")
    else:
        target.mkdir()
        (target / "notes.txt").write_bytes(b"mine")
    refused_build(tmp_path, 6, "left alone", "--force")


# In namespaces of its own a program may mount what it likes, whoever runs it, and nobody else sees that.
OWN_NAMESPACES = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-ec")
SMALL_DISK = 'mount -t tmpfs -o size=64k none "$1"'
BUILD_THERE = """
set +e
"$2" -m holdfast build --sources "$3" --cache "$1/cache"
code=$?
ls -A "$1"
exit $code
"""


def test_a_full_disk_is_an_io_error_and_leaves_nothing(tmp_path: Path) -> None:
    disk, sources = tmp_path / "disk", tmp_path / "sources"
    disk.mkdir()
    sources.mkdir()
    for number in range(40):
        (sources / f"{number}.md").write_bytes(b"x" * 8000)
    if not shutil.which("unshare") or subprocess.run([*OWN_NAMESPACES, SMALL_DISK, "sh", disk]).returncode:
        pytest.skip("no small tmpfs can be mounted here; the failing write below stands for it")
    command = [*OWN_NAMESPACES, SMALL_DISK + BUILD_THERE, "sh", str(disk), sys.executable, str(sources)]
    done = subprocess.run(command, capture_output=True)
    assert (done.returncode, done.stdout) == (6, b"")
    assert b"No space left on device" in done.stderr


@pytest.mark.parametrize("call", ["write", "fsync", "mkdir"])
def test_a_failing_system_call_is_an_io_error_and_leaves_nothing(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "a.md").write_bytes(b"alpha")

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, call, fail)
        with pytest.raises(IoError, match="No space left"):
            build_cache(tmp_path / "sources", tmp_path / "cache")
    assert os.listdir(tmp_path) == ["sources"]


def test_the_library_refuses_with_the_same_errors(make_cache: Make) -> None:
    cache = make_cache({"a.md": "alpha"})
    codes = []
    for query, budget in [("\ud800", 1), ("x", -1), ("x", True), ("x", 2**53)]:
        with pytest.raises(ContextError) as caught:
            resolve(cache, query, budget)
        codes.append(caught.value.code)
    assert codes == ["invalid_query", "invalid_budget", "invalid_budget", "invalid_budget"]
    flip_a_letter(cache)
    with pytest.raises(CacheInvalid, match="altered"):
        resolve(cache, "x", 2)
