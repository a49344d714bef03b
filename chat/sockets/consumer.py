"""One socket: its phases, its one writer, and the dispatch of its frames.

``receive`` only parses and dispatches; only at the hello it waits, until the device is registered. Turns belong to the
supervisor, calls to the device's link, frames to the outbox.
"""

import asyncio
import logging
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from channels.consumer import get_handler_name
from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncWebsocketConsumer
from channels.routing import URLRouter
from django.urls import re_path

from accounts.auth.devices import DeviceFacts, SocketIdentity
from accounts.auth.tokens import SUBPROTOCOL, AccessGrant
from accounts.errors import KEY_ERRORS, CredentialsError, DeviceRemoved, DeviceUnfit, InvalidCredentials, TooManyDevices
from chat.devices.approvals import DeviceAsker, show_open_questions
from chat.devices.connections import Connection
from chat.devices.links import Attachment, DeviceKey
from chat.errors import SocketClosed, TooManySockets
from chat.protocol.frames.client import Answer, Authenticate, ClientFrame, DeviceHello
from chat.protocol.frames.codec import encode, parse
from chat.protocol.frames.errors import FrameRejected
from chat.protocol.frames.server import Authenticated, DeviceWelcome, ErrorFrame, RunningTurn, ServerFrame
from chat.protocol.frames.vocabulary import Capability, CloseCode, ErrorCode
from chat.services import ChatServices
from chat.sockets.backlog import Backlog
from chat.sockets.handshake import NO_KEY, Refusal, identified, origin_allowed
from chat.sockets.pace import FramePace
from chat.sockets.sessions import DeviceSession, capabilities_of, requester_of
from chat.sockets.transport import Outbox, SocketTimers
from chat.tasks import OwnedTasks

logger = logging.getLogger(__name__)

MAX_BAD_FRAMES: Final = 20
_BAD: Final = frozenset(
    {
        ErrorCode.BAD_FRAME,
        ErrorCode.UNKNOWN_TYPE,
        ErrorCode.INVALID,
        ErrorCode.TOO_LARGE,
        ErrorCode.HELLO_REQUIRED,
    }
)
"""Frames that a working client does not send."""
_FLUSH_S: Final = 1.0
_ARRIVAL_S: Final = 5.0
_DEPARTURE_S: Final = 1.0


