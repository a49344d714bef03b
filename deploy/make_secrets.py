#!/usr/bin/env python3
"""Creates the secrets of an installation, one file each in a folder, as ``docker-compose.yml`` expects them.

It needs only Python, and changes no existing file.
"""

import argparse
import base64
import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent.parent / "var" / "secrets"


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit code: 0, or 1 after a sentence if nothing could be created."""
    parser = argparse.ArgumentParser(description="Makes the secrets of an installation, or another master key.")
    parser.add_argument("--folder", type=Path, default=_FOLDER, help="their folder (var/secrets)")
    parser.add_argument("--new-master-key", action="store_true", help="add a new master key in front of the others")
    options = parser.parse_args(arguments)
    folder: Path = options.folder
    try:
        if options.new_master_key:
            add_master_key(folder)
        else:
            make(folder)
    except FileExistsError:
        sys.stderr.write(f"{folder} is there already: nothing was changed.\n")
        return 1
    except FileNotFoundError:
        sys.stderr.write(f"{folder} holds no master keys: make the secrets first.\n")
        return 1
    return 0


def make(folder: Path) -> None:
    """Create ``folder`` with all secrets. Raises ``FileExistsError`` if it exists."""
    if folder.exists():
        raise FileExistsError(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    # All or nothing: passwords of two runs would not match.
    unfinished = Path(tempfile.mkdtemp(prefix=".secrets-", dir=folder.parent))  # mode 0700
    try:
        for name, content in new_secrets().items():
            _write(unfinished / name, content)
        unfinished.rename(folder)
    except BaseException:
        shutil.rmtree(unfinished)
        raise


def new_secrets() -> dict[str, str]:
    """New contents of all files, by name."""
    database, redis, rabbitmq = (secrets.token_hex(32) for _ in range(3))
    return {
        "secret_key": secrets.token_urlsafe(50),
        "master_keys": master_key(),
        "database_superuser": secrets.token_hex(32),
        "database_password": database,
        "database_url": f"postgresql://adiuva:{database}@database:5432/adiuva",
        "redis_config": f"requirepass {redis}\n",
        "redis_url": f"redis://:{redis}@redis:6379/0",
        "rabbitmq_config": f"default_user = adiuva\ndefault_pass = {rabbitmq}\n",
        "amqp_url": f"amqp://adiuva:{rabbitmq}@rabbitmq:5672/",
        # Empty ones count as not set.
        "openai_api_key": "",
        "openai_small_api_key": "",
        "openai_embedding_api_key": "",
        "anthropic_api_key": "",
        "models": "",
        "langfuse_secret_key": "",
        "otlp_headers": "",
        "metrics_token": "",
        "smtp_url": "",
    }


def master_key() -> str:
    """A new Fernet key: 32 random bytes in URL-safe base64."""
    return base64.urlsafe_b64encode(os.urandom(32)).decode()


def add_master_key(folder: Path) -> None:
    """Add a new master key in front of those in ``folder``. Raises ``FileNotFoundError``."""
    path = folder / "master_keys"
    content = f"{master_key()},{path.read_text(encoding='ascii').strip()}"
    beside = path.with_name(".master_keys")
    beside.unlink(missing_ok=True)  # left by a run that was killed, or found the disk full
    _write(beside, content)
    beside.replace(path)


def _write(path: Path, content: str) -> None:
    with path.open("x", encoding="ascii") as file:
        file.write(content)
        os.fsync(file.fileno())
    # Users in containers have other ids than the owner of the folder, which no one else can enter.
    path.chmod(0o644)


if __name__ == "__main__":
    sys.exit(main())
