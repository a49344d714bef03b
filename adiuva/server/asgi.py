"""The ASGI application: HTTP by Django, MCP next to it, sockets by Channels, and one way to stop."""

import hashlib
import os
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import IO, Any, Final, TypeAlias

import django
from channels.routing import ProtocolTypeRouter
from structlog.contextvars import bound_contextvars

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adiuva.settings")
django.setup(set_prefix=False)

# After Django is set up, because these import models.
from django.conf import settings  # noqa: E402
from django.core.handlers.asgi import ASGIHandler, ASGIRequest  # noqa: E402
from django.http.response import HttpResponseBase  # noqa: E402

from accounts.auth import attempts  # noqa: E402
from accounts.auth.mail import outbox  # noqa: E402
from accounts.statements import Statements, ThreadStatements  # noqa: E402
from adiuva.metrics import metrics  # noqa: E402
from adiuva.server.access_log import REQUEST_ID_HEADER, log_request, method_of, on_answer, request_id_of  # noqa: E402
from adiuva.server.encrypted_only import EncryptedSockets  # noqa: E402
from adiuva.server.health import NotReady, readiness  # noqa: E402
from adiuva.server.http_pace import HttpPace  # noqa: E402
from adiuva.urls import Addresses  # noqa: E402
from adiuva.wiring import composition, jobs  # noqa: E402
from adiuva.wiring.composition import Parts  # noqa: E402
from agents.mcp.addresses import MCP_PATH  # noqa: E402
from agents.mcp.calling import McpCalls, caller_with  # noqa: E402
from agents.mcp.client_documents import ClientDocuments  # noqa: E402
from agents.mcp.endpoint import AccessRules, McpEndpoint, caller_of  # noqa: E402
from agents.mcp.oauth import OAuthEndpoint, OAuthRules  # noqa: E402
from agents.mcp.server import mcp_server  # noqa: E402
from chat.cluster.devices import RemoteDevices  # noqa: E402
from chat.errors import ClusterUnavailable  # noqa: E402
from chat.formatters.row_blocks import blocks_of_rows  # noqa: E402
from chat.rates import RequestRate  # noqa: E402
from chat.services import BackgroundPart, ChatServices  # noqa: E402
from chat.sockets.routing import websocket_application  # noqa: E402
from chat.tasks import close_in_order  # noqa: E402

_REQUESTS_AT_ONCE: Final = 4.0
"""Of one sender over HTTP. The following ones begin one after another."""
_LARGE_AT_ONCE: Final = 2.0
_LARGE_SLOWDOWN: Final = 10
"""How many times less often a sender may send a large body; a message may have four pictures."""
_REQUEST_ID: Final = REQUEST_ID_HEADER.lower().encode()
_CONTENT_LENGTH: Final = b"content-length"

_AsgiApplication: TypeAlias = Callable[[Any, Any, Any], Awaitable[None]]


