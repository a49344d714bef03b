"""Calls and answers on their way between the process of a turn and the process of its device.

Hints are too small and too easily lost for them: they lie in a mailbox, and hints only say that there is something.
"""

from dataclasses import dataclass, field
from typing import Final, Protocol
from uuid import UUID

KEEP_S: Final = 180.0
"""How long a call lies in the mailbox: longer than anybody waits for its answer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Letter:
    """A call as it lies in the mailbox. ``first`` is whether nobody had taken it out before."""

    text: str
    first: bool


class Mailbox(Protocol):
    """Calls by their ids, and their answers. Raises ``NeighboursAway`` throughout."""

    async def post(self, user_id: UUID, call_id: str, text: str) -> None:
        """Leave a call of the user's; nothing happens when it lies there already."""

    async def take(self, user_id: UUID, call_id: str) -> Letter | None:
        """Read a call, if it is still there and has no answer. Who takes it is going to bring it to the device."""

    async def answer(self, user_id: UUID, call_id: str, text: str) -> bool:
        """Leave the answer; whether the call was still there."""

    async def collect(self, user_id: UUID, call_id: str) -> str | None:
        """The answer, if it is there. It stays for a while, lest it be lost on the way out."""

    async def waits(self, call_id: str) -> bool:
        """Whether the call is there and its answer has not been collected."""


@dataclass(kw_only=True, slots=True)
class _Slot:
    text: str
    taken: bool = False
    answer: str | None = None
    collected: bool = False


@dataclass
class MemoryMailbox:
    """The ``Mailbox`` in this process's memory. It is only used where several share one, which is in tests."""

    _slots: dict[str, _Slot] = field(default_factory=dict, init=False)

    async def post(self, user_id: UUID, call_id: str, text: str) -> None:  # noqa: ARG002 - ids of calls are unique
        self._slots.setdefault(call_id, _Slot(text=text))

    async def take(self, user_id: UUID, call_id: str) -> Letter | None:  # noqa: ARG002
        slot = self._slots.get(call_id)
        if slot is None or slot.answer is not None:
            return None
        first, slot.taken = not slot.taken, True
        return Letter(text=slot.text, first=first)

    async def answer(self, user_id: UUID, call_id: str, text: str) -> bool:  # noqa: ARG002
        slot = self._slots.get(call_id)
        if slot is None:
            return False
        slot.answer = text
        return True

    async def collect(self, user_id: UUID, call_id: str) -> str | None:  # noqa: ARG002
        slot = self._slots.get(call_id)
        if slot is None or slot.answer is None:
            return None
        slot.collected = True
        return slot.answer

    async def waits(self, call_id: str) -> bool:
        slot = self._slots.get(call_id)
        return slot is not None and not slot.collected
