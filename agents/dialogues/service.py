"""A user's conversations with models outside the assistant: one row, and one ciphertext, for each."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, ParamSpec, TypeVar
from uuid import UUID

from django.db import transaction
from pydantic import TypeAdapter

from accounts.database import in_database
from accounts.errors import AccountError
from accounts.keys.vault import Vault, open_vault, vault_for_writing
from accounts.timezones import utc_now
from agents.adapters.base import latest
from agents.dialogues.models import Dialogue
from agents.errors import ModelRetry, ToolFailed
from agents.tools.context import Turn

_P = ParamSpec("_P")
_T = TypeVar("_T")
_TURNS: Final = TypeAdapter(tuple[Turn, ...])


@dataclass(frozen=True, kw_only=True, slots=True)
class UserDialogues:
    """The ``Dialogues`` of one user, in the database."""

    user_id: UUID

    async def turns(self, dialogue_id: UUID, model: str) -> Sequence[Turn]:
        """As ``said``."""
        return await _in_database(said, self.user_id, dialogue_id, model)

    async def add(self, dialogue_id: UUID | None, model: str, turns: Sequence[Turn]) -> UUID:
        """As ``add``."""
        return await _in_database(add, self.user_id, dialogue_id, model, turns, now=utc_now())


def said(user_id: UUID, dialogue_id: UUID, model: str) -> Sequence[Turn]:
    """The turns of the user's conversation with ``model``, oldest first.

    Raises ``ModelRetry`` if there is no such conversation, and what ``open_vault`` raises.
    """
    return turns_in(_found(user_id, dialogue_id, model), open_vault(user_id))


@transaction.atomic
def add(user_id: UUID, dialogue_id: UUID | None, model: str, turns: Sequence[Turn], *, now: datetime) -> UUID:
    """Append ``turns`` to a conversation, or to a new one; return its id.

    Safe against concurrent appends. Raises as ``said``.
    """
    vault = vault_for_writing(user_id)
    before: tuple[Turn, ...] = ()
    if dialogue_id is None:
        row = Dialogue(user_id=user_id, model=model, created_at=now)
    else:
        row = _found(user_id, dialogue_id, model, locked=True)
        before = turns_in(row, vault)
    # A model gets only the latest turns.
    kept = tuple(latest((*before, *turns)))
    row.turns_encrypted = vault.seal(row, "turns_encrypted", json.dumps(_TURNS.dump_python(kept, mode="json")))
    row.updated_at = now
    if dialogue_id is None:
        row.save(force_insert=True)
    else:
        row.save(update_fields=["turns_encrypted", "updated_at"])
    return row.id


def turns_in(row: Dialogue, vault: Vault) -> tuple[Turn, ...]:
    """The turns in ``row``, oldest first. Raises ``EncryptionError``."""
    return _TURNS.validate_python(json.loads(vault.open(row, "turns_encrypted")))


def _found(user_id: UUID, dialogue_id: UUID, model: str, *, locked: bool = False) -> Dialogue:
    rows = Dialogue.objects.for_user(user_id).filter(id=dialogue_id, model=model)
    row = (rows.select_for_update() if locked else rows).first()
    if row is None:
        raise ModelRetry(f"There is no session {dialogue_id} with {model}: leave it out to begin a new one.")
    return row


async def _in_database(work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    try:
        return await in_database(work, *args, **kwargs)
    except AccountError as error:
        raise ToolFailed(f"The session cannot be opened right now. {error}") from None
