"""``manage.py reset_second_factor EMAIL --reason TEXT``"""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from accounts.audit import record_event
from accounts.auth.mail import send_now
from accounts.auth.second_factor import has_second_factor, reset_second_factor
from accounts.errors import AccountError
from accounts.management.people import reason_text, user_with_address


class Command(BaseCommand):
    help = (
        "Removes the second factors of a member of staff who has lost them: apps, passkeys and recovery codes. Ends "
        "all sessions and tokens. The next person who signs in with the password adds a new second factor."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", help="the account's address")
        parser.add_argument("--reason", type=reason_text, required=True, help="why, for the record")

    def handle(self, *, email: str, reason: str, **_: object) -> None:
        user = user_with_address(email)
        if not has_second_factor(user):
            raise CommandError("There is no second factor to reset.")
        try:
            with transaction.atomic():
                record_event(actor=None, subject_id=user.id, action="reset-second-factor", reason=reason)
                reset_second_factor(user)
        except AccountError as error:
            raise CommandError(f"The reason cannot be recorded, so nothing was changed. {error}") from None
        send_now()
        self.stdout.write("The second factor is reset, and all sessions have ended.")
