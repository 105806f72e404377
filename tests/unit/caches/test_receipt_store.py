"""A directory of receipts: bounded, shared by processes, cleared of what dead writers left."""

from __future__ import annotations

import fcntl
import json
import os
from typing import TYPE_CHECKING

import pytest

from holdfast import build_cache
from holdfast.caches.on_disk import receipt_store
from holdfast.caches.on_disk.receipt_store import ReceiptStore
from holdfast.caches.search.receipts import encode_receipt, make_record, receipt_and_file
from holdfast.caches.search.search_request import SearchRequest
from holdfast.mcp.server import Call, Server
from holdfast.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.caches.shapes import Record


def record(number: int) -> Record:
    return make_record("sha256:" + "0" * 64, "estimate-1", SearchRequest(f"query {number:03}", 100), [])


def name_of(number: int) -> str:
    return receipt_and_file(record(number))[0].removeprefix("sha256:") + ".json"


def names(directory: Path) -> set[str]:
    return {file.name for file in directory.iterdir()}


def test_a_file_has_the_name_of_its_receipt_and_the_bytes_of_its_record(tmp_path: Path) -> None:
    store = ReceiptStore()
    told = [store.add(str(tmp_path), record(number)) for number in (1, 2, 1)]
    assert told == ["", "", ""]
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {
        name_of(number): encode_receipt(record(number)) for number in (1, 2)
    }
    assert store.telemetry() == {"receipts": {"written": 2, "present": 1, "failed": 0}}


def test_a_directory_takes_as_many_files_as_it_may_and_tells_once_that_it_takes_no_more(tmp_path: Path) -> None:
    store = ReceiptStore(most_files=40)
    told = [store.add(str(tmp_path), record(number)) for number in range(50)]
    assert store.telemetry() == {"receipts": {"written": 40, "present": 0, "failed": 10}}
    assert [number for number, warning in enumerate(told) if warning] == [40]
    assert told[40].endswith("it holds as many receipts as it may")
    assert store.add(str(tmp_path), record(0)) == ""
    assert store.telemetry()["receipts"]["present"] == 1


def test_each_reason_that_nothing_is_written_for_is_told_when_it_comes_and_not_again(tmp_path: Path) -> None:
    place, store = tmp_path / "receipts", ReceiptStore()
    told = [store.add(str(place), record(number)) for number in (1, 2)]
    place.mkdir()
    told.append(store.add(str(place), record(3)))
    place.rename(tmp_path / "moved")
    place.symlink_to("moved")
    told += [store.add(str(place), record(number)) for number in (4, 5)]
    begin = f"receipts cannot be written to '{place}': "
    assert told == [f"{begin}No such file or directory", "", "", f"{begin}it is a link", ""]
    assert names(tmp_path / "moved") == {name_of(3)}


