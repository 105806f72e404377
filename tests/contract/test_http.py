"""What the HTTP door lets in, and what it refuses: the application itself, without a socket."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

import holdfast.http.application
from holdfast.core.http_address import Address
from holdfast.core.token_file import TokenFile
from holdfast.workspace import system_clock
from support.http_server import JSON, HttpServer

TOKEN = "0123456789abcdef"
MODERN = "2026-07-28"
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}'
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


@pytest.fixture
def http(tmp_path: Path) -> Any:
    with HttpServer(tmp_path) as server:
        yield server


@pytest.fixture
def guarded(tmp_path: Path) -> Any:
    (tmp_path / "tokens").write_text(f"{TOKEN} ci\nexpired-expired-1 old 2020-01-01\n")
    (tmp_path / "tokens").chmod(0o600)
    tokens = TokenFile(str(tmp_path / "tokens"), system_clock, lambda _text: None)
    address = Address("127.0.0.1", 8321, "https://docs.example/mcp", "https://login.example")
    with HttpServer(tmp_path, tokens=tokens, address=address) as server:
        yield server


@pytest.mark.parametrize(
    "header",
    [None, "", "Bearer", "Bearer ", "Bearer wrong-wrong-wrong-1", "Bearer expired-expired-1", f"Basic {TOKEN}"],
)
def test_without_a_good_token_nobody_learns_anything(guarded: HttpServer, header: str | None) -> None:
    response = guarded.post(PING, **({} if header is None else {"authorization": header}))
    told = 'resource_metadata="https://docs.example/.well-known/oauth-protected-resource/mcp"'
    assert (response.status, told in response.headers["www-authenticate"]) == (401, True)
    said = "Authentication required: send the header 'Authorization: Bearer TOKEN'"
    assert json.loads(response.body) == {"error": "invalid_token", "error_description": said}


def test_without_an_issuer_no_client_is_led_to_a_registration(tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text(f"{TOKEN} ci\n")
    (tmp_path / "tokens").chmod(0o600)
    tokens = TokenFile(str(tmp_path / "tokens"), system_clock, lambda _text: None)
    with HttpServer(tmp_path, tokens=tokens) as server:
        refused = server.post(PING)
        assert (refused.status, "resource_metadata" in refused.headers["www-authenticate"]) == (401, False)
        assert "Authorization: Bearer" in refused.headers["www-authenticate"]
        assert server.ask("GET", "/.well-known/oauth-protected-resource/mcp", {}).status == 404


def test_an_unknown_argument_of_a_tool_of_ours_is_answered_with_those_there_are(http: HttpServer) -> None:
    result = http.request("tools/call", {"name": "context.search", "arguments": {"query": "x", "limits": 1}})["result"]
    said = json.loads(result["content"][0]["text"])["error"]["message"]
    assert (result["isError"], said[:52]) == (True, "Unknown argument 'limits': there are query, cache, b")


def test_a_token_opens_until_it_is_taken_out_of_the_file(guarded: HttpServer, tmp_path: Path) -> None:
    assert guarded.post(PING, authorization=f"Bearer {TOKEN}").status == 200
    (tmp_path / "tokens").write_text("another-another-1\n")
    assert guarded.post(PING, authorization=f"Bearer {TOKEN}").status == 401
    assert guarded.post(PING, authorization="bearer another-another-1").status == 200


def test_clients_are_told_where_tokens_come_from(guarded: HttpServer) -> None:
    response = guarded.ask("GET", "/.well-known/oauth-protected-resource/mcp", {})
    assert (response.status, json.loads(response.body)) == (
        200,
        {
            "resource": "https://docs.example/mcp",
            "bearer_methods_supported": ["header"],
            "authorization_servers": ["https://login.example"],
        },
    )


def test_whoever_watches_needs_no_token_and_learns_no_place(guarded: HttpServer, tmp_path: Path) -> None:
    pages = [guarded.ask("GET", path, {"host": "10.1.2.3:8321"}) for path in ("/healthz", "/readyz")]
    assert [(page.status, page.body) for page in pages] == [(200, b"ok\n"), (200, b"ready\n")]
    (tmp_path / "tokens").unlink()
    pages = [guarded.ask("GET", path, {}) for path in ("/healthz", "/readyz")]
    assert [(page.status, page.body) for page in pages] == [(200, b"ok\n"), (503, b"the token file is not usable\n")]


@pytest.mark.parametrize("version", ["2025-11-25", MODERN])
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1:8321.evil.example"}, 421),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:9999"}, 403),
        ({"origin": "http://127.0.0.1:8321"}, 200),
        ({"host": "localhost:8321"}, 200),
    ],
)
def test_a_page_elsewhere_cannot_have_a_browser_ask(
    http: HttpServer, headers: dict[str, str], status: int, version: str
) -> None:
    assert http.post(json.dumps(message(version)).encode(), **era(version), **headers).status == status


def message(version: str) -> dict[str, Any]:
    if version != MODERN:
        return LIST
    prefix = "io.modelcontextprotocol/"
    return {**LIST, "params": {"_meta": {f"{prefix}protocolVersion": MODERN, f"{prefix}clientCapabilities": {}}}}


def era(version: str) -> dict[str, str]:
    return {"mcp_protocol_version": version, **({"mcp_method": "tools/list"} if version == MODERN else {})}


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25", MODERN])
def test_the_tools_are_those_of_the_catalog_in_both_eras(http: HttpServer, version: str) -> None:
    response = http.post(json.dumps(message(version)).encode(), **era(version))
    listed = json.loads(response.body)["result"]
    assert json.loads(json.dumps(http.server.listed_tools({}, None)["tools"])) == listed["tools"]
    assert ("ttlMs" in listed, "resultType" in listed) == ((True, True) if version == MODERN else (False, False))


def test_no_tool_has_arguments_that_headers_repeat(http: HttpServer) -> None:
    """If one ever has, the SDK must be given its schema again, to hold the headers against it."""
    assert "x-mcp-header" not in json.dumps(http.server.listed_tools({}, None))


def test_a_client_that_takes_no_dots_is_known_where_it_says_who_it_is(http: HttpServer) -> None:
    asked = message(MODERN)
    asked["params"]["_meta"]["io.modelcontextprotocol/clientInfo"] = {"name": "cursor", "version": "1"}
    listed = json.loads(http.post(json.dumps(asked).encode(), **era(MODERN)).body)["result"]["tools"]
    assert [tool["name"] for tool in listed if "." in tool["name"]] == []


def test_a_body_that_is_too_large_or_no_message_is_refused(http: HttpServer) -> None:
    assert http.post(b" " * (holdfast.http.application.LARGEST_BODY + 1)).status == 413
    endless = http.ask("POST", "/mcp", JSON, [b" " * (1 << 20)] * 5, ends=False)
    assert endless.status == 413
    for body in (b"", b"{", b"[]", b"\xff", b"[" * 100_000):
        assert http.post(body).status == 400
    assert http.ask("POST", "/mcp", {**JSON, "content-type": "text/plain"}, [PING]).status == 400
    assert http.ask("GET", "/elsewhere", {}).status == 404


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "OPTIONS", "PUT"])
def test_nothing_but_post_is_served_and_no_stream_is_held_open(guarded: HttpServer, method: str) -> None:
    headers = {**JSON, "authorization": f"Bearer {TOKEN}"}
    refused = guarded.ask(method, "/mcp", headers)
    assert (refused.status, refused.headers["allow"]) == (405, "POST")
    assert guarded.ask(method, "/mcp", JSON).status == 401


def test_nobody_is_sent_elsewhere_by_the_name_they_used(http: HttpServer) -> None:
    answer = http.ask("POST", "/mcp/", {**JSON, "host": "evil.example"}, [PING])
    assert (answer.status, "location" in answer.headers) == (404, False)


def test_a_body_that_does_not_come_is_not_waited_for(http: HttpServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holdfast.http.application, "SLOWEST_BODY", 0.05)
    response = http.ask("POST", "/mcp", JSON, [PING[:10]], ends=False)
    assert (response.status, response.headers["connection"]) == (408, "close")
    monkeypatch.undo()
    assert http.post(PING).status == 200


def test_quick_calls_are_answered_at_once_with_the_same_bytes(
    make_cache: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_cache({"token.md": "# Tokens\n\nA token lasts an hour.\n"})
    asked = {"query": "how long does a token last", "cache": "docs", "budget": 500}
    with HttpServer(tmp_path) as http:
        carry_out, threads = http.server.carry_out, []

        def watched(*given: Any) -> Any:
            threads.append(threading.current_thread().name)
            return carry_out(*given)

        monkeypatch.setattr(http.server, "carry_out", watched)
        texts = {http.call("context.search", asked).text}
        while len(set(threads)) == 1:  # until a call was quick
            texts.add(http.call("context.search", asked).text)
        assert len(texts) == 1
        assert "A token lasts an hour." in texts.pop()
        assert "AnyIO worker thread" in threads[0]


def test_a_bug_is_told_as_nothing_but_a_code(
    http: HttpServer, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def break_down(*_: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(http.server, "carry_out", break_down)
    answer = http.request("tools/call", {"name": "context.list_caches", "arguments": {}})
    assert answer["error"] == {"code": -32603, "message": "Internal error"}
    assert "RuntimeError: secret" in capfd.readouterr().err


def test_half_a_surrogate_is_no_text_to_the_sdk_and_refused_before_any_tool_is_asked(http: HttpServer) -> None:
    arguments = {"cache": "docs", "query": "\ud800", "budget": 1}
    assert http.request("tools/call", {"name": "context.resolve", "arguments": arguments})["error"]["code"] == -32700


def test_unknown_names_are_refused_in_the_words_of_stdio(http: HttpServer) -> None:
    asked: list[tuple[str, dict[str, Any], str]] = [
        ("tools/call", {"name": "nope", "arguments": {}}, "Unknown tool: nope"),
        ("tools/call", {"name": "context.list_caches", "arguments": {"x": 1}}, "Unknown argument: x"),
        ("resources/read", {"uri": "context://nope"}, "Unknown resource: context://nope"),
        ("prompts/get", {"name": "nope"}, "Unknown prompt: nope"),
    ]
    errors = [http.request(method, params)["error"] for method, params, _ in asked]
    assert [(error["code"], error["message"]) for error in errors] == [(-32602, told) for *_, told in asked]
