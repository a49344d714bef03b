"""``/metrics`` for Prometheus: the counters of this process. Without the token the answer is 404.

Labels are bounded: kinds, outcomes, codes, existing tools, the models of the settings, methods, the routes of our own
addresses, classes of status. None identifies a user.
"""

import hmac
from collections.abc import Awaitable, Callable
from typing import Final, TypedDict

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.decorators import async_only_middleware
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from agents.requests import RequestKind
from agents.telemetry.turns import PROGRAM_READS, UNKNOWN_TOOL, ObservedTurn, TurnOutcome
from agents.tools.spec import registered_tools

_TURN_S: Final = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)
_FIRST_TEXT_S: Final = (0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 30)
_HTTP_S: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
_POOL_S: Final = (0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 10)
_QUEUE_S: Final = (0.1, 0.5, 1, 2.5, 5, 15, 60, 300, 1800, 7200)
_MODEL_S: Final = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120)


class _Made(TypedDict):
    registry: CollectorRegistry
    namespace: str


class Metrics:
    """The ``TurnListener`` that counts. ``sockets`` returns the number of connected ones, 0 until it is set."""

    def __init__(self) -> None:
        # They would double the series, and nothing uses them.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self.sockets: Callable[[], int] = lambda: 0
        made = _Made(registry=self.registry, namespace="adiuva")
        self._turns = Counter("turns", "Turns that have ended.", ("kind", "outcome"), **made)
        self._seconds = Histogram("turn_seconds", "How long turns took.", ("kind",), buckets=_TURN_S, **made)
        self._first_text = Histogram(
            "first_text_seconds", "How long until the first text.", ("kind",), buckets=_FIRST_TEXT_S, **made
        )
        self._tokens = Counter("tokens", "Tokens, as providers counted them.", ("model", "direction"), **made)
        self._requests = Counter("model_requests", "Requests to models.", ("model", "outcome"), **made)
        self._tools = Counter("tool_calls", "Calls of tools.", ("tool", "outcome"), **made)
        self._jobs = Counter("job_runs", "Runs of jobs that have ended.", ("outcome",), **made)
        self._errors = Counter("errors", "Turns that ended with an error.", ("code",), **made)
        self._lost = Gauge("turn_records_lost", "Turns that could not be recorded.", **made)
        self._index_bytes = Gauge("memory_index_bytes", "Bytes of the indexes of users' exchanges.", **made)
        self._index_evictions = Gauge("memory_index_evictions", "Indexes that have made room for others.", **made)
        self._model = Histogram(
            "model_seconds", "How long requests to models took.", ("model",), buckets=_MODEL_S, **made
        )
        self._model_text = Histogram(
            "model_first_text_seconds",
            "How long until a model's first text.",
            ("model",),
            buckets=_FIRST_TEXT_S,
            **made,
        )
        self._http = Histogram(
            "http_seconds",
            "How long until HTTP answers began.",
            ("method", "route", "status"),
            buckets=_HTTP_S,
            **made,
        )
        self._pool = Histogram(
            "pool_wait_seconds", "Waits for a connection to the database.", ("pool",), buckets=_POOL_S, **made
        )
        self._queue = Histogram("job_queue_seconds", "How long started jobs were queued.", buckets=_QUEUE_S, **made)
        self._oldest = Gauge("oldest_queued_job_seconds", "How long the oldest queued job has waited.", **made)
        self.thread_waited: Final = self._pool.labels("threads").observe
        self.statement_waited: Final = self._pool.labels("statements").observe
        self.job_started: Final = self._queue.observe
        self.oldest_job: Final = self._oldest.set
        Gauge("sockets_connected", "Devices connected to this process.", **made).set_function(lambda: self.sockets())

    def __call__(self, turn: ObservedTurn) -> None:
        kind = turn.origin.kind.value
        self._turns.labels(kind, turn.outcome.value).inc()
        self._seconds.labels(kind).observe(turn.duration_s)
        if turn.first_text_s is not None:
            self._first_text.labels(kind).observe(turn.first_text_s)
        if turn.origin.kind is RequestKind.JOB:
            self._jobs.labels(turn.outcome.value).inc()
        if turn.outcome is TurnOutcome.ERROR:
            self._errors.labels(turn.error_code or "unknown").inc()
        self._count_parts(turn)

    def count_lost(self, lost: Callable[[], int]) -> None:
        """Expose ``lost``, the number of turns that could not be recorded."""
        self._lost.set_function(lost)

    def count_indexes(self, size: Callable[[], int], evictions: Callable[[], int]) -> None:
        """Expose the bytes of the indexes of exchanges, and how many have made room for others."""
        self._index_bytes.set_function(size)
        self._index_evictions.set_function(evictions)

    def request_answered(self, method: str, route: str, status: int, took_s: float) -> None:
        """Observe an HTTP answer. ``route`` is a pattern of addresses, or the same text for all that have no page."""
        self._http.labels(method, route, f"{status // 100}xx").observe(took_s)

    def text(self) -> bytes:
        """All metrics in Prometheus' text format."""
        return generate_latest(self.registry)

    def _count_parts(self, turn: ObservedTurn) -> None:
        for generation in turn.generations:
            outcome = "ok" if generation.ok else "stopped" if generation.stopped else "failed"
            self._requests.labels(generation.model, outcome).inc()
            self._model.labels(generation.model).observe(generation.ended_s - generation.began_s)
            if generation.first_text_s is not None:
                self._model_text.labels(generation.model).observe(generation.first_text_s - generation.began_s)
            if generation.usage is not None:
                self._tokens.labels(generation.model, "input").inc(generation.usage.input_tokens)
                self._tokens.labels(generation.model, "cached").inc(generation.usage.cached_tokens)
                self._tokens.labels(generation.model, "output").inc(generation.usage.output_tokens)
        known = {*registered_tools(), *PROGRAM_READS}
        for use in turn.tools:
            tool = use.tool if use.tool in known else UNKNOWN_TOOL
            self._tools.labels(tool, "ok" if use.ok else "failed").inc()


metrics = Metrics()


def may_scrape(authorization: bytes) -> bool:
    """Whether this value of the header ``Authorization`` has the token. None has if there is no token."""
    token: str = settings.METRICS_TOKEN
    return bool(token) and hmac.compare_digest(authorization, f"Bearer {token}".encode())


@async_only_middleware
def metrics_middleware(
    get_response: Callable[[HttpRequest], Awaitable[HttpResponseBase]],
) -> Callable[[HttpRequest], Awaitable[HttpResponseBase]]:
    """Answers ``GET /metrics`` for the bearer of the token; for others the page does not exist."""

    async def answer(request: HttpRequest) -> HttpResponseBase:
        if request.method != "GET" or request.path != "/metrics":
            return await get_response(request)
        if not may_scrape(request.headers.get("Authorization", "").encode("utf-8", "replace")):
            return await get_response(request)
        return HttpResponse(
            metrics.text(), content_type=CONTENT_TYPE_PLAIN_0_0_4, headers={"Cache-Control": "no-store"}
        )

    return answer
