"""Quotas in the admin: every change by staff is recorded."""

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from accounts.audit import reason_of
from accounts.models import AuditEvent, User
from agents.permissions.models import UserQuota

QUOTAS = "/admin/agents/userquota/"


def test_adding_changing_and_deleting_quota_is_audited(as_superuser: Client, alice: User, sam: User) -> None:
    as_superuser.post(f"{QUOTAS}add/", {"user": str(alice.id), "turns": "20", "tokens": ""})
    quota = UserQuota.objects.get(user=alice)
    as_superuser.post(f"{QUOTAS}{quota.pk}/change/", {"user": str(alice.id), "turns": "", "tokens": "0"})
    as_superuser.post(f"{QUOTAS}{quota.pk}/delete/", {"post": "yes"})

    events = AuditEvent.objects.filter(subject_id=alice.id, actor=sam).order_by("created_at")
    assert [(event.action, reason_of(event)) for event in events] == [
        ("add-quota", "turns 20, tokens as everybody"),
        ("change-quota", "turns as everybody, tokens without a limit"),
        ("remove-quota", "turns as everybody, tokens without a limit"),
    ]
    assert (UserQuota.objects.count(), LogEntry.objects.count()) == (0, 0)


def test_quota_of_account_being_erased_cannot_be_changed(as_superuser: Client, alice: User) -> None:
    quota = UserQuota.objects.create(user=alice, turns=20)
    User.objects.filter(id=alice.id).update(encryption_key="", email_encrypted="")
    answer = as_superuser.post(f"{QUOTAS}{quota.pk}/change/", {"user": str(alice.id), "turns": "5", "tokens": ""})
    quota.refresh_from_db()
    assert (answer.status_code, quota.turns, AuditEvent.objects.exists()) == (410, 20, False)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        (
            {"turns": "", "tokens": ""},
            "This decides nothing: name a number of turns or of tokens, or delete the quota.",
        ),
        ({"turns": "-1", "tokens": ""}, "Ensure this value is greater than or equal to 0."),
    ],
)
def test_empty_or_negative_quota_is_refused(
    as_superuser: Client, alice: User, fields: dict[str, str], sentence: str
) -> None:
    answer = as_superuser.post(f"{QUOTAS}add/", {"user": str(alice.id), **fields}).content.decode()
    assert sentence in answer
    assert UserQuota.objects.count() == 0


def test_unlimited_and_inherited_quotas_are_listed_in_words(as_superuser: Client, alice: User) -> None:
    quota = UserQuota.objects.create(user=alice, turns=0, tokens=1_500_000)
    shown = as_superuser.get(QUOTAS).content.decode()
    assert [words for words in ("no limit", "1,500,000") if words not in shown] == []
    UserQuota.objects.filter(pk=quota.pk).update(turns=None)
    assert "as everybody" in as_superuser.get(QUOTAS).content.decode()


@pytest.mark.parametrize("number", [1, 3])
def test_query_count_does_not_depend_on_number_of_quotas(
    as_superuser: Client, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for position in range(number):
        UserQuota.objects.create(user=User.objects.create_user(f"user-{position}@example.com"), turns=5)
    with django_assert_num_queries(5):
        as_superuser.get(QUOTAS)
