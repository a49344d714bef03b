"""Stand-ins at the ports of approvals: nothing decided and nothing asked; everything allowed."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from agents.errors import UnknownApproval
from agents.permissions.approvals.models import ApprovalState
from agents.permissions.approvals.policies import Policies
from agents.permissions.approvals.questions import Answer, Answered, Origin, Question, Standing, Wish
from agents.tools.context import CallContext
from agents.tools.spec.tool import ToolSpec


class DefaultsOnly:
    """The ``ApprovalStore`` of users who have decided nothing, in tests in which nobody is asked."""

    async def policies(self, user_id: UUID) -> Policies:
        return Policies()

    async def open_question(self, origin: Origin, wish: Wish, *, now: datetime, lifetime: timedelta) -> Question:
        raise AssertionError(f"nobody was to be asked about {wish}")

    async def look(self, approval_id: UUID, *, waiting_at: datetime | None) -> Standing:
        raise UnknownApproval

    async def answer(self, user_id: UUID, approval_id: UUID, given: Answer, *, now: datetime) -> Answered:
        raise UnknownApproval

    async def close(self, approval_id: UUID, state: ApprovalState) -> Standing:
        raise UnknownApproval

    async def cancel(self, user_id: UUID, request_id: str) -> int:
        return 0

    async def orphaned(self, *, now: datetime, unseen_since: datetime) -> Sequence[Answered]:
        return ()

    async def take(self, approval_id: UUID, *, now: datetime) -> bool:
        return False

    async def asked(self, approval_id: UUID) -> tuple[Origin, Question]:
        raise UnknownApproval

    async def open_questions(
        self, user_id: UUID, device_id: str, *, now: datetime, waited_since: datetime | None
    ) -> Sequence[Question]:
        return ()


class Allowed:
    """The ``Gate`` that is open."""

    async def admit(self, tool: ToolSpec, context: CallContext, *, on_waiting: Callable[[], None]) -> None:
        return None
