"""Staff actions on accounts: confirmed, recorded and carried out."""

import pytest
from django.contrib.messages import get_messages
from django.test import Client

from accounts.admin import actions
from accounts.admin.users import UsersPage
from accounts.audit import reason_of, record_event
from accounts.auth.tokens import bearer_of, issue_tokens
from accounts.errors import AccountGone, InvalidCredentials
from accounts.models import AuditEvent, User
from accounts.session_models import Device
from tests.accounts.admin.conftest import signed_in
from tests.accounts.admin.test_users import USERS, page
from tests.accounts.device_rows import stored_device

REASON = "They wrote that their laptop was stolen."


def events() -> list[tuple[object, ...]]:
    found = AuditEvent.objects.order_by("created_at").select_related("actor")
    return [(str(event.actor), event.subject_id, event.action) for event in found]


def done(client: Client, user: User, action: str, reason: str = REASON) -> int:
    return client.post(page(user, action), {"confirmed": "yes", "reason": reason}).status_code


@pytest.mark.parametrize("action", ["rotate-key", "sign-out", "deactivate", "delete"])
def test_asking_changes_nothing(as_sam: Client, alice: User, action: str) -> None:
    before = User.objects.filter(id=alice.id).values().get()
    assert [as_sam.get(page(alice, action)).status_code, as_sam.post(page(alice, action)).status_code] == [200, 200]
    assert (User.objects.filter(id=alice.id).values().get(), events()) == (before, [])


def test_deactivating_ends_tokens_and_sessions_and_is_recorded(as_sam: Client, alice: User) -> None:
    alice.is_staff = True
    alice.save(update_fields=["is_staff"])
    hers, access = signed_in(alice), issue_tokens(alice).access
    assert done(as_sam, alice, "deactivate") == 302
    alice.refresh_from_db()
    assert not alice.is_active
    assert hers.get("/admin/").status_code == 302
    assert events() == [("sam@example.com", alice.id, "deactivate")]
    assert reason_of(AuditEvent.objects.get()) == REASON

    assert done(as_sam, alice, "reactivate", reason="") == 302
    assert User.objects.get(id=alice.id).is_active
    # Earlier sign-ins stay revoked.
    assert hers.get("/admin/").status_code == 302
    with pytest.raises(InvalidCredentials):
        bearer_of(access)


def test_signing_out_everywhere_ends_tokens_and_admin_sessions(as_sam: Client, bob: User) -> None:
    bob.is_staff = True
    bob.save(update_fields=["is_staff"])
    his, access = signed_in(bob), issue_tokens(bob).access
    assert his.get("/admin/").status_code == 200
    assert done(as_sam, bob, "sign-out", reason="") == 302
    assert his.get("/admin/").status_code == 302
    with pytest.raises(InvalidCredentials):
        bearer_of(access)
    assert events() == [("sam@example.com", bob.id, "sign-out")]
    bob.refresh_from_db()
    assert signed_in(bob).get("/admin/").status_code == 200


def test_erasing_leaves_the_event_and_nothing_else(as_sam: Client, alice: User) -> None:
    user_id = alice.id
    stored_device(alice, "laptop")
    issue_tokens(alice)
    assert done(as_sam, alice, "delete") == 302
    assert (User.objects.filter(id=user_id).exists(), Device.objects.exists()) == (False, False)
    assert events() == [("sam@example.com", user_id, "erase")]
    with pytest.raises(AccountGone):
        reason_of(AuditEvent.objects.get())


@pytest.mark.parametrize("reason", ["", "short", "x" * 501, "a\0b and more than ten"])
@pytest.mark.parametrize("action", ["deactivate", "delete"])
def test_what_hurts_takes_a_reason(as_sam: Client, alice: User, action: str, reason: str) -> None:
    refused = as_sam.post(page(alice, action), {"confirmed": "yes", "reason": reason})
    assert (refused.status_code, list(refused.context["form"].errors)) == (200, ["reason"])
    alice.refresh_from_db()
    assert (alice.is_active, events()) == (True, [])


@pytest.mark.parametrize("action", ["deactivate", "delete"])
def test_staff_cannot_lock_themselves_out(as_sam: Client, sam: User, action: str) -> None:
    assert done(as_sam, sam, action) == 403


def test_action_on_an_unknown_user_is_not_found(as_sam: Client, alice: User) -> None:
    address = page(alice, "sign-out")
    alice.delete()
    assert as_sam.get(address).status_code == 404


def test_many_at_once_are_asked_about_together_and_done_one_by_one(
    as_sam: Client, alice: User, bob: User, sam: User
) -> None:
    chosen = {"action": "deactivate", "_selected_action": [str(user.id) for user in (alice, bob, sam)]}
    asked = as_sam.post(USERS, chosen)
    assert (set(asked.context["users"]), list(asked.context["left_out"].values())) == (
        {alice, bob},
        ["You cannot do this to your own account."],
    )
    answer = as_sam.post(USERS, {**chosen, "confirmed": "yes", "reason": REASON})
    assert answer.status_code == 302
    assert list(User.objects.filter(is_active=False).order_by("date_joined")) == [alice, bob]
    assert sorted(events()) == sorted(("sam@example.com", user.id, "deactivate") for user in (alice, bob))
    assert sorted(str(message) for message in get_messages(answer.wsgi_request)) == [
        "alice@example.com: Deactivated.",
        "bob@example.com: Deactivated.",
    ]


