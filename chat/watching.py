"""Turns as their observers know them."""

from typing import assert_never
from uuid import UUID

from agents.observing.turns import ObservedKind, TurnOrigin, TurnSource
from agents.observing.watching import Observers
from chat.frames.client import (
    BriefRequest,
    ChatRequest,
    ContextualRequest,
    HomeRequest,
    PopupRequest,
    TaskBriefRequest,
)
from chat.replay import FrameLog
from chat.supervisor import Work
from chat.turns.factory import TurnRequest


def origin_of(request: TurnRequest, *, user_id: UUID, request_id: str, source: TurnSource) -> TurnOrigin:
    """Whose turn ``request`` asks for, and of what kind."""
    return TurnOrigin(user_id=user_id, request_id=request_id, kind=_kind_of(request), source=source)


def watched(work: Work, origin: TurnOrigin, observers: Observers) -> Work:
    """``work``; after its last frame the observers are told of it."""

    async def conducted(log: FrameLog) -> None:
        with observers.watching(origin):
            await work(log)

    return conducted


def _kind_of(request: TurnRequest) -> ObservedKind:
    match request:
        case HomeRequest():
            return ObservedKind.HOME
        case PopupRequest():
            return ObservedKind.POPUP
        case ContextualRequest():
            return ObservedKind.CONTEXTUAL
        case BriefRequest():
            return ObservedKind.BRIEF
        case TaskBriefRequest():
            return ObservedKind.TASK_BRIEF
        case ChatRequest():
            return ObservedKind.CHAT
        case _:
            assert_never(request)
