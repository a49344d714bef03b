"""Encrypt addresses, device ids and platforms with their users' keys, and find users and devices by keyed digests.

One transaction: without the master keys it says so and changes nothing. The next migration rewrites the tables, so that
no page keeps what is encrypted now.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.core.management.base import CommandError
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from accounts.cipher import MasterKeys, Place, UserKey, WrappedKey, encrypt, lookup_digest, new_lookup_key
from accounts.encryption import master_keys
from accounts.errors import CorruptedKey, KeyConfigurationError
from accounts.progress import shown

_BATCH: Final = 1000
_NOTHING_CHANGED: Final = "Addresses are encrypted with users' keys, so this needs the master keys. Nothing was changed."
_USERS: Final = "SELECT id, email, encryption_key, encryption_key_version, master_key_id FROM accounts_user"
_DEVICES: Final = "SELECT id, user_id, device_id, platform FROM accounts_device"
_STORE_USERS: Final = """
    UPDATE accounts_user SET email_digest = new.digest, email_encrypted = new.email
    FROM unnest(%s::uuid[], %s::bytea[], %s::text[]) AS new (id, digest, email) WHERE accounts_user.id = new.id
"""
_STORE_DEVICES: Final = """
    UPDATE accounts_device
    SET device_digest = new.digest, device_id_encrypted = new.device_id, platform_encrypted = new.platform
    FROM unnest(%s::uuid[], %s::bytea[], %s::text[], %s::text[]) AS new (id, digest, device_id, platform)
    WHERE accounts_device.id = new.id
"""


def seal_texts(_apps: object, editor: BaseDatabaseSchemaEditor) -> None:
    """Raises ``CommandError`` if a master key is missing."""
    with editor.connection.cursor() as cursor:
        cursor.execute(_USERS)
        users = cursor.fetchall()
        if not users:
            return
        masters = _master_keys({row[4] for row in users if row[2]})
        secret = new_lookup_key()
        wrapped = masters.wrap_lookup_key(secret)
        cursor.execute("INSERT INTO accounts_lookupkey VALUES (1, %s, %s)", [wrapped.token, wrapped.master_key_id])
        cursor.execute(_DEVICES)
        devices = cursor.fetchall()
        keys = {row[0]: _key(masters, *row[2:], user_id=row[0]) for row in users}
        with shown("Rows") as progress:
            progress.expect(len(users) + len(devices))
            for batch in _batches(users):
                cursor.execute(_STORE_USERS, _columns(_sealed_user(row, secret, keys) for row in batch))
                progress.advance(len(batch))
            for batch in _batches(devices):
                cursor.execute(_STORE_DEVICES, _columns(_sealed_device(row, secret, keys) for row in batch))
                progress.advance(len(batch))


def refuse_to_go_back(_apps: object, editor: BaseDatabaseSchemaEditor) -> None:
    """Raises ``CommandError`` if there are users: their addresses would be in the clear again."""
    with editor.connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM accounts_user)")
        if cursor.fetchone()[0]:
            raise CommandError("Addresses stay encrypted: to go back, restore a backup. Nothing was changed.")


def _master_keys(used: set[str]) -> MasterKeys:
    try:
        masters = master_keys()
    except KeyConfigurationError as error:
        raise CommandError(f"{error} {_NOTHING_CHANGED}") from error
    if missing := sorted(used - {key.id for key in masters.keys}):
        raise CommandError(f"Not in ADIUVA_MASTER_KEYS: {', '.join(missing)}. {_NOTHING_CHANGED}")
    return masters


def _key(masters: MasterKeys, token: str, version: int, master_key_id: str, *, user_id: UUID) -> UserKey | None:
    try:
        wrapped = WrappedKey(token=token, master_key_id=master_key_id)
        return masters.unwrap(wrapped, user_id=user_id, version=version) if token else None
    except CorruptedKey:  # nothing of this user can be read, nor will these texts be
        return None


def _sealed_user(row: Sequence[Any], secret: bytes, keys: Mapping[UUID, UserKey | None]) -> tuple[UUID, bytes, str]:
    user_id, address = row[:2]
    digest = lookup_digest(secret, "email address", address)
    return user_id, digest, _sealed("accounts_user", "email_encrypted", user_id, keys[user_id], address)


def _sealed_device(
    row: Sequence[Any], secret: bytes, keys: Mapping[UUID, UserKey | None]
) -> tuple[UUID, bytes, str, str]:
    row_id, user_id, device_id, platform = row
    digest, key = lookup_digest(secret, "device", f"{user_id}\n{device_id}"), keys[user_id]
    return (
        row_id,
        digest,
        _sealed("accounts_device", "device_id_encrypted", row_id, key, device_id),
        _sealed("accounts_device", "platform_encrypted", row_id, key, platform),
    )


def _sealed(table: str, column: str, row_id: UUID, key: UserKey | None, text: str) -> str:
    return encrypt(key, Place(table=table, column=column, row_id=row_id), text) if key and text else ""


def _columns(rows: Iterable[tuple[Any, ...]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]


def _batches(rows: Sequence[Any]) -> Iterator[Sequence[Any]]:
    return (rows[start : start + _BATCH] for start in range(0, len(rows), _BATCH))


class Migration(migrations.Migration):
    dependencies = [("accounts", "0008_sessions")]

    operations = [
        migrations.CreateModel(
            name="LookupKey",
            fields=[
                ("id", models.PositiveSmallIntegerField(default=1, editable=False, primary_key=True, serialize=False)),
                ("wrapped_key", models.TextField(editable=False)),
                ("master_key_id", models.CharField(editable=False, max_length=16)),
            ],
        ),
        migrations.AddField("user", "email_encrypted", models.TextField(default="", editable=False), False),
        migrations.AddField("user", "digest", models.BinaryField(db_column="email_digest", null=True)),
        migrations.AddField("device", "device_digest", models.BinaryField(max_length=32, null=True)),
        migrations.AddField("device", "device_id_encrypted", models.TextField(default=""), False),
        migrations.AddField("device", "platform_encrypted", models.TextField(blank=True, default=""), False),
        migrations.RunPython(seal_texts, migrations.RunPython.noop),
        migrations.RemoveConstraint("device", "accounts_device_of_user"),
        migrations.RemoveField("device", "device_id"),
        migrations.RemoveField("device", "platform"),
        migrations.AlterField("device", "device_digest", models.BinaryField(max_length=32)),
        migrations.AddConstraint(
            "device", models.UniqueConstraint(fields=("user", "device_digest"), name="accounts_device_of_user")
        ),
        migrations.RemoveConstraint("user", "accounts_user_email_any_case"),
        migrations.RemoveField("user", "email"),
        migrations.RenameField("user", "digest", "email"),
        migrations.AlterField(
            "user",
            "email",
            models.BinaryField(
                "email address",
                db_column="email_digest",
                editable=True,
                error_messages={"unique": "This address is taken."},
                max_length=254,
                unique=True,
            ),
        ),
        # In reverse this comes first.
        migrations.RunPython(migrations.RunPython.noop, refuse_to_go_back),
    ]
