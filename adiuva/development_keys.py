"""Keys for development, made once in the data folder. Production brings its own by environment.

They lie in ``keys/`` (only the owner may enter, 0700), one file a key (0600).
"""

import os
import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path

from cryptography.fernet import Fernet


def secret_key(data_dir: Path) -> str:
    """Django's secret key of this data folder."""
    return _kept(data_dir / "keys" / "secret_key", lambda: secrets.token_urlsafe(50))


def master_key(data_dir: Path) -> str:
    """The Fernet key that wraps users' keys in this data folder."""
    return _kept(data_dir / "keys" / "master_key", lambda: Fernet.generate_key().decode())


def _kept(path: Path, make: Callable[[], str]) -> str:
    """The key in ``path``; made first when there is none, by exactly one of several processes."""
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write_once(path, make())
    return path.read_text(encoding="utf-8").strip()


def _write_once(path: Path, key: str) -> None:
    # A link appears with its whole content or not at all, and fails when another process was first.
    handle, draft = tempfile.mkstemp(dir=path.parent)  # mkstemp makes files 0600
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
