"""Turns that begin only while their user's quota lasts."""

import asyncio

from agents.allowances import Allowance
from agents.permissions.quotas.keeper import Begun
from chat.protocol.rejections import over_quota
from chat.services import ChatServices
from chat.turns.replay import FrameLog
from chat.turns.supervisor import Turn, Work


def within_quota(services: ChatServices, turn: Turn, work: Work) -> Work:
    """``work``, if its user may have it; else its log fails with ``quota_exceeded``, and the turn never began.

    What another process writes already is no new turn: its copy is never refused.
    """
    user_id = turn.key[0]

    async def conducted(log: FrameLog) -> None:
        with services.quotas.under_way(user_id, turn.request_id) as begun:
            used_up = await _used_up(services, turn, begun) if services.quotas.may_limit(user_id) else None
            if used_up is None:
                await work(log)
            else:
                log.fail(over_quota(used_up, turn.request_id))

    return conducted


async def _used_up(services: ChatServices, turn: Turn, begun: Begun) -> Allowance | None:
    try:
        allowance = await services.quotas.refusal(turn.key[0], begun)
        if allowance is not None and await services.neighbours.turns.knows(turn.key):
            return None
    except asyncio.CancelledError:
        # Cancelled before it began: the work is to say so, as that of every turn that is cancelled.
        task = asyncio.current_task()
        if task is not None:
            task.cancel()
        return None
    return allowance
