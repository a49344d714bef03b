"""A production configuration, as environment variables, for tests that start real processes."""

import os
import secrets
import subprocess
import sys
from pathlib import Path

from cryptography.fernet import Fernet

from tests.forks import ROOT, completed

_OURS = ("ADIUVA_", "OPENAI_", "LANGFUSE_", "DATABASE_URL", "REDIS_", "AMQP_", "DJANGO_")


def environment(data_dir: Path, **variables: str) -> dict[str, str]:
    """The environment of a process: nothing of this test session's configuration, and ``variables``."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    return {**inherited, "ADIUVA_DATA_DIR": str(data_dir), "PYTHONPATH": str(ROOT), **variables}


def production(data_dir: Path, **variables: str) -> dict[str, str]:
    """As ``environment``, with everything set that a production server needs."""
    complete = {
        "ADIUVA_SECRET_KEY": secrets.token_urlsafe(50),
        "ADIUVA_MASTER_KEYS": f"{Fernet.generate_key().decode()},{Fernet.generate_key().decode()}",
        "ADIUVA_ALLOWED_HOSTS": "adiuva.example",
        "ADIUVA_ALLOWED_ORIGINS": "https://app.adiuva.example",
        "DATABASE_URL": "postgresql://adiuva:secret@db.example/adiuva",
    }
    return environment(data_dir, **{**complete, **variables})


def manage(*arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """The output and exit code of ``manage.py`` with these arguments."""
    return completed("manage.py", *arguments, env=env)


def manage_by_command(*arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """As ``manage``, but always starts ``python manage.py`` itself."""
    return subprocess.run(
        [sys.executable, ROOT / "manage.py", *arguments],
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
