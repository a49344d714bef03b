"""``manage.py backup FILE``"""

from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand

from accounts.management.people import counted
from accounts.progress import resumable, shown
from adiuva.database.backup.dumping import back_up


class Command(BaseCommand):
    help = (
        "Writes the whole database to one file, as of one moment, while servers may use it, and checks the file. It "
        "contains no master key: keep those elsewhere. An interrupted backup leaves no file of that name."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the new file, readable by its owner alone")

    def handle(self, *, file: Path, **_: object) -> None:
        with resumable(), shown("Rows") as progress:
            manifest = back_up(file, progress=progress)
        rows, tables = counted(manifest.rows, "row"), counted(len(manifest.tables), "table")
        self.stdout.write(f"Wrote {file}: {rows} of {tables}, as of {manifest.made_at}.")
        if manifest.master_keys:
            self.stdout.write(
                f"It opens with the master keys {', '.join(manifest.master_keys)} (fingerprints), which it does not "
                "contain. Keep them elsewhere."
            )
