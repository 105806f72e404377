"""`context serve --receipts`: what was answered can be replayed. A directory that cannot be used from the beginning
ends the server before it serves; one that goes bad later, however it does, costs no answer."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from holdfast import build_cache
from holdfast.core.landlock import LandlockUnavailable, kernel_abi
from support.doors import run_context
from support.wire import OPENING, Wire, as_line, call, exchange, initialize

if TYPE_CHECKING:
    from pathlib import Path

    from support.wire import Exchange

try:
    kernel_abi()
    HAS_LANDLOCK = True
except LandlockUnavailable:
    HAS_LANDLOCK = False
confinable = pytest.mark.skipif(not HAS_LANDLOCK, reason="this kernel has no Landlock")

QUESTIONS = ("deploy", "roll back", "deploy")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "sources").mkdir()
    write(tmp_path, "# Deploy\n\nTo deploy, push.\n\n## Roll back\n\nTo roll back, pull.\n")
    (tmp_path / "receipts").mkdir()
    return tmp_path


def write(project: Path, text: str) -> None:
    (project / "sources" / "a.md").write_text(text, "utf-8")
    build_cache(project / "sources", project / ".context" / "caches" / "docs", force=True)


def searches(*queries: str) -> list[dict[str, Any]]:
    return [
        call(number, "context.search", {"cache": "docs", "query": query, "budget": 100, "format": "json"})
        for number, query in enumerate(queries, 1)
    ]


def ask(project: Path, *options: str, queries: tuple[str, ...] = QUESTIONS) -> Exchange:
    """A server that is asked each query and then ended by the end of its input."""
    root = project / ".context" / "caches"
    return exchange(root, *OPENING, *searches(*queries), options=("--path", str(project), *options))


def counts(done: Exchange) -> dict[str, int]:
    """What `--telemetry` told of receipts, on the last line of stderr."""
    told: dict[str, int] = json.loads(done.stderr.splitlines()[-1])["file_contents"]["receipts"]
    return told


def receipts_of(done: Exchange) -> set[str]:
    texts = [answer["result"]["content"][0]["text"] for number, answer in done.answers_by_id().items() if number]
    return {json.loads(text)["receipt"].removeprefix("sha256:") + ".json" for text in texts}


def test_every_answer_leaves_its_receipt_once_and_has_the_same_bytes_as_without(project: Path) -> None:
    plain, kept = ask(project), ask(project, "--receipts", str(project / "receipts"), "--telemetry")
    assert sorted(plain.lines) == sorted(kept.lines)
    assert {file.name for file in (project / "receipts").glob("*.json")} == receipts_of(kept)
    assert (sum(counts(kept).values()), len(receipts_of(kept)), counts(kept)["failed"]) == (3, 2, 0)
    again = ask(project, "--receipts", str(project / "receipts"), "--telemetry")
    assert counts(again) == {"written": 0, "present": 3, "failed": 0}
    assert len(list((project / "receipts").glob("*.json"))) == 2


def test_a_receipt_of_the_server_is_what_the_command_writes_and_replays_from_the_project(project: Path) -> None:
    ask(project, "--receipts", str(project / "receipts"), queries=("deploy",))
    (file,) = (project / "receipts").glob("*.json")
    words = ("--cache", ".context/caches/docs", "--query", "deploy", "--budget", "100", "--receipt", "one.json")
    assert run_context("search", *words, cwd=project).returncode == 0
    assert file.read_bytes() == (project / "one.json").read_bytes()
    assert run_context("replay", str(file), cwd=project).returncode == 0
    write(project, "# Deploy\n\nTo deploy, wait.\n")
    done = run_context("replay", str(file), "--cache", ".context/caches/docs", cwd=project)
    assert (done.returncode, json.loads(done.stdout)["same"]) == (9, False)


def test_only_searches_that_were_answered_leave_a_receipt(project: Path) -> None:
    asked = [
        call(1, "context.search", {"cache": "none", "query": "deploy", "budget": 100}),
        call(2, "context.search", {"cache": "docs", "query": "deploy", "budget": -1}),
        call(3, "context.resolve", {"cache": "docs", "query": "deploy", "budget": 100}),
        call(4, "context.list_caches", {}),
    ]
    done = exchange(
        project / ".context" / "caches", *OPENING, *asked, options=("--receipts", str(project / "receipts"))
    )
    assert (len(done.lines), list((project / "receipts").iterdir())) == (5, [])


def bad_place(project: Path, how: str) -> str:
    """A place that is no directory to write to; nothing is at `bad` before, nor at its folder for "below a file"."""
    place = project / "bad"
    if how == "link":
        place.symlink_to(project / "receipts")
    elif how == "link with a slash":
        place.symlink_to(project / "receipts")
        return f"{place}/"
    elif how == "dangling link":
        place.symlink_to(project / "nowhere")
    elif how == "file":
        place.write_bytes(b"as it was")
    elif how == "fifo":
        os.mkfifo(place)
    elif how == "below a file":
        (project / "file").write_bytes(b"")
        return str(project / "file" / "bad")
    elif how == "nothing":
        return ""
    elif how == "long name":
        return str(project / ("x" * 5000))
    elif how == "not writable":
        return "/proc"
    return str(place)


confined_or_not = pytest.mark.parametrize(
    "confine", [False, pytest.param(True, marks=confinable)], ids=["open", "confined"]
)
# A superuser is allowed to write to /proc, and learns only from trying that it takes no files.
SEEMS_WRITABLE = os.access("/proc", os.W_OK)
only_at_writing = pytest.mark.skipif(not SEEMS_WRITABLE, reason="for this user, the server refuses it before it starts")
only_at_start = pytest.mark.skipif(SEEMS_WRITABLE, reason="for this user, only writing shows it")


@confined_or_not
@pytest.mark.parametrize(
    "how",
    [
        *("dangling link", "file", "fifo", "below a file", "long name"),
        pytest.param("not writable", marks=only_at_start),
    ],
)
def test_a_directory_that_cannot_be_used_is_refused_before_anything_is_served(
    project: Path, how: str, confine: bool
) -> None:
    place = bad_place(project, how)
    before = sorted(file.name for file in project.iterdir())
    refused = ask(project, "--receipts", place, "--telemetry", *(("--confine",) if confine else ()))
    assert (refused.lines, refused.exit_code) == ([], 6)
    error, reason, *_hint = refused.stderr.splitlines()
    assert error.startswith("error: ")
    verb = "nothing can be written to" if how == "not writable" else f"'{place}' cannot be made: "
    assert reason.startswith("reason: --receipts: ")
    assert verb in reason
    assert sorted(file.name for file in project.iterdir()) == before
    if how == "file":
        assert (project / "bad").read_bytes() == b"as it was"


@confined_or_not
def test_a_missing_directory_is_made_for_its_owner_alone_and_keeps_the_receipts(project: Path, confine: bool) -> None:
    place = project / "new" / "receipts"
    plain = ask(project)
    kept = ask(project, "--receipts", str(place), "--telemetry", *(("--confine",) if confine else ()))
    assert (sorted(kept.lines), kept.exit_code) == (sorted(plain.lines), 0)
    assert (sum(counts(kept).values()), counts(kept)["failed"]) == (3, 0)
    assert {file.name for file in place.glob("*.json")} == receipts_of(kept)
    assert place.stat().st_mode & 0o777 == 0o700


@confined_or_not
@pytest.mark.parametrize("how", ["missing", "link", "dangling link", "file", "fifo", "below a file"])
def test_a_directory_that_goes_bad_after_the_start_costs_one_warning_and_no_answer(
    project: Path, how: str, confine: bool
) -> None:
    plain = ask(project)
    place = project / ("file/bad" if how == "below a file" else "bad")
    options = ("--path", str(project), "--receipts", str(place), "--telemetry", *(("--confine",) if confine else ()))
    with Wire(project / ".context" / "caches", *options) as wire:
        opened = wire.ask(OPENING[0])  # by now the server has made the directory
        shutil.rmtree(project / place.relative_to(project).parts[0])
        assert bad_place(project, how) == str(place)
        kept = wire.end(b"".join(as_line(message) for message in (*OPENING[1:], *searches(*QUESTIONS))))
    assert kept.exit_code == 0
    answers = {number: answer for number, answer in plain.answers_by_id().items() if number}
    assert (kept.answers_by_id(), opened) == (answers, plain.answers_by_id()[0])
    warning, _counts = kept.stderr.splitlines()
    assert warning.startswith(f"warning: receipts cannot be written to '{place}': ")
    assert ("it is a link" in warning) == ("link" in how)
    assert counts(kept) == {"written": 0, "present": 0, "failed": 3}
    assert list((project / "receipts").iterdir()) == []
    if how == "file":
        assert place.read_bytes() == b"as it was"


@confined_or_not
@pytest.mark.parametrize(
    "how", ["link", "link with a slash", "nothing", pytest.param("not writable", marks=only_at_writing)]
)
def test_a_directory_that_cannot_be_written_costs_one_warning_and_no_answer(
    project: Path, how: str, confine: bool
) -> None:
    place = bad_place(project, how)
    plain = ask(project)
    options = ("--confine",) if confine else ()
    kept = ask(project, "--receipts", place, "--telemetry", *options)
    assert (sorted(kept.lines), kept.exit_code) == (sorted(plain.lines), 0)
    warning, _counts = kept.stderr.splitlines()
    assert warning.startswith("warning: receipts cannot be written to '")
    assert ("it is a link" in warning) == ("link" in how)
    assert counts(kept) == {"written": 0, "present": 0, "failed": 3}
    assert list((project / "receipts").iterdir()) == []


@confinable
def test_a_directory_that_can_only_be_read_is_told_once_and_holds_what_it_held(project: Path) -> None:
    """The kernel makes it so, for whoever runs the tests: permissions do not bind everybody."""
    trial = """
