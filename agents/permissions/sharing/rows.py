"""The marks of a user as a row of the database."""

import json
from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID, uuid4

from django.db import transaction

from accounts.keys import Place
from accounts.models import User
from accounts.vault import Vault, open_vault
from agents.calls import Table
from agents.permissions.disclosures.entries import SharingMarks
from agents.permissions.sharing.marks import Marks

HAS_MARKS: Final = "SELECT 1 FROM agents_sharingmarks WHERE user_id = %s"
_NOTHING: Final = Marks()


def marks_of(user_id: UUID) -> Marks:
    """What the user never shares. One query where nothing is marked.

    Raises ``AccountGone`` or ``EncryptionError``: then nothing may be taken for shared.
    """
    row = SharingMarks.objects.for_user(user_id).first()
    return _NOTHING if row is None else marks_in(row, open_vault(user_id))


def replace_marks(user_id: UUID, marks: Marks) -> None:
    """From now on these marks hold and no others. Raises as ``marks_of``."""
    with transaction.atomic():
        # Locked: of two at once one holds, and the key must not change meanwhile.
        User.objects.select_for_update(no_key=True).get(id=user_id)
        known = SharingMarks.objects.for_user(user_id).values_list("id", flat=True).first()
        if not marks:
            SharingMarks.objects.for_user(user_id).delete()
            return
        row_id = known or uuid4()
        sealed = open_vault(user_id).encrypt(_place(row_id), _written(marks))
        SharingMarks(id=row_id, user_id=user_id, marks_encrypted=sealed).save(
            force_insert=known is None, force_update=known is not None
        )


def marks_in(row: SharingMarks, vault: Vault) -> Marks:
    """Raises ``EncryptionError``."""
    stored: Mapping[str, Sequence[str]] = json.loads(vault.decrypt(_place(row.id), row.marks_encrypted))
    return Marks(tables=frozenset(Table(name) for name in stored["tables"]), projects=frozenset(stored["projects"]))


def _written(marks: Marks) -> str:
    return json.dumps({"tables": sorted(marks.tables), "projects": sorted(marks.projects)})


def _place(row_id: UUID) -> Place:
    return Place(table="agents_sharingmarks", column="marks_encrypted", row_id=row_id)
