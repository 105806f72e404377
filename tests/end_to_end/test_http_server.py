"""A real server on a port of this machine: asked by the official client, told to end, killed, confined."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path
from select import select
from typing import Any

import anyio
import pytest
from benchmarks.http_load import TOPICS, Crowd

from holdfast.cli import main
from holdfast.core.errors import UsageError
from holdfast.core.landlock import kernel_abi
from holdfast.http.processes import Work, _Family, listen
from support.doors import StdioServer, run_context
from support.listening import HEADERS, PATIENCE, listening

pytestmark = pytest.mark.rough

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}'


@pytest.fixture
def docs(make_cache: Any, tmp_path: Path) -> Path:
    make_cache({"token.md": "# Tokens\n\nA token lasts an hour. Größe 日本語 😀\n", "b.md": "# Limits\n\nA hundred.\n"})
    return tmp_path


_TO_OTHERS = ["--token-file", "tokens", "--public-url", "https://docs.example"]
QUESTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("context.search", {"query": "how long does a token last", "cache": "docs", "budget": 2000}),
    ("context.resolve", {"query": "größe 日本語", "cache": "docs", "budget": 2000}),
    ("context.search", {"query": "token", "cache": "nowhere"}),
    ("spec-workflow-guide", {}),
)


def test_the_official_client_gets_the_bytes_of_stdio_in_both_eras(docs: Path) -> None:
    from mcp import Client

    async def ask(url: str, mode: Any) -> list[str]:
        async with Client(url, mode=mode) as client:
            answers = [await client.call_tool(tool, arguments) for tool, arguments in QUESTIONS]
            return [answer.content[0].text for answer in answers]  # type: ignore[union-attr]  # every block is text

    with StdioServer(docs) as stdio:
        expected = [stdio.call(tool, arguments).text for tool, arguments in QUESTIONS]
    with listening(docs) as server:
        for mode in ("legacy", "2026-07-28"):
            assert anyio.run(ask, f"http://127.0.0.1:{server.port}/mcp", mode) == expected
        assert server.end() == 0


def test_a_request_under_way_is_answered_before_the_server_ends(docs: Path) -> None:
    with listening(docs, "--telemetry") as server:
        connection = server.connection()
        connection.putrequest("POST", "/mcp")
        for name, text in {**HEADERS, "content-length": str(len(PING))}.items():
            connection.putheader(name, text)
        connection.endheaders(PING[:10])
        other = server.connection()  # it is answered, so the first one is surely being read
        other.request("GET", "/healthz")
        assert other.getresponse().read() == b"ok\n"
        other.close()
        server.process.send_signal(signal.SIGTERM)
        wait_until_refused(server.port)
        connection.send(PING[10:])
        answer = connection.getresponse()
        assert (answer.status, json.loads(answer.read())) == (200, {"jsonrpc": "2.0", "id": 1, "result": {}})
        connection.close()
        assert server.process.wait(timeout=PATIENCE) == 0
        assert server.process.stderr is not None
        assert server.process.stderr.read().startswith(b'{"calls":{}')


def wait_until_refused(port: int) -> None:
    """Until nobody listens any more; each try is a connection, so nothing is slept."""
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
        except OSError:
            return


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are looked up in /proc")
def test_a_process_that_dies_is_replaced_and_all_end_together(docs: Path) -> None:
    question = QUESTIONS[0]
    with listening(docs, "--workers", "2") as server:
        expected = server.call(*question)
        first = server.two_children()
        os.kill(first[0], signal.SIGKILL)
        assert server.process.stderr is not None
        assert server.process.stderr.readline() == b"a process of the server ended with -9, another takes its place\n"
        assert [server.call(*question) for _ in range(4)] == [expected] * 4
        now = server.two_children()
        assert (first[1] in now, first[0] in now) == (True, False)
        assert server.end() == 0
        assert [child for child in now if Path(f"/proc/{child}").exists()] == []


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are looked up in /proc")
def test_processes_end_when_the_one_that_started_them_is_killed(docs: Path) -> None:
    with listening(docs, "--workers", "2") as server:
        server.call("context.list_caches", {})
        ends = [os.pidfd_open(child) for child in server.two_children()]
        server.process.kill()
        for end in ends:
            readable, _, _ = select([end], [], [], PATIENCE)  # readable once the process is gone
            os.close(end)
            assert readable


def test_a_crowd_gets_one_answer_to_each_question(docs: Path) -> None:
    """The short form of benchmarks/http_load.py, without its clock."""
    with listening(docs, "--workers", "2") as server:
        crowd = Crowd(server.port, "modern")
        for pause in (None, 0.001):
            given = asyncio.run(crowd.ask(20, 200, pause))
            assert (len(given.seconds), given.errors) == (200, 0)
            assert [len(texts) for texts in given.texts] == [1] * len(TOPICS)
        assert server.end() == 0  # with its processes


@pytest.mark.parametrize(("error", "told"), [("SystemExit(3)", False), ("ValueError('no room')", True)])
def test_processes_that_end_at_once_are_given_up_and_a_bug_is_told(tmp_path: Path, error: str, told: bool) -> None:
    """Each ends where it would make its application."""
    (tmp_path / "sitecustomize.py").write_text(
        f"import holdfast.http.processes as process\n\ndef die(*_):\n    raise {error}\n\nprocess._serve = die\n"
    )
    words = ("serve", "--http", "127.0.0.1:0", "--workers", "2", "--path", str(tmp_path))
    done = run_context(*words, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 7
    assert done.stderr.decode().splitlines()[-1] == (
        "the processes of the server end at once, the last with 1: giving up"
    )
    assert ("ValueError: no room" in done.stderr.decode()) == told


def test_no_process_is_started_once_the_end_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever was told to end while it replaced a dead one would wait for the new one for ever."""
    family = _Family(Work(lambda _number: pytest.fail("started"), lambda: None), [listen("127.0.0.1", 0)] * 2)
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("started"))
    family._end(0)
    family._replace(0, -9)
    assert family.run() == 0


