"""Digests of messages, to find them again in a history. Pure."""

import hashlib
from typing import Final

_COMPARED_CHARACTERS: Final = 8_000


def digest(message: str) -> str:
    """The same for the same message, also for one that was shortened to be kept."""
    return hashlib.sha256(message[:_COMPARED_CHARACTERS].encode("utf-8", "replace")).hexdigest()
