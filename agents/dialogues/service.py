"""A user's conversations with a model outside the assistant; one row, and one ciphertext, for each."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar
from uuid import UUID, uuid4

from django.db import transaction
from pydantic import TypeAdapter

from accounts.cipher import Place
from accounts.database import in_database
from accounts.errors import AccountError
from accounts.keys.vault import Vault, open_vault, vault_for_writing
from accounts.timezones import utc_now
from agents.adapters.base import latest
from agents.dialogues.models import Dialogue
from agents.dialogues.port import Turn
from agents.errors import ModelRetry, ToolFailed

_T = TypeVar("_T")


_TURNS: Final = TypeAdapter(tuple[Turn, ...])


@dataclass(frozen=True, kw_only=True, slots=True)
class UserDialogues:
    """The ``Dialogues`` of one user, in the database."""

    user_id: UUID
    clock: Callable[[], datetime] = utc_now

    async def turns(self, dialogue_id: UUID, model: str) -> Sequence[Turn]:
        """As ``said``."""
        return await _in_database(lambda: said(self.user_id, dialogue_id, model))

    async def add(self, dialogue_id: UUID | None, model: str, turns: Sequence[Turn]) -> UUID:
        """Append ``turns`` to a conversation, or to a new one; return its id. Raises as ``turns``."""
        now = self.clock()
        if dialogue_id is None:
            return await _in_database(lambda: begin(self.user_id, model, turns, now=now))
        return await _in_database(lambda: append(self.user_id, dialogue_id, model, turns, now=now))


def said(user_id: UUID, dialogue_id: UUID, model: str) -> Sequence[Turn]:
    """The turns of the user's conversation with ``model``, oldest first.

    Raises ``ModelRetry`` if there is no such conversation, and what ``open_vault`` raises.
    """
    return turns_in(_found(user_id, dialogue_id, model), open_vault(user_id))


def begin(user_id: UUID, model: str, turns: Sequence[Turn], *, now: datetime) -> UUID:
    """Create a conversation with ``turns``."""
    with transaction.atomic():
        vault = vault_for_writing(user_id)
        dialogue_id = uuid4()
        Dialogue.objects.create(
            id=dialogue_id,
            user_id=user_id,
            model=model,
            turns_encrypted=_sealed(dialogue_id, turns, vault),
            created_at=now,
            updated_at=now,
        )
    return dialogue_id


def append(user_id: UUID, dialogue_id: UUID, model: str, turns: Sequence[Turn], *, now: datetime) -> UUID:
    """Append ``turns`` to a conversation. Safe against concurrent appends. Raises as ``said``."""
    with transaction.atomic():
        vault = vault_for_writing(user_id)
        row = _found(user_id, dialogue_id, model, locked=True)
        row.turns_encrypted = _sealed(dialogue_id, (*turns_in(row, vault), *turns), vault)
        row.updated_at = now
        row.save(update_fields=["turns_encrypted", "updated_at"])
    return dialogue_id


def turns_in(row: Dialogue, vault: Vault) -> tuple[Turn, ...]:
    """Raises ``EncryptionError``."""
    return _TURNS.validate_python(json.loads(vault.decrypt(_place(row.id), row.turns_encrypted)))


def _found(user_id: UUID, dialogue_id: UUID, model: str, *, locked: bool = False) -> Dialogue:
    rows = Dialogue.objects.for_user(user_id).filter(id=dialogue_id, model=model)
    row = (rows.select_for_update() if locked else rows).first()
    if row is None:
        raise ModelRetry(f"There is no session {dialogue_id} with {model}: leave it out to begin a new one.")
    return row


def _sealed(dialogue_id: UUID, turns: Sequence[Turn], vault: Vault) -> str:
    # A model gets only the latest turns.
    kept = tuple(latest(turns))
    return vault.encrypt(_place(dialogue_id), json.dumps(_TURNS.dump_python(kept, mode="json")))


def _place(dialogue_id: UUID) -> Place:
    return Place(table="agents_dialogue", column="turns_encrypted", row_id=dialogue_id)


async def _in_database(work: Callable[[], _T]) -> _T:
    try:
        return await in_database(work)
    except AccountError as error:
        raise ToolFailed(f"The session cannot be opened right now. {error}") from None
