"""What a user approved after the request that asked had ended: it runs as a job."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from accounts.errors import AccountGone, EncryptionError
from agents.errors import UnknownApproval
from agents.jobs.dispatch import JobDispatch
from agents.jobs.records import Asked, NewJob
from agents.permissions.approvals.questions import Answered
from agents.permissions.approvals.rows import as_shown
from agents.permissions.approvals.store import ApprovalStore
from agents.tools.spec.tool import registered_tools

logger = logging.getLogger(__name__)

_MESSAGE: Final = "I approve this: {summary}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Voice:
    """How a user is spoken to where no device says it: ``language`` is an IETF tag."""

    language: str
    timezone: ZoneInfo


@dataclass(frozen=True, kw_only=True, slots=True)
class Orphans:
    """Runs what was approved too late for its request. ``voice`` is the user's own setting."""

    approvals: ApprovalStore
    dispatch: JobDispatch
    voice: Callable[[UUID], Awaitable[Voice]]

    async def adopt(self, answered: Answered) -> bool:
        """Whether the tool runs now; not when somebody else uses the approval, or it cannot be read any more."""
        try:
            origin, question = await self.approvals.asked(answered.id)
            voice = await self.voice(answered.user_id)
            tool = registered_tools().get(question.tool)
            asked = Asked(
                message=_MESSAGE.format(summary=question.summary),
                language=voice.language,
                timezone=voice.timezone,
                shown=as_shown(question.preview),
            )
            new = NewJob(
                tool=question.tool,
                label="" if tool is None else tool.label,
                arguments=question.arguments,
                asked=asked,
            )
            job = await self.dispatch.store.adopt(answered.id, origin, new, now=self.dispatch.clock())
        except (AccountGone, EncryptionError, UnknownApproval):
            logger.warning("approval %s cannot be followed any more", answered.id)
            return False
        if job is None:
            return False
        await self.dispatch.publish([job.id])
        await self.dispatch.announce(job)
        return True
