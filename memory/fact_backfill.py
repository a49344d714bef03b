"""Drawing facts from exchanges that were recorded before there were facts. It can be resumed at any point."""

import logging
from dataclasses import dataclass
from uuid import UUID

from accounts.database import in_database
from accounts.errors import AccountError
from accounts.progress import SILENT, Progress
from memory.errors import UnreadableRow
from memory.models import EpisodicQuerySet
from memory.pending import PendingFacts
from memory.waiting import Claim

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Drawn:
    """From how many of the exchanges facts were drawn. The others cannot be decrypted."""

    drawn: int
    looked_at: int


def without_facts(user_id: UUID | None = None) -> EpisodicQuerySet:
    """The exchanges of one user, or of all, from which no facts are drawn and for which no work is due.

    Those of users who have turned the memory off are never included.
    """
    rows = PendingFacts.rows().filter(next_attempt_at=None, user__memory_enabled=True)
    return rows if user_id is None else rows.for_user(user_id)


async def backfill_facts(work: PendingFacts, user_id: UUID | None = None, *, progress: Progress = SILENT) -> Drawn:
    """Draw the facts of these exchanges, each user's oldest first. A later run continues where this one ended.

    Raises what the reader of facts raises, after storing what the rules have found.
    """
    rows = without_facts(user_id).order_by("user_id", "created_at", "id").values_list("user_id", "id")
    waiting = await in_database(lambda: list(rows))
    progress.expect(len(waiting))
    drawn = 0
    for owner, row_id in waiting:
        try:
            await work.make(Claim(user_id=owner, row_id=row_id))
            drawn += 1
        except (AccountError, UnreadableRow) as error:
            logger.warning("no facts are drawn from an exchange: %s", error)
        progress.advance(1)
    return Drawn(drawn=drawn, looked_at=len(waiting))