class Application(ProtocolTypeRouter):  # type: ignore[misc] # Channels has no types
    """Everything this process serves. The server awaits ``drain`` when it stops, before it cuts connections.

    Background work begins with the first event, as not every server has a lifespan.
    """

    def __init__(self, parts: Parts) -> None:
        self.services, self._prompts = parts.services, parts.prompts
        metrics.sockets = lambda: len(self.services.connections)
        on_answer.add(metrics.request_answered)
        mcp = mcp_endpoint(self.services, parts.statements or ThreadStatements())
        # They begin in this order, and end in the reverse one: first calls over MCP, because they may need the devices,
        # which are closed next, and last what turns use.
        background = (
            *(parts.monitor, outbox(), parts.models, parts.statements, parts.notices, parts.prompts),
            *(parts.observation, parts.memory, parts.retention, parts.services, mcp),
        )
        self._background: Sequence[BackgroundPart] = [part for part in background if part is not None]
        self._leaving = False
        per_minute = settings.ATTEMPT_RATES["rest"].per_minute
        protocols: dict[str, Any] = {
            "http": HttpPace(
                McpRouter(mcp, HttpApplication(self.services), oauth_endpoint()),
                rate=RequestRate(per_minute=per_minute, max_at_once=_REQUESTS_AT_ONCE),
                large=RequestRate(per_minute=per_minute // _LARGE_SLOWDOWN, max_at_once=_LARGE_AT_ONCE),
                refusal_s=self.services.timings.refusal_s,
            ),
            "websocket": EncryptedSockets(websocket_application(self.services)),
        }
        super().__init__(protocols)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if not self._leaving:
            for part in self._background:
                part.begin()
        if self._prompts is not None:
            await self._prompts.known()
        await super().__call__(scope, receive, send)

    async def drain(self) -> None:
        self._leaving = True
        await close_in_order(*(part.aclose for part in reversed(self._background)))


def mcp_endpoint(services: ChatServices, statements: Statements) -> McpEndpoint:
    """The endpoint at ``/mcp``, over the services of this process."""
    calls = McpCalls(
        dependencies=services.turns.run,
        devices=RemoteDevices(connections=services.connections, presence=services.cluster.presence),
        jobs=services.turns.jobs,
    )
    token_rate = RequestRate(per_minute=settings.REQUESTS_PER_MINUTE)
    rules = AccessRules(
        authenticate=partial(caller_with, statements=statements, rules=services.turns.run.rules),
        admit=services.rate.admit,
        delay_s=services.rate.delay_s,
        admit_token=lambda token: token_rate.admit(hashlib.sha256(token.encode("utf-8", "replace")).digest()),
        failures_wait_s=lambda ip: attempts.failures_wait_s("mcp_failure", ip, now=attempts.clock()),
        count_failure=lambda ip: attempts.count_failure("mcp_failure", ip, now=attempts.clock()),
        hosts=settings.ALLOWED_HOSTS,
        origins=services.allowed_origins,
        secure=settings.SECURE_SSL_REDIRECT,
    )
    return McpEndpoint(mcp_server(calls, caller_of, blocks_of_rows), rules)


def oauth_endpoint() -> OAuthEndpoint:
    """OAuth for programs that use ``/mcp``."""
    rules = OAuthRules(
        hosts=settings.ALLOWED_HOSTS,
        wait_s=lambda ip: attempts.wait_s("oauth", ip=ip, address=None, now=attempts.clock()),
        secure=settings.SECURE_SSL_REDIRECT,
        documents=ClientDocuments() if settings.OAUTH_CLIENT_DOCUMENTS else None,
    )
    return OAuthEndpoint(rules)


class HttpApplication(ASGIHandler):
    """Django with the ``Addresses`` of this process's services in place of ``ROOT_URLCONF``."""

    def __init__(self, services: ChatServices) -> None:
        super().__init__()
        self._addresses = Addresses(services)

    def create_request(
        self, scope: Mapping[str, Any], body_file: IO[bytes]
    ) -> tuple[ASGIRequest, None] | tuple[None, HttpResponseBase]:
        made = super().create_request(_with_length(scope, body_file), body_file)
        if made[0] is not None:
            made[0].urlconf = self._addresses  # type: ignore[assignment] # a module, or an object like one
        return made


def _with_length(scope: Mapping[str, Any], body_file: IO[bytes]) -> Mapping[str, Any]:
    """``scope`` with the length of a body that came in chunks: REST framework takes one without a length for none."""
    if any(name == _CONTENT_LENGTH for name, _ in scope["headers"]):
        return scope
    length = body_file.seek(0, os.SEEK_END)
    body_file.seek(0)
    return {**scope, "headers": [*scope["headers"], (_CONTENT_LENGTH, str(length).encode())]} if length else scope


class McpRouter:
    """HTTP: ``/mcp`` to ``endpoint`` and OAuth to ``oauth``, each with a request id and a line in the access log.

    Everything else goes to ``others``.
    """

    def __init__(self, endpoint: McpEndpoint, others: _AsgiApplication, oauth: OAuthEndpoint | None = None) -> None:
        self._others = others
        of_oauth = {} if oauth is None else dict.fromkeys(oauth.paths, oauth)
        self._endpoints: Mapping[str, _AsgiApplication] = {MCP_PATH: endpoint, **of_oauth}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        path = scope["path"]
        if path not in self._endpoints:
            await self._others(scope, receive, send)
            return
        given = [value.decode("latin-1") for name, value in scope["headers"] if name == _REQUEST_ID]
        request_id = request_id_of(given[0] if len(given) == 1 else "")
        answer, began = _McpAnswer(send, request_id), time.perf_counter()
        with bound_contextvars(request_id=request_id):
            try:
                await self._endpoints[path](scope, receive, answer.send)
            finally:
                caller = (scope.get("client") or ("-",))[0]
                log_request(caller, method_of(scope["method"]), path, status=answer.status, began=began)


class _McpAnswer:
    """An answer with the request's id and the headers of answers for one caller alone."""

    def __init__(self, send: Any, request_id: str) -> None:
        self._send = send
        self._headers = [
            (b"cache-control", b"no-store"),
            (b"x-content-type-options", b"nosniff"),
            (_REQUEST_ID, request_id.encode()),
        ]
        self.status = 499
        """As proxies log a client that left before there was an answer."""

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message = {**message, "headers": [*message.get("headers", ()), *self._headers]}
        await self._send(message)


async def check_redis() -> None:
    """Raises ``NotReady`` while Redis cannot be reached."""
    try:
        await composition.redis_connection().ping()
    except ClusterUnavailable:
        raise NotReady("cannot be reached") from None


async def check_broker() -> None:
    """Raises ``NotReady`` while the broker cannot be reached."""
    if not await jobs.broker().ready():
        raise NotReady("cannot be reached")


if settings.REDIS_URL:
    readiness.add("redis", check_redis)
if settings.AMQP_URL:
    readiness.add("rabbitmq", check_broker)
application = Application(composition.parts())
