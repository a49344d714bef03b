"""Notifying other packages that access has ended.

``access_revoked`` is sent after the commit, in the thread that committed, with ``user_id`` (a UUID) and ``device_id``
(``Device.id`` as text; None if all access of the user has ended). It is only a notification: it reaches this
process alone, and changes that bypass the models (``QuerySet.update``, SQL) send nothing. ``auth.tokens.revoked`` is
the source of truth.
"""

from collections.abc import Collection
from functools import partial
from uuid import UUID

from django.db import transaction
from django.db.models.signals import post_delete, post_save
from django.dispatch import Signal, receiver

from accounts.models import ENDING_ACCESS, User

access_revoked = Signal()
account_erased = Signal()
"""Sent once nothing of an account is left, with the ``address`` and the ``language`` that its user had."""


def announce_revocation(user_id: UUID, *, device_id: str | None = None) -> None:
    """Send ``access_revoked`` once the transaction is committed."""
    # Robust: an error in one receiver undoes nothing and does not keep the signal from the others.
    transaction.on_commit(partial(access_revoked.send_robust, sender=None, user_id=user_id, device_id=device_id))


@receiver(post_save, sender=User)
def _saved(instance: User, *, created: bool, update_fields: Collection[str] | None, **_: object) -> None:
    written = ENDING_ACCESS if update_fields is None else ENDING_ACCESS.intersection(update_fields)
    now = {name: getattr(instance, name) for name in written}
    before, instance.access_as_stored = instance.access_as_stored, {**instance.access_as_stored, **now}
    changed = {name for name, value in now.items() if before.get(name) != value}
    if not created and ("password" in changed or ("is_active" in changed and not instance.is_active)):
        announce_revocation(instance.id)


@receiver(post_delete, sender=User)
def _deleted(instance: User, **_: object) -> None:
    announce_revocation(instance.id)
