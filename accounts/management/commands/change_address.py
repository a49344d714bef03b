"""``manage.py change_address EMAIL NEW --reason TEXT``"""

from argparse import ArgumentParser

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from accounts.auth.mail import send_now
from accounts.auth.verification import change_address
from accounts.errors import AccountError
from accounts.management.people import reason_text, user_with_address


class Command(BaseCommand):
    help = (
        "Gives an account another address, for a user who has lost the older one. All its sessions, tokens and links "
        "end. Make sure first that it is the user who asks: with the new address they can set a new password."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", help="the account's present address")
        parser.add_argument("new", help="the new one")
        parser.add_argument("--reason", type=reason_text, required=True, help="why, for the record")

    def handle(self, *, email: str, new: str, reason: str, **_: object) -> None:
        try:
            change_address(user_with_address(email).id, new, reason=reason)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        except AccountError as error:
            raise CommandError(f"Nothing was changed. {error}") from None
        send_now()
        self.stdout.write("The address is changed, and all sessions have ended.")
