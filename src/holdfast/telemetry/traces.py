"""A span for every call, sent to a collector: OpenTelemetry's SDK, loaded where traces are asked for and nowhere else.

Nothing here delays or fails an answer: a span is put into a bounded queue once its call ended, another thread sends
batches of them, and what finds the queue full or the collector gone is counted and forgotten. Names of attributes are
those of OpenTelemetry's conventions for MCP (docs/how-to/watch-a-server.md).
"""

from __future__ import annotations

import logging
from threading import BoundedSemaphore, Thread
from typing import TYPE_CHECKING

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from holdfast.core.canonical_json import encode
from holdfast.core.errors import UsageError
from holdfast.telemetry.metrics import SPANS, UNKNOWN
from holdfast.telemetry.trace_command import shown
from holdfast.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import ReadableSpan, Span

    from holdfast.telemetry.metrics import CallMetrics
    from holdfast.telemetry.watched_server import EndedCall

MOST_WAITING = 2048  # spans
LONGEST_ARGUMENTS = 4096  # characters
LARGEST_BATCH = 512
LAST_SECONDS = 2.0  # that a server which ends waits for its collector


def check_settings(url: str) -> None:
    """UsageError where a variable that the SDK reads for itself makes no sense to it."""
    try:
        _shut_down(OTLPSpanExporter(endpoint=url))
        TracerProvider(shutdown_on_exit=False)
        _shut_down(_batches(_Nowhere()))
    except (ValueError, OSError) as error:
        raise UsageError(f"--otlp: a variable of OpenTelemetry cannot be used: {error}") from None


class CallTraces:
    """The spans of one process. Made after a fork: the thread that sends is not there in a process that was forked."""

    def __init__(
        self, url: str, metrics: CallMetrics, tell: Callable[[str], None], *, with_arguments: bool = False
    ) -> None:
        for name in ("opentelemetry", "urllib3", "requests"):
            quiet = logging.getLogger(name)  # each batch that fails would be a line on stderr
            quiet.addHandler(logging.NullHandler())
            quiet.propagate = False
        self._metrics = metrics
        self._with_arguments = with_arguments
        room = BoundedSemaphore(MOST_WAITING)
        self._exporter = _CountingExporter(OTLPSpanExporter(endpoint=url), room, metrics, tell, shown(url))
        self._processor = _BoundedProcessor(self._exporter, room, metrics)
        provider = TracerProvider(resource=_resource(), shutdown_on_exit=False)
        provider.add_span_processor(self._processor)
        self._tracer = provider.get_tracer("holdfast", __version__)
        self._propagator = TraceContextTextMapPropagator()

    def record(self, call: EndedCall) -> None:
        """Make a span of a call that ended, and leave it to be sent."""
        try:
            self._record(call)
        except Exception:
            self._metrics.add(SPANS, "dropped")  # whatever it was: the call was answered, and that is what counts

    def _record(self, call: EndedCall) -> None:
        known = call.tool if call.tool != UNKNOWN else ""
        span = self._tracer.start_span(
            f"{call.method} {known}" if known else call.method,
            context=self._propagator.extract(dict(call.origin.carrier)),
            kind=SpanKind.SERVER,
            attributes=self._attributes(call, known),
            start_time=call.began,
        )
        if call.code:
            span.set_status(Status(StatusCode.ERROR))  # without a text: a message may repeat what was asked
        span.end(call.began + call.took)

    def _attributes(self, call: EndedCall, tool: str) -> dict[str, str | int]:
        origin = call.origin
        found: dict[str, str | int] = {
            "mcp.method.name": call.method,
            "network.transport": "tcp" if origin.is_http else "pipe",
        }
        if origin.is_http:
            found["network.protocol.name"] = "http"
        if origin.version:
            found["mcp.protocol.version"] = origin.version
        if origin.identifier:
            found["jsonrpc.request.id"] = origin.identifier
        if tool:
            found |= {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool}
        if call.size:
            found |= {"holdfast.answer.tokens": call.tokens, "holdfast.answer.bytes": call.size}
        if call.cache_version:
            found["holdfast.cache.version"] = call.cache_version
        if call.code:
            found |= {"error.type": "tool_error", "holdfast.error.code": call.code}
        if call.rpc_code is not None:
            found |= {"error.type": str(call.rpc_code), "rpc.response.status_code": str(call.rpc_code)}
        if self._with_arguments and tool:
            found["gen_ai.tool.call.arguments"] = encode(dict(call.arguments))[:LONGEST_ARGUMENTS]
        return found

    def close(self) -> None:
        """Send what is waiting, if the collector takes it within a few seconds; then nothing more is sent."""
        last = Thread(target=self._processor.shutdown, daemon=True)
        last.start()
        last.join(LAST_SECONDS)
        if last.is_alive():
            self._exporter.shutdown()  # what is under way is not tried again
            self._exporter.tell_once()


def _resource() -> Resource:
    """The resource that sends the spans: OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES, as the SDK reads them."""
    said = Resource.create({SERVICE_VERSION: __version__})
    is_named = not str(said.attributes.get(SERVICE_NAME, "")).startswith("unknown_service")
    return said if is_named else said.merge(Resource({SERVICE_NAME: "holdfast"}))


def _batches(exporter: SpanExporter) -> BatchSpanProcessor:
    return BatchSpanProcessor(exporter, max_queue_size=MOST_WAITING, max_export_batch_size=LARGEST_BATCH)


def _shut_down(part: SpanExporter | SpanProcessor) -> None:
    part.shutdown()


class _Nowhere(SpanExporter):
    """Takes everything and sends nothing."""

    def export(self, _spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        pass


class _BoundedProcessor(SpanProcessor):
    """The SDK's batches; a span that finds the queue full is counted, where the SDK would drop another one unseen."""

    def __init__(self, exporter: SpanExporter, room: BoundedSemaphore, metrics: CallMetrics) -> None:
        self._room, self._metrics = room, metrics
        self._batches = _batches(exporter)

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        self._batches.on_start(span, parent_context)

    def on_end(self, span: ReadableSpan) -> None:
        if not span.context.trace_flags.sampled:
            return
        if self._room.acquire(blocking=False):
            self._batches.on_end(span)
        else:
            self._metrics.add(SPANS, "dropped")

    def shutdown(self) -> None:
        _shut_down(self._batches)


class _CountingExporter(SpanExporter):
    """An exporter that counts its spans and reports its first failure."""

    def __init__(
        self,
        exporter: SpanExporter,
        room: BoundedSemaphore,
        metrics: CallMetrics,
        tell: Callable[[str], None],
        name: str,
    ) -> None:
        self._exporter, self._room, self._metrics = exporter, room, metrics
        self._tell, self._name, self._is_reported = tell, name, False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self._room.release(len(spans))
        try:
            result = self._exporter.export(spans)
        except Exception:
            result = SpanExportResult.FAILURE
        is_sent = result is SpanExportResult.SUCCESS
        for _ in spans:
            self._metrics.add(SPANS, "sent" if is_sent else "failed")
        if not is_sent:
            self.tell_once()
        return result

    def tell_once(self) -> None:
        """Say that the collector takes nothing, unless that was said."""
        if not self._is_reported:
            self._is_reported = True
            self._tell(f"warning: the collector at {self._name} does not take spans; calls go on without it")

    def shutdown(self) -> None:
        self._exporter.shutdown()
