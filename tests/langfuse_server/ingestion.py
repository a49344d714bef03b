"""A receiver of traces: OTLP over HTTP, as protobuf. By default it is the ingestion API of Langfuse."""

import base64
import gzip
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Status

from tests.receiver import receiving

PATH = "/api/public/otel/v1/traces"


@dataclass(frozen=True, kw_only=True)
class TakenSpan:
    """A received span. Times are nanoseconds since 1970."""

    name: str
    id: bytes
    parent: bytes
    trace: bytes
    start: int
    end: int
    attributes: Mapping[str, object]
    kind: int
    failed: bool


@dataclass
class Ingestion:
    """The received requests. Responds with ``status``; it does not respond while ``answering`` is not set."""

    public_key: str = "pk-lf-test"
    secret_key: str = "sk-lf-test"
    path: str = PATH
    credentials: str = ""
    """The expected authorization header; if empty, that of the keys."""
    status: int = 200
    url: str = ""
    bodies: list[bytes] = field(default_factory=list)
    answering: threading.Event = field(default_factory=threading.Event)
    arrived: threading.Event = field(default_factory=threading.Event)

    @property
    def spans(self) -> list[TakenSpan]:
        """All spans, in order of their start."""
        found = [
            TakenSpan(
                name=span.name,
                id=span.span_id,
                parent=span.parent_span_id,
                trace=span.trace_id,
                start=span.start_time_unix_nano,
                end=span.end_time_unix_nano,
                attributes={pair.key: _value(pair.value) for pair in span.attributes},
                kind=span.kind,
                failed=span.status.code == Status.STATUS_CODE_ERROR,
            )
            for body in self.bodies
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]
        return sorted(found, key=lambda span: (span.start, span.parent != b""))

    @property
    def resource(self) -> Mapping[str, object]:
        """What the latest request says of its sender."""
        [latest] = ExportTraceServiceRequest.FromString(self.bodies[-1]).resource_spans
        return {pair.key: _value(pair.value) for pair in latest.resource.attributes}

    def take(self, path: str, headers: Mapping[str, str], body: bytes) -> int:
        """The status of the response to a request."""
        keys = base64.b64encode(f"{self.public_key}:{self.secret_key}".encode()).decode()
        if path != self.path or headers["content-type"] != "application/x-protobuf":
            return 404
        if headers["authorization"] != (self.credentials or f"Basic {keys}"):
            return 401
        self.bodies.append(gzip.decompress(body) if headers.get("content-encoding") == "gzip" else body)
        self.arrived.set()
        self.answering.wait(30)
        return self.status


def _value(value: AnyValue) -> object:
    kind = value.WhichOneof("value")
    return None if kind is None else getattr(value, kind)


@contextmanager
def ingestion(*, path: str = PATH, credentials: str = "") -> Iterator[Ingestion]:
    """A server on a free local port."""
    taking = Ingestion(path=path, credentials=credentials)
    taking.answering.set()
    with receiving(taking.take) as taking.url:
        try:
            yield taking
        finally:
            taking.answering.set()
