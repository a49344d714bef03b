"""``manage.py reset_password EMAIL``"""

from argparse import ArgumentParser

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from accounts.auth.passwords import issue_reset_link
from accounts.errors import AccountError
from accounts.management.people import counted, user_with_address


class Command(BaseCommand):
    help = (
        "Prints a link with which the user of an account sets a new password, for servers without e-mail. It works "
        "once, and expires. Give it to no one but the user. The record says that it was made."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", help="the account's address")

    def handle(self, *, email: str, **_: object) -> None:
        user = user_with_address(email)
        if not user.is_active:
            raise CommandError("This account is deactivated: activate it first.")
        try:
            self.stdout.write(issue_reset_link(user))
        except AccountError as error:  # the link's signature covers the address, which cannot be decrypted
            raise CommandError(f"No link can be made. {error}") from None
        lasts = counted(settings.PASSWORD_RESET_TIMEOUT // 60, "minute")
        self.stderr.write(f"The link works once, within {lasts}. It ends all sessions of the account.")
