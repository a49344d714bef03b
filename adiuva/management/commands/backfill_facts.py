"""``manage.py backfill_facts [--user EMAIL] [--dry-run]``"""

import asyncio
from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from accounts.management.people import counted, user_with_address
from accounts.progress import resumable, shown
from adiuva.wiring.models import models
from agents.errors import ModelError
from memory.fact_backfill import backfill_facts, without_facts
from memory.pending import PendingFacts


class Command(BaseCommand):
    help = (
        "Draws facts from exchanges that were recorded before facts were drawn: by rules, and with the small model if "
        "there is one. Run the command again to continue an interrupted run."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--user", metavar="EMAIL", help="only this user's")
        parser.add_argument("--dry-run", action="store_true", help="count the exchanges, and do nothing")

    def handle(self, *, user: str | None, dry_run: bool, **_: object) -> None:
        user_id = None if user is None else user_with_address(user).id
        if dry_run:
            number = without_facts(user_id).count()
            self.stdout.write(f"Would read {counted(number, 'exchange')}. Nothing was changed.")
            return
        chosen = models()
        try:
            with resumable(), shown("Exchanges") as progress:
                work = PendingFacts(chosen.embedder, chosen.reader)
                drawn = asyncio.run(backfill_facts(work, user_id, progress=progress))
        except ModelError as error:
            raise CommandError(f"{error} Nothing is lost: run the command again, and it goes on.") from None
        self.stdout.write(f"Read {counted(drawn.drawn, 'exchange')}.")
        if drawn.drawn < drawn.looked_at:
            raise CommandError(
                f"{counted(drawn.looked_at - drawn.drawn, 'exchange')} could not be opened: the log names them."
            )
