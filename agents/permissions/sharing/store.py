"""Where marks are looked up: the port, and the database behind it."""

from typing import Final, Protocol
from uuid import UUID

from channels.db import database_sync_to_async
from django.db import Error

from accounts.errors import AccountError
from agents.errors import Withheld
from agents.permissions.sharing.marks import Marks
from agents.permissions.sharing.rows import HAS_MARKS, marks_of
from agents.reading import Reader, ThreadReader

# Not thread-sensitive: otherwise one slow query would stall every turn of the process.
_marks_of: Final = database_sync_to_async(marks_of, thread_sensitive=False)


class MarkStore(Protocol):
    """Keeps what users never share."""

    async def marks(self, user_id: UUID) -> Marks:
        """As ``marks_of``. Raises ``Withheld`` when it cannot be known."""


class DatabaseMarks:
    """The ``MarkStore`` in the database. ``reader`` sees whether there are any; a thread opens those that there are."""

    def __init__(self, reader: Reader | None = None) -> None:
        self._reader: Reader = reader or ThreadReader()

    async def marks(self, user_id: UUID) -> Marks:
        try:
            if not await self._reader.rows(HAS_MARKS, [user_id]):
                return Marks()
            found: Marks = await _marks_of(user_id)
        except (AccountError, Error):
            raise Withheld(
                "What the user never shares cannot be known right now, so nothing was read or changed."
            ) from None
        return found


class Unmarked:
    """Nobody has marked anything."""

    async def marks(self, user_id: UUID) -> Marks:  # noqa: ARG002 - the port's
        return Marks()
