"""The checks of a handshake: the access token, the origin of the page, and the number of connections."""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Final

from django.http.request import split_domain_port, validate_host

from accounts.auth.devices import SocketIdentity
from accounts.auth.tokens import credentials_from
from accounts.database import DATABASE_ERRORS, cause_of
from accounts.errors import KEY_ERRORS, CredentialsError, DeviceRemoved, TooManyDevices
from chat.admission import QueueFull
from chat.errors import TooManySockets
from chat.protocol.frames.errors import FrameRejected, unreachable
from chat.protocol.frames.vocabulary import CloseCode, ErrorCode
from chat.services import ChatServices
from chat.sockets.extensions import IS_OPEN

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Refusal:
    """The rejection that a client is sent before its socket is closed, and the close code."""

    rejection: FrameRejected
    close: CloseCode


NOT_SIGNED_IN: Final = Refusal(
    rejection=FrameRejected(ErrorCode.UNAUTHORIZED, "Sign in first: the access token is missing or not valid."),
    close=CloseCode.CREDENTIALS,
)
NO_DATABASE: Final = Refusal(rejection=unreachable(), close=CloseCode.TRY_LATER)
NO_KEY: Final = Refusal(
    rejection=FrameRejected(
        ErrorCode.NOT_AVAILABLE,
        "The server cannot decrypt the key of this account. Connect again later.",
        retryable=True,
    ),
    close=CloseCode.TRY_LATER,
)
TOO_MANY: Final = Refusal(
    rejection=FrameRejected(
        ErrorCode.RATE_LIMITED, "Many devices are connecting. Connect again in a moment.", retryable=True
    ),
    close=CloseCode.TRY_LATER,
)
TOO_OFTEN: Final = Refusal(
    rejection=FrameRejected(
        ErrorCode.RATE_LIMITED, "Too many connections in a minute. Connect again later.", retryable=True
    ),
    close=CloseCode.TRY_LATER,
)


def refusal_of(error: Exception) -> Refusal:
    """The refusal of a client whose device could not be registered because of ``error``. Logs faults of the server."""
    if isinstance(error, CredentialsError | DeviceRemoved):
        return Refusal(rejection=FrameRejected(ErrorCode.UNAUTHORIZED, str(error)), close=CloseCode.REVOKED)
    if isinstance(error, TooManyDevices | TooManySockets):
        rejection = FrameRejected(ErrorCode.RATE_LIMITED, str(error), retryable=True)
        return Refusal(rejection=rejection, close=CloseCode.TRY_LATER)
    if isinstance(error, KEY_ERRORS):
        logger.warning("a device could not be registered: %s", error)
        return NO_KEY
    if isinstance(error, TimeoutError):
        logger.warning("a device could not be registered: it took too long")
        return TOO_MANY
    if isinstance(error, DATABASE_ERRORS):
        logger.warning("a device could not be registered: %s", cause_of(error))
        return NO_DATABASE
    logger.error("a device could not be registered", exc_info=error)
    fault = FrameRejected(ErrorCode.INTERNAL_ERROR, "The server cannot register this device now.", retryable=True)
    return Refusal(rejection=fault, close=CloseCode.RESTARTING)


def origin_allowed(scope: Mapping[str, Any], services: ChatServices) -> bool:
    """Whether the handshake's origin is allowed, or is this server.

    The host of the handshake must be one of the server's names (``services.hosts``), against DNS rebinding.
    """
    headers = [(name, value.decode("latin-1")) for name, value in scope["headers"]]
    host = next((value for name, value in headers if name == b"host"), "")
    allowed = set(services.allowed_origins)
    if validate_host(split_domain_port(host)[0], services.hosts):
        allowed.add(f"{'https' if scope.get('scheme') == 'wss' else 'http'}://{host}")
    return allowed.issuperset(value for name, value in headers if name == b"origin")


async def identified(scope: Mapping[str, Any], services: ChatServices) -> SocketIdentity | Refusal:
    """The identity of the handshake's token, or the refusal.

    The user's connections are counted before the database is queried, and those of a burst continue one by one. A
    connection beyond the limit is refused after a pause, which slows down a client that keeps trying. A connection that
    is refused because of other users does not count. One whose client has left counts, because a client could otherwise
    connect and leave without limit.
    """
    credentials = credentials_from(scope["headers"], scope["subprotocols"])
    if credentials is None:
        return NOT_SIGNED_IN
    arriving = services.socket_rates.arriving
    if arriving.is_full:
        await asyncio.sleep(services.timings.refusal_s)
        return TOO_MANY
    user_id = services.subject_of(credentials.token)
    if user_id is not None:
        connections = services.socket_rates.connections
        if not connections.admit(user_id):
            await asyncio.sleep(services.timings.refusal_s)
            return TOO_OFTEN
        await asyncio.sleep(connections.delay_s(user_id))
    try:
        # A token that this server did not sign is refused without the database, so it need not queue.
        async with nullcontext() if user_id is None else arriving.turn():
            is_open = scope.get("extensions", {}).get(IS_OPEN)
            if is_open is not None and not is_open():
                # The client has given up, and will connect again. The database is left to the others.
                return TOO_MANY
            return await services.authenticate(credentials.token)
    except QueueFull:
        services.socket_rates.connections.give_back(user_id)
        return TOO_MANY
    except CredentialsError as error:
        logger.info("a socket was refused: %s", error)
        return NOT_SIGNED_IN
    except KEY_ERRORS as error:
        logger.warning("a socket was refused: %s", error)
        return NO_KEY
    except DATABASE_ERRORS as error:
        logger.warning("a socket was refused: %s", cause_of(error))
        return NO_DATABASE
