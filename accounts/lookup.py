"""Finding rows by texts that they hold only encrypted: each has a keyed digest of the text beside its ciphertext.

The lookup key belongs to the installation. It is made once, by the first row that needs it, and wrapped with a master
key like users' keys; ``rotate_keys --master`` wraps it again. It never changes, so digests stay comparable, and their
uniqueness holds. A server whose master keys do not open it finds no user and creates none.
"""

from collections import deque
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from django.db import connection, models

from accounts.cipher import MasterKeys, WrappedKey, lookup_digest, new_lookup_key
from accounts.encryption import master_keys

_READ: Final = "SELECT wrapped_key, master_key_id FROM accounts_lookupkey"
# Of two processes that start with an empty database, the second waits here for the first, and then reads its key.
_MAKE: Final = """
INSERT INTO accounts_lookupkey (id, wrapped_key, master_key_id) VALUES (1, %s, %s) ON CONFLICT DO NOTHING
"""

_last_read: Final[deque[WrappedKey]] = deque(maxlen=1)


class LookupKey(models.Model):
    """The one row with the lookup key, wrapped."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    wrapped_key = models.TextField(editable=False)
    master_key_id = models.CharField(max_length=16, editable=False)

    def __str__(self) -> str:
        return "lookup key"


def digests_to_find(purpose: str, texts: Iterable[str]) -> list[bytes]:
    """The digests of ``texts``; empty ones, which no row has, while there is no lookup key. One query.

    Raises as ``digest_to_store``.
    """
    secret = _lookup_key()
    return [lookup_digest(secret, purpose, text) if secret else b"" for text in texts]


def expected_digest(purpose: str, text: str) -> tuple[bytes, str] | None:
    """The digest of ``text`` by the key that this process has read last, and ``LookupKey.wrapped_key`` as of then.

    No query, so a query by this digest must also check that this wrapped key is still stored. None before the first
    read. Raises as ``digest_to_store``.
    """
    if not _last_read:
        return None
    wrapped = _last_read[0]
    return lookup_digest(_unwrapped(master_keys(), wrapped), purpose, text), wrapped.token


def digest_to_store(purpose: str, text: str) -> bytes:
    """The digest of ``text``, with a new lookup key if there is none.

    Raises ``KeyConfigurationError``, ``MissingMasterKey`` or ``CorruptedKey``.
    """
    return lookup_digest(_lookup_key() or _new_lookup_key(), purpose, text)


def rewrap_lookup_key() -> None:
    """Wrap the lookup key with the newest master key. Raises as ``digest_to_store``."""
    masters = master_keys()
    for row in LookupKey.objects.exclude(master_key_id=masters.newest.id):
        older = WrappedKey(token=row.wrapped_key, master_key_id=row.master_key_id)
        fresh = masters.wrap_lookup_key(masters.unwrap_lookup_key(older))
        LookupKey.objects.update(wrapped_key=fresh.token, master_key_id=fresh.master_key_id)


def _lookup_key() -> bytes | None:
    # Read each time: a key that this process made may be undone with the transaction that made it.
    with connection.cursor() as cursor:
        cursor.execute(_READ)
        found = cursor.fetchone()
    if found is None:
        return None
    wrapped = WrappedKey(token=found[0], master_key_id=found[1])
    secret = _unwrapped(master_keys(), wrapped)
    _last_read.append(wrapped)
    return secret


def _new_lookup_key() -> bytes:
    wrapped = master_keys().wrap_lookup_key(new_lookup_key())
    with connection.cursor() as cursor:
        cursor.execute(_MAKE, [wrapped.token, wrapped.master_key_id])
    return _lookup_key() or _new_lookup_key()


@lru_cache(maxsize=4)
def _unwrapped(masters: MasterKeys, wrapped: WrappedKey) -> bytes:
    return masters.unwrap_lookup_key(wrapped)
