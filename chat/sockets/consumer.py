"""One socket: its phases, its one writer, and where its frames go.

``receive`` only parses and hands on; at the hello alone it waits, until the device is known. Turns belong to the
supervisor, calls to the device's link, frames to the outbox.
"""

import asyncio
import logging
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final

from channels.consumer import get_handler_name
from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncWebsocketConsumer

from accounts.devices import DeviceFacts
from accounts.errors import CredentialsError, DeviceRemoved, DeviceUnfit, InvalidCredentials
from accounts.socket_auth import SUBPROTOCOL, SocketIdentity, credentials_from
from accounts.standing import Standing
from chat.devices.approvals import DeviceAsker
from chat.devices.connections import Connection, DeviceKey
from chat.devices.links import Attachment
from chat.errors import SocketClosed
from chat.protocol.frames.client import Authenticate, ClientFrame, DataResponse, DeviceHello, ToolResult
from chat.protocol.frames.codec import encode, parse, size_of
from chat.protocol.frames.errors import FrameRejected
from chat.protocol.frames.server import Authenticated, DeviceWelcome, ErrorFrame, ServerFrame
from chat.protocol.frames.vocabulary import Capability, CloseCode, ErrorCode
from chat.services import ChatServices
from chat.sockets.lifetimes import Lifetime
from chat.sockets.origins import is_own_origin
from chat.sockets.outbox import Outbox
from chat.sockets.sessions import MAX_REQUEST_BYTES, DeviceSession, capabilities_of, person_of
from chat.tasks import OwnedTasks

logger = logging.getLogger(__name__)

MAX_BAD_FRAMES: Final = 20
_FLUSH_S: Final = 1.0
_ARRIVAL_S: Final = 5.0
_DEPARTURE_S: Final = 1.0