def test_several_processes_are_refused_where_the_system_cannot_start_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    with pytest.raises(UsageError, match="leave it out"):
        listen("127.0.0.1", 0, 2)


def test_what_clients_do_wrong_fills_no_log(docs: Path) -> None:
    with listening(docs) as server:
        head = f"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:{server.port}\r\ncontent-type: application/json\r\n"
        wrong = ("nonsense\r\n", f"{head}origin: http://\x9b2J.example\r\n", f"{head}content-length: 9\r\n")
        for sent in (*wrong, "POST /mcp HTTP/1.1\r\nhost: elsewhere.example\r\n"):
            with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as client:
                client.sendall(f"{sent}\r\n".encode("latin-1"))
                client.shutdown(socket.SHUT_WR)
                while client.recv(1 << 16):
                    pass
        assert server.end() == 0
        assert server.process.stderr is not None
        assert server.process.stderr.read() == b""


@pytest.mark.skipif(kernel_abi() < 1, reason="this kernel has no Landlock")
def test_a_confined_server_listens_answers_and_reads_new_tokens_and_nothing_outside(docs: Path) -> None:
    outside = docs.parent / f"{docs.name}-outside"
    keys = docs.parent / f"{docs.name}-keys"
    for folder in (outside, keys):
        folder.mkdir()
    (outside / "a.py").write_text("x = 1\n" * 5000)
    (keys / "tokens").write_text("0123456789abcdef\n")
    (keys / "tokens").chmod(0o600)
    project = docs / "project"
    project.mkdir()
    options = ("--confine", "--token-file", str(keys / "tokens"), "--path", str(project))
    with listening(docs, *options) as server:
        assert server.post(PING)[0] == 401
        (keys / "new").write_text("fedcba9876543210\n")
        (keys / "new").chmod(0o600)
        os.replace(keys / "new", keys / "tokens")
        good = {"authorization": "Bearer fedcba9876543210"}
        assert server.post(PING, **good)[0] == 200
        params = {"name": "list_contexts", "arguments": {"path": str(outside)}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        _, answer = server.post(json.dumps(message).encode(), **good)
        assert '"total_directories":0' in answer["result"]["content"][0]["text"]
        assert server.end() == 0


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--http", "nonsense"], "--http is HOST:PORT, such as 127.0.0.1:8321, not 'nonsense'"),
        (["--http", "127.0.0.1:99999"], "--http is HOST:PORT"),
        (["--http", "::1:80"], "--http is HOST:PORT"),
        (["--http", "0.0.0.0:0"], "'0.0.0.0' is reached from other machines: give --token-file too"),
        (["--http", "0.0.0.0:0", "--token-file", "tokens"], "beyond this machine --public-url is needed"),
        (["--http", "127.0.0.1:0", "--token-file", "missing"], "the token file cannot be read: No such file"),
        (["--http", "127.0.0.1:0", "--token-file", "empty"], "the token file holds no token"),
        (["--http", "127.0.0.1:0", "--token-file", "open"], "the token file is open to other users"),
        (["--http", "127.0.0.1:0", "--workers", "0"], "--workers is 1 to 64"),
        (["--http", "127.0.0.1:0", "--public-url", "docs.example"], "--public-url is an address such as"),
        (
            ["--http", f"{'a' * 64}.example:0", *_TO_OTHERS],
            f"cannot listen on '{'a' * 64}.example': it is no name of a host",
        ),
        (["--token-file", "tokens"], "--token-file goes with --http"),
    ],
)
def test_what_cannot_be_served_is_told_before_anything_listens(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    words: list[str],
    reason: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tokens").write_text("0123456789abcdef\n")
    (tmp_path / "tokens").chmod(0o600)
    (tmp_path / "open").write_text("0123456789abcdef\n")
    (tmp_path / "open").chmod(0o644)
    (tmp_path / "empty").write_text("# nobody\n")
    (tmp_path / "empty").chmod(0o600)
    assert main(["serve", *words], {}) == 1
    assert f"reason: {reason}" in capfd.readouterr().err


@pytest.mark.parametrize("count", [1, 2])
def test_a_port_that_is_taken_is_told(tmp_path: Path, count: int) -> None:
    taken = listen("127.0.0.1", 0, count)
    port = taken[0].getsockname()[1]
    done = run_context("serve", "--http", f"127.0.0.1:{port}", "--workers", str(count), cwd=tmp_path)
    for listener in taken:
        listener.close()
    assert (done.returncode, f"cannot listen on 127.0.0.1:{port}: Address already in use" in done.stderr.decode()) == (
        6,
        True,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shares connections out")
def test_connections_are_shared_out_over_the_processes() -> None:
    listeners = listen("127.0.0.1", 0, 2)
    place = listeners[0].getsockname()
    clients = [socket.create_connection(place, timeout=PATIENCE) for _ in range(64)]
    taken = []
    for listener in listeners:
        listener.setblocking(False)
        count = 0
        with suppress(BlockingIOError):
            while True:
                listener.accept()[0].close()
                count += 1
        taken.append(count)
        listener.close()
    for client in clients:
        client.close()
    assert sum(taken) == 64
    assert min(taken) > 0


def test_without_the_extra_it_is_said_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "mcp.py").write_text("raise ImportError\n")
    done = run_context("serve", "--http", "127.0.0.1:0", cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 1
    assert "reason: --http needs the extra 'http': pip install 'holdfast-context[http]'" in done.stderr.decode()
