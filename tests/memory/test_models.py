import logging

import pytest

from accounts.keys.vault import open_vault
from accounts.models import User
from memory.errors import UnreadableRow
from memory.models import MemoryEpisodic, opened, readable
from tests.memory.tampering import damage, half_rotate, move

pytestmark = pytest.mark.django_db


def episode(user: User, summary: str) -> MemoryEpisodic:
    row = MemoryEpisodic(user=user)
    row.summary_encrypted = open_vault(user.id).seal(row, "summary_encrypted", summary)
    row.exchange_encrypted = open_vault(user.id).seal(row, "exchange_encrypted", "words")
    row.save(force_insert=True)
    return row


def summary_of(user: User, row: MemoryEpisodic) -> str:
    row.refresh_from_db()
    return opened(open_vault(user.id), row, "summary_encrypted")


def test_a_text_is_opened_where_it_was_sealed(alice: User) -> None:
    assert summary_of(alice, episode(alice, "Asked for tea.")) == "Asked for tea."


def test_an_error_names_the_row_but_not_its_contents(alice: User) -> None:
    row = episode(alice, "Asked for tea.")
    damage(row, "summary_encrypted")

    with pytest.raises(UnreadableRow) as unreadable:
        summary_of(alice, row)

    assert (unreadable.value.table, unreadable.value.row_id) == ("memory_memoryepisodic", row.id)
    assert str(unreadable.value) == (
        f"The row {row.id} of memory_memoryepisodic cannot be opened. "
        "The encrypted text is damaged, or does not belong to this place."
    )


def test_a_text_in_another_rows_place_another_column_or_with_another_user_is_not_opened(alice: User, bob: User) -> None:
    first, second, of_bob = episode(alice, "One."), episode(alice, "Two."), episode(bob, "Three.")
    move(first, second, "summary_encrypted")
    move(first, of_bob, "summary_encrypted")
    for user, row in ((alice, second), (bob, of_bob)):
        with pytest.raises(UnreadableRow):
            summary_of(user, row)

    first.summary_encrypted = first.exchange_encrypted
    with pytest.raises(UnreadableRow):
        opened(open_vault(alice.id), first, "summary_encrypted")


@pytest.mark.parametrize("token", ["", "plain words", "v1:", "v9:gAAAAA", "v1:gAAAAA==", "é"])
def test_what_is_no_ciphertext_is_not_opened(alice: User, token: str) -> None:
    row = episode(alice, "One.")
    MemoryEpisodic.objects.update(summary_encrypted=token)
    with pytest.raises(UnreadableRow):
        summary_of(alice, row)


@pytest.mark.django_db(transaction=True)
def test_old_and_new_keys_open_rows_while_the_key_changes(alice: User) -> None:
    old = episode(alice, "Old.")
    half_rotate(alice)
    new = episode(alice, "New.")

    assert (summary_of(alice, old), summary_of(alice, new)) == ("Old.", "New.")
    assert (old.summary_encrypted[:3], new.summary_encrypted[:3]) == ("v1:", "v2:")


def test_readers_of_many_go_on_without_what_cannot_be_opened(alice: User, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    rows = [episode(alice, word) for word in ("One.", "Two.", "Three.")]
    damage(rows[1], "summary_encrypted")
    found = MemoryEpisodic.objects.order_by("created_at")
    vault = open_vault(alice.id)

    assert list(readable(found, lambda row: opened(vault, row, "summary_encrypted"))) == ["One.", "Three."]

    [record] = caplog.records
    assert (record.levelname, str(rows[1].id) in record.getMessage()) == ("WARNING", True)
    assert "Two." not in caplog.text