class DeviceConsumer(AsyncWebsocketConsumer):  # type: ignore[misc] # Channels has no types
    """Speaks the socket protocol with one client."""

    def __init__(self, services: ChatServices) -> None:
        super().__init__()
        self._services = services
        self._tasks = OwnedTasks()
        self._outbox = Outbox(self._send_text, on_stalled=self._stalled, stall_s=services.timings.stall_s)
        self._identity: SocketIdentity | None = None
        self._facts: DeviceFacts | None = None
        self._arrived_at = datetime.now(UTC)
        self._connection_id = str(uuid.uuid4())
        self._announced: DeviceKey | None = None
        self._session: DeviceSession | None = None
        self._writer: asyncio.Task[None] | None = None
        self._lifetime = Lifetime(services.timings, tell=self.tell, close=self.close_soon, on_expiry=self._expired)
        self._running_elsewhere: Mapping[str, int] = {}
        self._bad_frames = 0
        self._closing = False
        self._gone = asyncio.Event()

    async def __call__(
        self,
        scope: Mapping[str, Any],
        receive: Callable[[], Awaitable[Mapping[str, Any]]],
        send: Callable[[Mapping[str, Any]], Awaitable[None]],
    ) -> None:
        """As the base's, without a task and two turns of the loop for every frame.

        The base waits for a channel layer beside the socket; nothing comes to a socket from there.
        """
        self.scope, self.base_send = scope, send
        with suppress(StopConsumer):
            while True:
                await self.dispatch(await receive())

    async def dispatch(self, message: Mapping[str, Any]) -> None:
        """As the base's, without its database clean-up on every frame: it costs a thread hop each.

        No ORM call is made in this task; those that are made elsewhere clean up after themselves.
        """
        handler: Callable[[Mapping[str, Any]], Awaitable[None]] | None = getattr(self, get_handler_name(message), None)
        if handler is None:
            raise ValueError(f"No handler for message type {message['type']}")
        await handler(message)

    async def websocket_disconnect(self, message: Mapping[str, Any]) -> None:
        """As the base's, without groups, which nothing here joins, and without that clean-up."""
        await self.disconnect(message["code"])
        raise StopConsumer

    async def connect(self) -> None:
        if not self._origin_allowed():
            await self.close()
            return
        credentials = credentials_from(self.scope["headers"], self.scope["subprotocols"])
        try:
            self._identity = None if credentials is None else await self._services.authenticate(credentials.token)
        except CredentialsError as error:
            logger.info("a socket was refused: %s", error)
        await self.accept(subprotocol=SUBPROTOCOL if SUBPROTOCOL in self.scope["subprotocols"] else None)
        self._writer = self._tasks.start(self._write(), name="outbox")
        if self._identity is None:
            self._reject(
                FrameRejected(ErrorCode.UNAUTHORIZED, "Sign in first: the access token is missing or not valid.")
            )
            self.close_soon(CloseCode.CREDENTIALS)
            return
        self._lifetime.expect_hello()
        self._lifetime.watch_token(self._identity.expires_at)
        self._services.revocation.watch(self)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:  # noqa: ARG002 - binary frames have no text, which is enough
        if self._closing or self._identity is None:
            return
        self._lifetime.heard()
        try:
            frame = self._frame(text_data)
            if self._session is None and isinstance(frame, DeviceHello):
                # The one wait in here: nothing on this socket means anything before the welcome.
                await self._arrive(self._identity, frame)
                self._running_elsewhere = await self._announce(self._identity, frame)
            if not self._closing:
                self._take(frame)
        except FrameRejected as rejection:
            self._reject(rejection)
        except SocketClosed:
            return

    async def disconnect(self, code: int) -> None:  # noqa: ARG002 - Channels' signature
        self._closing = True
        self._lifetime.end()
        self._outbox.close()
        if self._session is not None:
            self._services.connections.remove(self._session.connection)
        await self._services.revocation.unwatch(self)
        if self._announced is not None:
            await self._services.neighbours.arrivals.leave(self._announced, connection_id=self._connection_id)
        await self._depart()
        self._gone.set()
        await self._tasks.aclose()

    @property
    def standing(self) -> Standing:
        """What the latest token stands for; only asked of a socket that has one."""
        assert self._identity is not None  # noqa: S101 - it is watched from then on
        return self._identity.standing

    @property
    def device(self) -> DeviceKey | None:
        """Which device this is, once it is welcome."""
        return None if self._session is None else self._session.connection.device

    def tell(self, frame: ServerFrame) -> None:
        """Queue a small frame; nothing happens when the socket is closing."""
        with suppress(SocketClosed):
            self._outbox.put_now(encode(frame))

    async def wait_closed(self) -> None:
        """Return once the socket is gone."""
        await self._gone.wait()

    def close_soon(self, code: CloseCode) -> None:
        """Send what is queued, then close with ``code``."""
        if not self._closing:
            self._closing = True
            self._lifetime.end()
            self._tasks.start(self._close_after_flush(code), name="closing")

    def _origin_allowed(self) -> bool:
        origins = [value.decode("latin-1") for name, value in self.scope["headers"] if name == b"origin"]
        allowed, hosts = self._services.allowed_origins, self._services.hosts
        return all(origin in allowed or is_own_origin(origin, self.scope, hosts) for origin in origins)

    def _frame(self, text: str | None) -> ClientFrame:
        if text is None:
            raise FrameRejected(ErrorCode.BAD_FRAME, "Frames are text, not binary.")
        frame = parse(text)
        if size_of(text) > MAX_REQUEST_BYTES and not isinstance(frame, ToolResult | DataResponse):
            raise FrameRejected(
                ErrorCode.TOO_LARGE,
                f"A request is at most {MAX_REQUEST_BYTES // 1024} KiB.",
                request_id=getattr(frame, "request_id", None),
            )
        return frame

    async def _arrive(self, identity: SocketIdentity, hello: DeviceHello) -> None:
        """Make the device known before it is welcomed; one that may not come is told so, and the socket closed."""
        self._facts = DeviceFacts(
            device_id=hello.device_id, platform=hello.platform or "", app_version=hello.app_version or ""
        )
        try:
            async with asyncio.timeout(_ARRIVAL_S):
                await self._services.device_arrived(identity, self._facts)
            self._arrived_at = datetime.now(UTC)
        except DeviceUnfit as error:
            raise FrameRejected(ErrorCode.INVALID, str(error)) from None
        except (CredentialsError, DeviceRemoved) as error:
            self._reject(FrameRejected(ErrorCode.UNAUTHORIZED, str(error)))
            self.close_soon(CloseCode.REVOKED)
        except Exception:  # the boundary of a connection
            logger.exception("a device could not be taken in")
            self._reject(
                FrameRejected(ErrorCode.INTERNAL_ERROR, "The server cannot take a device in now.", retryable=True)
            )
            self.close_soon(CloseCode.RESTARTING)

    async def _announce(self, identity: SocketIdentity, hello: DeviceHello) -> Mapping[str, int]:
        """Tell the other processes, before the device may hear that it is welcome; gives its turns over there."""
        if self._closing:
            return {}
        neighbours, device = self._services.neighbours, (identity.user_id, hello.device_id)
        await neighbours.known()
        self._announced = device
        await neighbours.arrivals.arrive(device, connection_id=self._connection_id, capabilities=capabilities_of(hello))
        return await neighbours.turns.running(device)

    async def _depart(self) -> None:
        if self._session is None or self._identity is None:
            return
        try:
            async with asyncio.timeout(_DEPARTURE_S):
                device_id = self._session.connection.device[1]
                await self._services.device_left(self._identity, device_id, self._arrived_at)
        except Exception as error:  # the boundary of a connection  # noqa: BLE001
            logger.warning("when a device was last seen could not be noted: %r", error)

    def _take(self, frame: ClientFrame) -> None:
        self._bad_frames = 0
        if self._session is None:
            if not isinstance(frame, DeviceHello):
                raise FrameRejected(ErrorCode.HELLO_REQUIRED, "The first frame is device_hello.")
            self._welcome(frame)
            return
        match frame:
            case DeviceHello():
                raise FrameRejected(ErrorCode.INVALID, "The hello has been said already.")
            case Authenticate():
                self._tasks.start(self._authenticate_again(frame.token), name="authenticating again")
            case _:
                self._session.handle(frame)

    def _welcome(self, hello: DeviceHello) -> None:
        assert self._identity is not None  # noqa: S101 - frames are not read without one
        services = self._services
        connection = Connection(
            id=self._connection_id,
            device=(self._identity.user_id, hello.device_id),
            attachment=Attachment(sink=self._outbox, capabilities=capabilities_of(hello)),
            socket=self,
        )
        link = services.connections.link(connection.device)
        session = self._session = DeviceSession(
            services=services,
            person=person_of(
                self._identity,
                hello,
                DeviceAsker(
                    connections=services.connections,
                    device=connection.device,
                    elsewhere=services.neighbours.ask_elsewhere,
                ),
            ),
            connection=connection,
            link=link,
            outbox=self._outbox,
            tasks=self._tasks,
            reject=self._reject,
            running_elsewhere=self._running_elsewhere,
        )
        self.tell(
            DeviceWelcome(
                connection_id=connection.id,
                server_time=round(time.time() * 1000),
                heartbeat_s=round(services.timings.heartbeat_s),
                limits=services.limits,
                embedding=services.embedding,
                running=session.running,
            )
        )
        # Attached after the welcome, so that no call overtakes it.
        services.connections.add(connection)
        session.ask_again()
        if services.jobs is not None:
            services.jobs.arrived(session.connection)
        self._lifetime.greeted(answers_pings=Capability.PONG in connection.attachment.capabilities)

    def _reject(self, rejection: FrameRejected) -> None:
        """The one place where a refused frame becomes an ``error``."""
        if rejection.code in {ErrorCode.BAD_FRAME, ErrorCode.UNKNOWN_TYPE}:
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
            self.close_soon(CloseCode.PROTOCOL_ABUSE)

    def _stalled(self) -> None:
        logger.info("a client does not read: its socket is closed")
        self.close_soon(CloseCode.TOO_SLOW)

    def _expired(self) -> None:
        self._reject(FrameRejected(ErrorCode.TOKEN_EXPIRED, "The access token has expired. Connect with a new one."))
        self.close_soon(CloseCode.CREDENTIALS)

    async def _authenticate_again(self, token: str) -> None:
        try:
            identity = await self._renewed(token)
        except (CredentialsError, DeviceRemoved):
            self._reject(FrameRejected(ErrorCode.UNAUTHORIZED, "That token is not a valid one of this user."))
            return
        if not self._closing:
            self._identity = identity
            self._lifetime.watch_token(identity.expires_at)
            self.tell(Authenticated(expires_at=identity.expires_at))

    async def _renewed(self, token: str) -> SocketIdentity:
        assert self._identity is not None and self._facts is not None  # noqa: S101, PT018 - the hello has been said
        identity = await self._services.authenticate(token)
        if identity.user_id != self._identity.user_id:
            raise InvalidCredentials
        if identity.standing.family != self._identity.standing.family:
            # Tokens of another sign-in end with the device, too, once they have been used on it.
            await self._services.device_arrived(identity, self._facts)
            self._arrived_at = datetime.now(UTC)
        return identity

    async def _write(self) -> None:
        # A transport that is gone says so in its own way; `disconnect` follows and ends the socket.
        with suppress(ConnectionError, OSError):
            await self._outbox.run()

    async def _send_text(self, text: str) -> None:
        await self.send(text_data=text)

    async def _close_after_flush(self, code: CloseCode) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_FLUSH_S):
                await self._outbox.flush()
        self._outbox.close()
        # A writer that waits for a client that does not read must not write once the close is on its way.
        if self._writer is not None:
            self._writer.cancel()
        await self.close(code=code)
