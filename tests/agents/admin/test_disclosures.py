"""Disclosures and marks in the admin: counts and times, but no ids."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from agents.calls import Table
from agents.permissions.disclosures import Occasion, Sent, record
from agents.permissions.models import Disclosure, SharingMarks
from agents.permissions.sharing import Marks, replace_marks
from agents.requests import RequestKind, RequestOrigin

DISCLOSURES, MARKS = "/admin/agents/disclosure/", "/admin/agents/sharingmarks/"


def disclose(user: User) -> Disclosure:
    occasion = Occasion(origin=RequestOrigin(user_id=user.id, request_id="r1"), source=RequestKind.HOME)
    record(occasion, Sent(model="gpt-17", rows={Table.TASKS: frozenset({"quincunx"})}), left_server=True)
    return Disclosure.objects.latest("at")


def mark(user: User) -> SharingMarks:
    replace_marks(user.id, Marks(tables=frozenset({Table.CLIENTS}), projects=frozenset({"marmalade"})))
    return SharingMarks.objects.get(user=user)


@pytest.mark.parametrize("page", ["", "{id}/change/"])
def test_disclosures_show_table_and_model_but_no_row_ids(as_superuser: Client, alice: User, page: str) -> None:
    row = disclose(alice)
    shown = as_superuser.get(DISCLOSURES + page.format(id=row.id)).content.decode()
    assert [word for word in ("alice@example.com", "gpt-17", "tasks") if word not in shown] == []
    assert [secret for secret in ("quincunx", row.row_ids_encrypted) if secret in shown] == []


@pytest.mark.parametrize("page", ["", "{id}/change/"])
def test_marks_show_user_but_no_content(as_superuser: Client, alice: User, page: str) -> None:
    row = mark(alice)
    shown = as_superuser.get(MARKS + page.format(id=row.id)).content.decode()
    assert "alice@example.com" in shown
    assert [secret for secret in ("marmalade", row.marks_encrypted) if secret in shown] == []


def test_disclosures_and_marks_cannot_be_added_or_deleted(as_superuser: Client, alice: User) -> None:
    for page, row in ((DISCLOSURES, disclose(alice)), (MARKS, mark(alice))):
        assert {as_superuser.get(f"{page}{address}").status_code for address in ("add/", f"{row.pk}/delete/")} == {403}


@pytest.mark.parametrize("number", [1, 5])
def test_query_count_does_not_depend_on_number_of_disclosures(
    as_superuser: Client, alice: User, number: int, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(number):
        disclose(alice)
    as_superuser.get(DISCLOSURES)
    with django_assert_max_num_queries(7):
        as_superuser.get(DISCLOSURES)
