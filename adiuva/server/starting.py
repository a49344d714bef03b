"""What a server needs before it can answer: the database, its tables, the demo account."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Final, TextIO

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import DatabaseError, connections
from psycopg_pool import PoolTimeout

from accounts.auth.registration import DEMO_EMAIL, DEMO_PASSWORD, ensure_demo_account
from accounts.errors import KEY_ERRORS
from accounts.keys import masters
from accounts.process_pool import close_connections
from adiuva.database import embedded
from adiuva.server.health import unapplied_migrations

logger = logging.getLogger(__name__)

_CHATS_SERVER: Final = "http://127.0.0.1:8000"
"""Where ``./dev chat`` looks for a server by itself."""


@contextmanager
def database() -> Iterator[None]:
    """Keep the embedded database running, if it is in use; close this process's connections at the end."""
    with nullcontext() if settings.DATABASE_URL else embedded.running(settings.DATA_DIR):
        try:
            yield
        finally:
            close_connections()


def prepare() -> None:
    """In development, migrate and create the demo account. In production the operator decides both.

    Raises ``ImproperlyConfigured`` in development if the master keys do not fit the database. In production the log
    says so, and the server serves what needs no key; and it says what the operator has not done yet.
    """
    if not settings.DEBUG:
        _log_problems()
        return
    if unapplied_migrations():
        tell("Preparing the tables…", stream=sys.stderr)
        call_command("migrate", interactive=False, verbosity=0)
    try:
        ensure_demo_account()
    except KEY_ERRORS as error:
        raise ImproperlyConfigured(f"The data folder belongs to another master key. {error}") from None
    connections.close_all()


def announce(address: str) -> None:
    """Tell the person who started the server that it answers at ``address``; in development also what to try."""
    if settings.DEBUG:
        tell(f"Demo account: {DEMO_EMAIL}, password {DEMO_PASSWORD}", stream=sys.stdout)
        tell(f"The workspace, in a browser: {address}/app/", stream=sys.stdout)
        server = "" if address == _CHATS_SERVER else f"--server {address} "
        tell(f'In a second terminal: ./dev chat {server}"Which tasks are due today?"', stream=sys.stdout)
    tell(f"Adiuva is ready at {address}", stream=sys.stdout)


def _log_problems() -> None:
    """Log what the operator has to mend before the server can serve everything."""
    if not Path(settings.STATIC_ROOT).is_dir():
        logger.warning("there are no static files: run manage.py collectstatic")
    # Without a database nothing can be compared yet; /readyz says what is missing.
    with suppress(DatabaseError, PoolTimeout):
        if missing := unapplied_migrations():
            logger.error("migrations are missing (%d): run manage.py migrate", missing)
        masters.watch.problem()
    connections.close_all()


def tell(sentence: str, *, stream: TextIO) -> None:
    """Write a line for the person who starts the server."""
    stream.write(sentence + "\n")
    stream.flush()
