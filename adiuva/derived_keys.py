"""Keys for one purpose each, derived from the secret key (HKDF, RFC 5869).

Knowing one of them does not help to find another.
"""

from typing import Final

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_BYTES: Final = 32


def derived_key(secret: str, *, purpose: str) -> bytes:
    """The key for ``purpose``, 32 bytes, the same wherever the secret is the same."""
    return HKDF(algorithm=SHA256(), length=_BYTES, salt=None, info=f"adiuva {purpose}".encode()).derive(secret.encode())
