"""``manage.py``: Django's commands, with the embedded database for those that need one."""

import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import ProgrammingError
from psycopg import OperationalError
from psycopg.errors import UndefinedColumn, UndefinedTable

from accounts.database import DATABASE_ERRORS
from adiuva.database import embedded
from adiuva.doctor.findings import first_line
from adiuva.errors import AdiuvaError

_WITHOUT_DATABASE = frozenset({
    "check", "collectstatic", "compilemessages", "diffsettings", "doctor", "findstatic", "frame_schema", "help",
    "makemessages", "mcp_stdio", "startapp", "version",
})  # fmt: skip


def run(arguments: Sequence[str]) -> None:
    """Run the command in ``arguments`` (``manage.py`` first). Exits with 2 and a sentence if it cannot run.

    Stopped by Ctrl-C, or by a pipe that is closed, as by ``head``, it exits as a shell expects: with 130 or 141.
    """
    try:
        if needs_database(arguments) and not settings.DATABASE_URL:
            embedded.ensure_running(settings.DATA_DIR)
        execute_from_command_line(list(arguments))
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        sys.exit(128 + signal.SIGINT)
    except BrokenPipeError:
        # Else Python would complain when it flushes what no one reads.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)
    except (ImproperlyConfigured, AdiuvaError) as error:
        _refuse(str(error))
    except (*DATABASE_ERRORS, OperationalError) as error:
        _refuse(f"The database cannot be used: {first_line(error)}")
    except ProgrammingError as error:
        if not isinstance(error.__cause__, UndefinedTable | UndefinedColumn):
            raise
        _refuse(f"The database lacks what this release needs: {first_line(error)} Run manage.py migrate first.")


def _refuse(sentence: str) -> NoReturn:
    sys.stderr.write(f"{sentence}\n")
    sys.exit(2)


def needs_database(arguments: Sequence[str]) -> bool:
    options = set(arguments[1:])
    if options & {"-h", "--help", "--version"} or len(arguments) < 2:
        return False
    return arguments[1] not in _WITHOUT_DATABASE or "--database" in options