def test_a_directory_takes_as_many_bytes_as_it_may(tmp_path: Path) -> None:
    size = len(encode_receipt(record(0)))
    store = ReceiptStore(most_bytes=10 * size + size // 2)
    for number in range(20):
        store.add(str(tmp_path), record(number))
    assert store.telemetry() == {"receipts": {"written": 10, "present": 0, "failed": 10}}


def test_what_was_last_given_too_long_ago_goes_and_nothing_else(tmp_path: Path) -> None:
    day = 86_400_000
    now = 1_767_323_045_000
    store = ReceiptStore()
    store.bound(None, 30)
    for number, age in ((1, 40), (2, 40), (3, 10)):
        assert store.add(str(tmp_path), record(number), now - age * day, "a client") == ""
    for file in tmp_path.iterdir():
        age = 10 if file.name == name_of(3) else 40
        os.utime(file, ns=((now - age * day) * 10**6,) * 2)
    (tmp_path / "notes.json").write_bytes(b"mine")
    os.utime(tmp_path / "notes.json", ns=(0, 0))
    again = ReceiptStore()
    again.bound(None, 30)
    assert again.add(str(tmp_path), record(3), now, "a client") == ""
    assert {name for name in names(tmp_path) if name.endswith(".json")} == {"notes.json", name_of(3)}
    assert len([name for name in names(tmp_path) if name.endswith(".call")]) == 1


def test_what_is_too_old_goes_though_the_clock_was_set_back(tmp_path: Path) -> None:
    day, ahead = 86_400_000, 4_102_444_800_000
    store = ReceiptStore()
    store.bound(None, 30)
    store.add(str(tmp_path), record(1), ahead, "")
    os.utime(tmp_path / name_of(1), ns=((ahead - 400 * day) * 10**6,) * 2)
    store.add(str(tmp_path), record(2), ahead - 300 * day, "")
    assert [name for name in names(tmp_path) if name.endswith(".json")] == [name_of(2)]


def test_a_receipt_that_is_given_again_is_young_again(tmp_path: Path) -> None:
    store = ReceiptStore()
    store.bound(None, 1)
    store.add(str(tmp_path), record(1), 10**12, "")
    os.utime(tmp_path / name_of(1), ns=(0, 0))
    store.add(str(tmp_path), record(1), 10**12 + 1, "")
    assert (tmp_path / name_of(1)).stat().st_mtime_ns > 0


def test_room_that_somebody_makes_is_used(tmp_path: Path) -> None:
    store = ReceiptStore(most_files=3)
    for number in range(4):
        store.add(str(tmp_path), record(number))
    (tmp_path / name_of(0)).unlink()
    os.utime(tmp_path, ns=(1, 1))  # whatever the grain of the clock, it is not the directory of before
    assert store.add(str(tmp_path), record(3)) == ""
    assert names(tmp_path) == {name_of(1), name_of(2), name_of(3)}


def test_stores_that_share_a_directory_keep_to_its_bound_together(tmp_path: Path) -> None:
    stores = [ReceiptStore(most_files=64) for _ in range(4)]
    for number in range(100):
        stores[number % 4].add(str(tmp_path), record(number))
    assert len(names(tmp_path)) == 64


def test_a_full_directory_is_not_counted_again_until_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ReceiptStore(most_files=2)
    for number in range(3):
        store.add(str(tmp_path), record(number))
    monkeypatch.setattr(os, "scandir", lambda _folder: pytest.fail("it was counted"))
    for number in range(3, 10):
        store.add(str(tmp_path), record(number))
    assert store.telemetry()["receipts"]["failed"] == 8


def test_what_a_dead_writer_left_is_removed_and_what_a_live_one_holds_is_kept(tmp_path: Path) -> None:
    dead, alive, other = f".{name_of(1)}.holdfast-dead", f".{name_of(2)}.holdfast-a1", ".notes.holdfast-1"
    for name in (dead, alive, other):
        (tmp_path / name).write_bytes(b"half")
    with (tmp_path / alive).open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        ReceiptStore().add(str(tmp_path), record(3))
    assert names(tmp_path) == {alive, other, name_of(3)}


def test_a_file_taken_for_abandoned_before_it_was_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.rename
    taken: list[str] = []

    def rename(source: str, target: str, *, src_dir_fd: int, dst_dir_fd: int) -> None:
        if not taken:
            taken.append(source)
            os.unlink(source, dir_fd=src_dir_fd)
        real(source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

    monkeypatch.setattr(os, "rename", rename)
    assert ReceiptStore().add(str(tmp_path), record(1)) == ""
    assert (len(taken), names(tmp_path)) == (1, {name_of(1)})


@pytest.fixture
def search(tmp_path: Path) -> Call:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "a.md").write_text("# Deploy\n\nPush.\n", "utf-8")
    (tmp_path / "receipts").mkdir()
    build_cache(tmp_path / "sources", tmp_path / "caches" / "docs")
    workspace = Workspace(
        str(tmp_path), cache_root=str(tmp_path / "caches"), door="tool", receipts=str(tmp_path / "receipts")
    )
    server = Server(workspace)
    server.receive(
        b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}', lambda _key: None
    )
    arguments = {"cache": "docs", "query": "deploy", "budget": 400}
    request = {"name": "context.search", "arguments": arguments}
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": request}).encode()
    call = server.receive(line, lambda _key: None)
    assert isinstance(call, Call)
    return call


def test_an_answer_is_ready_before_anything_of_its_receipt_is_written(search: Call, tmp_path: Path) -> None:
    line = search.run()
    assert (b'"isError":false' in line, names(tmp_path / "receipts")) == (True, set())
    search.afterwards()
    assert sorted(name[64:] for name in names(tmp_path / "receipts")) == [".call", ".json"]


def test_a_bug_in_what_is_left_to_do_is_told_and_raises_nothing(
    search: Call, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_arguments: object) -> str:
        raise RuntimeError("a bug")

    monkeypatch.setattr(receipt_store.ReceiptStore, "add", broken)
    assert b'"isError":false' in search.run()
    search.afterwards()
    assert "RuntimeError: a bug" in capsys.readouterr().err
