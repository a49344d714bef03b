from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.apps import apps
from django.db import models
from django.test.utils import isolate_apps

from accounts.cipher import new_user_key
from accounts.encryption import EncryptedTextField
from accounts.keys.custody import ENCRYPTED_TABLES, EncryptedTable, PlainTable, Register
from accounts.keys.vault import Vault

pytestmark = pytest.mark.contracts


def test_every_column_of_ciphertext_is_in_custody() -> None:
    """Rotation, export and erasure find tables only through the register."""
    found = {
        (model._meta.db_table, field.column)
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if (field.column or "").endswith("_encrypted")
    }
    assert found == {(table.name, column) for table in ENCRYPTED_TABLES for column in table.columns}
    assert ("accounts_auditevent", "reason_encrypted") in found


def test_register_refuses_a_table_twice() -> None:
    register = Register()
    table = ENCRYPTED_TABLES["accounts_auditevent"]
    register.add(table)
    with pytest.raises(ValueError, match=r"^accounts_auditevent is registered already\.$"):
        register.add(table)


@pytest.fixture
def letter() -> Iterator[type[models.Model]]:
    """A new encrypted table that no app has registered."""
    with isolate_apps("tests.accounts"):

        class LetterQuerySet(models.QuerySet[Any]):
            def for_user(self, user_id: UUID) -> Any:
                return self.filter(user_id=user_id)

        class Letter(models.Model):
            id = models.UUIDField(primary_key=True, default=uuid4)
            user = models.ForeignKey("User", on_delete=models.CASCADE)
            text_encrypted = EncryptedTextField()
            written_at = models.DateTimeField()
            pages = models.IntegerField()
            objects = LetterQuerySet.as_manager()

            class Meta:
                app_label = "accounts"

            def __str__(self) -> str:
                return str(self.id)

        yield Letter


def test_a_table_is_found_by_the_type_of_its_columns(letter: type[models.Model]) -> None:
    register = Register(lambda: [letter])
    assert [(table.name, table.columns) for table in register] == [("accounts_letter", ("text_encrypted",))]
    assert register["accounts_letter"].model is letter


def test_what_an_app_says_of_a_table_takes_the_place_of_what_is_found(letter: type[models.Model]) -> None:
    register = Register(lambda: [letter])
    register.add(EncryptedTable(model=letter, outlives_owner=True))
    assert [table.outlives_owner for table in register] == [True]


def test_a_row_is_exported_without_its_user_and_decrypted(letter: Any) -> None:
    vault, row = (
        Vault(key=new_user_key()),
        letter(user_id=uuid4(), written_at=datetime(2026, 3, 29, tzinfo=UTC), pages=2),
    )
    row.text_encrypted = vault.seal(row, "text_encrypted", "Dear Bob")
    table = EncryptedTable(model=letter)
    assert dict(table.export(row, vault)) == {
        "id": str(row.id),
        "text": "Dear Bob",
        "written_at": "2026-03-29T00:00:00+00:00",
        "pages": 2,
    }
    row.text_encrypted = ""
    assert table.export(row, vault)["text"] == ""
    assert PlainTable(model=letter, exported=("pages",)).export(row) == {"pages": 2}


def test_columns_of_ciphertext_need_an_owner_that_can_be_found(letter: type[models.Model]) -> None:
    assert EncryptedTextField in {type(field) for field in letter._meta.concrete_fields}
    assert [problem.id for problem in letter.check() if problem.id != "fields.E300"] == []  # User is isolated
    with isolate_apps("tests.accounts"):

        class Ownerless(models.Model):
            text_encrypted = EncryptedTextField()

            class Meta:
                app_label = "accounts"

            def __str__(self) -> str:
                return str(self.pk)

        assert [problem.id for problem in Ownerless.check()] == ["accounts.E001"]


def test_migrations_see_columns_of_ciphertext_as_text() -> None:
    _, path, _, _ = EncryptedTextField().deconstruct()
    assert path == "django.db.models.TextField"