import sys
from holdfast.core.landlock import restrict_to
from holdfast.cli import main
restrict_to(["/"])
sys.exit(main(sys.argv[1:], {}))
"""
    arguments = json.dumps({"cache": "docs", "query": "deploy", "budget": 100})
    words = ("call", "context.search", arguments)
    (project / "receipts" / "held").write_bytes(b"as it was")
    command = [sys.executable, "-c", trial, *words, "--receipts", "receipts"]
    done = subprocess.run(command, capture_output=True, cwd=project, timeout=120)
    assert (done.returncode, done.stdout) == (0, run_context(*words, cwd=project).stdout)
    assert done.stderr == b"warning: receipts cannot be written to 'receipts': Permission denied\n"
    assert [file.name for file in (project / "receipts").iterdir()] == ["held"]


def test_a_full_disk_costs_one_warning_and_leaves_nothing_behind(project: Path) -> None:
    """A bound on the size of files stands in for it: writing stops halfway, with an error."""
    command = [sys.executable, "-m", "holdfast", "serve", "--receipts", "receipts", "--telemetry"]
    done = subprocess.run(
        command,
        input=b"".join(as_line(message) for message in (*OPENING, *searches(*QUESTIONS))),
        capture_output=True,
        cwd=project,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)),
        timeout=120,
    )
    assert sorted(done.stdout.splitlines(keepends=True)) == sorted(ask(project).lines)
    warning, told = done.stderr.decode().splitlines()
    assert (done.returncode, warning.startswith("warning: receipts cannot be written to 'receipts': ")) == (0, True)
    assert json.loads(told)["file_contents"]["receipts"] == {"written": 0, "present": 0, "failed": 3}
    assert list((project / "receipts").iterdir()) == []


def test_what_stands_under_a_receipts_name_is_replaced_if_it_is_a_link_and_else_left(project: Path) -> None:
    ask(project, "--receipts", str(project / "receipts"), queries=("deploy",))
    (file,) = (project / "receipts").glob("*.json")
    data = file.read_bytes()
    victim = project / "victim"
    victim.write_bytes(b"as it was")
    file.unlink()
    file.symlink_to(victim)
    ask(project, "--receipts", str(project / "receipts"), queries=("deploy",))
    assert (victim.read_bytes(), file.is_symlink(), file.read_bytes()) == (b"as it was", False, data)
    file.write_bytes(data[:10])  # as a crash of the system might leave it
    ask(project, "--receipts", str(project / "receipts"), queries=("deploy",))
    assert file.read_bytes() == data
    file.unlink()
    file.mkdir()
    kept = ask(project, "--receipts", str(project / "receipts"), "--telemetry", queries=("deploy",))
    assert (counts(kept)["failed"], file.is_dir(), len(list((project / "receipts").glob("*.json")))) == (1, True, 1)


def test_servers_that_write_the_same_receipts_at_once_leave_each_of_them_once(project: Path) -> None:
    queries = [f"deploy {number}" for number in range(40)]
    (project / "receipts").chmod(0o777)

    def serve(_number: int) -> Exchange:
        return ask(project, "--receipts", str(project / "receipts"), "--telemetry", queries=(*queries, *queries))

    with ThreadPoolExecutor(3) as pool:
        servers = list(pool.map(serve, range(3)))
    assert {file.name for file in (project / "receipts").glob("*.json")} == receipts_of(servers[0])
    for kept in servers:
        assert (counts(kept)["failed"], sum(counts(kept).values())) == (0, 80)
    for file in (project / "receipts").glob("*.json"):
        assert run_context("replay", str(file), cwd=project).returncode == 0
        break


@confinable
def test_a_confined_server_writes_receipts_inside_and_outside_the_project(project: Path, tmp_path_factory: Any) -> None:
    outside = tmp_path_factory.mktemp("outside")
    for place in (project / "receipts", outside):
        kept = ask(project, "--confine", "--receipts", str(place), "--telemetry")
        assert {file.name for file in place.glob("*.json")} == receipts_of(kept)
        assert (counts(kept)["failed"], kept.exit_code) == (0, 0)


@confinable
def test_a_confined_server_cannot_write_to_a_directory_put_in_the_place_of_the_one_it_was_given(project: Path) -> None:
    options = ("--path", str(project), "--receipts", str(project / "receipts"), "--confine", "--telemetry")
    with Wire(project / ".context" / "caches", *options) as wire:
        wire.send(initialize())
        wire.read()
        (project / "receipts").rename(project / "moved")
        (project / "receipts").mkdir()
        done = wire.end(b"".join(as_line(message) for message in searches(*QUESTIONS)))
    assert counts(done) == {"written": 0, "present": 0, "failed": 3}
    assert (list((project / "receipts").iterdir()), list((project / "moved").iterdir())) == ([], [])


@pytest.mark.parametrize("place", [".", "..", ".context", ".context/caches"])
def test_receipts_of_a_confined_server_open_neither_the_project_nor_the_caches_to_writing(
    project: Path, place: str
) -> None:
    done = run_context("serve", "--confine", "--receipts", place, cwd=project)
    assert (done.returncode, done.stdout, b"--receipts cannot be" in done.stderr) == (1, b"", True)


def test_a_call_writes_a_receipt_as_the_server_does(project: Path) -> None:
    arguments = json.dumps({"cache": "docs", "query": "deploy", "budget": 100, "format": "json"})
    plain = run_context("call", "context.search", arguments, cwd=project)
    kept = run_context("call", "context.search", arguments, "--receipts", "receipts", cwd=project)
    assert (kept.returncode, kept.stdout, kept.stderr) == (0, plain.stdout, b"")
    (file,) = (project / "receipts").glob("*.json")
    assert json.loads(file.read_bytes())["receipt"] == json.loads(plain.stdout)["receipt"]
    shutil.rmtree(project / "receipts")
    failed = run_context("call", "context.search", arguments, "--receipts", "receipts", cwd=project)
    assert (failed.returncode, failed.stdout, failed.stderr.count(b"warning: ")) == (0, plain.stdout, 1)
