"""How an account ends."""

from django.db import transaction
from rest_framework_simplejwt.token_blacklist.models import OutstandingToken

from accounts.errors import WrongPassword
from accounts.models import User


def erase_account(user: User, password: str) -> None:
    """Deletes the user and everything that hangs on the user, in one transaction. Raises ``WrongPassword``."""
    if not user.check_password(password):
        raise WrongPassword
    with transaction.atomic():
        # These would stay behind, belonging to nobody.
        OutstandingToken.objects.filter(user_id=user.id).delete()
        user.delete()
