"""The audit log lists what staff did and cannot be edited."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from accounts.audit import record_event
from accounts.models import AuditEvent, User
from tests.accounts.admin.conftest import may, signed_in

EVENTS = "/admin/accounts/auditevent/"
REASON = "They wrote that their laptop was stolen."


def recorded(actor: User, subject: User, action: str = "sign-out") -> AuditEvent:
    return record_event(actor=actor, subject_id=subject.id, action=action, reason=REASON)


def test_list_shows_actor_action_and_subject_but_no_reason(as_superuser: Client, superuser: User, alice: User) -> None:
    recorded(superuser, alice)
    shown = as_superuser.get(EVENTS).content.decode()
    assert [text in shown for text in ("sam@example.com", "alice@example.com", "Sign out", REASON)] == [
        *(True, True, True),
        False,
    ]


@pytest.mark.parametrize("asked", ["alice@example.com", "ALICE@example.com", "sam@example.com"])
def test_events_are_found_by_either_address(as_superuser: Client, superuser: User, alice: User, asked: str) -> None:
    event = recorded(superuser, alice)
    assert list(as_superuser.get(EVENTS, {"q": asked}).context["cl"].queryset) == [event]


def test_an_events_page_says_why(as_superuser: Client, superuser: User, alice: User) -> None:
    event = recorded(superuser, alice)
    assert REASON in as_superuser.get(f"{EVENTS}{event.id}/change/").content.decode()


def test_of_an_erased_user_the_event_stays_and_the_reason_is_gone(
    as_superuser: Client, superuser: User, alice: User
) -> None:
    event = recorded(superuser, alice)
    alice.delete()
    assert "(erased)" in as_superuser.get(EVENTS).content.decode()
    shown = as_superuser.get(f"{EVENTS}{event.id}/change/").content.decode()
    assert ("The reason was erased with the account" in shown, REASON in shown) == (True, False)


def test_a_reason_moved_from_another_event_is_reported_by_its_id(
    as_superuser: Client, superuser: User, alice: User
) -> None:
    event, other = recorded(superuser, alice), recorded(superuser, alice)
    AuditEvent.objects.filter(id=event.id).update(reason_encrypted=other.reason_encrypted)
    shown = as_superuser.get(f"{EVENTS}{event.id}/change/").content.decode()
    assert f"The reason of event {event.id} cannot be read" in shown


@pytest.mark.parametrize("number", [1, 3])
def test_the_list_costs_the_same_for_any_number_of_events(
    as_superuser: Client, superuser: User, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for position in range(number):
        recorded(superuser, User.objects.create_user(f"user{position}@example.com"))
    with django_assert_num_queries(7):
        as_superuser.get(EVENTS)


def test_events_cannot_be_added_changed_or_deleted(as_superuser: Client, superuser: User, alice: User) -> None:
    event = recorded(superuser, alice)
    before = AuditEvent.objects.values().get()
    statuses = [
        as_superuser.get(f"{EVENTS}add/").status_code,
        as_superuser.post(f"{EVENTS}{event.id}/change/", {"action": "nothing"}).status_code,
        as_superuser.get(f"{EVENTS}{event.id}/delete/").status_code,
        as_superuser.post(f"{EVENTS}{event.id}/delete/", {"post": "yes"}).status_code,
    ]
    as_superuser.post(EVENTS, {"action": "delete_selected", "_selected_action": [str(event.id)], "post": "yes"})
    assert (statuses, AuditEvent.objects.values().get()) == ([403] * 4, before)


def test_events_are_for_those_who_may_see_them(sam: User, alice: User) -> None:
    recorded(sam, alice)
    assert signed_in(sam).get(EVENTS).status_code == 403
    may(sam, "accounts.view_auditevent")
    assert signed_in(sam).get(EVENTS).status_code == 200
