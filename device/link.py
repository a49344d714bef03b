"""A terminal's way to its server: connected when something is asked, again after a connection was lost."""

from contextlib import AsyncExitStack
from types import TracebackType
from typing import Self

from device.addresses import ServerAddress
from device.client import DeviceClient, connected
from device.errors import Unauthorized
from device.executor import Executor
from device.hello import Hello
from device.signing_in import Tokens, renewed, sign_in


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
    """A context manager that disconnects on leaving. ``token`` is for the first connection."""

    def __init__(self, account: Account, token: str, *, executor: Executor, hello: Hello) -> None:
        self._account = account
        self._token: str | None = token
        self._executor = executor
        self._hello = hello
        self._client: DeviceClient | None = None
        self._opened = AsyncExitStack()

    async def client(self) -> DeviceClient:
        """The client on a connection that was alive a moment ago. Raises ``ConnectionFailed`` and ``Unauthorized``."""
        if self._client is None or self._client.is_gone:
            await self._leave()
            token, self._token = self._token or await self._account.access(), None
            self._client = await self._opened.enter_async_context(
                connected(self._account.server, token, executor=self._executor, hello=self._hello)
            )
        return self._client

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._leave()

    async def _leave(self) -> None:
        self._client = None
        await self._opened.aclose()
