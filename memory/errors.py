"""Every error of the memory.

MemoryServiceError
├── EmbeddingFailed     no vector could be made; says whether a retry may help
│   └── NoEmbeddings    the server has no such model, or makes no vectors at all
├── UnreadableRow       a row cannot be decrypted; names the row, not its content
├── MemoryOff           the user has turned the memory off
├── MemoryNotFound      the user has no such row
└── InvalidMemory       the text is empty or too long, or there are too many rows
"""

from uuid import UUID


class MemoryServiceError(Exception):
    """The memory failed."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


class EmbeddingFailed(MemoryServiceError):
    """No vector could be made of the text."""

    def __init__(self, message: str | None = None, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable


class NoEmbeddings(EmbeddingFailed):
    """The server makes no vectors."""


class UnreadableRow(MemoryServiceError):
    """A remembered row cannot be opened."""

    def __init__(self, table: str, row_id: UUID, why: str) -> None:
        super().__init__(f"The row {row_id} of {table} cannot be opened. {why}")
        self.table = table
        self.row_id = row_id


class MemoryOff(MemoryServiceError):
    """The memory is turned off."""


class MemoryNotFound(MemoryServiceError):
    """Nothing is remembered under this."""


class InvalidMemory(MemoryServiceError):
    """This cannot be remembered."""
