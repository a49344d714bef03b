"""Two servers for the same users, in one process but sharing only what separate processes share."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from agents.adapters.base import Message, ModelParams, ToolSchema
from agents.events import ModelEvent, ModelStopped, StopReason, TextDelta
from agents.permissions.approvals.service import ApprovalService
from chat.rates import SocketLimits
from chat.services import Timings
from tests.agents.approving import NoApprovals
from tests.agents.scripts import Reply, ScriptedAdapter
from tests.chat.accounts import MemoryAccounts
from tests.chat.cluster.backends import Backend
from tests.chat.sockets import CALL_TIMEOUT_S, Server

TIMINGS = Timings(drain_s=2.0)


@dataclass
class SlowAdapter(ScriptedAdapter):
    """Streams the texts that a test gives it, until ``None``."""

    said: "asyncio.Queue[str | None]" = field(default_factory=asyncio.Queue)

    async def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
    ) -> AsyncGenerator[ModelEvent, None]:
        while (text := await self.said.get()) is not None:
            yield TextDelta(text=text)
        yield ModelStopped(reason=StopReason.COMPLETE)

    def say(self, *texts: str | None) -> None:
        for text in texts:
            self.said.put_nowait(text)


@dataclass
class Pair:
    """The servers ``p`` and ``q``; both know the same accounts."""

    p: Server
    q: Server

    def slow(self) -> SlowAdapter:
        """Replaces the model of ``p`` with one that the test controls."""
        adapter = SlowAdapter([])
        self.p.run_with(adapter=adapter)
        self.p.reopen()
        return adapter

    async def kill(self, server: Server) -> None:
        """End ``server`` as SIGKILL would: it sends nothing more, and its lease expires."""
        await server.services.cluster._tasks.aclose()
        await server.ports.directory.aclose()
        await server.ports.leases.release(server.services.cluster.name)


@asynccontextmanager
async def pair(
    backend: Backend,
    *,
    p: Sequence[Reply] = (),
    q: Sequence[Reply] = (),
    call_timeout_s: float = CALL_TIMEOUT_S,
    approvals: Callable[[], ApprovalService] = NoApprovals,
    limits: SocketLimits = SocketLimits(),  # noqa: B008 - it is frozen
) -> AsyncIterator[Pair]:
    accounts = MemoryAccounts()
    servers = [
        Server(
            list(replies),
            ports=backend.ports(),
            accounts=accounts,
            timings=TIMINGS,
            call_timeout_s=call_timeout_s,
            approvals=approvals(),
            socket_limits=limits,
            renew_every_s=0.2,
        )
        for replies in (p, q)
    ]
    for server in servers:
        await server.services.cluster.joined()
    try:
        yield Pair(p=servers[0], q=servers[1])
    finally:
        for server in servers:
            await server.services.aclose()
