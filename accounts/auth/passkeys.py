"""Passkeys: signing in with a device or a security key instead of an address and a password.

A browser gets options (``navigator.credentials.create`` or ``.get``), and answers with a credential. Both are
WebAuthn's own JSON. Each answer counts once, for the user and the purpose of its options. The authenticator must have
verified its user by a PIN or a fingerprint, so a passkey alone is two factors.
"""

from typing import Final
from uuid import UUID, uuid4

from django.contrib.auth.models import update_last_login
from django.db import IntegrityError, transaction
from django.utils import timezone as clock

from accounts.audit import record_event
from accounts.auth.ceremonies import (
    Assertion,
    NewCredential,
    WebAuthnJson,
    asserted,
    challenge_in,
    creation_options,
    credential_in,
    registered,
    request_options,
)
from accounts.auth.challenges import ChallengePurpose, new_challenge, take_challenge, withdraw_unfinished
from accounts.auth.tokens import end_staff_sessions, lock_signed_in
from accounts.auth.verification import check_may_sign_in
from accounts.credential_models import Passkey
from accounts.errors import (
    LastSignIn,
    PasskeyRefused,
    PasskeyUnfit,
    TooManyPasskeys,
    UnknownPasskey,
    WrongPasskey,
)
from accounts.keys.custody import EncryptedTable
from accounts.keys.vault import open_vault, vault_for_writing
from accounts.models import User

MAX_PASSKEYS: Final = 20
MAX_NAME_CHARS: Final = 100
PASSKEYS: Final = EncryptedTable(
    model=Passkey, exported=("id", "name_encrypted", "transports", "backed_up", "created_at", "last_used_at")
)


def registration_options(user: User, *, ip: str = "") -> WebAuthnJson:
    """Options for making a passkey of this user, who has just been asked for the password or a passkey.

    Raises ``PasskeysUnavailable``.
    """
    challenge = new_challenge(ChallengePurpose.REGISTER, user=user, ip=ip)
    return creation_options(user, challenge, known=Passkey.objects.for_user(user.id))


def register_passkey(user: User, credential: WebAuthnJson, *, name: str) -> Passkey:
    """The passkey in the answer to ``registration_options``, with its ``name``.

    Raises ``PasskeyUnfit``, ``TooManyPasskeys``, ``InvalidCredentials`` if the user has been signed out since, and as
    ``open_vault``.
    """
    try:
        challenge = challenge_in(credential)
    except PasskeyRefused:
        raise PasskeyUnfit from None
    if not take_challenge(challenge, ChallengePurpose.REGISTER, user=user):
        raise PasskeyUnfit
    made = registered(credential, challenge)
    try:
        with transaction.atomic():
            return _added(user, made, name)
    except IntegrityError:  # the id is another passkey's
        raise PasskeyUnfit from None


def authentication_options(user: User | None = None, *, ip: str = "") -> WebAuthnJson:
    """Options for signing in with any passkey; with ``user``, for confirming something with one of theirs.

    Raises ``PasskeysUnavailable``.
    """
    purpose = ChallengePurpose.SIGN_IN if user is None else ChallengePurpose.CONFIRM
    challenge = new_challenge(purpose, user=user, ip=ip)
    return request_options(challenge, known=() if user is None else Passkey.objects.for_user(user.id))


def log_in_with_passkey(credential: WebAuthnJson) -> User:
    """The active user who answers ``authentication_options()``. Raises ``PasskeyRefused``, always the same.

    Raises ``AddressUnverified``, and as ``open_vault``, where signing in with a password does. An authenticator whose
    sign count has gone back may be a copy: it is refused, and audited.
    """
    user = _verified(credential, None).user
    check_may_sign_in(user)
    user.check_key()
    update_last_login(type(user), user)
    return user


def verify_for(user: User, credential: WebAuthnJson) -> Passkey:
    """The passkey with which ``user`` answers ``authentication_options(user)``. Raises ``WrongPasskey``."""
    try:
        return _verified(credential, user)
    except PasskeyRefused:
        raise WrongPasskey from None


def has_passkey(user: User) -> bool:
    return Passkey.objects.for_user(user.id).exists()


