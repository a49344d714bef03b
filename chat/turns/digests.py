"""Digests of messages, by which they are found again in a history. Pure."""

import hashlib
from typing import Final

_COMPARED_CHARACTERS: Final = 8_000


def digest(message: str) -> str:
    """A digest of the beginning of ``message``, so that a message which was shortened to be kept has the same one."""
    return hashlib.sha256(message[:_COMPARED_CHARACTERS].encode("utf-8", "replace")).hexdigest()
