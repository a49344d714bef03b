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
        # Locked first: a device that says hello meanwhile waits for the end, and then belongs to nobody.
        locked = User.objects.select_for_update().filter(id=user.id).first()
        if locked is not None:
            # These would stay behind.
            OutstandingToken.objects.filter(user=locked).delete()
            locked.delete()
