"""Stores ended turns in the database, in the background, in batches and in order."""

import asyncio
import logging
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from contextvars import Context
from itertools import islice
from typing import Final
from uuid import UUID

from django.db import IntegrityError, transaction

from accounts.database import in_database
from accounts.models import User
from agents.requests import MAX_NAME_CHARS, MAX_TOOL_CHARS, storable
from agents.telemetry.models import MAX_CODE_CHARS, TurnRecord, TurnTool
from agents.telemetry.turns import ObservedTurn, ToolUse

logger = logging.getLogger(__name__)

BATCH: Final = 200
GATHER_S: Final = 0.5
_WARN_EVERY_S: Final = 60.0

_ATTEMPTS: Final = 3

Save = Callable[[Sequence[ObservedTurn]], None]


class TurnRecorder:
    """The ``TurnListener`` that stores turns with ``save``, a synchronous function, in one task.

    At most ``capacity`` turns wait; more are dropped, counted in ``lost``, with a warning once a minute.
    A batch is written ``gather_s`` after its first turn; a failed batch is retried after ``retry_s``.
    """

    def __init__(self, save: Save, *, capacity: int = 2000, gather_s: float = GATHER_S, retry_s: float = 2.0) -> None:
        self._save = save
        self._capacity = capacity
        self._gather_s = gather_s
        self._retry_s = retry_s
        self._waiting: deque[ObservedTurn] = deque()
        self._hurry = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._warned_at = -_WARN_EVERY_S
        self.lost = 0

    def __len__(self) -> int:
        """The number of turns that are not stored yet."""
        return len(self._waiting)

    def waiting(self, user_id: UUID) -> Sequence[ObservedTurn]:
        """The user's turns that this process has not stored yet."""
        return [turn for turn in self._waiting if turn.origin.user_id == user_id]

    def __call__(self, turn: ObservedTurn) -> None:
        """Store ``turn`` soon. Never waits."""
        if len(self._waiting) >= self._capacity:
            self._lose(1)
            return
        self._waiting.append(turn)
        if self._task is None or self._task.done():
            # Not in the context of the first turn, because the task stores those of all users.
            self._task = asyncio.get_running_loop().create_task(
                self._write_all(), name="storing turns", context=Context()
            )

    async def flush(self) -> None:
        """Store all waiting turns now. Returns when they are stored."""
        if self._task is not None and not self._task.done():
            self._hurry.set()
            await asyncio.wait({self._task})

    async def aclose(self, within_s: float) -> None:
        """As ``flush``, for at most ``within_s`` seconds. Turns that are not stored by then are lost."""
        try:
            async with asyncio.timeout(within_s):
                await self.flush()
        except TimeoutError:
            if self._task is not None:
                self._task.cancel()
                await asyncio.gather(self._task, return_exceptions=True)
        if self._waiting:
            self._warned_at = -_WARN_EVERY_S
            self._lose(len(self._waiting))
            self._waiting.clear()

    async def _write_all(self) -> None:
        """Store turns until none waits, so that an idle server has no task for this."""
        while self._waiting:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._gather_s):
                    await self._hurry.wait()
            batch = list(islice(self._waiting, BATCH))
            try:
                await in_database(self._save, batch)
            except Exception as error:  # noqa: BLE001 - databases fail in many ways, and the turns can wait
                self._warn("turns could not be stored, and are tried again: %s", error)
                await asyncio.sleep(self._retry_s)
            else:
                for _ in batch:
                    self._waiting.popleft()
        self._hurry.clear()

    def _lose(self, number: int) -> None:
        self.lost += number
        self._warn("turns that are lost, because they could not be stored in time: %d", self.lost)

    def _warn(self, sentence: str, *arguments: object) -> None:
        now = time.monotonic()
        if now - self._warned_at >= _WARN_EVERY_S:
            self._warned_at = now
            logger.warning(sentence, *arguments)


def save_turns(turns: Sequence[ObservedTurn]) -> None:
    """Store the turns of users that still exist. Idempotent."""
    for attempt in range(_ATTEMPTS):
        try:
            _save(turns)
        except IntegrityError:
            # A user was erased during the transaction.
            if attempt == _ATTEMPTS - 1:
                raise
        else:
            return


@transaction.atomic(durable=True)
def _save(turns: Sequence[ObservedTurn]) -> None:
    written = set(TurnRecord.objects.filter(id__in=[turn.id for turn in turns]).values_list("id", flat=True))
    users = set(User.objects.filter(id__in={turn.origin.user_id for turn in turns}).values_list("id", flat=True))
    new = [turn for turn in turns if turn.origin.user_id in users and turn.id not in written]
    TurnRecord.objects.bulk_create([_record(turn) for turn in new])
    TurnTool.objects.bulk_create([row for turn in new for row in _tools(turn)])


def _record(turn: ObservedTurn) -> TurnRecord:
    origin, usage = turn.origin, turn.usage
    return TurnRecord(
        id=turn.id,
        user_id=origin.user_id,
        request_id=storable(origin.request_id)[:MAX_NAME_CHARS],
        kind=origin.kind.value,
        source=origin.source.value,
        agent=turn.agent[:MAX_TOOL_CHARS],
        model=turn.model[:MAX_NAME_CHARS],
        started_at=turn.started_at,
        duration_ms=_ms(turn.duration_s),
        first_text_ms=None if turn.first_text_s is None else _ms(turn.first_text_s),
        model_requests=len(turn.generations),
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        tool_calls=len(turn.tools),
        tool_failures=turn.failed_tools,
        outcome=turn.outcome.value,
        error_code=turn.error_code[:MAX_CODE_CHARS],
    )


def _tools(turn: ObservedTurn) -> Iterator[TurnTool]:
    uses: defaultdict[str, list[ToolUse]] = defaultdict(list)
    for use in turn.tools:
        uses[use.tool[:MAX_TOOL_CHARS]].append(use)
    for tool, of_tool in uses.items():
        yield TurnTool(
            turn_id=turn.id,
            started_at=turn.started_at,
            tool=tool,
            calls=len(of_tool),
            failures=sum(not use.ok for use in of_tool),
            duration_ms=sum(_ms(use.ended_s - use.began_s) for use in of_tool),
        )


def _ms(seconds: float) -> int:
    return max(0, round(seconds * 1000))
