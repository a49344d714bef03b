"""The memory of a turn's user: recalling for the turn, and recording it."""

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from agents.adapters.base import latest
from agents.calls import CallAction, ClientCall, Table
from agents.engine.run import DeviceRun, Requester
from agents.errors import ClientError, ModelRetry, Withheld
from agents.tools.rows import NOUNS, text, title_of
from chat.protocol.frames.client import HistoryMessage
from memory.exchange import Exchange, TouchedRow
from memory.plain_facts import rows_named
from memory.recalled import Recalled
from memory.search.follow_ups import Earlier
from memory.service import MemoryService

CHECK_S: Final = 0.3
"""How long a turn waits for the device to report which rows exist."""
_TABLES: Final[Mapping[str, Table]] = {noun: table for table, noun in NOUNS.items()}


class TurnMemory:
    """The memory of one turn's user. Without a ``service``, nothing is recalled or recorded."""

    def __init__(self, service: MemoryService | None, requester: Requester, device: DeviceRun) -> None:
        self._service = service
        self._requester = requester
        self._device = device
        self.records = False
        """Whether the exchange will be recorded if the turn succeeds."""
        self._as_of: int | None = None

    @property
    def is_on(self) -> bool:
        """Whether this server has a memory."""
        return self._service is not None

    async def recall(self, message: str, history: Sequence[HistoryMessage] = ()) -> Recalled:
        """Recall what is relevant to ``message`` and not in ``history``, the earlier messages of its conversation.

        Facts about rows that the device no longer has or never shares are left out.
        """
        if self._service is None:
            return Recalled()
        before = [Earlier(said.content, is_answer=said.role != "user") for said in latest(history)]
        recalled = await self._service.recall(self._requester.user_id, message, before=before)
        self.records, self._as_of = not recalled.off, recalled.as_of
        rows = list({(item.entity_type, item.entity_id) for item in recalled.items if item.entity_type in _TABLES})
        if not rows:
            return recalled
        left_out = {row for row, is_shared in zip(rows, await self._are_shared(rows), strict=True) if not is_shared}
        kept = [item for item in recalled.items if (item.entity_type, item.entity_id) not in left_out]
        return replace(recalled, items=kept)

    async def record(self, message: str, response: str, *, session_id: str | None) -> None:
        """Record an exchange with the rows that it may be about, unless something was forgotten since ``recall``."""
        if self._service is None:
            return
        exchange = Exchange(
            message=message,
            response=response,
            language=self._requester.language,
            session_id=session_id or "",
            touched=self._touched(message),
        )
        await self._service.record(self._requester.user_id, exchange, as_of=self._as_of)

    def forget_deleted(self) -> None:
        """Begin to forget the facts about rows that this turn has deleted. Does not wait."""
        if self._service is not None and (deleted := self._device.deleted):
            self._service.begin_forgetting_rows(self._requester.user_id, deleted)

    def _touched(self, message: str) -> Sequence[TouchedRow]:
        changed = {change.id for change in self._device.results.changes}
        rows = [
            TouchedRow(entity_type=noun, entity_id=text(row, "id"), title=title_of(row))
            for noun, table in _TABLES.items()
            for row in self._device.results.rows(table)
        ]
        named = {row.entity_id for row in rows_named(message, rows)}
        return [row for row in rows if row.entity_id in named or row.entity_id in changed]

    async def _are_shared(self, rows: Sequence[tuple[str, str]]) -> Sequence[bool]:
        """For each row, whether it exists and may be shared with the model.

        A device that is away or slow is assumed to have the row, unless its user has marked anything as never shared,
        because then the row may be marked.
        """
        try:
            default = not await self._device.sharing.marks()
        except Withheld:
            return [False] * len(rows)
        checks = [asyncio.create_task(self._exists(*row), name="looking for a row") for row in rows]
        try:
            await asyncio.wait(checks, timeout=CHECK_S)
            return [_result(check, default=default) if check.done() else default for check in checks]
        finally:
            for check in checks:
                check.cancel()
            await asyncio.gather(*checks, return_exceptions=True)

    async def _exists(self, entity_type: str, entity_id: str) -> bool:
        """Raises ``ClientError`` and ``ModelRetry``."""
        call = ClientCall(
            id=str(uuid.uuid4()), action=CallAction.GET, table=_TABLES[entity_type], data={"id": entity_id}
        )
        # Not through the run, which records what models are sent: no model is sent this row.
        answer = await self._device.sharing.execute(call, on_late=lambda _answer: None)
        return answer.row is not None


def _result(check: "asyncio.Task[bool]", *, default: bool) -> bool:
    try:
        return check.result()
    except (Withheld, ModelRetry):
        return False
    except ClientError:
        return default
