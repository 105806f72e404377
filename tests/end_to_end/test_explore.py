"""`context explore` as a process: who gets in, what is sent, bad input, and how it ends."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.caches.search.call_records import CallRecord, encode_call
from holdfast.cli import main
from holdfast.command.examples import EXAMPLES
from support.doors import run_context
from support.explored import ExploreServer

NOBODY = 65534
# What another user of the machine can try: the words of the process, the port, the file that a browser was shown.
INTRUDER = """
import json, sys, urllib.error, urllib.request
pid, port, path = sys.argv[1:]
told = {}
with open(f"/proc/{pid}/cmdline", "rb") as file:
    told["words"] = file.read().decode()
for address in ("", "x/", "caches"):
    try:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        opener.open(f"http://127.0.0.1:{port}/{address}", timeout=30)
        told[address] = 200
    except urllib.error.HTTPError as error:
        told[address] = error.code
try:
    open(path).close()
    told["file"] = "read"
except OSError as error:
    told["file"] = error.strerror
print(json.dumps(told))
"""


def test_only_the_whole_address_gets_in(explore_server: ExploreServer) -> None:
    assert explore_server.get().status == 200
    for path in ("/", "/caches", explore_server.address.removeprefix(explore_server.origin)[:-2] + "/"):
        refused = explore_server.get(url=explore_server.origin + path)
        assert (refused.status, "explored" in refused.text) == (403, False)


def test_other_hosts_and_origins_are_refused_and_nothing_can_be_written(explore_server: ExploreServer) -> None:
    assert explore_server.get(Host="evil.example").status == 403
    assert explore_server.get(Origin="http://evil.example").status == 403
    assert explore_server.get(Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="cors").status == 403
    refused = explore_server.get(method="POST")
    assert (refused.status, refused.headers["Allow"]) == (405, "GET, HEAD")


def test_pages_forbid_everything_but_themselves_and_are_kept_nowhere(explore_server: ExploreServer) -> None:
    sent = explore_server.get("caches")
    policy = sent.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert policy.endswith("frame-ancestors 'none'")
    kept = {name: sent.headers[name] for name in ("Cache-Control", "Referrer-Policy", "X-Frame-Options")}
    assert kept == {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY"}
    assert explore_server.address not in sent.text


def test_a_page_that_did_not_change_is_not_sent_again(explore_server: ExploreServer) -> None:
    first = explore_server.get("specs")
    assert explore_server.get("specs", If_None_Match=first.headers["ETag"]).status == 304
    assert explore_server.get("specs", method="HEAD").text == ""


def test_the_page_of_a_search_has_what_the_tool_answers(explore_server: ExploreServer, explored_project: Path) -> None:
    told = run_context(
        "search", "deploy", "--cache", "docs", "--budget", "400", "--format", "json", cwd=explored_project
    )
    answer = json.loads(told.stdout)
    page = explore_server.get("search?q=deploy&cache=docs&budget=400").text
    assert answer["receipt"] in page
    assert [section["citation"] in page for section in answer["sections"]] == [True] * len(answer["sections"])
    assert "did not fit by" in page


@pytest.mark.parametrize(
    ("page", "status", "words"),
    [
        ("nothing", 404, "There is no such page"),
        ("search?q=deploy&cache=../..", 200, "there is no cache"),
        ("search?q=deploy&budget=x", 200, "Tokens are a whole number"),
        ("search?q=deploy&budget=20", 200, "form class"),
        ("search?q=%ff%00", 200, "form class"),
        ("search?q=" + "a" * 5000, 200, "form class"),
        ("directory?scope=../../etc", 200, 'class="note'),
        ("tree?state=none", 200, "Directories"),
        ("search?" + "&".join(["a=1"] * 50), 400, "too many fields"),
        ("receipts?skip=x", 200, "a whole number"),
        ("receipts?skip=999999", 200, "3 calls"),
        ("receipts?since=yesterday", 200, "such as 2026-11-17"),
        ("receipts?client=%ff", 200, "must be a string"),
        ("receipts?query=%00", 200, "No calls are kept there that match"),
        ("receipt?id=../../../etc/passwd", 200, "64 hex digits"),
        ("receipt?id=" + "0" * 64, 200, "cannot be read"),
    ],
)
def test_whatever_is_asked_gets_a_word(explore_server: ExploreServer, page: str, status: int, words: str) -> None:
    sent = explore_server.get(page)
    assert (sent.status, words in sent.text, "Traceback" in sent.text) == (status, True, False)


def test_every_call_is_found_by_who_asked_and_what_for_and_leads_to_the_reasons_of_its_answer(
    explore_server: ExploreServer,
) -> None:
    every = explore_server.get("receipts").text
    assert "3 calls by 2 clients, 3 receipts" in every
    found = explore_server.get("receipts?client=context+call&query=how").text
    (link,) = re.findall(r'href="(receipt\?id=[0-9a-f]{64})"', found)
    assert ("1 call by 1 client" in found, "the same answer" in found) == (True, True)
    why = explore_server.get(link).text
    told = ("as was given then, byte for byte", "how to deploy", "To deploy, push.", "Why it ranked here")
    assert [words for words in told if words not in why] == []
    assert "No calls are kept" in explore_server.get("receipts?since=2100-01-01").text


def test_thousands_of_calls_are_shown_a_page_at_a_time(tmp_path: Path) -> None:
    receipts = tmp_path / "kept"
    receipts.mkdir()
    for number in range(3_000):
        name, data = encode_call(CallRecord(1_700_000_000_000 + number, "many", "sha256:" + "0" * 64, "s", number))
        (receipts / name).write_bytes(data)
    server = ExploreServer(tmp_path, "--no-open", "--receipts", str(receipts))
    first, last = server.get("receipts").text, server.get("receipts?skip=2950").text
    server.end()
    assert ("The latest 50 of 3,000 calls" in first, first.count("the receipt is gone</span>")) == (True, 50)
    assert ("Calls 2,951 to 3,000 of 3,000" in last, "Earlier calls" in last) == (True, False)
    assert len(first) < 120_000


def test_what_is_damaged_or_removed_while_it_is_looked_at_is_told(tmp_path: Path, explored_project: Path) -> None:
    copy = shutil.copytree(explored_project, tmp_path / "copy")
    caches = copy / ".context" / "caches"
    (caches / "docs" / "manifest.json").write_bytes(b"{")
    server = ExploreServer(copy, "--no-open")
    assert "damaged" in server.get("caches").text
    shutil.rmtree(copy / ".context")
    shutil.rmtree(copy / ".spec-context")
    assert "There is no cache yet." in server.get("caches").text
    for page in ("", "tree", "specs", "receipts", "savings", "search?q=deploy", "directory?scope=src"):
        assert server.get(page).status == 200
    assert server.end(signal.SIGTERM)[0] == 0


def test_whoever_opens_many_connections_keeps_nobody_out(explored_project: Path) -> None:
    server = ExploreServer(explored_project, "--no-open")
    held = [socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(70)]
    assert b"".join([each.recv(1) for each in held[64:]]) == b""  # closed at once, while the others are waited for
    for each in held:
        each.close()
    for _ in range(1000):  # until it has noticed
        try:
            assert server.get("specs").status == 200
            break
        except OSError:
            continue
    else:
        raise AssertionError("nobody gets in any more")
    server.end()


def test_a_port_in_use_is_told(explored_project: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run_context("explore", "--no-open", "--port", str(port), cwd=explored_project)
    assert (done.returncode, done.stdout) == (1, b"")
    assert f"port {port} is in use: choose another, or leave --port out for a free one" in done.stderr.decode()


def test_bad_arguments_are_told(explored_project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, told in (
        (("--port", "70000"), "--port must be a whole number from 0 up to 65535"),
        (("--port", "web"), "--port must be a whole number"),
        (("--path", str(explored_project / "none")), "there is no directory"),
        (("--html", str(explored_project / "no" / "such" / "page.html")), "cannot be written"),
    ):
        assert main(["explore", "--no-open", *words], {}) != 0
        assert told in capsys.readouterr().err


def test_a_folder_without_anything_says_what_to_run(tmp_path: Path) -> None:
    server = ExploreServer(tmp_path, "--no-open")
    pages = {page: server.get(page).text for page in ("", "caches", "tree", "specs", "receipts", "savings")}
    server.end()
    assert "context add NAME PATH" in pages["caches"]
    assert "context spec init NAME" in pages["specs"]
    assert "context serve --receipts DIR" in pages["receipts"]


def fake_browser(folder: Path, code: str = "") -> dict[str, str]:
    """A browser that notes what it was told to open."""
    script = folder / "browser"
    script.write_text(f'#!/bin/sh\n{code}printf %s "$1" > "{folder}/opened"\n', "utf-8")
    script.chmod(0o755)
    return {"BROWSER": str(script), "TMPDIR": str(folder)}


def test_another_user_learns_nothing_and_ctrl_c_leaves_nothing(tmp_path: Path, explored_project: Path) -> None:
    os.mkfifo(tmp_path / "told")
    env = fake_browser(tmp_path, f'printf x > "{tmp_path}/told"\n')
    server = ExploreServer(explored_project, env=env)
    (tmp_path / "told").read_bytes()  # the browser was started
    (folder,) = tmp_path.glob("holdfast-explore-*")
    page = folder / "open.html"
    assert (stat.S_IMODE(folder.stat().st_mode), stat.S_IMODE(page.stat().st_mode)) == (0o700, 0o600)
    assert server.address in page.read_text("utf-8")
    token = server.address.rstrip("/").rpartition("/")[2]
    if os.geteuid() == 0:
        for python in (sys.executable, getattr(sys, "_base_executable", ""), "/usr/bin/python3"):
            command = [python, "-I", "-S", "-c", INTRUDER, str(server.process.pid), str(server.port), str(page)]
            try:
                done = subprocess.run(command, capture_output=True, user=NOBODY, group=NOBODY, cwd="/", timeout=60)
            except OSError:
                continue  # the other user may not run this one
            if done.returncode == 0:
                told = json.loads(done.stdout)
                assert (token in told["words"], told[""], told["x/"], told["caches"]) == (False, 403, 403, 403)
                assert told["file"] == "Permission denied"
                break
    code, said = server.end()
    assert (code, "Traceback" in said) == (0, False)
    assert list(tmp_path.glob("holdfast-explore-*")) == []


def test_the_file_is_gone_once_the_address_was_opened(tmp_path: Path, explored_project: Path) -> None:
    os.mkfifo(tmp_path / "told")
    server = ExploreServer(explored_project, env=fake_browser(tmp_path, f'printf x > "{tmp_path}/told"\n'))
    (tmp_path / "told").read_bytes()
    server.get()
    assert list(tmp_path.glob("holdfast-explore-*")) == []
    server.end()


def test_the_examples_show_the_project_and_write_it_to_a_file(tmp_path: Path, explored_project: Path) -> None:
    served, kept = [example.words.split()[2:] for example in EXAMPLES["explore"]]
    os.mkfifo(tmp_path / "told")
    server = ExploreServer(explored_project, *served, env=fake_browser(tmp_path, f'printf x > "{tmp_path}/told"\n'))
    (tmp_path / "told").read_bytes()
    assert server.get().status == 200
    server.end()
    assert run_context("explore", *kept, cwd=explored_project).returncode == 0
    assert (explored_project / kept[1]).exists()


def test_without_a_browser_the_address_is_printed_and_served(tmp_path: Path, explored_project: Path) -> None:
    server = ExploreServer(
        explored_project, env={"PATH": str(tmp_path), "BROWSER": "", "DISPLAY": "", "WAYLAND_DISPLAY": ""}
    )
    assert server.get().status == 200
    assert "open the address yourself" in server.end()[1]


def test_a_kept_page_stands_alone(explored_project: Path) -> None:
    done = run_context("explore", "--html", "alone.html", cwd=explored_project)
    page = (explored_project / "alone.html").read_text("utf-8")
    assert (done.returncode, done.stdout) == (0, b"alone.html\n")
    assert not [
        mark for mark in ("http://", "https://", ' src="', "<script", "@import", "url(", "<form") if mark in page
    ]
    assert "default-src 'none'" in page


def test_looking_changes_nothing(explored_project: Path, explore_server: ExploreServer) -> None:
    def state() -> dict[str, int]:
        return {str(path): path.stat().st_mtime_ns for path in explored_project.rglob("*") if path.suffix != ".html"}

    before = state()
    for page in (
        "",
        "caches",
        "tree",
        "specs",
        "receipts",
        "receipts?query=deploy",
        "savings",
        "search?q=deploy",
        "directory?scope=src",
    ):
        explore_server.get(page)
    assert state() == before
