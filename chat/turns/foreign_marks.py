"""Which answers of a conversation may repeat text from outside: those of turns whose model had read any.

A client sends them back as a history, long after the results of tools are gone. So this is kept longer, as digests.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pydantic import TypeAdapter, ValidationError

from agents.adapters.base import MAX_EARLIER, AssistantMessage, Message, Spoken, earlier, latest
from agents.provenance import Provenance
from chat.turns.conversation_store import ConversationKey, ConversationStore
from chat.turns.digests import digest

_DUMP: Final = TypeAdapter(tuple[str, ...])


@dataclass(kw_only=True)
class ForeignMarks:
    """The marks of one conversation, in ``store``."""

    store: ConversationStore
    key: ConversationKey
    _marked: tuple[str, ...] = field(default=(), init=False)

    async def load(self) -> None:
        """Does not raise: what is lost is missed."""
        try:
            self._marked = _DUMP.validate_json(await self.store.load(self.key) or "[]")
        except ValidationError:
            self._marked = ()

    def on(self, history: Sequence[Spoken]) -> list[Message]:
        """The end of ``history`` as a model gets it, with where each answer came from."""
        return list(_with_provenance(history, set(self._marked)))

    async def add(self, message: str, answer: str) -> None:
        """Mark the ``answer`` to ``message``. A client may have shortened one of them. Does not raise."""
        new = [digest(each) for each in (message, answer) if each.strip()]
        # A history that a model gets is no longer.
        self._marked = (*(each for each in self._marked if each not in new), *new)[-2 * MAX_EARLIER :]
        await self.store.save(self.key, _DUMP.dump_json(self._marked).decode())


def _with_provenance(history: Sequence[Spoken], marked: Collection[str]) -> list[Message]:
    told, is_answer_marked = list[Message](), False
    for spoken, message in zip(latest(history), earlier(history), strict=True):
        is_marked = bool(marked) and digest(spoken.content) in marked
        if spoken.role == "user":
            is_answer_marked = is_marked
        elif isinstance(message, AssistantMessage) and (is_marked or is_answer_marked):
            message = replace(message, provenance=Provenance.FOREIGN)
        told.append(message)
    return told
