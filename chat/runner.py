"""The run of a turn from its request to its end, over a socket or over REST."""

import asyncio
import hashlib
from typing import assert_never

from agents.allowances import Allowance
from agents.engine.run import Requester
from agents.permissions.quotas.service import StartedTurn
from agents.tools.client import ClientExecutor
from chat.devices.connections import DeviceKey
from chat.devices.links import DeviceLink
from chat.protocol.frames.client import (
    BriefRequest,
    ChatRequest,
    ContextualRequest,
    HomeRequest,
    PopupRequest,
    TaskBriefRequest,
    TurnRequest,
)
from chat.protocol.frames.errors import FrameRejected, over_quota
from chat.protocol.frames.vocabulary import ErrorCode
from chat.services import ChatServices
from chat.tasks import cancel_at_next_wait
from chat.turns.answering import TurnDependencies
from chat.turns.briefs import BriefTurn, TaskBriefTurn
from chat.turns.contextual import ContextualTurn
from chat.turns.frame_log import FrameLog
from chat.turns.home import HomeTurn
from chat.turns.legacy import LegacyTurn
from chat.turns.popup import PopupTurn
from chat.turns.supervisor import Turn, Work


def begin(
    services: ChatServices, request: TurnRequest, *, requester: Requester, request_id: str, link: DeviceLink
) -> Turn:
    """The turn that answers ``request`` on the device of ``link``, or the one that the same request began before.

    Raises as ``begin_work``.
    """
    work = work_of(
        request,
        dependencies=services.turns,
        requester=requester,
        client=link.for_turn(request_id),
        request_id=request_id,
    )
    return begin_work(services, request, work, requester=requester, request_id=request_id, link=link)


def begin_work(
    services: ChatServices,
    request: TurnRequest,
    work: Work,
    *,
    requester: Requester,
    request_id: str,
    link: DeviceLink,
) -> Turn:
    """As ``begin``, with the ``work`` that answers ``request``.

    Raises ``FrameRejected``: over a limit, the id belongs to another request, or the server is stopping. A used-up
    quota is found later: then reading the turn's log raises it.
    """
    key = (requester.user_id, request_id)
    device: DeviceKey = (requester.user_id, requester.device_id)
    turn = Turn(key=key, device=device, fingerprint=fingerprint(request), log=services.make_log(key))
    _count(services, turn)
    services.connections.used(device)
    services.cluster.presence.used(device)
    begun = services.supervisor.start(turn, _TurnRun(services, turn, work, link))
    if begun is turn:
        link.hold(request_id)
    return begun


def _count(services: ChatServices, turn: Turn) -> None:
    repeated = services.supervisor.find(turn.key) is not None
    if not (repeated or services.rate.admit(turn.key[0])):
        raise FrameRejected(
            ErrorCode.BUSY, "Too many requests in a minute. Wait a little.", request_id=turn.request_id, retryable=True
        )


class _TurnRun:
    """One turn: its quota, its claim over all processes, its work, and the release of its device."""

    def __init__(self, services: ChatServices, turn: Turn, work: Work, link: DeviceLink) -> None:
        self._services = services
        self._turn = turn
        self._work = work
        self._link = link

    async def __call__(self, log: FrameLog) -> None:
        services, turn = self._services, self._turn
        try:
            with services.turns.run.quotas.under_way(turn.key[0], turn.request_id) as begun:
                used_up = await self._used_up(begun)
                if used_up is not None:
                    log.fail(over_quota(used_up, turn.request_id))
                elif await services.cluster.turns.claim(turn, log):
                    await self._work(log)
        finally:
            self._link.forget(turn.request_id)
            services.connections.release(turn.device)

    async def _used_up(self, begun: StartedTurn) -> Allowance | None:
        """The allowance that leaves nothing for this turn. A copy of another process's turn is never refused."""
        services, turn = self._services, self._turn
        quotas = services.turns.run.quotas
        if not quotas.may_limit(turn.key[0]):
            return None
        try:
            allowance = await quotas.refusal(turn.key[0], begun)
            if allowance is not None and await services.cluster.turns.knows(turn.key):
                return None
        except asyncio.CancelledError:
            cancel_at_next_wait()
            return None
        return allowance


def work_of(
    request: TurnRequest,
    *,
    dependencies: TurnDependencies,
    requester: Requester,
    client: ClientExecutor,
    request_id: str,
) -> Work:
    """What writes the answer to ``request``."""
    match request:
        case HomeRequest():
            return HomeTurn(dependencies, requester, client, request, request_id)
        case PopupRequest():
            return PopupTurn(dependencies, requester, client, request, request_id)
        case ContextualRequest():
            return ContextualTurn(dependencies, requester, client, request, request_id)
        case BriefRequest():
            return BriefTurn(dependencies, requester, client, request, request_id)
        case TaskBriefRequest():
            return TaskBriefTurn(dependencies, requester, client, request, request_id)
        case ChatRequest():
            return LegacyTurn(dependencies, requester, client, request, request_id)
        case _:
            assert_never(request)


def fingerprint(request: TurnRequest) -> str:
    """The same for requests that ask the same (hex)."""
    return hashlib.sha256(request.model_dump_json().encode()).hexdigest()
