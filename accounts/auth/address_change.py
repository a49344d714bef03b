"""Another address for an account, for a user who has lost the older one.

Only the operator of the server does this: with a new address comes a new password, by a link that is sent to it.
"""

from uuid import UUID

from django.db import IntegrityError, transaction

from accounts.audit import record_event
from accounts.auth.tokens import revoke_all_tokens
from accounts.auth.verification import ask_to_verify, initial_state
from accounts.errors import AddressTaken
from accounts.locks import lock_user
from accounts.models import User


def change_address(user_id: UUID, address: str, *, reason: str) -> User:
    """Give the account ``address``, which is sent a link that verifies it. All sessions, tokens and links end.

    Raises ``AddressTaken``, Django's ``ValidationError``, ``AccountGone``, and as ``record_event``.
    """
    try:
        with transaction.atomic():
            user = lock_user(user_id)
            user.email, user.address_state = address, initial_state()
            user.clean_fields(exclude={field.name for field in User._meta.fields} - {"email"})  # noqa: SLF001 - Django's public name for it
            user.save(update_fields=["email", "address_state"])
            record_event(actor=None, subject_id=user_id, action="change-address", reason=reason)
            revoke_all_tokens(user_id)
    except IntegrityError:
        raise AddressTaken from None
    ask_to_verify(user)
    return user
