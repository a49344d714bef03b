"""What stands between a configuration and a server that can answer: the database, its tables, the demo account."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TextIO

from django.conf import settings
from django.core.management import call_command
from django.db import connections

from accounts.crews import close_connections
from accounts.demo import DEMO_EMAIL, DEMO_PASSWORD, ensure_demo_account
from adiuva import embedded_postgres
from adiuva.health import unapplied_migrations


@contextmanager
def database() -> Iterator[None]:
    """Keeps the embedded database running if that is the one in use; closes this process's connections at the end."""
    with nullcontext() if settings.DATABASE_URL else embedded_postgres.running(settings.DATA_DIR):
        try:
            yield
        finally:
            close_connections()


def prepare(address: str) -> None:
    """In development: brings the tables up to date and makes the demo account. In production both are decisions.

    ``address`` is where the server is about to be.
    """
    if not settings.DEBUG:
        return
    if unapplied_migrations():
        _tell("Preparing the tables…", stream=sys.stderr)
        call_command("migrate", interactive=False, verbosity=0)
    ensure_demo_account()
    _tell(f"Demo account: {DEMO_EMAIL}, password {DEMO_PASSWORD}", stream=sys.stdout)
    _tell(f"The workspace, in a browser: {address}/app/", stream=sys.stdout)
    _tell('In a second terminal: ./dev chat "Which tasks are due today?"', stream=sys.stdout)
    connections.close_all()


def _tell(sentence: str, *, stream: TextIO) -> None:
    stream.write(sentence + "\n")
    stream.flush()
