"""Every error of the memory.

RecollectionError
├── EmbeddingFailed     no vector could be made; says whether trying again may help
├── UnreadableRow       a row cannot be opened: says which, never what stands in it
├── MemoryOff           the user has turned the memory off
├── NotRemembered       there is no such row (of this user)
└── Unfit               what is to be remembered is too long, empty, or one too many
"""

from uuid import UUID


class RecollectionError(Exception):
    """The memory could not do this."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


class EmbeddingFailed(RecollectionError):
    """No vector could be made of the text."""

    def __init__(self, message: str | None = None, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable


class UnreadableRow(RecollectionError):
    """A remembered row cannot be opened."""

    def __init__(self, table: str, row_id: UUID, why: str) -> None:
        super().__init__(f"The row {row_id} of {table} cannot be opened. {why}")
        self.table = table
        self.row_id = row_id


class MemoryOff(RecollectionError):
    """The memory is turned off."""


class NotRemembered(RecollectionError):
    """Nothing is remembered under this."""


class Unfit(RecollectionError):
    """This cannot be remembered."""
