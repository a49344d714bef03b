"""The counter of changes to what is searched of a user's memory, and the log of what was forgotten.

By these, a process notices that its caches are outdated.
"""

from collections.abc import Collection
from typing import ClassVar, Final
from uuid import UUID

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import connection, models
from django.utils import timezone as clock

MAX_LOGGED: Final = 100
"""How many of a user's changes that deleted rows the log has. They are the latest ones."""
MAX_LOGGED_ROWS: Final = 1_000
"""A change that deleted more rows than this is not in the log."""


class MemoryRevision(models.Model):
    """How often what is searched of a user's memory has changed.

    Each turn reads it, and so notices that the caches of its process are outdated. ``latest`` counts the changes.
    ``forgotten`` is the number of the last change that deleted rows, and ``forgotten_by_owner`` that of the last one by
    which the user had something forgotten: a turn that began before it might record the same again.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", primary_key=True)
    latest = models.BigIntegerField(default=0)
    forgotten = models.BigIntegerField(default=0)
    forgotten_by_owner = models.BigIntegerField(default=0, db_default=0)

    def __str__(self) -> str:
        return f"{self.latest} of {self.user_id}"


class ForgottenRows(models.Model):
    """The ids of the rows that the change with the number ``revision`` deleted, so that processes need not compare all
    ids.

    ``previous`` is the number of the change before it that deleted rows. Entries may be deleted at any time, and there
    is none if too many rows were deleted or an earlier release deleted them. A reader follows ``previous`` from
    ``MemoryRevision.forgotten``; if an entry is missing, it reads the ids of all rows.
    """

    # A constraint would prevent an earlier release, which does not know this table, from erasing an account. The rows
    # that it leaves are deleted with the log's old entries.
    counter = models.ForeignKey(
        MemoryRevision, models.CASCADE, related_name="+", db_column="user_id", db_index=False, db_constraint=False
    )
    revision = models.BigIntegerField()
    previous = models.BigIntegerField()
    row_ids = ArrayField(models.UUIDField())
    created_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            # Its index serves recall, which reads what was forgotten since an index was built.
            models.UniqueConstraint(fields=["counter", "revision"], name="memory_forgotten_rows_of_user"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            # For the deletion of old entries.
            models.Index(fields=["created_at"], name="memory_forgotten_rows_oldest"),
        ]

    def __str__(self) -> str:
        return f"{len(self.row_ids)} rows, change {self.revision} of {self.counter_id}"


# The row stays locked until the transaction ends, so the numbers are in the order of commits, and a reader that sees a
# number sees all changes with lower numbers.
_NEXT_REVISION: Final = """
    INSERT INTO memory_memoryrevision AS counter (user_id, latest, forgotten, forgotten_by_owner)
    SELECT id, 1, 0, 0 FROM accounts_user WHERE id = %(user_id)s AND (memory_enabled OR NOT %(only_enabled)s)
    ON CONFLICT (user_id) DO UPDATE SET latest = counter.latest + 1
    RETURNING latest
"""


def next_revision(user_id: UUID, *, only_enabled: bool = False) -> int | None:
    """Count a change to the user's memory and return its number. Call it after other rows have been locked.

    None if there is no such user or, with ``only_enabled``, if the user has turned the memory off.
    """
    with connection.cursor() as cursor:
        cursor.execute(_NEXT_REVISION, {"user_id": user_id, "only_enabled": only_enabled})
        found = cursor.fetchone()
    return None if found is None else int(found[0])


def next_forgetting(user_id: UUID, row_ids: Collection[UUID] | None, *, by_owner: bool = True) -> int | None:
    """As ``next_revision``, for a change that deletes these rows, or all rows if None. Call it in a transaction.

    ``by_owner`` says that the user wants them forgotten.
    """
    revision = next_revision(user_id)
    if revision is None:
        return None
    # Locked since then.
    counter = MemoryRevision.objects.filter(user_id=user_id)
    previous = counter.values_list("forgotten", flat=True).get()
    counter.update(forgotten=revision, **({"forgotten_by_owner": revision} if by_owner else {}))
    log = ForgottenRows.objects.filter(counter_id=user_id)
    if row_ids is not None and len(row_ids) <= MAX_LOGGED_ROWS:
        log.create(counter_id=user_id, revision=revision, previous=previous, row_ids=list(row_ids))
    log.filter(revision__in=list(log.order_by("-revision").values_list("revision", flat=True)[MAX_LOGGED:])).delete()
    return revision


def forgotten_since(user_id: UUID, revision: int) -> bool:
    """Whether the user has had something forgotten since this change. Call it after ``next_revision``."""
    return MemoryRevision.objects.filter(user_id=user_id, forgotten_by_owner__gt=revision).exists()
