"""The registration of a socket's device: before the welcome, with each new token, and when the socket closes."""

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from accounts.auth.devices import DeviceFacts, SocketIdentity
from accounts.errors import DeviceUnfit, InvalidCredentials
from chat.protocol.frames.client import DeviceHello
from chat.protocol.frames.errors import FrameRejected
from chat.protocol.frames.vocabulary import ErrorCode
from chat.services import ChatServices
from chat.sockets.handshake import Refusal, refusal_of

logger = logging.getLogger(__name__)

_ARRIVAL_S: Final = 5.0
_DEPARTURE_S: Final = 1.0


@dataclass(kw_only=True, eq=False, slots=True)
class Registration:
    """The device of a socket, and its user. ``identity`` belongs to the latest token.

    ``device_id`` is the server's id of the device, once it is registered, and not the id in its hello.
    """

    services: ChatServices
    identity: SocketIdentity
    device_id: str = field(default="", init=False)
    _facts: DeviceFacts | None = field(default=None, init=False)
    _arrived_at: datetime | None = field(default=None, init=False)

    async def arrive(self, hello: DeviceHello) -> Refusal | None:
        """Register the device. Returns why it is refused, if it is. Raises ``FrameRejected`` for an invalid hello."""
        facts = DeviceFacts(
            device_id=hello.device_id, platform=hello.platform or "", app_version=hello.app_version or ""
        )
        try:
            with self.services.socket_rates.arriving.at_once():
                async with asyncio.timeout(_ARRIVAL_S):
                    await self._register(self.identity, facts)
        except DeviceUnfit as error:
            raise FrameRejected(ErrorCode.INVALID, str(error)) from None
        except Exception as error:  # the boundary of a connection  # noqa: BLE001 - it is logged there
            return refusal_of(error)
        return None

    async def renew(self, token: str) -> None:
        """Accept a new token of the same user. Raises as ``authenticate`` and ``device_arrived`` of the services."""
        identity = await self.services.authenticate(token)
        if identity.user_id != self.identity.user_id:
            raise InvalidCredentials
        if self._facts is not None and identity.grant.family != self.identity.grant.family:
            # The device belongs to both sign-ins from now on: when it is removed, the tokens of both end.
            await self._register(identity, self._facts)
        self.identity = identity

    async def depart(self) -> None:
        """Store when the device was last seen, if it was registered."""
        if self._arrived_at is None:
            return
        try:
            async with asyncio.timeout(_DEPARTURE_S):
                await self.services.device_left(self.identity, self.device_id, self._arrived_at)
        except Exception as error:  # the boundary of a connection  # noqa: BLE001
            logger.warning("the time when a device was last seen could not be stored: %r", error)

    async def _register(self, identity: SocketIdentity, facts: DeviceFacts) -> None:
        self.device_id = await self.services.device_arrived(identity, facts)
        self._facts, self._arrived_at = facts, datetime.now(UTC)
