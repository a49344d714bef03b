"""Every error of the memory.

RecollectionError
└── EmbeddingFailed     no vector could be made; says whether trying again may help
"""


class RecollectionError(Exception):
    """The memory could not do this."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


class EmbeddingFailed(RecollectionError):
    """No vector could be made of the text."""

    def __init__(self, message: str | None = None, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable
