from datetime import UTC, datetime

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.html import strip_tags
from pytest_django import DjangoAssertNumQueries

from accounts.audit import reason_of, record_event
from accounts.keys.vault import open_vault
from accounts.models import AuditEvent, User
from accounts.session_models import Device
from memory.tiers import set_core
from tests.accounts.admin.conftest import may, signed_in
from tests.accounts.device_rows import stored_device
from tests.conftest import PASSWORD

USERS = "/admin/accounts/user/"
NO_DEVICES = {"devices-TOTAL_FORMS": "0", "devices-INITIAL_FORMS": "0"}


def page(user: User, name: str = "change") -> str:
    return f"{USERS}{user.id}/{name}/"


def test_admin_lists_and_finds_users(as_sam: Client, alice: User, bob: User) -> None:
    everybody = as_sam.get(USERS).content.decode()
    assert [email for email in ("alice@example.com", "bob@example.com", "sam@example.com") if email in everybody] == [
        "alice@example.com",
        "bob@example.com",
        "sam@example.com",
    ]
    found = as_sam.get(USERS, {"q": "ALICE@example.com"}).content.decode()
    assert ("alice@example.com" in found, "bob@example.com" in found) == (True, False)


def test_the_list_says_how_many_devices_and_when_someone_was_last_seen_and_signed_in(
    as_sam: Client, alice: User
) -> None:
    seen = [datetime(2026, 3, day, 12, tzinfo=UTC) for day in (1, 2, 3)]
    for number, moment in enumerate(seen):
        stored_device(alice, str(number), last_seen=moment)
    User.objects.filter(id=alice.id).update(last_login=datetime(2026, 2, 1, 8, tzinfo=UTC))
    Device.objects.named(alice.id, "2").update(removed_at=seen[2])
    [row] = [row for row in as_sam.get(USERS).context["cl"].queryset if row == alice]
    assert (row.devices_present, row.last_seen_at) == (2, seen[2])
    shown = strip_tags(as_sam.get(USERS, {"q": "alice@example.com"}).content.decode())
    assert "2026-03-03 12:00:00" in shown
    assert "2026-02-01 08:00:00" in shown


@pytest.mark.parametrize("number", [1, 3])
def test_the_list_costs_the_same_for_any_number_of_users(
    as_superuser: Client, django_assert_num_queries: DjangoAssertNumQueries, number: int
) -> None:
    for position in range(number):
        user = User.objects.create_user(f"user{position}@example.com")
        stored_device(user, "laptop")
    with django_assert_num_queries(5):
        as_superuser.get(USERS)


def test_a_users_page_costs_few_queries_for_any_number_of_devices(as_superuser: Client, alice: User) -> None:
    as_superuser.get(page(alice))  # content types are cached after the first request
    record_event(actor=None, subject_id=alice.id, action="deactivate")
    set_core(alice.id, "city", "Rome")
    set_core(alice.id, "diet", "vegan")
    costs = []
    for number in range(3):
        stored_device(alice, f"laptop-{number}")
        with CaptureQueriesContext(connection) as queries:
            shown = as_superuser.get(page(alice)).content.decode()
        assert f"laptop-{number}" in shown
        assert "1 audit events, 2 core memory" in strip_tags(shown)
        costs.append(len(queries))
    assert costs == [12] * 3


@pytest.mark.parametrize("name", ["", "{id}/change/", "{id}/delete/", "{id}/sign-out/", "add/"])
def test_no_page_shows_a_key_or_what_is_stored_of_a_password(as_superuser: Client, alice: User, name: str) -> None:
    shown = as_superuser.get(USERS + name.format(id=alice.id))
    assert shown.status_code == 200
    for secret in (alice.encryption_key, alice.master_key_id, alice.password, alice.password.rpartition("$")[2][:6]):
        assert secret not in shown.content.decode()


def test_admin_makes_a_user_with_a_key(as_sam: Client, sam: User) -> None:
    form = {"email": "Carol@Example.com", "language": "it", "timezone": "Europe/Rome"}
    assert as_sam.post(f"{USERS}add/", form).status_code == 302
    carol = User.objects.get(email="carol@example.com")
    assert (carol.language, carol.timezone, carol.has_usable_password()) == ("it", "Europe/Rome", False)
    assert open_vault(carol.id).key.version == 1
    assert list(AuditEvent.objects.values_list("actor", "subject_id", "action")) == [(sam.id, carol.id, "add")]


def test_admin_refuses_a_taken_address(as_sam: Client, alice: User) -> None:
    form = {"email": "ALICE@example.com", "language": "en", "timezone": "UTC"}
    refused = as_sam.post(f"{USERS}add/", form)
    assert refused.status_code == 200
    errors = refused.context["adminform"].form.errors
    assert errors["email"] == ["This address is taken."]


def test_admin_changes_a_user_but_not_key_or_status(as_sam: Client, alice: User) -> None:
    permission = Permission.objects.get(codename="reveal_memoryepisodic")
    rights = {"is_staff": "on", "is_superuser": "on", "is_active": "", "user_permissions": str(permission.pk)}
    form = {"email": alice.email, "language": "it", "timezone": "Asia/Tokyo", **rights, **NO_DEVICES}
    assert as_sam.post(page(alice), form).status_code == 302
    key = alice.encryption_key
    alice.refresh_from_db()
    assert (alice.language, alice.timezone, alice.memory_enabled, alice.encryption_key) == (
        *("it", "Asia/Tokyo"),
        *(False, key),
    )
    assert (alice.is_active, alice.is_staff, alice.is_superuser) == (True, False, False)
    assert not alice.user_permissions.exists()
    [event] = AuditEvent.objects.all()
    assert (event.action, reason_of(event)) == ("change", "Changed Language, Time zone and Memory.")


def test_a_superuser_gives_rights(as_superuser: Client, alice: User) -> None:
    permission = Permission.objects.get(codename="reveal_memoryepisodic")
    group = {"name": "Support", "permissions": str(permission.pk)}
    assert as_superuser.post("/admin/auth/group/add/", group).status_code == 302
    rights = {"is_staff": "on", "groups": str(Group.objects.get().pk)}
    form = {"email": alice.email, "language": "en", "timezone": "UTC", **rights, **NO_DEVICES}
    assert as_superuser.post(page(alice), form).status_code == 302
    alice.refresh_from_db()
    assert (alice.is_staff, alice.has_perm("memory.reveal_memoryepisodic")) == (True, True)


def test_only_permissions_that_open_something_can_be_given(as_superuser: Client, alice: User) -> None:
    offered = as_superuser.get(page(alice)).context["adminform"].form.fields["user_permissions"].queryset
    apps = set(offered.values_list("content_type__app_label", flat=True))
    assert apps.isdisjoint({"sessions", "contenttypes", "token_blacklist", "admin"})
    assert {"accounts", "auth", "memory"} <= apps


def test_staff_cannot_touch_a_superuser(as_sam: Client, bob: User) -> None:
    bob.is_superuser = bob.is_staff = True
    bob.save()
    statuses = [as_sam.get(page(bob)).status_code, as_sam.post(page(bob), NO_DEVICES).status_code]
    statuses += [as_sam.get(page(bob, name)).status_code for name in ("sign-out", "deactivate", "delete")]
    assert statuses == [200, 403, 403, 403, 403]


def test_nothing_about_users_goes_into_djangos_own_log(as_superuser: Client, alice: User) -> None:
    as_superuser.post(page(alice), {"email": "a@example.com", "language": "it", "timezone": "UTC", **NO_DEVICES})
    as_superuser.post(page(alice, "delete"), {"confirmed": "yes", "reason": "They asked for it by letter."})
    assert (LogEntry.objects.count(), AuditEvent.objects.count()) == (0, 2)


def test_a_users_history_is_that_of_the_audit_events(
    as_superuser: Client, superuser: User, alice: User, bob: User
) -> None:
    for user in (alice, bob):
        as_superuser.post(page(user, "sign-out"), {"confirmed": "yes"})
    shown = as_superuser.get(page(alice, "history"), follow=True)
    assert [event.subject_id for event in shown.context["cl"].queryset] == [alice.id]


def test_admin_is_for_staff(alice: User, sam: User) -> None:
    assert signed_in(alice).get(USERS).status_code == 302
    assert signed_in(sam).get(USERS).status_code == 403
    may(sam, "accounts.view_user")
    seeing = signed_in(sam)
    assert [seeing.get(address).status_code for address in (USERS, page(alice), page(alice, "deactivate"))] == [
        *(200, 200),
        403,
    ]


def test_staff_sign_in_with_their_address(sam: User) -> None:
    client = Client()
    answer = client.post("/admin/login/?next=/admin/", {"username": "SAM@example.com", "password": PASSWORD})
    assert (answer.status_code, answer["Location"]) == (302, "/admin/")


def test_staff_who_open_the_sign_in_itself_come_to_the_first_page(sam: User) -> None:
    answer = Client().post("/admin/login/", {"username": "sam@example.com", "password": PASSWORD})
    assert (answer.status_code, answer["Location"]) == (302, "/admin/")


@pytest.mark.parametrize("address", ["", "auth/group/", "auth/group/add/", "password_change/"])
def test_the_other_pages_are_there(as_superuser: Client, address: str) -> None:
    assert as_superuser.get(f"/admin/{address}").status_code == 200


def test_tokens_have_no_pages(as_superuser: Client) -> None:
    assert as_superuser.get("/admin/token_blacklist/outstandingtoken/").status_code == 404


def test_the_overview_shows_what_one_may_see(sam: User) -> None:
    may(sam, "accounts.view_auditevent")
    shown = signed_in(sam).get("/admin/")
    titles = [item["title"] for section in shown.context["sections"] for item in section["items"]]
    assert titles == ["Audit events"]


def test_in_the_navigation_users_stand_before_what_belongs_to_them(as_superuser: Client) -> None:
    people = as_superuser.get("/admin/").context["sections"][0]
    assert [item["title"] for item in people["items"]] == ["Users", "Groups", "Personal tokens"]


def test_an_address_in_a_title_is_written_as_it_is(as_superuser: Client, alice: User) -> None:
    assert "Alice@example.com" not in as_superuser.get(page(alice)).content.decode()
