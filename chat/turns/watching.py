"""Turns as their observers know them."""

from typing import assert_never
from uuid import UUID

from agents.kinds import RequestKind
from agents.telemetry.turns import TurnOrigin, TurnSource
from agents.telemetry.watching import Observers
from chat.protocol.frames.client import (
    BriefRequest,
    ChatRequest,
    ContextualRequest,
    HomeRequest,
    PopupRequest,
    TaskBriefRequest,
)
from chat.turns.factory import TurnRequest
from chat.turns.replay import FrameLog
from chat.turns.supervisor import Work


def origin_of(request: TurnRequest, *, user_id: UUID, request_id: str, source: TurnSource) -> TurnOrigin:
    """Whose turn ``request`` asks for, and of what kind."""
    return TurnOrigin(user_id=user_id, request_id=request_id, kind=_kind_of(request), source=source)


def watched(work: Work, origin: TurnOrigin, observers: Observers) -> Work:
    """``work``; after its last frame the observers are told of it."""

    async def conducted(log: FrameLog) -> None:
        with observers.watching(origin):
            await work(log)

    return conducted


def _kind_of(request: TurnRequest) -> RequestKind:
    match request:
        case HomeRequest():
            return RequestKind.HOME
        case PopupRequest():
            return RequestKind.POPUP
        case ContextualRequest():
            return RequestKind.CONTEXTUAL
        case BriefRequest():
            return RequestKind.BRIEF
        case TaskBriefRequest():
            return RequestKind.TASK_BRIEF
        case ChatRequest():
            return RequestKind.CHAT
        case _:
            assert_never(request)
