"""``/metrics`` and ``/healthz`` of a worker in a process of its own.

They are answered on its event loop, so one that hangs answers neither.
"""

import contextlib
import socket
from asyncio import Task, create_task, gather
from collections.abc import Generator, MutableMapping
from typing import Any, Final, TypeAlias

import uvicorn
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from adiuva.errors import PortTaken
from adiuva.metrics import may_scrape, metrics

_GRACE_S: Final = 1
_BACKLOG: Final = 16
_Message: TypeAlias = MutableMapping[str, Any]


class WorkerPage:
    """Serves the two pages at ``address`` from ``begin`` to ``aclose``; nowhere without an address."""

    def __init__(self, address: tuple[str, int] | None) -> None:
        self._address = address
        self._server: _Server | None = None
        self._serving: Task[None] | None = None

    def begin(self) -> None:
        """Listen. Raises ``PortTaken``."""
        if self._address is None:
            return
        # Bound here, because uvicorn would end the process if it could not.
        listener = _listener(*self._address)
        config = uvicorn.Config(
            _answer,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=_GRACE_S,
            access_log=False,
            log_config=None,
            server_header=False,
        )
        self._server = _Server(config)
        self._serving = create_task(self._server.serve(sockets=[listener]), name="serving the worker's metrics")

    async def aclose(self) -> None:
        if self._server is not None and self._serving is not None:
            self._server.should_exit = True
            await gather(self._serving, return_exceptions=True)


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield  # the command handles them


def _listener(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        # ``create_server`` writes the address into the error's own words.
        why = str(error.strerror).partition(" (")[0]
        raise PortTaken(
            f"Cannot listen on {host} port {port} ({why}): set ADIUVA_WORKER_METRICS to another address."
        ) from None


async def _answer(scope: Any, _receive: Any, send: Any) -> None:
    status, body = 404, b""
    if scope["method"] == "GET" and scope["path"] == "/healthz":
        status, body = 200, b"alive"
    elif scope["method"] == "GET" and scope["path"] == "/metrics" and may_scrape(_authorization(scope)):
        status, body = 200, metrics.text()
    headers = [(b"content-type", CONTENT_TYPE_PLAIN_0_0_4.encode()), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _authorization(scope: _Message) -> bytes:
    given: bytes = dict(scope["headers"]).get(b"authorization", b"")
    return given
