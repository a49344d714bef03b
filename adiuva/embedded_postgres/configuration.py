"""The server's own files: written anew at every start, so that they always say what this version of the code means."""

import os
from pathlib import Path

from adiuva.embedded_postgres.places import ROLE
from adiuva.embedded_postgres.system_user import SystemUser

_SETTINGS = """\
# Written by Adiuva at every start.
listen_addresses = ''
unix_socket_directories = {sockets}
unix_socket_permissions = 0700
max_connections = 100
shared_buffers = 256MB
dynamic_shared_memory_type = mmap
fsync = on
full_page_writes = on
synchronous_commit = on
max_wal_size = 512MB
min_wal_size = 32MB
timezone = 'UTC'
log_timezone = 'UTC'
lc_messages = 'C'
log_line_prefix = '%m [%p] '
# Statements, and errors and their details, may hold what a user wrote: they stay out of the log. Whoever sent the
# statement gets the error; what ends the server or a session still stands here.
log_min_messages = log
log_min_error_statement = panic
log_error_verbosity = terse
"""

_ACCESS = """\
# Written by Adiuva at every start. TYPE DATABASE USER METHOD
local all {role} peer map=adiuva
"""


def write_configuration(data: Path, *, sockets: Path, user: SystemUser) -> None:
    """Writes settings, who may connect and by which names the kernel knows them."""
    # A list of folders inside a string: quoted once as an item, once as the string.
    item = '"' + str(sockets).replace('"', '""') + '"'
    settings = _SETTINGS.format(sockets="'" + item.replace("'", "''") + "'")
    callers = "".join(f'adiuva "{name}" {ROLE}\n' for name in dict.fromkeys([user.name, "root"]))
    for name, text in (
        ("postgresql.conf", settings),
        ("pg_hba.conf", _ACCESS.format(role=ROLE)),
        ("pg_ident.conf", callers),
    ):
        _write(data / name, text, user)


def _write(path: Path, text: str, user: SystemUser) -> None:
    path.write_text(text, encoding="utf-8")
    if user.borrowed:
        os.chown(path, user.uid, user.gid)
