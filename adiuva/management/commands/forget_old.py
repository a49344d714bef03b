"""``manage.py forget_old [--dry-run] [--batch N]``"""

from argparse import ArgumentParser
from typing import Final

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone as clock

from accounts.management.people import counted
from accounts.progress import resumable, shown
from adiuva.wiring import composition
from agents.retention import BATCH, count_old, delete_old, listed

_LARGEST_BATCH: Final = 100_000


class Command(BaseCommand):
    help = (
        "Deletes ended jobs, approvals, disclosures, turn records, conversations with models and removed devices that "
        "are older than the settings ADIUVA_KEEP_..._DAYS allow. Servers do this every few hours. Run the command "
        "again to continue an interrupted deletion."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="count them, and do nothing")
        parser.add_argument("--batch", type=int, default=BATCH, metavar="N", help=f"rows in one transaction ({BATCH})")

    def handle(self, *, dry_run: bool, batch: int, **_: object) -> None:
        if not 1 <= batch <= _LARGEST_BATCH:
            raise CommandError(f"--batch must be from 1 to {_LARGEST_BATCH:,}.")
        kept, now = composition.retention_days(), clock.now()
        if dry_run:
            self.stdout.write(f"Would delete {_told(count_old(kept, now=now))}. Nothing was changed.")
            return
        with resumable(), shown("Rows") as progress:
            gone = delete_old(kept, now=now, batch=batch, progress=progress)
        self.stdout.write(f"Deleted {_told(gone)}.")


def _told(counts: dict[str, int]) -> str:
    total = counted(sum(counts.values()), "row")
    return f"{total}: {listed(counts)}" if any(counts.values()) else total
