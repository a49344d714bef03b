"""``manage.py mine_patterns [--user EMAIL] [--dry-run]``: find habits in users' episodes, and age older ones."""

from argparse import ArgumentParser
from collections.abc import Sequence
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from accounts.errors import AccountError
from accounts.management.people import counted, user_with_address
from accounts.models import User
from accounts.progress import Progress, resumable, shown
from memory.patterns import Mined, mine


class Command(BaseCommand):
    help = "Finds habits in users' episodes. Run it once a day; it is idempotent."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--user", metavar="EMAIL", help="only this user")
        parser.add_argument("--dry-run", action="store_true", help="show what would be done, without doing it")

    def handle(self, *, user: str | None, dry_run: bool, **_: object) -> None:
        with resumable():
            users = _users(user)
            with shown("Users") as progress:
                mined, problems = _mined(users, progress, dry_run=dry_run)
        self.stdout.write(
            f"{'Would have found' if dry_run else 'Found'} {counted(mined.found, 'new habit')}; "
            f"confirmed: {mined.confirmed:,}, aged: {mined.aged:,}, dropped: {mined.dropped:,}."
            f"{' Nothing was changed.' if dry_run else ''}"
        )
        for problem in problems:
            self.stderr.write(problem)
        if problems:
            raise CommandError(f"The keys of {counted(len(problems), 'user')} cannot be opened.")


def _mined(users: Sequence[UUID], progress: Progress, *, dry_run: bool) -> tuple[Mined, list[str]]:
    """The result for all ``users``, and the problems."""
    total, problems = Mined(), []
    progress.expect(len(users))
    for user_id in users:
        try:
            total += mine(user_id, dry_run=dry_run)
        except AccountError as error:
            problems.append(f"user {user_id}: {error}")
        progress.advance(1)
    return total, problems


def _users(email: str | None) -> Sequence[UUID]:
    """One user, or all with the memory on, except those being erased."""
    if email is None:
        users = User.objects.filter(memory_enabled=True).exclude(encryption_key="")
        return list(users.order_by("date_joined", "id").values_list("id", flat=True))
    user = user_with_address(email)
    if not user.memory_enabled:
        raise CommandError(f"{user.email} has turned the memory off.")
    return [user.id]
