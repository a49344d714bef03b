"""Marks on answers that may repeat foreign text, because the model of the turn or of the job had read some.

A client sends answers back as a history, long after the results of tools were dropped. So the marks are kept longer, as
digests. A client may put the answer of a job into any conversation, so its mark holds for all conversations of the
user. If there are marks that cannot be read, every answer counts as marked.
"""

import asyncio
import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID

from pydantic import TypeAdapter, ValidationError

from agents.adapters.base import MAX_EARLIER, AssistantMessage, Message, Spoken, earlier, latest
from agents.jobs.records import JobStatus
from agents.provenance import Provenance
from chat.turns.conversation_store import ConversationKey, ConversationStore
from chat.turns.sessions import MAX_MESSAGE_CHARACTERS

_EVERY: Final = "*"
"""The mark on all answers."""
UNREADABLE: Final = f'["{_EVERY}"]'
"""A store returns this for marks that exist, or may exist, and cannot be read."""
_DUMP: Final = TypeAdapter(tuple[str, ...])


@dataclass(kw_only=True)
class ForeignMarks:
    """The marks of one conversation, in ``store``."""

    store: ConversationStore
    key: ConversationKey
    _marked: frozenset[str] = field(default=frozenset(), init=False)

    async def load(self) -> None:
        """Read the marks. Does not raise. Lost marks do not count; unreadable ones count as a mark on all answers."""
        own, shared = await asyncio.gather(self.store.load(self.key), self.store.load(_everywhere(self.key.user_id)))
        self._marked = frozenset((*_marks_in(own), *_marks_in(shared)))

    def on(self, history: Sequence[Spoken]) -> list[Message]:
        """The end of ``history`` that a model is sent, with the provenance of each answer."""
        return list(_with_provenance(history, self._marked))

    async def add(self, message: str, answer: str) -> None:
        """Mark the ``answer`` to ``message``. Either identifies it, since a client may shorten one. Does not raise."""
        new = [digest(each) for each in (message, answer) if each.strip()]

        def with_new(dump: str | None) -> str:
            # Models are sent no longer history.
            kept = (*(each for each in _marks_in(dump) if each not in new), *new)[-2 * MAX_EARLIER :]
            return _DUMP.dump_json(kept).decode()

        # Not based on ``load``, which is not called without a history, and after which others may have added marks.
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


def digest(message: str) -> str:
    """A digest of the beginning of ``message``, by which it is found in a history.

    A message that a session has shortened has the same digest.
    """
    return hashlib.sha256(message[:MAX_MESSAGE_CHARACTERS].encode("utf-8", "replace")).hexdigest()


def _with_provenance(history: Sequence[Spoken], marked: Collection[str]) -> list[Message]:
    messages, is_answer_marked, every = list[Message](), False, _EVERY in marked
    for spoken, message in zip(latest(history), earlier(history), strict=True):
        is_marked = bool(marked) and digest(spoken.content) in marked
        if spoken.role == "user":
            is_answer_marked = is_marked
        elif isinstance(message, AssistantMessage) and (every or is_marked or is_answer_marked):
            message = replace(message, provenance=Provenance.FOREIGN)
        messages.append(message)
    return messages
