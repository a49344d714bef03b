"""A server of the part of Langfuse's HTTP API that we use, over real HTTP on loopback, with faults on demand.

with LangfuseServer() as server:
    server.prompts.put("summary_system", "Write one sentence.")
    server.fault = Fault.GARBAGE
"""

import base64
import threading
from enum import Enum, auto
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Final, Self
from urllib.parse import parse_qsl, urlsplit

from tests.langfuse_server.http import Request, Response, answer, routed
from tests.langfuse_server.prompts import Prompts

PUBLIC_KEY: Final = "pk-lf-public"
SECRET_KEY: Final = "sk-lf-secret"
_WAIT_S: Final = 10.0


class Fault(Enum):
    """The fault of every response. ``DOWN`` breaks the connection off, ``SLOW`` waits until the fault is over."""

    DOWN = auto()
    SLOW = auto()
    ERROR = auto()
    GARBAGE = auto()
    EMPTY = auto()


class LangfuseServer:
    """``with LangfuseServer() as server:`` serves at ``server.url`` until the block ends."""

    def __init__(self) -> None:
        self.prompts = Prompts()
        self.routes = [*self.prompts.routes]
        self.requests: list[Request] = []
        self._fault: Fault | None = None
        self._changed = threading.Condition()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.langfuse = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), name="langfuse server")

    @property
    def url(self) -> str:
        """The value for ``LANGFUSE_HOST``."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def settings(self) -> dict[str, str]:
        """The environment of a server process that uses this one."""
        return {"LANGFUSE_PUBLIC_KEY": PUBLIC_KEY, "LANGFUSE_SECRET_KEY": SECRET_KEY, "LANGFUSE_HOST": self.url}

    @property
    def fault(self) -> Fault | None:
        return self._fault

    @fault.setter
    def fault(self, fault: Fault | None) -> None:
        with self._changed:
            self._fault = fault
            self._changed.notify_all()

    def wait_for_requests(self, count: int) -> list[Request]:
        """The requests, once there are ``count``. Raises ``TimeoutError``."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self.requests) >= count, timeout=_WAIT_S):
                raise TimeoutError(f"{len(self.requests)} of {count} requests came")
            return list(self.requests)

    def respond(self, request: Request) -> Response | None:
        """The response; None breaks the connection off."""
        with self._changed:
            self.requests.append(request)
            self._changed.notify_all()
            if self._fault is Fault.SLOW:
                self._changed.wait_for(lambda: self._fault is not Fault.SLOW, timeout=_WAIT_S)
        match self._fault:
            case Fault.DOWN:
                return None
            case Fault.ERROR:
                return answer({"message": "out of order"}, 500)
            case Fault.GARBAGE:
                return Response(body=b"\xff<html>{")
            case Fault.EMPTY:
                return Response()
            case _:
                return routed(self.routes, request) if _is_ours(request) else answer({"message": "who?"}, 401)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.fault = None
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(_WAIT_S)


def _is_ours(request: Request) -> bool:
    credentials = base64.b64encode(f"{PUBLIC_KEY}:{SECRET_KEY}".encode()).decode()
    return request.headers.get("authorization") == f"Basic {credentials}"


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # clients keep connections open
    langfuse: LangfuseServer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        url = urlsplit(self.path)
        request = Request(
            method=self.command,
            path=url.path,
            query=dict(parse_qsl(url.query)),
            headers={name.lower(): value for name, value in self.headers.items()},
            body=self.rfile.read(int(self.headers.get("Content-Length", 0))),
        )
        response = self.server.langfuse.respond(request)
        if response is None:
            self.close_connection = True
            return
        self.send_response(response.status)
        for name, value in {**response.headers, "Content-Length": str(len(response.body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(response.body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name in the base
        """Log nothing."""
