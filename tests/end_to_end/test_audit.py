"""`context replay --receipts`: what agents were given, who asked, and whether the same would be given now."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from holdfast.caches.search.call_records import CallRecord, encode_call, parse_call
from holdfast.caches.search.receipts import receipt_and_file
from support.doors import run_context
from support.wire import Exchange, call, exchange, initialize

QUERIES = ("deploy", "roll back", "deploy")


def write_page(project: Path, text: str) -> None:
    (project / "pages").mkdir(exist_ok=True)
    (project / "pages" / "a.md").write_text(text, encoding="utf-8")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "receipts").mkdir()
    write_page(tmp_path, "# Deploy\n\nTo deploy, push.\n\n## Roll back\n\nTo roll back, pull.\n")
    assert run_context("add", "docs", "pages", cwd=tmp_path).returncode == 0
    return tmp_path


def serve(project: Path, client: str, *queries: str) -> Exchange:
    opening = initialize()
    opening["params"]["clientInfo"] = {"name": client, "version": "1.2"}
    asked = [call(number, "context.search", {"query": query}) for number, query in enumerate(queries, 1)]
    options = ("--path", str(project), "--receipts", str(project / "receipts"))
    return exchange(project / ".context" / "caches", opening, *asked, options=options)


def audit(project: Path, *words: str, code: int = 0) -> Any:
    done = run_context("replay", "--receipts", "receipts", *words, cwd=project)
    assert done.returncode == code, done.stderr.decode()
    return json.loads(done.stdout)


def test_every_call_is_listed_with_its_time_client_and_query_and_replays(project: Path) -> None:
    serve(project, "one", *QUERIES)
    serve(project, "two", "deploy")
    found = audit(project)
    assert (found["calls"], found["receipts"], found["same"], found["clients"]) == (4, 2, 2, ["one 1.2", "two 1.2"])
    listed = [(each["client"], each["query"], each["state"]) for each in found["listed"]]
    expected = [("one 1.2", query, "same") for query in QUERIES] + [("two 1.2", "deploy", "same")]
    assert sorted(listed) == sorted(expected)
    times = [each["at"] for each in found["listed"]]
    assert times == sorted(times)
    assert audit(project, "--client", "two")["calls"] == 1
    assert audit(project, "--query", "roll")["calls"] == 1
    assert audit(project, "--since", "2100-01-01")["calls"] == 0
    assert len(audit(project, "--limit", "1")["listed"]) == 1


def test_what_changed_is_named_and_the_exit_code_says_so(project: Path) -> None:
    serve(project, "one", *QUERIES)
    receipt = min((project / "receipts").glob("*.json"))
    altered = receipt.read_bytes().replace(b'"budget":2000', b'"budget":3000')
    receipt.write_bytes(altered)
    found = audit(project, code=9)
    assert (found["same"], found["altered"], found["differing"][0]["state"]) == (1, 1, "altered")
    assert "its hash does not match" in found["differing"][0]["reason"]
    receipt.unlink()
    assert audit(project, code=9)["differing"][0]["state"] == "receipt gone"


def test_an_altered_call_is_counted_and_not_believed(project: Path) -> None:
    serve(project, "one", "deploy")
    (file,) = (project / "receipts").glob("*.call")
    file.write_bytes(file.read_bytes().replace(b"one", b"two"))
    found = audit(project, code=9)
    assert (found["altered"], found["clients"]) == (1, [""])


def test_caches_that_are_not_here_any_more_are_told_and_nothing_is_proven(project: Path) -> None:
    serve(project, "one", "deploy")
    kept = project / "kept"
    shutil.copytree(project / ".context" / "caches" / "docs", kept)
    write_page(project, "# Deploy\n\nWait.\n")
    assert run_context("sync", cwd=project).returncode == 0
    done = run_context("replay", "--receipts", "receipts", cwd=project)
    assert (done.returncode, json.loads(done.stdout)["cache_gone"]) == (0, 1)
    assert b"pull or build those" in done.stderr
    now = audit(project, "--now", code=9)
    assert (now["changed"], now["cache_gone"], now["differing"][0]["query"]) == (1, 0, "deploy")
    told = [each["what"] for each in now["differing"][0]["differences"]]
    assert [what for what in told if what.startswith("a.md#")] == told
    shutil.copytree(kept, project / ".context" / "caches" / "docs-of-then")
    assert audit(project)["same"] == 1


def test_a_new_version_that_gives_the_same_sections_changes_nothing_for_agents(project: Path) -> None:
    serve(project, "one", "roll back")
    (project / "pages" / "b.md").write_text("# Other\n\nNothing of the kind.\n")
    assert run_context("sync", cwd=project).returncode == 0
    found = audit(project, "--now")
    assert (found["same"], found["changed"], audit(project)["cache_gone"]) == (1, 0, 1)


def test_many_receipts_are_shared_among_processes(project: Path) -> None:
    serve(project, "one", *[f"deploy {number}" for number in range(70)])
    found = audit(project)
    assert (found["calls"], found["same"]) == (70, 70)


def test_a_receipt_without_a_call_counts_at_the_time_of_its_file(project: Path) -> None:
    serve(project, "one", "deploy")
    for file in (project / "receipts").glob("*.call"):
        file.unlink()
    found = audit(project)
    assert (found["calls"], found["same"], found["clients"]) == (1, 1, [""])
    (file,) = (project / "receipts").glob("*.json")
    os.utime(file, (-(10**9), -(10**9)))  # it cannot be hidden by a time before all others
    (listed,) = audit(project)["listed"]
    assert (listed["at"], listed["state"]) == ("1970-01-01T00:00:00.000Z", "same")


@pytest.mark.parametrize(("member", "value"), [("citation", 5), ("content", None), ("score", 1.5), ("score", True)])
def test_a_receipt_that_somebody_made_up_is_altered_and_the_others_replay(
    project: Path, member: str, value: object
) -> None:
    serve(project, "one", "deploy")
    (file,) = (project / "receipts").glob("*.json")
    record = json.loads(file.read_bytes())["record"]
    record["sections"][0][member] = value
    receipt, data = receipt_and_file(record)
    file.with_name(receipt.removeprefix("sha256:") + ".json").write_bytes(data)
    found = audit(project, code=9)
    assert (found["same"], found["altered"]) == (1, 1)
    assert [each["reason"] for each in found["differing"]] == ["its record lacks members or has others"]


def keep_call(project: Path, at: int, number: int, client: str = "one", server: str = "s") -> None:
    receipt = next((project / "receipts").glob("*.json")).stem
    name, data = encode_call(CallRecord(at, client, f"sha256:{receipt}", server, number))
    (project / "receipts" / name).write_bytes(data)


def test_clocks_that_differ_are_told_and_one_server_is_listed_in_its_own_order(project: Path) -> None:
    serve(project, "now", "deploy")
    for number in (2, 1, 3):
        keep_call(project, 1_000, number, f"past {number}")
    keep_call(project, 4_102_444_800_000, 1, "ahead")
    done = run_context("replay", "--receipts", "receipts", cwd=project)
    found = json.loads(done.stdout)
    assert (done.returncode, found["calls"], found["ahead"]) == (0, 5, 1)
    assert b"1 call is dated later than now: a server's clock differs" in done.stderr
    assert [each["client"] for each in found["listed"]] == ["past 1", "past 2", "past 3", "now 1.2", "ahead"]
    assert (found["listed"][0]["at"], found["listed"][4]["at"]) == (
        "1970-01-01T00:00:01.000Z",
        "2100-01-01T00:00:00.000Z",
    )


def test_a_time_that_no_clock_shows_and_a_copy_under_another_name_are_no_calls(project: Path) -> None:
    serve(project, "one", "deploy")
    (file,) = (project / "receipts").glob("*.call")
    shutil.copy(file, file.with_name("0" * 64 + ".call"))
    for at in (-1, 10**15, 10**30):
        keep_call(project, at, 1)
    found = audit(project, code=9)
    assert (found["calls"], found["altered"]) == (1, 4)


def test_pages_of_calls_are_listed_and_what_is_listed_alone_can_be_replayed(project: Path) -> None:
    serve(project, "one", "deploy", "roll back", "push")
    every = [each["query"] for each in audit(project)["listed"]]
    found = audit(project, "--limit", "1", "--skip", "1", "--listed-only")
    assert (found["calls"], found["receipts"], found["replayed"], found["passed_over"]) == (3, 3, 1, 1)
    assert [each["query"] for each in found["listed"]] == every[1:2]
    assert audit(project, "--skip", "7")["listed"] == []
    assert audit(project, "--limit", "0")["replayed"] == 3


def test_what_was_given_is_told_and_a_page_of_it_is_written(project: Path) -> None:
    serve(project, "<b>one</b>", "deploy <script>")
    found = audit(project, "--html", "audit.html")
    assert found["listed"][0]["sections"] == 1
    assert found["listed"][0]["given"][0].startswith("a.md#L1-")
    page = (project / "audit.html").read_text("utf-8")
    told = (
        "1 call by 1 client, 1 receipt",
        "deploy &lt;script&gt;",
        "&lt;b&gt;one&lt;/b&gt;",
        found["listed"][0]["given"][0],
    )
    assert [words for words in told if words not in page] == []
    assert [mark for mark in ("<b>one", "<script", "http://", "https://", ' src="') if mark in page] == []
    done = run_context("replay", "--receipts", "receipts", "--html", "no/such/audit.html", cwd=project)
    assert (done.returncode, b"cannot be written" in done.stderr) == (6, True)


def test_the_reasons_of_an_answer_of_then_are_written_as_a_page(project: Path) -> None:
    serve(project, "one", "deploy")
    (receipt,) = (project / "receipts").glob("*.json")
    done = run_context("replay", str(receipt), "--html", "why.html", "--considered", "5", cwd=project)
    value = json.loads(done.stdout)
    assert (done.returncode, value["same"], value["answer"]["receipt"]) == (0, True, value["receipt"])
    assert "Why it ranked here" in (project / "why.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["replay", "--receipts", "nowhere"], 6, "cannot be read"),
        (["replay", "--receipts", "pages/a.md"], 6, "cannot be read"),
        (["replay", "--receipts"], 1, "--receipts DIR"),
        (["replay", "--receipts", "receipts", "--since", "yesterday"], 1, "such as 2026-11-17"),
    ],
)
def test_what_cannot_be_audited_is_said(words: list[str], code: int, told: str, project: Path) -> None:
    done = run_context(*words, cwd=project)
    assert (done.returncode, told in done.stderr.decode()) == (code, True), done.stderr.decode()


def test_a_call_is_read_back_as_it_was_written_and_nothing_else_is_a_call() -> None:
    record = CallRecord(1767323045123, 'a "client" 1', "sha256:" + "0a" * 32, "abcd", 7)
    name, data = encode_call(record)
    assert (parse_call(data), name.endswith(".call"), len(name)) == (record, True, 69)
    for other in (b"", b"{}", b"[]", data[:-1], data.replace(b'"number":7', b'"number":8'), data + b"\n"):
        assert parse_call(other) is None
