"""``/mcp``: MCP's streamable HTTP without sessions, for programs with a personal token.

The SDK implements the protocol. This module does what the SDK is not trusted with, before it sees a request: it checks
the caller, the origin, the host, the rate and the size. It also notices when a caller disconnects, which the SDK does
not.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, ClassVar, Final
from uuid import UUID

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from sse_starlette.sse import AppStatus

from accounts.auth.tokens import credentials_from
from accounts.database import DATABASE_ERRORS, RETRY_AFTER_S, UNREACHABLE, cause_of
from accounts.errors import KEY_ERRORS, InvalidCredentials
from accounts.json_values import count_values
from agents.mcp.addresses import client_address, issuer_of, names_known_host, resource_of, values_of
from agents.mcp.calling import Caller
from agents.mcp.cancelling import AnswerOnce, CancellableCalls, Message, Receive, Send
from agents.mcp.envelopes import SaidMessage, read_message
from agents.mcp.http_refusals import (
    BEARER,
    JSON,
    RefusedRequest,
    asking_for_more,
    failed_too_often,
    tell,
    tell_invalid,
    too_often,
)
from agents.mcp.refusals import refused

logger = logging.getLogger(__name__)

MAX_BODY_BYTES: Final = 256 * 1024
"""The same limit as for requests over REST."""
MAX_BODY_VALUES: Final = 20_000
"""Members of objects and elements of arrays."""
CALLS_END_S: Final = 5.0
"""How long running calls may take when the process stops."""
_CALLER: Final = "adiuva.caller"
_STREAM_ACCESS: Final = "adiuva.stream_access"
_EXPOSED: Final = (b"access-control-expose-headers", b"WWW-Authenticate, Retry-After, X-Request-ID")
_PREFLIGHT: Final = (
    (b"access-control-allow-methods", b"POST"),
    (
        b"access-control-allow-headers",
        b"Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, X-Request-ID",
    ),
    (b"access-control-max-age", b"600"),
)


def caller_of(context: ServerRequestContext[Any, Any]) -> Caller:
    """The caller whose request the SDK is handling."""
    caller: Caller = _scope_of(context)[_CALLER]
    return caller


def _scope_of(context: ServerRequestContext[Any, Any]) -> Message:
    request = context.request
    if request is None:
        raise TypeError("only a request to the endpoint has a caller")
    scope: Message = request.scope
    return scope


@dataclass(frozen=True, kw_only=True, slots=True)
class StreamAccess:
    """How a stream finds out whether it may continue. ``over`` is set when the process stops.

    ``check`` authenticates the caller again. It raises ``MCPError`` if the token is no longer valid.
    """

    check: Callable[[], Awaitable[Caller]]
    over: asyncio.Event


def stream_access_of(context: ServerRequestContext[Any, Any]) -> StreamAccess:
    """The access of the request that the SDK is handling."""
    access: StreamAccess = _scope_of(context)[_STREAM_ACCESS]
    return access


@dataclass(frozen=True, kw_only=True, slots=True)
class AccessRules:
    """Which requests are served.

    ``authenticate`` raises ``InvalidCredentials``, or one of ``KEY_ERRORS``. ``admit`` counts a user's request, and
    returns whether it may begin; ``delay_s`` returns after how many seconds. ``admit_token`` counts by the token alone,
    before the database is asked whose it is. ``count_failure`` counts refused tokens by IP address, and
    ``failures_wait_s`` returns how long an address with too many must wait.

    ``hosts`` are the names of this server. A web page needs an origin among ``origins``; programs send none. With
    ``secure``, plain HTTP is refused.
    """

    authenticate: Callable[[str], Awaitable[Caller]]
    admit: Callable[[UUID], bool]
    delay_s: Callable[[UUID], float]
    admit_token: Callable[[str], bool]
    failures_wait_s: Callable[[str], float | None]
    count_failure: Callable[[str], None]
    hosts: Collection[str]
    origins: Collection[str] = ()
    secure: bool = False


class McpEndpoint:
    """The ASGI application, for requests with these ``methods``.

    It serves requests between ``begin`` and ``aclose``.
    """

    methods: ClassVar[Sequence[str]] = ("POST",)

    def __init__(self, server: Server[Any], rules: AccessRules) -> None:
        self._answering_json, self._streaming = (
            StreamableHTTPSessionManager(
                server, json_response=json_response, stateless=True, max_request_body_size=MAX_BODY_BYTES
            )
            for json_response in (True, False)
        )
        self._managers = [self._answering_json, self._streaming]
        self._cancellable = CancellableCalls()
        self._rules = rules
        # Otherwise the SDK would cut its streams as soon as the process is told to stop. Here, calls may end first.
        AppStatus.disable_automatic_graceful_drain()  # type: ignore[no-untyped-call] # it has no types
        self._running: asyncio.Task[None] | None = None
        self._ready = asyncio.Event()
        self._over = asyncio.Event()
        self._serving: set[asyncio.Task[None]] = set()

    def _manager_for(self, said: SaidMessage, scope: Message) -> StreamableHTTPSessionManager:
        return self._streaming if said.wants_progress and _takes_streams(scope) else self._answering_json

    def begin(self) -> None:
        """Start in the running loop. Idempotent."""
        if self._running is None:
            self._running = asyncio.create_task(self._run(), name="serving MCP")

    async def aclose(self, within_s: float = CALLS_END_S) -> None:
        """Refuse new requests, and wait for the running ones; those that take longer are cancelled."""
        self._over.set()
        if self._running is None:
            # It never began, so this wakes the requests that wait for that.
            self._ready.set()
        if self._serving:
            await asyncio.wait(self._serving, timeout=within_s)
        await _ended(self._serving)
        if self._running is not None:
            await self._running

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        send = self._answering(scope, send)
        try:
            self._check_address(scope)
            if scope["method"] == "OPTIONS" and values_of(scope, b"access-control-request-method"):
                await _tell_preflight(send)
                return
            caller = await self._let_in(scope)
            scope = {**scope, _CALLER: caller, _STREAM_ACCESS: self._stream_access(scope)}
            body = await _body(scope, receive)
            await self._ready.wait()
            if self._over.is_set():
                stopping = RefusedRequest(503, "shutting_down", "The server is stopping.", **{"Retry-After": "2"})
                raise stopping
        except RefusedRequest as refusal:
            await tell(refusal.problem, send, scope)
            return
        if caller.resource:
            send = asking_for_more(scope, send, granted=caller.scopes)
        if body is None:
            return
        said = read_message(body)
        if said.problem:
            await tell_invalid(said, send)
            return
        await self._serve(scope, body, said, receive, send)

    async def _run(self) -> None:
        async with AsyncExitStack() as running:
            for manager in self._managers:
                await running.enter_async_context(manager.run())
            self._ready.set()
            await self._over.wait()
            # The managers own the tasks of running requests, so they may end only after these.
            await asyncio.gather(*self._serving, return_exceptions=True)

    async def _let_in(self, scope: Message) -> Caller:
        """The caller. Raises ``RefusedRequest``."""
        token, network = _token_of(scope), client_address(scope)
        if (wait_s := self._rules.failures_wait_s(network)) is not None:
            raise failed_too_often(wait_s)
        if not token:
            # Not counted as a failure: it guesses no token. Programs learn from this answer how to sign in.
            raise RefusedRequest(401, "unauthorized", str(InvalidCredentials()))
        if not self._rules.admit_token(token):
            raise too_often()
        try:
            caller = await self._authenticated(token)
        except InvalidCredentials as error:
            self._rules.count_failure(network)
            raise RefusedRequest(401, "unauthorized", str(error)) from None
        if caller.resource and caller.resource != resource_of(scope):
            raise RefusedRequest(401, "unauthorized", "This token is for another address of this server.")
        if scope["method"] not in self.methods:
            allowed = ", ".join(self.methods)
            raise RefusedRequest(405, "method_not_allowed", "This server has no sessions.", Allow=allowed)
        if scope["method"] == "POST" and not _is_json(scope):
            raise RefusedRequest(415, "unsupported_media_type", f"The body must be {JSON}.")
        if not self._rules.admit(caller.user_id):
            raise too_often()
        if (delay_s := self._rules.delay_s(caller.user_id)) > 0:
            await asyncio.sleep(delay_s)
        return caller

    def _stream_access(self, scope: Message) -> StreamAccess:
        async def check() -> Caller:
            try:
                return await self._authenticated(_token_of(scope))
            except InvalidCredentials as error:
                raise refused("unauthorized", str(error)) from None
            except RefusedRequest as error:
                raise refused(error.problem.code, error.problem.message) from None

        return StreamAccess(check=check, over=self._over)

    async def _authenticated(self, token: str) -> Caller:
        """Raises ``InvalidCredentials`` and ``RefusedRequest``."""
        try:
            return await self._rules.authenticate(token)
        except KEY_ERRORS as error:
            logger.warning("the key of an account cannot be opened: %s", error)
            raise RefusedRequest(503, "key_unavailable", "The server cannot open the key of this account.") from None
        except DATABASE_ERRORS as error:
            logger.warning("a caller cannot be authenticated: %s", cause_of(error))
            raise RefusedRequest(503, "not_available", UNREACHABLE, **{"Retry-After": str(RETRY_AFTER_S)}) from None

    def _check_address(self, scope: Message) -> None:
        if not names_known_host(scope, self._rules.hosts):
            raise RefusedRequest(421, "wrong_host", "This server is not known under that name.")
        if not all(self._is_welcome(origin, scope) for origin in values_of(scope, b"origin")):
            raise RefusedRequest(403, "forbidden", "Web pages of this origin may not call this server.")
        if self._rules.secure and scope.get("scheme") != "https":
            raise RefusedRequest(403, "forbidden", "Tokens are taken over HTTPS only.")

    def _is_welcome(self, origin: str, scope: Message) -> bool:
        """Whether pages of ``origin`` may call: it is one of the allowed ones, or this server's own."""
        return origin in self._rules.origins or origin.lower() == issuer_of(scope)

    def _answering(self, scope: Message, send: Send) -> Send:
        """``send``, with the headers that let a page of an allowed origin read the answer."""
        origins = values_of(scope, b"origin")
        hosts = values_of(scope, b"host")
        if len(origins) != 1 or len(hosts) != 1 or not self._is_welcome(origins[0], scope):
            return send
        allowed = [(b"access-control-allow-origin", origins[0].encode("latin-1")), (b"vary", b"Origin"), _EXPOSED]

        async def send_allowed(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *allowed]}
            await send(message)

        return send_allowed

    async def _serve(self, scope: Message, body: bytes, said: SaidMessage, receive: Receive, send: Send) -> None:
        """Have the SDK answer. If the caller disconnects before that, cancel it."""

        async def wait_until_left() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass

        token = b"".join(value for name, value in scope["headers"] if name == BEARER)
        if said.cancels is not None:
            self._cancellable.cancel(token, said.cancels)
        manager = self._manager_for(said, scope)
        answer = AnswerOnce(send)
        handled = asyncio.create_task(manager.handle_request(scope, _replaying(body), answer.send))
        left = asyncio.create_task(wait_until_left())
        self._serving.add(handled)
        try:
            with self._cancellable.running(token, said.id, handled):
                await asyncio.wait({handled, left}, return_when=asyncio.FIRST_COMPLETED)
                if answer.has_ended:
                    # The caller may disconnect at once, before the SDK has cleaned up.
                    await asyncio.wait({handled})
            cancelled = handled.done() and handled.cancelled()
        finally:
            await _ended({handled, left})
            self._serving.discard(handled)
        if cancelled:
            await answer.end_cancelled()
        elif not handled.cancelled():
            handled.result()


