import pytest
from django.apps import apps

from accounts.custody import ENCRYPTED_TABLES, Register


def test_every_column_of_ciphertext_is_in_custody() -> None:
    """Rotation, export and erasure reach a table only by the register."""
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
    table = ENCRYPTED_TABLES.of_app("accounts")[0]
    register.add(table)
    with pytest.raises(ValueError, match=r"^accounts_auditevent is registered already\.$"):
        register.add(table)
