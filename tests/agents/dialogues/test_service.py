from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from accounts.errors import EncryptionError
from accounts.keys.vault import open_vault
from accounts.models import User
from agents.adapters.base import MAX_EARLIER
from agents.dialogues.models import Dialogue
from agents.dialogues.service import add, said, turns_in
from agents.errors import ModelRetry
from agents.tools.context import Turn

NOW = datetime(2026, 3, 29, 10, 0, tzinfo=UTC)
ROSES = (Turn(role="user", content="Secret roses?"), Turn(role="assistant", content="Red ones."))
WHY = (Turn(role="user", content="Why?"), Turn(role="assistant", content="They are."))


def test_turns_are_returned_in_order(alice: User) -> None:
    dialogue = add(alice.id, None, "large", ROSES, now=NOW)

    assert add(alice.id, dialogue, "large", WHY, now=NOW) == dialogue
    assert said(alice.id, dialogue, "large") == (*ROSES, *WHY)


def test_turns_are_encrypted_in_database(alice: User) -> None:
    dialogue = add(alice.id, None, "large", ROSES, now=NOW)

    row = Dialogue.objects.get(id=dialogue)
    assert "roses" not in row.turns_encrypted
    assert row.turns_encrypted.startswith("v1:")


def test_encrypted_turns_cannot_be_moved_to_another_dialogue(alice: User) -> None:
    dialogue, other = (add(alice.id, None, "large", ROSES, now=NOW) for _ in range(2))
    row = Dialogue.objects.get(id=dialogue)
    row.turns_encrypted = Dialogue.objects.get(id=other).turns_encrypted

    with pytest.raises(EncryptionError):
        turns_in(row, open_vault(alice.id))


def test_only_latest_turns_are_kept(alice: User) -> None:
    dialogue = add(alice.id, None, "large", ROSES, now=NOW)
    for number in range(MAX_EARLIER // 2):
        add(alice.id, dialogue, "large", (Turn(role="user", content=str(number)), WHY[1]), now=NOW)

    kept = said(alice.id, dialogue, "large")
    # Turns are dropped ten at a time.
    assert len(kept) == MAX_EARLIER - 8
    assert kept[0].content == "4"


@pytest.mark.parametrize("wrong", ["owner", "model", "id"])
def test_another_user_model_or_id_finds_no_dialogue(alice: User, bob: User, wrong: str) -> None:
    dialogue = add(alice.id, None, "large", ROSES, now=NOW)
    user, model = bob if wrong == "owner" else alice, "small" if wrong == "model" else "large"
    asked = uuid4() if wrong == "id" else dialogue

    with pytest.raises(ModelRetry):
        said(user.id, asked, model)
    with pytest.raises(ModelRetry):
        add(user.id, asked, model, WHY, now=NOW)


def test_adding_turns_renews_dialogue(alice: User) -> None:
    dialogue, silent = (add(alice.id, None, "large", ROSES, now=NOW) for _ in range(2))
    add(alice.id, dialogue, "large", WHY, now=NOW + timedelta(days=1))

    assert [row.id for row in Dialogue.objects.filter(updated_at__lt=NOW + timedelta(days=1))] == [silent]
