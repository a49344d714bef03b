"""A terminal's link to its server: it connects with the first request, and reconnects by itself after a loss."""

import asyncio
import random
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from device.addresses import ServerAddress
from device.client import DeviceClient, connected
from device.errors import ConnectionFailed, DeviceError, Unauthorized
from device.executor import Executor
from device.hello import Hello
from device.jobs import JobWatcher
from device.signing_in import Tokens, renewed, sign_in
from device.verdicts import Approver


@dataclass(frozen=True, kw_only=True, slots=True)
class Backoff:
    """Exponential back-off with full jitter, so that clients which lost the server together do not return together.

    ``patience_s`` is how long callers wait for the server. A call that loses its connection waits 30 s at the server.
    """

    first_s: float = 0.5
    most_s: float = 15.0
    patience_s: float = 120.0
    draw: Callable[[], float] = random.random
    """Gives a number from 0 to 1."""

    def pauses(self) -> Iterator[float]:
        """Before each try, in addition to what the server asks for."""
        most = self.first_s
        while True:
            yield most * self.draw()
            most = min(self.most_s, most * 2)


class Account:
    """Who asks, and the tokens that prove it."""

    def __init__(self, server: ServerAddress, *, email: str, password: str) -> None:
        self.server = server
        self._email = email
        self._password = password
        self._tokens: Tokens | None = None

    async def access(self) -> str:
        """An access token that was just issued. Raises ``ConnectionFailed`` and ``Unauthorized``."""
        self._tokens = await self._renewed() or await self._signed_in()
        return self._tokens.access

    async def _signed_in(self) -> Tokens:
        return await sign_in(self.server, email=self._email, password=self._password)

    async def _renewed(self) -> Tokens | None:
        if self._tokens is None:
            return None
        try:
            return await renewed(self.server, self._tokens.refresh)
        except Unauthorized:  # the refresh token is spent, expired or revoked: the password decides
            return None


class Link:
    """A context manager that disconnects on leaving. ``token`` is for the first connection.

    Once there was a connection, one that is lost is replaced without being asked, so that the device is there for
    everything that the server begins; except when the loss is final.
    """

    def __init__(
        self,
        account: Account,
        token: str,
        *,
        executor: Executor,
        hello: Hello,
        approve: Approver | None = None,
        jobs: JobWatcher | None = None,
        backoff: Backoff | None = None,
    ) -> None:
        self.account = account
        self._token: str | None = token
        self._proven = False
        """Whether the token was good a connection ago: then it may have expired since, and a new one helps."""
        self._executor = executor
        self._hello = hello
        self._approve = approve
        self._jobs = jobs
        self.backoff = backoff or Backoff()
        self._client: DeviceClient | None = None
        self._opened = AsyncExitStack()
        self._connecting = asyncio.Lock()
        self._returning = asyncio.Lock()
        self._keeping: asyncio.Task[DeviceError] | None = None

    async def client(self) -> DeviceClient:
        """The client on a connection that was alive a moment ago. Raises ``ConnectionFailed`` and ``Unauthorized``."""
        async with self._connecting:
            if self._client is None or self._client.is_gone:
                await self._leave()
                self._client = await self._connected()
                if self._keeping is None or self._keeping.done():
                    self._keeping = asyncio.create_task(self._keep(self._client), name="keeping the connection")
            return self._client

    async def back(self) -> DeviceClient:
        """The client once it is connected again, within ``Backoff.patience_s``.

        Raises ``ConnectionFailed`` after that, and ``Unauthorized``.
        """
        try:
            async with asyncio.timeout(self.backoff.patience_s):
                return await self._return()
        except TimeoutError:
            raise ConnectionFailed("The connection was lost, and the server does not come back.") from None

    @property
    def is_returning(self) -> bool:
        """Whether a lost connection is replaced: there was one, and it has not ended for good."""
        return self._keeping is not None and not self._keeping.done()

    async def given_up(self) -> DeviceError:
        """Wait until the link no longer reconnects; gives why. It must have been connected before."""
        assert self._keeping is not None  # noqa: S101 - made with the first connection
        return await asyncio.shield(self._keeping)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.wait({self._keeping})
        await self._leave()

    async def _keep(self, client: DeviceClient) -> DeviceError:
        while not (gone := await client.gone()).is_final:
            try:
                client = await self._return()
            except Unauthorized as error:  # raised to the next caller
                return error
        return gone

    async def _return(self) -> DeviceClient:
        """Connect again; concurrent callers wait for the same attempt."""
        async with self._returning:
            asked_s = 0.0 if self._client is None else self._client.retry_after_s
            for pause in self.backoff.pauses():
                if self._client is not None and not self._client.is_gone:
                    break
                await asyncio.sleep(asked_s + pause)
                try:
                    return await self.client()
                except ConnectionFailed as failed:
                    asked_s = failed.retry_after_s
            return await self.client()

    async def _connected(self) -> DeviceClient:
        self._token = self._token or await self.account.access()
        try:
            client = await self._entered(self._token)
        except Unauthorized:
            self._token = None
            if not self._proven:
                raise
            self._proven = False
            return await self._connected()
        self._proven = True
        return client

    async def _entered(self, token: str) -> DeviceClient:
        return await self._opened.enter_async_context(
            connected(
                self.account.server,
                token,
                executor=self._executor,
                hello=self._hello,
                approve=self._approve,
                jobs=self._jobs,
            )
        )

    async def _leave(self) -> None:
        self._client = None
        await self._opened.aclose()
