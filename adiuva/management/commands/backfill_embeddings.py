"""``manage.py backfill_embeddings [--user EMAIL] [--model-changed] [--dry-run] [--batch N]``"""

import asyncio
from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from accounts.database import in_database
from accounts.management.people import counted, user_with_address
from accounts.progress import Progress, resumable, shown
from adiuva.wiring.models import models
from memory.backfill import BATCH, Filled, Wanted, backfill
from memory.embedders.fallback import FallbackEmbedder
from memory.errors import EmbeddingFailed
from memory.index import Embedder


async def _settle(embedder: Embedder) -> None:
    """Which facts lack a vector depends on what makes it."""
    if isinstance(embedder, FallbackEmbedder):
        await embedder.settle()


class Command(BaseCommand):
    help = (
        "Makes the missing vectors of remembered facts with the configured embedding model. Run the command again to "
        "continue an interrupted run."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--user", metavar="EMAIL", help="only this user's")
        parser.add_argument("--model-changed", action="store_true", help="also those that another model made")
        parser.add_argument("--dry-run", action="store_true", help="count them, and do nothing")
        parser.add_argument("--batch", type=int, default=BATCH, metavar="N", help=f"facts in one request ({BATCH})")

    def handle(self, *, user: str | None, model_changed: bool, dry_run: bool, batch: int, **_: object) -> None:
        if batch < 1:
            raise CommandError("--batch must be 1 or more.")
        embedder = models().embedder
        wanted = Wanted(user_id=None if user is None else user_with_address(user).id, model_changed=model_changed)

        async def counted_rows() -> int:
            await _settle(embedder)
            return await in_database(wanted.rows(embedder.name).count)

        async def filled_rows(progress: Progress) -> Filled:
            await _settle(embedder)
            return await backfill(embedder, wanted, batch=batch, progress=progress)

        if dry_run:
            number = asyncio.run(counted_rows())
            self.stdout.write(f"Would make {counted(number, 'vector')} by {embedder.name}. Nothing was changed.")
            return
        try:
            with resumable(), shown("Facts") as progress:
                filled = asyncio.run(filled_rows(progress))
        except EmbeddingFailed as error:
            raise CommandError(f"{error} Nothing is lost: run the command again, and it goes on.") from None
        self.stdout.write(f"Made {counted(filled.embedded, 'vector')} by {embedder.name}.")
        if filled.embedded < filled.looked_at:
            raise CommandError(
                f"{counted(filled.looked_at - filled.embedded, 'fact')} could not be opened (the log names them) or "
                "changed meanwhile (run the command again)."
            )
