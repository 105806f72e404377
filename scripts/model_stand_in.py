"""A stand-in for a model: an HTTP server on loopback that speaks just enough of four APIs to ask for tool calls.

Whatever it is asked, it calls the search tool that it was offered, once for each of `calls`, and then says that it is
done. What came back as the result of each call is kept: it is what a model would have read.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOOL = "context_search"
# What a client offers that hides the tools of servers until a model looks for them, and how it is asked.
FINDER, FINDING, FOUND_BY = "tool_search", "find_0", "select:mcp__holdfast__context_search"
DONE = "That is what the documentation says."


class ModelStandIn:
    """Serve until closed; `results` are the texts that the tool calls gave, `requests` what was asked."""

    def __init__(self, calls: list[dict[str, Any]]) -> None:
        self.calls = calls
        self.results: list[str] = []
        self.offered: list[str] = []
        self.requests: list[tuple[str, Any]] = []
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                try:
                    asked = json.loads(body)
                except ValueError:
                    asked = {}
                stand_in.requests.append((self.path, asked))
                path = self.path.partition("?")[0]
                if path.endswith("/count_tokens"):
                    self._send("application/json", json.dumps({"input_tokens": 1}))
                elif path.endswith("/messages"):
                    self._send("text/event-stream", stand_in.messages(asked))
                elif path.endswith("/responses"):
                    self._send("text/event-stream", stand_in.responses(asked))
                elif path.endswith("/chat/completions"):
                    self._send("text/event-stream", stand_in.completions(asked))
                elif path.endswith(":streamGenerateContent"):
                    self._send("text/event-stream", f"data: {stand_in.contents(asked)}\n\n")
                elif path.endswith(":generateContent"):
                    self._send("application/json", stand_in.contents(asked))
                else:
                    self._send("application/json", '{"totalTokens": 1}')

            def do_GET(self) -> None:
                stand_in.requests.append((self.path, None))
                self._send("application/json", json.dumps({"object": "list", "data": [], "models": []}))

            def do_HEAD(self) -> None:
                self._send("application/json", "")

            def _send(self, kind: str, text: str) -> None:
                data = text.encode()
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_arguments: object) -> None:
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def next_call(self, offered: list[str], results: list[str]) -> dict[str, Any] | None:
        """The arguments of the next call; None when there is nothing more to call, or nothing to call it with."""
        self.offered = offered or self.offered
        if len(results) > len(self.results):
            self.results = results
        return self.calls[len(results)] if offered and len(results) < len(self.calls) else None

    def messages(self, asked: dict[str, Any]) -> str:
        """The Messages API, as events."""
        names = [tool["name"] for tool in asked.get("tools", []) if tool.get("name", "").endswith(TOOL)]
        results = [
            _text(part.get("content"))
            for message in asked.get("messages", [])
            for part in (message["content"] if isinstance(message.get("content"), list) else [])
            if part.get("type") == "tool_result"
        ]
        call = self.next_call(names, results)
        block: dict[str, Any] = {"type": "text", "text": ""}
        delta: dict[str, Any] = {"type": "text_delta", "text": DONE}
        if call is not None:
            block = {"type": "tool_use", "id": f"toolu_{len(results)}", "name": names[0], "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(call)}
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "stand-in", "content": []}
        events: list[dict[str, Any]] = [
            {
                "type": "message_start",
                "message": {**message, "stop_reason": None, "stop_sequence": None, "usage": usage},
            },
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {
                "type": "message_delta",
                "delta": {"stop_reason": "end_turn" if call is None else "tool_use", "stop_sequence": None},
                "usage": usage,
            },
            {"type": "message_stop"},
        ]
        return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)

    def responses(self, asked: dict[str, Any]) -> str:
        """The Responses API, as events. A tool stands alone or in the namespace of its server."""
        names = []
        for tool in asked.get("tools", []):
            inner = tool.get("tools") if tool.get("type") == "namespace" else [tool]
            names += [(each["name"], tool.get("name")) for each in inner or [] if each.get("name", "").endswith(TOOL)]
        results = [
            _text(item.get("output")) for item in asked.get("input", []) if item.get("type") == "function_call_output"
        ]
        call = self.next_call([name for name, _ in names], results)
        item: dict[str, Any] = {
            "type": "message",
            "role": "assistant",
            "id": "msg_1",
            "content": [{"type": "output_text", "text": DONE, "annotations": []}],
        }
        if call is not None:
            name, namespace = names[0]
            item = {"type": "function_call", "id": f"fc_{len(results)}", "call_id": f"call_{len(results)}"}
            item |= {"name": name, "arguments": json.dumps(call)}
            if namespace != name:
                item["namespace"] = namespace
        usage = {
            "input_tokens": 1,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 1,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 2,
        }
        events: list[dict[str, Any]] = [
            {"type": "response.created", "response": {"id": "resp_1"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": {"id": "resp_1", "usage": usage, "output": [item]}},
        ]
        return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)

    def completions(self, asked: dict[str, Any]) -> str:
        """The Chat Completions API, as events."""
        functions = [tool.get("function", {}).get("name", "") for tool in asked.get("tools", [])]
        names = [name for name in functions if name.replace("-", "_").endswith(TOOL)]
        answered = [each for each in asked.get("messages", []) if each.get("role") == "tool"]
        results = [_text(each.get("content")) for each in answered if each.get("tool_call_id") != FINDING]
        call = self.next_call(names, results)
        delta: dict[str, Any] = {"role": "assistant", "content": DONE}
        function, number = None, f"call_{len(results)}"
        if call is not None:
            function = {"name": names[0], "arguments": json.dumps(call)}
        elif not names and FINDER in functions and not answered:  # tools of servers are offered once they were found
            function, number = {"name": FINDER, "arguments": json.dumps({"query": FOUND_BY})}, FINDING
        if function is not None:
            made = {"index": 0, "id": number, "type": "function", "function": function}
            delta = {"role": "assistant", "tool_calls": [made]}
        base = {"id": "chat_1", "object": "chat.completion.chunk", "created": 0, "model": "stand-in"}
        ends = {"index": 0, "delta": {}, "finish_reason": "stop" if function is None else "tool_calls"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        events: list[dict[str, Any]] = [
            {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
            {**base, "choices": [ends], "usage": usage},
        ]
        return "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"

    def contents(self, asked: dict[str, Any]) -> str:
        """The Gemini API, whose tools' names may have dots."""
        declared = [each["name"] for tool in asked.get("tools", []) for each in tool.get("functionDeclarations", [])]
        names = [name for name in declared if name.replace(".", "_").endswith(TOOL)]
        parts = [part for content in asked.get("contents", []) for part in content.get("parts", [])]
        results = [_text(part["functionResponse"].get("response")) for part in parts if "functionResponse" in part]
        call = self.next_call(names, results)
        part = {"text": DONE} if call is None else {"functionCall": {"name": names[0], "args": call}}
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        return json.dumps({"candidates": [candidate], "usageMetadata": usage, "modelVersion": "stand-in"})


def _text(content: object) -> str:
    """The text of a tool's result, in whichever form it comes."""
    if isinstance(content, list):
        return "\n".join(_text(part) for part in content)
    if isinstance(content, dict):
        return _text(next((content[name] for name in ("text", "content", "output", "error") if name in content), ""))
    return content if isinstance(content, str) else ""
