"""Runs turns, from the request to the end, for sockets and for REST."""

import asyncio
import hashlib
import logging
from contextlib import ExitStack
from functools import partial
from typing import Any, assert_never

from accounts.database import DATABASE_ERRORS, cause_of
from agents.allowances import Allowance
from agents.engine.run import Requester
from agents.errors import UnknownModel
from agents.permissions.quotas import StartedTurn
from agents.tools.client import ClientExecutor
from chat.devices.links import DeviceLink
from chat.protocol.frames import client as frames
from chat.protocol.frames.errors import FrameRejected, over_quota, unreachable
from chat.protocol.frames.server import Problem
from chat.protocol.frames.vocabulary import ErrorCode
from chat.rates import RequestRate
from chat.services import ChatServices
from chat.tasks import cancel_at_next_wait
from chat.turns.answering import TurnWork
from chat.turns.briefs import BriefTurn, TaskBriefTurn
from chat.turns.contextual import ContextualTurn
from chat.turns.dependencies import TurnDependencies
from chat.turns.frame_log import FrameLog
from chat.turns.messages import HomeTurn, LegacyTurn, PopupTurn
from chat.turns.supervisor import Turn, TurnKey

logger = logging.getLogger(__name__)


def begin(
    services: ChatServices,
    request: frames.TurnRequest,
    work: TurnWork[Any],
    *,
    requester: Requester,
    request_id: str,
    link: DeviceLink,
) -> Turn:
    """Begin the turn whose ``work`` answers ``request`` on the device of ``link``, or find that of a repeated request.

    Raises ``FrameRejected`` if a limit is exceeded, the model does not exist, the id belongs to another request, or the
    server is stopping. A used-up quota is noticed later: then reading the turn's log raises.
    """
    try:
        services.turns.run.models.check(request.model)
    except UnknownModel as error:
        raise FrameRejected(
            ErrorCode.INVALID,
            str(error),
            request_id=request_id,
            details=[Problem(field="model", problem=str(error))],
        ) from None
    key, device = (requester.user_id, request_id), (requester.user_id, requester.device_id)
    repeated = services.supervisor.find(key) is not None
    if not repeated and (wait_s := services.rate.wait_s(requester.user_id)) > 0:
        raise FrameRejected(
            ErrorCode.BUSY,
            "Too many requests in a minute. Wait a little.",
            request_id=request_id,
            retryable=True,
            retry_after_s=wait_s,
        )
    # Processes of releases without a choice of models must compute the same fingerprint for a request without a model.
    left_out = {"model"} if request.model is None else None
    fingerprint = hashlib.sha256(request.model_dump_json(exclude=left_out).encode()).hexdigest()
    turn = Turn(key=key, device=device, fingerprint=fingerprint)
    services.connections.used(device)
    services.cluster.presence.used(device)
    begun = services.supervisor.start(turn, partial(_run, services, turn, work, link))
    if begun is turn:
        link.hold(request_id)
    return begun


async def _run(services: ChatServices, turn: Turn, work: TurnWork[Any], link: DeviceLink, log: FrameLog) -> None:
    """Check the quota of a turn, claim it among all processes, do its work, and release its device."""
    try:
        with ExitStack() as place, services.turns.run.quotas.under_way(turn.key[0], turn.request_id) as begun:
            place.enter_context(work.queued())
            await _until_its_start(services.rate, turn.key)
            used_up = await _used_up(services, turn.key, begun)
            if used_up is not None:
                log.fail(over_quota(used_up, turn.request_id))
            # A copy of another process's turn gives up its place here, because the turn itself has one there. Otherwise
            # two turns could wait for each other forever.
            elif await services.cluster.turns.claim(turn, log, before_copy=place.close):
                await work(log)
    except DATABASE_ERRORS as error:  # before the turn's work, which handles such errors itself
        logger.warning("a turn did not begin: %s", cause_of(error))
        log.fail(unreachable(turn.request_id))
    finally:
        link.forget(turn.request_id)
        services.connections.release(turn.device)


async def _until_its_start(rate: RequestRate, key: TurnKey) -> None:
    """Wait so that a burst of one user's requests begins one by one, and other users' turns continue in between."""
    delay_s = rate.delay_s(key[0])
    if delay_s > 0:
        try:
            await asyncio.sleep(delay_s)
        except asyncio.CancelledError:
            cancel_at_next_wait()


async def _used_up(services: ChatServices, key: TurnKey, begun: StartedTurn) -> Allowance | None:
    """The used-up allowance that refuses this turn; None if it may begin. A copy of another turn is never refused."""
    quotas = services.turns.run.quotas
    if not quotas.may_limit(key[0]):
        return None
    try:
        allowance = await quotas.refusal(key[0], begun)
        copied = allowance is not None and await services.cluster.turns.exists(key)
    except asyncio.CancelledError:
        cancel_at_next_wait()
        return None
    return None if copied else allowance


def work_of(
    request: frames.TurnRequest,
    *,
    dependencies: TurnDependencies,
    requester: Requester,
    client: ClientExecutor,
    request_id: str,
    shows_remembered: bool = False,
) -> TurnWork[Any]:
    """The turn that answers ``request``. ``shows_remembered``: whether the client is sent what was recalled."""
    match request:
        case frames.HomeRequest():
            return HomeTurn(dependencies, requester, client, request, request_id, shows_remembered=shows_remembered)
        case frames.PopupRequest():
            return PopupTurn(dependencies, requester, client, request, request_id, shows_remembered=shows_remembered)
        case frames.ContextualRequest():
            return ContextualTurn(dependencies, requester, client, request, request_id)
        case frames.BriefRequest():
            return BriefTurn(dependencies, requester, client, request, request_id)
        case frames.TaskBriefRequest():
            return TaskBriefTurn(dependencies, requester, client, request, request_id)
        case frames.ChatRequest():
            return LegacyTurn(dependencies, requester, client, request, request_id)
        case _:
            assert_never(request)