def passkeys_of(user: User) -> list[Passkey]:
    """The user's passkeys with their ``name``, newest first; None for one that cannot be decrypted.

    Raises as ``open_vault``.
    """
    vault = open_vault(user.id)
    passkeys = list(Passkey.objects.for_user(user.id).order_by("-created_at", "id"))
    for passkey in passkeys:
        passkey.name = vault.open_or_none(passkey, "name_encrypted")
    return passkeys


def rename_passkey(user: User, passkey_id: UUID, *, name: str) -> Passkey:
    """Raises ``UnknownPasskey``, and as ``open_vault``."""
    with transaction.atomic():
        vault = vault_for_writing(user.id)
        passkey = Passkey.objects.for_user(user.id).select_for_update().filter(id=passkey_id).first()
        if passkey is None:
            raise UnknownPasskey
        passkey.name_encrypted = vault.seal(passkey, "name_encrypted", name)
        passkey.save(update_fields=["name_encrypted"])
    passkey.name = name
    return passkey


def remove_passkey(user: User, passkey_id: UUID) -> None:
    """Raises ``UnknownPasskey``, ``LastSignIn``, or ``InvalidCredentials`` if the user has been signed out since."""
    with transaction.atomic():
        # Locked, so that of two removals at once the second finds out that its passkey is the last one.
        locked = lock_signed_in(user)
        owned = Passkey.objects.for_user(user.id)
        if not owned.filter(id=passkey_id).exists():
            raise UnknownPasskey
        if not locked.has_usable_password() and owned.count() == 1:
            raise LastSignIn
        owned.filter(id=passkey_id).delete()
        end_staff_sessions(user)
        record_event(actor=user, subject_id=user.id, action="remove-passkey", object_id=passkey_id)


def _added(user: User, made: NewCredential, name: str) -> Passkey:
    lock_signed_in(user)
    vault, others = vault_for_writing(user.id), Passkey.objects.for_user(user.id).count()
    if others >= MAX_PASSKEYS:
        raise TooManyPasskeys
    if not others:
        # A password alone was enough to ask for those that are open.
        withdraw_unfinished(user)
    passkey = Passkey(
        id=uuid4(),
        user=user,
        credential_id=made.id,
        public_key=made.public_key,
        sign_count=made.sign_count,
        transports=" ".join(made.transports),
        backup_eligible=made.backup_eligible,
        backed_up=made.backed_up,
    )
    passkey.name_encrypted = vault.seal(passkey, "name_encrypted", name)
    passkey.save(force_insert=True)
    record_event(actor=user, subject_id=user.id, action="add-passkey", object_id=passkey.id)
    passkey.name = name
    return passkey


def _verified(credential: WebAuthnJson, user: User | None) -> Passkey:
    """The passkey that signed this answer for ``user``, or else for its own user. Raises ``PasskeyRefused``."""
    challenge = challenge_in(credential)
    # Taken first: a wrong answer uses it up, too.
    if not take_challenge(challenge, ChallengePurpose.SIGN_IN if user is None else ChallengePurpose.CONFIRM, user=user):
        raise PasskeyRefused
    passkey = _named_in(credential, user)
    said = asserted(credential, challenge, public_key=bytes(passkey.public_key))
    if said.backup_eligible != passkey.backup_eligible:  # it never changes, by WebAuthn's section 6.1.3
        raise PasskeyRefused
    _note_use(passkey, said)
    return passkey


def _named_in(credential: WebAuthnJson, user: User | None) -> Passkey:
    credential_id, handle = credential_in(credential)
    passkey = Passkey.objects.select_related("user").filter(credential_id=credential_id).first()
    if passkey is None or not passkey.user.is_active or (user is not None and passkey.user_id != user.id):
        raise PasskeyRefused
    # Without an address, only the handle says who signs in.
    if handle != passkey.user_id.bytes and (user is None or handle is not None):
        raise PasskeyRefused
    return passkey


def _note_use(passkey: Passkey, said: Assertion) -> None:
    """Raises ``PasskeyRefused`` if the sign count has not grown. Passkeys that do not count always say 0."""
    earlier = {"sign_count__lt": said.sign_count} if said.sign_count else {"sign_count": 0}
    unchanged = Passkey.objects.filter(id=passkey.id, **earlier)
    if not unchanged.update(sign_count=said.sign_count, backed_up=said.backed_up, last_used_at=clock.now()):
        owner = passkey.user
        record_event(actor=owner, subject_id=owner.id, action="refuse-cloned-passkey", object_id=passkey.id)
        raise PasskeyRefused