async def _ended(tasks: Collection[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _is_json(scope: Message) -> bool:
    return [value.partition(";")[0].strip().lower() for value in values_of(scope, b"content-type")] == [JSON]


def _token_of(scope: Message) -> str:
    credentials = credentials_from(scope["headers"], ())
    return "" if credentials is None else credentials.token


async def _body(scope: Message, receive: Receive) -> bytes | None:
    """The whole body; None if the caller disconnects first. Raises ``RefusedRequest`` if it is too large."""
    declared = [int(value) for value in values_of(scope, b"content-length") if value.isdecimal()]
    parts, more = bytearray(), True
    while max([len(parts), *declared]) <= MAX_BODY_BYTES:
        if not more:
            _check_values(parts)
            return bytes(parts)
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts += message.get("body", b"")
        more = message.get("more_body", False)
    raise RefusedRequest(413, "too_large", "The body of the request is too large.")


def _check_values(body: bytearray) -> None:
    """Raise ``RefusedRequest`` if there are too many values."""
    if count_values(body.decode("utf-8", "replace"), MAX_BODY_VALUES) > MAX_BODY_VALUES:
        raise RefusedRequest(413, "too_large", "The body of the request holds too many values.")


def _replaying(body: bytes) -> Receive:
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if messages:
            return messages.pop()
        # A second receive waits for the caller to disconnect, which cancels the whole request.
        gone: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        return await gone

    return receive


def _takes_streams(scope: Message) -> bool:
    return any("text/event-stream" in value or "*/*" in value for value in values_of(scope, b"accept"))


async def _tell_preflight(send: Send) -> None:
    """Answer a browser's question whether a page may call."""
    await send({"type": "http.response.start", "status": 204, "headers": list(_PREFLIGHT)})
    await send({"type": "http.response.body", "body": b""})
