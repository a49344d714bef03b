"""Fakes at the ports of approvals: no policies and no questions; every call is allowed."""

from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from agents.adapters.base import Message
from agents.errors import UnknownApproval
from agents.permissions.approvals.policies import Policies
from agents.permissions.approvals.repository import Answer, ApprovalStatus, Preview, ProposedCall, Question
from agents.permissions.approvals.service import AnswerOutcome, ApprovalService, PolicyLookup
from agents.permissions.models import ApprovalState
from agents.requests import RequestOrigin
from agents.tools.context import CallContext
from agents.tools.spec import ToolSpec


async def default_policies(user_id: UUID) -> Policies:
    return Policies()


@dataclass(kw_only=True)
class NoApprovals(ApprovalService):
    """An ``ApprovalService`` without a database, for tests in which no user is asked."""

    policies: PolicyLookup = default_policies

    async def open_question(self, origin: RequestOrigin, call: ProposedCall) -> Question:
        raise AssertionError(f"no user was to be asked about {call}")

    async def answer(self, user_id: UUID, approval_id: UUID, given: Answer) -> AnswerOutcome:
        raise UnknownApproval

    async def cancel(self, user_id: UUID, request_id: str) -> None:
        return None

    async def adopt_orphans(self) -> None:
        return None

    async def open_questions(self, user_id: UUID, device_id: str) -> Sequence[Question]:
        return ()

    def asked_devices(self, user_ids: Collection[UUID]) -> set[tuple[UUID, str]]:
        return set()


class OpenQuestions(NoApprovals):
    """An ``ApprovalService`` whose questions, all under one id, wait for an answer."""

    async def open_question(self, origin: RequestOrigin, call: ProposedCall) -> Question:
        return Question(
            id=UUID(int=9),
            request_id=origin.request_id,
            tool=call.tool,
            risk=call.risk,
            arguments=call.arguments,
            summary=call.summary,
            preview=call.preview,
            expires_at=datetime(2026, 11, 21, tzinfo=UTC),
        )

    async def status(self, question: Question, *, waiting: bool) -> ApprovalStatus:
        return ApprovalStatus(id=question.id, state=ApprovalState.PENDING, expires_at=question.expires_at)


class Allowed:
    """A ``Gate`` that is always open."""

    asks = False

    def follow(self, conversation: Sequence[Message]) -> None:
        return None

    @asynccontextmanager
    async def together(self, tools: Sequence[ToolSpec], context: CallContext) -> AsyncIterator[None]:
        yield

    async def check(self, tool: ToolSpec, context: CallContext) -> None:
        return None

    async def admit(self, tool: ToolSpec, context: CallContext, *, on_waiting: Callable[[], None]) -> Preview | None:
        return None
