"""``/mcp`` beside Django: the endpoint made of the services of this process, and the way to it."""

import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias

from django.conf import settings
from structlog.contextvars import bound_contextvars

from adiuva.request_ids import HEADER, request_id_of
from agents.mcp.callers import caller_with
from agents.mcp.calling import McpCalls
from agents.mcp.endpoint import Door, McpEndpoint, caller_of
from agents.mcp.server import mcp_server
from chat.cluster.mcp_devices import LatestDevices
from chat.services import ChatServices

logger = logging.getLogger("adiuva.access")

PATH: Final = "/mcp"
_REQUEST_ID: Final = HEADER.lower().encode()
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "DELETE", "OPTIONS"})

_AsgiApplication: TypeAlias = Callable[[Any, Any, Any], Awaitable[None]]


def mcp_endpoint(services: ChatServices) -> McpEndpoint:
    """The endpoint over ``services``."""
    kit = services.turns.kit
    calls = McpCalls(
        approvals=kit.approvals,
        embedder=kit.embedder,
        devices=LatestDevices(connections=services.connections, arrivals=services.neighbours.arrivals),
        recollection=None if kit.memory is None else kit.memory.recollection,
        start_job=None if kit.jobs is None else kit.jobs.start,
        clock=kit.clock,
        observers=services.observers,
        quotas=services.quotas,
        disclosures=kit.disclosures,
        marks=kit.marks,
    )
    door = Door(
        authenticate=caller_with,
        admit=services.rate.admit,
        hosts=settings.ALLOWED_HOSTS,
        origins=services.allowed_origins,
        secure=settings.SECURE_SSL_REDIRECT,
    )
    return McpEndpoint(mcp_server(calls, caller_of), door)


class McpBeside:
    """HTTP: ``/mcp`` to the endpoint, with a line in the log as every request has, all else to ``others``."""

    def __init__(self, endpoint: McpEndpoint, others: _AsgiApplication) -> None:
        self._endpoint, self._others = endpoint, others

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["path"] != PATH:
            await self._others(scope, receive, send)
            return
        request_id = request_id_of(_given_id(scope))
        answer, began = _Answer(send, request_id), time.perf_counter()
        with bound_contextvars(request_id=request_id):
            try:
                await self._endpoint(scope, receive, answer.send)
            finally:
                took_ms = round((time.perf_counter() - began) * 1000)
                caller = (scope.get("client") or ("-",))[0]
                method = scope["method"] if scope["method"] in _METHODS else "(unknown method)"
                logger.info("%s %s %s %d %d ms", caller, method, PATH, answer.status, took_ms)


def _given_id(scope: Any) -> str:
    given = [value.decode("latin-1") for name, value in scope["headers"] if name == _REQUEST_ID]
    return given[0] if len(given) == 1 else ""


class _Answer:
    """What goes out, with the headers of every answer that is for one caller alone, and the id of the request."""

    def __init__(self, send: Any, request_id: str) -> None:
        self._send = send
        self._headers = [
            (b"cache-control", b"no-store"),
            (b"x-content-type-options", b"nosniff"),
            (_REQUEST_ID, request_id.encode()),
        ]
        self.status = 499
        """Of who left before there was an answer, as proxies write it."""

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message = {**message, "headers": [*message.get("headers", ()), *self._headers]}
        await self._send(message)
