"""A collector of OTLP over HTTP on loopback, which reads the protobuf that it is sent."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.support.webhook_receiver import WebhookReceiver, always, receiver


@dataclass(frozen=True)
class CollectedSpan:
    """A span as the collector understands it."""

    trace: str
    id: str
    parent: str
    name: str
    kind: int
    status: int
    seconds: float
    attributes: dict[str, Any]
    service: str


@dataclass
class TraceCollector:
    """What came to it."""

    receiver: WebhookReceiver

    @property
    def endpoint(self) -> str:
        """Its address, as OTEL_EXPORTER_OTLP_ENDPOINT names it."""
        return f"http://127.0.0.1:{self.receiver.port}"

    @property
    def bodies(self) -> list[bytes]:
        """The protobuf of every request."""
        return [
            gzip.decompress(got.body) if got.headers.get("content-encoding") == "gzip" else got.body
            for got in self.receiver.received
        ]

    @property
    def spans(self) -> list[CollectedSpan]:
        """All spans, in the order in which they came."""
        return [span for body in self.bodies for span in _spans(body)]

    def refuse(self, status: int) -> None:
        """Answer so from now on."""
        self.receiver.answer = always(status)


def _spans(body: bytes) -> Iterator[CollectedSpan]:
    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        service = _attributes(resource.resource.attributes)["service.name"]
        for scope in resource.scope_spans:
            for span in scope.spans:
                yield CollectedSpan(
                    span.trace_id.hex(),
                    span.span_id.hex(),
                    span.parent_span_id.hex(),
                    span.name,
                    span.kind,
                    span.status.code,
                    (span.end_time_unix_nano - span.start_time_unix_nano) / 1e9,
                    _attributes(span.attributes),
                    service,
                )


def _attributes(pairs: Any) -> dict[str, Any]:
    return {pair.key: getattr(pair.value, str(pair.value.WhichOneof("value"))) for pair in pairs}


@contextmanager
def collector() -> Iterator[TraceCollector]:
    """A collector until the block ends."""
    with receiver(always(200)) as listening:
        yield TraceCollector(listening)
