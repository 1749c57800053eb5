"""Send the traces of runs that ended to the collector that OpenTelemetry's own variables name.

A run is traced once it has ended: its journal is final then, and no span is ever corrected. What was sent is noted
after it was taken, so a collector that is away gets everything later, and an orchestrator that dies in between sends
the same spans once more, with the same ids.
"""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from itertools import chain
from typing import Any, Protocol

import structlog

from orchestrator.traces.spans import SpanRow, spans_of
from shared.build import this_build
from shared.errors import EnvironmentFault
from shared.store.database import Database
from shared.store.traces import note_traced, untraced_runs

ENDPOINTS = {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "", "OTEL_EXPORTER_OTLP_ENDPOINT": "/v1/traces"}
"""The variables that name a collector, the first one first, and what is added to the address that each holds."""
POLL_S = 5.0
SPANS_AT_ONCE = 500
ANSWER_S = 10.0

log = structlog.get_logger(__name__)


class SpanSender(Protocol):
    """What takes spans to a collector."""

    def send(self, spans: Sequence[SpanRow]) -> bool:
        """False when the collector did not take them."""
        ...


class TraceExporter:
    """A thread that traces what has ended."""

    def __init__(self, database: Database, sender: SpanSender) -> None:
        """`database` without patience: what fails is simply tried again."""
        self._database = database
        self._sender = sender
        self._stop = threading.Event()

    def start(self) -> None:
        """Trace from now on."""
        threading.Thread(target=self._repeat, name="traces", daemon=True).start()

    def stop(self) -> None:
        """Begin nothing more; what is not noted is the next one's."""
        self._stop.set()

    def poll(self) -> int:
        """Trace what has ended, a portion; how many runs. Raises EnvironmentFault when the collector takes nothing."""
        ended = self._database.run(untraced_runs, atomic=True)
        if ended is None:
            return 0
        spans = list(chain.from_iterable(map(spans_of, ended.runs)))
        for first in range(0, len(spans), SPANS_AT_ONCE):
            if not self._sender.send(spans[first : first + SPANS_AT_ONCE]):
                raise EnvironmentFault("the collector of traces does not take them")
        self._database.run(partial(note_traced, upto=ended.upto))
        return len(ended.runs)

    def _repeat(self) -> None:
        while not self._stop.wait(POLL_S):
            try:
                while self.poll() and not self._stop.is_set():
                    pass
            except (EnvironmentFault, OSError) as fault:
                log.warning("traces.not_sent", why=str(fault))
            except Exception:
                log.exception("traces.bug")  # the next look must come, whatever this one met


def make_sender(environ: Mapping[str, str]) -> SpanSender | None:
    """What sends to the collector that the environment names; None when it names none, or the extra is missing."""
    endpoint = _endpoint(environ)
    if endpoint is None:
        return None
    if not _is_installed():
        log.warning("traces.missing", why="install the extra: pip install 'quorate[otel]'")
        return None
    return OtlpSender(endpoint, environ.get("OTEL_SERVICE_NAME") or "quorate")


def _endpoint(environ: Mapping[str, str]) -> str | None:
    addresses = (
        environ[name].rstrip("/") + path for name, path in ENDPOINTS.items() if environ.get(name)
    )
    return next(addresses, None)


def _is_installed() -> bool:
    with suppress(ModuleNotFoundError):
        return importlib.util.find_spec("opentelemetry.exporter.otlp.proto.http") is not None
    return False


class OtlpSender:
    """OTLP over HTTP, by OpenTelemetry's exporter, which reads its own variables: headers, certificates, ..."""

    def __init__(self, endpoint: str, service: str) -> None:
        """Connects when something is sent; `service` is what the spans are shown under."""
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource

        self._exporter = OTLPSpanExporter(endpoint, timeout=ANSWER_S)
        version = this_build().release
        self._resource = Resource.create({"service.name": service, "service.version": version})

    def send(self, spans: Sequence[SpanRow]) -> bool:
        """One request; tried again by the exporter while the collector is busy."""
        from opentelemetry.sdk.trace.export import SpanExportResult

        made = [_readable(row, self._resource) for row in spans]
        return self._exporter.export(made) is SpanExportResult.SUCCESS


def _readable(row: SpanRow, resource: Any) -> Any:
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope
    from opentelemetry.trace import SpanKind, Status, StatusCode

    failed = Status(StatusCode.ERROR, row.error) if row.error else Status(StatusCode.OK)
    return ReadableSpan(
        row.name,
        context=_context(row.trace, row.id),
        parent=None if row.parent is None else _context(row.trace, row.parent),
        resource=resource,
        attributes=dict(row.attributes),
        kind=SpanKind.CLIENT if row.outward else SpanKind.INTERNAL,
        status=failed,
        start_time=_nanoseconds(row.began_at),
        end_time=_nanoseconds(row.ended_at),
        instrumentation_scope=InstrumentationScope("quorate", this_build().release),
    )


def _context(trace: bytes, span: bytes) -> Any:
    from opentelemetry.trace import SpanContext, TraceFlags

    sampled = TraceFlags(TraceFlags.SAMPLED)
    ids = int.from_bytes(trace, "big"), int.from_bytes(span, "big")
    return SpanContext(*ids, is_remote=False, trace_flags=sampled)


def _nanoseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000_000) * 1000
