"""Disclosures as rows of the database."""

import json
from collections.abc import Iterable
from uuid import UUID, uuid4

from django.db import transaction
from django.utils import timezone as clock

from accounts.errors import EncryptionError
from accounts.keys import Place
from accounts.vault import Vault, vault_for_writing
from agents.calls import Table
from agents.disclosure_models import Disclosure
from agents.disclosures.records import Occasion, Sent
from agents.names import MAX_NAME_CHARS, storable


def record(occasion: Occasion, sent: Sent, *, left_server: bool) -> None:
    """Write down what is sent, a row a table; of a job, without what an earlier run of it has sent already.

    Raises ``AccountGone`` or ``EncryptionError``.
    """
    origin, now = occasion.origin, clock.now()
    model = storable(sent.model)[:MAX_NAME_CHARS]
    with transaction.atomic():
        vault = vault_for_writing(origin.user_id)
        Disclosure.objects.bulk_create(
            Disclosure(
                id=(row_id := uuid4()),
                user_id=origin.user_id,
                request_id=storable(origin.request_id)[:MAX_NAME_CHARS],
                device_id=storable(origin.device_id),
                source=occasion.source,
                job_id=occasion.job_id,
                model=model,
                left_server=left_server,
                table=table,
                row_count=len(ids),
                row_ids_encrypted=vault.encrypt(_place(row_id), json.dumps(sorted(ids))),
                at=now,
            )
            for table, told in sent.rows.items()
            if (ids := told - _known(occasion, model, table, vault))
        )


def row_ids_in(row: Disclosure, vault: Vault) -> list[str]:
    """Raises ``EncryptionError``."""
    ids: list[str] = json.loads(vault.decrypt(_place(row.id), row.row_ids_encrypted))
    return ids


def _known(occasion: Occasion, model: str, table: Table, vault: Vault) -> frozenset[str]:
    if occasion.job_id is None:
        return frozenset()
    earlier = Disclosure.objects.for_user(occasion.origin.user_id).filter(
        job_id=occasion.job_id, model=model, table=table
    )
    return frozenset(row_id for ids in _readable(earlier, vault) for row_id in ids)


def _readable(rows: Iterable[Disclosure], vault: Vault) -> Iterable[list[str]]:
    for row in rows:
        try:
            yield row_ids_in(row, vault)
        except EncryptionError:
            # Counted twice rather than not at all.
            continue


def _place(row_id: UUID) -> Place:
    return Place(table="agents_disclosure", column="row_ids_encrypted", row_id=row_id)