@pytest.mark.parametrize(
    ("action", "title", "everyone"),
    [
        ("rotate_keys", "Rotate key", " For everyone, run manage.py rotate_keys --all."),
        ("sign_out", "Sign out everywhere", " To sign everyone out, start the server with a new ADIUVA_SECRET_KEY."),
        ("deactivate", "Deactivate", ""),
    ],
)
def test_more_than_a_page_of_users_are_refused_in_the_list(
    as_sam: Client, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch, action: str, title: str, everyone: str
) -> None:
    monkeypatch.setattr(actions, "MAX_USERS", 2)
    chosen = {"action": action, "select_across": "1", "_selected_action": [str(alice.id)]}
    for sent in (chosen, {**chosen, "confirmed": "yes", "reason": REASON}):
        answer = as_sam.post(f"{USERS}?is_active__exact=1", sent)
        assert (answer.status_code, answer.headers["Location"]) == (302, f"{USERS}?is_active__exact=1")
        said = [str(message) for message in get_messages(answer.wsgi_request)]
        assert said[-1] == f"{title} is for at most 2 users at a time: choose fewer.{everyone}"
    assert (events(), User.objects.filter(is_active=False).exists()) == ([], False)
    # A filter, too, chooses fewer.
    assert as_sam.post(f"{USERS}?is_staff__exact=0", chosen).status_code == 200


def test_a_page_of_the_list_has_no_more_users_than_are_taken_at_once() -> None:
    assert UsersPage.list_per_page == actions.MAX_USERS


def test_many_are_not_erased_at_once(as_sam: Client, alice: User) -> None:
    offered = as_sam.get(USERS).context["action_form"].fields["action"].choices
    assert [name for name, _ in offered] == ["", "rotate_keys", "sign_out", "deactivate"]
    as_sam.post(USERS, {"action": "delete_selected", "_selected_action": [str(alice.id)], "post": "yes"})
    assert User.objects.filter(id=alice.id).exists()


def test_a_key_that_cannot_be_opened_stops_an_action_whose_reason_needs_it(as_sam: Client, alice: User) -> None:
    User.objects.filter(id=alice.id).update(master_key_id="0" * 16)
    answer = as_sam.post(page(alice, "deactivate"), {"confirmed": "yes", "reason": REASON})
    assert [str(message) for message in get_messages(answer.wsgi_request)] == [
        f"user {alice.id}: The master key with the fingerprint 0000000000000000 is not configured."
    ]
    alice.refresh_from_db()
    assert (alice.is_active, events()) == (True, [])


def test_nothing_can_be_done_to_an_account_whose_erasure_was_interrupted(as_sam: Client, alice: User) -> None:
    User.objects.filter(id=alice.id).update(encryption_key="", email_encrypted="")
    shown = as_sam.get(page(alice)).content.decode()
    assert [address in shown for address in (page(alice, "sign-out"), page(alice, "delete"), 'name="_save"')] == [
        False
    ] * 3
    for action in ("rotate-key", "sign-out", "deactivate", "reactivate", "delete", "change"):
        assert done(as_sam, alice, action) == 403
    assert events() == []


def told(client: Client, user: User, action: str, reason: str = "") -> list[str]:
    """The messages that staff see after an action."""
    answer = client.post(page(user, action), {"confirmed": "yes", "reason": reason})
    return [str(message) for message in get_messages(answer.wsgi_request)]


@pytest.mark.django_db(transaction=True)
def test_rotating_renews_what_is_kept_and_says_so(as_sam: Client, sam: User, alice: User) -> None:
    older = record_event(actor=sam, subject_id=alice.id, action="sign-out", reason=REASON)
    said = "alice@example.com: Key version 2, 2 rows encrypted again. The older key is destroyed."
    assert told(as_sam, alice, "rotate-key", reason="It is time.") == [said]
    alice.refresh_from_db()
    assert (alice.encryption_key_version, alice.retired_keys.count()) == (2, 0)
    older.refresh_from_db()
    assert (older.reason_encrypted[:3], reason_of(older)) == ("v2:", REASON)
    assert [action for _, _, action in events()] == ["sign-out", "rotate-key"]


@pytest.mark.django_db(transaction=True)
def test_a_row_that_cannot_be_opened_keeps_the_older_key(as_sam: Client, sam: User, alice: User) -> None:
    spoilt = record_event(actor=sam, subject_id=alice.id, action="sign-out", reason=REASON)
    AuditEvent.objects.filter(id=spoilt.id).update(reason_encrypted="v1:spoilt")
    [said] = told(as_sam, alice, "rotate-key")
    assert said.endswith(
        "0 rows encrypted again. The older key stays: 1 row cannot be opened, and rotate_keys says which."
    )
    assert "1, until no row needs them" in as_sam.get(page(alice)).content.decode()


@pytest.mark.django_db(transaction=True)
def test_a_rotation_that_takes_too_long_says_what_is_left(
    as_sam: Client, sam: User, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_event(actor=sam, subject_id=alice.id, action="sign-out", reason=REASON)
    monkeypatch.setattr(actions, "ROTATION_S", 0.0)
    [said] = told(as_sam, alice, "rotate-key")
    assert said.endswith("The older key stays for 1 row: rotate again, or run rotate_keys, to go on.")
