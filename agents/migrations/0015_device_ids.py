"""Replace the ids that devices gave themselves by those of their rows, in which they are encrypted.

Where the device is gone, the id is left empty. The next migration rewrites the tables, so that no page keeps what is
replaced now. Without the master keys it says so and changes nothing.
"""

from typing import Final
from uuid import UUID

from django.core.management.base import CommandError
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from accounts.errors import KeyConfigurationError, MissingMasterKey
from accounts.lookup import digests_to_find

_TABLES: Final = ("agents_approval", "agents_tooljob", "agents_disclosure")
_NAMED: Final = " UNION ".join(f"SELECT user_id, device_id FROM {table} WHERE device_id <> ''" for table in _TABLES)
_DEVICES: Final = "SELECT user_id, device_digest, id FROM accounts_device"
_REPLACE: Final = """
    UPDATE {table} SET device_id = new.id
    FROM unnest(%s::uuid[], %s::text[], %s::text[]) AS new (user_id, name, id)
    WHERE {table}.user_id = new.user_id AND device_id = new.name
"""


def replace_names(_apps: object, editor: BaseDatabaseSchemaEditor) -> None:
    """Raises ``CommandError`` if the master key is missing."""
    with editor.connection.cursor() as cursor:
        cursor.execute(_NAMED)
        named: list[tuple[UUID, str]] = cursor.fetchall()
        if not named:
            return
        try:
            digests = digests_to_find("device", (f"{user_id}\n{name}" for user_id, name in named))
        except (KeyConfigurationError, MissingMasterKey) as error:
            raise CommandError(f"{error} Devices are found by the master keys. Nothing was changed.") from error
        cursor.execute(_DEVICES)
        ids = {(user_id, bytes(digest)): str(row_id) for user_id, digest, row_id in cursor.fetchall()}
        users, names = [list(column) for column in zip(*named, strict=True)]
        found = [ids.get((user_id, digest), "") for (user_id, _), digest in zip(named, digests, strict=True)]
        for table in _TABLES:
            cursor.execute(_REPLACE.format(table=table), [users, names, found])


class Migration(migrations.Migration):
    dependencies = [("agents", "0014_approval_source"), ("accounts", "0009_sealed_addresses")]

    operations = [
        # Back again the rows keep the new ids, which no device of the older release has.
        migrations.RunPython(replace_names, migrations.RunPython.noop),
        *(
            migrations.AlterField(model, "device_id", models.CharField(blank=True, max_length=36))
            for model in ("approval", "tooljob", "disclosure")
        ),
    ]
