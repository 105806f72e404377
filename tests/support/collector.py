"""A collector of traces on this machine: takes what OTLP sends over HTTP, read with OpenTelemetry's own classes."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

PATIENCE = 60


class Span(NamedTuple):
    """A span as it arrived; ids are in hex, and there is none where it is empty."""

    name: str
    attributes: dict[str, Any]
    trace: str
    parent: str
    is_error: bool
    kind: int
    nanoseconds: int
    resource: dict[str, Any]


class Collector:
    """Listens while the `with` block lasts, or until it is killed. One that is `stuck` takes requests for ever."""

    def __init__(self, *, stuck: bool = False) -> None:
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                with collector.arrived:
                    collector.requests.append((self.path, dict(self.headers), body))
                    collector.arrived.notify_all()
                if stuck:
                    collector.released.wait(PATIENCE)
                    return
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.requests: list[tuple[str, dict[str, str], bytes]] = []
        self.arrived = threading.Condition()
        self.released = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Collector:
        return self

    def __exit__(self, *exc: object) -> None:
        self.kill()

    def kill(self) -> None:
        """Listen no more: whoever connects is refused."""
        self.released.set()
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()

    def wait_for(self, count: int) -> list[Span]:
        """The spans that arrived, as soon as there are so many."""
        with self.arrived:
            assert self.arrived.wait_for(lambda: len(self.spans()) >= count, PATIENCE)
        return self.spans()

    def spans(self) -> list[Span]:
        """Every span that arrived, in order."""
        requests = [ExportTraceServiceRequest.FromString(body) for _, _, body in list(self.requests)]
        return [
            _span(span, _values(of_resource.resource.attributes))
            for request in requests
            for of_resource in request.resource_spans
            for of_scope in of_resource.scope_spans
            for span in of_scope.spans
        ]


def _span(span: Any, resource: dict[str, Any]) -> Span:
    took = span.end_time_unix_nano - span.start_time_unix_nano
    ids = (span.trace_id.hex(), span.parent_span_id.hex())
    return Span(span.name, _values(span.attributes), *ids, span.status.code == 2, span.kind, took, resource)


def _values(attributes: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in attributes}
