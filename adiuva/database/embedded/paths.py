"""The paths of the embedded database. Only ``make_socket_folder`` creates anything."""

import hashlib
import os
import stat
from pathlib import Path

from adiuva.database.pool import DatabaseSettings, connection_options
from adiuva.errors import EmbeddedPostgresError

DATABASE = "adiuva"
ROLE = "adiuva"
# The longest address of a Unix socket is 103 bytes on macOS and 107 on Linux.
_MAX_SOCKET_PATH_BYTES = 100
_SOCKET_NAME = ".s.PGSQL.5432"


def django_database(data_dir: Path) -> DatabaseSettings:
    """Django's settings for the database of ``data_dir``; computes paths and starts nothing."""
    return {
        **connection_options(),
        "NAME": DATABASE,
        "USER": ROLE,
        "PASSWORD": "",
        "HOST": str(socket_folder(data_dir)),
        "PORT": "",
    }


def database_folder(data_dir: Path) -> Path:
    return Path(os.path.realpath(data_dir)) / "postgres"


def socket_folder(data_dir: Path) -> Path:
    """The socket's folder: in the data folder, or in a short path of our own if that one is too long.

    For root it is in ``/run/adiuva``, which the system user of the database can access wherever the data folder is.
    """
    folder = database_folder(data_dir)
    name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    if os.geteuid() == 0:
        return Path("/run/adiuva") / name
    if len(os.fsencode(folder / "socket" / _SOCKET_NAME)) < _MAX_SOCKET_PATH_BYTES:
        return folder / "socket"
    # Not the system's temporary folder: processes with different environments must agree.
    return Path(f"/tmp/adiuva-{os.geteuid()}") / name  # noqa: S108 - made with 0700, and refused unless it is ours


def make_socket_folder(data_dir: Path, *, uid: int, gid: int) -> Path:
    """The socket folder, accessible to ``uid`` alone. Raises ``EmbeddedPostgresError`` if another user owns it."""
    folder = socket_folder(data_dir)
    parent_is_private = folder.parent.name == f"adiuva-{os.geteuid()}"
    folder.parent.mkdir(mode=0o700 if parent_is_private else 0o755, parents=True, exist_ok=True)
    if parent_is_private:
        _refuse_foreign(folder.parent, os.geteuid())
    if not folder.exists():
        folder.mkdir(mode=0o700)
        os.chown(folder, uid, gid)
    _refuse_foreign(folder, uid)
    return folder


def _refuse_foreign(folder: Path, uid: int) -> None:
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != uid or status.st_mode & 0o077:
        raise EmbeddedPostgresError(f"The folder {folder} belongs to another user or is open to others: remove it.")
