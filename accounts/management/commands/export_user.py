"""``manage.py export_user EMAIL [--output FILE]``"""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TextIO

from django.core.management.base import BaseCommand, CommandError

from accounts.errors import AccountError
from accounts.export import export_account
from accounts.management.people import user_with_address


class Command(BaseCommand):
    help = (
        "Writes all data of a user as JSON, decrypted: account, devices and all encrypted tables. Rows that cannot be "
        "decrypted are listed. The file contains everything in plain text: delete it after use."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", help="the account's address")
        parser.add_argument(
            "--output", type=Path, metavar="FILE", help="a new file, readable by its owner alone (standard output)"
        )

    def handle(self, *, email: str, output: Path | None, **_: object) -> None:
        user = user_with_address(email)
        try:
            with _private(output) if output else nullcontext(sys.stdout) as stream:
                stream.writelines(export_account(user.id))
                stream.flush()
        except AccountError as error:
            raise CommandError(str(error)) from error
        except OSError as error:  # the disk is full, or no one reads the pipe any more
            raise CommandError(f"{output or 'The export'} cannot be written: {error.strerror}.") from error


@contextmanager
def _private(path: Path) -> Iterator[TextIO]:
    """A new file that only its owner may read, removed if it cannot be finished. Raises ``CommandError``."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise CommandError(f"{path} cannot be made: {error.strerror}.") from error
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            yield file
    except BaseException:
        path.unlink()
        raise
