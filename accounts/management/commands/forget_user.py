"""``manage.py forget_user EMAIL | --unfinished [--dry-run] [--yes]``"""

import sys
from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from accounts.auth.mail import send_now
from accounts.erasure import forget, half_erased, rows_to_erase
from accounts.erasure_traces import drop_old_traces
from accounts.management.people import counted, user_with_address
from accounts.progress import resumable, shown


class Command(BaseCommand):
    help = (
        "Erases an account: signs it out everywhere, destroys its key, then deletes its rows and the account itself. "
        "Run it again to complete an interrupted erasure, or with --unfinished to complete all of them."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        target = parser.add_mutually_exclusive_group(required=True)
        target.add_argument("email", nargs="?", help="the account's address")
        target.add_argument("--unfinished", action="store_true", help="complete all interrupted erasures")
        parser.add_argument("--dry-run", action="store_true", help="say what would be erased, and do nothing")
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def handle(self, *, email: str | None, dry_run: bool, yes: bool, **_: object) -> None:
        users = half_erased() if email is None else [user_with_address(email).id]
        if dry_run:
            for user_id in users:
                for table, number in sorted(rows_to_erase(user_id).items()):
                    self.stdout.write(f"Would delete {counted(number, 'row')} of {table}")
            self.stdout.write(f"Would erase {counted(len(users), 'account')}. Nothing was changed.")
            return
        if email is not None and not yes:
            self._ask(email)
        drop_old_traces()
        with resumable(), shown("Rows") as progress:
            for user_id in users:
                progress.expect(sum(rows_to_erase(user_id).values()))
                forget(user_id, progress=progress)
        send_now()
        self.stdout.write(f"Erased {counted(len(users), 'account')}.")
        for user_id in users:
            self.stdout.write(f"What files still hold of it, until they are written over: verify_erasure {user_id}")

    def _ask(self, email: str) -> None:
        """Raises ``CommandError`` unless a person at the terminal types the address again."""
        if not sys.stdin.isatty():
            raise CommandError("There is no terminal to confirm on: use --yes to erase the account for good.")
        self.stdout.write("This cannot be undone. Write the address again to erase the account: ", ending="")
        self.stdout.flush()
        if sys.stdin.readline().strip().lower() != email.strip().lower():
            raise CommandError("That is another address. Nothing was changed.")