class DeviceConsumer(AsyncWebsocketConsumer):  # type: ignore[misc] # Channels has no types
    """Speaks the socket protocol with one client."""

    def __init__(self, services: ChatServices) -> None:
        super().__init__()
        self._services = services
        self._tasks = OwnedTasks()
        self._outbox = Outbox(self.send, on_stalled=self._stalled, stall_s=services.timings.stall_s)
        self._identity: SocketIdentity | None = None
        self._facts: DeviceFacts | None = None
        self._registered: str | None = None
        self._arrived_at = datetime.now(UTC)
        self._connection_id = str(uuid.uuid4())
        self._announced: DeviceKey | None = None
        self._session: DeviceSession | None = None
        self._writer: asyncio.Task[None] | None = None
        self._timers = SocketTimers(
            timings=services.timings, tell=self.tell, close=self.close_soon, on_expiry=self._expired
        )
        self._backlog = Backlog(tasks=self._tasks, reject=self._reject)
        self._pace: FramePace | None = None
        self._bad_frames = 0
        self._closing = False
        self._gone = asyncio.Event()

    async def __call__(
        self,
        scope: Mapping[str, Any],
        receive: Callable[[], Awaitable[Mapping[str, Any]]],
        send: Callable[[Mapping[str, Any]], Awaitable[None]],
    ) -> None:
        """As the base class, without its task and two turns of the loop for every frame.

        The base class also waits for a channel layer, over which sockets get nothing here.
        """
        self.scope, self.base_send = scope, send
        with suppress(StopConsumer):
            while True:
                await self.dispatch(await receive())

    async def dispatch(self, message: Mapping[str, Any]) -> None:
        """As the base class, without its database clean-up on every frame, which costs a thread hop each.

        This task makes no ORM call; others clean up after themselves.
        """
        handler: Callable[[Mapping[str, Any]], Awaitable[None]] | None = getattr(self, get_handler_name(message), None)
        if handler is None:
            raise ValueError(f"No handler for message type {message['type']}")
        await handler(message)

    async def websocket_disconnect(self, message: Mapping[str, Any]) -> None:
        """As the base class, without groups, which are not used, and without that clean-up."""
        await self.disconnect(message["code"])
        raise StopConsumer

    async def connect(self) -> None:
        if not origin_allowed(self.scope, self._services):
            await self.close()
            return
        identity = await identified(self.scope, self._services)
        await self.accept(subprotocol=SUBPROTOCOL if SUBPROTOCOL in self.scope["subprotocols"] else None)
        self._writer = self._tasks.start(self._outbox.run(), name="outbox")
        if isinstance(identity, Refusal):
            self._reject(identity.rejection, close=identity.close)
            return
        self._identity = identity
        self._pace = FramePace(
            rates=self._services.socket_rates,
            user_id=identity.user_id,
            notify=self._slow_down,
            on_flood=self._flooded,
        )
        self._timers.expect_hello()
        self._timers.watch_token(identity.expires_at)
        self._services.revocation.watch(self)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if self._closing or self._identity is None or self._pace is None:
            return
        self._timers.heard()
        session, text, size, answered = self._session, text_data or "", len(text_data or bytes_data or ""), False
        awaited = () if session is None else session.awaited_calls(text)
        if not awaited and not await self._pace.admit(size):
            return
        if session is not None and not awaited and session.is_stray(text):
            return
        try:
            frame = self._frame(text_data)
            answered = isinstance(frame, Answer) and frame.id in awaited
            if session is None:
                # The only wait here besides: no other frame has a meaning before the welcome.
                await self._greet(self._identity, frame)
            else:
                self._take(frame, session)
            self._bad_frames = 0
        except FrameRejected as rejection:
            self._reject(rejection)
        if awaited and not answered:
            # It only looked like an answer that the server waits for, so the next frame waits for it.
            await self._pace.admit(size)

    async def disconnect(self, code: int) -> None:  # noqa: ARG002 - Channels' signature
        self._closing = True
        self._timers.end()
        self._outbox.close()
        if self._session is not None:
            self._services.connections.remove(self._session.connection)
        await self._services.revocation.unwatch(self)
        if self._announced is not None:
            await self._services.cluster.presence.leave(self._announced, connection_id=self._connection_id)
        await self._depart()
        self._gone.set()
        await self._tasks.aclose()

    @property
    def grant(self) -> AccessGrant:
        """The grant of the latest token. Only a socket with a token is asked."""
        assert self._identity is not None  # noqa: S101 - it is watched from then on
        return self._identity.grant

    @property
    def device(self) -> DeviceKey | None:
        """The device, after its welcome."""
        return None if self._session is None else self._session.connection.device

    def tell(self, frame: ServerFrame) -> None:
        """Queue a small frame, unless the socket is closing."""
        with suppress(SocketClosed):
            self._outbox.put_now(encode(frame))

    async def wait_closed(self) -> None:
        """Return once the socket is gone."""
        await self._gone.wait()

    def close_soon(self, code: CloseCode) -> None:
        """Send what is queued, then close with ``code``."""
        if not self._closing:
            self._closing = True
            self._timers.end()
            if self._pace is not None:
                self._pace.end()
            self._tasks.start(self._close_after_flush(code), name="closing")

    def _frame(self, text: str | None) -> ClientFrame:
        if text is None:
            raise FrameRejected(ErrorCode.BAD_FRAME, "Frames are text, not binary.")
        return parse(text, self._services.frame_limits)

    async def _greet(self, identity: SocketIdentity, frame: ClientFrame) -> None:
        if not isinstance(frame, DeviceHello):
            raise FrameRejected(ErrorCode.HELLO_REQUIRED, "The first frame is device_hello.")
        await self._arrive(identity, frame)
        if not self._closing:
            await self._announce((identity.user_id, frame.device_id), frame)
        if not self._closing:
            elsewhere = await self._services.cluster.turns.running((identity.user_id, frame.device_id))
            self._welcome(identity, frame, elsewhere)

    async def _announce(self, device: DeviceKey, hello: DeviceHello) -> None:
        """Tell the other processes before the device is welcomed; close a socket that is one too many."""
        presence = self._services.cluster.presence
        await self._services.cluster.known()
        self._announced = device
        try:
            await presence.arrive(device, connection_id=self._connection_id, capabilities=capabilities_of(hello))
        except TooManySockets as error:
            self._reject(_one_too_many(error), close=CloseCode.TRY_LATER)

    async def _arrive(self, identity: SocketIdentity, hello: DeviceHello) -> None:
        """Register the device before it is welcomed; if it is refused, tell it and close the socket."""
        self._facts = DeviceFacts(
            device_id=hello.device_id, platform=hello.platform or "", app_version=hello.app_version or ""
        )
        try:
            async with asyncio.timeout(_ARRIVAL_S):
                await self._services.device_arrived(identity, self._facts)
            self._arrived_at, self._registered = datetime.now(UTC), hello.device_id
        except DeviceUnfit as error:
            raise FrameRejected(ErrorCode.INVALID, str(error)) from None
        except (CredentialsError, DeviceRemoved) as error:
            self._reject(FrameRejected(ErrorCode.UNAUTHORIZED, str(error)), close=CloseCode.REVOKED)
        except TooManyDevices as error:
            self._reject(_one_too_many(error), close=CloseCode.TRY_LATER)
        except KEY_ERRORS as error:
            logger.warning("a device could not be taken in: %s", error)
            self._reject(NO_KEY.rejection, close=NO_KEY.close)
        except Exception:  # the boundary of a connection
            logger.exception("a device could not be taken in")
            fault = FrameRejected(ErrorCode.INTERNAL_ERROR, "The server cannot take a device in now.", retryable=True)
            self._reject(fault, close=CloseCode.RESTARTING)

    async def _depart(self) -> None:
        if self._registered is None or self._identity is None:
            return
        try:
            async with asyncio.timeout(_DEPARTURE_S):
                await self._services.device_left(self._identity, self._registered, self._arrived_at)
        except Exception as error:  # the boundary of a connection  # noqa: BLE001
            logger.warning("when a device was last seen could not be noted: %r", error)

    def _take(self, frame: ClientFrame, session: DeviceSession) -> None:
        match frame:
            case DeviceHello():
                raise FrameRejected(ErrorCode.INVALID, "The hello has been said already.")
            case Authenticate():
                self._backlog.add(partial(self._authenticate_again, frame.token), name="authenticating again")
            case _:
                session.handle(frame)

    def _welcome(self, identity: SocketIdentity, hello: DeviceHello, elsewhere: Mapping[str, int]) -> None:
        """``elsewhere`` are the device's turns on other processes: the number of the last frame, by request id."""
        services, session = self._services, self._session_of(identity, hello)
        self._session = session
        here = {turn.request_id: turn.log.last_seq for turn in services.supervisor.running(session.connection.device)}
        self.tell(
            DeviceWelcome(
                connection_id=self._connection_id,
                server_time=round(time.time() * 1000),
                heartbeat_s=round(services.timings.heartbeat_s),
                limits=services.limits,
                embedding=services.embedding,
                running=[RunningTurn(request_id=key, last_seq=last) for key, last in {**elsewhere, **here}.items()],
            )
        )
        # Attached after the welcome, so that no call overtakes it.
        services.connections.add(session.connection)
        asking = show_open_questions(services.turns.run.approvals, session.connection)
        self._tasks.start(asking, name="asking again")
        if services.jobs is not None:
            services.jobs.arrived(session.connection)
        self._timers.greeted(answers_pings=Capability.PONG in session.connection.attachment.capabilities)

    def _session_of(self, identity: SocketIdentity, hello: DeviceHello) -> DeviceSession:
        connections, device = self._services.connections, (identity.user_id, hello.device_id)
        asker = DeviceAsker(connections=connections, device=device, announce=self._services.cluster.announce_question)
        return DeviceSession(
            services=self._services,
            requester=requester_of(identity, hello, asker),
            connection=Connection(
                id=self._connection_id,
                device=device,
                attachment=Attachment(sink=self._outbox, capabilities=capabilities_of(hello)),
                socket=self,
            ),
            link=connections.link(device),
            tasks=self._tasks,
            backlog=self._backlog,
            reject=self._reject,
        )

    def _reject(self, rejection: FrameRejected, *, close: CloseCode | None = None) -> None:
        """The one place where a rejected frame becomes an ``error``."""
        if rejection.code in _BAD:
            self._bad_frames += 1
        if rejection.call_id is not None and self._session is not None:
            self._session.link.refuse(rejection.call_id)
        self.tell(
            ErrorFrame(
                code=rejection.code,
                message=rejection.message,
                request_id=rejection.request_id,
                retryable=rejection.retryable,
                details=None if rejection.details is None else list(rejection.details),
            )
        )
        if self._bad_frames >= MAX_BAD_FRAMES:
            close = CloseCode.PROTOCOL_ABUSE
        if close is not None:
            self.close_soon(close)

    def _slow_down(self) -> None:
        fast = "This device sends frames too fast: it is read more slowly."
        self._reject(FrameRejected(ErrorCode.RATE_LIMITED, fast, retryable=True))

    def _flooded(self) -> None:
        logger.info("a client goes on sending too fast: its socket is closed")
        fast = "This device goes on sending frames too fast."
        self._reject(FrameRejected(ErrorCode.RATE_LIMITED, fast), close=CloseCode.PROTOCOL_ABUSE)

    def _stalled(self) -> None:
        logger.info("a client does not read: its socket is closed")
        self.close_soon(CloseCode.TOO_SLOW)

    def _expired(self) -> None:
        rejection = FrameRejected(ErrorCode.TOKEN_EXPIRED, "The access token has expired. Connect with a new one.")
        self._reject(rejection, close=CloseCode.CREDENTIALS)

    async def _authenticate_again(self, token: str) -> None:
        try:
            identity = await self._renewed(token)
        except (CredentialsError, DeviceRemoved, TooManyDevices):
            self._reject(FrameRejected(ErrorCode.UNAUTHORIZED, "That token is not a valid one of this user."))
            return
        except KEY_ERRORS as error:
            logger.warning("a token could not be taken: %s", error)
            self._reject(NO_KEY.rejection)
            return
        if not self._closing:
            self._identity = identity
            self._timers.watch_token(identity.expires_at)
            self.tell(Authenticated(expires_at=identity.expires_at))

    async def _renewed(self, token: str) -> SocketIdentity:
        assert self._identity is not None and self._facts is not None  # noqa: S101, PT018 - the hello has been said
        identity = await self._services.authenticate(token)
        if identity.user_id != self._identity.user_id:
            raise InvalidCredentials
        if identity.grant.family != self._identity.grant.family:
            # Tokens of another sign-in end with the device, too, once they were used on it.
            await self._services.device_arrived(identity, self._facts)
            self._arrived_at = datetime.now(UTC)
        return identity

    async def _close_after_flush(self, code: CloseCode) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_FLUSH_S):
                await self._outbox.flush()
        self._outbox.close()
        # A writer whose client does not read must not write after the close.
        if self._writer is not None:
            self._writer.cancel()
        with suppress(OSError):  # the client has left meanwhile
            await self.close(code=code)


def _one_too_many(error: Exception) -> FrameRejected:
    return FrameRejected(ErrorCode.RATE_LIMITED, str(error), retryable=True)


def websocket_application(services: ChatServices) -> URLRouter:
    """The ASGI application of all sockets; ``api/v1/device`` is an alias for older clients."""

    async def refuse(scope: Any, receive: Any, send: Any) -> None:  # noqa: ARG001 - an ASGI application
        # Closing before accepting is how ASGI refuses a handshake (403).
        await send({"type": "websocket.close"})

    others: Any = refuse  # Django's types know only views here
    return URLRouter(
        [re_path("^api/v1/(?:ws/)?device$", DeviceConsumer.as_asgi(services=services)), re_path("", others)]
    )
