"""What is remembered of an erased user's ciphertexts for some days, so that ``verify_erasure`` knows them again.

A trace is a digest of the beginning of a Fernet token, which is random: it says nothing, and finds the token in files.
"""

import hashlib
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import ClassVar, Final
from uuid import UUID

from django.conf import settings
from django.db import models
from django.utils import timezone as clock

_DIGEST_BYTES: Final = 8
_PREFIX_CHARS: Final = 40
"""Version, time and initialization vector of a token, and a little of its ciphertext."""


class ErasureTrace(models.Model):
    """The digests of some ciphertexts of one erased user, one after the other."""

    user_id = models.UUIDField()
    erased_at = models.DateTimeField(default=clock.now)
    digests = models.BinaryField()

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            # Those of one user.
            models.Index(fields=["user_id"], name="accounts_trace_of_user"),
            # Those that are old.
            models.Index(fields=["erased_at"], name="accounts_trace_old"),
        ]

    def __str__(self) -> str:
        return str(self.pk)


def note_ciphertexts(user_id: UUID, tokens: Iterable[str | None]) -> None:
    """Remember these ciphertexts of a user who is being erased, unless nothing is to be kept."""
    if not settings.KEEP_ERASURE_TRACES_DAYS:
        return
    digests = b"".join(digest_of(token.rpartition(":")[2].encode()) for token in tokens if token)
    if digests:
        ErasureTrace.objects.create(user_id=user_id, digests=digests)


def digest_of(token: bytes) -> bytes:
    """The digest of a Fernet token, whole or its beginning."""
    return hashlib.sha256(token[:_PREFIX_CHARS]).digest()[:_DIGEST_BYTES]


def traces_of(user_id: UUID) -> frozenset[bytes]:
    """The digests of the user's ciphertexts, as far as they are remembered."""
    found = ErasureTrace.objects.filter(user_id=user_id).values_list("digests", flat=True)
    whole = [bytes(digests) for digests in found]
    return frozenset(one[at : at + _DIGEST_BYTES] for one in whole for at in range(0, len(one), _DIGEST_BYTES))


def drop_old_traces(now: datetime | None = None) -> None:
    """Forget the traces that are older than ``settings.KEEP_ERASURE_TRACES_DAYS``."""
    before = (now or clock.now()) - timedelta(days=settings.KEEP_ERASURE_TRACES_DAYS)
    ErasureTrace.objects.filter(erased_at__lt=before).delete()
