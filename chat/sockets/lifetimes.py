"""How long one socket may live: until its hello is overdue, its token is over, or its client has fallen silent."""

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from chat.protocol.frames.client import Ping
from chat.protocol.frames.server import ServerFrame, TokenExpiring
from chat.protocol.frames.vocabulary import CloseCode
from chat.sockets.deadlines import Deadlines

if TYPE_CHECKING:
    from chat.services import Timings


class Lifetime:
    """The timers of one socket. They ``tell`` its client, or close it with a code; ``on_expiry`` ends its token."""

    def __init__(
        self,
        timings: "Timings",
        *,
        tell: Callable[[ServerFrame], None],
        close: Callable[[CloseCode], None],
        on_expiry: Callable[[], None],
    ) -> None:
        self._timings = timings
        self._tell = tell
        self._close = close
        self._on_expiry = on_expiry
        self._deadlines = Deadlines()
        self._heard = 0.0

    def expect_hello(self) -> None:
        """Close the socket unless ``greeted`` comes in time."""
        self._deadlines.set("hello", self._timings.hello_s, partial(self._close, CloseCode.SILENT))

    def greeted(self, *, answers_pings: bool) -> None:
        """The hello has come: the heart beats from now on, and a client that promised to answer is held to it."""
        self._deadlines.cancel("hello")
        self._deadlines.set("beat", self._timings.heartbeat_s, self._beat)
        if answers_pings:
            self._watch_silence()

    def watch_token(self, expires_at: int) -> None:
        """Give notice before the token's time (ms) is over, and end it then; a newer token takes the place of this."""
        left = expires_at / 1000 - time.time()
        notice = partial(self._tell, TokenExpiring(expires_at=expires_at))
        self._deadlines.set("notice", left - self._timings.token_notice_s, notice)
        self._deadlines.set("expiry", left, self._on_expiry)

    def heard(self) -> None:
        """The client has said something."""
        self._heard = asyncio.get_running_loop().time()

    def end(self) -> None:
        """Nothing more happens to this socket."""
        self._deadlines.clear()

    def _beat(self) -> None:
        self._tell(Ping())
        self._deadlines.set("beat", self._timings.heartbeat_s, self._beat)

    def _watch_silence(self) -> None:
        left = self._timings.silence_s - (asyncio.get_running_loop().time() - self._heard)
        if left <= 0:
            self._close(CloseCode.SILENT)
        else:
            self._deadlines.set("silence", left, self._watch_silence)
