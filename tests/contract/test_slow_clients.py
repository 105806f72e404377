"""Clients that are slow, large or many, on real sockets: each costs the server little, and the others nothing."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from threading import Thread

import pytest
import uvicorn

from holdfast.core.http_address import Address
from holdfast.http.application import LARGEST_BODY, http_application
from holdfast.http.connections import Limits
from holdfast.http.processes import configuration, listen
from holdfast.mcp.server import Server
from holdfast.workspace import Workspace
from support.listening import HEADERS, PATIENCE

pytestmark = pytest.mark.rough

LIST = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}).encode()
SOON = 1.0  # long enough that a client on a busy machine begins in time


@contextmanager
def serving(root: Path, limits: Limits) -> Iterator[int]:
    """A server in this process, with limits of its own; its port."""
    [listener] = listen("127.0.0.1", 0)
    port = listener.getsockname()[1]
    server = Server(Workspace(str(root), cache_root=str(root), door="tool"))
    running = uvicorn.Server(configuration(http_application(server, Address("127.0.0.1", port)), limits))
    thread = Thread(target=running.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield port
    finally:
        running.should_exit = True
        thread.join(PATIENCE)


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)


def head(port: int, length: int, **more: str) -> bytes:
    headers = {"host": f"127.0.0.1:{port}", "content-length": str(length), **HEADERS, **more}
    return b"POST /mcp HTTP/1.1\r\n" + b"".join(f"{name}: {text}\r\n".encode() for name, text in headers.items())


def is_served(port: int) -> bool:
    """Whether somebody else gets an answer; where a busy machine makes even them late, at another try."""
    for _ in range(20):
        connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        try:
            connection.request("POST", "/mcp", LIST, HEADERS)
            answer = connection.getresponse()
            answer.read()
        except (OSError, HTTPException):
            continue
        finally:
            connection.close()
        if answer.status == 200:
            return True
    return False


def is_cut_off(client: socket.socket, piece: bytes, *, begin: bytes = b"") -> bool:
    """Whether the server ends a connection that this is sent on again and again."""
    try:
        client.sendall(begin)
        while True:
            client.sendall(piece)
    except (ConnectionResetError, BrokenPipeError):
        return True


def everything(client: socket.socket) -> bytes:
    """What a client is told until the server closes."""
    return b"".join(iter(lambda: client.recv(1 << 16), b""))


def status_and_end(client: socket.socket) -> int | None:
    """The status that a client is told before the server closes; None for none."""
    found = re.match(rb"HTTP/1\.1 ([0-9]{3}) ", everything(client))
    return int(found[1]) if found else None


@pytest.mark.parametrize(
    ("sent", "status"),
    [(b"", None), (b"POST /mcp HT", 408), (b"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nx-half: a", 408)],
)
def test_a_head_that_does_not_end_is_not_waited_for(tmp_path: Path, sent: bytes, status: int | None) -> None:
    with serving(tmp_path, Limits(head_seconds=SOON)) as port, connect(port) as client:
        client.sendall(sent)
        assert status_and_end(client) == status
        assert is_served(port)


def test_a_head_that_comes_a_byte_at_a_time_has_no_longer(tmp_path: Path) -> None:
    with serving(tmp_path, Limits(head_seconds=SOON, head_bytes=1 << 40)) as port, connect(port) as client:
        assert is_cut_off(client, b"a", begin=b"POST /mcp HTTP/1.1\r\nx: ")
        assert is_served(port)


def test_a_head_that_is_too_large_is_refused_whether_it_ends_or_not(tmp_path: Path) -> None:
    with serving(tmp_path, Limits(head_bytes=4096)) as port:
        with connect(port) as client:
            client.sendall(head(port, 0, x="a" * 5000) + b"\r\n")
            assert status_and_end(client) == 431
        with connect(port) as client:
            assert is_cut_off(client, b"a" * 512, begin=b"POST /mcp HTTP/1.1\r\nx: ")
        assert is_served(port)


CHUNKED = b"transfer-encoding: chunked\r\n\r\n"


@pytest.mark.parametrize("path", [b"/mcp", b"/nowhere"])  # answered after its body, and before
@pytest.mark.parametrize(
    ("begin", "piece"),
    [(b"0\r\n", b"x: %b\r\n" % (b"a" * 500)), (b"0\r\nx: ", b"a" * 512), (b"1;", b"a" * 512)],
    ids=["many trailers", "one long trailer", "one long extension of a chunk"],
)
def test_what_is_no_part_of_a_body_ends_as_headers_do(tmp_path: Path, path: bytes, begin: bytes, piece: bytes) -> None:
    with serving(tmp_path, Limits(head_bytes=4096)) as port:
        sent = head(port, 0).replace(b"content-length: 0\r\n", b"").replace(b"/mcp", path, 1)
        with connect(port) as client:
            assert is_cut_off(client, piece, begin=sent + CHUNKED + begin)
        assert is_served(port)


def test_a_body_in_the_smallest_chunks_is_read(tmp_path: Path) -> None:
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in LIST.ljust(4096))
    with serving(tmp_path, Limits(head_bytes=1024)) as port, connect(port) as client:
        client.sendall(head(port, 0, connection="close").replace(b"content-length: 0\r\n", b"") + CHUNKED)
        client.sendall(chunks + b"0\r\nx-trailer: seen by nobody\r\n\r\n")
        assert status_and_end(client) == 200


@pytest.mark.parametrize(
    "line",
    [b"host: elsewhere.example", b"origin: http://a.example\r\norigin: null", b"authorization: a\r\nauthorization: b"],
)
def test_what_decides_who_is_let_in_may_not_be_said_twice(tmp_path: Path, line: bytes) -> None:
    with serving(tmp_path, Limits()) as port, connect(port) as client:
        client.sendall(head(port, len(LIST)) + line + b"\r\n\r\n" + LIST)
        assert status_and_end(client) == 400
        assert is_served(port)


def test_a_body_that_would_be_lost_to_an_upgrade_is_refused_in_words(tmp_path: Path) -> None:
    upgrade = {"connection": "Upgrade, HTTP2-Settings", "upgrade": "h2c"}
    with serving(tmp_path, Limits()) as port:
        with connect(port) as client:
            client.sendall(head(port, len(LIST), **upgrade) + b"\r\n" + LIST)
            told = everything(client)
        assert told.startswith(b"HTTP/1.1 400 ")
        assert told.endswith(b"This server speaks HTTP/1.1 alone: send no Upgrade with a body\n")
        with connect(port) as client:
            client.sendall(head(port, 0, **upgrade).replace(b"POST /mcp", b"GET /healthz") + b"\r\n")
            assert client.recv(1 << 16).startswith(b"HTTP/1.1 200 ")


def test_spaces_around_a_header_are_no_part_of_it(tmp_path: Path) -> None:
    prefix, version = "io.modelcontextprotocol/", "2026-07-28"
    meta = {f"{prefix}protocolVersion": version, f"{prefix}clientCapabilities": {}}
    params = {"name": "context.list_caches", "arguments": {}, "_meta": meta}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    headers = {"mcp-protocol-version": version, "mcp-method": "tools/call", "mcp-name": "\t context.list_caches \t"}
    with serving(tmp_path, Limits()) as port, connect(port) as client:
        client.sendall(head(port, len(body), connection="close", **headers) + b"\r\n" + body)
        assert status_and_end(client) == 200


def test_what_follows_an_answered_body_has_no_longer(tmp_path: Path) -> None:
    with serving(tmp_path, Limits(head_seconds=SOON)) as port, connect(port) as client:
        client.sendall(head(port, LARGEST_BODY * 1000) + b"\r\n")
        assert client.recv(1 << 16).startswith(b"HTTP/1.1 413 ")
        assert is_cut_off(client, b"a")
        assert is_served(port)


def test_silent_connections_make_room_for_whoever_asks(tmp_path: Path) -> None:
    with serving(tmp_path, Limits(connections=4)) as port:
        silent = [connect(port) for _ in range(4)]
        try:
            for _ in range(8):
                assert is_served(port)
            assert status_and_end(silent[0]) is None  # the longest first
        finally:
            for client in silent:
                client.close()


def test_while_every_connection_is_in_use_one_more_is_told_to_come_again(tmp_path: Path) -> None:
    with serving(tmp_path, Limits(connections=2)) as port:
        busy = [connect(port) for _ in range(2)]
        for client in busy:
            client.sendall(head(port, len(LIST), expect="100-continue") + b"\r\n")
            assert client.recv(1 << 16) == b"HTTP/1.1 100 Continue\r\n\r\n"
        with connect(port) as third:
            assert status_and_end(third) == 503
        for client in busy:
            client.sendall(LIST)
            assert client.recv(1 << 16).startswith(b"HTTP/1.1 200 ")
            client.close()
        assert is_served(port)


def test_answers_that_nobody_takes_are_not_kept(tmp_path: Path) -> None:
    with serving(tmp_path, Limits(answer_seconds=SOON)) as port, connect(port) as client:
        requests = (head(port, len(LIST)) + b"\r\n" + LIST) * 16
        assert is_cut_off(client, requests)
        assert is_served(port)
