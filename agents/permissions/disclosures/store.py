"""Where disclosures are written down: the port, and the database behind it."""

import logging
from collections.abc import Set as AbstractSet
from typing import Protocol

from channels.db import database_sync_to_async
from django.db import Error

from accounts.errors import AccountError
from agents.errors import Unrecorded
from agents.permissions.disclosures import rows
from agents.permissions.disclosures.records import Occasion, Sent

logger = logging.getLogger(__name__)


class DisclosureStore(Protocol):
    """Keeps what was disclosed."""

    async def record(self, occasion: Occasion, sent: Sent) -> None:
        """As ``rows.record``. Raises ``Unrecorded``."""


class DatabaseDisclosures:
    """The ``DisclosureStore`` in the database. ``on_server`` are the names of models that are part of the server."""

    def __init__(self, *, on_server: AbstractSet[str]) -> None:
        self._on_server = on_server

    async def record(self, occasion: Occasion, sent: Sent) -> None:
        # Not thread-sensitive: otherwise one slow query would stall every turn of the process.
        write = database_sync_to_async(rows.record, thread_sensitive=False)
        try:
            await write(occasion, sent, left_server=sent.model not in self._on_server)
        except (AccountError, Error):
            logger.exception("a disclosure could not be written down")
            raise Unrecorded from None


class Untold:
    """Writes nothing down: for what discloses nothing, or to nobody who would ask."""

    async def record(self, occasion: Occasion, sent: Sent) -> None:  # noqa: ARG002 - the port's
        return None
