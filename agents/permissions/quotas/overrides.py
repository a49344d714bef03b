"""What was decided of single users, known without asking the database."""

import asyncio
import logging
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final
from uuid import UUID

from channels.db import database_sync_to_async
from django.db import transaction
from django.db.models.signals import post_delete, post_save

from agents.allowances import QuotaOverride
from agents.permissions.quotas import rows
from agents.permissions.quotas.models import UserQuota

logger = logging.getLogger(__name__)

READ_EVERY_S: Final = 5.0
_NOTHING: Final = QuotaOverride()


class OverrideBook:
    """Every override, read again every ``every_s`` seconds in a task of its own once ``begin`` was called.

    What this process saves is known as soon as it is committed. While the database is away, what was known stays.
    """

    def __init__(
        self, *, read: Callable[[], Mapping[UUID, QuotaOverride]] = rows.all_overrides, every_s: float = READ_EVERY_S
    ) -> None:
        self._read = read
        self._every_s = every_s
        self._known: Mapping[UUID, QuotaOverride] | None = None
        self._changes = 0
        # What is saved is noted in the thread that has saved it.
        self._lock = threading.Lock()
        self._task: asyncio.Task[None] | None = None
        self._away = False
        # Held weakly by the signals, so there is nothing to disconnect.
        post_save.connect(self._saved, sender=UserQuota)
        post_delete.connect(self._deleted, sender=UserQuota)

    def find(self, user_id: UUID) -> QuotaOverride | None:
        """What was decided of the user; None before anything was read."""
        return None if self._known is None else self._known.get(user_id, _NOTHING)

    async def of(self, user_id: UUID) -> QuotaOverride:
        """As ``find``; before anything was read the database is asked."""
        found = self.find(user_id)
        if found is not None:
            return found
        asked: QuotaOverride = await database_sync_to_async(rows.override_of, thread_sensitive=False)(user_id)
        return asked

    def begin(self) -> None:
        """Read from now on; saying so again changes nothing."""
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._keep_reading(), name="reading quotas")

    async def aclose(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def read(self) -> None:
        """Read everything once; raises whatever keeps the database away."""
        while True:
            before = self._changes
            known = await database_sync_to_async(self._read, thread_sensitive=False)()
            with self._lock:
                # What was saved while this was read may be missing from it.
                if before == self._changes:
                    self._known = known
                    return

    async def _keep_reading(self) -> None:
        while True:
            try:
                await self.read()
                self._away = False
            except Exception as error:  # noqa: BLE001 - the boundary of a task that outlives a database that is away
                if not self._away:
                    logger.warning("quotas could not be read, and what was known of them holds on: %s", error)
                self._away = True
            await asyncio.sleep(self._every_s)

    def _saved(self, instance: UserQuota, **_: object) -> None:
        self._note_on_commit(instance.user_id, rows.override_in(instance))

    def _deleted(self, instance: UserQuota, **_: object) -> None:
        self._note_on_commit(instance.user_id, _NOTHING)

    def _note_on_commit(self, user_id: UUID, override: QuotaOverride) -> None:
        transaction.on_commit(partial(self._note, user_id, override), robust=True)

    def _note(self, user_id: UUID, override: QuotaOverride) -> None:
        with self._lock:
            self._changes += 1
            if self._known is not None:
                self._known = {**self._known, user_id: override}
