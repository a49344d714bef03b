"""Conversations with a model alone, as rows: what was said is one ciphertext a conversation."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, TypeVar
from uuid import UUID, uuid4

from channels.db import database_sync_to_async
from django.db import transaction
from pydantic import TypeAdapter

from accounts.errors import AccountError
from accounts.keys import Place
from accounts.vault import Vault, open_vault, vault_for_writing
from agents.adapters.earlier import latest
from agents.dialogues.models import Dialogue
from agents.dialogues.port import Turn
from agents.errors import ModelRetry, ToolFailed

_TURNS: Final = TypeAdapter(tuple[Turn, ...])
_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True, slots=True)
class UserDialogues:
    """The ``Dialogues`` of one user. ``clock`` gives the aware time."""

    user_id: UUID
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    async def turns(self, dialogue_id: UUID, model: str) -> Sequence[Turn]:
        return await _crossed(lambda: said(self.user_id, dialogue_id, model))

    async def add(self, dialogue_id: UUID | None, model: str, turns: Sequence[Turn]) -> UUID:
        now = self.clock()
        if dialogue_id is None:
            return await _crossed(lambda: begin(self.user_id, model, turns, now=now))
        return await _crossed(lambda: append(self.user_id, dialogue_id, model, turns, now=now))


def said(user_id: UUID, dialogue_id: UUID, model: str) -> Sequence[Turn]:
    """What was said in the user's conversation of this id with ``model``.

    Raises ``ModelRetry`` when there is none, and what ``open_vault`` raises.
    """
    return turns_in(_found(user_id, dialogue_id, model), open_vault(user_id))


def begin(user_id: UUID, model: str, turns: Sequence[Turn], *, now: datetime) -> UUID:
    """A new conversation that begins with ``turns``."""
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
    """Add ``turns`` to a conversation, whatever was added to it meanwhile. Raises as ``said``."""
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
    # No more than a model gets of it.
    kept = tuple(latest(turns))
    return vault.encrypt(_place(dialogue_id), json.dumps(_TURNS.dump_python(kept, mode="json")))


def _place(dialogue_id: UUID) -> Place:
    return Place(table="agents_dialogue", column="turns_encrypted", row_id=dialogue_id)


async def _crossed(work: Callable[[], _T]) -> _T:
    try:
        # Not thread-sensitive: otherwise one slow query would stall every turn of the process.
        made: _T = await database_sync_to_async(work, thread_sensitive=False)()
    except AccountError as error:
        raise ToolFailed(f"The session cannot be opened right now. {error}") from None
    return made
