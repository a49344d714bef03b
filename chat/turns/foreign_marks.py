"""Which answers of a conversation may repeat foreign text: those of turns and jobs whose model had read any.

A client sends answers back as a history, long after the results of tools are gone. So marks on them are kept longer, as
digests. A client may put the answer of a job into any conversation, so its mark holds for all conversations of the
user. If there are marks that cannot be read, every answer counts as marked.
"""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID

from pydantic import TypeAdapter, ValidationError

from agents.adapters.base import MAX_EARLIER, AssistantMessage, Message, Spoken, earlier, latest
from agents.jobs.records import JobStatus
from agents.provenance import Provenance
from chat.turns.conversation_store import ConversationKey, ConversationStore
from chat.turns.digests import digest

_EVERY: Final = "*"
"""The mark of all answers."""
UNREADABLE: Final = f'["{_EVERY}"]'
"""What a store returns for marks that exist, or may exist, and cannot be read."""
_DUMP: Final = TypeAdapter(tuple[str, ...])


@dataclass(kw_only=True)
class ForeignMarks:
    """The marks of one conversation, in ``store``."""

    store: ConversationStore
    key: ConversationKey
    _marked: frozenset[str] = field(default=frozenset(), init=False)

    async def load(self) -> None:
        """Read the marks. Does not raise: lost marks are missed, unreadable ones count as a mark on all answers."""
        own, shared = await asyncio.gather(self.store.load(self.key), self.store.load(_everywhere(self.key.user_id)))
        self._marked = frozenset((*_marks_in(own), *_marks_in(shared)))

    def on(self, history: Sequence[Spoken]) -> list[Message]:
        """The end of ``history`` as a model gets it, with the provenance of each answer."""
        return list(_with_provenance(history, self._marked))

    async def add(self, message: str, answer: str) -> None:
        """Mark the ``answer`` to ``message``. Either identifies it, as a client may shorten one. Does not raise."""
        new = [digest(each) for each in (message, answer) if each.strip()]

        def with_new(dump: str | None) -> str:
            # A model gets no longer history.
            kept = (*(each for each in _marks_in(dump) if each not in new), *new)[-2 * MAX_EARLIER :]
            return _DUMP.dump_json(kept).decode()

        # Not from what ``load`` read: without a history it was not called, and others may have added marks since.
        await self.store.change(self.key, with_new)


async def mark_job(store: ConversationStore, job: JobStatus, answer: str) -> None:
    """Mark the ``answer`` of a job, in any conversation of its user. Does not raise."""
    await mark_everywhere(store, job.user_id, answer)


async def mark_everywhere(store: ConversationStore, user_id: UUID, answer: str) -> None:
    """Mark the ``answer``, in any conversation of the user. Does not raise."""
    await ForeignMarks(store=store, key=_everywhere(user_id)).add("", answer)


def _marks_in(dump: str | None) -> tuple[str, ...]:
    try:
        return _DUMP.validate_json(dump or "[]")
    except ValidationError:
        return (_EVERY,)


def _everywhere(user_id: UUID) -> ConversationKey:
    # No device has an empty id.
    return ConversationKey(user_id, "", "")


def _with_provenance(history: Sequence[Spoken], marked: Collection[str]) -> list[Message]:
    told, is_answer_marked, every = list[Message](), False, _EVERY in marked
    for spoken, message in zip(latest(history), earlier(history), strict=True):
        is_marked = bool(marked) and digest(spoken.content) in marked
        if spoken.role == "user":
            is_answer_marked = is_marked
        elif isinstance(message, AssistantMessage) and (every or is_marked or is_answer_marked):
            message = replace(message, provenance=Provenance.FOREIGN)
        told.append(message)
    return told
