"""``manage.py rotate_keys --master | --user EMAIL | --all [--dry-run]``"""

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from accounts.errors import AccountError
from accounts.keys.rotation import FailedRotation, Rotation, count_rows, rewrap, rotate_users, users_to_rewrap, workers
from accounts.management.people import counted, user_with_address
from accounts.models import User
from accounts.process_pool import processors
from accounts.progress import resumable, shown


class Command(BaseCommand):
    help = (
        "Changes keys while the server runs. With --master every user's key is wrapped again with the newest master "
        "key; with --user or --all users get new keys, and their rows are encrypted again. Run the command again to "
        "continue an interrupted rotation."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--master", action="store_true", help="wrap users' keys with the newest master key")
        which.add_argument("--user", metavar="EMAIL", help="give this user a new key")
        which.add_argument("--all", action="store_true", help="give every user a new key")
        parser.add_argument(
            "--processes",
            type=int,
            default=processors(),
            metavar="N",
            help="how many processes encrypt in parallel if there are many rows (%(default)s)",
        )
        parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")

    def handle(self, *, master: bool, user: str | None, dry_run: bool, processes: int, **_: object) -> None:
        if processes < 1:
            raise CommandError("--processes must be 1 or more.")
        with resumable():
            try:
                if master:
                    self._rewrap(dry_run=dry_run)
                else:
                    # The keys of users who are being erased are already destroyed.
                    present = User.objects.exclude(encryption_key="").order_by("date_joined", "id")
                    everyone = present.values_list("id", flat=True)
                    users = list(everyone) if user is None else [user_with_address(user).id]
                    self._rotate(users, dry_run=dry_run, processes=processes)
            except AccountError as error:
                raise CommandError(str(error)) from error

    def _rewrap(self, *, dry_run: bool) -> None:
        number = users_to_rewrap()
        if dry_run:
            self.stdout.write(f"Would wrap the keys of {counted(number, 'user')} again. Nothing was changed.")
            return
        with shown("Users") as progress:
            progress.expect(number)
            done = rewrap(progress=progress)
        self.stdout.write(f"Wrapped the keys of {counted(done.renewed, 'user')} again.")
        self._complain([str(row) for row in done.unreadable], "Keys that cannot be opened were left as they are.")

    def _rotate(self, users: Sequence[UUID], *, dry_run: bool, processes: int) -> None:
        with shown("Users counted") as counting:
            counting.expect(len(users))
            rows = count_rows(users, progress=counting)
        if dry_run:
            for table, count in sorted(sum(map(Counter, rows.values()), Counter[str]()).items()):
                self.stdout.write(f"Would encrypt again: {counted(count, 'row')} of {table}")
            self.stdout.write(f"Would give {counted(len(rows), 'user')} a new key. Nothing was changed.")
            return
        totals = {user_id: sum(each.values()) for user_id, each in rows.items()}
        number = sum(totals.values())
        with workers(number, processes=processes) as executor, shown("Rows") as progress:
            progress.expect(number)
            outcomes = list(rotate_users(totals, progress=progress, executor=executor))
        done = [outcome for outcome in outcomes if isinstance(outcome, Rotation)]
        renewed, resumed = sum(each.renewed for each in done), sum(each.resumed for each in done)
        self.stdout.write(f"Encrypted {counted(renewed, 'row')} again, for {counted(len(done), 'user')}.")
        if resumed:
            self.stdout.write(f"Resumed an earlier rotation for {counted(resumed, 'user')}.")
        problems = [problem for outcome in outcomes for problem in _problems(outcome)]
        self._complain(problems, "Everything named above was left as it was, and these users keep their older keys.")

    def _complain(self, problems: Sequence[str], sentence: str) -> None:
        """Raises ``CommandError`` if there are any."""
        for problem in problems:
            self.stderr.write(problem)
        if problems:
            raise CommandError(f"{sentence} Problems: {len(problems)}.")


def _problems(outcome: Rotation | FailedRotation) -> list[str]:
    if isinstance(outcome, FailedRotation):
        whys = [outcome.why] if outcome.why else []
    else:
        whys = [str(row) for row in outcome.unreadable]
        if outcome.left > len(outcome.unreadable):
            whys.append(f"{counted(outcome.left, 'row')} still need the older key: run the command again.")
    return [f"user {outcome.user_id}: {why}" for why in whys]
