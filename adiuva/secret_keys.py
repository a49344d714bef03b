"""Secret keys: those derived from the secret key for one purpose each, and those of a development server.

Derived keys (HKDF, RFC 5869) reveal neither each other nor the secret key. The keys for development are created once in
``keys/`` of the data folder (0700), one file per key (0600); production sets its own in the environment.
"""

import os
import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from cryptography.fernet import Fernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_BYTES: Final = 32


def derived_key(secret: str, *, purpose: str) -> bytes:
    """The key for ``purpose``, 32 bytes, the same in every process with the same secret."""
    return HKDF(algorithm=SHA256(), length=_BYTES, salt=None, info=f"adiuva {purpose}".encode()).derive(secret.encode())


def secret_key(data_dir: Path) -> str:
    """Django's secret key of this data folder."""
    return _stored(data_dir / "keys" / "secret_key", lambda: secrets.token_urlsafe(50))


def master_key(data_dir: Path) -> str:
    """The Fernet key that wraps users' keys in this data folder."""
    return _stored(data_dir / "keys" / "master_key", lambda: Fernet.generate_key().decode())


def _stored(path: Path, make: Callable[[], str]) -> str:
    """The key in ``path``, created by exactly one of several processes if it does not exist."""
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write_once(path, make())
    return path.read_text(encoding="utf-8").strip()


def _write_once(path: Path, key: str) -> None:
    # A hard link appears with its whole content or not at all, and fails if another process was first.
    handle, draft = tempfile.mkstemp(dir=path.parent)  # mkstemp creates files with mode 0600
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(key + "\n")
            file.flush()
            os.fsync(file.fileno())
        Path(path).hardlink_to(draft)
    except FileExistsError:
        pass
    finally:
        Path(draft).unlink()
