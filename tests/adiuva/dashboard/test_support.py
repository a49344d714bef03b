"""The support view of a user: states and times of everything, and not one word of the user's."""

from datetime import timedelta
from typing import Any, Final
from uuid import uuid4

import pytest
from django.db.models import (
    BinaryField,
    BooleanField,
    CharField,
    DateTimeField,
    Field,
    FloatField,
    ForeignKey,
    IntegerField,
    Model,
    TextField,
    UUIDField,
)
from django.test import Client
from django.utils import timezone as clock

from accounts.encryption import EncryptedTextField
from accounts.keys.custody import ENCRYPTED_TABLES
from accounts.keys.vault import open_vault
from accounts.models import User
from agents.jobs.models import JobState, ToolJob
from agents.telemetry.recorder import save_turns
from tests.accounts.admin.conftest import may, signed_in
from tests.agents.turns import turn

CANARY: Final = "Zwetschgendatschi"
SECTIONS = ("Account", "Keys", "Devices and their sockets", "Sign-ins", "Personal tokens", "Memory", "Jobs", "Turns")
KEPT = {"tool", "state", "risk", "kind", "source", "outcome", "action", "decision"}
"""Columns that the server writes, from names of its own."""


def address(user: User) -> str:
    return f"/admin/accounts/user/{user.id}/support/"


def shown_to(client: Client, user: User) -> str:
    answer = client.get(address(user))
    assert answer.status_code == 200
    return answer.content.decode()


class Planting:
    """A row in each encrypted table, with the canary in every column of text that could hold a user's words."""

    def __init__(self, user: User) -> None:
        self.user, self.vault = user, open_vault(user.id)
        self.rows: dict[type[Model], Model] = {User: user}
        self.columns: set[tuple[str, str]] = set()

    def plant(self, model: type[Model]) -> Model:
        if model in self.rows:
            return self.rows[model]
        row = model(
            **{field.attname: self._value(field) for field in model._meta.concrete_fields if self._wanted(field)}
        )
        self.rows[model] = row
        if isinstance(row, ToolJob):
            # As its constraints want it: an ended job has its answer or its failure, not both.
            row.state, row.finished_at, row.claimed_by = JobState.FAILED, clock.now(), ""
        for field in model._meta.concrete_fields:
            if isinstance(field, EncryptedTextField) and not self._left_out(row, field.attname):
                setattr(row, field.attname, self.vault.seal(row, field.attname, f"{CANARY} {field.attname}"))
                self.columns.add((model._meta.db_table, field.attname))
        row.save(force_insert=True)
        return row

    @staticmethod
    def _left_out(row: Model, column: str) -> bool:
        return isinstance(row, ToolJob) and column == "response_encrypted"

    @staticmethod
    def _wanted(field: "Field[Any, Any]") -> bool:
        text = isinstance(field, CharField | TextField) and not field.choices and field.name not in KEPT
        return (not field.has_default() and (not field.null)) or (text and not field.null)

    def _value(self, field: "Field[Any, Any]") -> object:
        match field:
            case ForeignKey():
                return self.plant(field.related_model).pk
            case EncryptedTextField():
                return ""
            case UUIDField():
                return uuid4()
            case DateTimeField():
                return clock.now() + timedelta(hours="expires" in field.name)
            case BinaryField():
                return CANARY.encode()
            case BooleanField():
                return False
            case IntegerField() | FloatField():
                return 1
            case CharField() | TextField():
                return self._text(field)
        return None

    @staticmethod
    def _text(field: "CharField[str, str] | TextField[str, str]") -> str:
        if field.choices:
            return str(next(value for value, _ in field.flatchoices))
        if field.name in KEPT:
            return "plan_project"
        return CANARY[: field.max_length]


@pytest.fixture
def planted(alice: User) -> Planting:
    planting = Planting(alice)
    for table in ENCRYPTED_TABLES:
        if table.model is not User:
            planting.plant(table.model)
    return planting


@pytest.fixture
def as_superuser(sam: User) -> Client:
    sam.is_superuser = True
    sam.save(update_fields=["is_superuser"])
    return signed_in(sam)


def test_no_word_of_any_encrypted_column_is_on_the_page(as_superuser: Client, planted: Planting, alice: User) -> None:
    every = {(table.name, column) for table in ENCRYPTED_TABLES for column in table.columns}
    assert every - planted.columns == {
        ("accounts_user", "email_encrypted"),  # the address, which is looked for as it is
        ("agents_tooljob", "response_encrypted"),  # a failed job has none
    }

    page = shown_to(as_superuser, alice)

    assert [section for section in SECTIONS if f">{section}</h2>" not in page] == []
    assert page.count("plan_project") == 1
    assert [word for word in (CANARY, alice.email, "alice") if word.lower() in page.lower()] == []


@pytest.mark.django_db(transaction=True)
def test_the_page_says_where_everything_stands(as_superuser: Client, alice: User) -> None:
    save_turns([turn(alice.id, error_code="")])

    page = shown_to(as_superuser, alice)

    for words in ("active", "opens", "No device has connected.", "No one is signed in.", "home", "1,234 ms"):
        assert words in page


def test_a_key_that_cannot_be_opened_is_shown_as_such(
    as_superuser: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    User.objects.filter(id=alice.id).update(encryption_key="damaged")
    page = shown_to(as_superuser, alice)
    assert ("cannot be opened" in page, "damaged" in page) == (True, False)


def test_sections_are_for_those_who_may_see_their_rows(sam: User, alice: User) -> None:
    assert signed_in(sam).get(address(alice)).status_code == 403
    may(sam, "accounts.view_user")
    page = shown_to(signed_in(User.objects.get(id=sam.id)), alice)
    assert [section for section in SECTIONS if f">{section}</h2>" in page] == ["Account", "Keys", "Sign-ins"]


def test_a_users_page_leads_to_the_support_view(as_superuser: Client, alice: User) -> None:
    assert address(alice) in as_superuser.get(f"/admin/accounts/user/{alice.id}/change/").content.decode()
