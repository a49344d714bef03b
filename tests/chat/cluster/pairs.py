"""Two servers of one set of users, each a process of its own as far as they know."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from agents.adapters.base import Message, ModelParams, ToolSchema
from agents.events import ModelEvent, ModelStopped, StopReason, TextDelta
from agents.permissions.approvals.store import ApprovalStore
from agents.permissions.approvals.tool_approvals import ToolApprovalManager
from chat.services import Timings
from chat.sockets.leaving import leave
from chat.turns.factory import TurnFactory
from tests.agents.approving import DefaultsOnly
from tests.agents.scripts import Reply, ScriptedAdapter
from tests.chat.accounts import MemoryAccounts
from tests.chat.cluster.grounds import Ground
from tests.chat.sockets import CALL_TIMEOUT_S, Server

TIMINGS = Timings(drain_s=2.0)


@dataclass
class SlowAdapter(ScriptedAdapter):
    """Says what it is told to say, when it is told to, until it is told to end."""

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
class Town:
    """The servers ``p`` and ``q``; both know the same accounts."""

    p: Server
    q: Server

    def slow(self) -> SlowAdapter:
        """Has the model of ``p`` speak when it is told to."""
        adapter = SlowAdapter([])
        turns = TurnFactory(kit=replace(self.p.services.turns.kit, adapter=adapter))
        self.p.services = replace(self.p.services, turns=turns)
        self.p.reopen()
        return adapter

    async def kill(self, server: Server) -> None:
        """End ``server`` as -9 would: it says nothing more to anybody, and its lease is over."""
        await server.services.neighbours._tasks.aclose()
        await server.commons.directory.aclose()
        await server.commons.pulse.stop(server.services.neighbours.name)


@asynccontextmanager
async def town(
    ground: Ground,
    *,
    p: Sequence[Reply] = (),
    q: Sequence[Reply] = (),
    call_timeout_s: float = CALL_TIMEOUT_S,
    approvals: ApprovalStore | None = None,
) -> AsyncIterator[Town]:
    accounts = MemoryAccounts()
    servers = [
        Server(
            list(replies),
            commons=ground.commons(),
            accounts=accounts,
            timings=TIMINGS,
            call_timeout_s=call_timeout_s,
            approvals=ToolApprovalManager(store=approvals or DefaultsOnly()),
            beat_s=0.2,
        )
        for replies in (p, q)
    ]
    for server in servers:
        await server.services.neighbours.known()
    try:
        yield Town(p=servers[0], q=servers[1])
    finally:
        for server in servers:
            await leave(server.services)
