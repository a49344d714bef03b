"""``manage.py restore FILE [--check] [--replace] [--without-keys]``"""

from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand

from accounts.management.people import counted
from accounts.progress import resumable, shown
from adiuva.database.backup import archive
from adiuva.database.backup.archive import Manifest
from adiuva.database.backup.restoring import check_keys, check_release, left_to_migrate, restore


class Command(BaseCommand):
    help = (
        "Fills the database from a file that backup wrote, after checking the file and the master keys. It happens in "
        "one transaction: interrupted at any moment, it leaves the database as it was. Stop all servers before."
    )
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the backup")
        parser.add_argument(
            "--check", action="store_true", help="check the file, the master keys and the release, and do no more"
        )
        parser.add_argument("--replace", action="store_true", help="give up what the database contains now")
        parser.add_argument(
            "--without-keys",
            action="store_true",
            help="restore although master keys are missing; what they wrapped cannot be opened",
        )

    def handle(self, *, file: Path, check: bool, replace: bool, without_keys: bool, **_: object) -> None:
        if check:
            self._check(file, without_keys=without_keys)
            return
        with resumable(), shown("Rows") as progress:
            manifest = restore(file, replace=replace, without_keys=without_keys, progress=progress)
        self.stdout.write(f"Restored {_content(manifest)}.")
        if left_to_migrate(manifest):
            self.stdout.write("The backup is of an older release: run migrate before a server starts.")

    def _check(self, file: Path, *, without_keys: bool) -> None:
        manifest = archive.check(file)
        self.stdout.write(f"{file} is whole: {_content(manifest)}, from PostgreSQL {manifest.postgresql}.")
        self.stdout.write(f"Its master keys: {', '.join(manifest.master_keys) or 'none'}.")
        if not without_keys:
            check_keys(manifest)
            self.stdout.write("All of them are configured.")
        check_release(manifest)


def _content(manifest: Manifest) -> str:
    return f"{counted(manifest.rows, 'row')} of {counted(len(manifest.tables), 'table')}, as of {manifest.made_at}"
