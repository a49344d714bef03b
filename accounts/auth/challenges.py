"""Challenges that no authenticator has answered yet: each may be answered once, in time, for its purpose and user.

The database has only digests, and of each network no more than ``MAX_OF_NETWORK``: newer ones displace the oldest.
"""

import hashlib
import secrets
from datetime import timedelta
from enum import StrEnum
from typing import Final

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone as clock
from django.utils.crypto import salted_hmac

from accounts.credential_models import AuthenticatorApp, PasskeyChallenge
from accounts.models import User
from accounts.networks import network_of

LIFETIME: Final = timedelta(minutes=5)
"""The time that a person has for answering."""
MAX_OF_NETWORK: Final = 500
_BYTES: Final = 32


class ChallengePurpose(StrEnum):
    """What an answer is good for."""

    SIGN_IN = "sign-in"
    REGISTER = "register"
    CONFIRM = "confirm"


def new_challenge(purpose: ChallengePurpose, *, user: User | None, ip: str) -> bytes:
    """A challenge for this user, or for any user, requested from ``ip``. Expired ones are deleted."""
    challenge, now, network = secrets.token_bytes(_BYTES), clock.now(), _digest_of_network(ip)
    _delete_unlocked(PasskeyChallenge.objects.filter(expires_at__lte=now))
    asked = PasskeyChallenge.objects.filter(network=network)
    newest = asked.order_by("-expires_at").values("digest")[: MAX_OF_NETWORK - 1]
    _delete_unlocked(asked.exclude(digest__in=newest))
    PasskeyChallenge.objects.create(
        digest=_digest(challenge), purpose=purpose, user=user, network=network, expires_at=now + LIFETIME
    )
    return challenge


def take_challenge(challenge: bytes, purpose: ChallengePurpose, *, user: User | None) -> bool:
    """Whether this challenge was open for this purpose and user. Afterwards it is not."""
    asked = PasskeyChallenge.objects.filter(digest=_digest(challenge), purpose=purpose, user=user)
    # Of two that delete one row only the first finds it.
    deleted, _ = asked.filter(expires_at__gt=clock.now()).delete()
    return deleted > 0


def withdraw_unfinished(user: User) -> None:
    """Delete the challenges that this user has not answered yet, and the apps that are not confirmed yet."""
    PasskeyChallenge.objects.filter(user=user).delete()
    AuthenticatorApp.objects.for_user(user.id).filter(confirmed_at=None).delete()


@transaction.atomic
def _delete_unlocked(challenges: QuerySet[PasskeyChallenge]) -> None:
    """Delete those that no other transaction is deleting.

    They are of several users, so two transactions that wait for each other's rows could do so in a circle.
    """
    free = challenges.select_for_update(skip_locked=True).values("pk")
    PasskeyChallenge.objects.filter(pk__in=free).delete()


def _digest(challenge: bytes) -> str:
    return hashlib.sha256(challenge).hexdigest()


def _digest_of_network(ip: str) -> str:
    # Keyed, since there are few enough networks to try them all.
    return salted_hmac(__name__, network_of(ip), algorithm="sha256").hexdigest()
